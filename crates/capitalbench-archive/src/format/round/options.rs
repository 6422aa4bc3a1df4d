//! `options.yaml` and universe files → [`Universe`].

use capitalbench_core::market::calendar::{Market, MarketFile};
use capitalbench_core::market::universe::{
    Listing, ListingChange, MarketOption, RiskBucket, RoleFlags, Universe,
};
use capitalbench_core::values::ids::OptionId;
use capitalbench_core::values::time::parse_day;
use serde::Deserialize;

use crate::disk::error::Fault;
use crate::format::round::manifest;
use crate::format::utf8;
use capitalbench_core::encoding::yaml::from_yaml;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Stored {
    market: Option<String>,
    own_market: Option<MarketFile>,
    options: Vec<StoredOption>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredOption {
    #[serde(alias = "option_id")]
    id: String,
    #[serde(alias = "label")]
    name: String,
    symbol: Option<String>,
    asset_symbol: Option<String>,
    #[serde(rename = "asset_name")]
    _asset_name: Option<String>,
    kind: Option<String>,
    asset_class: Option<String>,
    category: Option<String>,
    option_group: Option<String>,
    risk_bucket: Option<String>,
    #[serde(alias = "description")]
    exposure_description: Option<String>,
    tiingo_symbol: Option<String>,
    currency: Option<String>,
    #[serde(default)]
    is_cash: bool,
    #[serde(default)]
    is_benchmark: bool,
    include_in_universe: Option<bool>,
    renamed: Option<StoredRename>,
    delisted: Option<StoredDelisting>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredRename {
    to: String,
    on: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredDelisting {
    on: String,
}

/// Reads a universe: a map with the key `options` and perhaps a market, or a bare list.
pub fn parse(bytes: &[u8]) -> Result<Universe, Fault> {
    let text = utf8(bytes)?;
    let bare_list = text.lines().any(|line| line.starts_with("- "))
        && !text.lines().any(|line| line.starts_with("options:"));
    let (market, stored) = if bare_list {
        (Market::default(), from_yaml::<Vec<StoredOption>>(text)?)
    } else {
        let stored = from_yaml::<Stored>(text)?;
        let market = manifest::market(stored.market.as_deref(), stored.own_market)?;
        (market, stored.options)
    };
    let mut options = Vec::with_capacity(stored.len());
    for (index, option) in stored.into_iter().enumerate() {
        options.push(market_option(market, option).map_err(|fault| Fault {
            field: Some(match fault.field {
                Some(field) => format!("options.{index}.{field}"),
                None => format!("options.{index}"),
            }),
            ..fault
        })?);
    }
    Universe::on(market, options).map_err(Fault::new)
}

fn market_option(market: Market, stored: StoredOption) -> Result<MarketOption, Fault> {
    let id = OptionId::parse(&stored.id).map_err(|e| Fault::field("id", e))?;
    if stored.name.trim().is_empty() {
        return Err(Fault::field(
            "name",
            format!("option {id} has a blank name"),
        ));
    }
    let cash = stored.is_cash || id.as_str().eq_ignore_ascii_case("cash");
    let legacy_symbol = clean(stored.asset_symbol);
    let data_symbol = clean(stored.tiingo_symbol).or_else(|| legacy_symbol.clone());
    let not_cash_word = |symbol: &String| !(cash && matches!(symbol.as_str(), "USD" | "CASH"));
    let symbol = clean(stored.symbol).or(legacy_symbol).filter(not_cash_word);
    let category = stored
        .category
        .or(stored.kind)
        .unwrap_or_else(|| "unknown".into());
    let fallback = |word: &str, other: &str| {
        let text = if cash { word } else { other };
        text.to_owned()
    };
    let risk = stored
        .risk_bucket
        .unwrap_or_else(|| fallback("cash", "medium"));
    let risk_bucket = RiskBucket::parse(&risk).ok_or_else(|| {
        let text = format!("must be cash, low, medium, high or very_high, not {risk:?}");
        Fault::field("risk_bucket", text)
    })?;
    let description = stored
        .exposure_description
        .unwrap_or_else(|| format!("Exposure to {}", stored.name));
    Ok(MarketOption {
        name: stored.name.trim().to_owned(),
        data_symbol: data_symbol.filter(not_cash_word),
        symbol,
        asset_class: stored
            .asset_class
            .unwrap_or_else(|| fallback("cash", "unknown")),
        group: stored.option_group.unwrap_or_else(|| category.clone()),
        category,
        risk_bucket,
        exposure_description: description.trim().to_owned(),
        currency: stored
            .currency
            .unwrap_or_else(|| market.currency().to_owned()),
        flags: RoleFlags {
            cash: stored.is_cash,
            reference: stored.is_benchmark,
        },
        change: listing_change(market, stored.renamed, stored.delisted)?,
        listing: if stored.include_in_universe.unwrap_or(true) {
            Listing::Shown
        } else {
            Listing::Hidden
        },
        id,
    })
}

fn listing_change(
    market: Market,
    renamed: Option<StoredRename>,
    delisted: Option<StoredDelisting>,
) -> Result<Option<ListingChange>, Fault> {
    let session = |field: &str, text: &str| {
        let wrong = || Fault::field(field, format!("{text:?} is not a session's day"));
        parse_day(text)
            .filter(|day| market.is_session(*day))
            .ok_or_else(wrong)
    };
    Ok(match (renamed, delisted) {
        (None, None) => None,
        (Some(_), Some(_)) => {
            let text = "an option is renamed or delisted, not both";
            return Err(Fault::field("delisted", text));
        }
        (Some(own), None) => {
            let to = clean(Some(own.to));
            Some(ListingChange::Renamed {
                to: to.ok_or_else(|| Fault::field("renamed.to", "is blank"))?,
                on: session("renamed.on", &own.on)?,
            })
        }
        (None, Some(own)) => Some(ListingChange::Delisted {
            on: session("delisted.on", &own.on)?,
        }),
    })
}

fn clean(symbol: Option<String>) -> Option<String> {
    symbol
        .map(|text| text.trim().to_uppercase())
        .filter(|text| !text.is_empty())
}
