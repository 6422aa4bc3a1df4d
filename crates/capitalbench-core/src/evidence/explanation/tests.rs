use super::others::seen_from;
use super::words::{ordinal_of, planned, years};
use super::*;

fn estimate(value: f64, width: f64, basis: Basis) -> Estimate {
    Estimate {
        value,
        low: value - width,
        high: value + width,
        t: None,
        p_value: 0.5,
        standard_error: width / 2.0,
        degrees: 30.0,
        basis,
    }
}

#[test]
fn a_side_needs_a_small_corrected_p() {
    assert_eq!(side(Some(0.01), 0.02), Some("above"));
    assert_eq!(side(Some(0.01), -0.02), Some("below"));
    assert_eq!(side(Some(0.06), 0.02), None);
    assert_eq!(side(None, 0.02), None);
}

#[test]
fn the_tests_of_all_models_are_one_family() {
    // Five models: the smallest p counts five times, the next four times.
    let own = |place| {
        adjusted(
            &[Some(0.02), None, Some(0.9), Some(0.005), Some(0.5)],
            place,
        )
    };
    assert!((own(3).unwrap() - 0.02).abs() < 1e-12);
    assert!((own(0).unwrap() - 0.06).abs() < 1e-12);
    assert_eq!(own(1), None);
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
        [0.52, 24.4, 417.0].map(years),
        ["0.5", "24", "more than 100"]
    );
    assert_eq!(
        planned([120.0, 19.2, 4.8]),
        "2 %: more than 100, 5 %: 19, 10 %: 4.8"
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
