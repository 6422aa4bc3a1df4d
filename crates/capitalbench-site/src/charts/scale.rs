//! From values to positions, and round numbers along the way.

use crate::figures::decimal;

/// A straight scale.
#[derive(Debug, Clone, Copy)]
pub(super) struct Scale {
    low: f64,
    high: f64,
    from: f64,
    to: f64,
}

impl Scale {
    /// A scale over all values, with a little room at both ends.
    pub(super) fn over(values: impl IntoIterator<Item = f64>, from: f64, to: f64) -> Self {
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for value in values.into_iter().filter(|value| value.is_finite()) {
            low = low.min(value);
            high = high.max(value);
        }
        if low > high {
            (low, high) = (0.0, 1.0);
        }
        let room = if high > low { (high - low) * 0.04 } else { 0.5 };
        Self::between(low - room, high + room, from, to)
    }

    /// A scale with given ends.
    pub(super) fn between(low: f64, high: f64, from: f64, to: f64) -> Self {
        Self {
            low,
            high,
            from,
            to,
        }
    }

    /// Where a value lies; values outside lie at the end.
    pub(super) fn at(&self, value: f64) -> f64 {
        let share = (value - self.low) / (self.high - self.low);
        self.from + share.clamp(0.0, 1.0) * (self.to - self.from)
    }

    /// A round value as text, with a decimal where the steps need one.
    pub(super) fn label(&self, tick: f64) -> String {
        let whole = |tick: &f64| tick.fract().abs() < 1e-9;
        let places = usize::from(!self.ticks(5.0).iter().all(whole));
        decimal(tick, places)
    }

    /// About this many round values.
    pub(super) fn ticks(&self, about: f64) -> Vec<f64> {
        let rough = (self.high - self.low) / about;
        let power = 10_f64.powf(rough.log10().floor());
        let steps = [1.0, 2.0, 2.5, 5.0, 10.0].map(|step| step * power);
        let step = steps.into_iter().find(|step| *step >= rough);
        let step = step.unwrap_or(power * 10.0);
        let mut ticks = Vec::new();
        let mut number = (self.low / step).ceil();
        while number * step <= self.high && ticks.len() < 20 {
            ticks.push(number * step + 0.0); // no negative zero
            number += 1.0;
        }
        ticks
    }
}

/// Thinned labels of days: the first, the last and a few between.
pub(super) fn thinned(count: usize, most: usize) -> Vec<usize> {
    if count == 0 {
        return Vec::new();
    }
    let step = count.div_ceil(most).max(1);
    (0..count).step_by(step).collect()
}

#[cfg(test)]
mod tests;
