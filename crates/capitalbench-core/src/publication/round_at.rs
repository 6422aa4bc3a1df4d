//! A round's facts → what the public knows of it at an instant.

use jiff::Timestamp;

use super::facts::{self, Luck, RoundFacts};
use super::visible::{Item, is_public};
use super::{
    ChanceSummary, OpenRound, PublicRound, PublishError, ResolvedRound, RoundKey, RoundState,
    Standing,
};
use crate::decision::submission::Submission;
use crate::result::leaderboard::{self, Scored};
use crate::result::score::{Outcome, score};
use crate::round::lifecycle::{Due, Stage, due};
use crate::round::manifest::{Manifest, Stream, Window};
use crate::values::time::WrittenInstant;

/// Which rounds stand in a public record, and at which instant.
#[derive(Debug, Clone, Copy)]
pub(super) struct Listing {
    /// Every round is of an invented market.
    pub(super) synthetic: bool,
    as_of: Timestamp,
}

impl Listing {
    /// Of these rounds; invented ones never stand beside real ones.
    pub(super) fn of(streams: impl IntoIterator<Item = Stream>, as_of: Timestamp) -> Self {
        let mut streams = streams.into_iter().peekable();
        Self {
            synthetic: streams.peek().is_some() && streams.all(|own| own == Stream::Synthetic),
            as_of,
        }
    }

    /// Whether a round of this stream is listed; pilots, rehearsals and rounds that nobody may know
    /// of yet are not.
    pub(super) fn has(
        self,
        stream: Stream,
        rehearsal: bool,
        created: Option<Timestamp>,
        window: Option<Window>,
    ) -> bool {
        let wanted = if self.synthetic {
            Stream::Synthetic
        } else {
            Stream::Primary
        };
        stream == wanted && !rehearsal && is_public(Item::Rules { created }, window, self.as_of)
    }
}

/// How far the public sees a round: `since` is that of its record, where there is one.
pub(super) fn stage(
    window: Option<Window>,
    since: Option<Option<Timestamp>>,
    scored: bool,
    as_of: Timestamp,
) -> Stage {
    let public = |item: Item| is_public(item, window, as_of);
    match since {
        Some(since) if public(Item::Decisions { since }) => {
            if scored && public(Item::Result) {
                return Stage::Resolved;
            }
            match due(window, as_of) {
                Due::NotYet => Stage::Pending,
                Due::Overdue => Stage::Overdue,
            }
        }
        _ => Stage::Draft,
    }
}

/// The rounds of an instant in order of their key, and whether all are of an invented market.
pub(super) fn rounds_at(
    facts: Vec<RoundFacts>,
    as_of: Timestamp,
) -> Result<(Vec<PublicRound>, bool), PublishError> {
    let listing = Listing::of(facts.iter().map(|own| own.manifest.stream), as_of);
    let listed = |facts: &RoundFacts| {
        let Manifest { stream, window, .. } = facts.manifest;
        let created = facts.manifest.created_at.as_ref().map(WrittenInstant::at);
        listing.has(stream, facts.rehearsal, created, window)
    };
    let public = |mut facts: RoundFacts| -> Result<PublicRound, PublishError> {
        Ok(PublicRound {
            key: RoundKey::of(&facts.manifest),
            track: facts.manifest.track(),
            state: state(&mut facts, as_of)?,
            manifest: facts.manifest,
            universe: facts.universe,
            frozen: facts.frozen,
        })
    };
    let rounds = facts.into_iter().filter(listed).map(public);
    let mut rounds: Vec<PublicRound> = rounds.collect::<Result<_, _>>()?;
    rounds.sort_by(|a, b| a.key.cmp(&b.key));
    Ok((rounds, listing.synthetic))
}

/// How much of a round's facts its state may hold.
fn state(facts: &mut RoundFacts, as_of: Timestamp) -> Result<RoundState, PublishError> {
    let window = facts.manifest.window;
    let public = |item: Item| is_public(item, window, as_of);
    let since = facts.record.as_ref().map(|record| record.since);
    let stage = stage(window, since, facts.result.is_some(), as_of);
    let record = facts.record.take().filter(|_| stage != Stage::Draft);
    let Some(mut record) = record else {
        return Ok(RoundState::Draft);
    };
    let since = record.since;
    let mut calls = std::mem::take(&mut record.calls);
    calls.retain(|_| public(Item::Calls { since }));
    calls.sort_by(|a, b| a.model_id.cmp(&b.model_id));
    let result = facts.result.take().filter(|_| stage == Stage::Resolved);
    if let Some(result) = result {
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
