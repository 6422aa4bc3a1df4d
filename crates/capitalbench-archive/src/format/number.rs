//! Floats as the archive prints them.
//!
//! Stored files carry the shortest decimal that reads back as the same double, laid out as Python's
//! `repr` does. The digits come from `zmij`, because Rust's own `{}` rounds exact ties upwards and
//! would change stored prices.

use std::fmt::Write as _;

/// Magnitudes in this range are printed without an exponent; zero is too.
const POSITIONAL: std::ops::Range<f64> = 1e-4..1e16;

/// The text of a finite float: `1.0`, `0.0001`, `9.841443411700013e-05`, `1e+16`.
///
/// The caller guarantees that the value is finite. In release builds other values print as `nan`,
/// `inf` and `-inf`, which no reader of the archive accepts.
pub fn float_text(value: f64) -> String {
    let mut text = String::with_capacity(24);
    push_float(&mut text, value);
    text
}

/// Appends what [`float_text`] returns.
pub fn push_float(out: &mut String, value: f64) {
    debug_assert!(value.is_finite(), "only finite numbers are stored");
    if !value.is_finite() {
        out.push_str(match value {
            _ if value.is_nan() => "nan",
            _ if value.is_sign_negative() => "-inf",
            _ => "inf",
        });
        return;
    }
    let mut buffer = zmij::Buffer::new();
    let text = buffer.format_finite(value);
    if value == 0.0 || POSITIONAL.contains(&value.abs()) {
        out.push_str(text);
    } else {
        push_scientific(out, text);
    }
}

/// Appends `text` in scientific form with a signed exponent of at least two digits.
///
/// `zmij` writes the decimal exponent -5 positionally, where Python already writes `e-05`; all
/// smaller and larger numbers arrive in scientific form.
fn push_scientific(out: &mut String, text: &str) {
    if let Some((digits, exponent)) = text.split_once('e') {
        out.push_str(digits);
        let exponent: i32 = exponent.parse().expect("zmij prints a decimal exponent");
        write!(out, "e{exponent:+03}").expect("a String takes any text");
        return;
    }
    let unsigned = text.trim_start_matches('-');
    if unsigned.len() < text.len() {
        out.push('-');
    }
    let (first, others) = unsigned
        .strip_prefix("0.0000")
        .and_then(|digits| digits.split_at_checked(1))
        .expect("zmij prints only the exponent -5 this way");
    out.push_str(first);
    if !others.is_empty() {
        out.push('.');
        out.push_str(others);
    }
    out.push_str("e-05");
}

#[cfg(test)]
mod tests {
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
}
