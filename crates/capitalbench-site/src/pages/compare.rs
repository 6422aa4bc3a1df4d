//! Models side by side, on the rounds they share and on no others.

use capitalbench_core::evidence::statistics::{Basis, Estimate, HeadToHead};
use capitalbench_core::publication::PublicRound;
use capitalbench_core::round::manifest::Track;
use capitalbench_core::values::ids::ModelId;

use super::view::{TRACKS, View, horizon, model_path, pair_path, round_link, track_name};
use crate::charts::{Heat, HeatColumn, strength};
use crate::figures::{NONE, count, day, decimal, percent_interval, signed_percent, signed_points};
use crate::html::Html;
use crate::page::Page;
use crate::table::{Cell, Column, Table, gap, head, markup, maybe, number, text, whole};

/// Cells of a heat map; the newest rounds come first.
const MOST_CELLS: usize = 700;
/// Rounds of a heat map; few models would leave room for too many.
const MOST_COLUMNS: usize = 120;
/// Rounds listed on the page of a pair.
const MOST_ROUNDS: usize = 150;

/// The page where two to four models are chosen.
pub(crate) fn index(view: &View<'_>) -> Page {
    let mut page = Page::new(
        "compare/",
        "Compare models",
        "Any two to four models on the rounds they share.",
    )
    .below("models/", "Models");
    page.body.say("Choose two to four models; rounds that one of them did not complete disappear. Every pair has a page of its own.");
    let mut form = Html::made(
        "<form class=\"filter\" id=\"compare\" hidden><fieldset><legend>Models</legend>".to_owned(),
    );
    for id in &view.models {
        form.push("<label><input type=\"checkbox\" name=\"model\" value=\"");
        form.push_text(id.as_str());
        form.push("\"> ");
        form.push_text(view.name(id));
        form.push("</label>");
    }
    form.push("</fieldset><output aria-live=\"polite\"></output></form>");
    page.body.add(&form);
    for track in TRACKS {
        page.body.section(track.as_str(), track_name(Some(track)));
        let table = pair_table(view, &page, track);
        if table.rows.is_empty() {
            page.body.say("No two models share a resolved round.");
            continue;
        }
        page.body.table(&table);
        heat_map(view, &mut page, track);
    }
    page
}

fn pair_table(view: &View<'_>, page: &Page, track: Track) -> Table {
    let mut table = Table::new(
        &format!("{} pairs on shared rounds", track_name(Some(track))),
        &[
            "First",
            "Second",
            "#Rounds",
            "#Windows",
            "#First ahead",
            "#Second ahead",
            &format!("#Difference / {}", horizon(track)),
            "#95 % interval",
            "Verdict",
        ],
    )
    .class("pairs");
    let pairs = view.publication.statistics.head_to_head.get(&track);
    for pair in pairs.iter().flat_map(|pairs| pairs.iter()) {
        let row = table.row(vec![
            head(Html::text(view.name(&pair.first))),
            text(view.name(&pair.second)),
            whole(pair.rounds.len()),
            number(
                &decimal(pair.effective_windows, 1),
                Some(pair.effective_windows),
            ),
            whole(pair.first_ahead),
            whole(pair.second_ahead),
            maybe(pair.difference.map(|d| d.value), signed_points),
            number(&interval(pair.difference), pair.difference.map(|d| d.low)),
            markup(page.here.link(
                &pair_path(&pair.first, &pair.second),
                verdict(pair.difference),
            )),
        ]);
        row.marks = vec![(
            "pair",
            Html::text(&format!("{} {}", pair.first, pair.second)),
        )];
    }
    table
}

fn interval(difference: Option<Estimate>) -> String {
    difference.map_or(NONE.to_owned(), |d| percent_interval(d.low, d.high))
}

/// Whether zero lies outside the interval; the pages of sets correct for the number of pairs.
fn verdict(difference: Option<Estimate>) -> &'static str {
    match difference {
        Some(found)
            if found.basis != Basis::NotInformative && (found.low > 0.0 || found.high < 0.0) =>
        {
            "apart, uncorrected"
        }
        _ => "not separable",
    }
}

/// The gap to the S&P 500 by round and model, as a chart and as tinted numbers.
fn heat_map(view: &View<'_>, page: &mut Page, track: Track) {
    let boards = view.boards(track);
    let took = |id: &&ModelId| {
        boards.is_some_and(|boards| boards.cumulative.iter().any(|row| row.model_id == **id))
    };
    let models: Vec<&ModelId> = view.models.iter().filter(took).collect();
    let mut table = Table::new(
        &format!(
            "{} gap to the S&P 500 by round, newest first",
            track_name(Some(track))
        ),
        &["Round", "Ended"],
    )
    .class("heat");
    for id in &models {
        table.columns.push(Column {
            label: Html::text(view.name(id)),
            model: Some(Html::text(id.as_str())),
            number: true,
            ..Column::default()
        });
    }
    let mut gaps: Vec<Vec<Option<f64>>> = vec![Vec::new(); models.len()];
    let mut columns = Vec::new();
    let rounds = view
        .publication
        .rounds
        .iter()
        .rev()
        .filter(|r| r.track == Some(track));
    let resolved = rounds.filter_map(|round| Some((round, round.resolved()?)));
    let all = resolved.clone().count();
    for (round, resolved) in resolved.take((MOST_CELLS / models.len().max(1)).min(MOST_COLUMNS)) {
        let mut cells = vec![
            head(round_link(&page.here, round.id())),
            text(&ended(round)),
        ];
        for (id, gaps) in models.iter().zip(&mut gaps) {
            let alpha = resolved
                .of(id)
                .map(|standing| standing.scored.outcome.alpha.get());
            cells.push(tinted(alpha));
            gaps.insert(0, alpha);
        }
        table.row(cells);
        columns.insert(0, column(round));
    }
    let named = models.iter().map(|id| view.name(id).to_owned());
    let chart = Heat {
        title: format!(
            "{} gap to the S&P 500 by round and model",
            track_name(Some(track))
        ),
        rounds: columns,
        models: named.zip(gaps).collect(),
    };
    draw_heat(page, track, &chart);
    let shown = table.rows.len();
    page.body.table(&table).cut("Rounds", shown, all);
}

fn draw_heat(page: &mut Page, track: Track, chart: &Heat) {
    let caption = format!(
        "Gap to the S&P 500 by model and {} round, newest at the right",
        track.as_str()
    );
    page.body.drawing(&caption, &chart.draw());
}

fn column(round: &PublicRound) -> HeatColumn {
    HeatColumn {
        name: round.id().to_string(),
        day: round.manifest.window.map(|window| window.exit),
    }
}

fn ended(round: &PublicRound) -> String {
    round
        .manifest
        .window
        .map_or(NONE.to_owned(), |window| day(window.exit))
}

fn tinted(alpha: Option<f64>) -> Cell {
    let Some(alpha) = alpha else {
        return text("");
    };
    let strength = strength(alpha);
    let side = if alpha > 0.0 { 'u' } else { 'd' };
    Cell {
        class: format!("n {side}{strength}"),
        ..gap(alpha)
    }
}

/// The page of every pair with a shared round.
pub(crate) fn pairs(view: &View<'_>) -> Vec<Page> {
    let mut ids: Vec<&ModelId> = view.models.iter().collect();
    ids.sort();
    let mut pages = Vec::new();
    for (place, first) in ids.iter().enumerate() {
        for second in &ids[place + 1..] {
            let of = |track: Track| {
                let pairs = view.publication.statistics.head_to_head.get(&track)?;
                pairs
                    .iter()
                    .find(|pair| pair.first == **first && pair.second == **second)
            };
            let found: Vec<(Track, &HeadToHead)> = TRACKS
                .into_iter()
                .filter_map(|track| Some((track, of(track)?)))
                .collect();
            if !found.is_empty() {
                pages.push(pair_page(view, (first, second), &found));
            }
        }
    }
    pages
}

fn pair_page(
    view: &View<'_>,
    (first, second): (&ModelId, &ModelId),
    found: &[(Track, &HeadToHead)],
) -> Page {
    let (a, b) = (view.name(first), view.name(second));
    let title = format!("{a} and {b}");
    let mut page = Page::new(
        &pair_path(first, second),
        &title,
        &format!("{title} on the rounds both completed."),
    )
    .below("compare/", "Compare");
    let links = [
        page.here.link(&model_path(first), a),
        page.here.link(&model_path(second), b),
    ];
    page.body.paragraph("more", &Html::join(&links, " · "));
    for (track, pair) in found {
        page.body.section(track.as_str(), track_name(Some(*track)));
        page.body.facts(&[
            (
                "Shared rounds",
                Html::text(&format!(
                    "{} ≈ {} windows",
                    pair.rounds.len(),
                    decimal(pair.effective_windows, 1)
                )),
            ),
            (
                "Higher return",
                Html::text(&format!(
                    "{a} in {}, {b} in {}",
                    pair.first_ahead, pair.second_ahead
                )),
            ),
            (
                "Difference, 95 % interval",
                Html::text(
                    &pair
                        .difference
                        .map_or("one window tells nothing".to_owned(), |d| {
                            format!(
                                "{} a {} ({})",
                                signed_points(d.value),
                                horizon(*track),
                                percent_interval(d.low, d.high)
                            )
                        }),
                ),
            ),
            ("Verdict", Html::text(verdict(pair.difference))),
        ]);
        rounds(view, &mut page, (first, second), pair);
    }
    page
}

fn rounds(
    view: &View<'_>,
    page: &mut Page,
    (first, second): (&ModelId, &ModelId),
    pair: &HeadToHead,
) {
    let labels = [
        format!("#{}", view.name(first)),
        format!("#{}", view.name(second)),
    ];
    let caption = format!(
        "{}, newest first",
        count(pair.rounds.len(), "shared round", "shared rounds")
    );
    let mut table = Table::new(
        &caption,
        &["Round", "Ended", &labels[0], &labels[1], "#S&P 500"],
    );
    for round in pair
        .rounds
        .iter()
        .rev()
        .take(MOST_ROUNDS)
        .filter_map(|id| view.round(id))
    {
        let Some(resolved) = round.resolved() else {
            continue;
        };
        let of = |id: &ModelId| {
            let value = resolved
                .of(id)
                .map(|standing| standing.scored.outcome.decision_return.get());
            maybe(value, signed_percent)
        };
        table.row(vec![
            head(round_link(&page.here, round.id())),
            text(&ended(round)),
            of(first),
            of(second),
            maybe(Some(resolved.returns.reference().get()), signed_percent),
        ]);
    }
    let shown = pair.rounds.len().min(MOST_ROUNDS);
    page.body
        .table(&table)
        .cut("Rounds", shown, pair.rounds.len());
}
