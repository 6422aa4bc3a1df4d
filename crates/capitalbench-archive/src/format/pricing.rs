//! A price card: what a provider bills per million tokens, and when that was seen.

use std::collections::BTreeMap;

use capitalbench_core::cost::Price;
use capitalbench_core::time::parse_day;
use jiff::civil::Date;
use serde::Deserialize;

use super::utf8;
use crate::error::Fault;
use crate::yaml::from_yaml;

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
mod tests {
    use super::*;

    #[test]
    fn prices_are_whole_pico_dollars() {
        let text = "pricing:\n  p:\n    m:\n      input_per_1m_tokens_usd: 0.14\n      \
                    output_per_1m_tokens_usd: 30\n    half:\n      input_per_1m_tokens_usd: 1\n";
        let card = parse(text.as_bytes()).unwrap();
        let price = card.price("p", "m").unwrap();
        assert_eq!((price.input, price.output), (140_000, 30_000_000));
        assert_eq!((price.cached, card.as_of), (None, None));
        let dated = text.replace(
            "0.14\n",
            "0.14\n      cached_input_per_1m_tokens_usd: 0.07\n",
        );
        let dated = parse(format!("as_of: 2026-11-15\nsource: seen\n{dated}").as_bytes()).unwrap();
        assert_eq!(dated.price("p", "m").unwrap().cached, Some(70_000));
        assert_eq!(dated.as_of.unwrap().to_string(), "2026-11-15");
        let undated = parse(format!("as_of: yesterday\n{text}").as_bytes()).unwrap_err();
        assert_eq!(undated.field.as_deref(), Some("as_of"));
        assert_eq!(card.price("p", "half"), None);
        assert_eq!(card.price("q", "m"), None);
        let bad = text.replace("30", "-30");
        assert_eq!(
            parse(bad.as_bytes()).unwrap_err().field.as_deref(),
            Some("pricing.p.m.output_per_1m_tokens_usd")
        );
    }
}
