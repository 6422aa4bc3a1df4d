//! The sources that are kept with a round, and what must follow from them: the daily returns and,
//! where nobody wrote it, the briefing.

use capitalbench_core::asking::mechanical_briefing::{LaterFact, MechanicalFacts, TreasuryFacts};
use capitalbench_core::market::daily_returns::DailyReturns;
use capitalbench_core::market::price_window::PriceWindow;
use capitalbench_core::market::treasury::{Curve, CurveDay, parse_feed};
use capitalbench_core::round::manifest::Stream;
use jiff::Timestamp;
use jiff::civil::Date;

use crate::disk::error::{Fault, FileError};
use crate::disk::layout;
use crate::format::prices::{daily_returns, trailing, vendor_sheet};
use crate::format::round::briefing_recipe::{self, TreasuryPart};
use crate::format::utf8;
use crate::round::round_folder::{RoundFolder, RoundInputs};

/// The price histories of a round and the day of its market table.
#[derive(Debug, Clone, PartialEq)]
pub struct KeptHistories {
    pub histories: Vec<PriceWindow>,
    pub as_of: Date,
}

impl KeptHistories {
    /// None where the histories are not here: they are private.
    pub fn load(inputs: &RoundInputs) -> Result<Option<Self>, FileError> {
        let folder = &inputs.folder;
        // The digest of this file is public; without a salt it would tell closes to whoever tries some.
        let parse = if inputs.manifest.publish.is_full() {
            vendor_sheet::parse
        } else {
            vendor_sheet::parse_salted
        };
        let parsed = folder.parse_optional(layout::SOURCE_HISTORIES, parse)?;
        let Some(histories) = parsed else {
            return Ok(None);
        };
        let as_of = folder.parse(trailing::JSON, trailing::parse_as_of)?;
        Ok(Some(Self { histories, as_of }))
    }

    /// The text of the daily returns that follow; in six decimals where closes are not published.
    pub fn daily_returns(&self, inputs: &RoundInputs) -> String {
        let returns = DailyReturns::of_histories(&inputs.universe, &self.histories, self.as_of);
        daily_returns::render(&if inputs.manifest.publish.is_full() {
            returns
        } else {
            returns.rounded()
        })
    }
}

/// A briefing made again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Remade {
    /// Somebody wrote it, or a command did.
    NotMechanical,
    /// The histories are not here.
    SourcesAbsent,
    Made {
        text: String,
        /// Rows that are later than the cutoff.
        later: Vec<LaterFact>,
    },
}

/// Whether yields of the US Treasury belong to the market of a round: it is real, and its currency is
/// the dollar.
pub fn asks_treasury(inputs: &RoundInputs) -> bool {
    inputs.manifest.stream != Stream::Synthetic && inputs.universe.currency() == "USD"
}

/// Makes the briefing of a round again from what is kept with it.
pub fn remake_briefing(inputs: &RoundInputs, cutoff: Timestamp) -> Result<Remade, FileError> {
    let folder = &inputs.folder;
    let recipe = folder.parse_optional(layout::BRIEFING_RECIPE, briefing_recipe::parse)?;
    let Some(treasury) = recipe else {
        return Ok(Remade::NotMechanical);
    };
    if asks_treasury(inputs) == (treasury == TreasuryPart::NotAsked) {
        let text = "only the briefing of an invented market or of another currency leaves the \
                    Treasury out";
        let fault = Fault::field("treasury", text);
        return Err(fault.in_file(&folder.file(layout::BRIEFING_RECIPE)));
    }
    let Some(kept) = KeptHistories::load(inputs)? else {
        return Ok(Remade::SourcesAbsent);
    };
    let curve = match treasury {
        TreasuryPart::Read => kept_curve(folder)?,
        TreasuryPart::NotAsked | TreasuryPart::NotReached => Curve::default(),
    };
    let facts = MechanicalFacts {
        universe: &inputs.universe,
        histories: &kept.histories,
        as_of: kept.as_of,
        treasury: match treasury {
            TreasuryPart::Read => TreasuryFacts::Read(&curve),
            TreasuryPart::NotAsked => TreasuryFacts::NotAsked,
            TreasuryPart::NotReached => TreasuryFacts::NotReached,
        },
        publish: inputs.manifest.publish,
    };
    Ok(Remade::Made {
        text: facts.text(),
        later: facts.later_facts(cutoff),
    })
}

/// The curve in the Treasury's answers that are kept with a round.
fn kept_curve(folder: &RoundFolder) -> Result<Curve, FileError> {
    let mut months = Vec::new();
    for file in layout::TREASURY_MONTHS {
        months.push(folder.parse(file, parse_month)?);
    }
    Curve::of(months).map_err(|day| {
        let fault = Fault::new(format!("holds {day}, and so does another answer"));
        fault.in_file(&folder.file(layout::TREASURY_MONTHS[0]))
    })
}

fn parse_month(bytes: &[u8]) -> Result<Vec<CurveDay>, Fault> {
    parse_feed(utf8(bytes)?).map_err(Fault::new)
}
