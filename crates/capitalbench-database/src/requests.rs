//! What differs from a database, as requests that each hold as a whole.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use rayon::prelude::*;
use serde_json::{Value, json};

use crate::delta::{CATALOG, Delta, Part, PartError, round_part};
use crate::gateway::{Applied, Gateway, GatewayError, Place, State};
use crate::log_files::{EDGE, PARTS};
use crate::round_files::RoundFiles;
use crate::sync::Scope;

/// Parts that are made at the same time.
const AT_ONCE: usize = 32;

/// The rows of a part, ready to travel.
#[derive(Debug)]
pub struct Load<'a> {
    part: &'a str,
    /// The part has no other rows.
    complete: bool,
    tables: BTreeMap<&'static str, Vec<Value>>,
    bytes: usize,
    files: Option<RoundFiles>,
}

impl<'a> Load<'a> {
    /// The rows of a part with this name.
    pub fn new((name, complete): (&'a str, bool), mut part: Part, place: Place) -> Self {
        let mut files = part.files.take();
        let column = files.as_ref().map(|files| match place {
            Place::Storage => ("object", files.object()),
            Place::Rows => ("content", files.content()),
        });
        files = files.filter(|_| place == Place::Storage);
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

/// What one request carries.
#[derive(Debug)]
pub struct Request<'a> {
    delta: &'a Delta<'a>,
    parts: Vec<Value>,
    tables: BTreeMap<&'static str, Vec<Value>>,
    gone: Vec<String>,
    bytes: usize,
    /// Files that its rows name and that the storage does not have.
    files: Vec<RoundFiles>,
    /// Another one follows.
    more: bool,
    /// What is said of the whole is written anew, whether anything changes or not.
    settle: bool,
}

impl<'a> Request<'a> {
    /// An empty one.
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

    /// Adds the rows of a part.
    pub fn add(&mut self, load: Load<'_>) {
        let part = json!({"part": load.part, "complete": load.complete});
        self.parts.push(part);
        for (table, rows) in load.tables {
            self.tables.entry(table).or_default().extend(rows);
        }
        self.bytes += load.bytes;
        self.files.extend(load.files);
    }

    /// As the database takes it.
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

    /// Sends it, files before rows, to a database whose whole has this digest.
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

/// Everything that differs, request by request.
pub(crate) struct Requests<'a> {
    delta: &'a Delta<'a>,
    state: &'a State,
    place: Place,
    /// Parts travel together up to this many bytes.
    most: usize,
    /// Parts in their order, with whether they are complete, and how many of them were looked at.
    names: Vec<(&'a str, bool)>,
    seen: usize,
    /// Made, and not in a request yet.
    made: VecDeque<Load<'a>>,
    /// Parts that go away with the last request.
    gone: Vec<String>,
    /// Objects of the storage that no row names once everything is sent.
    unnamed: Vec<String>,
    /// Objects of the storage that these requests name.
    named: BTreeSet<String>,
    /// The part that is sent whatever the database says of it.
    asked: Option<String>,
    /// What is said of the whole does not hold, and the last request writes it anew.
    settle: bool,
}

impl<'a> Requests<'a> {
    pub(crate) fn new(
        (delta, state): (&'a Delta<'a>, &'a State),
        (scope, place): (&Scope, Place),
        most: usize,
    ) -> Self {
        let whole = *scope == Scope::Whole;
        let gone = state.parts.keys().filter(|name| whole && !delta.has(name));
        Self {
            delta,
            state,
            place,
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

    /// The next request, none after the last.
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
                return Ok(Some(request));
            }
            request.add(load);
        }
    }

    /// Makes a few more of those that differ.
    fn make(&mut self) -> Result<(), PartError> {
        let end = self.names.len().min(self.seen + AT_ONCE);
        let made = self.names[self.seen..end].par_iter().map(|named| {
            let part = self.delta.part(named.0)?;
            let asked = self.asked.as_deref() == Some(named.0);
            let differs =
                |part: &Part| asked || self.state.parts.get(named.0) != Some(&part.digest());
            let part = part.filter(|part| differs(part));
            Ok(part.map(|part| Load::new(*named, part.into_owned(), self.place)))
        });
        let made: Vec<Option<Load<'a>>> = made.collect::<Result<_, PartError>>()?;
        self.seen = end;
        for mut load in made.into_iter().flatten() {
            load.files = load.files.take().filter(|files| self.is_new(files));
            self.made.push_back(load);
        }
        Ok(())
    }

    /// Whether files go into the storage: not where a row names them already. Those before them go.
    fn is_new(&mut self, files: &RoundFiles) -> bool {
        let before = self.state.objects.get(files.round_id());
        if before == Some(&files.object()) {
            // Of a round that was asked for they are put there again: nobody looked into the storage.
            let asked = self.asked.as_deref() == Some(round_part(files.round_id()).as_str());
            return asked && self.named.insert(files.object());
        }
        self.unnamed.extend(before.cloned());
        self.named.insert(files.object())
    }

    /// What goes away, once, with its objects.
    fn take_gone(&mut self) -> Vec<String> {
        let gone = std::mem::take(&mut self.gone);
        let objects = self.state.objects.iter();
        let of_gone = objects.filter(|(id, _)| gone.contains(&round_part(id)));
        self.unnamed
            .extend(of_gone.map(|(_, object)| object.clone()));
        gone
    }

    /// How many archives of files went into the storage.
    pub(crate) fn uploads(&self) -> usize {
        self.named.len()
    }

    /// Objects of the storage that no row names once everything is sent.
    pub(crate) fn into_unnamed(self) -> Vec<String> {
        let left = self.state.leftovers.iter();
        let left = left.filter(|object| !self.named.contains(*object));
        let stored = left.filter(|_| self.place == Place::Storage).cloned();
        self.unnamed.into_iter().chain(stored).collect()
    }
}

/// What rounds share without losing anything, the log with its edge last, rounds, boards and sets, and
/// what rounds share as it is now.
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
