//! `manifest.yaml` → [`Manifest`].

use std::collections::BTreeSet;

use capitalbench_core::asking::lanes::{Lane, Lanes};
use capitalbench_core::decision::control::own::OwnControl;
use capitalbench_core::decision::portfolio::Constraints;
use capitalbench_core::market::calendar::{Market, MarketFile, WindowRule, market_ids};
use capitalbench_core::round::failure_policy::FailurePolicy;
use capitalbench_core::round::manifest::{
    Manifest, Origins, Proof, Stream, SubmissionFormat, Window,
};
use capitalbench_core::round::methodology::Methodology;
use capitalbench_core::round::roster::Roster;
use capitalbench_core::values::ids::{ModelId, RoundId};
use capitalbench_core::values::time::{WrittenInstant, parse_day};
use serde::Deserialize;

use crate::disk::error::Fault;
use crate::format::round::controls::{self, StoredControl};
use crate::format::round::publish::{StoredPublish, published};
use crate::format::utf8;
use capitalbench_core::encoding::yaml::from_yaml;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Stored {
    round_id: RoundId,
    #[serde(default)]
    title: String,
    #[serde(default, rename = "description")]
    _description: String,
    #[serde(default, rename = "notes")]
    _notes: String,
    decision_date: Option<String>,
    decision_deadline: Option<String>,
    #[serde(default = "one_month")]
    horizon: String,
    #[serde(default)]
    entry_rule: String,
    #[serde(default)]
    exit_rule: String,
    window_rule: Option<String>,
    entry_date: Option<String>,
    exit_date: Option<String>,
    created_at: Option<String>,
    methodology_version: Option<String>,
    universe_version: Option<String>,
    market: Option<String>,
    own_market: Option<MarketFile>,
    submission_format: Option<String>,
    portfolio_constraints: Option<StoredConstraints>,
    model_roster_version: Option<String>,
    model_roster_frozen_at_utc: Option<String>,
    #[serde(default)]
    expected_model_ids: Vec<ModelId>,
    publication_stream: Option<String>,
    proof: Option<String>,
    price_source: Option<String>,
    second_price_source: Option<String>,
    #[serde(default)]
    provider_hosts: Vec<String>,
    largest_daily_move_bps: Option<u32>,
    failure_policy: Option<StoredPolicy>,
    #[serde(default)]
    controls: Vec<StoredControl>,
    lanes: Option<StoredLanes>,
    publish: Option<StoredPublish>,
    #[serde(rename = "paired_round_id")]
    _paired_round_id: Option<String>,
    #[serde(rename = "experiment_doc")]
    _experiment_doc: Option<String>,
}

fn one_month() -> String {
    "one month".to_owned()
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredConstraints {
    min_holdings: Option<u32>,
    max_holdings: Option<u32>,
    allocation_increment_pct: Option<u32>,
    min_allocation_pct: Option<u32>,
    max_total_allocation_pct: Option<u32>,
    allow_cash: Option<bool>,
    allow_benchmark_asset: Option<bool>,
    max_economic_exposure_pct: Option<u32>,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredPolicy {
    accept_from_pct: u32,
    at_least: u32,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredLanes {
    twins: Vec<String>,
    base: u32,
    twin: u32,
}

/// Reads a manifest; unknown keys are refused.
pub fn parse(bytes: &[u8]) -> Result<Manifest, Fault> {
    let stored: Stored = from_yaml(utf8(bytes)?)?;
    let format = match stored.submission_format.as_deref() {
        None | Some("single_pick") => SubmissionFormat::SinglePick,
        Some("portfolio") => SubmissionFormat::Portfolio,
        Some(_) => {
            let text = "must be single_pick or portfolio";
            return Err(Fault::field("submission_format", text));
        }
    };
    let stream = stored.publication_stream.as_deref();
    let stream = stream.map_or(Some(Stream::Primary), Stream::parse);
    let methodology = Methodology::from_label(stored.methodology_version.as_deref());
    let market = market(stored.market.as_deref(), stored.own_market)?;
    require_market_rules(market, &methodology)?;
    let controls = own_controls(stored.controls, &methodology)?;
    let lanes = lanes(stored.lanes, &methodology)?;
    let publish = published(stored.publish, &methodology)?;
    Ok(Manifest {
        market,
        round_id: stored.round_id,
        title: stored.title.trim().to_owned(),
        horizon: stored.horizon.trim().to_owned(),
        decision_date: day("decision_date", stored.decision_date.as_deref())?,
        decision_deadline: stamp("decision_deadline", stored.decision_deadline.as_deref())?,
        window: window(
            market,
            stored.entry_date.as_deref(),
            stored.exit_date.as_deref(),
        )?,
        window_rule: window_rule(stored.window_rule.as_deref())?,
        entry_rule: stored.entry_rule,
        exit_rule: stored.exit_rule,
        created_at: stamp("created_at", stored.created_at.as_deref())?,
        methodology,
        format,
        constraints: constraints(stored.portfolio_constraints)?,
        roster: roster(
            stored.model_roster_version,
            stored.model_roster_frozen_at_utc.as_deref(),
            stored.expected_model_ids,
        )?,
        universe_version: stored.universe_version,
        stream: stream.ok_or_else(|| {
            Fault::field("publication_stream", "must be primary, pilot or synthetic")
        })?,
        proof: proof(stored.proof.as_deref())?,
        origins: origins(
            stored.price_source,
            stored.second_price_source,
            stored.provider_hosts,
            stored.largest_daily_move_bps,
        )?,
        failure_policy: stored.failure_policy.map(failure_policy).transpose()?,
        controls,
        lanes,
        publish,
    })
}

fn proof(text: Option<&str>) -> Result<Proof, Fault> {
    let proof = text.map_or(Some(Proof::None), Proof::parse);
    proof.ok_or_else(|| Fault::field("proof", "must be none, signed or anchored"))
}

/// Where prices and replies come from, and how far a day may move.
fn origins(
    price_source: Option<String>,
    second_price_source: Option<String>,
    provider_hosts: Vec<String>,
    largest_daily_move_bps: Option<u32>,
) -> Result<Origins, Fault> {
    if largest_daily_move_bps == Some(0) {
        return Err(Fault::field("largest_daily_move_bps", "must be above zero"));
    }
    let hosts = provider_hosts.into_iter();
    Ok(Origins {
        price_source: word("price_source", price_source)?,
        second_price_source: word("second_price_source", second_price_source)?,
        provider_hosts: hosts
            .map(|host| filled("provider_hosts", host))
            .collect::<Result<_, _>>()?,
        largest_daily_move_bps,
    })
}

/// Rounds of earlier labels were asked once and have no lanes.
fn lanes(stored: Option<StoredLanes>, methodology: &Methodology) -> Result<Option<Lanes>, Fault> {
    let Some(stored) = stored else {
        return Ok(None);
    };
    if !methodology.may_have_lanes() {
        let text = "needs portfolio-v1.2 or single_pick-v1.2";
        return Err(Fault::field("lanes", text));
    }
    let lane = |word: &String| {
        Lane::parse(word).ok_or_else(|| {
            let known: Vec<&str> = Lane::TWINS.iter().map(|lane| lane.as_str()).collect();
            let text = format!("{word:?} is no lane; the lanes are {}", known.join(", "));
            Fault::field("lanes.twins", text)
        })
    };
    let lanes = Lanes {
        twins: stored.twins.iter().map(lane).collect::<Result<_, _>>()?,
        base: stored.base,
        twin: stored.twin,
    };
    match lanes.problem() {
        Some(problem) => Err(Fault::field("lanes", problem)),
        None => Ok(Some(lanes)),
    }
}

fn failure_policy(stored: StoredPolicy) -> Result<FailurePolicy, Fault> {
    let StoredPolicy {
        accept_from_pct,
        at_least,
    } = stored;
    if !(1..=100).contains(&accept_from_pct) {
        return Err(Fault::field("accept_from_pct", "must be 1 to 100"));
    }
    if at_least == 0 {
        return Err(Fault::field("at_least", "must be 1 or more"));
    }
    Ok(FailurePolicy {
        accept_from_pct,
        at_least,
    })
}

/// Rounds of earlier labels had the built-in controls only.
fn own_controls(
    stored: Vec<StoredControl>,
    methodology: &Methodology,
) -> Result<Vec<OwnControl>, Fault> {
    if !stored.is_empty() && !methodology.has_own_controls() {
        let text = "a round with configured controls needs portfolio-v1.2 or single_pick-v1.2";
        return Err(Fault::field("controls", text));
    }
    controls::own_controls("controls", stored)
}

fn word(field: &str, text: Option<String>) -> Result<Option<String>, Fault> {
    text.map(|text| filled(field, text)).transpose()
}

fn filled(field: &str, text: String) -> Result<String, Fault> {
    let odd = text.is_empty() || text.contains(|c: char| c.is_whitespace() || c.is_control());
    if odd {
        return Err(Fault::field(field, "must be a name without spaces"));
    }
    Ok(text)
}

/// Rounds of earlier labels were all of New York, so another market needs rules that speak of it.
fn require_market_rules(market: Market, methodology: &Methodology) -> Result<(), Fault> {
    if market == Market::default() || methodology.names_market() {
        return Ok(());
    }
    let text = format!("a round of {market} needs portfolio-v1.2 or single_pick-v1.2");
    Err(Fault::field("methodology_version", text))
}

/// The market of a round or universe: a shipped one by name, or an own one in full.
pub(crate) fn market(name: Option<&str>, own: Option<MarketFile>) -> Result<Market, Fault> {
    match (name, own) {
        (None, None) => Ok(Market::default()),
        (Some(name), None) => Market::shipped(name).ok_or_else(|| {
            let known: Vec<&str> = market_ids().collect();
            let text = format!(
                "{name:?} is not shipped; the shipped markets are {}, and another one stands in full \
                 under own_market",
                known.join(", ")
            );
            Fault::field("market", text)
        }),
        (None, Some(file)) => Market::own(file)
            .map_err(|error| Fault::field("own_market", error)),
        (Some(_), Some(_)) => {
            let text = "stands beside market; give one of the two";
            Err(Fault::field("own_market", text))
        }
    }
}

fn window(
    market: Market,
    entry: Option<&str>,
    exit: Option<&str>,
) -> Result<Option<Window>, Fault> {
    match (day("entry_date", entry)?, day("exit_date", exit)?) {
        (Some(entry), Some(exit)) if exit <= entry => {
            let text = format!("{exit} is not after entry_date {entry}");
            Err(Fault::field("exit_date", text))
        }
        (Some(entry), Some(exit)) => Ok(Some(Window {
            entry,
            exit,
            market,
        })),
        _ => Ok(None),
    }
}

fn window_rule(text: Option<&str>) -> Result<Option<WindowRule>, Fault> {
    let Some(text) = text else { return Ok(None) };
    let wrong = || {
        Fault::field(
            "window_rule",
            format!("{text:?} is not a known window rule"),
        )
    };
    WindowRule::parse(text).map(Some).ok_or_else(wrong)
}

fn day(field: &str, text: Option<&str>) -> Result<Option<jiff::civil::Date>, Fault> {
    let Some(text) = text else { return Ok(None) };
    let wrong = || Fault::field(field, format!("{text:?} is not a day like 2026-05-08"));
    parse_day(text).map(Some).ok_or_else(wrong)
}

fn stamp(field: &str, text: Option<&str>) -> Result<Option<WrittenInstant>, Fault> {
    let Some(text) = text else { return Ok(None) };
    let wrong = || {
        let example = "2026-05-11T01:00:00Z";
        Fault::field(field, format!("{text:?} is not an instant like {example}"))
    };
    WrittenInstant::parse(text).map(Some).ok_or_else(wrong)
}

fn constraints(stored: Option<StoredConstraints>) -> Result<Constraints, Fault> {
    let mut limits = Constraints::default();
    let Some(stored) = stored else {
        return Ok(limits);
    };
    for (target, value) in [
        (&mut limits.min_holdings, stored.min_holdings),
        (&mut limits.max_holdings, stored.max_holdings),
        (&mut limits.increment_pct, stored.allocation_increment_pct),
        (&mut limits.min_allocation_pct, stored.min_allocation_pct),
    ] {
        *target = value.unwrap_or(*target);
    }
    limits.allow_cash = stored.allow_cash.unwrap_or(true);
    limits.allow_reference = stored.allow_benchmark_asset.unwrap_or(true);
    limits.max_exposure_pct = stored.max_economic_exposure_pct;
    let mut problems = limits.problems();
    if stored.max_total_allocation_pct.unwrap_or(100) != 100 {
        problems.push("max_total_allocation_pct must be 100".into());
    }
    if problems.is_empty() {
        Ok(limits)
    } else {
        Err(Fault::field("portfolio_constraints", problems.join("; ")))
    }
}

fn roster(
    version: Option<String>,
    frozen_at: Option<&str>,
    model_ids: Vec<ModelId>,
) -> Result<Option<Roster>, Fault> {
    let frozen_at = stamp("model_roster_frozen_at_utc", frozen_at)?;
    let mut seen = BTreeSet::new();
    if let Some(id) = model_ids.iter().find(|id| !seen.insert(*id)) {
        let text = format!("{id} appears twice");
        return Err(Fault::field("expected_model_ids", text));
    }
    match (version, frozen_at, model_ids.is_empty()) {
        (None, None, true) => Ok(None),
        (Some(version), Some(frozen_at), false) => Ok(Some(Roster {
            version,
            frozen_at,
            model_ids,
        })),
        _ => {
            let text =
                "must be set together with model_roster_frozen_at_utc and expected_model_ids";
            Err(Fault::field("model_roster_version", text))
        }
    }
}
