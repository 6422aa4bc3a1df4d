//! [`League`]: everything that `league.yaml` settles.

use jiff::SignedDuration;
use jiff::civil::Weekday;

use super::accent::Accent;
use super::licence::Licence;
use crate::asking::cost::Cost;
use crate::asking::lanes::Lanes;
use crate::decision::control::own::OwnControl;
use crate::market::calendar::Market;
use crate::market::published_prices::PublishedPrices;
use crate::round::failure_policy::FailurePolicy;
use crate::round::manifest::{Proof, SubmissionFormat, Track};

/// What an operator settles once; every field has a default.
#[derive(Debug, Clone, PartialEq)]
pub struct League {
    /// The name on pages and in messages.
    pub name: String,
    /// Where readers find the site, such as `https://league.example`.
    pub address: Option<String>,
    /// The colour of links, of the icon and of images.
    pub accent: Option<Accent>,
    /// A picture beside the name, from the folder of the league.
    pub logo: Option<String>,
    /// The first word of round ids: `HOUSE` gives `HOUSE-2026-12-07-1W`.
    pub prefix: String,
    /// Whether providers may be called.
    pub calls: LeagueCalls,
    pub tracks: Vec<TrackSchedule>,
    /// How long before its deadline a round is opened, frozen and asked.
    pub opens_before_deadline: SignedDuration,
    /// How long before the opening of the exchange everybody must have decided.
    pub deadline_before_open: SignedDuration,
    pub universe: UniverseChoice,
    /// Where the options of that universe trade.
    pub market: Market,
    pub format: SubmissionFormat,
    /// The models file, from the folder of the league.
    pub models: String,
    /// The operator's own price card of models.
    pub pricing: Option<String>,
    /// Whether control entrants are recorded beside the models.
    pub controls: bool,
    /// Further controls: funds and fixed portfolios.
    pub own_controls: Vec<OwnControl>,
    pub briefing: BriefingSource,
    pub failure_policy: FailurePolicy,
    /// What is asked beside the record of some rounds; none asks nothing.
    pub lanes: Option<LaneSettings>,
    pub budget: Budget,
    pub prices: PriceSettings,
    pub proof: Proof,
    pub clocks: ClockSettings,
    pub witnesses: WitnessSettings,
    /// Where entrants from outside come from; none admits nobody.
    pub entrants: Option<EntrantSettings>,
    pub publication: PublicationSettings,
    /// Whether the closes of its rounds are public, or returns only.
    pub publish: PublishedPrices,
    pub messages: MessageSettings,
}

/// Where registrations and entries lie, from the folder of the league.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct EntrantSettings {
    /// Files, or folders of files, of those whom the operator admits.
    pub registrations: Vec<String>,
    /// A folder to which entrants deliver, also by pull request.
    pub entries: Option<String>,
}

/// Which rounds have twin lanes, and which.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LaneSettings {
    pub lanes: Lanes,
    /// One of so many rounds of each track has them.
    pub every: u32,
}

/// Whether a pass of the league costs money.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LeagueCalls {
    /// Mock models answer an invented market; its rounds lie in a folder of their own.
    Rehearsed,
    Real,
}

/// When rounds of a track are decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TrackSchedule {
    pub track: Track,
    pub cadence: Cadence,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cadence {
    /// Every week on this day, or on the next session where the exchange is closed.
    Weekly(Weekday),
    /// On the first session of every month.
    FirstSession,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UniverseChoice {
    /// A shipped version, such as `v2.1`.
    Shipped(String),
    /// A file, from the folder of the league.
    File(String),
}

/// Where the briefing of a round comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BriefingSource {
    /// Computed from the fetched histories and from public sources.
    Mechanical,
    /// Three files that the operator writes before the round is opened.
    Files {
        facts: String,
        audit: String,
        briefing: String,
    },
    /// A command that prints the briefing; it is given the round and the cutoff.
    Command(String),
}

/// The most that calls may cost; none is no limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    pub per_round: Option<Cost>,
    /// A calendar month in UTC.
    pub per_month: Option<Cost>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct PriceSettings {
    /// `tiingo`, `yahoo`, `alphavantage` or `csv`.
    pub source: String,
    /// The folder of CSV histories, for `csv`.
    pub histories: Option<String>,
    /// What the source allows, such as `50/1000/500`; by default its free plan.
    pub plan: Option<String>,
    /// A second source that every return is compared with.
    pub second: Option<String>,
    /// How far the two may be apart.
    pub tolerance_bps: f64,
    /// A larger move in a day, as a fraction, needs a split, a distribution or a second source.
    pub largest_daily_move: f64,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ClockSettings {
    /// Time stamp authorities.
    pub authorities: Vec<String>,
    /// Calendars of `OpenTimestamps`.
    pub calendars: Vec<String>,
    /// Root certificates of the authorities, from the folder of the league.
    pub roots: Vec<String>,
}

/// Who cosigns the log, and how many of them must.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct WitnessSettings {
    /// More than half where nothing is said.
    pub quorum: Option<u32>,
    pub of: Vec<WitnessSetting>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WitnessSetting {
    /// The public key, as `name+hash+base64`.
    pub key: String,
    /// Where it is asked.
    pub address: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublicationSettings {
    /// The folder of the built site; none builds none.
    pub site: Option<String>,
    /// Whether the database that the environment names is kept up to date.
    pub database: bool,
    /// Whether open rounds are tracked daily.
    pub interim: bool,
    /// What readers may do with the data.
    pub licence: Option<Licence>,
}

/// Who is told what happened.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct MessageSettings {
    /// The environment variable that holds the address of a webhook: such addresses are secrets.
    pub webhook_variable: Option<String>,
    /// A command that gets the message on its standard input.
    pub command: Option<String>,
}

impl League {
    /// A league with the usual settings: weekly on Monday, rehearsed, signed.
    pub fn named(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            address: None,
            accent: None,
            logo: None,
            prefix: prefix_of(name),
            calls: LeagueCalls::Rehearsed,
            tracks: vec![TrackSchedule {
                track: Track::Weekly,
                cadence: Cadence::Weekly(Weekday::Monday),
            }],
            opens_before_deadline: SignedDuration::from_mins(90),
            deadline_before_open: SignedDuration::from_mins(5),
            universe: UniverseChoice::Shipped(crate::market::universes::DEFAULT_VERSION.to_owned()),
            market: Market::default(),
            format: SubmissionFormat::Portfolio,
            models: "models.yaml".to_owned(),
            pricing: None,
            controls: true,
            own_controls: Vec::new(),
            briefing: BriefingSource::Mechanical,
            failure_policy: FailurePolicy::default(),
            lanes: None,
            budget: Budget {
                per_round: Cost::from_usd(5.0),
                per_month: Cost::from_usd(30.0),
            },
            prices: PriceSettings {
                source: "tiingo".to_owned(),
                histories: None,
                plan: None,
                second: None,
                tolerance_bps: 10.0,
                largest_daily_move: 0.4,
            },
            proof: Proof::Signed,
            clocks: ClockSettings::default(),
            witnesses: WitnessSettings::default(),
            entrants: None,
            publication: PublicationSettings {
                site: Some("site".to_owned()),
                database: false,
                interim: true,
                licence: None,
            },
            publish: PublishedPrices::Full,
            messages: MessageSettings::default(),
        }
    }

    /// The folder of the rounds, from the folder of the league: rehearsed rounds never lie among
    /// real ones.
    pub fn rounds(&self) -> &'static str {
        match self.calls {
            LeagueCalls::Rehearsed => "rehearsal/rounds",
            LeagueCalls::Real => "rounds",
        }
    }

    /// The label of the rules of its rounds.
    pub fn methodology(&self) -> &'static str {
        match self.format {
            SubmissionFormat::SinglePick => "single_pick-v1.2",
            SubmissionFormat::Portfolio => "portfolio-v1.2",
        }
    }
}

/// The first word of a name in capital letters; `LEAGUE` where it has none that an id may have.
fn prefix_of(name: &str) -> String {
    let words = name.split(|c: char| !c.is_ascii_alphanumeric());
    let first = words
        .map(str::to_ascii_uppercase)
        .find(|word| !word.is_empty());
    first.unwrap_or_else(|| "LEAGUE".to_owned())
}
