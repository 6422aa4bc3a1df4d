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
/// The value must be finite. In release builds other values print as `nan`, `inf` and `-inf`, which
/// every reader of the archive refuses.
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
/// `zmij` writes the decimal exponent -5 positionally, where Python writes `e-05`; it writes all
/// smaller and larger numbers in scientific form.
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
mod tests;
