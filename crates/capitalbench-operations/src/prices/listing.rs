//! Records that an option was renamed or delisted after its round was frozen.

use std::path::PathBuf;

use capitalbench_archive::prices::price_record::final_prices;
use capitalbench_archive::round::freeze;
use capitalbench_archive::round::listing_changes::{RecordedChange, add, new_change};
use capitalbench_archive::round::round_folder::RoundFolder;
use capitalbench_core::market::calendar::Market;
use capitalbench_core::market::universe::ListingChange;
use capitalbench_core::values::ids::OptionId;
use jiff::civil::Date;

use crate::error::Error;
use crate::operator::Operator;
use crate::operator::files::open_inputs;
use crate::proof::given_instant::note_given_instant;
use crate::proof::record::{Recorded, record};
use crate::resolving::held_round::take;

/// What an operator says about an option.
#[derive(Debug, Clone)]
pub struct ListingRequest {
    pub round: PathBuf,
    pub option_id: OptionId,
    pub change: ListingChange,
    pub reason: String,
}

/// The round, what was recorded, and what became of the log.
#[derive(Debug)]
pub struct RecordedListing {
    pub folder: RoundFolder,
    pub change: RecordedChange,
    pub recorded: Recorded,
}

/// Adds a change to a frozen round whose final prices are not there yet; an open round changes its
/// options instead.
pub fn record_listing(
    operator: &Operator,
    request: &ListingRequest,
) -> Result<RecordedListing, Error> {
    let inputs = open_inputs(&request.round)?;
    let (folder, name) = (&inputs.folder, inputs.folder.name());
    let ListingRequest {
        option_id,
        change,
        reason,
        ..
    } = request;
    if reason.trim().is_empty() {
        return Err(Error::new("--reason needs a reason"));
    }
    let option = inputs.priced.get(option_id).ok_or_else(|| {
        Error::new(format!("{option_id} is not an option of {name}"))
            .hint("give the id that options.yaml has")
    })?;
    if option.is_cash() {
        return Err(Error::new(format!(
            "{option_id} is cash, which has no listing"
        )));
    }
    if freeze::stored_digests(folder)?.is_none() {
        return Err(Error::new(format!("{name} is not frozen"))
            .hint("write `renamed` or `delisted` into options.yaml before `hash-round`"));
    }
    if !final_prices(folder)?.is_empty() {
        return Err(Error::new(format!("{name} has final prices already"))
            .hint("a change that was overlooked is corrected with `fetch-prices --correct`"));
    }
    if option.change.as_ref() == Some(change) {
        return Err(Error::new(format!(
            "{name} knows already that {option_id} {change}"
        )));
    }
    refuse_unlikely_day(operator, inputs.universe.market(), change)?;
    note_given_instant(operator, folder, "record-listing")?;
    let held = take(folder)?;
    let change = new_change(option_id.clone(), change.clone(), reason, operator.now());
    add(folder, &change)?;
    let recorded = record(operator, folder, operator.clock.now())?;
    held.release()?;
    Ok(RecordedListing {
        folder: folder.clone(),
        change,
        recorded,
    })
}

/// The last official close must be one that everybody can know.
fn refuse_unlikely_day(
    operator: &Operator,
    market: Market,
    change: &ListingChange,
) -> Result<(), Error> {
    let (ListingChange::Renamed { on, .. } | ListingChange::Delisted { on }) = change;
    if !market.is_session(*on) {
        return Err(Error::new(format!("{on} has no session")));
    }
    let is_known = |day: Date| {
        market
            .rows_final_at(day)
            .is_some_and(|at| at <= operator.clock.now())
    };
    if matches!(change, ListingChange::Delisted { .. }) && !is_known(*on) {
        let text = format!("the close of {on} is not final yet");
        return Err(Error::new(text).hint("record the delisting when its last close is final"));
    }
    Ok(())
}
