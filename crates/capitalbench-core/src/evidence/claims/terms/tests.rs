use jiff::civil::date;

use super::*;

fn terms(claim: &str) -> Terms {
    Terms {
        claim: ClaimName::parse(claim).unwrap(),
        first: ModelId::parse("a-one").unwrap(),
        second: Second::Model(ModelId::parse("b-two").unwrap()),
        track: Track::Weekly,
        rules: Rules {
            side: Side::Above,
            alpha: 0.05,
            scale: USUAL_SCALE,
            spread: USUAL_SPREAD,
        },
        first_day: date(2026, 3, 2),
        last_day: None,
        season: 2026,
        family: 2,
        registered_at: "2026-03-01T23:59:59Z".parse().unwrap(),
    }
}

#[test]
fn a_claim_is_registered_before_its_first_day_or_never() {
    assert_eq!(terms("a").check(&[]), Ok(()));
    let at = "2026-03-02T00:00:00Z".parse().unwrap();
    let late = Terms {
        registered_at: at,
        ..terms("a")
    };
    let refused = late.check(&[]).unwrap_err();
    assert!(matches!(refused, Refusal::Late { .. }), "{refused}");
}

#[test]
fn the_first_claim_fixes_the_size_and_the_level_of_its_family() {
    let first = terms("a");
    assert_eq!(terms("b").check(std::slice::from_ref(&first)), Ok(()));
    assert!(matches!(
        terms("a").check(std::slice::from_ref(&first)),
        Err(Refusal::Twice(_))
    ));
    let larger = Terms {
        family: 3,
        ..terms("b")
    };
    let refused = larger.check(std::slice::from_ref(&first));
    assert!(matches!(
        refused,
        Err(Refusal::FamilyChanged { fixed: 2, .. })
    ));
    let mut other = terms("b");
    other.rules.alpha = 0.01;
    let refused = other.check(std::slice::from_ref(&first));
    assert!(matches!(refused, Err(Refusal::LevelChanged { .. })));
    let full = [first, terms("b")];
    assert!(matches!(
        terms("c").check(&full),
        Err(Refusal::FamilyFull { size: 2, .. })
    ));
    // Another season and another track are other families.
    let next = Terms {
        season: 2027,
        first_day: date(2027, 1, 4),
        ..terms("c")
    };
    assert_eq!(next.check(&full), Ok(()));
    let own_season = Terms {
        season: 2027,
        ..terms("c")
    };
    let refused = own_season.check(&full);
    assert!(matches!(refused, Err(Refusal::Season { .. })));
    let monthly = Terms {
        track: Track::Monthly,
        ..terms("c")
    };
    assert_eq!(monthly.check(&full), Ok(()));
}

#[test]
fn numbers_that_mean_nothing_are_refused() {
    for (alpha, scale, spread) in [
        (0.0, 0.01, 0.2),
        (0.6, 0.01, 0.2),
        (0.05, f64::NAN, 0.2),
        (0.05, 0.01, -1.0),
    ] {
        let mut own = terms("a");
        own.rules = Rules {
            side: Side::Either,
            alpha,
            scale,
            spread,
        };
        assert!(matches!(own.check(&[]), Err(Refusal::OutOfRange { .. })));
    }
    let itself = Terms {
        second: Second::Model(terms("a").first),
        ..terms("a")
    };
    assert!(matches!(itself.check(&[]), Err(Refusal::Itself(_))));
    for name in ["", "A", "a b", "a/b", "..", "a--b", "-a", &"a".repeat(61)] {
        assert!(ClaimName::parse(name).is_err(), "{name}");
    }
}
