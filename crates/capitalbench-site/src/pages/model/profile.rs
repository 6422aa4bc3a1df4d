//! How the page of a model begins: its record, its style and its calibration in three sentences, then
//! what it holds now, and its best and its worst round.

use capitalbench_core::evidence::statistics::{ConfidenceSide, RecordStatistics};
use capitalbench_core::publication::PublicRound;
use capitalbench_core::publication::boards::behaviour::Behaviour;
use capitalbench_core::publication::boards::cumulative::CumulativeRow;
use capitalbench_core::round::manifest::Track;
use capitalbench_core::values::ids::ModelId;

use super::super::view::{TRACKS, View, horizon, track_name};
use crate::figures::{count, decimal, share, signed_percent, signed_points, unsigned_points};
use crate::html::Html;
use crate::page::Page;
use crate::table::{Table, words};

/// Everything above the sections of the tracks.
pub(super) fn begin(view: &View<'_>, page: &mut Page, id: &ModelId) {
    let the = view.reference.the();
    for track in TRACKS {
        let Some(boards) = view.boards(track) else {
            continue;
        };
        let row = boards.cumulative.iter().find(|row| row.model_id == *id);
        let behaviour = boards.behaviour.iter().find(|own| own.model_id == *id);
        let told = [
            row.map(|row| record(&the, track, row)),
            behaviour.map(style),
            view.record(track, id)
                .and_then(|own| calibration(&the, own)),
        ];
        let told: Vec<String> = told.into_iter().flatten().collect();
        if told.is_empty() {
            continue;
        }
        let mut html = Html::wrap("strong", "", &track_name(Some(track)).into());
        html.push_text(&format!(": {}", told.join(" ")));
        page.body.paragraph("lead", html);
        if let Some(row) = row {
            extremes(view, page, id, row);
        }
    }
    held(view, page, id);
}

fn record(the: &str, track: Track, row: &CumulativeRow) -> String {
    let rounds = count(row.rounds.len(), "resolved round", "resolved rounds");
    let gap = unsigned_points(row.average_alpha).replace('\u{2212}', "");
    let (horizon, hits) = (horizon(track), share(row.hit_rate_reference));
    let value = signed_percent(row.average_return);
    let side = if row.average_alpha > 0.0 {
        "more than"
    } else if row.average_alpha < 0.0 {
        "less than"
    } else {
        return format!("Over {rounds} it returned {value} on average, as much as {the}.");
    };
    format!(
        "Over {rounds} it returned {value} on average, {gap} points a {horizon} {side} {the}, and was above it in {hits} of them."
    )
}

fn style(behaviour: &Behaviour) -> String {
    let holdings = decimal(behaviour.average_holdings, 1);
    let largest = share(behaviour.average_largest);
    let turnover = behaviour
        .average_turnover
        .map_or(String::new(), |turnover| {
            format!(
                " and changes {} of the portfolio from one decision to the next",
                share(turnover)
            )
        });
    let risk = decimal(behaviour.average_risk_taking, 0);
    format!(
        "It holds {holdings} options on average, the largest with {largest}{turnover}; its risk grade is {risk} of 100."
    )
}

fn calibration(the: &str, own: &RecordStatistics) -> Option<String> {
    let found = own.judged_confidence()?;
    let [stated, came] = [share(found.stated), share(found.came_true)];
    let side = match found.side {
        ConfidenceSide::More => "more sure than its record",
        ConfidenceSide::Less => "less sure than its record",
        ConfidenceSide::Level => "chance alone explains the difference",
    };
    let rounds = count(found.decisions, "round", "rounds");
    Some(format!(
        "It said it was {stated} sure to return more than {the} and did so in {came} of the {rounds} that asked: {side}."
    ))
}

/// The rounds with the largest and the smallest gap, by the figures of the board.
fn extremes(view: &View<'_>, page: &mut Page, id: &ModelId, row: &CumulativeRow) {
    let mut line = Html::default();
    for (word, wanted) in [
        ("Best round", row.best_alpha),
        ("worst round", row.worst_alpha),
    ] {
        let gap_of = |round: &&PublicRound| {
            let standing = round.standing(id);
            standing.map(|standing| standing.scored.outcome.alpha.get())
        };
        let mut rounds = row.rounds.iter().filter_map(|id| view.round(id));
        let found =
            rounds.find(|round| gap_of(round).is_some_and(|gap| gap.total_cmp(&wanted).is_eq()));
        let Some(found) = found else { continue };
        if !line.as_str().is_empty() {
            line.push_text(" · ");
        }
        line.push_text(&format!("{word}: "));
        line.add(&view.round_link(&page.here, found.id()));
        line.push_text(&format!(", {} points", signed_points(wanted)));
    }
    page.body.paragraph("note", line);
}

/// The portfolios of its open rounds.
fn held(view: &View<'_>, page: &mut Page, id: &ModelId) {
    let mut table = Table::new(
        "Portfolios of open rounds",
        "Round | Portfolio | #Confidence",
    )
    .fixed();
    for (round, open) in view.open_rounds() {
        let Some(own) = open.submissions.iter().find(|own| own.model_id == *id) else {
            continue;
        };
        let holding = |holding: &capitalbench_core::decision::portfolio::Holding| {
            let mut html = view.option_link(&page.here, &holding.option_id);
            html.push_text(&format!(" {}", share(holding.weight.weight())));
            html
        };
        let held: Vec<Html> = own.decision.holdings().iter().map(holding).collect();
        table.row(vec![
            view.round_cell(&page.here, round.id()),
            words(Html::join(&held, ", ")),
            crate::table::part(own.confidence),
        ]);
    }
    if !table.rows.is_empty() {
        page.body.section("now", "What it holds now").table(&table);
    }
}
