//! What a call costs: exact sums of whole pico-dollars per token.

/// Pico-dollars in a dollar.
const PICO: f64 = 1e12;

/// Prices of one model in pico-dollars per token; five dollars per million are 5,000,000.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TokenPrice {
    /// Per token sent.
    pub input: u64,
    /// Per token sent that was in the provider's cache, where it differs.
    pub cached: Option<u64>,
    /// Per token sent that was written to the cache, where it differs.
    pub cache_write: Option<u64>,
    /// Per token produced.
    pub output: u64,
    /// Per token of reasoning, where it differs.
    pub reasoning: Option<u64>,
}

/// Tokens that are billed; `input` includes `cached` and `cache_write`, `output` includes
/// `reasoning`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Billed {
    /// Tokens sent.
    pub input: u64,
    /// The part of them that was in the cache.
    pub cached: u64,
    /// The part of them that was written to the cache.
    pub cache_write: u64,
    /// Tokens produced.
    pub output: u64,
    /// The part of them that was reasoning.
    pub reasoning: u64,
}

/// An amount of money in pico-dollars.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Cost(u128);

impl Cost {
    /// Nothing.
    pub const ZERO: Self = Self(0);

    /// An amount in dollars; none unless finite and not negative.
    pub fn from_usd(usd: f64) -> Option<Self> {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "checked to be a sum of money"
        )]
        (usd.is_finite() && (0.0..1e12).contains(&usd)).then(|| Self((usd * PICO).round() as u128))
    }

    /// The amount in dollars.
    #[expect(clippy::cast_precision_loss, reason = "for people and the log")]
    pub fn usd(self) -> f64 {
        self.0 as f64 / PICO
    }

    /// Both amounts.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }

    /// What is left after taking the other away; nothing when it is more.
    #[must_use]
    pub fn minus(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }

    /// The amount that many times.
    #[must_use]
    pub fn times(self, count: u32) -> Self {
        Self(self.0.saturating_mul(u128::from(count)))
    }

    /// An equal share of the amount, rounded up.
    #[must_use]
    pub fn shared_by(self, count: u32) -> Self {
        Self(self.0.div_ceil(u128::from(count.max(1))))
    }
}

impl TokenPrice {
    pub fn cost(&self, tokens: Billed) -> Cost {
        let reasoning = tokens.reasoning.min(tokens.output);
        let cached = tokens.cached.min(tokens.input);
        let written = tokens.cache_write.min(tokens.input - cached);
        let part = |tokens: u64, price: u64| u128::from(tokens) * u128::from(price);
        Cost(
            part(tokens.input - cached - written, self.input)
                + part(cached, self.cached.unwrap_or(self.input))
                + part(written, self.cache_write.unwrap_or(self.input))
                + part(tokens.output - reasoning, self.output)
                + part(reasoning, self.reasoning.unwrap_or(self.output)),
        )
    }

    /// The most a call can cost: an input of about this size and every output token used.
    pub fn worst_case(&self, estimated_input: u64, max_output: u64) -> Cost {
        let dearest = self.output.max(self.reasoning.unwrap_or(0));
        let price = Self {
            input: self.input.max(self.cache_write.unwrap_or(0)),
            output: dearest,
            ..Self::default()
        };
        // The estimate is good to about ten percent; a bound must not be too low.
        price.cost(Billed {
            input: estimated_input.saturating_add(estimated_input / 5),
            output: max_output,
            ..Billed::default()
        })
    }
}

#[cfg(test)]
mod tests;
