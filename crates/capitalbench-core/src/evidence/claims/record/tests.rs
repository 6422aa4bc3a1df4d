use std::collections::BTreeMap;

use jiff::civil::date;

use super::*;
use crate::decision::portfolio::Holding;
use crate::evidence::claims::terms::{ClaimName, Second};
use crate::evidence::claims::{Rules, Side};
use crate::evidence::inference::daily::Closes;
use crate::market::calendar::Market;
use crate::round::manifest::{Track, Window};
use crate::values::ids::OptionId;
use crate::values::units::{BasisPoints, Price};

fn terms(claim: &str, family: usize) -> Terms {
    Terms {
        claim: ClaimName::parse(claim).unwrap(),
        first: ModelId::parse("a-one").unwrap(),
        second: Second::Reference,
        track: Track::Weekly,
        rules: Rules {
            side: Side::Above,
            alpha: 0.05,
            scale: 0.01,
            spread: 0.2,
        },
        first_day: date(2026, 1, 2),
        last_day: None,
        season: 2026,
        family,
        registered_at: "2026-01-01T00:00:00Z".parse().unwrap(),
    }
}

fn held(id: &str) -> Vec<Holding> {
    vec![Holding {
        option_id: OptionId::parse(id).unwrap(),
        weight: BasisPoints::WHOLE,
        rationale: String::new(),
        forecast: crate::decision::portfolio::HoldingForecast::default(),
    }]
}

/// Closes of two options over some days: the first one gains so much more on every day.
fn closes(days: usize, gain: f64) -> Closes {
    let first = date(2026, 1, 2);
    let dates = std::iter::successors(Some(first), |day| day.tomorrow().ok());
    let mut value = 100.0;
    let day = |day| {
        let own = [("up", value), ("flat", 100.0)];
        value *= 1.0 + gain;
        let price =
            |(id, value): (&str, f64)| (OptionId::parse(id).unwrap(), Price::new(value).unwrap());
        (day, own.into_iter().map(price).collect::<BTreeMap<_, _>>())
    };
    dates.take(days + 1).map(day).collect()
}

/// A case of one round that is resolved.
fn case<'a>(
    claim: &str,
    family: usize,
    sides: (&'a [Holding], &'a [Holding]),
    closes: &'a Closes,
) -> Case<'a> {
    let window = Window {
        entry: *closes.first_key_value().unwrap().0,
        exit: *closes.last_key_value().unwrap().0,
        market: Market::default(),
    };
    Case {
        terms: terms(claim, family),
        leaf: 3,
        rounds: vec![Candidate {
            round_id: RoundId::parse("one").unwrap(),
            live: ClaimRound {
                window,
                first: sides.0,
                second: sides.1,
                closes,
            },
            resolved: true,
        }],
        left_out: Vec::new(),
    }
}

fn open(mut case: Case<'_>) -> Case<'_> {
    for round in &mut case.rounds {
        round.resolved = false;
    }
    case
}

#[test]
fn only_settled_days_decide_and_they_decide_for_good() {
    let (up, flat, known) = (held("up"), held("flat"), closes(400, 0.01));
    let far = date(2030, 1, 1);
    let unsettled = records(vec![open(case("a", 1, (&up, &flat), &known))], far);
    assert_eq!(unsettled[0].standing, Standing::Open);
    let figures = &unsettled[0].figures;
    assert!((figures.evidence - 1.0).abs() < 1e-15 && figures.running > 20.0);
    let done = records(vec![case("a", 1, (&up, &flat), &known)], far);
    let Standing::Established(day) = done[0].standing else {
        panic!("{:?}", done[0].standing);
    };
    // Looked at on every day, the claim never was established before, and always is afterwards.
    // Every day around the decision, and some of the others.
    let near = |own: &Date| own.duration_since(day).as_hours().abs() <= 48;
    let days = known
        .keys()
        .enumerate()
        .filter(|(place, own)| place % 50 == 0 || near(own));
    for (_, passed) in days {
        let then = records(vec![case("a", 1, (&up, &flat), &known)], *passed);
        let expected = *passed >= day;
        assert_eq!(
            then[0].standing == Standing::Established(day),
            expected,
            "{passed}"
        );
        let before = &done[0].figures.days[..then[0].figures.days.len()];
        let same = before.iter().zip(&then[0].figures.days);
        assert!(
            same.into_iter()
                .all(|(a, b)| a.evidence.to_bits() == b.evidence.to_bits())
        );
    }
}

#[test]
fn a_family_asks_for_more_than_one_claim_alone() {
    let (up, flat, known) = (held("up"), held("flat"), closes(400, 0.01));
    let far = date(2030, 1, 1);
    let day = |family: usize| {
        let cases = vec![
            case("a", family, (&up, &flat), &known),
            case("b", family, (&flat, &up), &known),
        ];
        let found = records(cases, far);
        assert_eq!(
            found[1].standing,
            Standing::Open,
            "the loser is never above"
        );
        assert_eq!(found[0].registered, 2);
        (
            found[0].standing.day(),
            found[0].figures.needed,
            found[1].figures.needed,
        )
    };
    let (two, needed, left) = day(2);
    assert!(
        (needed - left).abs() < 1e-12 && (left - 20.0).abs() < 1e-9,
        "{needed} {left}"
    );
    let (ten, ..) = day(10);
    assert!(two < ten, "{two:?} {ten:?}");
}

#[test]
fn a_day_beyond_the_bound_ends_a_claim_and_its_last_day_too() {
    let (up, flat, mut known) = (held("up"), held("flat"), closes(30, 0.0));
    let far = date(2030, 1, 1);
    let broken = date(2026, 1, 20);
    let up_id = OptionId::parse("up").unwrap();
    known
        .get_mut(&broken)
        .unwrap()
        .insert(up_id, Price::new(130.0).unwrap());
    let found = records(vec![case("a", 1, (&up, &flat), &known)], far);
    assert_eq!(found[0].standing, Standing::BoundBroken(broken));
    let mut ended = case("a", 1, (&up, &flat), &known);
    ended.terms.last_day = Some(date(2026, 1, 10));
    let found = records(vec![ended], far);
    assert_eq!(found[0].standing, Standing::Over(date(2026, 1, 10)));
    assert_eq!(
        found[0].figures.days.last().unwrap().increment.day,
        date(2026, 1, 10)
    );
}

#[test]
fn a_registration_that_breaks_a_rule_is_named_and_counts_for_nothing() {
    let late = Terms {
        registered_at: "2026-01-02T09:00:00Z".parse().unwrap(),
        ..terms("late", 1)
    };
    let (good, refused) = admit(vec![(1, late), (2, terms("a", 1)), (3, terms("b", 1))]);
    assert_eq!(good.len(), 1);
    assert_eq!(good[0].1.claim.as_str(), "a");
    let named: Vec<&str> = refused.iter().map(|own| own.terms.claim.as_str()).collect();
    assert_eq!(named, ["late", "b"]);
}
