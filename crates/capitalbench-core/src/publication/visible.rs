//! What the public may see at an instant. Everything that hides or shows something asks
//! [`is_public`]: rounds, standings, files, feeds and the log.

use jiff::Timestamp;
use jiff::civil::Date;

use crate::market::calendar::Market;
use crate::round::manifest::Window;

/// Something that is hidden until an instant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Item {
    /// That the round exists, and its rules.
    Rules { created: Option<Timestamp> },
    /// What the models of the run of record decided.
    Decisions { since: Option<Timestamp> },
    /// How those models were asked, under which name they answered, and what the calls cost.
    Calls { since: Option<Timestamp> },
    /// The portfolio of an entrant, which was opened at this instant.
    Opening { since: Timestamp },
    /// The starting prices.
    EntryPrices,
    /// The closing prices of a day.
    Close(Date),
    /// A provisional figure of a day.
    Interim(Date),
    /// Final returns, scores, ranks and the oracle.
    Result,
    /// Something that happened, such as an entry of the log or of a feed.
    Event { at: Timestamp },
}

/// Whether the public may see something of a round with this window at an instant.
///
/// Rules and decisions without a known instant are public: folders of the earlier project did not
/// write it down. Prices and results of a round without a window are not: nobody knows when.
pub fn is_public(item: Item, window: Option<Window>, as_of: Timestamp) -> bool {
    let passed = |close: Option<Timestamp>| close.is_some_and(|close| close <= as_of);
    match item {
        // Calls are public with the decisions they brought: the files of the ledger are too, and
        // nothing about a call tells how the round will end.
        Item::Rules { created: at } | Item::Decisions { since: at } | Item::Calls { since: at } => {
            at.is_none_or(|at| at <= as_of)
        }
        Item::Opening { since } => since <= as_of && passed(window.and_then(Window::entry_close)),
        Item::EntryPrices => passed(window.and_then(Window::entry_close)),
        Item::Close(day) => {
            let close = window.map_or_else(|| usual_close(day), |window| window.close_of(day));
            close.is_none_or(|close| close <= as_of)
        }
        // A figure of the exit day would be the result before the result.
        Item::Interim(day) => {
            window.is_none_or(|window| day < window.exit)
                && is_public(Item::Close(day), window, as_of)
        }
        Item::Result => passed(window.and_then(Window::exit_close)),
        Item::Event { at } => at <= as_of,
    }
}

/// The close of a day where no round says whose.
fn usual_close(day: Date) -> Option<Timestamp> {
    let window = Window {
        entry: day,
        exit: day,
        market: Market::default(),
    };
    window.exit_close()
}

#[cfg(test)]
mod tests;
