use super::*;
use crate::evidence::inference::random::Random;
use crate::values::ids::Digest;

fn rules(side: Side) -> Rules {
    Rules {
        side,
        alpha: 0.05,
        scale: 0.005,
        spread: 0.20,
    }
}

fn days(count: usize, mean: f64, seed: &str) -> Vec<Increment> {
    let mut random = Random::of(Digest::of(seed.as_bytes()), "claims");
    let first = jiff::civil::date(2026, 1, 1);
    let dates = std::iter::successors(Some(first), |day| day.tomorrow().ok());
    let one = |day| Increment {
        day,
        difference: mean + 0.005 * random.normal(),
        distance: 0.4,
    };
    dates.take(count).map(one).collect()
}

#[test]
fn evidence_is_the_mean_of_eight_bets() {
    let day = Increment {
        difference: 0.01,
        ..days(1, 0.0, "one")[0]
    };
    let process = Process::over(rules(Side::Above), &[day]);
    // The bound is 0.08, so the boldest bet is 0.9 · 0.005 / 0.08; the day is two deviations.
    let bets = (0..8).map(|g| 0.05625 * 2.0_f64.powf(-f64::from(g) / 2.0));
    let expected = bets.map(|bet| 1.0 + 2.0 * bet).sum::<f64>() / 8.0;
    assert!((process.evidence() - expected).abs() < 1e-12);
    // A gain counts up to five deviations, a loss counts whole.
    let large = |difference| Process::over(rules(Side::Above), &[Increment { difference, ..day }]);
    assert!((large(0.025).evidence() - large(0.07).evidence()).abs() < 1e-12);
    assert!(large(-0.07).evidence() < large(-0.025).evidence());
}

#[test]
fn a_difference_is_established_once_and_for_good() {
    let mut all = days(1_000, 0.002, "edge");
    let process = Process::over(rules(Side::Either), &all);
    let State::Established(day) = process.state() else {
        panic!("{process:?}");
    };
    assert!(process.p_value() <= 0.05);
    for own in &mut all {
        if own.day > day {
            own.difference = -0.01;
        }
    }
    let turned = Process::over(rules(Side::Either), &all);
    assert_eq!(turned.state(), State::Established(day));
    let wrong_side: Vec<Increment> = all
        .iter()
        .map(|own| Increment {
            difference: -own.difference.abs(),
            ..*own
        })
        .collect();
    assert_eq!(
        Process::over(rules(Side::Above), &wrong_side).state(),
        State::Open
    );
}

#[test]
fn following_a_claim_daily_tells_what_computing_it_at_once_tells() {
    let all = days(252, 0.0005, "daily");
    let mut followed = Process::new(rules(Side::Either));
    for (count, day) in all.iter().enumerate() {
        followed.step(day);
        assert_eq!(followed, Process::over(rules(Side::Either), &all[..=count]));
    }
}

#[test]
fn a_day_beyond_the_bound_ends_a_claim() {
    let mut all = days(600, 0.002, "broken");
    all[10].difference = -0.081;
    let process = Process::over(rules(Side::Either), &all);
    assert_eq!(process.state(), State::BoundBroken(all[10].day));
    // Identical portfolios cannot differ.
    let same = Increment {
        distance: 0.0,
        difference: 0.0,
        ..all[0]
    };
    let process = Process::over(rules(Side::Either), &[same]);
    assert!((process.evidence() - 1.0).abs() < 1e-15 && process.state() == State::Open);
}

#[test]
fn a_family_counts_every_claim_it_announced() {
    assert_eq!(family(&[70.0, 15.0, 45.0], 3, 0.05), [true, false, true]);
    assert_eq!(family(&[70.0, 15.0, 45.0], 4, 0.05), [false; 3]);
    assert_eq!(family(&[25.0], 1, 0.05), [true]);
    assert_eq!(family(&[], 5, 0.05), Vec::<bool>::new());
}

#[test]
fn the_confidence_sequence_narrows_around_the_mean() {
    let all = days(2_000, 0.001, "sequence");
    let (early, late) = (
        confidence_sequence(&rules(Side::Either), &all[..200]),
        confidence_sequence(&rules(Side::Either), &all),
    );
    assert!(early.0 <= late.0 && late.1 <= early.1, "{early:?} {late:?}");
    assert!(late.0 < 0.001 && 0.001 < late.1);
    assert!(late.0 > 0.0, "{late:?}");
    assert!(symmetric_evidence(&rules(Side::Either), &all) > 20.0);
    assert!(symmetric_evidence(&rules(Side::Either), &days(200, 0.0, "none")) < 20.0);
}
