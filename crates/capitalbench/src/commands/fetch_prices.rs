//! `fetch-prices`: the closes of a round's window.

use capitalbench_archive::disk::shell::shell_word;
use capitalbench_archive::format::prices::provenance::{Coverage, Provenance, Purpose};
use capitalbench_archive::round::round_folder::{RoundFolder, RoundInputs, Universes};
use capitalbench_core::market::cross_check::CrossCheck;
use serde_json::{Value, json};

use super::price_source::{asking, open_counted, open_second, rounds_of, state_folder, wait};
use super::{Outcome, run_id};
use crate::cli::{FetchPrices, SideChoice};
use crate::clock::Clock;
use crate::console::{DIM, GOOD, WARNING, document, line, paint, plural, remark};
use crate::error::CommandError;
use crate::steps::asking::AtLimit;
use crate::steps::fetch_prices::{
    FetchPlan, Fetched, Other, fetch_prices, options, refuse_present, require_final_rows,
    source_exception, window,
};
use crate::steps::given_instant::note_given_instant;
use crate::steps::held_round::take;
use crate::steps::record::record;
use crate::steps::score::refuse_changed_inputs;

pub(crate) fn run(arguments: &FetchPrices) -> Result<Outcome, CommandError> {
    let clock = Clock::starting_at(arguments.now.instant);
    let folder = RoundFolder::open(&arguments.round.path)?;
    let inputs = RoundInputs::load(folder, &Universes::default())?;
    let plan = plan(arguments, &inputs)?;
    require_final_rows(&plan, clock.now())?;
    if let Err(refusal) = refuse_present(&plan) {
        if !arguments.dry_run {
            // Prices of a process that was killed may not be in the log yet.
            record(&inputs.folder, clock.now())?;
        }
        return Err(refusal);
    }
    if arguments.dry_run {
        print_plan(arguments, &plan);
        return Ok(Outcome::Holds);
    }
    note_given_instant(&inputs.folder, "fetch-prices", arguments.now.instant)?;
    let state = state_folder(&rounds_of(inputs.folder.path())?)?;
    let at_limit = if arguments.manner.wait {
        AtLimit::Wait
    } else {
        AtLimit::Stop
    };
    let opened = open_counted(
        arguments.source.source,
        arguments.source.histories.as_deref(),
    )?;
    let choice = &arguments.cross_check;
    let second = open_second(choice)?;
    let first = asking(&opened, &state, clock, at_limit);
    let other = second.as_ref().map(|opened| Other {
        asking: asking(opened, &state, clock, at_limit),
        tolerance_bps: choice.tolerance_bps,
    });
    source_exception(&plan, &first, other.as_ref())?;
    let held = take(&inputs.folder)?;
    // What was true before the round was ours may not be true any more.
    refuse_present(&plan)?;
    let fetched = wait(fetch_prices(&plan, &first, other.as_ref(), &held))??;
    held.release()?;
    Ok(report(arguments, &plan, &fetched))
}

fn plan<'a>(
    arguments: &FetchPrices,
    inputs: &'a RoundInputs,
) -> Result<FetchPlan<'a>, CommandError> {
    refuse_changed_inputs(inputs)?;
    let coverage = if arguments.full_universe {
        Coverage::FullUniverse
    } else {
        Coverage::HeldOptions
    };
    let run_id = run_id(arguments.run_id.as_deref())?;
    Ok(FetchPlan {
        inputs,
        window: window(inputs, arguments.entry_date, arguments.exit_date)?,
        purpose: match arguments.side {
            Some(SideChoice::Entry) => Purpose::Informational,
            Some(SideChoice::Exit) | None => Purpose::Final,
        },
        coverage,
        options: options(inputs, coverage, run_id.as_ref())?,
        correct: arguments.manner.correct.clone(),
        other_source: arguments.other_source.clone(),
    })
}

fn print_plan(arguments: &FetchPrices, plan: &FetchPlan<'_>) {
    let symbols: Vec<&str> = plan.options.iter().map(|(_, s)| s.as_str()).collect();
    if arguments.output.json {
        document(&json!({
            "round_id": plan.inputs.folder.name(),
            "entry_date": plan.window.entry.to_string(),
            "exit_date": plan.window.exit.to_string(),
            "purpose": plan.purpose,
            "coverage": plan.coverage,
            "symbols": symbols,
        }));
        return;
    }
    line(format!(
        "{}: would ask for {}, {} to {}",
        plan.inputs.folder.name(),
        plural(symbols.len(), "symbol"),
        plan.window.entry,
        plan.window.exit
    ));
    line(symbols.join(" "));
}

fn report(arguments: &FetchPrices, plan: &FetchPlan<'_>, fetched: &Fetched) -> Outcome {
    let round = plan.inputs.folder.name();
    match fetched {
        Fetched::Stopped {
            source,
            at,
            done,
            of,
        } => {
            if arguments.output.json {
                document(&json!({
                    "round_id": round,
                    "status": "stopped",
                    "source": source,
                    "resume_at_utc": at.to_string(),
                    "answered": done,
                    "of": of,
                }));
            } else {
                line(format!(
                    "{round}: the plan of {source} is used up after {done} of {of} options"
                ));
                line(format!(
                    "{} run it again at {at}, or with --wait; what came is kept",
                    paint(DIM, "next:")
                ));
            }
            Outcome::DoesNotHold
        }
        Fetched::Stored {
            provenance,
            cross_check,
            sound,
        } => {
            if arguments.output.json {
                document(&stored_json(&round, provenance, cross_check.as_ref()));
            } else {
                print_stored(plan, provenance, cross_check.as_ref());
            }
            Outcome::of(*sound)
        }
    }
}

fn stored_json(round: &str, provenance: &Provenance, check: Option<&CrossCheck>) -> Value {
    let requests: usize = provenance.answers.iter().map(|a| a.requests).sum();
    let files: Vec<&String> = provenance.files.keys().collect();
    let beyond = check.map(|check| {
        let rows = check.beyond();
        rows.iter()
            .map(|row| row.option_id.to_string())
            .collect::<Vec<_>>()
    });
    json!({
        "round_id": round,
        "status": "stored",
        "source": provenance.source,
        "purpose": provenance.purpose,
        "coverage": provenance.coverage,
        "options": provenance.answers.len(),
        "requests": requests,
        "files": files,
        "warnings": provenance.warnings,
        "beyond_tolerance": beyond,
        "replaced": provenance.replaced,
    })
}

fn print_stored(plan: &FetchPlan<'_>, provenance: &Provenance, check: Option<&CrossCheck>) {
    let round = plan.inputs.folder.name();
    for warning in &provenance.warnings {
        remark(format!("{} {warning}", paint(WARNING, "warning:")));
    }
    for row in check.map(CrossCheck::beyond).unwrap_or_default() {
        let text = match (&row.other, row.apart_bps()) {
            (Err(reason), _) => reason.clone(),
            (Ok(_), bps) => format!("{:+.1} bp apart", bps.unwrap_or_default()),
        };
        let who = format!("{} in the cross-check: {text}", row.option_id);
        remark(format!("{} {who}", paint(WARNING, "warning:")));
    }
    let count = plural(provenance.answers.len(), "option");
    let what = match provenance.purpose {
        Purpose::Final => format!("{} to {}", provenance.from, provenance.to),
        Purpose::Informational => format!("{}, informational", provenance.from),
    };
    line(format!(
        "{round}: prices of {} from {}, {what}",
        paint(GOOD, count),
        provenance.source
    ));
    if let Some(place) = &provenance.replaced {
        line(format!("the prices before them are in {place}"));
    }
    if provenance.purpose == Purpose::Final {
        let path = shell_word(plan.inputs.folder.path());
        let next = format!("capitalbench score-round --round {path}");
        line(format!("{} {next}", paint(DIM, "next:")));
    }
}
