//! A price card: what a provider bills per million tokens, and on which day.

use std::collections::BTreeMap;

use capitalbench_core::asking::cost::TokenPrice;
use capitalbench_core::values::time::parse_day;
use jiff::civil::Date;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

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
    #[serde(rename = "input_per_1m_tokens_usd", default, deserialize_with = "pico")]
    input: Option<u64>,
    #[serde(
        rename = "cached_input_per_1m_tokens_usd",
        default,
        deserialize_with = "pico"
    )]
    cached: Option<u64>,
    #[serde(
        rename = "cache_write_per_1m_tokens_usd",
        default,
        deserialize_with = "pico"
    )]
    cache_write: Option<u64>,
    #[serde(
        rename = "output_per_1m_tokens_usd",
        default,
        deserialize_with = "pico"
    )]
    output: Option<u64>,
    #[serde(
        rename = "reasoning_per_1m_tokens_usd",
        default,
        deserialize_with = "pico"
    )]
    reasoning: Option<u64>,
}

/// Prices by provider and the provider's name of the model.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PriceCard {
    /// The day on which the prices were valid, where the card says so.
    pub as_of: Option<Date>,
    prices: BTreeMap<(String, String), TokenPrice>,
}

impl PriceCard {
    /// The price of a model; none unless the card has both an input and an output price.
    pub fn price(&self, provider: &str, api_model_name: &str) -> Option<TokenPrice> {
        let key = (provider.to_owned(), api_model_name.to_owned());
        self.prices.get(&key).copied()
    }
}

/// Reads a price card; refuses a price that is negative or absurdly high.
pub fn parse(bytes: &[u8]) -> Result<PriceCard, Fault> {
    let stored: Stored = from_yaml(utf8(bytes)?)?;
    let as_of = stored.as_of.as_deref().map(|text| {
        parse_day(text).ok_or_else(|| Fault::field("as_of", "must be a day such as 2026-11-15"))
    });
    let as_of = as_of.transpose()?;
    let mut prices = BTreeMap::new();
    for (provider, models) in stored.pricing {
        for (model, price) in models {
            if let (Some(input), Some(output)) = (price.input, price.output) {
                let price = TokenPrice {
                    input,
                    cached: price.cached,
                    cache_write: price.cache_write,
                    output,
                    reasoning: price.reasoning,
                };
                prices.insert((provider.clone(), model), price);
            }
        }
    }
    Ok(PriceCard { as_of, prices })
}

/// Dollars per million tokens as pico-dollars per token.
fn pico<'de, D: Deserializer<'de>>(from: D) -> Result<Option<u64>, D::Error> {
    let Some(usd) = Option::<f64>::deserialize(from)? else {
        return Ok(None);
    };
    if !(0.0..=1e5).contains(&usd) {
        let text = "a price must be a number of dollars from 0 to 100,000";
        return Err(D::Error::custom(text));
    }
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "checked to be a price"
    )]
    Ok(Some((usd * 1e6).round() as u64))
}

#[cfg(test)]
mod tests;
