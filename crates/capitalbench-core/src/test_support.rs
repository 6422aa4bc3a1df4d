//! Builders that the tests of several modules share: one small universe and what is made from it.

use serde_json::{Map, Value, json};

use crate::decision::portfolio::{Constraints, Holding, HoldingForecast};
use crate::decision::submission::{Decision, Forecast, RunFields, Submission};
use crate::market::calendar::Market;
use crate::market::prices::{PriceSheet, Quote};
use crate::market::published_prices::PublishedPrices;
use crate::market::universe::{Listing, MarketOption, RiskBucket, RoleFlags, Universe};
use crate::round::manifest::{Manifest, Proof, Stream, SubmissionFormat};
use crate::round::methodology::Methodology;
use crate::values::ids::{ModelId, OptionId, RoundId};
use crate::values::time::parse_day;
use crate::values::units::{BasisPoints, Price};

/// The round of every builder here.
pub(crate) const ROUND: &str = "CB-TEST-1W";

/// An option; the id `CASH` gives one without a ticker.
pub(crate) fn option(id: &str, symbol: &str) -> MarketOption {
    let cash = id.eq_ignore_ascii_case("cash");
    let ticker = (!cash).then(|| symbol.to_owned());
    MarketOption {
        id: option_id(id),
        name: id.to_owned(),
        symbol: ticker.clone(),
        data_symbol: ticker,
        asset_class: "equity".into(),
        category: "test".into(),
        group: "test_group".into(),
        risk_bucket: RiskBucket::Medium,
        exposure_description: "A test exposure.".into(),
        currency: "USD".into(),
        flags: RoleFlags::default(),
        listing: Listing::Shown,
        change: None,
    }
}

/// Options with the id as ticker; SP500 is SPY.
pub(crate) fn universe_of(ids: &[&str]) -> Universe {
    let symbol = |id: &str| if id == "SP500" { "SPY" } else { id }.to_owned();
    let options = ids.iter().map(|id| option(id, &symbol(id))).collect();
    Universe::new(options).unwrap()
}

/// AAA, BBB, CCC, the reference and cash.
pub(crate) fn universe() -> Universe {
    universe_of(&["AAA", "BBB", "CCC", "SP500", "CASH"])
}

pub(crate) fn option_id(id: &str) -> OptionId {
    OptionId::parse(id).unwrap()
}

pub(crate) fn price(value: f64) -> Price {
    Price::new(value).unwrap()
}

/// A row that has only an adjusted close.
pub(crate) fn quote(key: &str, value: f64) -> Quote {
    Quote {
        key: key.to_owned(),
        date: None,
        close: None,
        adjusted: Price::new(value),
        price: None,
        index: None,
        source: None,
    }
}

/// A row as a price source writes it: both closes, a day and a source.
pub(crate) fn full_quote(key: &str, value: f64, day: &str) -> Quote {
    Quote {
        date: Some(parse_day(day).unwrap()),
        close: Price::new(value),
        source: Some("test_source".into()),
        ..quote(key, value)
    }
}

/// A sheet of adjusted closes.
pub(crate) fn sheet(rows: &[(&str, f64)]) -> PriceSheet {
    let quotes = rows.iter().map(|(key, value)| quote(key, *value));
    PriceSheet::new(quotes.collect()).unwrap()
}

/// Two sheets over which each option returns what is given; cash is not priced.
pub(crate) fn sheets_for(returns: &[(&str, f64)]) -> (PriceSheet, PriceSheet) {
    let entry: Vec<(&str, f64)> = returns.iter().map(|(id, _)| (*id, 100.0)).collect();
    let exit: Vec<(&str, f64)> = returns
        .iter()
        .map(|(id, value)| (*id, 100.0 + 100.0 * value))
        .collect();
    (sheet(&entry), sheet(&exit))
}

pub(crate) fn holding(id: &str, percent: u32) -> Holding {
    Holding {
        option_id: option_id(id),
        weight: BasisPoints::from_percent(percent),
        rationale: "x".into(),
        forecast: HoldingForecast::default(),
    }
}

pub(crate) fn submission(model: &str, decision: Decision) -> Submission {
    Submission {
        round_id: RoundId::parse(ROUND).unwrap(),
        model_id: ModelId::parse(model).unwrap(),
        provider: "openai".into(),
        mode: "closed_capability".into(),
        decision,
        confidence: 0.5,
        rationale_summary: "x".into(),
        portfolio_rationale: None,
        key_risks: Vec::new(),
        forecast: Forecast::default(),
        ledger: None,
        run: RunFields::default(),
        usage: None,
        cost_usd: None,
        metadata: Map::new(),
    }
}

pub(crate) fn pick(model: &str, id: &str) -> Submission {
    submission(model, Decision::SinglePick(option_id(id)))
}

/// A portfolio of (option, percent) in the order given.
pub(crate) fn portfolio(model: &str, holdings: &[(&str, u32)]) -> Submission {
    let holdings = holdings.iter().map(|(id, percent)| holding(id, *percent));
    submission(model, Decision::Portfolio(holdings.collect()))
}

/// The rules of the round under a label; its prefix decides between pick and portfolio.
pub(crate) fn manifest(label: &str) -> Manifest {
    let format = if label.starts_with("single_pick") {
        SubmissionFormat::SinglePick
    } else {
        SubmissionFormat::Portfolio
    };
    Manifest {
        round_id: RoundId::parse(ROUND).unwrap(),
        title: "Test".into(),
        horizon: "one week".into(),
        decision_date: None,
        decision_deadline: None,
        market: Market::default(),
        window: None,
        window_rule: None,
        entry_rule: String::new(),
        exit_rule: String::new(),
        created_at: None,
        methodology: Methodology::from_label(Some(label)),
        universe_version: None,
        format,
        constraints: Constraints::default(),
        roster: None,
        stream: Stream::Primary,
        proof: Proof::None,
        origins: crate::round::manifest::Origins::default(),
        failure_policy: None,
        controls: Vec::new(),
        lanes: None,
        publish: PublishedPrices::Full,
    }
}

/// What every payload of an official run carries besides its decision.
pub(crate) fn payload_base() -> Value {
    json!({
        "round_id": ROUND,
        "model_id": "model-a",
        "provider": "openai",
        "mode": "closed_capability",
        "run_type": "official",
        "replicate_index": 1,
        "replicate_count": 1,
        "is_official_score": true,
    })
}

/// Sets the value at a dotted path such as `portfolio.0.rationale`; the parent must exist.
pub(crate) fn set(payload: &mut Value, path: &str, value: Value) {
    match place(payload, path) {
        (Value::Object(object), name) => _ = object.insert(name.to_owned(), value),
        (Value::Array(items), name) => items[name.parse::<usize>().unwrap()] = value,
        (other, _) => panic!("{path} is inside {other}"),
    }
}

/// Removes the value at a dotted path.
pub(crate) fn unset(payload: &mut Value, path: &str) {
    match place(payload, path) {
        (Value::Object(object), name) => _ = object.remove(name).unwrap(),
        (Value::Array(items), name) => _ = items.remove(name.parse().unwrap()),
        (other, _) => panic!("{path} is inside {other}"),
    }
}

fn place<'v, 'p>(payload: &'v mut Value, path: &'p str) -> (&'v mut Value, &'p str) {
    let Some((parents, name)) = path.rsplit_once('.') else {
        return (payload, path);
    };
    let pointer = format!("/{}", parents.replace('.', "/"));
    let parent = payload.pointer_mut(&pointer);
    (parent.unwrap_or_else(|| panic!("no {parents}")), name)
}
