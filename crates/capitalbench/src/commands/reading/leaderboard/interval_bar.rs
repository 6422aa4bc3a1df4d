//! An interval as a bar of characters, on one scale for all rows of a table.

use crate::console::width;

/// Characters of a bar.
const WIDTH: usize = 24;
/// Characters of a bar on a terminal of fewer than 100 columns.
const NARROW: usize = 16;

/// The scale of a table's bars.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Scale {
    low: f64,
    high: f64,
    /// Characters of a bar.
    characters: usize,
}

impl Scale {
    /// A scale that holds all of these, for this terminal; none without a finite one.
    pub(super) fn of(values: impl IntoIterator<Item = f64>) -> Option<Self> {
        let narrow = width().is_some_and(|columns| columns < 100);
        let characters = if narrow { NARROW } else { WIDTH };
        let finite = values.into_iter().filter(|value| value.is_finite());
        let none = (f64::INFINITY, f64::NEG_INFINITY);
        let wider = |(low, high): (f64, f64), value: f64| (low.min(value), high.max(value));
        let (low, high) = finite.fold(none, wider);
        (low <= high).then_some(Self {
            low,
            high,
            characters,
        })
    }

    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss,
        reason = "the share is between nought and one, the width is small"
    )]
    fn place(self, value: f64) -> usize {
        let width = (self.high - self.low).max(f64::MIN_POSITIVE);
        let share = ((value - self.low) / width).clamp(0.0, 1.0);
        (share * (self.characters - 1) as f64).round() as usize
    }

    /// The bar of an interval and its middle.
    pub(super) fn bar(self, (low, high): (f64, f64), value: f64) -> String {
        let (from, to, at) = (self.place(low), self.place(high), self.place(value));
        let sign = |place: usize| match place {
            _ if place == at => '●',
            _ if place == from => '├',
            _ if place == to => '┤',
            _ if place > from && place < to => '─',
            _ => ' ',
        };
        (0..self.characters).map(sign).collect()
    }

    /// A mark without an interval.
    pub(super) fn mark(self, value: f64) -> String {
        let at = self.place(value);
        (0..self.characters)
            .map(|place| if place == at { '○' } else { ' ' })
            .collect()
    }
}

#[cfg(test)]
mod tests;
