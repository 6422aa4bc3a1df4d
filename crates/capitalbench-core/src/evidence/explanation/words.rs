//! Numbers as people say them.

use crate::evidence::statistics::EDGES;

pub(super) fn chance(p: f64) -> String {
    if p < 0.001 {
        "below 0.001".to_owned()
    } else if p < 0.1 {
        format!("{p:.3}")
    } else {
        format!("{p:.2}")
    }
}

pub(super) fn windows(effective: f64) -> String {
    format!("{effective:.1} effective windows")
}

pub(crate) fn counted(count: usize, word: &str) -> String {
    let many = if count == 1 { "" } else { "s" };
    format!("{count} {word}{many}")
}

/// A span of years as planning needs it: nobody waits for the second digit of a century.
pub fn years(found: f64) -> String {
    if found > 100.0 {
        "more than 100".to_owned()
    } else if found < 10.0 {
        format!("{found:.1}")
    } else {
        format!("{found:.0}")
    }
}

/// The yearly gaps of planning tables with the years that each takes: `2 %: 57, 5 %: 9.1, …`.
pub fn planned(found: [f64; 3]) -> String {
    let one = |(edge, own): (f64, f64)| format!("{:.0} %: {}", 100.0 * edge, years(own));
    let each: Vec<String> = EDGES.into_iter().zip(found).map(one).collect();
    each.join(", ")
}

/// A count with commas between its thousands.
pub fn thousands(count: usize) -> String {
    match count / 1_000 {
        0 => count.to_string(),
        above => format!("{},{:03}", thousands(above), count % 1_000),
    }
}

/// A percentile as an ordinal: `71st`.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a percentile"
)]
pub fn ordinal(fraction: f64) -> String {
    ordinal_of((100.0 * fraction).clamp(0.0, 100.0).round() as usize)
}

pub(super) fn ordinal_of(number: usize) -> String {
    let end = match (number % 10, number % 100) {
        (_, 11..=13) => "th",
        (1, _) => "st",
        (2, _) => "nd",
        (3, _) => "rd",
        _ => "th",
    };
    format!("{number}{end}")
}

/// What something is not separable from: `a, from b or from c`; none of nothing.
pub(crate) fn or_from(mut names: Vec<String>) -> Option<String> {
    let last = names.pop()?;
    if names.is_empty() {
        return Some(last);
    }
    Some(format!("{} or from {last}", names.join(", from ")))
}

/// On which side of zero a gap is.
pub(super) fn above_or_below(gap: f64) -> &'static str {
    if gap > 0.0 { "above" } else { "below" }
}

#[cfg(test)]
mod tests;
