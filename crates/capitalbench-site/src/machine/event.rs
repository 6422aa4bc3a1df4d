//! The events of the feeds: new rounds, results, corrections and changed methods.

use std::collections::BTreeMap;

use capitalbench_core::publication::visible::{Item, is_public};
use capitalbench_core::publication::{PublicRound, Publication, ResolvedRound, RoundState};
use capitalbench_core::values::time::WrittenInstant;
use capitalbench_export::text::{percent, reference_of, score};
use jiff::Timestamp;

use super::correction::{Correction, corrections_of};
use crate::figures::count;
use crate::html::encode;
use crate::pages::words::firsts;
use crate::title::title;
use crate::{Files, Input};

/// An event of the feeds.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Event {
    pub(super) at: Timestamp,
    /// Never changes, so that readers of the feed recognise an event.
    pub(super) id: String,
    /// `round`, `ended`, `result`, `correction` or `methodology`.
    pub(super) kind: &'static str,
    pub(super) title: String,
    pub(super) text: String,
    /// The page that shows it.
    pub(super) path: String,
}

/// The events that only the files of a round record.
#[derive(Debug, Clone)]
pub struct Told(Vec<Event>);

impl Told {
    /// Reads them from the files.
    pub fn of(round: &PublicRound, own: &Files) -> Self {
        Self(corrected(round, own))
    }
}

/// All events up to the instant of the publication, newest first.
pub(super) fn events(input: &Input<'_>, told: &[Told]) -> Vec<Event> {
    let publication = input.publication;
    let mut found: Vec<Event> = told.iter().flat_map(|told| told.0.clone()).collect();
    for round in &publication.rounds {
        found.extend(opened(round));
        found.extend(ended(round));
        found.extend(scored(publication, round));
    }
    found.extend(methods(publication));
    found.retain(|event| is_public(Item::Event { at: event.at }, None, publication.as_of));
    found.sort_by(|a, b| b.at.cmp(&a.at).then_with(|| a.id.cmp(&b.id)));
    found
}

fn page(round: &PublicRound) -> String {
    format!("rounds/{}/", encode(round.id().as_str()))
}

fn began(round: &PublicRound) -> Option<Timestamp> {
    let manifest = &round.manifest;
    let stamp = manifest.created_at.as_ref();
    stamp
        .or(manifest.decision_deadline.as_ref())
        .map(WrittenInstant::at)
}

fn opened(round: &PublicRound) -> Option<Event> {
    let id = round.id();
    let window = round.manifest.window.map_or_else(String::new, |window| {
        format!(
            " From the close of {} to the close of {}.",
            window.entry, window.exit
        )
    });
    let decided = round.submissions().len();
    let decisions = match &round.state {
        RoundState::Draft | RoundState::Ended(_) => "No decisions are public.".to_owned(),
        _ => format!("{} decided.", count(decided, "model", "models")),
    };
    Some(Event {
        at: began(round)?,
        id: format!("round-{id}"),
        kind: "round",
        title: format!("New round: {}", title(round)),
        text: format!(
            "{id}: {}, {}.{window} {decisions}",
            round.manifest.title, round.manifest.horizon
        ),
        path: page(round),
    })
}

/// The end of a round without a record.
fn ended(round: &PublicRound) -> Option<Event> {
    let tombstone = round.tombstone()?;
    let id = round.id();
    Some(Event {
        at: tombstone.ended_at.at(),
        id: format!("ended-{id}"),
        kind: "ended",
        title: format!("{id} was {}", tombstone.ending.as_str()),
        text: tombstone.reason.clone(),
        path: page(round),
    })
}

fn scored(publication: &Publication, round: &PublicRound) -> Option<Event> {
    let resolved = round.resolved()?;
    let id = round.id();
    let best = resolved.models.first()?;
    let value = best.scored.outcome.decision_return;
    let reference = resolved.returns.reference();
    Some(Event {
        at: round.manifest.window?.exit_close()?,
        id: format!("result-{id}"),
        kind: "result",
        title: format!("Result: {}", title(round)),
        text: format!(
            "{id}: highest return among models {} with {} (score {}); {} {}.",
            tied(publication, resolved),
            percent(value.get()),
            score(best.score),
            reference_of(round),
            percent(reference.get()),
        ),
        path: page(round),
    })
}

/// The models that share the highest return.
fn tied(publication: &Publication, resolved: &ResolvedRound) -> String {
    let names = firsts(resolved).iter();
    let names: Vec<&str> = names.map(|own| publication.name(own.model_id())).collect();
    names.join(" and ")
}

/// Corrections as their file records them; unreadable lines are skipped.
fn corrected(round: &PublicRound, own: &Files) -> Vec<Event> {
    let Some(resolved) = round.resolved() else {
        return Vec::new();
    };
    let event = |own: Correction| Event {
        at: own.at,
        id: format!("correction-{}-{}", round.id(), own.line),
        kind: "correction",
        title: format!("Correction: {}", title(round)),
        text: own.sentence(),
        path: page(round),
    };
    corrections_of(resolved, own)
        .into_iter()
        .map(event)
        .collect()
}

/// The first round of each methodology version.
fn methods(publication: &Publication) -> Vec<Event> {
    let mut first: BTreeMap<&str, (Timestamp, &PublicRound)> = BTreeMap::new();
    for round in &publication.rounds {
        let label = round.manifest.methodology.label();
        let Some((label, at)) = label.zip(began(round)) else {
            continue;
        };
        let known = first.entry(label).or_insert((at, round));
        if (at, round.id()) < (known.0, known.1.id()) {
            *known = (at, round);
        }
    }
    let event = |(label, (at, round)): (&str, (Timestamp, &PublicRound))| Event {
        at,
        id: format!("methodology-{label}"),
        kind: "methodology",
        title: format!("Methodology {label}"),
        text: format!("First used in {}, {}.", round.id(), title(round)),
        path: "method/".to_owned(),
    };
    first.into_iter().map(event).collect()
}
