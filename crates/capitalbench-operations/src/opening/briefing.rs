//! Makes the briefing of a round: computed, imported from files, or printed by a command.

use std::path::PathBuf;

use capitalbench_archive::round::round_folder::RoundFolder;
use capitalbench_core::league::settings::BriefingSource;
use jiff::Timestamp;

use crate::error::Error;
use crate::operator::Operator;

/// What the briefing is made from. The market table with its histories must be there already.
#[derive(Debug)]
pub struct BriefingRequest {
    pub round: PathBuf,
    pub source: BriefingSource,
    /// No fact may be later than this instant.
    pub cutoff: Timestamp,
}

/// Makes the briefing and writes it into the round.
pub fn make_briefing(
    _operator: &Operator,
    _request: &BriefingRequest,
) -> Result<RoundFolder, Error> {
    Err(Error::new("briefings are not made yet"))
}
