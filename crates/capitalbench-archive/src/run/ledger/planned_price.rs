//! The prices that a run uses, stored so that every cost can be computed again.

use capitalbench_core::asking::cost::TokenPrice;
use serde::{Deserialize, Serialize};

/// Where prices come from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CardNote {
    /// A file as typed, or the name and version of the shipped card.
    pub name: String,
    /// The day on which the prices were valid, where the card says so.
    pub as_of: Option<String>,
    /// Digest of the file, or of the prices that were taken from the shipped card.
    pub sha256: String,
}

/// The price of one model, in pico-dollars per token.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlannedPrice {
    pub provider: String,
    /// The provider's own name for the model.
    pub api_model_name: String,
    pub card: String,
    /// Per token sent.
    pub input: u64,
    /// Per token sent that was in the cache.
    pub cached: Option<u64>,
    /// Per token sent that was written to the cache.
    pub cache_write: Option<u64>,
    /// Per token produced.
    pub output: u64,
    /// Per token of reasoning.
    pub reasoning: Option<u64>,
}

impl PlannedPrice {
    pub fn new(provider: &str, api_model_name: &str, card: &str, price: TokenPrice) -> Self {
        Self {
            provider: provider.to_owned(),
            api_model_name: api_model_name.to_owned(),
            card: card.to_owned(),
            input: price.input,
            cached: price.cached,
            cache_write: price.cache_write,
            output: price.output,
            reasoning: price.reasoning,
        }
    }

    pub fn price(&self) -> TokenPrice {
        TokenPrice {
            input: self.input,
            cached: self.cached,
            cache_write: self.cache_write,
            output: self.output,
            reasoning: self.reasoning,
        }
    }
}
