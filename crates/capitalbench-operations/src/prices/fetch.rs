//! The prices of one round: both sides of its window from one answer per option.

use std::collections::BTreeMap;
use std::path::PathBuf;

use capitalbench_archive::format::prices::provenance::{
    AnswerRecord, Coverage, Provenance, Purpose,
};
use capitalbench_archive::format::stored::FormatVersion;
use capitalbench_archive::prices::large_moves::{self, MoveException};
use capitalbench_archive::prices::price_record::{NewPrices, later_close, store};
use capitalbench_archive::round::ending;
use capitalbench_archive::round::round_folder::RoundFolder;
use capitalbench_core::market::cross_check::{Comparison, CrossCheck};
use capitalbench_core::market::price_rules::{PriceProblem, problems};
use capitalbench_core::market::price_window::PriceWindow;
use capitalbench_core::market::prices::{PriceSheet, Quote};
use capitalbench_core::round::manifest::{Manifest, Window};
use capitalbench_core::values::ids::{OptionId, RunId};
use jiff::civil::Date;

use super::fetcher::{Answered, Answers, AtLimit, Fetcher, Stopped};
use super::plan::{
    FetchPlan, options, refuse_present, require_final_rows, source_exception, window,
};
use super::sources::{Fetchers, PriceChoice, Second, rounds_of};
use super::withholding::{published_return, withheld};
use crate::error::Error;
use crate::operator::files::open_inputs;
use crate::operator::{Operator, wait};
use crate::proof::given_instant::note_given_instant;
use crate::proof::record::{PROGRAM, record};
use crate::resolving::held_round::{HeldRound, take};
use crate::resolving::score::refuse_changed_inputs;

/// What an operator wants fetched.
#[derive(Debug)]
pub struct FetchRequest {
    pub round: PathBuf,
    pub entry: Option<Date>,
    pub exit: Option<Date>,
    pub purpose: Purpose,
    pub coverage: Coverage,
    /// Whose held options count; by default those of all runs.
    pub run_id: Option<RunId>,
    pub correct: Option<String>,
    pub other_source: Option<String>,
    /// Why moves that one source alone tells are believed.
    pub accept_moves: Option<String>,
    pub prices: PriceChoice,
    pub at_limit: AtLimit,
    /// Plan only: ask no source and write nothing.
    pub dry_run: bool,
}

/// What was planned, and what came of it.
#[derive(Debug)]
pub struct FetchReport {
    pub round: RoundFolder,
    pub window: Window,
    pub purpose: Purpose,
    pub coverage: Coverage,
    pub symbols: Vec<String>,
    /// None when nothing was to be fetched.
    pub fetched: Option<Fetched>,
}

#[derive(Debug)]
pub enum Fetched {
    /// The files are there.
    Stored {
        provenance: Box<Provenance>,
        cross_check: Option<CrossCheck>,
        /// Whether nothing about them is in doubt.
        sound: bool,
    },
    Stopped(Stopped),
}

/// Fetches the prices of a round for an operator.
pub fn fetch_round(operator: &Operator, request: &FetchRequest) -> Result<FetchReport, Error> {
    let inputs = open_inputs(&request.round)?;
    ending::require_open(&inputs.folder)?;
    refuse_changed_inputs(&inputs)?;
    let window = window(&inputs, request.entry, request.exit)?;
    let last = match request.purpose {
        Purpose::Final => window.exit,
        Purpose::Informational => window.entry,
    };
    let plan = FetchPlan {
        inputs: &inputs,
        window,
        purpose: request.purpose,
        coverage: request.coverage,
        options: options(&inputs, last, request.coverage, request.run_id.as_ref())?,
        correct: request.correct.clone(),
        other_source: request.other_source.clone(),
        accept_moves: request.accept_moves.clone(),
    };
    require_final_rows(&plan, operator.clock.now())?;
    if let Err(refusal) = refuse_present(&plan) {
        if !request.dry_run {
            // Prices of a process that was killed may not be in the log yet.
            record(operator, &inputs.folder, operator.clock.now())?;
        }
        return Err(refusal);
    }
    let fetched = if request.dry_run {
        None
    } else {
        Some(fetch_alone(operator, request, &plan)?)
    };
    Ok(FetchReport {
        window: plan.window,
        purpose: plan.purpose,
        coverage: plan.coverage,
        symbols: plan.options.into_iter().map(|(_, symbol)| symbol).collect(),
        round: inputs.folder,
        fetched,
    })
}

/// Fetches with the round held.
fn fetch_alone(
    operator: &Operator,
    request: &FetchRequest,
    plan: &FetchPlan<'_>,
) -> Result<Fetched, Error> {
    let folder = &plan.inputs.folder;
    note_given_instant(operator, folder, "fetch-prices")?;
    let rounds = rounds_of(folder.path())?;
    let fetchers = Fetchers::open(operator, &request.prices, &rounds, request.at_limit)?;
    source_exception(plan, &fetchers)?;
    let held = take(folder)?;
    // Another process may have stored prices before the round was ours.
    refuse_present(plan)?;
    let fetched = wait(fetch_prices(plan, &fetchers, &held))??;
    held.release()?;
    Ok(fetched)
}

/// Asks, checks, compares and stores; the files of one fetch appear together.
pub async fn fetch_prices(
    plan: &FetchPlan<'_>,
    fetchers: &Fetchers<'_>,
    held: &HeldRound,
) -> Result<Fetched, Error> {
    let exception = source_exception(plan, fetchers)?;
    let asked_for = plan.days();
    let fetch = format!(
        "{}_{}_{}",
        plan.inputs.manifest.round_id, asked_for.entry, asked_for.exit
    );
    let (first, second) = (&fetchers.first, fetchers.second.as_ref());
    let answers = match plan.ask(first, &fetch).await? {
        Err(stopped) => return Ok(Fetched::Stopped(stopped)),
        Ok(answers) => complete(answers)?,
    };
    let mut cross_check = None;
    if let Some(second) = second {
        match plan.ask(&second.fetcher, &fetch).await? {
            Err(stopped) => return Ok(Fetched::Stopped(stopped)),
            Ok(others) => cross_check = Some(compare(second, plan, &answers, others)),
        }
    }
    refuse_later_closes(plan, &answers)?;
    let windows: Vec<PriceWindow> = answers.iter().map(|own| own.window.clone()).collect();
    let withheld = withheld(plan.inputs, &windows, asked_for.entry)?;
    let public = withheld.as_ref().map_or(&windows, |own| &own.indexes);
    let moves = move_exception(plan, public, cross_check.as_ref(), first.operator)?;
    let warnings = warnings(plan, first, &answers);
    let beyond = cross_check
        .as_ref()
        .is_some_and(|check| !check.beyond().is_empty());
    let sound = warnings.is_empty() && !beyond;
    let operator = first.operator;
    let correction = plan.correction(operator.clock.now());
    let new = NewPrices {
        provenance: provenance(plan, first, &answers, warnings),
        windows,
        withheld,
        cross_check: cross_check.as_ref(),
        correction: correction.as_ref(),
        exception,
        moves,
    };
    held.require()?;
    let provenance = store(&plan.inputs.folder, &plan.inputs.priced, new)?;
    record(operator, &plan.inputs.folder, operator.clock.now())?;
    first.forget(&fetch)?;
    if let Some(second) = second {
        second.fetcher.forget(&fetch)?;
    }
    Ok(Fetched::Stored {
        provenance: Box::new(provenance),
        cross_check,
        sound,
    })
}

/// A delisting that the source does not confirm is refused: otherwise it would choose a close.
fn refuse_later_closes(plan: &FetchPlan<'_>, answers: &[Answered]) -> Result<(), Error> {
    for Answered { window, .. } in answers {
        let option = plan.inputs.priced.get(&window.option_id);
        if let Some(problem) = option.and_then(|option| later_close(option, window)) {
            let text = format!("{}: {problem}", plan.inputs.folder.name());
            return Err(Error::new(text).hint(
                "record the right day with `capitalbench record-listing`; nothing was written",
            ));
        }
    }
    Ok(())
}

/// The record of moves beyond the limit that the operator believes; without a reason they stop the
/// fetch before anything is written.
fn move_exception(
    plan: &FetchPlan<'_>,
    windows: &[PriceWindow],
    check: Option<&CrossCheck>,
    operator: &Operator,
) -> Result<Option<MoveException>, Error> {
    let manifest = &plan.inputs.manifest;
    let moves = large_moves::unexplained(manifest, windows, check);
    believed(manifest, moves, plan.accept_moves.as_deref(), operator)
}

/// Why moves are believed; an error that names them where nobody said so.
pub fn believed(
    manifest: &Manifest,
    moves: Vec<String>,
    reason: Option<&str>,
    operator: &Operator,
) -> Result<Option<MoveException>, Error> {
    if moves.is_empty() {
        return Ok(None);
    }
    if let Some(reason) = reason {
        return Ok(Some(MoveException::new(moves, reason, operator.now())));
    }
    let most = f64::from(large_moves::largest(manifest)) / 100.0;
    let text = format!(
        "{}: {}, and no split, distribution or second source explains it; the round believes at \
         most {most} % in a day from one source alone",
        manifest.round_id,
        moves.join("; "),
    );
    Err(Error::new(text).hint(
        "look the prices up elsewhere, or fetch them with a second source; if they are right, say so \
         with --accept-moves REASON, which is kept with the round; nothing was written",
    ))
}

/// All answers, or every reason why one is missing.
fn complete(answers: Answers) -> Result<Vec<Answered>, Error> {
    let of = answers.len();
    let (mut complete, mut failed) = (Vec::with_capacity(of), Vec::new());
    for (option_id, answer) in answers {
        match answer {
            Ok(answered) => complete.push(answered),
            Err(text) => failed.push(format!("{option_id}: {text}")),
        }
    }
    if failed.is_empty() {
        return Ok(complete);
    }
    let text = format!(
        "{} of {of} options have no prices\n  {}",
        failed.len(),
        failed.join("\n  ")
    );
    Err(Error::new(text)
        .hint("nothing was written; the answers so far are kept and not asked for again"))
}

fn compare(
    second: &Second<'_>,
    plan: &FetchPlan<'_>,
    answers: &[Answered],
    others: Answers,
) -> CrossCheck {
    let mut others: BTreeMap<OptionId, Result<Answered, String>> = others.into_iter().collect();
    let rows = answers.iter().filter_map(|answered| {
        let option_id = answered.window.option_id.clone();
        let days = plan.priced_days(&option_id);
        let said = others.remove(&option_id)?;
        Some(Comparison {
            scored: published_return(plan.inputs, &answered.window, days)?,
            other: said.and_then(|said| {
                let value = published_return(plan.inputs, &said.window, days);
                value.ok_or_else(|| "no price".to_owned())
            }),
            option_id,
        })
    });
    CrossCheck {
        source: second.fetcher.source.name().to_owned(),
        tolerance_bps: second.tolerance_bps,
        rows: rows.collect(),
    }
}

/// What is odd about the answers: adjustments that cannot be right, sessions without a row.
fn warnings(plan: &FetchPlan<'_>, fetcher: &Fetcher<'_>, answers: &[Answered]) -> Vec<String> {
    let mut warnings = match plan.purpose {
        Purpose::Final => missed_distributions(plan, answers),
        Purpose::Informational => Vec::new(),
    };
    for Answered { window, .. } in answers {
        if let Some(fault) = window.basis_fault(fetcher.source.close_basis()) {
            warnings.push(PriceProblem::Basis(fault).to_string());
        }
        let own = plan.priced_days(&window.option_id);
        let missing = window.missing_sessions(own.market, own.entry, own.exit);
        if !missing.is_empty() {
            let days: Vec<String> = missing.iter().map(Date::to_string).collect();
            let text = format!("{} has no row on {}", window.symbol, days.join(", "));
            warnings.push(text);
        }
        let on = [own.entry, own.exit];
        if on
            .iter()
            .any(|day| window.on(*day).is_some_and(|s| s.adjusted.is_none()))
        {
            let text = format!(
                "{} has no adjusted close; its raw close counts",
                window.symbol
            );
            warnings.push(text);
        }
    }
    warnings
}

/// Funds that only accrue interest and did not.
fn missed_distributions(plan: &FetchPlan<'_>, answers: &[Answered]) -> Vec<String> {
    let quotes = |day: Date| {
        let quote = |answered: &Answered| {
            let option = plan.inputs.priced.get(&answered.window.option_id)?;
            let session = answered.window.on(option.priced_on(day))?;
            Some(Quote {
                key: answered.window.option_id.to_string(),
                date: Some(session.date),
                close: session.close,
                adjusted: session.adjusted,
                price: None,
                index: None,
                source: None,
            })
        };
        PriceSheet::new(answers.iter().filter_map(quote).collect()).unwrap_or_default()
    };
    let (entry, exit) = (quotes(plan.window.entry), quotes(plan.window.exit));
    problems(&plan.inputs.priced, Some(plan.window), &entry, &exit)
        .iter()
        .filter(|problem| matches!(problem, PriceProblem::MissedDistribution { .. }))
        .map(ToString::to_string)
        .collect()
}

fn provenance(
    plan: &FetchPlan<'_>,
    fetcher: &Fetcher<'_>,
    answers: &[Answered],
    warnings: Vec<String>,
) -> Provenance {
    let days = plan.days();
    let is_full = plan.inputs.manifest.publish.is_full();
    let records = answers.iter().map(|answered| AnswerRecord {
        option_id: answered.window.option_id.clone(),
        symbol: answered.window.symbol.clone(),
        address: answered.answer.address.clone(),
        fetched_at: answered.answer.fetched_at,
        body: is_full.then_some(answered.answer.body),
        rows: answered.window.sessions.len(),
        requests: answered.answer.requests,
    });
    Provenance {
        format_version: FormatVersion,
        round_id: plan.inputs.folder.name(),
        source: fetcher.source.name().to_owned(),
        stored_label: fetcher.source.stored_label().to_owned(),
        close_basis: fetcher.source.close_basis(),
        purpose: plan.purpose,
        coverage: plan.coverage,
        from: days.entry,
        to: days.exit,
        program: PROGRAM.to_owned(),
        answers: records.collect(),
        files: BTreeMap::new(),
        warnings,
        replaced: None,
    }
}
