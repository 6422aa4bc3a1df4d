//! Sends what differs, in few requests that each hold as a whole.

use std::collections::BTreeSet;

use capitalbench_core::ids::RoundId;
use rayon::prelude::*;
use serde_json::{Value, json};

use crate::delta::{CATALOG, Delta, Part, PartError, round_part};
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

/// Why a sync ended early; what was sent before stays, and the next one goes on from there.
#[derive(Debug, thiserror::Error)]
pub enum SyncError {
    /// The database, or the way to it.
    #[error(transparent)]
    Gateway(#[from] GatewayError),
    /// A part that cannot be made.
    #[error(transparent)]
    Part(#[from] PartError),
}

/// Parts of rounds that are made at the same time.
const AT_ONCE: usize = 32;

/// Brings a database up to date with a publication in requests of about this many bytes; `tick` is
/// called before each of them with the parts looked at so far and in all. Files that changed are in
/// the storage before the row that names them, and those before them go once no row does, as does what
/// an earlier sync left there that failed.
///
/// What rounds share comes first and loses nothing, then the log with its edge last, so that what the
/// signed tree promises is there before anybody looks for it, then rounds, and last boards and sets
/// with everything that goes away, so that no row ever names one that is not there.
pub async fn sync<G: Gateway>(
    gateway: &G,
    delta: &Delta<'_>,
    (scope, bytes): (&Scope, usize),
    tick: &(dyn Fn(usize, usize) + Sync),
) -> Result<Synced, SyncError> {
    let state = gateway.state().await?;
    let found = state.schema_version.unwrap_or_default();
    if state.format != 1 || found != NEEDED {
        return Err(SyncError::Gateway(GatewayError::OtherSchema {
            found,
            needed: NEEDED,
        }));
    }
    let in_scope = |name: &&str| in_scope(name, scope);
    let rounds: Vec<&str> = delta.round_names().filter(in_scope).collect();
    let shared = delta.shared_names().filter(in_scope);
    let (catalog, shared): (Vec<&str>, Vec<&str>) = shared.partition(|name| *name == CATALOG);
    let is_log = |name: &&str| name.starts_with(PARTS);
    let (mut log, boards): (Vec<&str>, Vec<&str>) = shared.into_iter().partition(is_log);
    log.sort_by_key(|name| *name == EDGE);
    let mut sending = Sending::new((gateway, delta), &state, bytes);
    for name in &catalog {
        if let Some(part) = delta.part(name)?.filter(|part| sending.differs(name, part)) {
            sending.add(name, false, part.into_owned()).await?;
        }
    }
    for name in &log {
        if let Some(part) = delta.part(name)?.filter(|part| sending.differs(name, part)) {
            sending.add(name, true, part.into_owned()).await?;
        }
    }
    let total = rounds.len() + catalog.len() + log.len() + boards.len();
    for (place, names) in rounds.chunks(AT_ONCE).enumerate() {
        tick(place * AT_ONCE, total);
        let parts: Vec<_> = names.par_iter().map(|name| delta.part(name)).collect();
        for (name, part) in names.iter().zip(parts) {
            if let Some(part) = part?.filter(|part| sending.differs(name, part)) {
                sending.add(name, true, part.into_owned()).await?;
            }
        }
    }
    tick(rounds.len(), total);
    let whole = *scope == Scope::Whole;
    let mut last = Vec::new();
    for name in boards.iter().chain(catalog.iter().filter(|_| whole)) {
        if let Some(part) = delta.part(name)?.filter(|part| sending.differs(name, part)) {
            last.push((*name, part.into_owned()));
        }
    }
    let gone = state.parts.keys().filter(|name| whole && !delta.has(name));
    sending.end(last, gone.cloned().collect()).await
}

/// Requests while they are filled.
struct Sending<'a, G> {
    gateway: &'a G,
    delta: &'a Delta<'a>,
    state: &'a State,
    /// Parts travel together up to this many bytes.
    most: usize,
    filling: Vec<Value>,
    bytes: usize,
    /// Files that the request names.
    files: Vec<RoundFiles>,
    /// Objects of the storage that no row names once everything is sent.
    unnamed: Vec<String>,
    /// Objects of the storage that this sync names.
    named: BTreeSet<String>,
    synced: Synced,
}

impl<'a, G: Gateway> Sending<'a, G> {
    fn new((gateway, delta): (&'a G, &'a Delta<'a>), state: &'a State, most: usize) -> Self {
        Self {
            gateway,
            delta,
            state,
            most,
            filling: Vec::new(),
            bytes: 0,
            files: Vec::new(),
            unnamed: Vec::new(),
            named: BTreeSet::new(),
            synced: Synced {
                requests: 1,
                ..Synced::default()
            },
        }
    }

    fn differs(&self, name: &str, part: &Part) -> bool {
        self.state.parts.get(name) != Some(&part.digest())
    }

    /// Adds a part, after sending what it would make too large.
    async fn add(&mut self, name: &str, complete: bool, mut part: Part) -> Result<(), SyncError> {
        let files = part.files.take();
        let place = files.as_ref().map(|files| {
            if self.gateway.has_storage() {
                ("object", files.object())
            } else {
                ("content", files.content())
            }
        });
        let (tables, length) = part.into_tables(place);
        if self.bytes + length > self.most && !self.filling.is_empty() {
            self.send(&[]).await?;
        }
        if let Some(files) = files.filter(|_| self.gateway.has_storage()) {
            self.take_up(files);
        }
        self.bytes += length;
        let part = json!({"part": name, "complete": complete});
        self.filling.push(with_tables(part, tables));
        Ok(())
    }

    /// Files go into the storage unless a row names them already, and then those before them go.
    fn take_up(&mut self, files: RoundFiles) {
        let before = self.state.objects.get(files.round_id());
        if before == Some(&files.object()) {
            return;
        }
        self.unnamed.extend(before.cloned());
        self.named.insert(files.object());
        self.files.push(files);
    }

    /// Sends what is there, files before rows.
    async fn send(&mut self, gone: &[String]) -> Result<(), SyncError> {
        for files in std::mem::take(&mut self.files) {
            self.gateway.upload(&files).await?;
            self.synced.uploads += 1;
        }
        let parts = Value::Array(std::mem::take(&mut self.filling));
        let mut request = json!({
            "format": 1,
            "as_of": self.delta.as_of,
            "synthetic": self.delta.synthetic,
            "removed_parts": gone,
        });
        request["parts"] = parts;
        self.synced.counts += self.gateway.apply(&request).await?;
        self.synced.requests += 1;
        self.bytes = 0;
        Ok(())
    }

    /// Sends the last request, with everything that goes away.
    async fn end(
        mut self,
        last: Vec<(&str, Part)>,
        gone: Vec<String>,
    ) -> Result<Synced, SyncError> {
        let length: usize = last.iter().map(|(_, part)| part.bytes()).sum();
        if self.bytes + length > self.most && !self.filling.is_empty() {
            self.send(&[]).await?;
        }
        for (name, part) in last {
            let (tables, _) = part.into_tables(None);
            let part = json!({"part": name, "complete": true});
            self.filling.push(with_tables(part, tables));
        }
        if !self.filling.is_empty() || !gone.is_empty() {
            self.send(&gone).await?;
        }
        let objects = self.state.objects.iter();
        let of_gone = objects.filter(|(id, _)| gone.contains(&round_part(id)));
        self.unnamed
            .extend(of_gone.map(|(_, object)| object.clone()));
        if self.gateway.has_storage() {
            let left = self.state.leftovers.iter();
            let left = left.filter(|object| !self.named.contains(*object));
            self.unnamed.extend(left.cloned());
        }
        if !self.unnamed.is_empty() {
            self.gateway.discard(&self.unnamed).await?;
            self.synced.requests += 1;
        }
        Ok(self.synced)
    }
}

fn with_tables(mut part: Value, tables: Value) -> Value {
    part["tables"] = tables;
    part
}

fn in_scope(part: &str, scope: &Scope) -> bool {
    let shared = part == CATALOG || part.starts_with(PARTS);
    match scope {
        Scope::Round(id) => shared || part == round_part(id),
        Scope::Rounds => shared || part.starts_with("round/"),
        Scope::Whole => true,
    }
}
