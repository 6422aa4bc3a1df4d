//! The first page: what this is, how it stands, whether it is luck, and what comes next.

use std::collections::BTreeSet;

use capitalbench_core::evidence::claim::Claim;
use capitalbench_core::evidence::claims::outlook::{EDGE, outlook};
use capitalbench_core::evidence::claims::planning::MOST_YEARS;
use capitalbench_core::evidence::explanation::words::years;
use capitalbench_core::evidence::inference::overlap::INFORMATIVE_WINDOWS;
use capitalbench_core::publication::boards::comparison_set::{ComparisonSet, SetRow};
use capitalbench_core::publication::boards::first_board::FirstBoard;
use capitalbench_core::publication::boards::race::race;
use capitalbench_core::publication::{OpenRound, PublicRound};
use capitalbench_core::round::lifecycle::Due;
use capitalbench_core::round::manifest::Track;
use capitalbench_core::values::ids::ModelId;
use capitalbench_export::text::absence_sentences;

use super::board;
use super::claims;
use super::view::{View, horizon, round_path, set_path, track_name};
use super::words::{claim, number_word};
use crate::charts::{Line, LineChart, Look, Steps, Stroke};
use crate::figures::{count, decimal, signed_points};
use crate::html::Html;
use crate::page::Page;
use crate::table::{Table, head, number};
use crate::title::written;

/// Fewer shared rounds than this are no line.
const FEWEST_ROUNDS: usize = 3;

pub(crate) fn page(view: &View<'_>) -> Page {
    let mut page = Page::new(
        "",
        "Results",
        &format!(
            "How AI models allocate capital: every week and month the same briefing, a paper portfolio each, scored against {}, with the files behind every number.",
            view.reference.the()
        ),
    );
    page.heading = Html::text("How well do AI models allocate capital?");
    page.image = view.image("home");
    lead(view, &mut page);
    open_line(view, &mut page);
    for track in view.tracks() {
        section(view, &mut page, track);
    }
    claims::of_boards(view, &mut page);
    let links = [
        page.here.link("rounds/", "Every round"),
        page.here.link("boards/latest/", "Latest results"),
        page.here.link("boards/", "All boards"),
        page.here.link("method/", "How it works"),
        page.here.link("verify/", "Verify a round"),
    ];
    page.body.links(&links);
    page
}

/// A set that a track's part of the page shows.
fn shown<'a>(view: &View<'a>, track: Track) -> Option<&'a ComparisonSet> {
    view.first_board(track)
        .map(|board| board.set)
        .filter(|set| !set.rows.is_empty())
}

/// What this is, how it stands, and whether it is luck.
fn lead(view: &View<'_>, page: &mut Page) {
    let sets: Vec<&ComparisonSet> = view
        .tracks()
        .into_iter()
        .filter_map(|track| shown(view, track))
        .collect();
    let models: BTreeSet<&ModelId> = sets
        .iter()
        .flat_map(|set| set.rows.iter().map(|row| &row.model_id))
        .collect();
    if models.is_empty() {
        page.body.paragraph("lead", "AI models each choose a paper portfolio from the same briefing. No round that all models of a roster completed is resolved yet.");
        return;
    }
    let often: Vec<String> = sets
        .iter()
        .map(|set| format!("every {}", horizon(set.definition.track)))
        .collect();
    let many = number_word(models.len());
    let mut words = format!(
        "{many} AI models each choose a paper portfolio {} from the same briefing.",
        often.join(" and ")
    );
    for set in &sets {
        words.push(' ');
        words.push_str(&standing(view, set));
    }
    words.push(' ');
    words.push_str(&luck(view, &sets));
    page.body.paragraph("lead", words);
}

/// How a set stands against the reference, and who has the highest score.
fn standing(view: &View<'_>, set: &ComparisonSet) -> String {
    let all = set.rows.len();
    let under = set.rows.iter().filter(|row| row.average_alpha < 0.0);
    let under = match under.count() {
        0 => "none of them trails".to_owned(),
        some if some == all => "all of them trail".to_owned(),
        1 => format!("one of {all} trails"),
        some => format!("{some} of {all} trail"),
    };
    let first = set.rows.first().map(|own| own.score);
    let tied = set.rows.iter().take_while(|row| Some(row.score) == first);
    let names = view.names(tied.map(|row: &SetRow| &row.model_id));
    format!(
        "Over {} {under} {}; {names} has the highest score.",
        count(
            set.included.len(),
            &format!("shared {} round", set.definition.track.as_str()),
            &format!("shared {} rounds", set.definition.track.as_str()),
        ),
        view.reference.the(),
    )
}

/// Whether any record is better than luck.
fn luck(view: &View<'_>, sets: &[&ComparisonSet]) -> String {
    let claims = sets.iter().filter_map(|set| view.statistics(set));
    let better: BTreeSet<ModelId> = claims
        .flat_map(|statistics| Claim::of(statistics).beyond_luck)
        .collect();
    if better.is_empty() {
        return "None of them can be told apart from luck yet.".to_owned();
    }
    let verb = if better.len() == 1 { "is" } else { "are" };
    format!(
        "Only {} {verb} better than luck explains.",
        view.names(&better)
    )
}

/// What is open, when the next result comes, and the way onward.
fn open_line(view: &View<'_>, page: &mut Page) {
    let open = view.open_rounds();
    let here = &page.here;
    let mut html = Html::default();
    if open.is_empty() {
        html.push_text("No round is open. ");
    } else {
        html.push_text(&format!("Open now: {}.", counted(&open)));
        if let Some((round, exit)) = next_result(view, &open) {
            html.push(" Next result after the close of ");
            html.add(&here.link(&round_path(round.id()), &written(exit)));
            html.push(".");
        }
        let due = open
            .iter()
            .filter(|(_, own)| own.due == Due::Overdue)
            .count();
        if due > 0 {
            let words = count(due, "result is", "results are");
            html.push_text(&format!(" {words} due."));
        }
        html.push(" ");
    }
    let mut onward = here.link("live/", "What models hold now →");
    if open.is_empty() {
        onward = here.link("rounds/", "See every round →");
    }
    html.add(&Html::wrap("span", "onward", &onward));
    page.body.paragraph("open", html);
}

/// Open rounds by track, without those whose result is due.
fn counted(open: &[(&PublicRound, &OpenRound)]) -> String {
    let of = |track: Option<Track>| {
        let open = open
            .iter()
            .filter(|(round, own)| round.track == track && own.due == Due::NotYet);
        open.count()
    };
    let each = [
        (of(Some(Track::Weekly)), "weekly"),
        (of(Some(Track::Monthly)), "monthly"),
        (of(None), "other"),
    ];
    let each = each.into_iter().filter(|(count, _)| *count > 0);
    let each: Vec<String> = each
        .map(|(number, kind)| {
            let (one, many) = (format!("{kind} round"), format!("{kind} rounds"));
            count(number, &one, &many)
        })
        .collect();
    if each.is_empty() {
        return "no round".to_owned();
    }
    each.join(", ")
}

/// The first ending close that lies after the instant of this page.
fn next_result<'a>(
    view: &View<'_>,
    open: &[(&'a PublicRound, &OpenRound)],
) -> Option<(&'a PublicRound, jiff::civil::Date)> {
    let coming = open.iter().filter_map(|(round, _)| {
        let window = round.manifest.window?;
        let later = window.exit_close()? > view.publication.as_of;
        later.then_some((window.exit, round.id(), *round))
    });
    let (exit, _, round) = coming.min_by(|a, b| (a.0, a.1).cmp(&(b.0, b.1)))?;
    Some((round, exit))
}

fn section(view: &View<'_>, page: &mut Page, track: Track) {
    let name = track_name(Some(track));
    let Some(board) = view
        .first_board(track)
        .filter(|own| !own.set.rows.is_empty())
    else {
        if view.boards(track).is_some_and(|own| own.latest.is_some()) {
            page.body.section(track.as_str(), name);
            page.body
                .say("No comparison set has a shared resolved round yet.");
        }
        return;
    };
    let set = board.set;
    let until = set.included.last().and_then(|id| view.window(id));
    let mut summary = vec![
        count(set.rows.len(), "model", "models"),
        count(set.included.len(), "shared round", "shared rounds"),
    ];
    summary.extend(until.map(|window| format!("to {}", written(window.exit))));
    let link = page.here.link(&set_path(&set.definition.set_id), name);
    let (id, summary) = (track.as_str(), Html::text(&summary.join(" · ")));
    let heading = format!("<h2 id=\"{id}\">{link} <small>{summary}</small></h2>");
    page.body.add(&Html::made(heading));
    let table = board::short_table(view, &page.here, set);
    page.body.table(&table);
    if let Some(controls) = board::control_line(view, set) {
        let controls = Html::text(&controls);
        let note = format!("<p class=\"note controls\" tabindex=\"0\">{controls}</p>");
        page.body.add(&Html::made(note));
    }
    meter(view, page, set);
    claim(view, page, set);
    beside(view, page, &board);
    match board.larger {
        Some(larger) if !has_race(view, set) => {
            let ends = format!("of {}, because this board has few", larger.definition.label);
            race_chart(view, page, larger, &ends);
        }
        _ => race_chart(view, page, set, OF_THE_BOARD),
    }
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

/// What the planner says about a claim on the first row; nothing where its record is too short.
fn needed_still(view: &View<'_>, set: &ComparisonSet) -> String {
    let Some(found) = outlook(view.publication, set) else {
        return String::new();
    };
    let name = view.name(&found.model_id);
    let lead = format!(
        " If {name} were {:.0} % a year ahead of {},",
        100.0 * EDGE,
        view.reference.the()
    );
    match found.years {
        Some(long) => format!(
            "{lead} a claim registered now would be established within {} years, in four of five cases.",
            years(long)
        ),
        None => format!(
            "{lead} a claim registered now would not be established within {MOST_YEARS} years."
        ),
    }
}

/// How much evidence there is.
fn meter(view: &View<'_>, page: &mut Page, set: &ComparisonSet) {
    let Some(statistics) = view.statistics(set) else {
        return;
    };
    let windows = statistics.effective_windows;
    let (so_far, needed) = (decimal(windows, 1), decimal(INFORMATIVE_WINDOWS, 0));
    let words = if windows < INFORMATIVE_WINDOWS {
        format!(
            "Evidence: {so_far} of the {needed} effective windows that intervals of scores need."
        )
    } else {
        format!("Evidence: {so_far} effective windows; intervals of scores need {needed}.")
    };
    let value = format!("{:.3}", windows.min(INFORMATIVE_WINDOWS));
    let words = Html::text(&format!("{words}{}", needed_still(view, set)));
    let meter = format!(
        "<meter min=\"0\" max=\"{needed}\" value=\"{value}\" aria-label=\"Evidence\"></meter> {words}"
    );
    page.body.paragraph("evidence", Html::made(meter));
}

/// How the caption of a race goes on that stands below its own board.
const OF_THE_BOARD: &str = "of the board; each line ends at its gap there";

fn has_race(view: &View<'_>, set: &ComparisonSet) -> bool {
    race(view.publication, set).rounds.len() >= FEWEST_ROUNDS
}

/// The race of a set under a heading, where it has enough rounds for one.
pub(super) fn race_section(view: &View<'_>, page: &mut Page, set: &ComparisonSet) {
    if has_race(view, set) {
        page.body.section("race", "The race");
        race_chart(view, page, set, OF_THE_BOARD);
    }
}

/// Each model's mean gap to the reference after every shared round, which the caption names.
fn race_chart(view: &View<'_>, page: &mut Page, set: &ComparisonSet, rounds: &str) {
    let race = race(view.publication, set);
    if race.rounds.len() < FEWEST_ROUNDS {
        return;
    }
    let the = view.reference.the();
    let mut table = Table::new(&format!("Mean gap to {the} so far, in points"), "Model");
    for (id, _) in race.rounds.iter().rev().take(MOST_ROUNDS) {
        table.add_numbers(&view.round_name(id));
    }
    let mut lines = Vec::new();
    for runner in &race.models {
        let mut cells = vec![head(view.model_link(&page.here, &runner.model_id))];
        let newest = runner.means.iter().rev().take(MOST_ROUNDS);
        cells.extend(newest.map(|mean| number(&signed_points(*mean), Some(*mean))));
        table.row(cells);
        let days = race.rounds.iter().map(|round| round.1);
        lines.push(Line {
            label: view.name(&runner.model_id).to_owned(),
            points: days.zip(runner.means.iter().copied()).collect(),
            band: runner
                .bands
                .iter()
                .copied()
                .collect::<Option<_>>()
                .unwrap_or_default(),
            stroke: Stroke::Solid,
            look: view.look(&runner.model_id),
        });
    }
    let flat = race.rounds.iter().map(|round| (round.1, 0.0));
    let reference = (Stroke::Reference, Look::OTHER);
    lines.push(Line::plain(&view.reference.to_string(), reference, flat));
    let track = set.definition.track;
    let chart = LineChart {
        title: format!("Mean gap to {the} after each {} round", track.as_str()),
        steps: Steps::Rounds,
        ends: None,
        lines,
        written: signed_points,
    };
    let caption = format!(
        "Mean gap to {the} per {}, in percentage points, after every shared round {rounds}",
        horizon(track)
    );
    page.body.figure(&caption, &chart.draw(), &table);
}

/// Rounds in the table of a race, the newest first.
const MOST_ROUNDS: usize = 12;
