//! What rounds that publish returns only show in place of closes.

use capitalbench_archive::format::prices::vendor_sheet::Salt;
use capitalbench_archive::prices::withheld::Withheld;
use capitalbench_archive::round::round_folder::RoundInputs;
use capitalbench_core::market::price_window::PriceWindow;
use capitalbench_core::market::published_prices::{NoIndex, indexed};
use capitalbench_core::round::manifest::Window;
use capitalbench_core::values::units::{Price, Return};
use jiff::civil::Date;

use crate::error::Error;

/// The indexes of a fetch that begins on a day; none where the round publishes closes.
pub(crate) fn withheld(
    inputs: &RoundInputs,
    windows: &[PriceWindow],
    entry: Date,
) -> Result<Option<Withheld>, Error> {
    if inputs.manifest.publish.is_full() {
        return Ok(None);
    }
    let made = Withheld::of(salt()?, &inputs.priced, windows, entry);
    made.map(Some).map_err(|error| no_index(&error))
}

fn no_index(error: &NoIndex) -> Error {
    Error::new(error.to_string()).hint(
        "ask a source that gives adjusted closes of all sessions, or take the option out of the \
         universe of later rounds; nothing was written",
    )
}

/// The return of a window in the figures that the round publishes.
pub(crate) fn published_return(
    inputs: &RoundInputs,
    window: &PriceWindow,
    days: Window,
) -> Option<Return> {
    if inputs.manifest.publish.is_full() {
        let price = |day: Date| {
            let session = window.on(day)?;
            session.adjusted.or(session.close)
        };
        return Some(Return::between(price(days.entry)?, price(days.exit)?));
    }
    let option = inputs.priced.get(&window.option_id)?;
    let made = indexed(option, window, days.entry).ok()?;
    let exit = made.on(days.exit)?.adjusted?;
    Some(Return::between_indexes(Price::ONE, exit))
}

/// A new salt for a private sheet.
pub(crate) fn salt() -> Result<Salt, Error> {
    let mut salt = Salt::default();
    getrandom::fill(&mut salt)
        .map_err(|error| Error::new(format!("the system gives no randomness: {error}")))?;
    Ok(salt)
}
