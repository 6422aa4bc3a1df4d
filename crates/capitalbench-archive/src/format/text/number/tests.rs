use proptest::prelude::*;

use super::*;

#[test]
fn prints_floats_as_python_does() {
    for (value, text) in [
        (0.0, "0.0"),
        (-0.0, "-0.0"),
        (1.0, "1.0"),
        (100.0, "100.0"),
        (-2.5, "-2.5"),
        (0.1 + 0.2, "0.30000000000000004"),
        (0.0001, "0.0001"),
        (-0.000_123, "-0.000123"),
        (0.000_099_999_999_999_999_99, "9.999999999999999e-05"),
        (0.000_098_414_434_117_000_13, "9.841443411700013e-05"),
        (1e-5, "1e-05"),
        (-1e-5, "-1e-05"),
        (1.5e-5, "1.5e-05"),
        (1e-7, "1e-07"),
        (-1.25e-10, "-1.25e-10"),
        (999_999_999_999_999.9, "999999999999999.9"),
        (9_999_999_999_999_998.0, "9999999999999998.0"),
        (1e16, "1e+16"),
        (-1e16, "-1e+16"),
        (1.234_5e17, "1.2345e+17"),
        (1e22, "1e+22"),
        (1e100, "1e+100"),
        (5e-324, "5e-324"),
        (f64::MIN_POSITIVE, "2.2250738585072014e-308"),
        (f64::MAX, "1.7976931348623157e+308"),
    ] {
        assert_eq!(float_text(value), text);
    }
}

#[test]
fn rounds_exact_ties_to_even() {
    assert_eq!(float_text(84.589_996_337_890_62), "84.58999633789062");
}

#[test]
fn appends_after_what_is_there() {
    let mut out = String::from("x=");
    push_float(&mut out, 1.5);
    assert_eq!(out, "x=1.5");
}

proptest! {
    #[test]
    fn reads_back_as_the_same_bits(bits in any::<u64>()) {
        let value = f64::from_bits(bits);
        prop_assume!(value.is_finite());
        let text = float_text(value);
        let again: f64 = text.parse().unwrap();
        prop_assert_eq!(again.to_bits(), bits);
    }

    #[test]
    fn the_exponent_decides_the_layout(digits in 1_u64..1_000_000_000, exponent in -30_i32..30) {
        let value: f64 = format!("{digits}e{exponent}").parse().unwrap();
        let text = float_text(value);
        let scientific = format!("{value:e}");
        let (_, power) = scientific.split_once('e').unwrap();
        let power: i32 = power.parse().unwrap();
        prop_assert_eq!(text.contains('e'), !(-4..=15).contains(&power));
        prop_assert!(text.contains('.') || text.contains('e'));
    }
}
