//! The prices of a round fetched again by whoever verifies it, against what the round publishes.

use std::collections::BTreeMap;
use std::path::Path;

use capitalbench_archive::disk::error::FileError;
use capitalbench_archive::format::prices::provenance::{Coverage, Purpose};
use capitalbench_archive::prices::price_record::{PriceRecord, later_close};
use capitalbench_archive::round::round_folder::{RoundFolder, RoundInputs, Universes, list_rounds};
use capitalbench_core::market::price_rules::PriceProblem;
use capitalbench_core::market::price_window::PriceWindow;
use capitalbench_core::market::prices::{PriceField, Quote, Side};
use capitalbench_core::market::published_prices::{index, indexed};
use capitalbench_core::market::universe::MarketOption;
use capitalbench_core::round::manifest::Window;
use capitalbench_core::values::ids::OptionId;
use capitalbench_core::values::units::{Price, Return};
use jiff::Timestamp;
use jiff::civil::Date;

use super::fetcher::{Answers, AtLimit, Fetcher};
use super::plan::{FetchPlan, priced_options};
use super::sources::Vendor;
use crate::error::Error;
use crate::operator::{Operator, wait};

/// Whose prices are fetched again, and from whom.
#[derive(Debug)]
pub struct AgainRequest<'a> {
    /// A round, or a folder of rounds.
    pub path: &'a Path,
    /// A folder of the reader's own, where requests are counted and answers kept. What lies beside the
    /// rounds may have come along with them.
    pub home: &'a Path,
    pub vendor: Vendor,
}

/// A round whose prices were fetched again.
#[derive(Debug)]
pub struct FetchedAgain {
    pub round_id: String,
    /// The source as a flag names it.
    pub source: String,
    /// When the last answer came.
    pub at: Option<Timestamp>,
    /// Options that were compared.
    pub of: usize,
    pub differing: Vec<Differing>,
    /// Options that could not be compared, with the reason.
    pub missing: Vec<(OptionId, String)>,
}

impl FetchedAgain {
    /// Whether every return of the round was computed again, and none is another one.
    pub fn is_equal(&self) -> bool {
        self.of > 0 && self.differing.is_empty() && self.missing.is_empty()
    }
}

/// What the source says of an option otherwise than the round.
#[derive(Debug, Clone, PartialEq)]
pub enum Differing {
    Restated(Restated),
    /// It has a close after the day on which the round says that the option was delisted.
    StillListed(PriceProblem),
}

/// An option whose published return is not the one that was computed again.
#[derive(Debug, Clone, PartialEq)]
pub struct Restated {
    pub option_id: OptionId,
    /// The first day on which they differ.
    pub day: Date,
    pub published: Return,
    pub again: Return,
}

/// Fetches the windows of all rounds with ending prices; rounds without them are left out.
pub fn fetch_again(
    operator: &Operator,
    request: &AgainRequest<'_>,
) -> Result<Vec<FetchedAgain>, Error> {
    let folders = if RoundFolder::is_round(request.path) {
        vec![RoundFolder::open(request.path)?]
    } else {
        list_rounds(request.path)?
    };
    let fetcher = Fetcher::open(operator, &request.vendor, request.home, AtLimit::Stop)?;
    let universes = Universes::default();
    let mut found = Vec::new();
    for folder in folders {
        // What cannot be read has a finding of `verify`.
        let Ok(inputs) = RoundInputs::load(folder, &universes) else {
            continue;
        };
        found.extend(again(&fetcher, &inputs)?);
    }
    Ok(found)
}

fn again(fetcher: &Fetcher<'_>, inputs: &RoundInputs) -> Result<Option<FetchedAgain>, Error> {
    let Ok(Some((window, published))) = published(inputs) else {
        return Ok(None);
    };
    let mut options = priced_options(&inputs.priced, window.exit);
    options.retain(|(id, _)| published.contains_key(id));
    let plan = FetchPlan {
        inputs,
        window,
        purpose: Purpose::Final,
        coverage: Coverage::FullUniverse,
        options,
        correct: None,
        other_source: None,
        accept_moves: None,
    };
    let fetch = format!("again_{}", inputs.manifest.round_id);
    let asked = wait(plan.ask(fetcher, &fetch))??;
    let answers = asked?;
    fetcher.forget(&fetch)?;
    Ok(Some(compare(fetcher, &plan, answers, &published)))
}

/// The published indexes of each option by day.
type Published = BTreeMap<OptionId, BTreeMap<Date, Price>>;

/// What a round publishes, as indexes; none without ending prices.
fn published(inputs: &RoundInputs) -> Result<Option<(Window, Published)>, FileError> {
    let folder = &inputs.folder;
    let sheets = folder.sheet(Side::Entry)?.zip(folder.sheet(Side::Exit)?);
    let Some(((entry, exit), window)) = sheets.zip(inputs.manifest.window) else {
        return Ok(None);
    };
    let record = PriceRecord::load(folder)?;
    let windows = record.map(|record| record.windows).unwrap_or_default();
    let mut published = Published::new();
    for option in inputs.priced.options().iter().filter(|o| !o.is_cash()) {
        let used = |sheet: Option<&Quote>| sheet.and_then(Quote::used);
        let sides = used(entry.find(option)).zip(used(exit.find(option)));
        let Some(last) = sides.and_then(index_between) else {
            continue;
        };
        let own = windows.iter().find(|own| own.option_id == option.id);
        let mut days = own.map_or_else(BTreeMap::new, |own| days_of(inputs, option, own, window));
        days.insert(option.priced_on(window.exit), last);
        published.insert(option.id.clone(), days);
    }
    Ok(Some((window, published)))
}

/// The index that two prices give, closes or indexes.
fn index_between(
    ((from, _), (to, _)): ((Price, PriceField), (Price, PriceField)),
) -> Option<Price> {
    index(from, to)
}

/// The indexes of the sessions between; none where raw closes stand among them.
fn days_of(
    inputs: &RoundInputs,
    option: &MarketOption,
    window: &PriceWindow,
    days: Window,
) -> BTreeMap<Date, Price> {
    let made = if inputs.manifest.publish.is_full() {
        indexed(option, window, days.entry).ok()
    } else {
        Some(window.clone())
    };
    let sessions = made.into_iter().flat_map(|made| made.sessions);
    let known = sessions.filter_map(|session| Some((session.date, session.adjusted?)));
    known.collect()
}

fn compare(
    fetcher: &Fetcher<'_>,
    plan: &FetchPlan<'_>,
    answers: Answers,
    published: &Published,
) -> FetchedAgain {
    let mut found = FetchedAgain {
        round_id: plan.inputs.folder.name(),
        source: fetcher.source.name().to_owned(),
        at: None,
        of: answers.len(),
        differing: Vec::new(),
        missing: Vec::new(),
    };
    for (option_id, answer) in answers {
        let compared = answer.and_then(|answered| {
            found.at = found.at.max(Some(answered.answer.fetched_at));
            differing(plan, &answered.window, published)
        });
        match compared {
            Err(reason) => found.missing.push((option_id, reason)),
            Ok(differing) => found.differing.extend(differing),
        }
    }
    found
}

/// What a source says of an option otherwise than published, or why the two cannot be compared.
fn differing(
    plan: &FetchPlan<'_>,
    window: &PriceWindow,
    published: &Published,
) -> Result<Option<Differing>, String> {
    let option_id = &window.option_id;
    let option = plan.inputs.priced.get(option_id);
    let known = option.zip(published.get(option_id));
    let (option, days) = known.ok_or_else(|| format!("{option_id} is not an option"))?;
    // A delisting that the source does not confirm would choose the close that counts.
    if let Some(problem) = later_close(option, window) {
        return Ok(Some(Differing::StillListed(problem)));
    }
    let made = indexed(option, window, plan.window.entry).map_err(|error| error.to_string())?;
    let again = |day: Date| made.on(day).and_then(|session| session.adjusted);
    let restated = days.iter().find_map(|(day, own)| {
        let again = again(*day).filter(|again| again != own)?;
        Some(Restated {
            option_id: option_id.clone(),
            day: *day,
            published: Return::between_indexes(Price::ONE, *own),
            again: Return::between_indexes(Price::ONE, again),
        })
    });
    if restated.is_none()
        && let Some(day) = days.keys().find(|day| again(**day).is_none())
    {
        return Err(format!(
            "the source has no row on {day}, which the round publishes"
        ));
    }
    Ok(restated.map(Differing::Restated))
}
