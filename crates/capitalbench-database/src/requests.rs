//! The differences from a database, as requests that are each applied completely or not at all.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use rayon::prelude::*;
use serde_json::{Value, json};

use crate::delta::{CATALOG, Delta, Part, PartError, round_part};
use crate::gateway::{Applied, FileLocation, Gateway, GatewayError, State};
use crate::log_files::{EDGE, PARTS};
use crate::round_files::RoundFiles;
use crate::sync::Scope;

/// The number of parts that are made at the same time.
const AT_ONCE: usize = 32;

/// The rows of a part, ready to be sent.
#[derive(Debug)]
pub struct Load<'a> {
    part: &'a str,
    /// Whether the part has no other rows, so that the database removes the rest.
    complete: bool,
    tables: BTreeMap<&'static str, Vec<Value>>,
    bytes: usize,
    files: Option<RoundFiles>,
}

impl<'a> Load<'a> {
    pub fn new(name: &'a str, complete: bool, mut part: Part, location: FileLocation) -> Self {
        let mut files = part.files.take();
        let column = files.as_ref().map(|files| match location {
            FileLocation::Storage => ("object", files.object()),
            FileLocation::Rows => ("content", files.content()),
        });
        files = files.filter(|_| location == FileLocation::Storage);
        let (tables, bytes) = part.into_tables(name, column);
        Self {
            part: name,
            complete,
            tables,
            bytes,
            files,
        }
    }
}

#[derive(Debug)]
pub struct Request<'a> {
    delta: &'a Delta<'a>,
    parts: Vec<Value>,
    tables: BTreeMap<&'static str, Vec<Value>>,
    gone: Vec<String>,
    bytes: usize,
    /// Files that its rows name and that are not in the storage yet.
    files: Vec<RoundFiles>,
    /// Whether another request follows.
    more: bool,
    /// Whether the row about the whole publication is written again even if nothing else changes.
    settle: bool,
}

impl<'a> Request<'a> {
    pub fn new(delta: &'a Delta<'a>) -> Self {
        Self {
            delta,
            parts: Vec::new(),
            tables: BTreeMap::new(),
            gone: Vec::new(),
            bytes: 0,
            files: Vec::new(),
            more: false,
            settle: false,
        }
    }

    pub fn add(&mut self, load: Load<'_>) {
        let part = json!({"part": load.part, "complete": load.complete});
        self.parts.push(part);
        for (table, rows) in load.tables {
            self.tables.entry(table).or_default().extend(rows);
        }
        self.bytes += load.bytes;
        self.files.extend(load.files);
    }

    /// The body that the database expects.
    pub fn into_body(self) -> Value {
        let tables = self.tables.into_iter();
        let tables = tables.map(|(name, rows)| (name.to_owned(), Value::Array(rows)));
        let mut body = json!({
            "format": 1,
            "as_of": self.delta.as_of,
            "synthetic": self.delta.synthetic,
            "more": self.more,
            "settle": self.settle,
            "removed_parts": self.gone,
        });
        body["parts"] = Value::Array(self.parts);
        body["tables"] = Value::Object(tables.collect());
        body
    }

    /// Sends the files, then the rows, to a database whose parts have the expected digest.
    pub(crate) async fn send<G: Gateway>(
        mut self,
        gateway: &G,
        expected: Option<&str>,
    ) -> Result<Applied, GatewayError> {
        for files in std::mem::take(&mut self.files) {
            gateway.upload(&files).await?;
        }
        let mut body = self.into_body();
        body["expected"] = expected.into();
        gateway.apply(&body).await
    }
}

/// Makes the requests for all differences, one after the other.
pub(crate) struct Requests<'a> {
    delta: &'a Delta<'a>,
    state: &'a State,
    location: FileLocation,
    /// Parts share a request up to this many bytes.
    most: usize,
    /// The parts in the order of sending, each with whether it is complete; `seen` counts those compared.
    names: Vec<(&'a str, bool)>,
    seen: usize,
    /// Parts that are made but not in a request yet.
    made: VecDeque<Load<'a>>,
    /// Parts that the last request removes.
    gone: Vec<String>,
    /// Objects of the storage that no row names after the last request.
    unnamed: Vec<String>,
    /// Objects of the storage that these requests name.
    named: BTreeSet<String>,
    /// The part that is sent even if the database has the same digest.
    asked: Option<String>,
    /// Whether the row about the whole publication is wrong, so that the last request writes it again.
    settle: bool,
}

impl<'a> Requests<'a> {
    pub(crate) fn new(
        delta: &'a Delta<'a>,
        state: &'a State,
        scope: &Scope,
        location: FileLocation,
        most: usize,
    ) -> Self {
        let whole = *scope == Scope::Whole;
        let gone = state.parts.keys().filter(|name| whole && !delta.has(name));
        Self {
            delta,
            state,
            location,
            most,
            names: in_order(delta, scope),
            seen: 0,
            made: VecDeque::new(),
            gone: gone.cloned().collect(),
            unnamed: Vec::new(),
            named: BTreeSet::new(),
            asked: match scope {
                Scope::Round(id) => Some(round_part(id)),
                Scope::Rounds | Scope::Whole => None,
            },
            settle: state.publication.as_ref().is_some_and(|whole| {
                let later = delta.as_of.parse().is_ok_and(|as_of| whole.as_of > as_of);
                !whole.holds || later || whole.is_synthetic != delta.synthetic
            }),
        }
    }

    /// The next request; none after the last.
    pub(crate) fn next(
        &mut self,
        tick: &dyn Fn(usize, usize),
    ) -> Result<Option<Request<'a>>, PartError> {
        let mut request = Request::new(self.delta);
        loop {
            if self.made.is_empty() && self.seen < self.names.len() {
                tick(self.seen, self.names.len());
                self.make()?;
                continue;
            }
            let Some(load) = self.made.pop_front() else {
                request.gone = self.take_gone();
                request.settle = std::mem::take(&mut self.settle);
                let empty = request.parts.is_empty() && request.gone.is_empty() && !request.settle;
                return Ok(Some(request).filter(|_| !empty));
            };
            if request.bytes + load.bytes > self.most && !request.parts.is_empty() {
                self.made.push_front(load);
                request.more = true;
                // The last request may repeat rows that are there; the header is made whole even then.
                self.settle = true;
                return Ok(Some(request));
            }
            request.add(load);
        }
    }

    /// Compares a few more parts and makes those that differ.
    fn make(&mut self) -> Result<(), PartError> {
        let end = self.names.len().min(self.seen + AT_ONCE);
        let made = self.names[self.seen..end]
            .par_iter()
            .map(|(name, complete)| {
                let part = self.delta.part(name)?;
                let asked = self.asked.as_deref() == Some(*name);
                let differs =
                    |part: &Part| asked || self.state.parts.get(*name) != Some(&part.digest());
                let part = part.filter(|part| differs(part));
                Ok(part.map(|part| Load::new(name, *complete, part.into_owned(), self.location)))
            });
        let made: Vec<Option<Load<'a>>> = made.collect::<Result<_, PartError>>()?;
        self.seen = end;
        for mut load in made.into_iter().flatten() {
            load.files = load.files.take().filter(|files| self.is_new(files));
            self.made.push_back(load);
        }
        Ok(())
    }

    /// Whether files must be uploaded: not if a row names them already. The files they replace are
    /// removed later.
    fn is_new(&mut self, files: &RoundFiles) -> bool {
        let before = self.state.objects.get(files.round_id());
        if before == Some(&files.object()) {
            // Nobody has checked the storage, so the files of an explicitly named round are uploaded again.
            let asked = self.asked.as_deref() == Some(round_part(files.round_id()).as_str());
            return asked && self.named.insert(files.object());
        }
        self.unnamed.extend(before.cloned());
        self.named.insert(files.object())
    }

    /// The parts to remove, taken once; their objects are removed with them.
    fn take_gone(&mut self) -> Vec<String> {
        let gone = std::mem::take(&mut self.gone);
        let objects = self.state.objects.iter();
        let of_gone = objects.filter(|(id, _)| gone.contains(&round_part(id)));
        self.unnamed
            .extend(of_gone.map(|(_, object)| object.clone()));
        gone
    }

    pub(crate) fn uploads(&self) -> usize {
        self.named.len()
    }

    /// The objects of the storage that no row names after the last request.
    pub(crate) fn into_unnamed(self) -> Vec<String> {
        let left = self.state.leftovers.iter();
        let left = left.filter(|object| !self.named.contains(*object));
        let stored = left
            .filter(|_| self.location == FileLocation::Storage)
            .cloned();
        self.unnamed.into_iter().chain(stored).collect()
    }
}

/// The order of sending: the catalog with nothing removed, the log with its edge last, rounds, boards and
/// sets, and the catalog again with what is obsolete removed.
fn in_order<'a>(delta: &'a Delta<'a>, scope: &Scope) -> Vec<(&'a str, bool)> {
    let in_scope = |name: &&str| in_scope(name, scope);
    let shared = delta.shared_names().filter(in_scope);
    let (catalog, shared): (Vec<&str>, Vec<&str>) = shared.partition(|name| *name == CATALOG);
    let is_log = |name: &&str| name.starts_with(PARTS);
    let (mut log, boards): (Vec<&str>, Vec<&str>) = shared.into_iter().partition(is_log);
    log.sort_by_key(|name| *name == EDGE);
    let first = catalog.iter().map(|name| (*name, false));
    let last = catalog.iter().map(|name| (*name, true));
    let rounds = delta.round_names().filter(in_scope);
    let complete = log.into_iter().chain(rounds).chain(boards);
    first
        .chain(complete.map(|name| (name, true)))
        .chain(last.filter(|_| *scope == Scope::Whole))
        .collect()
}

fn in_scope(part: &str, scope: &Scope) -> bool {
    let shared = part == CATALOG || part.starts_with(PARTS);
    match scope {
        Scope::Round(id) => shared || part == round_part(id),
        Scope::Rounds => shared || part.starts_with("round/"),
        Scope::Whole => true,
    }
}
