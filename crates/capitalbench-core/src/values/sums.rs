//! Sums, means and spreads of figures: every room adds up in the same way.

/// Neumaier's compensated sum.
pub fn compensated_sum(values: impl IntoIterator<Item = f64>) -> f64 {
    let mut sum = CompensatedSum::default();
    for value in values {
        sum.add(value);
    }
    sum.get()
}

/// A sum that is still being added to, as [`compensated_sum`] adds.
#[derive(Debug, Clone, Copy, Default)]
pub struct CompensatedSum {
    sum: f64,
    lost: f64,
}

impl CompensatedSum {
    pub fn add(&mut self, value: f64) {
        let next = self.sum + value;
        self.lost += if self.sum.abs() >= value.abs() {
            (self.sum - next) + value
        } else {
            (value - next) + self.sum
        };
        self.sum = next;
    }

    /// The sum so far.
    pub fn get(self) -> f64 {
        self.sum + self.lost
    }
}

/// A count as a figure to reckon with.
#[expect(
    clippy::cast_precision_loss,
    reason = "counts of rounds, days, models and draws are far below 2^53"
)]
pub fn real(count: usize) -> f64 {
    count as f64
}

/// Mean of figures; not a number without any.
pub fn mean(values: &[f64]) -> f64 {
    compensated_sum(values.iter().copied()) / real(values.len())
}

/// Sum of the squared distances from the mean.
pub fn squares(values: &[f64]) -> f64 {
    let mean = mean(values);
    compensated_sum(values.iter().map(|value| (value - mean).powi(2)))
}

/// Variance of a sample; none of less than two.
pub fn variance(values: &[f64]) -> Option<f64> {
    (values.len() >= 2).then(|| squares(values) / real(values.len() - 1))
}
