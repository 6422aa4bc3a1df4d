//! Sends what differs, in few requests that each hold as a whole.

use std::collections::BTreeSet;

use capitalbench_core::ids::RoundId;
use serde_json::{Value, json};

use crate::delta::{CATALOG, Delta, round_part};
use crate::gateway::{Counts, Gateway, GatewayError, State};
use crate::log_files::{EDGE, PARTS};
use crate::migrations::NEEDED;
use crate::round_files::RoundFiles;

/// Parts travel together up to this many bytes of JSON.
pub const REQUEST_BYTES: usize = 4 << 20;

/// What is to be brought up to date.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Scope {
    /// One round with what it needs; nothing is removed.
    Round(RoundId),
    /// Every round; nothing is removed, and boards stay as they are.
    Rounds,
    /// Everything, and what is no longer public is removed.
    Whole,
}

/// What a sync did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Synced {
    /// Requests that were sent, the question for the state among them.
    pub requests: usize,
    /// Archives of files that went into the storage.
    pub uploads: usize,
    /// What changed.
    pub counts: Counts,
}

/// Brings a database up to date with a publication in requests of about this many bytes; `tick` is
/// called before each of them with the parts done so far and in all. Files that changed are in the
/// storage before the row that names them, and those before them go once no row does, as does what an
/// earlier sync left there that failed.
pub async fn sync<G: Gateway>(
    gateway: &G,
    delta: &Delta,
    (scope, bytes): (&Scope, usize),
    tick: &(dyn Fn(usize, usize) + Sync),
) -> Result<Synced, GatewayError> {
    let state = gateway.state().await?;
    let found = state.schema_version.unwrap_or_default();
    if state.format != 1 || found != NEEDED {
        return Err(GatewayError::OtherSchema {
            found,
            needed: NEEDED,
        });
    }
    let differs = |name: &&String| {
        delta.parts.get(*name).map(crate::delta::Part::digest) != state.parts.get(*name).cloned()
    };
    let wanted: Vec<&String> = delta
        .parts
        .keys()
        .filter(|name| in_scope(name, scope))
        .filter(differs)
        .collect();
    let removed: Vec<&String> = match scope {
        Scope::Round(_) | Scope::Rounds => Vec::new(),
        Scope::Whole => {
            let parts = state.parts.keys();
            parts
                .filter(|name| !delta.parts.contains_key(*name))
                .collect()
        }
    };
    let place = |name: &str| place(gateway, delta, name);
    let requests = plan(delta, (scope, bytes), (&wanted, &removed), &place);
    let total = wanted.len();
    let (mut synced, mut done) = (Synced::default(), 0);
    synced.requests = 1;
    for request in requests {
        tick(done, total);
        done += request["parts"].as_array().map_or(0, Vec::len);
        synced.uploads += upload(gateway, delta, &state, &request).await?;
        synced.counts += gateway.apply(&request).await?;
        synced.requests += 1;
    }
    let mut unnamed = unnamed(delta, &state, |part| {
        wanted.contains(&part) || removed.contains(&part)
    });
    if gateway.has_storage() {
        let now_named: BTreeSet<String> = delta.files.values().map(RoundFiles::object).collect();
        let left = state.leftovers.iter();
        unnamed.extend(left.filter(|object| !now_named.contains(*object)).cloned());
    }
    if !unnamed.is_empty() {
        gateway.discard(&unnamed).await?;
        synced.requests += 1;
    }
    Ok(synced)
}

/// The column that says where the files of a part lie, and what it says.
fn place<G: Gateway>(gateway: &G, delta: &Delta, part: &str) -> Option<(&'static str, String)> {
    let files = delta.files.get(part)?;
    Some(if gateway.has_storage() {
        ("object", files.object())
    } else {
        ("content", files.content())
    })
}

/// Puts files into the storage that a request names and no row named before.
async fn upload<G: Gateway>(
    gateway: &G,
    delta: &Delta,
    state: &State,
    request: &Value,
) -> Result<usize, GatewayError> {
    let mut uploads = 0;
    let parts = request["parts"].as_array().into_iter().flatten();
    for files in parts.filter_map(|part| delta.files.get(part["part"].as_str()?)) {
        if gateway.has_storage() && is_new(files, state) {
            gateway.upload(files).await?;
            uploads += 1;
        }
    }
    Ok(uploads)
}

fn is_new(files: &RoundFiles, state: &State) -> bool {
    state.objects.get(files.round_id()) != Some(&files.object())
}

/// Objects that were named before parts changed, and are not named by what they are now.
fn unnamed(delta: &Delta, state: &State, changed: impl Fn(&String) -> bool) -> Vec<String> {
    let objects = state.objects.iter().filter(|(id, object)| {
        let part = round_part(id);
        let now = delta.files.get(&part).map(RoundFiles::object);
        changed(&part) && now.as_ref() != Some(*object)
    });
    objects.map(|(_, object)| object.clone()).collect()
}

fn in_scope(part: &str, scope: &Scope) -> bool {
    let shared = part == CATALOG || part.starts_with(PARTS);
    match scope {
        Scope::Round(id) => shared || part == round_part(id),
        Scope::Rounds => shared || part.starts_with("round/"),
        Scope::Whole => true,
    }
}

/// When a part comes in: what rounds share, the log with its edge last, so that what the signed tree
/// promises is there before anybody looks for it, the rounds, and boards and sets.
fn turn(part: &str) -> u8 {
    match part {
        CATALOG => 0,
        EDGE => 2,
        _ if part.starts_with(PARTS) => 1,
        _ if part.starts_with("round/") => 3,
        _ => 4,
    }
}

/// The requests: what rounds share comes first and loses nothing, then the log and rounds, and last boards
/// and sets with everything that goes away, so that no row ever names one that is not there.
fn plan(
    delta: &Delta,
    (scope, most): (&Scope, usize),
    (wanted, removed): (&[&String], &[&String]),
    place: &dyn Fn(&str) -> Option<(&'static str, String)>,
) -> Vec<Value> {
    let all: BTreeSet<&String> = wanted.iter().copied().collect();
    if all.is_empty() && removed.is_empty() {
        return Vec::new();
    }
    let whole = *scope == Scope::Whole;
    let part = |name: &str, complete: bool| {
        let tables = delta
            .parts
            .get(name)
            .map(|part| part.tables_with(place(name)));
        json!({"part": name, "complete": complete, "tables": tables})
    };
    let size = |value: &Value| value.to_string().len();
    let (mut requests, mut filling, mut bytes) = (Vec::new(), Vec::new(), 0);
    let catalog = all.iter().any(|name| *name == CATALOG);
    if catalog {
        filling.push(part(CATALOG, false));
        bytes += size(&filling[0]);
    }
    let mut later: Vec<&String> = all.into_iter().filter(|name| *name != CATALOG).collect();
    later.sort_by_key(|name| turn(name));
    let (first, boards): (Vec<&String>, Vec<&String>) =
        later.into_iter().partition(|name| turn(name) < 4);
    for name in first {
        let value = part(name, true);
        let length = size(&value);
        if bytes + length > most && !filling.is_empty() {
            requests.push(std::mem::take(&mut filling));
            bytes = 0;
        }
        bytes += length;
        filling.push(value);
    }
    let mut last: Vec<Value> = boards.into_iter().map(|name| part(name, true)).collect();
    if whole && catalog {
        last.push(part(CATALOG, true));
    }
    let last_bytes: usize = last.iter().map(size).sum();
    if bytes + last_bytes > most && !filling.is_empty() {
        requests.push(std::mem::take(&mut filling));
    }
    filling.extend(last);
    if !filling.is_empty() || !removed.is_empty() {
        requests.push(filling);
    }
    let count = requests.len();
    let requests = requests.into_iter().enumerate();
    requests
        .map(|(place, parts)| {
            let gone = if place + 1 == count { removed } else { &[] };
            json!({
                "format": 1,
                "as_of": delta.as_of,
                "synthetic": delta.synthetic,
                "parts": parts,
                "removed_parts": gone,
            })
        })
        .collect()
}
