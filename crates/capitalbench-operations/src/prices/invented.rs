//! The invented market of a folder of rounds.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};

use capitalbench_adapters::price_source::Invented;
use capitalbench_archive::disk::file_ops;
use capitalbench_archive::disk::layout;
use capitalbench_archive::format::prices::invented_market;
use capitalbench_archive::format::round::{manifest, options};
use capitalbench_archive::round::round_folder::list_rounds;
use capitalbench_core::market::calendar::Market;
use capitalbench_core::market::invented::InventedMarket;
use capitalbench_core::market::universe::MarketOption;
use capitalbench_core::market::universes::SHIPPED;
use capitalbench_core::round::manifest::{Manifest, Stream};

use super::fetcher::Fetcher;
use crate::error::Error;
use crate::operator::Operator;
use crate::operator::files::read;

/// The seed of a market that nobody settled.
const USUAL_SEED: u64 = 1;

/// The options of all shipped universes by symbol, as the newest of them describes each.
static KNOWN: LazyLock<Arc<BTreeMap<String, MarketOption>>> = LazyLock::new(|| {
    let universes = SHIPPED.iter();
    let universes = universes.filter_map(|own| options::parse(own.yaml.as_bytes()).ok());
    let mut known = BTreeMap::new();
    for universe in universes {
        for option in universe.options() {
            if let Some(symbol) = &option.data_symbol {
                known.insert(symbol.clone(), option.clone());
            }
        }
    }
    Arc::new(known)
});

/// Settles the market of a folder of rounds.
pub fn settle(rounds: &Path, market: &InventedMarket) -> Result<(), Error> {
    let text = invented_market::render(market);
    Ok(file_ops::replace(&file(rounds), text.as_bytes())?)
}

/// The market that was settled for a folder of rounds; the usual one where none was.
pub fn market_of(rounds: &Path) -> Result<InventedMarket, Error> {
    let file = file(rounds);
    if !file.exists() {
        return Ok(InventedMarket {
            market: market_of_rounds(rounds),
            ..InventedMarket::of_seed(USUAL_SEED)
        });
    }
    Ok(read(&file, invented_market::parse)?)
}

/// The market that the rounds of a folder share; New York where there is none yet.
fn market_of_rounds(rounds: &Path) -> Market {
    let folders = list_rounds(rounds).unwrap_or_default();
    let mut manifests = folders
        .iter()
        .filter_map(|folder| folder.parse(layout::MANIFEST, manifest::parse).ok());
    manifests
        .next()
        .map_or_else(Market::default, |own| own.market)
}

/// A path without `..`, because the folder of rounds may not be there yet.
fn file(rounds: &Path) -> PathBuf {
    let name = layout::INVENTED_MARKET.strip_prefix("../");
    let name = name.unwrap_or(layout::INVENTED_MARKET);
    match rounds.parent() {
        Some(parent) => parent.join(name),
        None => rounds.join(name),
    }
}

/// The source of that market as it answers now.
pub(super) fn source(operator: &Operator, rounds: &Path) -> Result<Invented, Error> {
    let now = operator.clock.now();
    Ok(Invented::new(market_of(rounds)?, Arc::clone(&KNOWN), now))
}

/// A round of a real market is never priced from an invented one.
pub fn refuse_in_real_round(fetcher: &Fetcher<'_>, manifest: &Manifest) -> Result<(), Error> {
    let is_invented = fetcher.source.name() == InventedMarket::SOURCE;
    if !is_invented || manifest.stream == Stream::Synthetic {
        return Ok(());
    }
    let text = format!(
        "{} is a round of a real market, and the source `invented` makes its prices up",
        manifest.round_id
    );
    Err(Error::new(text).hint("choose a vendor with --source; nothing was asked"))
}
