//! Seventy options, as many as a real universe has.

use capitalbench_core::market::universe::{Listing, MarketOption, RiskBucket, RoleFlags, Universe};
use capitalbench_core::values::ids::OptionId;

fn option(id: &str, symbol: Option<&str>) -> MarketOption {
    let symbol = symbol.map(str::to_owned);
    MarketOption {
        id: OptionId::parse(id).expect("an id"),
        name: id.to_owned(),
        symbol: symbol.clone(),
        data_symbol: symbol,
        asset_class: "equity".into(),
        category: "made up".into(),
        group: "made_up".into(),
        risk_bucket: RiskBucket::Medium,
        exposure_description: "Nothing real.".into(),
        currency: "USD".into(),
        flags: RoleFlags::default(),
        listing: Listing::Shown,
        change: None,
    }
}

/// The reference, cash and sixty-eight others.
pub(crate) fn seventy_options() -> Universe {
    let mut options = vec![option("SP500", Some("SPY")), option("CASH", None)];
    for number in 1..=68 {
        let id = format!("OPTION{number}");
        options.push(option(&id, Some(&id)));
    }
    Universe::new(options).expect("a universe")
}
