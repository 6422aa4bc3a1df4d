//! What models cost: the shipped, dated card, and the operator's own file before it.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use capitalbench_archive::format::run::pricing::{self, PriceCard};
use capitalbench_archive::run::ledger::{CardNote, PlannedPrice};
use capitalbench_core::asking::cost::TokenPrice;
use capitalbench_core::asking::tokens::estimate;
use capitalbench_core::values::ids::Digest;
use genai_prices::{PriceRequest, Usage, UsageKey};
use jiff::Timestamp;
use serde_json::json;

use super::providers::PROVIDERS;
use crate::error::Error;
use crate::operator::files::read;

/// Name of the shipped card; the version is the one in the lock file.
const SHIPPED: &str = "genai-prices 0.2.1";
/// The day it was published.
const SHIPPED_AS_OF: &str = "2026-10-30";
/// The operator's own card, where none is named.
const USUAL_FILE: &str = "configs/pricing.yaml";

/// A model and about how many tokens it is sent.
struct Wanted<'a> {
    provider: &'a str,
    api_model_name: &'a str,
    input_tokens: u64,
}

/// The operator's file, the shipped card, or both.
pub struct PriceBook {
    own: Option<(PathBuf, PriceCard, Digest)>,
    /// The instant whose prices the shipped card gives for models that the file does not hold; none
    /// where only the file counts, because a rehearsal costs nothing.
    shipped_at: Option<Timestamp>,
}

impl PriceBook {
    /// Reads the named file, or the usual one where it is there.
    pub fn open(named: Option<&Path>, shipped_at: Option<Timestamp>) -> Result<Self, Error> {
        let usual = Path::new(USUAL_FILE);
        let file = named.or_else(|| usual.is_file().then_some(usual));
        let card = |file: &Path| {
            read(file, |bytes| {
                Ok((file.to_owned(), pricing::parse(bytes)?, Digest::of(bytes)))
            })
        };
        let own = file.map(card).transpose()?;
        Ok(Self { own, shipped_at })
    }

    /// The same card, named in records from this folder on.
    #[must_use]
    pub fn named_from(mut self, home: Option<&Path>) -> Self {
        if let (Some((file, ..)), Some(home)) = (&mut self.own, home)
            && let Ok(short) = file.strip_prefix(home)
        {
            *file = short.to_owned();
        }
        self
    }

    /// The file that was read.
    pub fn file(&self) -> Option<String> {
        let (file, ..) = self.own.as_ref()?;
        Some(file.display().to_string())
    }

    /// Prices of these models, each once, and the cards they come from.
    pub fn prices<'m>(
        &self,
        models: impl IntoIterator<Item = (&'m String, &'m String)>,
        input: &str,
    ) -> (Vec<PlannedPrice>, Vec<CardNote>) {
        let mut seen = BTreeSet::new();
        let models = models.into_iter().filter(|model| seen.insert(*model));
        let prices = models.filter_map(|(provider, api_model_name)| {
            self.price(&Wanted {
                provider,
                api_model_name,
                input_tokens: estimate(input, provider),
            })
        });
        let prices: Vec<PlannedPrice> = prices.collect();
        let cards = self.cards(&prices);
        (prices, cards)
    }

    fn price(&self, wanted: &Wanted<'_>) -> Option<PlannedPrice> {
        let (provider, model) = (wanted.provider, wanted.api_model_name);
        if let Some((file, card, _)) = &self.own
            && let Some(price) = card.price(provider, model)
        {
            let file = file.display().to_string();
            return Some(PlannedPrice::new(provider, model, &file, price));
        }
        let price = shipped_price(wanted, self.shipped_at?)?;
        Some(PlannedPrice::new(provider, model, SHIPPED, price))
    }

    fn cards(&self, prices: &[PlannedPrice]) -> Vec<CardNote> {
        let mut cards = Vec::new();
        if let Some((file, card, digest)) = &self.own {
            cards.push(CardNote {
                name: file.display().to_string(),
                as_of: card.as_of.map(|day| day.to_string()),
                sha256: digest.to_hex(),
            });
        }
        let taken: Vec<&PlannedPrice> = prices.iter().filter(|p| p.card == SHIPPED).collect();
        if !taken.is_empty() {
            cards.push(CardNote {
                name: SHIPPED.to_owned(),
                as_of: Some(SHIPPED_AS_OF.to_owned()),
                sha256: Digest::of(json!(taken).to_string().as_bytes()).to_hex(),
            });
        }
        cards
    }
}

/// What the shipped card says at an instant; long inputs have their own prices.
fn shipped_price(wanted: &Wanted<'_>, at: Timestamp) -> Option<TokenPrice> {
    // The card has every provider that is paid by a key, almost always under our name.
    let known = PROVIDERS.iter().filter(|(_, key, _)| key.is_some());
    let provider = match known
        .map(|(own, ..)| *own)
        .find(|own| *own == wanted.provider)?
    {
        "xai" => "x-ai",
        own => own,
    };
    #[expect(clippy::cast_precision_loss, reason = "a count of tokens")]
    let sent = wanted.input_tokens.max(1) as f64;
    let per_token = |usage: Usage, tokens: f64| {
        let request = PriceRequest::new(wanted.api_model_name, &usage)
            .with_provider_id(provider)
            .with_timestamp(SystemTime::from(at));
        let found = genai_prices::calculate(&request).ok()?;
        pico(found.total_price / tokens)
    };
    let input = [(UsageKey::INPUT_TOKENS, sent)];
    let of_input = |key| per_token(Usage::from([input[0].clone(), (key, sent)]), sent);
    let plain = per_token(Usage::from(input.clone()), sent)?;
    let both = [input[0].clone(), (UsageKey::OUTPUT_TOKENS, sent)];
    let [one, other] = both.clone();
    let thought = Usage::from([one, other, (UsageKey::OUTPUT_REASONING_TOKENS, sent)]);
    let output = per_token(Usage::from(both), sent)?.checked_sub(plain)?;
    let reasoning = per_token(thought, sent).and_then(|price| price.checked_sub(plain));
    Some(TokenPrice {
        input: plain,
        cached: of_input(UsageKey::CACHE_READ_TOKENS).filter(|price| *price != plain),
        cache_write: of_input(UsageKey::CACHE_WRITE_TOKENS).filter(|price| *price != plain),
        output,
        reasoning: reasoning.filter(|price| *price != output),
    })
}

/// Dollars per token as whole pico-dollars.
fn pico(usd: f64) -> Option<u64> {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "checked to be a price"
    )]
    (0.0..=0.1)
        .contains(&usd)
        .then(|| (usd * 1e12).round() as u64)
}

#[cfg(test)]
mod tests;
