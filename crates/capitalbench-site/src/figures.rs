//! Numbers for people: a true minus sign, a space before the unit, and no more digits than are
//! meaningful.

pub(crate) use capitalbench_core::evidence::explanation::words::thousands;
use capitalbench_core::evidence::inference::overlap::NoInterval;
use capitalbench_core::round::manifest::Window;
pub(crate) use capitalbench_export::table::score_points as points;
use capitalbench_export::text;
pub(crate) use capitalbench_export::text::{dollars, score};
use jiff::Timestamp;
use jiff::civil::Date;

/// Shown in place of a missing number.
pub(crate) const NONE: &str = "–";

fn minus(text: String) -> String {
    let zero = text.chars().all(|c| !c.is_ascii_digit() || c == '0');
    match text.strip_prefix('-') {
        Some(rest) if zero => rest.to_owned(),
        Some(rest) => format!("\u{2212}{rest}"),
        None => text,
    }
}

/// A fraction as a percentage with its sign.
pub(crate) fn signed_percent(value: f64) -> String {
    text::percent(value).replace(' ', "\u{a0}")
}

/// A difference of percentages, in points.
pub(crate) fn signed_points(value: f64) -> String {
    text::points(value)
}

/// A difference that cannot be negative, in points.
pub(crate) fn unsigned_points(value: f64) -> String {
    signed_points(value).replace('+', "")
}

/// A share as a whole percentage.
pub(crate) fn share(value: f64) -> String {
    format!("{}\u{a0}%", minus(format!("{:.0}", value * 100.0)))
}

/// A number with this many decimals.
pub(crate) fn decimal(value: f64, places: usize) -> String {
    minus(format!("{value:.places$}"))
}

/// The range of ranks that the evidence allows.
pub(crate) fn rank_range(places: Option<(usize, usize)>) -> String {
    match places {
        Some((from, to)) if from == to => from.to_string(),
        Some((from, to)) => format!("{from}–{to}"),
        None => NONE.to_owned(),
    }
}

/// An interval of points.
pub(crate) fn interval(low: f64, high: f64, places: usize) -> String {
    format!("{} … {}", decimal(low, places), decimal(high, places))
}

/// An interval of fractions, as percentages.
pub(crate) fn percent_interval(low: f64, high: f64) -> String {
    format!("{} … {}", signed_points(low), signed_points(high))
}

/// Why a score has no interval.
pub(crate) fn no_interval(reason: NoInterval) -> &'static str {
    match reason {
        NoInterval::TooFewWindows => "fewer than 4 effective windows",
        NoInterval::SmallDenominator => "the best options add up to too little",
        NoInterval::NoOracle => "a round has no best option",
    }
}

/// A probability; a small one is not rounded to zero.
pub(crate) fn chance(value: f64) -> String {
    if value < 0.001 {
        "< 0.001".to_owned()
    } else {
        format!("{value:.3}")
    }
}

/// Whole dollars with their sign.
pub(crate) fn gained(value: f64) -> String {
    let whole = value.round();
    let digits = format!("{:.0}", whole.abs());
    let mut shown = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place) % 3 == 0 {
            shown.push(',');
        }
        shown.push(digit);
    }
    let sign = if whole < 0.0 {
        "\u{2212}"
    } else if whole > 0.0 {
        "+"
    } else {
        ""
    };
    format!("{sign}{shown}")
}

/// A cost that may be unknown; it is never shown as zero then.
pub(crate) fn cost(value: Option<f64>) -> String {
    value.map_or("unknown".to_owned(), dollars)
}

/// A price with the digits that people read; files have all of them.
pub(crate) fn price(value: f64) -> String {
    let places = if value.abs() < 1.0 { 4 } else { 2 };
    format!("{value:.places$}")
}

/// A stored word as people write it.
pub(crate) fn spoken(word: &str) -> String {
    word.replace('_', " ")
}

pub(crate) fn day(day: Date) -> String {
    day.to_string()
}

/// The window of a round: its starting and its ending day.
pub(crate) fn window(window: Option<Window>) -> String {
    window.map_or(NONE.to_owned(), |window| {
        format!("{} → {}", window.entry, window.exit)
    })
}

/// Rounds with the number of effective windows that they are worth, where it is known.
pub(crate) fn worth(rounds: &str, windows: Option<f64>, unit: &str) -> String {
    windows.map_or(rounds.to_owned(), |windows| {
        format!("{rounds} ≈ {}{unit}", decimal(windows, 1))
    })
}

/// An instant to the minute.
pub(crate) fn instant(at: Timestamp) -> String {
    at.strftime("%Y-%m-%d %H:%M UTC").to_string()
}

/// A count with its noun.
pub(crate) fn count(number: usize, one: &str, many: &str) -> String {
    let noun = if number == 1 { one } else { many };
    format!("{number} {noun}")
}

/// Bytes in a unit that people read.
#[expect(clippy::cast_precision_loss, reason = "sizes of files, for people")]
pub(crate) fn size(bytes: u64) -> String {
    match bytes {
        0..1000 => format!("{bytes} B"),
        1000..1_000_000 => format!("{:.1} kB", bytes as f64 / 1e3),
        _ => format!("{:.1} MB", bytes as f64 / 1e6),
    }
}

#[cfg(test)]
mod tests;
