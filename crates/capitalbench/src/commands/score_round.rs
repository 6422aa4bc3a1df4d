//! `score-round`: one run, or every official run of a folder.

use std::path::Path;

use capitalbench_archive::disk::error::FileError;
use capitalbench_archive::results::corrections::Stored;
use capitalbench_archive::results::scoring::ControlOutcome;
use capitalbench_archive::round::jobs;
use capitalbench_archive::round::round_folder::{RoundFolder, RoundInputs, Universes, list_rounds};
use capitalbench_archive::run::run_folder::RunFolder;
use capitalbench_core::asking::run::{RunRules, official_run};
use capitalbench_core::market::prices::Side;
use capitalbench_core::result::consistency::{Figures, ModelConsistency};
use capitalbench_core::result::score::{self as points, Score};
use capitalbench_core::round::resolution_job::{JobStatus, ResolutionJob};
use capitalbench_core::values::units::signed_percent;
use jiff::Timestamp;
use rayon::prelude::*;
use serde_json::{Value, json};

use super::{Exit, run_id};
use crate::cli::ScoreRound;
use crate::clock::now_or;
use crate::console::{
    BOLD, DIM, ERROR, WARNING, document, line, paint, plural, progress, prose, remark, table,
};
use crate::error::CommandError;
use crate::steps::given_instant::note_given_instant;
use crate::steps::held_round::take_awaited;
use crate::steps::public_store::{follow_folder, follow_round};
use crate::steps::record::{Recorded, record};
use crate::steps::score::{Scored, Writing, refuse_open, score};

pub(crate) fn run(arguments: &ScoreRound) -> Result<Exit, CommandError> {
    let now = now_or(arguments.now.instant);
    let writing = if arguments.dry_run {
        Writing::DryRun
    } else {
        Writing::Write {
            correct: reason("--correct", arguments.correct.as_deref())?,
            accept_cross_check: reason(
                "--accept-cross-check",
                arguments.accept_cross_check.as_deref(),
            )?,
            accept_unproved: reason(
                "--accept-unproved-prices",
                arguments.accept_unproved_prices.as_deref(),
            )?,
        }
    };
    let given = arguments.now.instant.filter(|_| !arguments.dry_run);
    if let Some(folder) = &arguments.rounds_dir {
        for round in list_rounds(folder)? {
            note_given_instant(&round, "score-round", given)?;
        }
        let scored = score_folder(folder, now, &writing, arguments.output.json)?;
        if arguments.dry_run {
            return Ok(scored);
        }
        return Ok(scored.and(follow_folder(folder, now)));
    }
    let path = arguments.round.as_deref().unwrap_or_else(|| Path::new("."));
    let run_id = run_id(arguments.run_id.as_deref())?;
    let folder = RoundFolder::open(path)?;
    note_given_instant(&folder, "score-round", given)?;
    let run = match &run_id {
        Some(run_id) => folder.run(run_id)?,
        None => match official(&folder)? {
            Some((run, _)) => run,
            None => folder.run_or_only(None)?,
        },
    };
    let rules = run.record()?.run.rules;
    let inputs = RoundInputs::load(folder, &Universes::default())?;
    let scored = score_held(&inputs, (&run, rules), now, &writing)?;
    if arguments.output.json {
        document(&as_json(&scored)?);
    } else {
        print(&scored)?;
    }
    if arguments.dry_run {
        return Ok(Exit::Success);
    }
    Ok(follow_round(path, now))
}

/// The official run of a round, if there is exactly one.
fn official(folder: &RoundFolder) -> Result<Option<(RunFolder, RunRules)>, FileError> {
    let runs = folder.runs()?;
    let Ok(run) = official_run(&runs, folder.enforcement()?) else {
        return Ok(None);
    };
    Ok(Some((folder.run(&run.run_id)?, run.rules)))
}

/// Scores with the round held where a worker may want it.
fn score_held(
    inputs: &RoundInputs,
    run: (&RunFolder, RunRules),
    now: Timestamp,
    writing: &Writing,
) -> Result<Scored, CommandError> {
    if *writing == Writing::DryRun {
        return score(inputs, run, now, writing);
    }
    refuse_open(inputs, now)?;
    let held = take_awaited(&inputs.folder)?;
    let scored = score(inputs, run, now, writing)?;
    settle_job(&inputs.folder, &scored, now)?;
    if let Some(held) = held {
        held.release()?;
    }
    Ok(scored)
}

/// A job that waits for what was just done by hand has nothing left to do.
fn settle_job(folder: &RoundFolder, scored: &Scored, now: Timestamp) -> Result<(), CommandError> {
    let waits = |job: &ResolutionJob| {
        job.run_id == scored.run_id
            && matches!(job.status, JobStatus::Scheduled | JobStatus::Failed)
    };
    if scored.stored.is_some()
        && let Some(mut job) = jobs::load(folder)?.filter(waits)
    {
        job.succeed(now);
        jobs::store(folder, &job)?;
        record(folder, now)?;
    }
    Ok(())
}

/// A reason that says something.
fn reason(flag: &str, text: Option<&str>) -> Result<Option<String>, CommandError> {
    match text.map(str::trim) {
        Some("") => Err(CommandError::new(format!("{flag} needs a reason"))),
        text => Ok(text.map(str::to_owned)),
    }
}

fn score_folder(
    folder: &Path,
    now: Timestamp,
    writing: &Writing,
    json: bool,
) -> Result<Exit, CommandError> {
    let rounds = list_rounds(folder)?;
    let universes = Universes::default();
    let bar = progress(rounds.len(), "scoring");
    let scored: Vec<Option<Result<Scored, (String, CommandError)>>> = rounds
        .par_iter()
        .map(|round| {
            let result = score_official(round, &universes, now, writing);
            bar.inc(1);
            result.map_err(|error| (round.name(), error)).transpose()
        })
        .collect();
    bar.finish_and_clear();
    let (done, failed): (Vec<_>, Vec<_>) = scored.into_iter().flatten().partition(Result::is_ok);
    let done: Vec<Scored> = done.into_iter().filter_map(Result::ok).collect();
    let failed: Vec<(String, CommandError)> = failed.into_iter().filter_map(Result::err).collect();
    if json {
        let runs: Result<Vec<Value>, CommandError> = done.iter().map(as_json).collect();
        let failures = failed
            .iter()
            .map(|(round, error)| json!({"round_id": round, "error": error.to_string()}));
        document(&json!({"runs": runs?, "failures": failures.collect::<Vec<_>>()}));
    } else {
        for (round, error) in &failed {
            remark(format!("{} {round}: {error}", paint(ERROR, "error:")));
        }
        print_folder(&done);
    }
    Ok(Exit::of(failed.is_empty()))
}

/// Scores the official run of a round; none when there is no record or a sheet is missing.
fn score_official(
    round: &RoundFolder,
    universes: &Universes,
    now: Timestamp,
    writing: &Writing,
) -> Result<Option<Scored>, CommandError> {
    let priced = |side: Side| round.file(side_file(side)).is_file();
    if !priced(Side::Entry) || !priced(Side::Exit) {
        return Ok(None);
    }
    match official(round)? {
        Some((run, rules)) => {
            let inputs = RoundInputs::load(round.clone(), universes)?;
            let scored = score_held(&inputs, (&run, rules), now, writing)?;
            Ok(Some(scored))
        }
        None => Ok(None),
    }
}

fn side_file(side: Side) -> &'static str {
    match side {
        Side::Entry => capitalbench_archive::disk::layout::ENTRY_PRICES,
        Side::Exit => capitalbench_archive::disk::layout::EXIT_PRICES,
    }
}

/// One row for people: rank, model, figures.
struct Row {
    model: String,
    score: Option<f64>,
    value: f64,
    alpha: f64,
    regret: Option<f64>,
}

fn rows(scored: &Scored) -> Result<Vec<Row>, CommandError> {
    let oracle = scored.result.returns.oracle();
    let row = |row: &capitalbench_core::result::leaderboard::Scored| {
        let outcome = &row.outcome;
        let points = points::score(outcome.decision_return, oracle)
            .map_err(|error| CommandError::new(format!("{}: {error}", row.submission.model_id)))?;
        Ok(Row {
            model: row.submission.model_id.to_string(),
            score: match points {
                Score::Points(points) => Some(points),
                Score::Undefined(_) => None,
            },
            value: outcome.decision_return.get(),
            alpha: outcome.alpha.get(),
            regret: outcome
                .regret
                .map(capitalbench_core::values::units::Return::get),
        })
    };
    scored.result.outcomes.iter().map(row).collect()
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

fn as_json(scored: &Scored) -> Result<Value, CommandError> {
    let outcomes: Vec<Value> = rows(scored)?
        .into_iter()
        .map(|row| {
            json!({
                "model_id": row.model,
                "capitalbench_score": row.score,
                "return": row.value,
                "alpha_vs_sp500": row.alpha,
                "regret_vs_best_option": row.regret,
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
        "max_possible_return": returns.oracle().map(capitalbench_core::values::units::Return::get),
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
        "log": scored.recorded.as_ref().map(Recorded::to_json),
    }))
}

fn print(scored: &Scored) -> Result<(), CommandError> {
    let dash = || "-".to_owned();
    line(format!(
        "{}  {}",
        paint(BOLD, &scored.round),
        paint(DIM, &scored.run_id)
    ));
    let rows = (1..).zip(rows(scored)?).map(|(rank, row)| {
        vec![
            rank.to_string(),
            row.model,
            row.score.map_or_else(dash, |score| format!("{score:.1}")),
            signed_percent(row.value),
            signed_percent(row.alpha),
            row.regret.map_or_else(dash, signed_percent),
        ]
    });
    let header = ["rank", "model", "score", "return", "vs S&P 500", "regret"];
    if scored.result.consistency.is_empty() {
        line(table(&header, &[0, 2, 3, 4, 5], rows.collect()));
    } else {
        print_consistency(&scored.result.consistency);
    }
    if !scored.result.controls.is_empty() {
        print_controls(&scored.result.controls);
    }
    let returns = &scored.result.returns;
    let oracle = returns
        .oracle()
        .map_or_else(dash, |oracle| signed_percent(oracle.get()));
    line(prose(&format!(
        "S&P 500 {}   best option {oracle}",
        signed_percent(returns.reference().get())
    )));
    for problem in &scored.result.price_problems {
        remark(format!("{} {problem}", paint(WARNING, "warning:")));
    }
    match &scored.stored {
        Some(Stored::Corrected(Some(place))) => {
            line(format!("corrected; the results before it are in {place}"));
        }
        Some(Stored::Corrected(None)) => {
            line(
                "corrected; the files of the results before it are gone, the log has their digests",
            );
        }
        _ => {}
    }
    if let Some(recorded) = &scored.recorded {
        recorded.print_signed();
    }
    Ok(())
}

/// Control entrants stand apart from the models and have no rank.
fn print_controls(controls: &[ControlOutcome]) {
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
    let header = ["control, not ranked", "return", "vs S&P 500"];
    line(table(&header, &[1, 2], rows.collect()));
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
    let header = [
        "model",
        "valid",
        "invalid",
        "most frequent pick",
        "agreement",
        "average return",
    ];
    line(table(&header, &[1, 2, 4, 5], rows.collect()));
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
    let header = [
        "round",
        "run",
        "models",
        "highest return",
        "",
        "S&P 500",
        "warnings",
    ];
    line(table(&header, &[2, 4, 5, 6], rows.collect()));
    line(format!("scored {}", plural(done.len(), "run")));
}
