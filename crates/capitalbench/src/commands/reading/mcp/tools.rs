//! What an assistant may ask: every tool reads, and none of them writes, pays or trades.

use std::collections::BTreeSet;

use capitalbench_archive::verify::{Reader, verify_for};
use capitalbench_core::evidence::explanation::explain;
use capitalbench_core::publication::Publication;
use capitalbench_core::values::ids::{ModelId, RoundId};
use capitalbench_export::publication_v1::{self, object};
use capitalbench_export::table::Table;
use capitalbench_export::tables::{behaviour, boards, outcomes, rounds, statistics};
use capitalbench_operations::operator::clock::now_or;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use crate::cli::{Rounds, TrackName};
use crate::commands::checking::verify;
use crate::commands::publishing::published::{load_again, load_standings_again, unknown};
use crate::commands::reading::{explain as explaining, leaderboard};
use crate::error::Error;

/// Rounds in an answer unless the assistant asks for another number, and at most.
const USUAL_ROUNDS: usize = 20;
const MOST_ROUNDS: usize = 100;
/// Findings of one round in an answer.
const MOST_FINDINGS: usize = 50;
/// Members of a round that may be long, and whether they are shown when nothing is said.
const PARTS: [(&str, bool); 9] = [
    ("submissions", true),
    ("missing_answers", true),
    ("explanations", true),
    ("result", true),
    ("controls", false),
    ("entry_prices", false),
    ("interim", false),
    ("lane_answers", false),
    ("artifact_hashes", false),
];

/// A tool: its name, what it tells, its arguments, and the function behind it.
struct Tool {
    name: &'static str,
    about: &'static str,
    arguments: fn() -> Value,
    run: fn(Value, &Rounds) -> Result<Value, Error>,
}

const TOOLS: [Tool; 7] = [
    Tool {
        name: "boards",
        about: "How models stand: the current comparison set of each track with intervals, or one set by its id.",
        arguments: || json!({"track": track(), "set_id": text("A comparison set")}),
        run: |given, folder| show_boards(&read(given)?, folder),
    },
    Tool {
        name: "rounds",
        about: "Rounds from the newest on, with state, window and digest.",
        arguments: || {
            let limit = json!({"type": "integer", "minimum": 1, "maximum": MOST_ROUNDS, "default": USUAL_ROUNDS});
            let skip = json!({"type": "integer", "minimum": 0, "description": "Rounds to leave out at the beginning"});
            let state = text("draft, pending, overdue, resolved, voided or abandoned");
            json!({"track": track(), "state": state, "limit": limit, "skip": skip})
        },
        run: |given, folder| list_rounds(&read(given)?, folder),
    },
    Tool {
        name: "round",
        about: "One round: rules, decisions and, once it is resolved, its result. `parts` adds long lists.",
        arguments: || {
            let names = PARTS.map(|(name, _)| name);
            let parts = json!({"type": "array", "items": {"enum": names}, "description": "What to show of it"});
            json!({"round_id": text("The round"), "parts": parts})
        },
        run: |given, folder| one_round(read(given)?, folder),
    },
    Tool {
        name: "models",
        about: "Every model with its record over all its rounds, by track.",
        arguments: || json!({}),
        run: |given, folder| list_models(read(given)?, folder),
    },
    Tool {
        name: "model",
        about: "One model: its record, how it decides, its statistics and its newest outcomes.",
        arguments: || json!({"model_id": text("The model")}),
        run: |given, folder| one_model(&read(given)?, folder),
    },
    Tool {
        name: "explain",
        about: "Whether the record of a model differs from luck, in sentences with their figures.",
        arguments: || json!({"model_id": text("The model"), "track": track()}),
        run: |given, folder| explained(&read(given)?, folder),
    },
    Tool {
        name: "verify",
        about: "Derives one round, or all of them, again from its files and lists what does not hold.",
        arguments: || json!({"round_id": text("The round; all rounds where it is left out")}),
        run: |given, folder| verified(&read(given)?, folder),
    },
];

fn text(meaning: &str) -> Value {
    json!({"type": "string", "description": meaning})
}

fn track() -> Value {
    json!({"enum": ["weekly", "monthly"], "description": "Only this track"})
}

/// The tools as the protocol lists them.
pub(super) fn list() -> Vec<Value> {
    let listed = TOOLS.iter().map(|tool| {
        let properties = (tool.arguments)();
        let needed = ["round_id", "model_id"]
            .into_iter()
            .filter(|name| tool.name != "verify" && properties.get(name).is_some());
        let needed: Vec<&str> = needed.collect();
        json!({
            "name": tool.name,
            "description": tool.about,
            "inputSchema": {
                "type": "object",
                "properties": properties,
                "required": needed,
                "additionalProperties": false,
            },
            "annotations": {"readOnlyHint": true, "openWorldHint": false},
        })
    });
    listed.collect()
}

/// What a tool tells; none where there is no such tool.
pub(super) fn call(name: &str, given: Value, folder: &Rounds) -> Option<Result<Value, Error>> {
    let tool = TOOLS.iter().find(|tool| tool.name == name)?;
    Some((tool.run)(given, folder))
}

fn read<T: DeserializeOwned>(given: Value) -> Result<T, Error> {
    let read = serde_json::from_value(given);
    read.map_err(|error| Error::new(format!("arguments: {error}")))
}

#[derive(Deserialize, Clone, Copy)]
#[serde(rename_all = "lowercase")]
enum TrackWord {
    Weekly,
    Monthly,
}

impl TrackWord {
    fn name(self) -> TrackName {
        match self {
            Self::Weekly => TrackName::Weekly,
            Self::Monthly => TrackName::Monthly,
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Nothing {}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OfBoards {
    track: Option<TrackWord>,
    set_id: Option<String>,
}

fn show_boards(given: &OfBoards, folder: &Rounds) -> Result<Value, Error> {
    let standings = load_standings_again(folder)?;
    let tracks = TrackName::tracks(given.track.map(TrackWord::name));
    leaderboard::documents(&standings, given.set_id.as_deref(), &tracks)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OfRounds {
    track: Option<TrackWord>,
    state: Option<String>,
    limit: Option<usize>,
    skip: Option<usize>,
}

fn list_rounds(given: &OfRounds, folder: &Rounds) -> Result<Value, Error> {
    let public = load_again(folder)?;
    let track = given.track.map(|word| word.name().track());
    let is_meant = |row: &Map<String, Value>| {
        let is = |name: &str, wanted: Option<&str>| wanted.is_none() || word(row, name) == wanted;
        is(
            "track",
            track.map(capitalbench_core::round::manifest::Track::as_str),
        ) && is("state", given.state.as_deref())
    };
    let found = objects(&rounds::ROUNDS, &public, |row| is_meant(row));
    let limit = given.limit.unwrap_or(USUAL_ROUNDS).min(MOST_ROUNDS);
    let shown = found.iter().rev().skip(given.skip.unwrap_or(0)).take(limit);
    let shown: Vec<&Value> = shown.collect();
    Ok(json!({"as_of": public.as_of.to_string(), "count": found.len(), "rounds": shown}))
}

/// The rows of a table that are meant.
fn objects(
    table: &Table,
    public: &Publication,
    is_meant: impl Fn(&Map<String, Value>) -> bool,
) -> Vec<Value> {
    let rows = table.rows(public).into_iter();
    let rows = rows.map(|row| object(table, row));
    rows.filter(|row| is_meant(row))
        .map(Value::Object)
        .collect()
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OfRound {
    round_id: String,
    parts: Option<Vec<String>>,
}

fn one_round(given: OfRound, folder: &Rounds) -> Result<Value, Error> {
    let public = load_again(folder)?;
    let found = public
        .rounds
        .iter()
        .find(|round| round.id().as_str() == given.round_id);
    let Some(round) = found else {
        let known: Vec<&str> = public.rounds.iter().map(|own| own.id().as_str()).collect();
        return Err(unknown("public round", &given.round_id, &known));
    };
    let usual = PARTS.iter().filter(|(_, usual)| *usual);
    let usual = || usual.map(|(name, _)| (*name).to_owned()).collect();
    let parts: Vec<String> = given.parts.unwrap_or_else(usual);
    let known = PARTS.map(|(name, _)| name);
    if let Some(other) = parts.iter().find(|part| !known.contains(&part.as_str())) {
        return Err(unknown("part", other, &known));
    }
    let mut told = publication_v1::round(round);
    if let Value::Object(members) = &mut told {
        let is_shown = |name: &str| parts.iter().any(|part| part == name);
        members.retain(|name, _| !known.contains(&name.as_str()) || is_shown(name));
        if let Some(Value::Object(result)) = members.get_mut("result")
            && !is_shown("entry_prices")
        {
            result.retain(|name, _| name != "exit_prices");
        }
    }
    Ok(json!({"as_of": public.as_of.to_string(), "round": told}))
}

fn list_models(_: Nothing, folder: &Rounds) -> Result<Value, Error> {
    let public = load_again(folder)?;
    Ok(json!({
        "as_of": public.as_of.to_string(),
        "models": objects(&rounds::MODELS, &public, |_| true),
        "records": objects(&boards::CUMULATIVE, &public, |_| true),
    }))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OfModel {
    model_id: String,
    track: Option<TrackWord>,
}

fn one_model(given: &OfModel, folder: &Rounds) -> Result<Value, Error> {
    let public = load_again(folder)?;
    let id = explaining::known_model(&public, &given.model_id)?;
    let of = |table: &Table| {
        objects(table, &public, |row| {
            word(row, "model_id") == Some(id.as_str())
        })
    };
    let recent = |table: &Table| {
        let own = own_rounds(table, &public, &id);
        own.into_iter().rev().take(USUAL_ROUNDS).collect::<Vec<_>>()
    };
    Ok(json!({
        "as_of": public.as_of.to_string(),
        "model": of(&rounds::MODELS),
        "records": of(&boards::CUMULATIVE),
        "behaviour": of(&behaviour::BEHAVIOUR),
        "statistics": of(&statistics::STATISTICS),
        "newest_outcomes": recent(&outcomes::OUTCOMES),
    }))
}

/// Rows by round, which keep the id that the model had then.
fn own_rounds(table: &Table, public: &Publication, id: &ModelId) -> Vec<Value> {
    let own = public.rounds.iter().filter_map(|round| {
        let standing = round.standing(id)?;
        Some((round.id().as_str(), standing.model_id().as_str()))
    });
    let own: BTreeSet<(&str, &str)> = own.collect();
    objects(table, public, |row| {
        let pair = word(row, "round_id").zip(word(row, "model_id"));
        pair.is_some_and(|pair| own.contains(&pair))
    })
}

fn word<'a>(row: &'a Map<String, Value>, name: &str) -> Option<&'a str> {
    row.get(name)?.as_str()
}

fn explained(given: &OfModel, folder: &Rounds) -> Result<Value, Error> {
    let public = load_again(folder)?;
    let id = explaining::known_model(&public, &given.model_id)?;
    let tracks = TrackName::tracks(given.track.map(TrackWord::name)).into_iter();
    let told = tracks.map(|track| (track, explain(&public, &id, track)));
    Ok(explaining::as_json(&public, &id, &told.collect::<Vec<_>>()))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OfVerify {
    round_id: Option<String>,
}

fn verified(given: &OfVerify, folder: &Rounds) -> Result<Value, Error> {
    let mut path = folder.folder.clone();
    if let Some(text) = &given.round_id {
        // An id cannot lead out of the folder of rounds.
        let id = RoundId::parse(text).map_err(|error| Error::new(format!("round_id: {error}")))?;
        path.push(id.as_str());
    }
    let now = now_or(folder.as_of);
    let report = verify_for(&Reader::default(), &path, now, &|| ())?;
    let mut told = verify::as_json(&report);
    for round in told["rounds"].as_array_mut().into_iter().flatten() {
        let Some(findings) = round["findings"].as_array_mut() else {
            continue;
        };
        let left_out = findings.len().saturating_sub(MOST_FINDINGS);
        findings.truncate(MOST_FINDINGS);
        if left_out > 0 {
            round["findings_left_out"] = left_out.into();
        }
    }
    Ok(told)
}
