use super::*;
use crate::decision::portfolio::Constraints;
use crate::evidence::inference::admissible::Admissible;
use crate::evidence::inference::null::Volatility;
use crate::evidence::inference::random::Random;
use crate::market::adjusted_closes::last_sessions;
use crate::result::returns::tests::returns_of;
use crate::round::manifest::SubmissionFormat;
use crate::test_support::{holding, universe};
use crate::values::ids::Digest;
use crate::values::time::parse_day;

fn frozen(sessions: usize) -> DailyReturns {
    let last = parse_day("2026-06-05").unwrap();
    let mut random = Random::of(Digest::of(b"excess"), "frozen");
    let options = universe().options().to_vec();
    let rows = options.iter().map(|option| {
        let moves = if option.is_cash() { 0.0 } else { 0.01 };
        let returns = (0..sessions).map(|_| moves * random.normal()).collect();
        (option.id.clone(), returns)
    });
    DailyReturns::new(
        last_sessions(Market::default(), last, sessions),
        rows.collect(),
    )
    .unwrap()
}

fn null() -> Null {
    let rows = [
        ("AAA", 0.05),
        ("BBB", -0.02),
        ("CCC", 0.01),
        ("SP500", 0.02),
        ("CASH", 0.0),
    ];
    let limits = Constraints::default();
    let allowed = Admissible::new(&universe(), SubmissionFormat::Portfolio, &limits).unwrap();
    let returns = returns_of(&rows, 0.02);
    let freeze = Digest::of(b"freeze");
    Null::draw(&universe(), &allowed, freeze, &returns, &Volatility::new()).unwrap()
}

fn excess(sessions: usize) -> Option<Excess> {
    let held = [holding("AAA", 100)];
    Excess::of(&null(), (&held, 0.05), &universe(), &frozen(sessions), 5)
}

#[test]
fn an_excess_is_measured_by_the_deviation_of_its_own_portfolio() {
    let found = excess(60).unwrap();
    let table = frozen(60);
    let common = null();
    let mut gains = vec![0.0; 60];
    for (place, option) in universe().options().iter().enumerate() {
        let own = if option.id.as_str() == "AAA" {
            1.0
        } else {
            0.0
        };
        let returns = table.of(&option.id).unwrap();
        for (gain, value) in gains.iter_mut().zip(returns) {
            *gain += (own - common.weights()[place]) * value;
        }
    }
    let deviation = (5.0 * variance(&gains).unwrap()).sqrt();
    let expected = (0.05 - common.mean()) / deviation;
    assert!((found.score - expected).abs() < 1e-12, "{found:?}");
    let whole: f64 = common.weights().iter().sum();
    assert!((whole - 1.0).abs() < 1e-9);
}

#[test]
fn fewer_than_sixty_frozen_returns_make_no_test() {
    assert!(excess(59).is_none());
    assert_eq!(excess(75).unwrap().gains.len(), 60);
}

#[test]
fn rounds_count_as_alike_as_their_portfolios_are() {
    let one = Excess {
        score: 1.0,
        ..excess(60).unwrap()
    };
    let same = Overlap::of_spans(&[(0, 5), (0, 5)]);
    let apart = Overlap::of_spans(&[(0, 5), (5, 10)]);
    let test = |other: &Excess, overlap| luck_test(&[&one, other], overlap).unwrap().z;
    // The same portfolio twice in one window is one decision; in two windows it is two.
    assert!((test(&one, &same) - 1.0).abs() < 1e-12);
    assert!((test(&one, &apart) - 2.0_f64.sqrt()).abs() < 1e-12);
    let mut opposite = one.clone();
    opposite.gains.reverse();
    let likeness = one.likeness(&opposite);
    let expected = 2.0 / (2.0 + 2.0 * likeness).sqrt();
    assert!((test(&opposite, &same) - expected).abs() < 1e-12);
    assert_eq!(luck_test(&[&one], &Overlap::of_spans(&[(0, 5)])), None);
}

#[test]
fn portfolios_are_compared_on_the_same_days() {
    let early = excess(60).unwrap();
    let mut late = early.clone();
    late.last = last_sessions(Market::default(), parse_day("2026-06-09").unwrap(), 1)[0];
    late.gains.rotate_left(2);
    // Two sessions later the same gains stand two places earlier.
    assert!((early.likeness(&late) - 1.0).abs() < 1e-12);
    assert!((late.likeness(&early) - 1.0).abs() < 1e-12);
    let mut far = early.clone();
    far.last = parse_day("2026-12-31").unwrap();
    assert!((early.likeness(&far) - 1.0).abs() < 1e-15);
}
