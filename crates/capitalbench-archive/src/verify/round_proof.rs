//! What the log and outside clocks prove about one round.

use capitalbench_proof::order::{Judged, Line, Verdict};
use jiff::Timestamp;

use super::log_state::SeenStamp;
use super::slots::SlotCount;

/// When something was signed into the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Moment {
    pub leaf: u64,
    /// By the operator's clock.
    pub at: Timestamp,
    /// The earliest stamps that cover it, one per authority.
    pub stamps: Vec<SeenStamp>,
}

impl Moment {
    /// It existed before this instant, by outside clocks.
    pub fn before(&self) -> Option<Timestamp> {
        self.stamps.iter().map(|seen| seen.stamp.before).min()
    }

    /// The same by the clocks that the reader vouches for.
    pub fn vouched_before(&self) -> Option<Timestamp> {
        let vouched = self.stamps.iter().filter(|seen| seen.vouched);
        vouched.map(|seen| seen.stamp.before).min()
    }
}

/// What the log proves about a round.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RoundProof {
    /// The inputs were frozen.
    pub freeze: Option<Moment>,
    /// The first request of the record left.
    pub first_call: Option<Moment>,
    /// The last answer of the record arrived.
    pub last_call: Option<Moment>,
    /// The run became the record, with its picks.
    pub picks: Option<Moment>,
    /// The latest result was made.
    pub score: Option<Moment>,
    /// The first result, if a later one replaced it.
    pub earlier_score: Option<Moment>,
    /// The close that decisions are scored from.
    pub entry_close: Option<Timestamp>,
    /// The close that they are scored to.
    pub exit_close: Option<Timestamp>,
    /// How the slots of the record ended.
    pub slots: Option<SlotCount>,
    /// Number of runs that were planned.
    pub runs: usize,
    /// Events of the round.
    pub events: usize,
    /// Corrections of its results.
    pub corrections: usize,
    /// Files that match the log.
    pub opened: usize,
    /// Files in the log that cannot be compared here.
    pub withheld: usize,
    /// Every line of the required order, judged by all stamps that hold.
    pub order: Vec<Judged>,
    /// The same by the stamps of authorities that the reader vouches for.
    pub vouched: Vec<Judged>,
    /// The same for the promise of the manifest: by the roots that the reader named, or by all stamps
    /// if none were named.
    pub promised: Vec<Judged>,
}

impl RoundProof {
    /// Whether outside clocks prove inputs before calls and picks before the entry, and no line of the
    /// order contradicts it.
    pub fn is_stamped(&self) -> bool {
        is_proved(&self.order)
    }

    /// The same by clocks that the reader vouches for.
    pub fn is_vouched(&self) -> bool {
        is_proved(&self.vouched)
    }

    /// The authorities that stamped the freeze or the picks, each once, vouched ones first.
    pub fn authorities(&self) -> Vec<(&str, bool)> {
        let moments = [&self.freeze, &self.picks].into_iter().flatten();
        let stamps = moments.flat_map(|moment| &moment.stamps);
        let mut found: Vec<(&str, bool)> = stamps
            .map(|seen| (seen.stamp.authority.as_str(), seen.vouched))
            .collect();
        found.sort_by_key(|(name, vouched)| (!vouched, *name));
        found.dedup();
        found
    }
}

fn is_proved(order: &[Judged]) -> bool {
    let proved = |line: Line| {
        let own =
            |judged: &Judged| judged.line == line && matches!(judged.verdict, Verdict::Proved(_));
        order.iter().any(own)
    };
    proved(Line::FreezeBeforeAttempts)
        && proved(Line::PicksBeforeEntry)
        && !order.iter().any(Judged::refuses)
}
