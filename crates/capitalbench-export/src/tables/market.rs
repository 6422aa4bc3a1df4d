//! Options, prices and option returns.

use std::collections::BTreeSet;

use capitalbench_core::market::prices::{PriceField, Side};
use capitalbench_core::market::universe::MarketOption;
use capitalbench_core::publication::{PublicRound, Publication, RoundState};
use capitalbench_core::result::returns::OptionReturn;
use capitalbench_core::values::ids::OptionId;
use capitalbench_core::values::units::Price;

use super::rounds::universe_key;
use crate::table::{Filling, Row, Table, columns};

/// Options of every universe.
pub const OPTIONS: Table = Table {
    name: "options",
    about: "One row per option of each distinct universe.",
    columns: OPTION_COLUMNS,
    filling: Filling::Whole(options),
};

columns! {
    OPTION_COLUMNS, fn option<'a>(round: &'a PublicRound, place: usize, option: &'a MarketOption) -> Row<'a>;
    Always "universe_key" Text "Joins `rounds`" => universe_key(round);
    Always "position" Integer "Place in the universe, from 1" => place;
    Always "option_id" Text "The value that submissions use" => option.id.as_str();
    Always "name" Text "The name shown to models" => option.name.as_str();
    Maybe "symbol" Text "Public ticker; none for cash" => option.symbol.as_deref();
    Always "asset_class" Text "Equity, bond, commodity and so on" => option.asset_class.as_str();
    Always "category" Text "Finer class" => option.category.as_str();
    Always "exposure_group" Text "Group of the universe" => option.group.as_str();
    Always "risk_bucket" Text "cash, low, medium, high or very_high" => option.risk_bucket.as_str();
    Always "currency" Text "Currency of the prices" => option.currency.as_str();
    Always "is_reference" Flag "Alpha is measured against it" => option.id == round.universe.reference().id;
    Always "is_cash" Flag "Counts as cash" => option.is_cash();
}

/// Options of universes in order of their first round.
pub(crate) fn options(publication: &Publication) -> Vec<Row<'_>> {
    let mut seen = BTreeSet::new();
    let mut rows = Vec::new();
    for round in &publication.rounds {
        if seen.insert(universe_key(round)) {
            let options = (1..).zip(round.universe.options());
            rows.extend(options.map(|(place, own)| option(round, place, own)));
        }
    }
    rows
}

pub const PRICES: Table = Table {
    name: "prices",
    about: "One row per option and side with a public price, or with an index where the round publishes returns only. A round that is not resolved has no exit rows.",
    columns: PRICE_COLUMNS,
    filling: Filling::ByRound(prices),
};

columns! {
    PRICE_COLUMNS, fn price<'a>(round: &'a PublicRound, side: Side, option: &'a OptionId, used: (Price, PriceField)) -> Row<'a>;
    Always "round_id" Text "The round" => round.id().as_str();
    Always "side" Text "entry or exit" => side.as_str();
    Always "option_id" Text "The option" => option.as_str();
    Always "price_usd" Real "The price that scoring uses, in the option's currency; no price where `price_field` is index" => used.0.get();
    Always "price_field" Text "adj_close, price or close: the column it came from; index where closes are not published: 1 at the entry" => used.1.as_str();
}

pub(crate) fn prices(round: &PublicRound) -> Vec<Row<'_>> {
    match &round.state {
        RoundState::Draft | RoundState::Ended(_) => Vec::new(),
        RoundState::Open(open) => {
            let quoted = |option: &MarketOption| open.entry.as_ref()?.find(option)?.used();
            let options = round.universe.options().iter();
            options
                .filter_map(|own| Some(price(round, Side::Entry, &own.id, quoted(own)?)))
                .collect()
        }
        RoundState::Resolved(resolved) => {
            let both = |own: &OptionReturn| [(Side::Entry, own.entry), (Side::Exit, own.exit)];
            let options = resolved.returns.options().iter();
            let sides = options.flat_map(|own| both(own).map(|(side, used)| (own, side, used)));
            sides
                .filter_map(|(own, side, used)| Some(price(round, side, &own.option_id, used?)))
                .collect()
        }
    }
}

pub const OPTION_RETURNS: Table = Table {
    name: "option_returns",
    about: "One row per priced option of a resolved round.",
    columns: RETURN_COLUMNS,
    filling: Filling::ByRound(option_returns),
};

columns! {
    RETURN_COLUMNS, fn option_return<'a>(round: &'a PublicRound, option: &'a OptionReturn) -> Row<'a>;
    Always "round_id" Text "The round" => round.id().as_str();
    Always "option_id" Text "The option" => option.option_id.as_str();
    Always "return_fraction" Real "Exit over entry minus one; 0.01 is 1 %" => option.value.get();
    Maybe "rank" Integer "Rank among all options; none unless all are priced" => option.rank;
}

/// The option returns of a resolved round, in order of the universe.
pub(crate) fn option_returns(round: &PublicRound) -> Vec<Row<'_>> {
    let options = round
        .resolved()
        .into_iter()
        .flat_map(|resolved| resolved.returns.options());
    options.map(|option| option_return(round, option)).collect()
}
