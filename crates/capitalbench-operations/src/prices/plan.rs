//! [`FetchPlan`]: which prices a round needs, and what forbids fetching them.

use std::collections::BTreeSet;

use capitalbench_archive::disk::layout;
use capitalbench_archive::format::prices::provenance::{Coverage, Purpose};
use capitalbench_archive::format::prices::source_exception::SourceException;
use capitalbench_archive::format::stored::FormatVersion;
use capitalbench_archive::prices::price_record::final_prices;
use capitalbench_archive::results::corrections::Correction;
use capitalbench_archive::round::round_folder::RoundInputs;
use capitalbench_archive::run::validation::load_parsed;
use capitalbench_core::decision::control::own::funds;
use capitalbench_core::market::prices::Side;
use capitalbench_core::market::universe::Universe;
use capitalbench_core::round::manifest::Window;
use capitalbench_core::values::ids::{OptionId, RunId};
use capitalbench_core::values::time::WrittenInstant;
use jiff::Timestamp;
use jiff::civil::Date;

use super::fetcher::{Answers, Days, Fetcher, PricedOption, Stopped};
use super::invented::refuse_in_real_round;
use super::sources::Fetchers;
use crate::error::Error;

pub struct FetchPlan<'a> {
    pub inputs: &'a RoundInputs,
    pub window: Window,
    pub purpose: Purpose,
    pub coverage: Coverage,
    /// In the order of the universe.
    pub options: Vec<PricedOption>,
    /// Why final prices give way to these, should there be any.
    pub correct: Option<String>,
    /// Why another source is asked than the manifest froze.
    pub other_source: Option<String>,
    /// Why moves that one source alone tells are believed.
    pub accept_moves: Option<String>,
}

impl FetchPlan<'_> {
    /// The days that are asked for: both closes, or the entry alone.
    pub(super) fn days(&self) -> Window {
        match self.purpose {
            Purpose::Final => self.window,
            Purpose::Informational => Window {
                entry: self.window.entry,
                exit: self.window.entry,
                market: self.window.market,
            },
        }
    }

    /// The rows to ask for: both ends, and of a delisted option the closes that count in their
    /// place, with the days after them, on which there must be none.
    pub(super) fn questions(&self) -> Days {
        let window = self.days();
        let mut days = Days::both_ends(window.entry, window.exit);
        for option in self.inputs.priced.options() {
            let needed = [window.entry, window.exit].map(|day| option.priced_on(day));
            if needed[1] < window.exit {
                let own = Days {
                    needed: needed.to_vec(),
                    ..Days::any_of(needed[0], window.exit)
                };
                days.others.insert(option.id.clone(), own);
            }
        }
        days
    }

    /// Asks a source for all of it.
    pub(super) async fn ask(
        &self,
        fetcher: &Fetcher<'_>,
        fetch: &str,
    ) -> Result<Result<Answers, Stopped>, Error> {
        let publish = self.inputs.manifest.publish;
        let days = self.questions();
        fetcher
            .fetch_all(fetch, &self.options, &days, publish)
            .await
    }

    /// The days whose closes count for an option.
    pub(super) fn priced_days(&self, option_id: &OptionId) -> Window {
        let Window {
            entry,
            exit,
            market,
        } = self.days();
        let option = self.inputs.priced.get(option_id);
        let priced = |day| option.map_or(day, |option| option.priced_on(day));
        Window {
            entry: priced(entry),
            exit: priced(exit),
            market,
        }
    }

    pub(super) fn correction(&self, now: Timestamp) -> Option<Correction> {
        self.correct.as_ref().map(|reason| Correction {
            reason: reason.clone(),
            at: WrittenInstant::of(now),
        })
    }
}

/// The window that the manifest froze, or the flags name where it froze none.
pub fn window(
    inputs: &RoundInputs,
    entry: Option<Date>,
    exit: Option<Date>,
) -> Result<Window, Error> {
    let frozen = inputs.manifest.window;
    let side = |flag: &str, given: Option<Date>, frozen: Option<Date>| match (given, frozen) {
        (Some(given), Some(frozen)) if given != frozen => Err(Error::new(format!(
            "{flag} {given}: the manifest of {} says {frozen}",
            inputs.folder.name()
        ))
        .hint("omit the flag; a frozen window is not moved")),
        (given, frozen) => frozen.or(given).ok_or_else(|| {
            Error::new(format!(
                "the manifest of {} does not name this day; give {flag} DAY",
                inputs.folder.name()
            ))
        }),
    };
    let window = Window {
        entry: side("--entry-date", entry, frozen.map(|window| window.entry))?,
        exit: side("--exit-date", exit, frozen.map(|window| window.exit))?,
        market: inputs.manifest.market,
    };
    if window.exit <= window.entry {
        let text = format!(
            "the exit {} is not after the entry {}",
            window.exit, window.entry
        );
        return Err(Error::new(text));
    }
    Ok(window)
}

/// Refuses closed days, and days whose rows may still change.
pub fn require_final_rows(plan: &FetchPlan<'_>, now: Timestamp) -> Result<(), Error> {
    let days = plan.days();
    let market = days.market;
    for (side, day) in [(Side::Entry, days.entry), (Side::Exit, days.exit)] {
        if let Some(reason) = market.closure_reason(day) {
            let near = [market.previous_session(day), market.next_session(day)];
            let near: Vec<String> = near.iter().flatten().map(Date::to_string).collect();
            let text = format!("the {side} day {day} has no session ({reason})");
            let hint = format!("the sessions around it are {}", near.join(" and "));
            return Err(Error::new(text).hint(hint));
        }
        let ready = market.rows_final_at(day).filter(|ready| *ready > now);
        if let Some(ready) = ready {
            let text = format!("the {side} rows of {day} are not final before {ready}");
            let (time, city) = (&market.file().rows_final, market.city());
            return Err(Error::new(text).hint(format!(
                "vendors correct rows until {time} in {city}; fetch them after that, nothing was \
                 written"
            )));
        }
    }
    Ok(())
}

/// The options of a universe that a source prices, by the symbols that answer about days up to this
/// one; cash is worth one and not asked for.
pub fn priced_options(universe: &Universe, last: Date) -> Vec<PricedOption> {
    let priced = universe.options().iter().filter(|option| !option.is_cash());
    priced
        .filter_map(|option| Some((option.id.clone(), option.data_symbol_on(last)?.to_owned())))
        .collect()
}

/// The options to ask for: all, or those that are held and the reference.
pub fn options(
    inputs: &RoundInputs,
    last: Date,
    coverage: Coverage,
    run_id: Option<&RunId>,
) -> Result<Vec<PricedOption>, Error> {
    let mut options = priced_options(&inputs.priced, last);
    if coverage == Coverage::HeldOptions {
        let mut held = held(inputs, run_id)?;
        held.insert(inputs.universe.reference().id.clone());
        let funds = funds(&inputs.manifest.controls, &inputs.universe);
        held.extend(funds.into_iter().map(|fund| fund.id));
        options.retain(|(id, _)| held.contains(id));
    }
    Ok(options)
}

/// Options in valid submissions of a run, or of all runs.
fn held(inputs: &RoundInputs, run_id: Option<&RunId>) -> Result<BTreeSet<OptionId>, Error> {
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
        return Err(Error::new(text)
            .hint("give --full-universe, or validate the submissions of its run first"));
    }
    Ok(held)
}

/// Final prices are replaced only with a reason, also when their files are gone and only the log
/// knows them; an informational sheet always gives way.
pub fn refuse_present(plan: &FetchPlan<'_>) -> Result<(), Error> {
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
    Err(Error::new(text).hint(match plan.purpose {
        Purpose::Final => {
            "say why they are replaced with --overwrite-prices --correct REASON; the old ones are kept"
        }
        Purpose::Informational => "an informational entry sheet would take their place",
    }))
}

/// The record of a departure from the frozen sources; a departure without a reason is refused
/// before any source is asked.
pub fn source_exception(
    plan: &FetchPlan<'_>,
    fetchers: &Fetchers<'_>,
) -> Result<Option<SourceException>, Error> {
    refuse_in_real_round(&fetchers.first, &plan.inputs.manifest)?;
    if let Some(second) = &fetchers.second {
        refuse_in_real_round(&second.fetcher, &plan.inputs.manifest)?;
    }
    let frozen = &plan.inputs.manifest.origins;
    let second = match plan.purpose {
        Purpose::Final => {
            let second = fetchers.second.as_ref();
            second.map(|second| second.fetcher.source.name())
        }
        Purpose::Informational => frozen.second_price_source.as_deref(),
    };
    let Some(departure) = frozen.departure(fetchers.first.source.name(), second) else {
        return Ok(None);
    };
    let Some(reason) = &plan.other_source else {
        let text = format!("{}: {departure}", plan.inputs.folder.name());
        return Err(Error::new(text).hint(
            "choose the frozen ones with --source and --cross-check; for others give \
             `fetch-prices` --other-source REASON, which verify and the report show; nothing was \
             asked",
        ));
    };
    Ok(Some(SourceException {
        format_version: FormatVersion,
        departure,
        reason: reason.clone(),
        accepted_at: WrittenInstant::of(fetchers.first.operator.clock.now()),
    }))
}
