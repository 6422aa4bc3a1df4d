//! The fields of `league.yaml` as they are written, and what they settle.

use capitalbench_core::asking::cost::Cost;
use capitalbench_core::asking::lanes::{Lane, Lanes};
use capitalbench_core::decision::control::own::OwnControl;
use capitalbench_core::league::settings::{
    BriefingSource, Budget, Cadence, LaneSettings, League, LeagueCalls, TrackSchedule,
};
use capitalbench_core::round::failure_policy::FailurePolicy;
use capitalbench_core::round::manifest::{Proof, SubmissionFormat, Track};
use jiff::SignedDuration;
use serde::Deserialize;
use serde_json::Value;

use super::clocks::{Clocks, clocks};
use super::entrants::{Entrants, entrants};
use super::messages::{Messages, messages};
use super::naming::{accent, address, league_name, logo, prefix};
use super::prices::{Prices, prices};
use super::publishing::{Publication, Publish, publication, published};
use super::witnesses::{StoredWitnesses, witnesses};
use super::words::{FIRST_SESSION, basis_points, duration, line, money, one_of, universe, weekday};
use crate::disk::error::Fault;
use crate::format::round::controls::own_controls;

/// The longest time between the opening of a round and its deadline.
const LONGEST_ASKING: SignedDuration = SignedDuration::from_hours(4 * 24);
/// The earliest deadline before the opening of the exchange.
const EARLIEST_DEADLINE: SignedDuration = SignedDuration::from_hours(12);
/// One of so many rounds has lanes, unless the file says otherwise.
const USUAL_LANES: u32 = 4;
const FORMATS: [(&str, SubmissionFormat); 2] = [
    ("portfolio", SubmissionFormat::Portfolio),
    ("single_pick", SubmissionFormat::SinglePick),
];
const PROOFS: [(&str, Proof); 3] = [
    ("none", Proof::None),
    ("signed", Proof::Signed),
    ("anchored", Proof::Anchored),
];

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields)]
pub(super) struct Stored {
    name: Option<String>,
    address: Option<String>,
    accent: Option<String>,
    logo: Option<String>,
    prefix: Option<String>,
    allow_real_api_calls: Option<bool>,
    tracks: Option<Tracks>,
    opens_before_deadline: Option<String>,
    deadline_before_open: Option<String>,
    universe: Option<String>,
    format: Option<String>,
    models: Option<String>,
    pricing: Option<String>,
    /// Whether there are any, or the further ones.
    controls: Option<Value>,
    /// A word, or one of `{facts, audit, briefing}` and `{command}`.
    briefing: Option<Value>,
    failure_policy: Option<Policy>,
    lanes: Option<StoredLanes>,
    budget: Option<StoredBudget>,
    prices: Option<Prices>,
    proof: Option<String>,
    clocks: Option<Clocks>,
    witnesses: Option<StoredWitnesses>,
    entrants: Option<Entrants>,
    publication: Option<Publication>,
    publish: Option<Publish>,
    messages: Option<Messages>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Tracks {
    weekly: Option<String>,
    monthly: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Policy {
    accept_from: Option<String>,
    at_least: Option<u32>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredLanes {
    twins: Vec<String>,
    every: Option<u32>,
    base: Option<u32>,
    twin: Option<u32>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredBudget {
    per_round: Option<Value>,
    per_month: Option<Value>,
}

impl Stored {
    pub(super) fn league(self, folder: &str) -> Result<League, Fault> {
        let name = league_name(self.name.as_deref(), folder)?;
        let usual = League::named(&name);
        let prefix = self.prefix.as_deref().map(prefix).transpose()?;
        let length = |field, text: Option<String>, usual, (least, most)| {
            within(field, text.as_deref(), usual, least, most)
        };
        let minute = SignedDuration::from_mins(1);
        let controls = controls(self.controls)?;
        let text = |field, value: Option<String>| {
            value.as_deref().map(|value| line(field, value)).transpose()
        };
        Ok(League {
            // Whoever reads the universe sets it: the file names the universe only.
            market: usual.market,
            prefix: prefix.unwrap_or(usual.prefix),
            address: self.address.as_deref().map(address).transpose()?,
            accent: self.accent.as_deref().map(accent).transpose()?,
            logo: self.logo.as_deref().map(logo).transpose()?,
            calls: calls(self.allow_real_api_calls),
            tracks: tracks(self.tracks, usual.tracks)?,
            opens_before_deadline: length(
                "opens_before_deadline",
                self.opens_before_deadline,
                usual.opens_before_deadline,
                (minute, LONGEST_ASKING),
            )?,
            deadline_before_open: length(
                "deadline_before_open",
                self.deadline_before_open,
                usual.deadline_before_open,
                (SignedDuration::ZERO, EARLIEST_DEADLINE),
            )?,
            universe: self
                .universe
                .as_deref()
                .map_or(Ok(usual.universe), universe)?,
            format: match self.format.as_deref() {
                None => usual.format,
                Some(word) => one_of("format", word, &FORMATS)?,
            },
            models: text("models", self.models)?.unwrap_or(usual.models),
            pricing: text("pricing", self.pricing)?,
            controls: controls.0,
            own_controls: controls.1,
            briefing: briefing(self.briefing)?,
            failure_policy: failure_policy(self.failure_policy, usual.failure_policy)?,
            lanes: self.lanes.as_ref().map(lanes).transpose()?,
            budget: budget(self.budget, usual.budget)?,
            prices: prices(self.prices, usual.prices)?,
            proof: match self.proof.as_deref() {
                None => usual.proof,
                Some(word) => one_of("proof", word, &PROOFS)?,
            },
            clocks: clocks(self.clocks)?,
            witnesses: witnesses(self.witnesses)?,
            entrants: self.entrants.map(entrants).transpose()?,
            publication: publication(self.publication, usual.publication)?,
            publish: published(self.publish, usual.publish)?,
            messages: messages(self.messages)?,
            name,
        })
    }
}

fn calls(are_real: Option<bool>) -> LeagueCalls {
    if are_real == Some(true) {
        LeagueCalls::Real
    } else {
        LeagueCalls::Rehearsed
    }
}

/// Whether control entrants stand beside the models, and the configured ones.
fn controls(given: Option<Value>) -> Result<(bool, Vec<OwnControl>), Fault> {
    match given {
        None => Ok((true, Vec::new())),
        Some(Value::Bool(are_there)) => Ok((are_there, Vec::new())),
        Some(list @ Value::Array(_)) => {
            let stored = serde_json::from_value(list)
                .map_err(|error| Fault::field("controls", error.to_string()))?;
            Ok((true, own_controls("controls", stored)?))
        }
        Some(_) => {
            let text = "must be true, false or a list such as [{name: 60/40, hold: {SP500: 60, \
                        BONDS: 40}}, {name: Balanced, symbol: AOR}]";
            Err(Fault::field("controls", text))
        }
    }
}

fn within(
    field: &str,
    text: Option<&str>,
    usual: SignedDuration,
    least: SignedDuration,
    most: SignedDuration,
) -> Result<SignedDuration, Fault> {
    let Some(text) = text else { return Ok(usual) };
    let length = duration(field, text)?;
    if length < least || length > most {
        let (least, most) = (least.as_mins(), most.as_hours());
        let problem = format!("must be from {least} minutes to {most} hours");
        return Err(Fault::field(field, problem));
    }
    Ok(length)
}

fn tracks(given: Option<Tracks>, usual: Vec<TrackSchedule>) -> Result<Vec<TrackSchedule>, Fault> {
    let Some(given) = given else { return Ok(usual) };
    let mut tracks = Vec::new();
    if let Some(day) = &given.weekly {
        tracks.push(TrackSchedule {
            track: Track::Weekly,
            cadence: weekday("tracks.weekly", day)?,
        });
    }
    if let Some(cadence) = &given.monthly {
        let known = [(FIRST_SESSION, Cadence::FirstSession)];
        tracks.push(TrackSchedule {
            track: Track::Monthly,
            cadence: one_of("tracks.monthly", cadence, &known)?,
        });
    }
    if tracks.is_empty() {
        let problem = "names no track; write `weekly: monday`, `monthly: first session` or both";
        return Err(Fault::field("tracks", problem));
    }
    Ok(tracks)
}

fn briefing(given: Option<Value>) -> Result<BriefingSource, Fault> {
    let wrong = || {
        let problem = "must be mechanical, {command: COMMAND}, or the three files {facts: FILE, \
                       audit: FILE, briefing: FILE}";
        Fault::field("briefing", problem)
    };
    let fields = match given {
        None => return Ok(BriefingSource::Mechanical),
        Some(Value::String(word)) if word == "mechanical" => return Ok(BriefingSource::Mechanical),
        Some(Value::Object(fields)) => fields,
        Some(_) => return Err(wrong()),
    };
    let text = |name: &str| {
        let value = fields.get(name)?.as_str()?;
        Some(line(&format!("briefing.{name}"), value))
    };
    match (
        text("command"),
        text("facts"),
        text("audit"),
        text("briefing"),
    ) {
        (Some(command), None, None, None) if fields.len() == 1 => {
            Ok(BriefingSource::Command(command?))
        }
        (None, Some(facts), Some(audit), Some(briefing)) => Ok(BriefingSource::Files {
            facts: facts?,
            audit: audit?,
            briefing: briefing?,
        }),
        _ => Err(wrong()),
    }
}

fn failure_policy(given: Option<Policy>, usual: FailurePolicy) -> Result<FailurePolicy, Fault> {
    let Some(given) = given else { return Ok(usual) };
    let share = |text: &str| {
        let field = "failure_policy.accept_from";
        let wrong = || Fault::field(field, "must be a whole share from 1% to 100%");
        let share = basis_points(field, text)?;
        let is_whole = share.is_multiple_of(100) && (100..=10_000).contains(&share);
        is_whole.then_some(share / 100).ok_or_else(wrong)
    };
    if given.at_least == Some(0) {
        return Err(Fault::field("failure_policy.at_least", "must be 1 or more"));
    }
    Ok(FailurePolicy {
        accept_from_pct: match given.accept_from.as_deref() {
            None => usual.accept_from_pct,
            Some(text) => share(text)?,
        },
        at_least: given.at_least.unwrap_or(usual.at_least),
    })
}

fn lanes(given: &StoredLanes) -> Result<LaneSettings, Fault> {
    let known = Lane::TWINS.map(|lane| (lane.as_str(), lane));
    let twins = given.twins.iter();
    let twins = twins.map(|word| one_of("lanes.twins", word, &known));
    let lanes = Lanes {
        twins: twins.collect::<Result<_, _>>()?,
        base: given.base.unwrap_or(2),
        twin: given.twin.unwrap_or(2),
    };
    if let Some(problem) = lanes.problem() {
        return Err(Fault::field("lanes", problem));
    }
    match given.every.unwrap_or(USUAL_LANES) {
        0 => Err(Fault::field(
            "lanes.every",
            "must be 1 or more: one of so many rounds",
        )),
        every => Ok(LaneSettings { lanes, every }),
    }
}

fn budget(given: Option<StoredBudget>, usual: Budget) -> Result<Budget, Fault> {
    let Some(given) = given else { return Ok(usual) };
    let sum = |field: &str, value: Option<Value>, usual: Option<Cost>| match value {
        None => Ok(usual),
        Some(value) => money(field, &value),
    };
    Ok(Budget {
        per_round: sum("budget.per_round", given.per_round, usual.per_round)?,
        per_month: sum("budget.per_month", given.per_month, usual.per_month)?,
    })
}
