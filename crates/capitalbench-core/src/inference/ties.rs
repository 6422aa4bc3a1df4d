//! Who can be told apart: Holm's correction, groups of ties, and how long it takes to know.

/// Sessions in a year.
pub const YEAR_DAYS: f64 = 252.0;
/// Two-sided 5 % and 80 % power, added.
pub const POWER: f64 = 2.8;

/// Holm's step-down correction, in the order given.
#[expect(clippy::cast_precision_loss, reason = "counts of tests are small")]
pub fn holm(p_values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p_values.len()).collect();
    order.sort_by(|a, b| p_values[*a].total_cmp(&p_values[*b]).then(a.cmp(b)));
    let mut adjusted = vec![0.0; p_values.len()];
    let mut highest = 0.0_f64;
    for (step, &place) in order.iter().enumerate() {
        let factor = (p_values.len() - step) as f64;
        highest = highest.max((factor * p_values[place]).min(1.0));
        adjusted[place] = highest;
    }
    adjusted
}

/// Group of each entrant, from 1: a group is its first entrant and all that cannot be told from it.
///
/// Entrants come best first; `p_value(a, b)` tests their difference. Within a group's tests the
/// p values are corrected by Holm; what is told apart forms the next groups.
pub fn tie_groups(count: usize, level: f64, p_value: impl Fn(usize, usize) -> f64) -> Vec<usize> {
    let mut groups = vec![0; count];
    let mut left: Vec<usize> = (0..count).collect();
    let mut group = 0;
    while let Some((&leader, others)) = left.split_first() {
        group += 1;
        let tests: Vec<f64> = others.iter().map(|other| p_value(leader, *other)).collect();
        let adjusted = holm(&tests);
        groups[leader] = group;
        let mut apart = Vec::new();
        for (other, p) in others.iter().zip(adjusted) {
            if p >= level {
                groups[*other] = group;
            } else {
                apart.push(*other);
            }
        }
        left = apart;
    }
    groups
}

/// Smallest difference per horizon that this many days detect, given the daily deviation.
pub fn detectable(daily_deviation: f64, sessions: f64, days: f64) -> f64 {
    POWER * daily_deviation * sessions / days.sqrt()
}

/// Years until a difference per horizon is detected; none for no difference.
pub fn years_to_know(daily_deviation: f64, sessions: f64, difference: f64) -> Option<f64> {
    let days = (POWER * daily_deviation * sessions / difference).powi(2);
    (difference.abs() > 0.0 && days.is_finite()).then(|| days / YEAR_DAYS)
}

#[cfg(test)]
mod tests {
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
}
