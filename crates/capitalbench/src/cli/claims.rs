//! Flags of the verbs about claims that survive daily looks.

use capitalbench_core::evidence::claims::Side;
use clap::{Args, Subcommand};
use jiff::civil::Date;

use super::shared::{Now, Rounds, RoundsDir, TrackName, day, word};

/// Register, list and show claims
///
/// A claim says that one model returns more than another, or than the reference. It is an entry of
/// the signed log from before its first day on, so nobody can choose it afterwards, change it or
/// withdraw it unseen. It may be looked at every day: the chance of establishing what is not so stays
/// below its alpha. How: docs/statistics.md.
///
/// $ capitalbench claim register grok-above-index --model xai-grok-4-3 --track weekly --family 3
/// --first-day 2026-12-07
///
/// $ capitalbench claim list
///
/// $ capitalbench claim show grok-above-index --json
///
/// Exit codes: 0 done, 1 there is no claim to show, 2 could not run.
#[derive(Debug, Args)]
pub(crate) struct Claim {
    #[command(subcommand)]
    pub(crate) verb: ClaimVerb,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ClaimVerb {
    Register(ClaimRegister),
    List(ClaimList),
    Show(ClaimShow),
}

/// Sign a claim into the log, before its first day
#[derive(Debug, Args)]
pub(crate) struct ClaimRegister {
    /// Its name: lower-case letters, digits and hyphens
    #[arg(value_name = "NAME")]
    pub(crate) name: String,
    /// The model of which something is claimed
    #[arg(long, value_name = "MODEL")]
    pub(crate) model: String,
    /// Compare it with this model, or with the reference
    #[arg(long, value_name = "MODEL", default_value = "reference")]
    pub(crate) against: String,
    /// In rounds of this track
    #[arg(long, value_enum)]
    pub(crate) track: TrackName,
    /// above: the model returns more; either: both return differently
    #[arg(long, default_value = "above", value_parser = word(["above", "either"], Side::parse))]
    pub(crate) side: Side,
    /// Chance of establishing anything false in the whole family
    #[arg(long, value_name = "CHANCE", default_value_t = 0.05)]
    pub(crate) alpha: f64,
    /// Rounds that enter on this day or later count
    #[arg(long, value_name = "DAY", value_parser = day)]
    pub(crate) first_day: Date,
    /// No later day counts; without it the claim has no end
    #[arg(long, value_name = "DAY", value_parser = day)]
    pub(crate) last_day: Option<Date>,
    /// How many claims this track will have in the year of the first day at most; the first one fixes it
    #[arg(long, value_name = "COUNT")]
    pub(crate) family: usize,
    #[command(flatten)]
    pub(crate) stakes: Stakes,
    #[command(flatten)]
    pub(crate) rounds: RoundsDir,
    #[command(flatten)]
    pub(crate) now: Now,
}

#[derive(Debug, Args)]
pub(crate) struct Stakes {
    /// Expected daily deviation of the difference, by default that of the record, else 0.008
    #[arg(long, value_name = "SHARE")]
    pub(crate) scale: Option<f64>,
    /// Largest daily spread between two options, by default 0.20, or 0.60 where markets never close
    #[arg(long, value_name = "SHARE")]
    pub(crate) spread: Option<f64>,
}

/// List every claim with its evidence
#[derive(Debug, Args)]
pub(crate) struct ClaimList {
    #[command(flatten)]
    pub(crate) rounds: Rounds,
}

/// Show one claim: its evidence, its rounds and what it would take
#[derive(Debug, Args)]
pub(crate) struct ClaimShow {
    /// Its name
    pub(crate) name: String,
    #[command(flatten)]
    pub(crate) rounds: Rounds,
}

/// Say how long a claim would take, and its cost
///
/// Simulates claims with the daily deviation of the record, or of --deviation, and shows months and
/// dollars until differences of 2, 5 and 10 % a year would be established in four of five cases: with
/// the rounds of now, with more of them, one-sided and two-sided, and with a claim on each track. It
/// says so where a design cannot know within twenty years.
///
/// $ capitalbench plan-evidence --model xai-grok-4-3 --track weekly
///
/// $ capitalbench plan-evidence --track weekly --deviation 0.005 --budget 500
///
/// Exit codes: 0 shown, 2 could not run.
#[derive(Debug, Args)]
pub(crate) struct PlanEvidence {
    /// The model of which something would be claimed; without it the deviation must be given
    #[arg(long, value_name = "MODEL", required_unless_present = "deviation")]
    pub(crate) model: Option<String>,
    /// Compare it with this model, or with the reference
    #[arg(long, value_name = "MODEL", default_value = "reference")]
    pub(crate) against: String,
    /// In rounds of this track
    #[arg(long, value_enum)]
    pub(crate) track: TrackName,
    /// Daily deviation of the difference, in place of that of the record
    #[arg(long, value_name = "SHARE")]
    pub(crate) deviation: Option<f64>,
    /// Rounds a week of now, by default those of the record
    #[arg(long, value_name = "COUNT")]
    pub(crate) rounds_a_week: Option<f64>,
    /// Cost of a round in dollars, by default that of the record
    #[arg(long, value_name = "DOLLARS")]
    pub(crate) cost: Option<f64>,
    /// What may be spent in all, in dollars
    #[arg(long, value_name = "DOLLARS")]
    pub(crate) budget: Option<f64>,
    /// Claims of the family
    #[arg(long, value_name = "COUNT", default_value_t = 1)]
    pub(crate) family: usize,
    #[command(flatten)]
    pub(crate) rounds: Rounds,
}
