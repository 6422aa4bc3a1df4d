use std::collections::BTreeMap;

use super::*;
use crate::asking::briefing;
use crate::market::calendar::Market;
use crate::market::universe::{Listing, MarketOption, RiskBucket, RoleFlags, Universe};
use crate::round::methodology::Enforcement;
use crate::values::ids::OptionId;

const KEYS: [&str; 11] = [
    "id",
    "name",
    "symbol",
    "asset_class",
    "category",
    "option_group",
    "risk_bucket",
    "exposure_description",
    "tiingo_symbol",
    "currency",
    "is_cash",
];

/// The shipped files keep one plain value per line, so a split reads them.
fn entries(yaml: &str) -> Vec<BTreeMap<&str, &str>> {
    let mut lines = yaml.lines().skip_while(|line| line.starts_with(['#', 'm']));
    assert_eq!(lines.next(), Some("options:"));
    let mut entries: Vec<BTreeMap<&str, &str>> = Vec::new();
    for line in lines {
        let (mark, pair) = line.split_at(2);
        let (key, value) = pair.split_once(": ").unwrap();
        assert!(!value.contains(": ") && !value.contains(" #"), "{line}");
        if mark == "- " {
            entries.push(BTreeMap::new());
        }
        let fresh = entries.last_mut().unwrap().insert(key, value).is_none();
        assert!(fresh, "{line}");
    }
    entries
}

fn option(entry: &BTreeMap<&str, &str>) -> MarketOption {
    let extra = usize::from(entry.contains_key("is_benchmark"));
    assert_eq!(entry.len(), KEYS.len() + extra);
    assert!(KEYS.iter().all(|key| entry.contains_key(key)));
    let symbol = |key| Some(entry[key].to_owned()).filter(|symbol| symbol != "null");
    MarketOption {
        id: OptionId::parse(entry["id"]).unwrap(),
        name: entry["name"].to_owned(),
        symbol: symbol("symbol"),
        data_symbol: symbol("tiingo_symbol"),
        asset_class: entry["asset_class"].to_owned(),
        category: entry["category"].to_owned(),
        group: entry["option_group"].to_owned(),
        risk_bucket: RiskBucket::parse(entry["risk_bucket"]).unwrap(),
        exposure_description: entry["exposure_description"].to_owned(),
        currency: entry["currency"].to_owned(),
        flags: RoleFlags {
            cash: entry["is_cash"] == "true",
            reference: entry.get("is_benchmark") == Some(&"true"),
        },
        listing: Listing::Shown,
        change: None,
    }
}

fn universe(version: &str) -> Universe {
    let yaml = shipped(version).unwrap();
    let market = yaml.lines().find_map(|line| line.strip_prefix("market: "));
    let market = market.map_or_else(Market::default, |id| Market::shipped(id).unwrap());
    let entries = entries(yaml);
    Universe::on(market, entries.iter().map(option).collect()).unwrap()
}

/// The versions of New York.
const NEW_YORK: [&str; 3] = ["v1.5", "v2.0", "v2.1"];

fn ids(version: &str) -> Vec<String> {
    let universe = universe(version);
    universe
        .options()
        .iter()
        .map(|o| o.id.to_string())
        .collect()
}

#[test]
fn each_file_is_a_universe_with_one_cash_and_one_reference() {
    assert_eq!(
        versions(),
        ["v1.5", "v2.0", "v2.1", "europe-v1", "crypto-v1"]
    );
    assert_eq!(shipped("v9"), None);
    for shipped in SHIPPED {
        let universe = universe(shipped.version);
        assert_eq!(universe.options().len(), shipped.options);
        let cash = universe.options().iter().filter(|o| o.is_cash()).count();
        let references = universe
            .options()
            .iter()
            .filter(|o| o.flags.reference)
            .count();
        assert_eq!((cash, references), (1, 1));
    }
}

#[test]
fn later_versions_keep_the_order_and_add() {
    let (first, second, third) = (ids("v1.5"), ids("v2.0"), ids("v2.1"));
    assert_eq!(second[..40], first[..]);
    let inserted = [
        "BROAD_AI_TECH",
        "AUTONOMOUS_ROBOTICS",
        "CYBERSECURITY",
        "SOLAR",
        "METALS_MINING",
    ];
    assert_eq!(third[..40], first[..]);
    assert_eq!(third[40..45], inserted);
    assert_eq!(third[45..], second[40..]);
    for version in NEW_YORK {
        for option in universe(version).options() {
            assert_eq!(universe("v2.1").get(&option.id), Some(option), "{version}");
        }
    }
}

#[test]
fn descriptions_are_neutral() {
    let universes = [DEFAULT_VERSION, "europe-v1", "crypto-v1"].map(universe);
    for option in universes.iter().flat_map(Universe::options) {
        for text in [&option.name, &option.exposure_description] {
            let problems = briefing::check(text, Enforcement::Refuse);
            assert!(problems.is_empty(), "{}: {problems:?}", option.id);
        }
        assert!(option.exposure_description.ends_with('.'), "{}", option.id);
    }
}

#[test]
fn universes_of_other_markets_have_their_reference_and_currency_and_wait_for_a_live_source() {
    for (version, market, reference, currency) in [
        ("v2.1", "XNYS", "S&P 500", "USD"),
        ("europe-v1", "XETR", "STOXX Europe 600", "EUR"),
        ("crypto-v1", "24/7", "Bitcoin", "USD"),
    ] {
        let found = universe(version);
        assert_eq!(found.market().id(), market);
        assert_eq!(found.reference().name, reference);
        assert_eq!(found.currency(), currency);
        let shipped = SHIPPED.iter().find(|own| own.version == version).unwrap();
        let marked = shipped
            .yaml
            .starts_with("# Not yet validated against a live source");
        let waits = shipped.standing == UniverseStanding::NotYetValidated;
        assert_eq!(
            (marked, waits),
            (market != "XNYS", market != "XNYS"),
            "{version}"
        );
        assert!((15..=70).contains(&shipped.options));
        let like_cash = found
            .options()
            .iter()
            .filter(|option| option.accrues_like_cash());
        // A token that is worth a dollar pays no interest, so a price that stands still is no fault.
        assert_eq!(like_cash.count() > 0, market != "24/7", "{version}");
    }
}

#[test]
fn an_option_in_another_currency_is_refused_with_its_name() {
    let mut options = universe("europe-v1").options().to_vec();
    options[9].currency = "USD".to_owned();
    let error = Universe::on(Market::shipped("XETR").unwrap(), options).unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with("option EUROPE_SMALL is quoted in USD"),
        "{error}"
    );
}
