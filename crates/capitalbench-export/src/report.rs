//! Reports in Markdown.

use std::fmt::Write as _;

use capitalbench_core::publication::boards::TrackBoards;
use capitalbench_core::publication::boards::cumulative::by_alpha;
use capitalbench_core::publication::{PublicRound, Publication, ResolvedRound};
use capitalbench_core::round::manifest::Track;
use capitalbench_core::values::units::Return;

use crate::text::{SYNTHETIC, percent, points, reference_of, score, share};

/// `latest_round_report.md`.
pub fn latest_round(
    publication: &Publication,
    round: &PublicRound,
    resolved: &ResolvedRound,
) -> String {
    let mut page = format!("# {}: result\n\n", round.id());
    let returns = &resolved.returns;
    let reference = reference_of(round);
    let mut fact = |name: &str, value: String| _ = writeln!(page, "- {name}: {value}");
    if let Some(window) = round.manifest.window {
        fact(
            "Window",
            format!("{} to {}, close to close", window.entry, window.exit),
        );
    }
    fact(reference, percent(returns.reference().get()));
    fact("Cash", percent(returns.cash().get()));
    let oracle = returns.oracle().map(Return::get);
    let oracle = oracle.map_or_else(|| "not known, some option has no price".into(), percent);
    fact("Best option, known afterwards", oracle);
    fact("As of", publication.as_of.to_string());
    if publication.synthetic {
        fact("Market", SYNTHETIC.to_owned());
    }
    let _ = write!(
        page,
        "\n| place | model | return | minus {reference} | CapitalBench Score |\n\
         | ---: | --- | ---: | ---: | ---: |\n"
    );
    for (place, model) in (1..).zip(&resolved.models) {
        let outcome = &model.scored.outcome;
        let _ = writeln!(
            page,
            "| {place} | {} | {} | {} | {} |",
            publication.name(model.model_id()),
            percent(outcome.decision_return.get()),
            points(outcome.alpha.get()),
            score(model.score),
        );
    }
    page.push_str(
        "\nOne round is one draw from the market: a place in it says nothing about skill.\n",
    );
    page
}

/// `cumulative_report.md`, with `warnings` at its end.
pub fn cumulative(publication: &Publication, tracks: &[Track], warnings: &[String]) -> String {
    let mut page = format!("# Cumulative record\n\nAs of {}.\n", publication.as_of);
    if publication.synthetic {
        let _ = write!(page, "\nMarket: {SYNTHETIC}.\n");
    }
    for track in tracks {
        if let Some(boards) = publication.boards.get(track) {
            section(&mut page, publication, *track, boards);
        }
    }
    page.push_str(
        "\nEvery model counts the rounds it took part in; nobody is backfilled. Windows overlap, so the \
         compounded column is no strategy's return and the number of rounds is no sample size. \
         Comparison sets hold models against each other on the same rounds.\n\n## Warnings\n\n",
    );
    if warnings.is_empty() {
        page.push_str("None.\n");
    }
    for warning in warnings {
        let _ = writeln!(page, "- {warning}");
    }
    page
}

fn section(page: &mut String, publication: &Publication, track: Track, boards: &TrackBoards) {
    let _ = write!(page, "\n## Official, {}\n\n", track.as_str());
    if boards.cumulative.is_empty() {
        page.push_str("No resolved round yet.\n");
    } else {
        page.push_str(
            "| model | rounds | mean alpha | median alpha | mean return | compounded | beats reference |\n\
             | --- | ---: | ---: | ---: | ---: | ---: | ---: |\n",
        );
    }
    for row in by_alpha(&boards.cumulative) {
        let _ = writeln!(
            page,
            "| {} | {} | {} | {} | {} | {} | {} |",
            publication.name(&row.model_id),
            row.rounds.len(),
            percent(row.average_alpha),
            percent(row.median_alpha),
            percent(row.average_return),
            percent(row.compounded_return),
            share(row.hit_rate_reference),
        );
    }
    let _ = write!(page, "\n## Consistency checks, {}\n\n", track.as_str());
    if boards.consistency.rows.is_empty() {
        page.push_str("No scored run of repeated calls yet.\n");
    } else {
        page.push_str(
            "| model | rounds | answers | mean alpha | same pick | overlap |\n\
             | --- | ---: | ---: | ---: | ---: | ---: |\n",
        );
    }
    for row in &boards.consistency.rows {
        let _ = writeln!(
            page,
            "| {} | {} | {} | {} | {} | {} |",
            publication.name(&row.model_id),
            row.rounds.len(),
            row.replicates,
            percent(row.average_alpha),
            share(row.average_consistency_rate),
            share(row.average_overlap),
        );
    }
}
