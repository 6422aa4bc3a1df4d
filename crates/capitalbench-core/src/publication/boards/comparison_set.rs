//! Comparison sets: a fixed roster of one track, scored only on rounds that all of it completed.

use std::collections::{BTreeMap, BTreeSet};

use super::set_round::{SetResult, SetRound};
use crate::publication::renames::Renames;
use crate::publication::{PublishError, RoundKey};
use crate::result::score::Score;
use crate::round::manifest::{Track, Window};
use crate::values::ids::{ModelId, RoundId};
use crate::values::units::Return;

mod rows;

use rows::{market, rows};

/// What the operator wrote about sets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SetPolicy {
    /// Shared rounds a weekly set needs.
    pub weekly_rounds: usize,
    /// Shared rounds a monthly set needs.
    pub monthly_rounds: usize,
    /// Sets with a name; others are found in the rosters.
    pub sets: Vec<SetDefinition>,
}

impl Default for SetPolicy {
    fn default() -> Self {
        Self {
            weekly_rounds: 6,
            monthly_rounds: 3,
            sets: Vec::new(),
        }
    }
}

impl SetPolicy {
    /// Shared rounds a set of this track needs to qualify.
    pub fn threshold(&self, track: Track) -> usize {
        match track {
            Track::Weekly => self.weekly_rounds,
            Track::Monthly => self.monthly_rounds,
        }
    }
}

/// A roster and where it starts.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct SetDefinition {
    /// Its name.
    pub set_id: String,
    /// Weekly or monthly.
    pub track: Track,
    /// Its name for people.
    pub label: String,
    /// The first round it may count.
    pub started_round_id: RoundId,
    /// The roster, in order of id.
    pub model_ids: Vec<ModelId>,
    /// What covers a later round.
    pub rule: RosterRule,
    /// Written by the operator or found.
    pub origin: Origin,
}

/// How a set covers rounds that come after its start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum RosterRule {
    /// Rounds whose models are all in the set.
    Contains,
    /// Rounds with exactly this roster.
    Frozen,
}

impl RosterRule {
    /// The stored word.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Contains => "contains",
            Self::Frozen => "frozen",
        }
    }
}

/// Where a definition comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Origin {
    /// Written in the policy.
    Policy,
    /// Found in the rosters of the rounds.
    Discovered,
}

/// How far a set is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum SetStatus {
    /// The newest qualified set of its track.
    Current,
    /// Enough shared rounds.
    Qualified,
    /// Some shared rounds.
    Forming,
    /// No shared round yet.
    Waiting,
}

impl Origin {
    /// The word in files.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Policy => "policy",
            Self::Discovered => "discovered",
        }
    }
}

impl SetStatus {
    /// The word in reports.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Current => "current",
            Self::Qualified => "qualified",
            Self::Forming => "forming",
            Self::Waiting => "waiting",
        }
    }
}

/// A set with its rounds and its rows.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct ComparisonSet {
    /// Roster and start.
    pub definition: SetDefinition,
    /// How far it is.
    pub status: SetStatus,
    /// Rounds that count, in key order.
    pub included: Vec<RoundId>,
    /// Rounds left out for everyone.
    pub excluded: Vec<ExcludedRound>,
    /// Most windows among the included rounds that do not overlap.
    pub separate_windows: usize,
    /// Models, best first.
    pub rows: Vec<SetRow>,
    /// The market beside them; none without an included round.
    pub market: Option<Market>,
}

/// A round that a set leaves out, with the models that did not complete it.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct ExcludedRound {
    pub round_id: RoundId,
    pub missing: Vec<ModelId>,
}

/// One entrant over the included rounds.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct SetRow {
    pub model_id: ModelId,
    /// Summed returns over summed oracles.
    pub score: Score,
    /// Sum of returns.
    pub total_return: f64,
    /// Mean return.
    pub average_return: f64,
    /// Mean difference to the reference.
    pub average_alpha: f64,
    /// Share of rounds above the reference.
    pub positive_alpha_share: f64,
    /// Rounds with the highest return among the roster; ties go to the smaller id.
    pub firsts: usize,
}

/// What the roster is held against.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Market {
    pub reference: MarketRow,
    pub cash: MarketRow,
    /// Sum of the oracles; none when a round has none.
    pub oracle_total: Option<f64>,
    /// Mean oracle.
    pub oracle_average: Option<f64>,
    /// Controls that stood in every included round.
    pub controls: Vec<SetRow>,
}

/// Something held against models over the included rounds.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct MarketRow {
    /// Scored as a model would be.
    pub score: Score,
    /// Sum of returns.
    pub total_return: f64,
    /// Mean return.
    pub average_return: f64,
}

/// All sets: weekly before monthly, by start, those without a known start first.
pub(crate) fn comparison_sets(
    rounds: &[SetRound<'_>],
    policy: &SetPolicy,
    (names, renames): (&BTreeMap<ModelId, String>, &Renames),
) -> Result<Vec<ComparisonSet>, PublishError> {
    let mut starts = definitions(rounds, policy, renames);
    starts.sort_by(|(a_key, a), (b_key, b)| {
        (a.track, a_key, &a.set_id).cmp(&(b.track, b_key, &b.set_id))
    });
    let mut sets = Vec::with_capacity(starts.len());
    for (start, definition) in &starts {
        sets.push(evaluate(rounds, definition, *start, policy, names)?);
    }
    for track in [Track::Weekly, Track::Monthly] {
        let of_track = |set: &&mut ComparisonSet| {
            set.definition.track == track && set.status == SetStatus::Qualified
        };
        if let Some(newest) = sets.iter_mut().rev().find(of_track) {
            newest.status = SetStatus::Current;
        }
    }
    Ok(sets)
}

/// The policy's sets and those that rosters open, each with the key of its start.
fn definitions<'a>(
    rounds: &'a [SetRound<'_>],
    policy: &SetPolicy,
    renames: &Renames,
) -> Vec<(Option<&'a RoundKey>, SetDefinition)> {
    let key_of = |id: &RoundId| rounds.iter().find(|r| r.id == id).map(|r| r.key);
    let mut found: Vec<(Option<&RoundKey>, SetDefinition)> = policy
        .sets
        .iter()
        .map(|set| (key_of(&set.started_round_id), set.clone()))
        .collect();
    for (_, set) in &mut found {
        let roster = set.model_ids.iter().map(|id| renames.newest(id).clone());
        let roster: BTreeSet<ModelId> = roster.collect();
        set.model_ids = roster.into_iter().collect();
    }
    // A model without a valid answer is one of the roster, and a round without it is left out for all;
    // the others get a set too, because the missing model may never answer.
    let rosters = rounds.iter().flat_map(|round| {
        let answered = (!round.missing.is_empty()).then(|| round.answered());
        let rosters = std::iter::once(round.expected()).chain(answered);
        rosters.map(move |roster| (round, roster))
    });
    for (round, roster) in rosters {
        let Some(track) = round.track else { continue };
        let rule = if round.fixed_roster || !round.missing.is_empty() {
            RosterRule::Frozen
        } else {
            RosterRule::Contains
        };
        let covers = |(start, set): &(Option<&RoundKey>, SetDefinition)| {
            let begun = start.is_some_and(|start| start <= round.key);
            set.track == track && begun && covered(&roster, &set.model_ids, rule)
        };
        if roster.is_empty() || found.iter().any(covers) {
            continue;
        }
        let day = round.decision_date.map(|day| day.to_string());
        let day = day.unwrap_or_else(|| round.id.to_string());
        let taken = |id: &str| found.iter().any(|(_, set)| set.set_id == id);
        let set_id = free_name(&format!("{}-set-{day}", track.as_str()), taken);
        let definition = SetDefinition {
            label: format!("{} set from {day}", capitalised(track.as_str())),
            set_id,
            track,
            started_round_id: round.id.clone(),
            model_ids: roster.into_iter().cloned().collect(),
            rule,
            origin: Origin::Discovered,
        };
        found.push((Some(round.key), definition));
    }
    found
}

/// Whether a set's models cover a roster, both in order of id.
fn covered(roster: &[&ModelId], members: &[ModelId], rule: RosterRule) -> bool {
    if roster.iter().copied().eq(members) {
        return true;
    }
    let members: BTreeSet<&ModelId> = members.iter().collect();
    let mut inside = roster.iter().filter(|id| members.contains(*id));
    match rule {
        RosterRule::Frozen => {
            inside.by_ref().count() == roster.len() && members.len() == roster.len()
        }
        RosterRule::Contains => inside.by_ref().count() == roster.len(),
    }
}

fn capitalised(word: &str) -> String {
    let mut letters = word.chars();
    let first = letters.next().map(|first| first.to_ascii_uppercase());
    first.into_iter().chain(letters).collect()
}

fn free_name(wanted: &str, taken: impl Fn(&str) -> bool) -> String {
    if !taken(wanted) {
        return wanted.to_owned();
    }
    let mut number = 2;
    loop {
        let name = format!("{wanted}-{number}");
        if !taken(&name) {
            return name;
        }
        number += 1;
    }
}

/// Scores a roster on the rounds from its start on.
pub(crate) fn evaluate(
    rounds: &[SetRound<'_>],
    definition: &SetDefinition,
    start: Option<&RoundKey>,
    policy: &SetPolicy,
    names: &BTreeMap<ModelId, String>,
) -> Result<ComparisonSet, PublishError> {
    let mut included: Vec<(&SetRound<'_>, &SetResult<'_>)> = Vec::new();
    // Returns of each included round, in order of the roster.
    let mut values: Vec<Vec<Return>> = Vec::new();
    let mut excluded = Vec::new();
    for round in rounds.iter().filter(|r| r.track == Some(definition.track)) {
        let Some(result) = &round.result else {
            continue;
        };
        if start.is_some_and(|start| round.key < start) {
            continue;
        }
        let roster = definition.model_ids.iter().enumerate();
        let of = |(place, id): (usize, &ModelId)| result.of_near(id, place).map(|s| s.value);
        if let Some(own) = roster.clone().map(of).collect() {
            values.push(own);
            included.push((round, result));
        } else {
            let absent = roster.filter(|found| of(*found).is_none());
            excluded.push(ExcludedRound {
                round_id: round.id.clone(),
                missing: absent.map(|(_, id)| id.clone()).collect(),
            });
        }
    }
    let status = match included.len() {
        0 => SetStatus::Waiting,
        count if count >= policy.threshold(definition.track) => SetStatus::Qualified,
        _ => SetStatus::Forming,
    };
    let results: Vec<&SetResult<'_>> = included.iter().map(|(_, result)| *result).collect();
    let windows = included.iter().filter_map(|(round, _)| round.window);
    Ok(ComparisonSet {
        status,
        rows: rows(definition, &results, &values, names)?,
        market: market(&results)?,
        separate_windows: separate_windows(windows.collect()),
        included: included.iter().map(|(r, _)| r.id.clone()).collect(),
        excluded,
        definition: definition.clone(),
    })
}

/// The most windows that do not overlap: each begins no earlier than the one before it ended.
pub fn separate_windows(mut windows: Vec<Window>) -> usize {
    windows.sort_by_key(|window| (window.exit, window.entry));
    let mut count = 0;
    let mut free_from = None;
    for window in windows {
        if free_from.is_none_or(|free| window.entry >= free) {
            count += 1;
            free_from = Some(window.exit);
        }
    }
    count
}

#[cfg(test)]
mod tests;
