//! What two price sheets of a window must satisfy before anyone may trust a score made from them.

use std::collections::BTreeSet;

use jiff::civil::Date;

use crate::market::price_window::BasisFault;
use crate::market::prices::{PriceField, PriceSheet, Quote, Side};
use crate::market::universe::Universe;
use crate::round::manifest::Window;
use crate::values::ids::OptionId;
use crate::values::units::{Price, Return};

/// A treasury-bill fund accrues; one that loses this much in a short window missed a distribution.
const ACCRUAL_LOSS: f64 = -0.001;
/// Over a window this long it must have gained something.
const ACCRUAL_DAYS: i32 = 21;
/// What it must have gained at least over such a window.
const ACCRUAL_GAIN: f64 = 0.0005;

/// One broken rule.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum PriceProblem {
    /// A row is dated on another day than the window's.
    #[error("{side} row of {key} is dated {date}, not {expected}")]
    OffDate {
        /// Which sheet.
        side: Side,
        /// Which row.
        key: String,
        /// Its day.
        date: Date,
        /// The window's day.
        expected: Date,
    },
    /// Rows without a raw close, so a distribution cannot be told from a price move.
    #[error("{rows} {side} rows have no raw close, so their basis cannot be checked")]
    BlankClose {
        /// Which sheet.
        side: Side,
        rows: usize,
    },
    /// Rows without an adjusted close: distributions are lost.
    #[error("{rows} {side} rows have no adjusted close; the raw close was used")]
    RawClose {
        /// Which sheet.
        side: Side,
        rows: usize,
    },
    /// One option's two prices come from two sources.
    #[error("{} options have entry and exit from two sources ({} and {}): {}", options.len(), example.0, example.1, names(options))]
    SourceDiffers {
        options: Vec<OptionId>,
        /// The first one's two sources.
        example: (String, String),
    },
    /// A fund that only accrues interest did not.
    #[error("{option_id} only accrues interest, yet returned {:+.3} % in {days} days: a distribution is \
         probably missing from its adjusted close", 100.0 * value.get())]
    MissedDistribution {
        /// The fund.
        option_id: OptionId,
        value: Return,
        /// Length of the window.
        days: i32,
    },
    /// An adjusted close does not follow close, dividends and splits, or cannot be checked.
    #[error("{0}")]
    Basis(BasisFault),
    /// The sheets are not what the record of their fetch says.
    #[error("{file}: {detail}")]
    RecordDiffers {
        /// The file at fault.
        file: &'static str,
        /// In which way.
        detail: String,
    },
    /// Nothing proves who was asked for these prices, when, and on which basis.
    #[error(
        "the sheets have no record of their fetch, so it is unknown whether both sides share one basis"
    )]
    NoRecord,
    /// A real round was priced from the operator's own files.
    #[error("the prices come from the operator's own files, so no vendor vouches for them")]
    FromFiles,
    /// The prices come from another source than the manifest froze, for a reason that is recorded.
    #[error("{departure}: {reason}")]
    OtherSource {
        /// In which way.
        departure: String,
        /// The operator's reason.
        reason: String,
    },
    /// A move of a day beyond the limit, without a reason.
    #[error(
        "{0} by this source alone: no split, distribution or agreeing second source explains it"
    )]
    LargeMove(String),
    /// A source has closes of an option after the last official one.
    #[error("{option_id} is recorded as delisted after {on}, but the source has a close of {day}")]
    StillListed {
        option_id: OptionId,
        /// The last official close.
        on: Date,
        /// A later one.
        day: Date,
    },
    /// Moves beyond the limit that the operator believes.
    #[error("{moves}: {reason}")]
    MovesAccepted {
        /// In words.
        moves: String,
        /// The operator's reason.
        reason: String,
    },
    /// A public file does not hold what its round publishes, such as closes in place of indexes.
    #[error("{file}: {detail}")]
    NotAsPublished {
        /// The file at fault.
        file: String,
        /// In which way.
        detail: String,
    },
    /// A public index does not follow from the private closes.
    #[error(
        "{option_id} stands at {} on {day}; the closes as fetched give {}",
        index_text(*published),
        index_text(*computed)
    )]
    IndexDiffers {
        option_id: OptionId,
        day: Date,
        /// In the public sheet; none where it has no row.
        published: Option<Price>,
        computed: Option<Price>,
    },
    /// Rows that belong to no option.
    #[error("{} {side} rows belong to no option: {}", keys.len(), keys.join(", "))]
    ForeignRows {
        /// Which sheet.
        side: Side,
        keys: Vec<String>,
    },
    /// Options without a row on this side.
    #[error("{} options have no {side} price: {}", options.len(), names(options))]
    Unpriced {
        /// Which sheet.
        side: Side,
        options: Vec<OptionId>,
    },
}

impl PriceProblem {
    /// Whether our own methodologies refuse to score over it.
    pub fn is_refused(&self) -> bool {
        matches!(
            self,
            Self::OffDate { .. }
                | Self::BlankClose { .. }
                | Self::SourceDiffers { .. }
                | Self::MissedDistribution { .. }
                | Self::Basis(_)
                | Self::RecordDiffers { .. }
                | Self::LargeMove(_)
                | Self::NotAsPublished { .. }
                | Self::IndexDiffers { .. }
                | Self::StillListed { .. }
                | Self::NoRecord
                | Self::FromFiles
        )
    }
}

fn index_text(index: Option<Price>) -> String {
    index.map_or_else(|| "nothing".to_owned(), |index| index.get().to_string())
}

fn names(ids: &[OptionId]) -> String {
    let shown: Vec<&str> = ids.iter().take(5).map(OptionId::as_str).collect();
    let more = ids.len().saturating_sub(shown.len());
    if more > 0 {
        format!("{} and {more} more", shown.join(", "))
    } else {
        shown.join(", ")
    }
}

/// Every broken rule, entry side first.
pub fn problems(
    universe: &Universe,
    window: Option<Window>,
    entry: &PriceSheet,
    exit: &PriceSheet,
) -> Vec<PriceProblem> {
    let mut problems = side_problems(universe, window.map(|w| w.entry), Side::Entry, entry);
    problems.extend(side_problems(
        universe,
        window.map(|w| w.exit),
        Side::Exit,
        exit,
    ));
    problems.extend(source_problem(universe, entry, exit));
    if let Some(window) = window {
        problems.extend(distribution_problems(universe, window, entry, exit));
    }
    problems
}

/// Broken rules of one sheet.
pub fn side_problems(
    universe: &Universe,
    expected: Option<Date>,
    side: Side,
    sheet: &PriceSheet,
) -> Vec<PriceProblem> {
    let mut problems = Vec::new();
    for quote in sheet.quotes() {
        let expected = expected.map(|day| priced_on(universe, sheet, quote, day));
        if let (Some(date), Some(expected)) = (quote.date, expected)
            && date != expected
        {
            problems.push(PriceProblem::OffDate {
                side,
                key: quote.key.clone(),
                date,
                expected,
            });
        }
    }
    let count =
        |blank: fn(&Quote) -> bool| sheet.quotes().iter().filter(|quote| blank(quote)).count();
    let blank = count(|q| q.close.is_none() && q.adjusted.is_some());
    if blank > 0 {
        problems.push(PriceProblem::BlankClose { side, rows: blank });
    }
    let raw = count(|q| matches!(q.used(), Some((_, PriceField::Close))));
    if raw > 0 {
        problems.push(PriceProblem::RawClose { side, rows: raw });
    }
    let mut used = BTreeSet::new();
    let mut unpriced = Vec::new();
    for option in universe.options() {
        match sheet.find(option) {
            Some(quote) => _ = used.insert(quote.key.as_str()),
            None if option.scores_as_cash() => {}
            None => unpriced.push(option.id.clone()),
        }
    }
    let keys = sheet.quotes().iter().map(|quote| &quote.key);
    let foreign: Vec<String> = keys
        .filter(|key| !used.contains(key.as_str()))
        .cloned()
        .collect();
    if !foreign.is_empty() {
        problems.push(PriceProblem::ForeignRows {
            side,
            keys: foreign,
        });
    }
    if !unpriced.is_empty() {
        problems.push(PriceProblem::Unpriced {
            side,
            options: unpriced,
        });
    }
    problems
}

/// The day of a row, which is an earlier one where its option was delisted.
fn priced_on(universe: &Universe, sheet: &PriceSheet, quote: &Quote, day: Date) -> Date {
    let mut changed = universe.options().iter();
    let own = changed.find(|option| {
        option.change.is_some() && sheet.find(option).is_some_and(|own| own.key == quote.key)
    });
    own.map_or(day, |option| option.priced_on(day))
}

fn source_problem(
    universe: &Universe,
    entry: &PriceSheet,
    exit: &PriceSheet,
) -> Option<PriceProblem> {
    let mut options = Vec::new();
    let mut example = None;
    for option in universe.options() {
        let (from, to) = (entry.find(option), exit.find(option));
        let from = from.and_then(|quote| quote.source.as_deref());
        let to = to.and_then(|quote| quote.source.as_deref());
        if let (Some(from), Some(to)) = (from, to)
            && from != to
        {
            options.push(option.id.clone());
            example.get_or_insert_with(|| (from.to_owned(), to.to_owned()));
        }
    }
    example.map(|example| PriceProblem::SourceDiffers { options, example })
}

fn distribution_problems(
    universe: &Universe,
    window: Window,
    entry: &PriceSheet,
    exit: &PriceSheet,
) -> Vec<PriceProblem> {
    let days = window.days();
    let mut problems = Vec::new();
    for option in universe.options().iter().filter(|o| o.accrues_like_cash()) {
        let price = |sheet: &PriceSheet| sheet.find(option)?.used().map(|(price, _)| price);
        let (Some(from), Some(to)) = (price(entry), price(exit)) else {
            continue;
        };
        let value = Return::between(from, to);
        let lost = value.get() < ACCRUAL_LOSS;
        let idle = days >= ACCRUAL_DAYS && value.get() < ACCRUAL_GAIN;
        if lost || idle {
            problems.push(PriceProblem::MissedDistribution {
                option_id: option.id.clone(),
                value,
                days,
            });
        }
    }
    problems
}

#[cfg(test)]
mod tests;
