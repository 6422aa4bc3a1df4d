//! One round as a table: its result, or what is public while there is none.

use capitalbench_core::publication::calls::CostSum;
use capitalbench_core::publication::{
    OpenRound, PublicRound, Publication, ResolvedRound, RoundState, Standing,
};
use capitalbench_export::text::{
    cost_sentence, ordinal, percent, points, reference_of, score, share,
};

use crate::commands::holdings_text;
use crate::console::{BOLD, DIM, Table, in_header, line, or_none, paint, prose, table};

pub(crate) fn print(publication: &Publication, round: &PublicRound) {
    let mut parts = vec![round.id().to_string(), round.state.as_str().to_owned()];
    if let Some(window) = round.manifest.window {
        parts.push(format!(
            "close of {} to close of {}",
            window.entry, window.exit
        ));
    }
    line(paint(BOLD, prose(&parts.join(" · "))));
    match &round.state {
        RoundState::Ended(own) => line(format!("{} {}", round.id(), own.sentence())),
        RoundState::Draft => line("No run is the record yet: nothing was decided."),
        RoundState::Open(open) => print_open(publication, round, open),
        RoundState::Resolved(resolved) => print_result(publication, round, resolved),
    }
    for missing in round.missing() {
        let name = publication.name(&missing.model_id);
        let text = format!("{name}: no valid answer: {}", missing.why.meaning());
        line(prose(&text));
    }
    for note in &round.exceptions {
        line(prose(&format!(
            "explained {}: {}",
            note.noted_at, note.reason
        )));
    }
    if let Some(cost) = cost_sentence(CostSum::of_round(round)) {
        line(paint(DIM, prose(&cost)));
    }
}

fn print_open(publication: &Publication, round: &PublicRound, open: &OpenRound) {
    let rows = open.submissions.iter().map(|submission| {
        vec![
            publication.name(&submission.model_id).to_owned(),
            share(submission.confidence),
            holdings_text(&submission.decision.holdings()),
        ]
    });
    let header = "model | confidence > | holdings in percent";
    line(table(header, rows.collect()));
    if let Some(day) = open.interim.iter().map(|row| row.day).max() {
        let rows = open.interim.iter().filter(|row| row.day == day).map(|row| {
            vec![
                publication.name(&row.model_id).to_owned(),
                percent(row.point.value.get()),
                points(row.point.alpha.get()),
            ]
        });
        line(format!(
            "\nProvisional at the close of {day}, price returns, not ranked:"
        ));
        let header = format!(
            "model | since entry > | vs {} >",
            in_header(reference_of(round))
        );
        line(table(&header, rows.collect()));
    }
    line(paint(
        DIM,
        "Score, rank and result are not public before the exit close and scoring.",
    ));
}

fn print_result(publication: &Publication, round: &PublicRound, resolved: &ResolvedRound) {
    let reference = reference_of(round);
    let mut rows = Vec::new();
    for (place, model) in (1..).zip(&resolved.models) {
        let name = publication.name(model.model_id());
        rows.push(standing_row(format!("{place}"), name, model));
    }
    let returns = &resolved.returns;
    let market = [
        (reference, Some(returns.reference())),
        ("cash", Some(returns.cash())),
        ("best option", returns.oracle()),
    ];
    for (name, value) in market {
        let mut cells = vec![String::new(); 8];
        name.clone_into(&mut cells[1]);
        cells[3] = or_none(value.map(|value| percent(value.get())));
        rows.push(cells);
    }
    for control in &resolved.controls {
        let name = control.model_id().as_str();
        rows.push(standing_row(String::new(), name, control));
    }
    let layout = Table {
        header: &format!(
            "place > | model | score > | return > | vs {} > | regret > | random > | confidence >",
            in_header(reference)
        ),
        spare: &[7, 6, 5],
        dim_from: Some(resolved.models.len()),
        ..Table::default()
    };
    line(layout.render(rows));
    line(prose(
        "One round is one draw from the market: a place in it says nothing about skill.",
    ));
}

fn standing_row(place: String, name: &str, model: &Standing) -> Vec<String> {
    let outcome = &model.scored.outcome;
    let regret = outcome.regret.map(|regret| points(regret.get()));
    let percentile = model.percentiles.as_ref().map(|p| ordinal(p.all));
    vec![
        place,
        name.to_owned(),
        score(model.score),
        percent(outcome.decision_return.get()),
        points(outcome.alpha.get()),
        or_none(regret),
        or_none(percentile),
        share(model.scored.submission.confidence),
    ]
}
