//! The index of rounds, newest first, split into pages when it grows.

use std::collections::BTreeSet;

use capitalbench_core::publication::PublicRound;

use super::filter::{Filter, plain};
use super::view::{View, track_name};
use super::words;
use crate::figures::{NONE, count, day, signed_percent};
use crate::html::Html;
use crate::page::Page;
use crate::table::{Cell, Table, markup, maybe, text, whole};

/// Rounds on one page; a page stays below its budget of nodes.
const ON_A_PAGE: usize = 200;

/// The pages of the index.
pub(crate) fn pages(view: &View<'_>) -> Vec<Page> {
    let mut rounds: Vec<&PublicRound> = view.publication.rounds.iter().collect();
    rounds.reverse();
    let all = rounds.len().div_ceil(ON_A_PAGE).max(1);
    let mut chunks = rounds.chunks(ON_A_PAGE);
    (0..all)
        .map(|place| page(view, chunks.next().unwrap_or_default(), place, all))
        .collect()
}

fn path(place: usize) -> String {
    match place {
        0 => "rounds/".to_owned(),
        later => format!("rounds/page/{}/", later + 1),
    }
}

fn page(view: &View<'_>, rounds: &[&PublicRound], place: usize, all: usize) -> Page {
    let mut page = Page::new(&path(place), "Rounds", "Every round of the public record.");
    let total = view.publication.rounds.len();
    let of = |state: &str| {
        let rounds = view.publication.rounds.iter();
        rounds.filter(|round| words::state(round) == state).count()
    };
    let due = match of("result due") {
        0 => String::new(),
        some => format!(" {some} more wait for a result that is due."),
    };
    page.body.say(&format!(
        "{}, newest first; {} of them open.{due}",
        count(total, "round", "rounds"),
        of("open"),
    ));
    let labels: BTreeSet<&str> = rounds
        .iter()
        .filter_map(|r| r.manifest.methodology.label())
        .collect();
    let form = Filter::of("rounds")
        .choice("track", "track", &plain(["weekly", "monthly"]))
        .choice(
            "state",
            "state",
            &plain([
                "draft",
                "open",
                "result due",
                "resolved",
                "voided",
                "abandoned",
            ]),
        )
        .choice("method", "methodology", &plain(labels))
        .choice("model", "model", &models(view))
        .choice("set", "set", &sets(view))
        .days()
        .words();
    let mut table = Table::new(
        "Rounds",
        &format!("Round | Track | State | Starts | Ends | Methodology | #Models | #{} | Highest return among models | #Return", view.reference),
    )
    .named("rounds");
    for round in rounds {
        row(view, &mut table, &page, round);
    }
    page.body.add(&form.html()).table(&table);
    let link = |place: usize| page.here.link(&path(place), &format!("page {}", place + 1));
    if all > 1 {
        let links: Vec<Html> = (0..all).map(link).collect();
        page.body.links(&links);
    }
    page
}

fn row(view: &View<'_>, table: &mut Table, page: &Page, round: &PublicRound) {
    let window = round.manifest.window;
    let resolved = round.resolved();
    let reference = resolved.map(|resolved| resolved.returns.reference().get());
    let first = resolved.and_then(|resolved| resolved.models.first());
    let highest = first.map(|first| first.scored.outcome.decision_return.get());
    let label = round.manifest.methodology.label().unwrap_or("single pick");
    let state = words::state(round);
    let submissions = round.submissions();
    let row = table.row(vec![
        view.round_cell(&page.here, round.id()),
        text(track_name(round.track)),
        told_state(round, state),
        text(&window.map_or(NONE.to_owned(), |w| day(w.entry))),
        text(&window.map_or(NONE.to_owned(), |w| day(w.exit))),
        text(label),
        whole(submissions.len()),
        maybe(reference, signed_percent),
        text(&resolved.map_or(NONE.to_owned(), |own| words::highest(view, own))),
        maybe(highest, signed_percent),
    ]);
    let ids: Vec<&str> = submissions
        .iter()
        .map(|own| round.contestant(&own.model_id).as_str())
        .collect();
    let sets = view.sets_of.get(round.id()).map(|sets| sets.join("|"));
    let track = round.track.map_or("", |track| track.as_str());
    let ended = window.map_or(String::new(), |w| day(w.exit));
    let marks = [
        ("model", ids.join("|")),
        ("set", sets.unwrap_or_default()),
        ("track", track.to_owned()),
        ("state", state.to_owned()),
        ("method", label.to_owned()),
        ("date", ended),
    ];
    row.marks = marks.map(|(name, value)| (name, value.into())).into();
}

/// The state; of a round that ended without a record also when and why.
fn told_state(round: &PublicRound, state: &str) -> Cell {
    let Some(tombstone) = round.tombstone() else {
        return text(state);
    };
    let mut told = Html::text(&format!("{state} at {}: ", tombstone.ended_at));
    told.add(&Html::said(&tombstone.reason));
    markup(told)
}

fn models(view: &View<'_>) -> Vec<(String, String)> {
    let models = view.models.iter();
    models
        .map(|id| (id.to_string(), view.name(id).to_owned()))
        .collect()
}

fn sets(view: &View<'_>) -> Vec<(String, String)> {
    let sets = view.publication.comparison_sets.iter();
    let counted = sets.filter(|set| !set.included.is_empty());
    counted
        .map(|set| (set.definition.set_id.clone(), set.definition.label.clone()))
        .collect()
}
