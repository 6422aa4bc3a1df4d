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
    let close = |a: usize, b: usize| if b - a >= 2 { 0.001 } else { 0.5 };
    assert_eq!(tie_groups(5, 0.05, close), [1, 1, 2, 2, 3]);
    assert_eq!(tie_groups(3, 0.05, |_, _| 1.0), [1, 1, 1]);
    assert_eq!(tie_groups(0, 0.05, |_, _| 1.0), Vec::<usize>::new());
}

#[test]
fn time_to_know_is_what_the_method_page_says() {
    // 1.2 % a day against the index: a year detects about 1.06 % a week, 0.25 % takes 18 years.
    assert!((detectable(0.012, 5.0, YEAR_DAYS) - 0.0106).abs() < 5e-5);
    let years = years_to_know(0.012, 5.0, 0.0025).unwrap();
    assert!((17.5..18.5).contains(&years), "{years}");
    let paired = years_to_know(0.0055, 5.0, 0.0025).unwrap();
    assert!((3.6..4.0).contains(&paired), "{paired}");
    assert_eq!(years_to_know(0.01, 5.0, 0.0), None);
}
