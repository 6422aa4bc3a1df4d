//! What a league does next, when, and at what cost: asks nobody, spends nothing, needs no key.

use std::collections::{BTreeMap, BTreeSet};

use capitalbench_archive::disk::{file_ops, layout};
use capitalbench_archive::format::round::manifest;
use capitalbench_archive::format::round::models::{self, ModelSettings};
use capitalbench_archive::round::ending;
use capitalbench_archive::round::round_folder::RoundFolder;
use capitalbench_core::asking::cost::Cost;
use capitalbench_core::asking::tokens::estimate;
use capitalbench_core::league::schedule::ScheduledRound;
use capitalbench_core::values::time::WrittenInstant;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp, ToSpan as _};

use super::folder::LeagueFolder;
use super::terms::{MAX_RETRIES, RUN};
use crate::asking::price_card::PriceBook;
use crate::asking::providers::is_offline;
use crate::asking::spent::{Runs, spent_on};
use crate::error::Error;
use crate::operator::Operator;
use crate::operator::files::read;

/// How long a round may take from its deadline to its result, whatever its track.
const LONGEST_ROUND: SignedDuration = SignedDuration::from_hours(40 * 24);
/// Characters of a model's input before any round of the league tells how many they are: those of the
/// largest shipped universe with its table and a briefing by rule, and a quarter more.
const USUAL_INPUT: usize = 52_000;

/// A look ahead.
#[derive(Debug, Clone, PartialEq)]
pub struct LeaguePlan {
    /// Rounds with something to come, in the order of their deadlines.
    pub rounds: Vec<PlannedRound>,
    pub months: Vec<PlannedMonth>,
    /// When open rounds are tracked next; none where none is open or nothing is tracked.
    pub tracked: Option<Timestamp>,
    /// Models whose price neither card knows: a sum without them is no bound.
    pub unpriced: Vec<String>,
    /// How long the input of a model was taken to be, in characters.
    pub input_characters: usize,
}

/// A round with something to come.
#[derive(Debug, Clone, PartialEq)]
pub struct PlannedRound {
    pub round: ScheduledRound,
    pub progress: Progress,
    pub models: usize,
    /// The most that one call to every model costs; none where a price is not known.
    pub once: Option<Cost>,
    /// Calls of each model in twin lanes, beside the one for the record.
    pub lane_calls: u32,
    /// The most that one call to every slot of its lanes costs.
    pub lanes_once: Option<Cost>,
    /// The most that the round costs with every retry and its lanes, within the budget of a round.
    pub at_most: Option<Cost>,
    /// When its prices are final.
    pub result: Option<Timestamp>,
}

/// How far a round is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Progress {
    ToCome,
    /// Opened, and not asked to the end.
    Begun,
    /// Asked to the end; its result is to come.
    Asked,
}

/// A calendar month in UTC.
#[derive(Debug, Clone, PartialEq)]
pub struct PlannedMonth {
    /// Its first day.
    pub month: Date,
    /// What the rounds of the month have cost, with unseen attempts at their worst case.
    pub spent: Cost,
    /// That and the most that rounds to come in the month may cost, within the budget.
    pub at_most: Option<Cost>,
    pub budget: Option<Cost>,
    /// Rounds for which the budget may not suffice.
    pub beyond: usize,
}

/// Looks ahead until an instant.
pub fn plan(
    operator: &Operator,
    league: &LeagueFolder,
    until: Timestamp,
) -> Result<LeaguePlan, Error> {
    let now = operator.now();
    let settings = &league.league;
    let models = read(&league.file(&settings.models), models::parse_settings)?;
    let pricing = settings.pricing.as_deref().map(|file| league.file(file));
    let input = usual_input(league)?;
    let costs = Costs {
        league,
        models: &models,
        book: PriceBook::open(pricing.as_deref(), Some(now))?,
        input: &input,
    };
    let from = now.checked_sub(LONGEST_ROUND).unwrap_or(now);
    let mut rounds = Vec::new();
    let mut unpriced = BTreeSet::new();
    for round in settings.rounds_between(from, until) {
        if let Some(planned) = costs.of_round(round, now, &mut unpriced)? {
            rounds.push(planned);
        }
    }
    let is_open =
        |own: &PlannedRound| own.progress == Progress::Asked || own.round.deadline <= until;
    let tracked = rounds
        .iter()
        .filter(|own| is_open(own) && settings.publication.interim);
    let tracked = tracked
        .filter_map(|own| next_tracking(&own.round, now))
        .min();
    Ok(LeaguePlan {
        months: costs.months(&rounds, (now, until))?,
        rounds,
        tracked: tracked.filter(|at| *at <= until),
        unpriced: unpriced.into_iter().collect(),
        input_characters: input.chars().count(),
    })
}

/// When a round is tracked next.
fn next_tracking(round: &ScheduledRound, now: Timestamp) -> Option<Timestamp> {
    let window = round.window.window;
    let days = std::iter::successors(Some(window.entry), |day| window.market.next_session(*day));
    let days = days.take_while(|day| *day < window.exit);
    days.filter_map(|day| window.market.rows_final_at(day))
        .find(|ready| *ready > now)
}

/// What the models of the newest round were sent, or a text of the usual length.
fn usual_input(league: &LeagueFolder) -> Result<String, Error> {
    let mut newest: Option<(String, String)> = None;
    let folder = league.rounds();
    let entries = std::fs::read_dir(&folder).into_iter().flatten().flatten();
    for path in entries.map(|entry| entry.path()) {
        let name = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        let file = path.join(layout::MODEL_INPUT);
        let is_newer = newest
            .as_ref()
            .is_none_or(|(known, _)| day_of(known) < day_of(&name));
        if league.league.track_of(&name).is_some() && is_newer && file.is_file() {
            let bytes = file_ops::read(&file).map_err(|error| Error::new(error.to_string()))?;
            newest = Some((name, String::from_utf8_lossy(&bytes).into_owned()));
        }
    }
    Ok(newest.map_or_else(|| "x".repeat(USUAL_INPUT), |(_, text)| text))
}

/// The part of a name that begins with its day.
fn day_of(name: &str) -> &str {
    let start = name.len().saturating_sub("2026-12-07-1W".len());
    name.get(start..).unwrap_or(name)
}

/// What rounds cost.
struct Costs<'a> {
    league: &'a LeagueFolder,
    models: &'a [ModelSettings],
    book: PriceBook,
    input: &'a str,
}

impl Costs<'_> {
    /// None for a round with nothing to come.
    fn of_round(
        &self,
        round: ScheduledRound,
        now: Timestamp,
        unpriced: &mut BTreeSet<String>,
    ) -> Result<Option<PlannedRound>, Error> {
        let window = round.window.window;
        let result = window.market.rows_final_at(window.exit);
        let Some(progress) = self.progress(&round)? else {
            return Ok(None);
        };
        let is_missed = progress != Progress::Asked && round.deadline <= now;
        if is_missed || (progress == Progress::Asked && result.is_some_and(|at| at <= now)) {
            return Ok(None);
        }
        let active = self
            .models
            .iter()
            .filter(|own| own.contestant.is_active(&round.round_id, round.deadline));
        let active: Vec<&ModelSettings> = active.collect();
        let mut once = Some(Cost::ZERO);
        for model in &active {
            let worst = self.worst_case(model);
            if worst.is_none() {
                unpriced.insert(model.contestant.model_id.to_string());
            }
            once = once.zip(worst).map(|(sum, worst)| sum.plus(worst));
        }
        let lanes = self.league.league.lanes_of(&round);
        let lane_calls = lanes.map_or(0, |lanes| lanes.calls());
        let calls = lane_calls.saturating_add(1);
        let most = once.map(|once| once.times(MAX_RETRIES + 1).times(calls));
        let budget = self.league.league.budget.per_round;
        Ok(Some(PlannedRound {
            progress,
            models: active.len(),
            once,
            lane_calls,
            lanes_once: once.map(|once| once.times(lane_calls)),
            at_most: match (most, budget) {
                (Some(most), Some(budget)) => Some(most.min(budget)),
                (most, budget) => most.or(budget),
            },
            result,
            round,
        }))
    }

    /// None for a round in which nothing is left to do.
    fn progress(&self, round: &ScheduledRound) -> Result<Option<Progress>, Error> {
        let path = self.league.rounds().join(round.round_id.as_str());
        if !RoundFolder::is_round(&path) {
            return Ok(Some(Progress::ToCome));
        }
        let folder = RoundFolder::open(&path)?;
        if ending::tombstone(&folder)?.is_some() {
            return Ok(None);
        }
        let run = path.join(layout::RUNS).join(RUN);
        if run.join(layout::run::LEADERBOARD).is_file() {
            return Ok(None);
        }
        let is_asked = run.join(layout::run::ACCEPTANCE).is_file();
        Ok(Some(if is_asked {
            Progress::Asked
        } else {
            Progress::Begun
        }))
    }

    /// The most that one call of a model costs; none where its price is not known.
    fn worst_case(&self, model: &ModelSettings) -> Option<Cost> {
        let contestant = &model.contestant;
        if is_offline(&contestant.provider) {
            return Some(Cost::ZERO);
        }
        let names = [(&contestant.provider, &contestant.api_model_name)];
        let (prices, _) = self.book.prices(names, self.input);
        let price = prices.first()?.price();
        // The lines that name a model are a few words.
        let tokens = estimate(self.input, &contestant.provider) + 100;
        Some(price.worst_case(tokens, model.max_output_tokens))
    }

    fn months(
        &self,
        rounds: &[PlannedRound],
        (now, until): (Timestamp, Timestamp),
    ) -> Result<Vec<PlannedMonth>, Error> {
        let month_of = |at: Timestamp| TimeZone::UTC.to_datetime(at).date().first_of_month();
        let budget = self.league.league.budget.per_month;
        let spent = self.spent_by_month()?;
        let mut months = Vec::new();
        let mut month = month_of(now);
        while month <= month_of(until) {
            let spent = spent.get(&month).copied().unwrap_or_default();
            let mut at_most = Some(spent);
            let mut beyond = 0;
            let own = rounds.iter().filter(|own| {
                own.progress != Progress::Asked && month_of(own.round.deadline) == month
            });
            for round in own {
                at_most = at_most.zip(round.at_most).map(|(sum, most)| sum.plus(most));
                let is_beyond = at_most
                    .zip(budget)
                    .is_some_and(|(sum, budget)| sum > budget);
                beyond += usize::from(is_beyond);
            }
            months.push(PlannedMonth {
                month,
                spent,
                at_most: match (at_most, budget) {
                    (Some(most), Some(budget)) => Some(most.min(budget.max(spent))),
                    (most, budget) => most.or(budget),
                },
                budget,
                beyond,
            });
            let Ok(next) = month.checked_add(1.month()) else {
                break;
            };
            month = next;
        }
        Ok(months)
    }

    fn spent_by_month(&self) -> Result<BTreeMap<Date, Cost>, Error> {
        let mut spent: BTreeMap<Date, Cost> = BTreeMap::new();
        let entries = std::fs::read_dir(self.league.rounds());
        for path in entries
            .into_iter()
            .flatten()
            .flatten()
            .map(|entry| entry.path())
        {
            if !RoundFolder::is_round(&path) {
                continue;
            }
            let folder = RoundFolder::open(&path)?;
            let manifest = folder.parse(layout::MANIFEST, manifest::parse)?;
            let Some(deadline) = manifest.decision_deadline.as_ref().map(WrittenInstant::at) else {
                continue;
            };
            let month = TimeZone::UTC.to_datetime(deadline).date().first_of_month();
            let cost = spent_on(&folder, Runs::All, self.models)?;
            let sum = spent.entry(month).or_default();
            *sum = sum.plus(cost);
        }
        Ok(spent)
    }
}
