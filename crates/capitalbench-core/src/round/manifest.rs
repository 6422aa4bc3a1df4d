//! The frozen rules of one round.

use jiff::Timestamp;
use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use crate::asking::lanes::{Lane, Lanes};
use crate::asking::run::RecordRules;
use crate::decision::control::own::OwnControl;
use crate::decision::portfolio::Constraints;
use crate::market::calendar::{Market, WindowRule};
use crate::market::published_prices::PublishedPrices;
use crate::round::failure_policy::FailurePolicy;
use crate::round::methodology::Methodology;
use crate::round::roster::Roster;
use crate::values::ids::RoundId;
use crate::values::time::{WrittenInstant, days_between};
use crate::values::words::words;

/// Weekly and monthly rounds are never mixed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Track {
    /// Rounds of a week.
    Weekly,
    /// Rounds of a month.
    Monthly,
}

impl Track {
    /// The word used in files and on pages.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Weekly => "weekly",
            Self::Monthly => "monthly",
        }
    }
}

/// What a model is asked to return.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum SubmissionFormat {
    /// Exactly one option.
    SinglePick,
    /// A constrained list of holdings.
    Portfolio,
}

impl SubmissionFormat {
    /// The stored word.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::SinglePick => "single_pick",
            Self::Portfolio => "portfolio",
        }
    }
}

/// Whether a round belongs to the public record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Stream {
    /// Counted everywhere.
    Primary,
    /// Kept, never listed or aggregated.
    Pilot,
    /// An invented market: mock models may be the record, and nothing of it joins the public one.
    Synthetic,
}

words!(Stream {
    Primary => "primary",
    Pilot => "pilot",
    Synthetic => "synthetic",
});

/// What a round promises to readers who do not trust the operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
pub enum Proof {
    /// Nothing beyond its files.
    #[default]
    None,
    /// Every step is in the signed log.
    Signed,
    /// Outside clocks have also stamped the freeze before the calls and the picks before the entry.
    Anchored,
}

words!(Proof {
    None => "none",
    Signed => "signed",
    Anchored => "anchored",
});

impl Proof {
    /// Whether nothing is promised; files and documents do not mention it then.
    pub fn is_none(&self) -> bool {
        *self == Self::None
    }
}

/// Where prices and answers come from, as settled before the freeze; rounds of before name nothing.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Origins {
    /// The source of the prices, as it is chosen.
    pub price_source: Option<String>,
    /// The source they are compared with.
    pub second_price_source: Option<String>,
    /// Hosts that models are asked at, in order; none where nothing is settled.
    pub provider_hosts: Vec<String>,
    /// The largest move of a day that is believed from one source, in basis points.
    pub largest_daily_move_bps: Option<u32>,
}

impl Origins {
    /// Whether nothing is settled; files and documents do not mention it then.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// How the sources of a fetch depart from the settled ones; none where they do not.
    pub fn departure(&self, source: &str, second: Option<&str>) -> Option<String> {
        let mut parts = Vec::new();
        if let Some(frozen) = self.price_source.as_deref().filter(|own| *own != source) {
            parts.push(format!(
                "prices come from {source}; the manifest froze {frozen}"
            ));
        }
        let frozen = self.second_price_source.as_deref();
        if let Some(frozen) = frozen.filter(|own| Some(*own) != second) {
            let used = second.unwrap_or("nothing");
            parts.push(format!(
                "they are compared with {used}; the manifest froze {frozen}"
            ));
        }
        (!parts.is_empty()).then(|| parts.join("; "))
    }
}

/// Host and port of an address, in lower case.
pub fn host_of(address: &str) -> Option<String> {
    let (_, rest) = address.split_once("://")?;
    let host = rest.split(['/', '?', '#']).next()?;
    let host = host.rsplit('@').next()?;
    (!host.is_empty()).then(|| host.to_ascii_lowercase())
}

/// The scoring window, close to close.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Window {
    /// Day of the starting close.
    pub entry: Date,
    /// Day of the ending close.
    pub exit: Date,
    /// Whose closes they are.
    #[serde(default)]
    pub market: Market,
}

impl Window {
    /// The moment of the starting close.
    pub fn entry_close(self) -> Option<Timestamp> {
        self.close_of(self.entry)
    }

    /// The moment of the ending close.
    pub fn exit_close(self) -> Option<Timestamp> {
        self.close_of(self.exit)
    }

    /// The close of a day by the market's calendar; the regular hour where it knows no session.
    pub fn close_of(self, day: Date) -> Option<Timestamp> {
        let close = self.market.close_at(day);
        close.or_else(|| self.market.regular_close(day))
    }

    /// Calendar days between the two closes.
    pub fn days(self) -> i32 {
        days_between(self.entry, self.exit)
    }
}

/// The rules of a round as frozen before any call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// Names the round; equals its folder.
    pub round_id: RoundId,
    /// Title for people.
    pub title: String,
    /// Horizon in words, as written.
    pub horizon: String,
    /// Day of the decision.
    pub decision_date: Option<Date>,
    /// Last moment for a decision.
    pub decision_deadline: Option<WrittenInstant>,
    /// Where the options trade; the window's closes are of this market.
    #[serde(default)]
    pub market: Market,
    /// The window, when both days are set.
    pub window: Option<Window>,
    /// The rule the window follows, where the manifest names one.
    pub window_rule: Option<WindowRule>,
    /// The starting close in words.
    pub entry_rule: String,
    /// The ending close in words.
    pub exit_rule: String,
    /// When the manifest was made.
    pub created_at: Option<WrittenInstant>,
    /// Version of the rules.
    pub methodology: Methodology,
    /// Version of the universe, where named.
    pub universe_version: Option<String>,
    /// What a submission looks like.
    pub format: SubmissionFormat,
    /// Limits of a portfolio.
    pub constraints: Constraints,
    /// Frozen roster, where there is one.
    pub roster: Option<Roster>,
    /// Public record or pilot.
    pub stream: Stream,
    /// What the round promises to readers who do not trust the operator.
    #[serde(default, skip_serializing_if = "Proof::is_none")]
    pub proof: Proof,
    /// Where prices and answers come from.
    #[serde(default, skip_serializing_if = "Origins::is_empty")]
    pub origins: Origins,
    /// When a run without every model's valid answer may be the record; none asks for all of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure_policy: Option<FailurePolicy>,
    /// The controls that the operator configured.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub controls: Vec<OwnControl>,
    /// What is asked beside the record to find out what moves models.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lanes: Option<Lanes>,
    /// Whether closes are public, or returns only.
    #[serde(default, skip_serializing_if = "PublishedPrices::is_full")]
    pub publish: PublishedPrices,
}

impl Manifest {
    /// What a run must have to be the record. Without a frozen roster nobody knows how many models
    /// were expected, so all that were asked must answer.
    pub fn record_rules(&self) -> RecordRules {
        let policy = self.failure_policy;
        let policy = policy.filter(|_| self.methodology.has_failure_policy());
        let roster = self.roster.as_ref().map(|own| own.model_ids.len() as u64);
        RecordRules {
            enforcement: self.methodology.enforcement(),
            enough: policy.zip(roster).map(|(own, roster)| own.needed(roster)),
        }
    }

    /// How often each model is asked in a lane; none where the lane is not planned.
    pub fn lane_replicates(&self, lane: Lane) -> Option<u32> {
        self.lanes.as_ref()?.replicates(lane)
    }

    /// Until when lanes may be asked: later the market has begun to tell how the round will end.
    pub fn lane_deadline(&self) -> Option<Timestamp> {
        self.window.and_then(Window::entry_close)
    }

    /// The track: by the id's ending, then the horizon's words, then the window's length.
    pub fn track(&self) -> Option<Track> {
        let id = self.round_id.as_str();
        let horizon = self.horizon.to_lowercase();
        if id.ends_with("-1W") || horizon.contains("week") {
            return Some(Track::Weekly);
        }
        if id.ends_with("-1M") || horizon.contains("month") {
            return Some(Track::Monthly);
        }
        match self.window.map(Window::days) {
            Some(days) if days <= 10 => Some(Track::Weekly),
            Some(days) if days >= 28 => Some(Track::Monthly),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests;
