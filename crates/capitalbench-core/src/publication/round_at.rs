//! A round's facts → what the public knows of it at an instant.

use std::collections::BTreeMap;

use jiff::Timestamp;

use super::facts::{self, Luck, RoundFacts};
use super::visible::{Item, is_public};
use super::{
    ChanceSummary, OpenRound, PublicRound, PublishError, ResolvedRound, RoundKey, RoundState,
    Standing,
};
use crate::decision::submission::Submission;
use crate::evidence::inference::null::Volatility;
use crate::result::leaderboard::{self, Scored};
use crate::result::score::{Outcome, score};
use crate::round::lifecycle::due;
use crate::round::manifest::{Manifest, Stream};
use crate::values::ids::RoundId;
use crate::values::time::WrittenInstant;

/// The rounds of an instant in order of their key.
pub(super) struct RoundsAt {
    pub(super) synthetic: bool,
    pub(super) rounds: Vec<PublicRound>,
    /// What it takes to draw the luck of rounds whose facts came without it.
    pub(super) undrawn: BTreeMap<RoundId, Volatility>,
}

impl RoundsAt {
    /// Leaves out pilots, rehearsals and rounds that nobody may know of yet.
    pub(super) fn new(facts: Vec<RoundFacts>, as_of: Timestamp) -> Result<Self, PublishError> {
        // Invented rounds never stand beside real ones.
        let invented = |facts: &RoundFacts| facts.manifest.stream == Stream::Synthetic;
        let synthetic = !facts.is_empty() && facts.iter().all(invented);
        let stream = if synthetic {
            Stream::Synthetic
        } else {
            Stream::Primary
        };
        let mut found = Self {
            synthetic,
            rounds: Vec::with_capacity(facts.len()),
            undrawn: BTreeMap::new(),
        };
        for facts in facts {
            let manifest = &facts.manifest;
            let created = manifest.created_at.as_ref().map(WrittenInstant::at);
            let listed = manifest.stream == stream && !facts.rehearsal;
            if listed && is_public(Item::Rules { created }, manifest.window, as_of) {
                found.add(facts, as_of)?;
            }
        }
        found.rounds.sort_by(|a, b| a.key.cmp(&b.key));
        Ok(found)
    }

    fn add(&mut self, mut facts: RoundFacts, as_of: Timestamp) -> Result<(), PublishError> {
        let luck = facts.result.as_mut().map(|result| &mut result.luck);
        let volatility = luck.and_then(|luck| match luck {
            Luck::Undrawn(volatility) => Some(std::mem::take(volatility)),
            Luck::Drawn(_) => None,
        });
        let round = PublicRound {
            key: RoundKey::of(&facts.manifest),
            track: facts.manifest.track(),
            state: state(&mut facts, as_of)?,
            manifest: facts.manifest,
            universe: facts.universe,
            frozen: facts.frozen,
        };
        if let Some(volatility) = volatility.filter(|_| round.resolved().is_some()) {
            self.undrawn.insert(round.id().clone(), volatility);
        }
        self.rounds.push(round);
        Ok(())
    }
}

/// How much of a round's facts its state may hold.
fn state(facts: &mut RoundFacts, as_of: Timestamp) -> Result<RoundState, PublishError> {
    let window = facts.manifest.window;
    let public = |item: Item| is_public(item, window, as_of);
    let decided = |record: &facts::OfficialRun| {
        public(Item::Decisions {
            since: record.since,
        })
    };
    let Some(mut record) = facts.record.take().filter(decided) else {
        return Ok(RoundState::Draft);
    };
    let since = record.since;
    let mut calls = std::mem::take(&mut record.calls);
    calls.retain(|_| public(Item::Calls { since }));
    calls.sort_by(|a, b| a.model_id.cmp(&b.model_id));
    if let Some(result) = facts.result.take().filter(|_| public(Item::Result)) {
        let mut resolved = resolved(&facts.manifest, record, result)?;
        resolved.repeated = std::mem::take(&mut facts.repeated);
        resolved.interim = std::mem::take(&mut facts.interim);
        resolved.calls = calls;
        return Ok(RoundState::Resolved(resolved));
    }
    let mut interim = std::mem::take(&mut facts.interim);
    interim.retain(|row| public(Item::Interim(row.day)));
    let mut submissions = record.submissions;
    submissions.sort_by(|a, b| a.model_id.cmp(&b.model_id));
    Ok(RoundState::Open(OpenRound {
        run_id: record.run_id,
        submissions,
        controls: record.controls,
        calls,
        entry: facts.entry.take().filter(|_| public(Item::EntryPrices)),
        interim,
        due: due(window, as_of),
    }))
}

fn resolved(
    manifest: &Manifest,
    record: facts::OfficialRun,
    result: facts::Result,
) -> Result<ResolvedRound, PublishError> {
    let chance = match result.luck {
        Luck::Drawn(chance) => chance,
        Luck::Undrawn(_) => None,
    };
    let oracle = result.returns.oracle();
    let standings = |submissions: Vec<Submission>, outcomes: Vec<Outcome>| {
        let entrants = submissions.into_iter().zip(outcomes);
        let standing = |(submission, outcome): (Submission, Outcome)| {
            let points = score(outcome.decision_return, oracle);
            let score = points.map_err(|error| PublishError::AboveOracle {
                round_id: manifest.round_id.clone(),
                model_id: submission.model_id.clone(),
                error,
            })?;
            Ok(Standing {
                scored: Scored {
                    submission,
                    outcome,
                },
                score,
                percentiles: None,
                days: None,
                excess: None,
            })
        };
        entrants.map(standing).collect::<Result<Vec<_>, _>>()
    };
    let mut models = standings(record.submissions, result.models)?;
    for (standing, days) in models.iter_mut().zip(result.days) {
        standing.days = days;
    }
    let mut resolved = ResolvedRound {
        run_id: record.run_id,
        models,
        controls: standings(record.controls, result.controls)?,
        returns: result.returns,
        repeated: Vec::new(),
        interim: Vec::new(),
        calls: Vec::new(),
        chance: None,
        reference_days: result.reference_days,
    };
    if let Some(chance) = chance {
        place(&mut resolved, chance);
    }
    let ties = manifest.methodology.tie_rule();
    let models = &mut resolved.models;
    models.sort_by(|a, b| leaderboard::order(&a.scored, &b.scored, ties));
    Ok(resolved)
}

/// Notes where entrants stand among random portfolios that were drawn for them in this order.
fn place(resolved: &mut ResolvedRound, chance: facts::Chance) {
    let places = chance.models.into_iter();
    for (standing, own) in resolved.models.iter_mut().zip(places) {
        standing.percentiles = Some(own);
    }
    for (standing, own) in resolved.models.iter_mut().zip(chance.excesses) {
        standing.excess = own;
    }
    let places = chance.controls.into_iter();
    for (standing, own) in resolved.controls.iter_mut().zip(places) {
        standing.percentiles = Some(own);
    }
    resolved.chance = Some(ChanceSummary {
        low: chance.low,
        median: chance.median,
        high: chance.high,
        bins: chance.bins,
    });
}

/// Draws the luck of a resolved round whose facts came without it; they never do where the round
/// froze daily returns or has a slate.
pub(super) fn draw(round: &mut PublicRound, volatility: &Volatility) {
    let Some(freeze) = round.frozen.as_ref().map(|frozen| frozen.digest) else {
        return;
    };
    let RoundState::Resolved(resolved) = &mut round.state else {
        return;
    };
    let of = |standings: &[Standing]| -> Vec<Submission> {
        let standings = standings.iter();
        standings.map(|s| s.scored.submission.clone()).collect()
    };
    let (models, controls) = (of(&resolved.models), of(&resolved.controls));
    let drawing = facts::Drawing {
        manifest: &round.manifest,
        universe: &round.universe,
        freeze,
        returns: &resolved.returns,
        volatility,
        daily_returns: None,
        slate: None,
        models: &models,
        controls: &controls,
    };
    let chance = drawing.draw();
    if let Some(chance) = chance {
        place(resolved, chance);
    }
}
