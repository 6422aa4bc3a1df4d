//! Options, prices and option returns.

use std::collections::BTreeSet;

use capitalbench_core::market::prices::{PriceField, Side};
use capitalbench_core::publication::{PublicRound, Publication, RoundState};
use capitalbench_core::values::units::Price;

use super::rounds::universe_key;
use crate::table::{Cell, Filling, Row, Table, columns};

/// Options of every universe.
pub const OPTIONS: Table = Table {
    name: "options",
    about: "One row per option of each distinct universe.",
    columns: columns! {
        always "universe_key" Text "Joins `rounds`";
        always "position" Integer "Place in the universe, from 1";
        always "option_id" Text "The value that submissions use";
        always "name" Text "The name shown to models";
        maybe "symbol" Text "Public ticker; none for cash";
        always "asset_class" Text "Equity, bond, commodity and so on";
        always "category" Text "Finer class";
        always "exposure_group" Text "Group of the universe";
        always "risk_bucket" Text "cash, low, medium, high or very_high";
        always "currency" Text "Currency of the prices";
        always "is_reference" Flag "Alpha is measured against it";
        always "is_cash" Flag "Counts as cash";
    },
    filling: Filling::Whole(options),
};

/// Options of universes in order of their first round.
pub(crate) fn options(publication: &Publication) -> Vec<Row<'_>> {
    let mut seen = BTreeSet::new();
    let mut rows = Vec::new();
    for round in &publication.rounds {
        let key = universe_key(round);
        if !seen.insert(key.clone()) {
            continue;
        }
        let reference = &round.universe.reference().id;
        for (place, option) in round.universe.options().iter().enumerate() {
            rows.push(vec![
                key.clone().into(),
                (place + 1).into(),
                option.id.as_str().into(),
                option.name.as_str().into(),
                option.symbol.as_deref().into(),
                option.asset_class.as_str().into(),
                option.category.as_str().into(),
                option.group.as_str().into(),
                option.risk_bucket.as_str().into(),
                option.currency.as_str().into(),
                (option.id == *reference).into(),
                option.is_cash().into(),
            ]);
        }
    }
    rows
}

pub const PRICES: Table = Table {
    name: "prices",
    about: "One row per option and side with a public price. A round that is not resolved has no exit rows.",
    columns: columns! {
        always "round_id" Text "The round";
        always "side" Text "entry or exit";
        always "option_id" Text "The option";
        always "price_usd" Real "The price that scoring uses, in the option's currency";
        always "price_field" Text "adj_close, price or close: the column it came from";
    },
    filling: Filling::ByRound(prices),
};

/// The public prices of a round.
pub(crate) fn prices(round: &PublicRound) -> Vec<Row<'_>> {
    let mut rows = Vec::new();
    let mut put = |side: Side, option: &str, (price, field): (Price, PriceField)| {
        rows.push(vec![
            Cell::from(round.id().as_str()),
            side.as_str().into(),
            option.to_owned().into(),
            price.get().into(),
            field.as_str().into(),
        ]);
    };
    match &round.state {
        RoundState::Draft => {}
        RoundState::Open(open) => {
            for option in round.universe.options() {
                let quote = open.entry.as_ref().and_then(|sheet| sheet.find(option));
                if let Some(used) = quote.and_then(capitalbench_core::market::prices::Quote::used) {
                    put(Side::Entry, option.id.as_str(), used);
                }
            }
        }
        RoundState::Resolved(resolved) => {
            for option in resolved.returns.options() {
                for (side, price) in [(Side::Entry, option.entry), (Side::Exit, option.exit)] {
                    if let Some(used) = price {
                        put(side, option.option_id.as_str(), used);
                    }
                }
            }
        }
    }
    rows
}

pub const OPTION_RETURNS: Table = Table {
    name: "option_returns",
    about: "One row per priced option of a resolved round.",
    columns: columns! {
        always "round_id" Text "The round";
        always "option_id" Text "The option";
        always "return_fraction" Real "Exit over entry minus one; 0.01 is 1 %";
        maybe "rank" Integer "Rank among all options; none unless all are priced";
    },
    filling: Filling::ByRound(option_returns),
};

/// The option returns of a resolved round, in order of the universe.
pub(crate) fn option_returns(round: &PublicRound) -> Vec<Row<'_>> {
    let resolved = round.resolved().into_iter();
    resolved
        .flat_map(|resolved| resolved.returns.options())
        .map(|option| {
            vec![
                round.id().as_str().into(),
                option.option_id.as_str().into(),
                option.value.get().into(),
                option.rank.into(),
            ]
        })
        .collect()
}
