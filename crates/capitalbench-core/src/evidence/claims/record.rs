//! A registered claim and what its days have shown so far.

use std::collections::BTreeSet;

use jiff::Timestamp;
use jiff::civil::Date;

use super::daily::ClaimRound;
use super::terms::{Refusal, Terms};
use super::{Increment, family};
use crate::evidence::statistics::horizon_sessions;
use crate::values::ids::{ModelId, RoundId};
use crate::values::sums::real;

mod followed;

use followed::Followed;

/// A round of a claim's track from its first day on, with both sides.
#[derive(Debug, Clone)]
pub struct Candidate<'a> {
    pub round_id: RoundId,
    pub live: ClaimRound<'a>,
    /// Its result is known, so nothing about its days will change.
    pub resolved: bool,
}

/// Why a round does not count for a claim.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum LeftOut {
    /// The log has no acceptance of its record.
    NotLogged,
    /// The log has the acceptance only from the entry close on.
    LoggedLate { at: Timestamp, close: Timestamp },
    /// It has no valid answer of this model.
    NoAnswer(ModelId),
}

impl LeftOut {
    /// The reason in words, after the round's name.
    pub fn text(&self) -> String {
        match self {
            Self::NotLogged => "the log has no acceptance of its record".to_owned(),
            Self::LoggedLate { at, close } => {
                format!("its record was accepted at {at}, not before the entry close {close}")
            }
            Self::NoAnswer(model) => format!("it has no valid answer of {model}"),
        }
    }
}

/// Where a claim stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Standing {
    /// Nothing of it has happened yet.
    Waiting,
    Open,
    /// Established in its family on a day, for good.
    Established(Date),
    /// A day moved beyond the bound of the claim, which ended it.
    BoundBroken(Date),
    /// Its last day has passed.
    Over(Date),
}

impl Standing {
    /// The stable word for machines.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Open => "open",
            Self::Established(_) => "established",
            Self::BoundBroken(_) => "bound_broken",
            Self::Over(_) => "over",
        }
    }

    /// It may still be established.
    pub fn is_undecided(self) -> bool {
        matches!(self, Self::Waiting | Self::Open)
    }

    /// The day that decided, where one did.
    pub fn day(self) -> Option<Date> {
        match self {
            Self::Established(day) | Self::BoundBroken(day) | Self::Over(day) => Some(day),
            Self::Waiting | Self::Open => None,
        }
    }
}

/// A day of a claim.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct ClaimDay {
    pub increment: Increment,
    /// What the stakes of one unit have grown to.
    pub evidence: f64,
    /// The confidence sequence up to it, per day.
    pub low: f64,
    pub high: f64,
    /// All rounds of the day have their results, so the day decides; the figures of others may
    /// still change.
    pub settled: bool,
}

/// What the days of a claim have shown.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Figures {
    pub days: Vec<ClaimDay>,
    /// How many of them decide.
    pub settled: usize,
    /// Evidence after the last settled day.
    pub evidence: f64,
    pub highest: f64,
    pub p_value: f64,
    /// Evidence with the days of open rounds; they decide nothing yet.
    pub running: f64,
    /// Range of the mean daily difference on all settled days at once.
    pub sequence: (f64, f64),
    /// Valid only if differences are symmetric given the past.
    pub symmetric: f64,
    /// Daily deviation of the settled days; none below twenty of them.
    pub deviation: Option<f64>,
    /// Evidence that would establish it now, as one of its family.
    pub needed: f64,
    /// Years from the first day until a gap of each of [`EDGES`] a year would be established in four
    /// of five cases; none where that takes longer than twenty years, or where it is decided.
    ///
    /// [`EDGES`]: crate::evidence::statistics::EDGES
    pub years_to_establish: [Option<f64>; 3],
}

/// A registered claim at an instant.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct ClaimRecord {
    pub terms: Terms,
    /// Its place in the log.
    pub leaf: u64,
    pub standing: Standing,
    /// Claims of its family so far.
    pub registered: usize,
    /// Rounds that count, in order of their entry.
    pub rounds: Vec<RoundId>,
    /// Rounds of its track and time that do not.
    pub left_out: Vec<(RoundId, LeftOut)>,
    pub figures: Figures,
}

impl ClaimRecord {
    /// The confidence sequence for a round of its track: the daily one times its sessions.
    pub fn sequence_per_round(&self) -> (f64, f64) {
        let sessions = horizon_sessions(self.terms.track);
        let (low, high) = self.figures.sequence;
        (low * sessions, high * sessions)
    }
}

/// A registration in the log that breaks a rule, and the rule.
#[derive(Debug, Clone, PartialEq)]
pub struct Refused {
    pub terms: Terms,
    pub leaf: u64,
    pub why: Refusal,
}

/// A claim with its rounds, before its family is judged.
#[derive(Debug, Clone)]
pub struct Case<'a> {
    pub terms: Terms,
    pub leaf: u64,
    pub rounds: Vec<Candidate<'a>>,
    pub left_out: Vec<(RoundId, LeftOut)>,
}

/// Parts registrations in the order of the log into those that hold and those that break a rule.
pub fn admit(told: Vec<(u64, Terms)>) -> (Vec<(u64, Terms)>, Vec<Refused>) {
    let (mut good, mut refused) = (Vec::new(), Vec::new());
    let mut before: Vec<Terms> = Vec::new();
    for (leaf, terms) in told {
        match terms.check(&before) {
            Ok(()) => {
                before.push(terms.clone());
                good.push((leaf, terms));
            }
            Err(why) => refused.push(Refused { terms, leaf, why }),
        }
    }
    (good, refused)
}

/// The claims of a league, up to the closes of a day.
pub fn records(cases: Vec<Case<'_>>, up_to: Date) -> Vec<ClaimRecord> {
    let followed: Vec<Followed> = cases
        .iter()
        .map(|case| Followed::new(case, up_to))
        .collect();
    let mut verdicts = vec![Verdict::default(); cases.len()];
    for (place, case) in cases.iter().enumerate() {
        let same = |other: &usize| cases[*other].terms.same_family(&case.terms);
        let members: Vec<usize> = (0..cases.len()).filter(same).collect();
        if members.first() != Some(&place) {
            continue;
        }
        let own: Vec<&Followed> = members.iter().map(|member| &followed[*member]).collect();
        for (member, verdict) in members.iter().zip(judge(&own, &case.terms)) {
            verdicts[*member] = verdict;
        }
    }
    let all = cases.into_iter().zip(followed.into_iter().zip(verdicts));
    let record = |(case, (followed, verdict)): (Case<'_>, (Followed, Verdict))| {
        let standing = verdict.standing(&case.terms, &followed, up_to);
        ClaimRecord {
            standing,
            registered: verdict.registered,
            figures: followed.figures(&case.terms, verdict.needed, standing),
            rounds: case.rounds.into_iter().map(|own| own.round_id).collect(),
            left_out: case.left_out,
            leaf: case.leaf,
            terms: case.terms,
        }
    };
    all.map(record).collect()
}

/// How a family judges one of its claims.
#[derive(Debug, Clone, Copy, Default)]
struct Verdict {
    registered: usize,
    established: Option<Date>,
    needed: f64,
}

impl Verdict {
    fn standing(&self, terms: &Terms, followed: &Followed, up_to: Date) -> Standing {
        if let Some(day) = self.established {
            return Standing::Established(day);
        }
        if let Some(day) = followed.broken {
            return Standing::BoundBroken(day);
        }
        let over = terms.last_day.filter(|last| *last < up_to);
        match over {
            Some(day) if followed.settled == followed.days.len() => Standing::Over(day),
            _ if followed.days.is_empty() => Standing::Waiting,
            _ => Standing::Open,
        }
    }
}

/// Judges the claims of one family day by day; what was established stays so.
fn judge(members: &[&Followed], terms: &Terms) -> Vec<Verdict> {
    let alpha = terms.rules.alpha;
    let settled = members.iter().flat_map(|own| &own.days[..own.settled]);
    let days: BTreeSet<Date> = settled.map(|day| day.day).collect();
    let mut established = vec![None; members.len()];
    for day in days {
        let highest = members.iter().zip(&established).map(|(own, done)| {
            if done.is_some() {
                f64::INFINITY
            } else if own.broken.is_some_and(|broken| broken <= day) {
                1.0
            } else {
                own.highest_by(day)
            }
        });
        let highest: Vec<f64> = highest.collect();
        let judged = family(&highest, terms.family, alpha);
        for (own, is_established) in established.iter_mut().zip(judged) {
            if is_established {
                own.get_or_insert(day);
            }
        }
    }
    let done = established.iter().flatten().count();
    let needed = real(terms.family.saturating_sub(done).max(1)) / alpha;
    let verdict = |established| Verdict {
        registered: members.len(),
        established,
        needed,
    };
    established.into_iter().map(verdict).collect()
}

#[cfg(test)]
mod tests;
