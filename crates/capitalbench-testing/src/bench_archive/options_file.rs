//! The invented universe: small, so that a round stays small.

use std::fmt::Write as _;

/// Name, group and grade of the options besides cash and the reference.
const GRADES: [(&str, &str); 3] = [("low", "bonds"), ("medium", "funds"), ("high", "shares")];
/// Options of each grade.
const EACH: usize = 6;

/// The version a manifest names.
pub(super) const VERSION: &str = "bench-20";

/// The text of the file.
pub(super) fn text() -> String {
    let mut text = "options:\n".to_owned();
    let mut add = |id: &str, class: &str, grade: &str, role: &str| {
        let symbol = if class == "cash" { "null" } else { id };
        // Writing to a text cannot fail.
        let _ = writeln!(
            text,
            "- {{id: {id}, name: Invented {id}, symbol: {symbol}, asset_class: {class}, \
             category: {class}, option_group: {class}, risk_bucket: {grade}, \
             exposure_description: Invented., tiingo_symbol: {symbol}, currency: USD{role}}}"
        );
    };
    add("CASH", "cash", "cash", ", is_cash: true");
    add("MARKET", "funds", "medium", ", is_benchmark: true");
    for (grade, class) in GRADES {
        for number in 1..=EACH {
            add(
                &format!("{}{number}", class.to_uppercase()),
                class,
                grade,
                "",
            );
        }
    }
    text
}
