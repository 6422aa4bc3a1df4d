use super::others::seen_from;
use super::words::ordinal_of;
use super::*;

fn estimate(value: f64, width: f64, basis: Basis) -> Estimate {
    Estimate {
        value,
        low: value - width,
        high: value + width,
        t: None,
        p_value: 0.5,
        basis,
    }
}

#[test]
fn only_an_informative_interval_takes_sides() {
    assert_eq!(side(&estimate(0.02, 0.01, Basis::Days(40))), Some("above"));
    assert_eq!(side(&estimate(-0.02, 0.01, Basis::Rounds)), Some("below"));
    assert_eq!(side(&estimate(0.02, 0.03, Basis::Days(40))), None);
    assert_eq!(side(&estimate(0.02, 0.01, Basis::NotInformative)), None);
}

#[test]
fn luck_has_two_sides() {
    let luck = |p_value| Stouffer {
        rounds: 3,
        mean_percentile: 0.5,
        z: 0.0,
        p_value,
    };
    assert_eq!(beyond_luck(&luck(0.02)), Some("above"));
    assert_eq!(beyond_luck(&luck(0.98)), Some("below"));
    assert_eq!(beyond_luck(&luck(0.04)), None);
    let once = Stouffer {
        rounds: 1,
        ..luck(0.001)
    };
    assert_eq!(beyond_luck(&once), None);
    assert_eq!(beyond_luck(&luck(0.5)), None);
}

#[test]
fn a_gap_seen_from_the_other_side_is_turned_around() {
    let turned = seen_from(estimate(0.02, 0.01, Basis::Rounds), -1.0);
    assert!((turned.value + 0.02).abs() < 1e-15);
    assert!(turned.low < turned.value && turned.value < turned.high);
}

#[test]
fn numbers_read_as_people_say_them() {
    let ordinals = [1, 2, 3, 4, 11, 12, 13, 21, 52, 100, 111].map(ordinal_of);
    let expected = [
        "1st", "2nd", "3rd", "4th", "11th", "12th", "13th", "21st", "52nd", "100th", "111th",
    ];
    assert_eq!(ordinals, expected);
    assert_eq!(thousands(10_000), "10,000");
    assert_eq!(
        [0.5, 2.44, 417.0].map(years),
        ["less than a year", "about 2.4 years", "more than a century"]
    );
    assert_eq!(
        (chance(0.0002), chance(0.219)),
        ("below 0.001".into(), "0.22".into())
    );
    assert_eq!(
        (counted(1, "round"), counted(2, "round")),
        ("1 round".into(), "2 rounds".into())
    );
}
