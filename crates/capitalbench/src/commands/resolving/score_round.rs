//! `score-round`: one run, or every official run of a folder.

use std::path::Path;

use capitalbench_archive::results::corrections::Stored;
use capitalbench_archive::results::scoring::ControlOutcome;
use capitalbench_core::market::reference_name::ReferenceName;
use capitalbench_core::result::consistency::{Figures, ModelConsistency};
use capitalbench_core::result::leaderboard;
use capitalbench_core::result::score::{self as points, Score};
use capitalbench_core::values::units::{Return, signed_percent};
use capitalbench_operations::resolving::score::{Reasons, Scored, Writing};
use capitalbench_operations::resolving::scoring::{FolderScores, score_folder, score_round};
use capitalbench_operations::syncing::follow::{follow_folder, follow_round};
use serde_json::{Value, json};

use crate::cli::ScoreRound;
use crate::commands::notices::{print_followed, print_signed, recorded_json};
use crate::commands::run_id;
use crate::config::operator;
use crate::console::{
    BOLD, DIM, ERROR, document, in_header, is_json, line, or_none, paint, plural, prose, remark,
    table, warn,
};
use crate::error::{Error, Exit};

pub(crate) fn run(arguments: &ScoreRound) -> Result<Exit, Error> {
    let operator = operator(arguments.now.instant)?;
    let writing = writing(arguments)?;
    if let Some(folder) = &arguments.rounds_dir {
        let scores = score_folder(&operator, folder, &writing)?;
        print_scores(&scores)?;
        let done = Exit::of(scores.failed.is_empty());
        return Ok(match writing {
            Writing::DryRun => done,
            Writing::Write(_) => done.and(print_followed(&follow_folder(&operator, folder))),
        });
    }
    let path = arguments.round.as_deref().unwrap_or_else(|| Path::new("."));
    let run_id = run_id(arguments.run_id.as_deref())?;
    let scored = score_round(&operator, path, run_id.as_ref(), &writing)?;
    if is_json() {
        document(&as_json(&scored)?);
    } else {
        print(&scored)?;
    }
    Ok(match writing {
        Writing::DryRun => Exit::Success,
        Writing::Write(_) => print_followed(&follow_round(&operator, path)),
    })
}

fn writing(arguments: &ScoreRound) -> Result<Writing, Error> {
    if arguments.dry_run {
        return Ok(Writing::DryRun);
    }
    let reason = |flag: &str, text: &Option<String>| match text.as_deref().map(str::trim) {
        Some("") => Err(Error::new(format!("{flag} needs a reason"))),
        text => Ok(text.map(str::to_owned)),
    };
    let unproved = &arguments.accept_unproved_prices;
    Ok(Writing::Write(Reasons {
        correct: reason("--correct", &arguments.correct)?,
        accept_cross_check: reason("--accept-cross-check", &arguments.accept_cross_check)?,
        accept_unproved: reason("--accept-unproved-prices", unproved)?,
    }))
}

fn print_scores(scores: &FolderScores) -> Result<(), Error> {
    let FolderScores { done, failed } = scores;
    if is_json() {
        let runs: Result<Vec<Value>, Error> = done.iter().map(as_json).collect();
        let failures = failed
            .iter()
            .map(|(round, error)| json!({"round_id": round, "error": error.to_string()}));
        document(&json!({"runs": runs?, "failures": failures.collect::<Vec<_>>()}));
        return Ok(());
    }
    for (round, error) in failed {
        remark(format!("{} {round}: {error}", paint(ERROR, "error:")));
    }
    print_folder(done);
    Ok(())
}

/// The outcomes of a run, each with its score.
fn rows(scored: &Scored) -> Result<Vec<(&leaderboard::Scored, Option<f64>)>, Error> {
    let oracle = scored.result.returns.oracle();
    let mut rows = Vec::new();
    for row in &scored.result.outcomes {
        let points = points::score(row.outcome.decision_return, oracle)
            .map_err(|error| Error::new(format!("{}: {error}", row.submission.model_id)))?;
        let score = match points {
            Score::Points(points) => Some(points),
            Score::Undefined(_) => None,
        };
        rows.push((row, score));
    }
    Ok(rows)
}

fn control_json((rule, scored): &ControlOutcome) -> Value {
    let outcome = scored.as_ref().ok().map(|scored| &scored.outcome);
    json!({
        "control_id": rule.name(),
        "return": outcome.map(|outcome| outcome.decision_return.get()),
        "alpha_vs_sp500": outcome.map(|outcome| outcome.alpha.get()),
        "unavailable": scored.as_ref().err(),
    })
}

fn as_json(scored: &Scored) -> Result<Value, Error> {
    let outcomes: Vec<Value> = rows(scored)?
        .into_iter()
        .map(|(row, score)| {
            json!({
                "model_id": row.submission.model_id.as_str(),
                "capitalbench_score": score,
                "return": row.outcome.decision_return.get(),
                "alpha_vs_sp500": row.outcome.alpha.get(),
                "regret_vs_best_option": row.outcome.regret.map(Return::get),
            })
        })
        .collect();
    let controls: Vec<Value> = scored.result.controls.iter().map(control_json).collect();
    let consistency: Vec<Value> = scored
        .result
        .consistency
        .iter()
        .map(|model| {
            let figures = model.figures.as_ref();
            json!({
                "model_id": model.model_id.as_str(),
                "valid_replicates": model.valid,
                "invalid_replicates": model.invalid,
                "modal_pick": figures.map(|figures| figures.modal_pick.as_str()),
                "consistency_rate": figures.map(Figures::consistency_rate),
                "average_repeated_return": figures.map(|figures| figures.average_return),
            })
        })
        .collect();
    let returns = &scored.result.returns;
    let warnings: Vec<String> = scored
        .result
        .price_problems
        .iter()
        .map(ToString::to_string)
        .collect();
    Ok(json!({
        "round_id": scored.round,
        "run_id": scored.run_id.as_str(),
        "sp500_return": returns.reference().get(),
        "max_possible_return": returns.oracle().map(Return::get),
        "outcomes": outcomes,
        "controls": controls,
        "consistency": consistency,
        "warnings": warnings,
        "stored": match &scored.stored {
            None => "nothing",
            Some(Stored::Written) => "written",
            Some(Stored::Unchanged) => "unchanged",
            Some(Stored::Corrected(_)) => "corrected",
        },
        "log": scored.recorded.as_ref().map(recorded_json),
    }))
}

fn print(scored: &Scored) -> Result<(), Error> {
    let (round, run) = (paint(BOLD, &scored.round), paint(DIM, &scored.run_id));
    line(format!("{round}  {run}"));
    let rows = (1..).zip(rows(scored)?).map(|(rank, (row, score))| {
        let outcome = &row.outcome;
        vec![
            rank.to_string(),
            row.submission.model_id.to_string(),
            or_none(score.map(|score| format!("{score:.1}"))),
            signed_percent(outcome.decision_return.get()),
            signed_percent(outcome.alpha.get()),
            or_none(outcome.regret.map(|regret| signed_percent(regret.get()))),
        ]
    });
    if scored.result.consistency.is_empty() {
        let header = format!(
            "rank > | model | score > | return > | vs {} > | regret >",
            in_header(&scored.reference)
        );
        line(table(&header, rows.collect()));
    } else {
        print_consistency(&scored.result.consistency);
    }
    if !scored.result.controls.is_empty() {
        print_controls(&scored.reference, &scored.result.controls);
    }
    let returns = &scored.result.returns;
    let oracle = returns.oracle().map(|oracle| signed_percent(oracle.get()));
    let oracle = oracle.unwrap_or_else(|| "-".to_owned());
    line(prose(&format!(
        "{} {}   best option {oracle}",
        scored.reference,
        signed_percent(returns.reference().get())
    )));
    for problem in &scored.result.price_problems {
        warn(problem);
    }
    match &scored.stored {
        Some(Stored::Corrected(Some(place))) => {
            line(format!("corrected; the results before it are in {place}"));
        }
        Some(Stored::Corrected(None)) => line(
            "corrected; the files of the results before it are gone, the log has their digests",
        ),
        _ => {}
    }
    if let Some(recorded) = &scored.recorded {
        print_signed(recorded);
    }
    Ok(())
}

/// Control entrants stand apart from the models and have no rank.
fn print_controls(reference: &str, controls: &[ControlOutcome]) {
    let rows = controls.iter().map(|(rule, scored)| {
        let name = rule.name().to_owned();
        match scored {
            Err(reason) => vec![name, "-".to_owned(), paint(DIM, format!("({reason})"))],
            Ok(scored) => {
                let outcome = &scored.outcome;
                let (value, alpha) = (outcome.decision_return.get(), outcome.alpha.get());
                vec![name, signed_percent(value), signed_percent(alpha)]
            }
        }
    });
    let header = format!(
        "control, not ranked | return > | vs {} >",
        in_header(reference)
    );
    line(table(&header, rows.collect()));
}

/// Replicates are not ranked against each other; what counts is how far they agree.
fn print_consistency(models: &[ModelConsistency]) {
    let rows = models.iter().map(|model| {
        let mut row = vec![
            model.model_id.to_string(),
            model.valid.to_string(),
            model.invalid.to_string(),
        ];
        row.extend(match &model.figures {
            None => ["-", "-", "-"].map(str::to_owned),
            Some(figures) => [
                figures.modal_pick.to_string(),
                format!("{:.0} %", 100.0 * figures.consistency_rate()),
                signed_percent(figures.average_return),
            ],
        });
        row
    });
    let header =
        "model | valid > | invalid > | most frequent pick | agreement > | average return >";
    line(table(header, rows.collect()));
}

fn print_folder(done: &[Scored]) {
    let rows = done.iter().map(|scored| {
        let returns = &scored.result.returns;
        let best = scored.result.outcomes.first();
        vec![
            scored.round.clone(),
            scored.run_id.to_string(),
            scored.result.outcomes.len().to_string(),
            best.map(|row| row.submission.model_id.to_string())
                .unwrap_or_default(),
            best.map(|row| signed_percent(row.outcome.decision_return.get()))
                .unwrap_or_default(),
            signed_percent(returns.reference().get()),
            scored.result.price_problems.len().to_string(),
        ]
    });
    let reference = ReferenceName::shared(done.iter().map(|own| own.reference.as_str()));
    let header = format!(
        "round | run | models > | highest return | > | {} > | warnings >",
        in_header(&reference.to_string())
    );
    line(table(&header, rows.collect()));
    line(format!("scored {}", plural(done.len(), "run")));
}
