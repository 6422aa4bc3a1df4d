//! The prices of one round: both sides of its window from one answer per option.

use std::collections::{BTreeMap, BTreeSet};

use capitalbench_archive::disk::layout;
use capitalbench_archive::format::prices::provenance::{
    AnswerRecord, Coverage, Provenance, Purpose,
};
use capitalbench_archive::format::prices::source_exception::SourceException;
use capitalbench_archive::format::stored::FormatVersion;
use capitalbench_archive::prices::price_record::{NewPrices, final_prices, store};
use capitalbench_archive::results::corrections::Correction;
use capitalbench_archive::round::round_folder::RoundInputs;
use capitalbench_archive::run::validation::load_parsed;
use capitalbench_core::market::calendar::{
    closure_reason, next_session, previous_session, rows_final_at,
};
use capitalbench_core::market::cross_check::{Comparison, CrossCheck};
use capitalbench_core::market::price_rules::{PriceProblem, problems};
use capitalbench_core::market::price_window::PriceWindow;
use capitalbench_core::market::prices::{PriceSheet, Quote, Side};
use capitalbench_core::round::manifest::Window;
use capitalbench_core::values::ids::{OptionId, RunId};
use capitalbench_core::values::time::Stamp;
use capitalbench_core::values::units::Return;
use jiff::Timestamp;
use jiff::civil::Date;

use super::asking::{Answered, Asked, Asking, Days};
use super::held_round::HeldRound;
use super::record::record;
use crate::error::CommandError;

/// What is to be fetched.
pub(crate) struct FetchPlan<'a> {
    pub(crate) inputs: &'a RoundInputs,
    pub(crate) window: Window,
    pub(crate) purpose: Purpose,
    pub(crate) coverage: Coverage,
    /// Options with the symbol they are asked for by, in universe order.
    pub(crate) options: Vec<(OptionId, String)>,
    /// Why final prices give way to these, should there be any.
    pub(crate) correct: Option<String>,
    /// Why another source is asked than the manifest froze.
    pub(crate) other_source: Option<String>,
}

impl FetchPlan<'_> {
    /// The days that are asked for: both closes, or the entry alone.
    fn days(&self) -> Window {
        match self.purpose {
            Purpose::Final => self.window,
            Purpose::Informational => Window {
                entry: self.window.entry,
                exit: self.window.entry,
            },
        }
    }

    fn correction(&self, now: Timestamp) -> Option<Correction> {
        self.correct.as_ref().map(|reason| Correction {
            reason: reason.clone(),
            at: Stamp::of(now),
        })
    }
}

/// What came of it.
pub(crate) enum Fetched {
    /// The files are there.
    Stored {
        provenance: Box<Provenance>,
        cross_check: Option<CrossCheck>,
        /// Whether nothing about them is in doubt.
        sound: bool,
    },
    /// A plan is used up until this instant.
    Stopped {
        source: &'static str,
        at: Timestamp,
        done: usize,
        of: usize,
    },
}

/// The other source and how far it may be apart.
pub(crate) struct Other<'a> {
    pub(crate) asking: Asking<'a>,
    pub(crate) tolerance_bps: f64,
}

/// The window as the manifest and the flags say, with one voice.
pub(crate) fn window(
    inputs: &RoundInputs,
    entry: Option<Date>,
    exit: Option<Date>,
) -> Result<Window, CommandError> {
    let frozen = inputs.manifest.window;
    let side = |flag: &str, given: Option<Date>, frozen: Option<Date>| match (given, frozen) {
        (Some(given), Some(frozen)) if given != frozen => Err(CommandError::new(format!(
            "{flag} {given}: the manifest of {} says {frozen}",
            inputs.folder.name()
        ))
        .hint("leave the flag away; a frozen window is not moved")),
        (given, frozen) => frozen.or(given).ok_or_else(|| {
            CommandError::new(format!(
                "the manifest of {} names no such day; give {flag} DAY",
                inputs.folder.name()
            ))
        }),
    };
    let window = Window {
        entry: side("--entry-date", entry, frozen.map(|window| window.entry))?,
        exit: side("--exit-date", exit, frozen.map(|window| window.exit))?,
    };
    if window.exit <= window.entry {
        let text = format!(
            "the exit {} is not after the entry {}",
            window.exit, window.entry
        );
        return Err(CommandError::new(text));
    }
    Ok(window)
}

/// Refuses closed days, and days whose rows may still change.
pub(crate) fn require_final_rows(plan: &FetchPlan<'_>, now: Timestamp) -> Result<(), CommandError> {
    let mut days = vec![(Side::Entry, plan.window.entry)];
    if plan.purpose == Purpose::Final {
        days.push((Side::Exit, plan.window.exit));
    }
    for (side, day) in days {
        if let Some(reason) = closure_reason(day) {
            let near = [previous_session(day), next_session(day)];
            let near: Vec<String> = near.iter().flatten().map(Date::to_string).collect();
            let text = format!("the {side} day {day} has no session ({reason})");
            let hint = format!("the sessions around it are {}", near.join(" and "));
            return Err(CommandError::new(text).hint(hint));
        }
        let ready = rows_final_at(day).filter(|ready| *ready > now);
        if let Some(ready) = ready {
            let text = format!("the {side} rows of {day} are not final before {ready}");
            return Err(CommandError::new(text).hint(
                "vendors correct rows until 20:15 in New York; fetch them after that, \
                 nothing was written",
            ));
        }
    }
    Ok(())
}

/// The options to ask for, in universe order; cash is worth one and is not asked for.
pub(crate) fn options(
    inputs: &RoundInputs,
    coverage: Coverage,
    run_id: Option<&RunId>,
) -> Result<Vec<(OptionId, String)>, CommandError> {
    let held = match coverage {
        Coverage::FullUniverse => BTreeSet::new(),
        Coverage::HeldOptions => held(inputs, run_id)?,
    };
    let universe = &inputs.universe;
    let wanted = universe.options().iter().filter(|option| {
        coverage == Coverage::FullUniverse
            || held.contains(&option.id)
            || option.id == universe.reference().id
    });
    Ok(wanted
        .filter(|option| !option.is_cash())
        .filter_map(|option| Some((option.id.clone(), option.data_symbol.clone()?)))
        .collect())
}

/// Options in valid submissions of a run, or of all runs.
fn held(inputs: &RoundInputs, run_id: Option<&RunId>) -> Result<BTreeSet<OptionId>, CommandError> {
    let ids = match run_id {
        Some(id) => vec![id.clone()],
        None => inputs.folder.run_ids()?,
    };
    let mut held = BTreeSet::new();
    for id in &ids {
        let run = inputs.folder.run(id)?;
        let rules = run.record()?.run.rules;
        for file in load_parsed(inputs, &run, rules)? {
            if let Ok(submission) = file.verdict {
                held.extend(submission.decision.option_ids().into_iter().cloned());
            }
        }
    }
    if held.is_empty() {
        let text = format!("{} has no valid submission", inputs.folder.name());
        return Err(CommandError::new(text)
            .hint("give --full-universe, or validate the submissions of its run first"));
    }
    Ok(held)
}

/// Final prices are replaced only with a reason, also when their files are gone and only the log
/// knows them; an informational sheet always gives way.
pub(crate) fn refuse_present(plan: &FetchPlan<'_>) -> Result<(), CommandError> {
    let folder = &plan.inputs.folder;
    let corrected = plan.correct.is_some() && plan.purpose == Purpose::Final;
    if corrected || final_prices(folder)?.is_empty() {
        return Ok(());
    }
    let text = if folder.file(layout::EXIT_PRICES).exists() {
        format!("{} has final prices already", folder.name())
    } else {
        format!(
            "the log knows final prices of {} whose files are gone",
            folder.name()
        )
    };
    Err(CommandError::new(text).hint(match plan.purpose {
        Purpose::Final => {
            "say why they are replaced with --overwrite-prices --correct REASON; the old ones are kept"
        }
        Purpose::Informational => "an informational entry sheet would take their place",
    }))
}

/// Asks, checks, compares and stores; the files of one fetch appear together.
pub(crate) async fn fetch_prices(
    plan: &FetchPlan<'_>,
    asking: &Asking<'_>,
    other: Option<&Other<'_>>,
    held: &HeldRound,
) -> Result<Fetched, CommandError> {
    let exception = source_exception(plan, asking, other)?;
    let asked_for = plan.days();
    let fetch = format!(
        "{}_{}_{}",
        plan.inputs.manifest.round_id, asked_for.entry, asked_for.exit
    );
    let stopped = |asking: &Asking<'_>, at, done, of| Fetched::Stopped {
        source: asking.source.name(),
        at,
        done,
        of,
    };
    let days = Days::both_ends(asked_for.entry, asked_for.exit);
    let answers = match asking.ask_all(&fetch, &plan.options, &days).await? {
        Asked::Stopped { at, done, of } => return Ok(stopped(asking, at, done, of)),
        Asked::All(answers) => complete(answers)?,
    };
    let cross_check = match other {
        None => None,
        Some(other) => match other.asking.ask_all(&fetch, &plan.options, &days).await? {
            Asked::Stopped { at, done, of } => {
                return Ok(stopped(&other.asking, at, done, of));
            }
            Asked::All(others) => Some(compare(other, &answers, others, asked_for)),
        },
    };
    let warnings = warnings(plan, asking, &answers, asked_for);
    let beyond = cross_check
        .as_ref()
        .is_some_and(|check| !check.beyond().is_empty());
    let sound = warnings.is_empty() && !beyond;
    let correction = plan.correction(asking.clock.now());
    let new = NewPrices {
        provenance: provenance(plan, asking, asked_for, (&answers, warnings)),
        windows: answers
            .into_iter()
            .map(|answered| answered.window)
            .collect(),
        cross_check: cross_check.as_ref(),
        correction: correction.as_ref(),
        exception,
    };
    held.require()?;
    let provenance = store(&plan.inputs.folder, &plan.inputs.universe, new)?;
    record(&plan.inputs.folder, asking.clock.now())?;
    asking.forget(&fetch)?;
    if let Some(other) = other {
        other.asking.forget(&fetch)?;
    }
    Ok(Fetched::Stored {
        provenance: Box::new(provenance),
        cross_check,
        sound,
    })
}

/// The record of a departure from the frozen sources; one without a reason is refused before
/// anybody is asked.
pub(crate) fn source_exception(
    plan: &FetchPlan<'_>,
    asking: &Asking<'_>,
    other: Option<&Other<'_>>,
) -> Result<Option<SourceException>, CommandError> {
    let frozen = &plan.inputs.manifest.origins;
    let second = match plan.purpose {
        Purpose::Final => other.map(|other| other.asking.source.name()),
        Purpose::Informational => frozen.second_price_source.as_deref(),
    };
    let Some(departure) = frozen.departure(asking.source.name(), second) else {
        return Ok(None);
    };
    let Some(reason) = &plan.other_source else {
        let text = format!("{}: {departure}", plan.inputs.folder.name());
        return Err(CommandError::new(text).hint(
            "choose the frozen ones with --source and --cross-check; for others give \
             `fetch-prices` --other-source REASON, which verify and the report show; nothing was \
             asked",
        ));
    };
    Ok(Some(SourceException {
        format_version: FormatVersion,
        departure,
        reason: reason.clone(),
        accepted_at: Stamp::of(asking.clock.now()),
    }))
}

/// All answers, or every reason why one is missing.
fn complete(
    answers: Vec<(OptionId, Result<Answered, String>)>,
) -> Result<Vec<Answered>, CommandError> {
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
    Err(CommandError::new(text)
        .hint("nothing was written; answers that came are kept and not asked for again"))
}

fn window_return(window: &PriceWindow, days: Window) -> Option<Return> {
    let price = |day: Date| {
        let session = window.on(day)?;
        session.adjusted.or(session.close)
    };
    Some(Return::between(price(days.entry)?, price(days.exit)?))
}

fn compare(
    other: &Other<'_>,
    answers: &[Answered],
    others: Vec<(OptionId, Result<Answered, String>)>,
    days: Window,
) -> CrossCheck {
    let mut others: BTreeMap<OptionId, Result<Answered, String>> = others.into_iter().collect();
    let rows = answers.iter().filter_map(|answered| {
        let option_id = answered.window.option_id.clone();
        let said = others.remove(&option_id)?;
        Some(Comparison {
            scored: window_return(&answered.window, days)?,
            other: said.and_then(|said| {
                window_return(&said.window, days).ok_or_else(|| "no price".to_owned())
            }),
            option_id,
        })
    });
    CrossCheck {
        source: other.asking.source.name().to_owned(),
        tolerance_bps: other.tolerance_bps,
        rows: rows.collect(),
    }
}

/// What is odd about the answers: adjustments that cannot be right, sessions without a row.
fn warnings(
    plan: &FetchPlan<'_>,
    asking: &Asking<'_>,
    answers: &[Answered],
    days: Window,
) -> Vec<String> {
    let mut warnings = match plan.purpose {
        Purpose::Final => missed_distributions(plan, answers),
        Purpose::Informational => Vec::new(),
    };
    for Answered { window, .. } in answers {
        if let Some(fault) = window.basis_fault(asking.source.close_basis()) {
            warnings.push(PriceProblem::Basis(fault).to_string());
        }
        let missing = window.missing_sessions(days.entry, days.exit);
        if !missing.is_empty() {
            let days: Vec<String> = missing.iter().map(Date::to_string).collect();
            let text = format!("{} has no row on {}", window.symbol, days.join(", "));
            warnings.push(text);
        }
        let on = [days.entry, days.exit];
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
            let session = answered.window.on(day)?;
            Some(Quote {
                key: answered.window.option_id.to_string(),
                date: Some(day),
                close: session.close,
                adjusted: session.adjusted,
                price: None,
                source: None,
            })
        };
        PriceSheet::new(answers.iter().filter_map(quote).collect()).unwrap_or_default()
    };
    let (entry, exit) = (quotes(plan.window.entry), quotes(plan.window.exit));
    problems(&plan.inputs.universe, Some(plan.window), &entry, &exit)
        .iter()
        .filter(|problem| matches!(problem, PriceProblem::MissedDistribution { .. }))
        .map(ToString::to_string)
        .collect()
}

fn provenance(
    plan: &FetchPlan<'_>,
    asking: &Asking<'_>,
    days: Window,
    (answers, warnings): (&[Answered], Vec<String>),
) -> Provenance {
    let records = answers.iter().map(|answered| AnswerRecord {
        option_id: answered.window.option_id.clone(),
        symbol: answered.window.symbol.clone(),
        address: answered.answer.address.clone(),
        fetched_at: answered.answer.fetched_at,
        body: answered.answer.body,
        rows: answered.window.sessions.len(),
        requests: answered.answer.requests,
    });
    Provenance {
        format_version: FormatVersion,
        round_id: plan.inputs.folder.name(),
        source: asking.source.name().to_owned(),
        stored_label: asking.source.stored_label().to_owned(),
        close_basis: asking.source.close_basis(),
        purpose: plan.purpose,
        coverage: plan.coverage,
        from: days.entry,
        to: days.exit,
        program: concat!("capitalbench ", env!("CARGO_PKG_VERSION")).to_owned(),
        answers: records.collect(),
        files: BTreeMap::new(),
        warnings,
        replaced: None,
    }
}
