use super::*;

#[track_caller]
fn assert_close(found: f64, expected: f64) {
    assert!(
        (found - expected).abs() < 1e-11 * expected.abs().max(1.0),
        "{found} {expected}"
    );
}

#[test]
fn normal_values_are_those_of_the_tables() {
    assert_close(normal_cdf(0.0), 0.5);
    assert_close(normal_cdf(1.959_963_984_540_054), 0.975);
    assert_close(normal_quantile(0.975), 1.959_963_984_540_054);
    assert_close(normal_quantile(0.5), 0.0);
    assert_close(normal_quantile(1e-12), -7.034_483_825_301_131);
    for p in [1e-9, 0.01, 0.3, 0.7, 0.999] {
        assert_close(normal_cdf(normal_quantile(p)), p);
    }
    assert!(normal_quantile(1.0).is_infinite() && normal_quantile(0.0) < 0.0);
}

#[test]
fn student_values_are_those_of_the_tables() {
    assert_close(student_two_sided(1.0, 1.0), 0.5);
    assert_close(student_quantile(0.975, 1.0), 12.706_204_736_174_7);
    assert_close(student_quantile(0.975, 10.0), 2.228_138_851_986_273_6);
    assert_close(
        student_quantile(0.025, 47.5),
        -student_quantile(0.975, 47.5),
    );
    assert_close(student_quantile(0.5, 5.0), 0.0);
    for df in [0.7, 3.0, 12.6, 400.0] {
        for p in [0.51, 0.6, 0.9, 0.975, 0.999_999_9] {
            let found = student_two_sided(student_quantile(p, df), df);
            assert!((found / (2.0 * (1.0 - p)) - 1.0).abs() < 1e-9, "{p} {df}");
        }
    }
}
