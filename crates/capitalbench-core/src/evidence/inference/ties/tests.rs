use super::*;

#[test]
fn holm_steps_down_and_never_falls_back() {
    let found = holm(&[0.01, 0.04, 0.03, 0.005]);
    let expected = [0.03, 0.06, 0.06, 0.02];
    for (found, expected) in found.iter().zip(expected) {
        assert!((found - expected).abs() < 1e-15, "{found} {expected}");
    }
    assert_eq!(holm(&[]), Vec::<f64>::new());
    assert!((holm(&[0.9, 0.8])[0] - 1.0).abs() < 1e-15);
}

#[test]
fn groups_begin_where_a_difference_is_clear() {
    let clear = |a: usize, b: usize| b - a >= 2;
    assert_eq!(tie_groups(5, clear), [1, 1, 2, 2, 3]);
    assert_eq!(tie_groups(3, |_, _| false), [1, 1, 1]);
    assert_eq!(tie_groups(0, |_, _| false), Vec::<usize>::new());
}

#[test]
fn a_rank_range_excludes_only_what_a_test_excludes() {
    let range = |from, to| RankRange { from, to };
    assert_eq!(rank_ranges(3, |_, _| false), [range(1, 3); 3]);
    let first_above_last = |a: usize, b: usize| a == 0 && b == 2;
    assert_eq!(
        rank_ranges(3, first_above_last),
        [range(1, 2), range(1, 3), range(2, 3)]
    );
}

#[test]
fn what_a_record_detects_follows_from_its_degrees() {
    let estimate = |degrees| MeanEstimate {
        mean: 0.0,
        standard_error: 0.01,
        degrees,
    };
    // With many degrees 1.96 + 0.84; with few the same error detects less.
    assert!((detectable(&estimate(1e6), 1) - 0.028_016).abs() < 1e-5);
    assert!(detectable(&estimate(8.0), 1) > 0.031);
    assert!(detectable(&estimate(8.0), 15) > detectable(&estimate(8.0), 1));
    // 1.2 % a day against the index, weekly rounds: after a year the error is 0.38 % a week.
    let error = 0.012 * 5.0 / YEAR_DAYS.sqrt();
    let years = years_to_detect(error, 252, 0.0025).unwrap();
    assert!((17.5..18.5).contains(&years), "{years}");
    assert_eq!(years_to_detect(0.0, 252, 0.01), None);
}
