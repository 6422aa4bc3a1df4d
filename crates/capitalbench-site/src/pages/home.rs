//! The results: both tracks' current comparison sets, and what may be claimed of them.

use capitalbench_core::publication::boards::first_board::FirstBoard;
use capitalbench_core::round::manifest::Track;
use capitalbench_export::text::absence_sentences;

use super::board;
use super::view::{View, round_path, set_path, track_name};
use super::words::claim;
use crate::figures::{count, day, worth};
use crate::html::Html;
use crate::page::Page;

pub(crate) fn page(view: &View<'_>) -> Page {
    let mut page = Page::new(
        "",
        "Results",
        "How language models allocate capital: scores, intervals and ranks, each with the files behind it.",
    );
    page.heading = Html::text("How well do models allocate capital?");
    for track in view.tracks() {
        section(view, &mut page, track);
    }
    let mut foot = open_line(view, &page);
    foot.push(" · ");
    foot.add(&page.here.link("verify/", "Verify a round"));
    page.body.paragraph("foot", foot);
    let links = [
        page.here.link("boards/latest/", "Latest rounds"),
        page.here.link("boards/cumulative/", "All history"),
        page.here.link("boards/consistency/", "Consistency"),
        page.here.link("boards/sets/", "All comparison sets"),
        page.here
            .link("method/statistics/", "How to read the numbers"),
    ];
    page.body.links(&links);
    page
}

fn section(view: &View<'_>, page: &mut Page, track: Track) {
    let name = track_name(Some(track));
    let Some(board) = view.first_board(track) else {
        page.body.section(track.as_str(), name);
        page.body
            .say("No comparison set has a shared resolved round yet.");
        return;
    };
    let set = board.set;
    let statistics = view.statistics(set);
    let windows = statistics.map(|s| s.effective_windows);
    let until = set.included.last().and_then(|id| view.window(id));
    let shared = count(set.included.len(), "shared round", "shared rounds");
    let mut summary = vec![
        count(set.rows.len(), "model", "models"),
        worth(&shared, windows, " windows"),
    ];
    summary.extend(until.map(|window| format!("resolved to {}", day(window.exit))));
    let here = &page.here;
    let link = here.link(&set_path(&set.definition.set_id), name);
    let (id, summary) = (track.as_str(), Html::text(&summary.join(" · ")));
    let heading = format!("<h2 id=\"{id}\">{link} <small>{summary}</small></h2>");
    let table = board::short_table(view, here, set);
    page.body.add(&Html::made(heading));
    page.body.table(&table);
    if let Some(controls) = board::control_line(view, set) {
        let controls = Html::text(&controls);
        let note = format!("<p class=\"note controls\" tabindex=\"0\">{controls}</p>");
        page.body.add(&Html::made(note));
    }
    claim(view, page, set);
    beside(view, page, &board);
}

/// A set with more rounds, and why models of the newest roster are missing.
fn beside(view: &View<'_>, page: &mut Page, board: &FirstBoard<'_>) {
    let absences = board.absences.iter();
    let told = absences.flat_map(|own| absence_sentences(own, view.name(&own.model_id)));
    let told = told.collect::<Vec<_>>().join(" ");
    if !told.is_empty() {
        page.body.paragraph("note", told);
    }
    if let Some(larger) = board.larger {
        let definition = &larger.definition;
        let rounds = count(larger.included.len(), "shared round", "shared rounds");
        let mut html = Html::text("More rounds: ");
        html.add(
            &page
                .here
                .link(&set_path(&definition.set_id), definition.label.as_str()),
        );
        html.push_text(&format!(
            ", {rounds} of {}.",
            count(definition.model_ids.len(), "model", "models")
        ));
        page.body.paragraph("note", html);
    }
}

/// Open rounds, and when the next result comes.
fn open_line(view: &View<'_>, page: &Page) -> Html {
    let open = view.open_rounds();
    if open.is_empty() {
        return Html::text("No round is open.");
    }
    let of = |track: Track| {
        open.iter()
            .filter(|(round, _)| round.track == Some(track))
            .count()
    };
    let here = &page.here;
    let mut html = here.link("live/", "Open now");
    html.push_text(&format!(
        ": {} weekly, {} monthly",
        of(Track::Weekly),
        of(Track::Monthly)
    ));
    let next = open
        .iter()
        .filter_map(|(round, _)| Some((round.manifest.window?.exit, round.id())));
    if let Some((exit, id)) = next.min() {
        html.push(" · next result ");
        html.add(&here.link(&round_path(id), &day(exit)));
    }
    html
}
