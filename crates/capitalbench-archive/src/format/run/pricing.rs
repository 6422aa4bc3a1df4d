//! A price card: what a provider bills per million tokens, and when that was seen.

use std::collections::BTreeMap;

use capitalbench_core::asking::cost::Price;
use capitalbench_core::values::time::parse_day;
use jiff::civil::Date;
use serde::Deserialize;

use crate::disk::error::Fault;
use crate::format::utf8;
use capitalbench_core::encoding::yaml::from_yaml;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Stored {
    as_of: Option<String>,
    #[serde(rename = "source")]
    _source: Option<String>,
    pricing: BTreeMap<String, BTreeMap<String, StoredPrice>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredPrice {
    #[serde(rename = "input_per_1m_tokens_usd")]
    input: Option<f64>,
    #[serde(rename = "cached_input_per_1m_tokens_usd")]
    cached: Option<f64>,
    #[serde(rename = "cache_write_per_1m_tokens_usd")]
    cache_write: Option<f64>,
    #[serde(rename = "output_per_1m_tokens_usd")]
    output: Option<f64>,
    #[serde(rename = "reasoning_per_1m_tokens_usd")]
    reasoning: Option<f64>,
}

/// Prices by provider and the provider's name of the model.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PriceCard {
    /// The day on which the prices held, where the card says so.
    pub as_of: Option<Date>,
    prices: BTreeMap<(String, String), Price>,
}

impl PriceCard {
    /// The price of a model; none when the card does not hold both input and output.
    pub fn price(&self, provider: &str, api_model_name: &str) -> Option<Price> {
        let key = (provider.to_owned(), api_model_name.to_owned());
        self.prices.get(&key).copied()
    }
}

/// Reads a price card; a price that is not a sum of money is refused.
pub fn parse(bytes: &[u8]) -> Result<PriceCard, Fault> {
    let stored: Stored = from_yaml(utf8(bytes)?)?;
    let as_of = stored.as_of.as_deref().map(|text| {
        parse_day(text).ok_or_else(|| Fault::field("as_of", "must be a day such as 2026-11-15"))
    });
    let as_of = as_of.transpose()?;
    let mut prices = BTreeMap::new();
    for (provider, models) in stored.pricing {
        for (model, price) in models {
            let place = format!("pricing.{provider}.{model}");
            let per_token = |name: &str, usd: Option<f64>| {
                usd.map(|usd| pico(usd).ok_or_else(|| Fault::field(format!("{place}.{name}"), BAD)))
                    .transpose()
            };
            let input = per_token("input_per_1m_tokens_usd", price.input)?;
            let cached = per_token("cached_input_per_1m_tokens_usd", price.cached)?;
            let cache_write = per_token("cache_write_per_1m_tokens_usd", price.cache_write)?;
            let output = per_token("output_per_1m_tokens_usd", price.output)?;
            let reasoning = per_token("reasoning_per_1m_tokens_usd", price.reasoning)?;
            if let (Some(input), Some(output)) = (input, output) {
                let price = Price {
                    input,
                    cached,
                    cache_write,
                    output,
                    reasoning,
                };
                prices.insert((provider.clone(), model), price);
            }
        }
    }
    Ok(PriceCard { as_of, prices })
}

const BAD: &str = "must be a number of dollars from 0 to 100,000";

/// Dollars per million tokens are millions of pico-dollars per token.
fn pico(usd: f64) -> Option<u64> {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "checked to be a price"
    )]
    (0.0..=1e5)
        .contains(&usd)
        .then(|| (usd * 1e6).round() as u64)
}

#[cfg(test)]
mod tests;
