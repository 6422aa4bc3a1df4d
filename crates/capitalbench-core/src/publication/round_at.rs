//! A round's facts → what the public knows of it at an instant.

use std::collections::BTreeMap;

use jiff::Timestamp;

use super::facts::{self, Luck, RoundFacts};
use super::visible::{Item, is_public};
use super::{
    ChanceSummary, OpenRound, PublicRound, PublishError, ResolvedRound, RoundKey, RoundState,
    Standing,
};
use crate::decision::control::{PROVIDER, may_leave_universe};
use crate::decision::submission::Submission;
use crate::result::leaderboard::{self, Scored};
use crate::result::score::{NoScore, Outcome, Score, score};
use crate::round::ending::{Ending, ExceptionNote};
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

    /// Whether a round of this stream is listed; pilots and rounds that nobody may know of yet are not.
    pub(super) fn has(
        self,
        stream: Stream,
        created: Option<Timestamp>,
        window: Option<Window>,
    ) -> bool {
        let wanted = if self.synthetic {
            Stream::Synthetic
        } else {
            Stream::Primary
        };
        stream == wanted && is_public(Item::Rules { created }, window, self.as_of)
    }
}

/// When a record became the record, where that is known.
#[derive(Debug, Clone, Copy)]
pub(super) struct Since(pub(super) Option<Timestamp>);

/// What decides how far the public sees a round.
#[derive(Debug, Clone, Copy)]
pub(super) struct Known {
    pub(super) window: Option<Window>,
    /// Its record, where it has one.
    pub(super) record: Option<Since>,
    pub(super) scored: bool,
    /// How and when it ended without a record.
    pub(super) ended: Option<(Ending, Timestamp)>,
}

impl Known {
    pub(super) fn stage(self, as_of: Timestamp) -> Stage {
        let public = |item: Item| is_public(item, self.window, as_of);
        match (self.record, self.ended) {
            (Some(Since(since)), _) if public(Item::Decisions { since }) => {
                if self.scored && public(Item::Result) {
                    return Stage::Resolved;
                }
                match due(self.window, as_of) {
                    Due::NotYet => Stage::Pending,
                    Due::Overdue => Stage::Overdue,
                }
            }
            (_, Some((ending, at))) if public(Item::Event { at }) => match ending {
                Ending::Voided => Stage::Voided,
                Ending::Abandoned => Stage::Abandoned,
            },
            _ => Stage::Draft,
        }
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
        !facts.rehearsal && listing.has(stream, created, window)
    };
    let public = |mut facts: RoundFacts| -> Result<PublicRound, PublishError> {
        Ok(PublicRound {
            key: RoundKey::of(&facts.manifest),
            track: facts.manifest.track(),
            state: state(&mut facts, as_of)?,
            manifest: facts.manifest,
            universe: facts.universe,
            frozen: facts.frozen,
            exceptions: exceptions(facts.exceptions, as_of),
            continued: BTreeMap::new(),
        })
    };
    let rounds = facts.into_iter().filter(listed).map(public);
    let mut rounds: Vec<PublicRound> = rounds.collect::<Result<_, _>>()?;
    rounds.sort_by(|a, b| a.key.cmp(&b.key));
    Ok((rounds, listing.synthetic))
}

/// The explanations that were signed by then.
fn exceptions(mut all: Vec<ExceptionNote>, as_of: Timestamp) -> Vec<ExceptionNote> {
    all.retain(|own| {
        let at = own.noted_at.at();
        is_public(Item::Event { at }, None, as_of)
    });
    all
}

/// How much of a round's facts its state may hold.
fn state(facts: &mut RoundFacts, as_of: Timestamp) -> Result<RoundState, PublishError> {
    let window = facts.manifest.window;
    let public = |item: Item| is_public(item, window, as_of);
    let known = Known {
        window,
        record: facts.record.as_ref().map(|record| Since(record.since)),
        scored: facts.result.is_some(),
        ended: facts
            .tombstone
            .as_ref()
            .map(|own| (own.ending, own.ended_at.at())),
    };
    let stage = known.stage(as_of);
    let decided = matches!(stage, Stage::Pending | Stage::Overdue | Stage::Resolved);
    let Some(mut record) = facts.record.take().filter(|_| decided) else {
        let tombstone = facts.tombstone.take().filter(|_| stage != Stage::Draft);
        return Ok(tombstone.map_or(RoundState::Draft, RoundState::Ended));
    };
    let since = record.since;
    let mut calls = std::mem::take(&mut record.calls);
    calls.retain(|_| public(Item::Calls { since }));
    calls.sort_by(|a, b| a.model_id.cmp(&b.model_id));
    let mut missing = std::mem::take(&mut record.missing);
    missing.sort_by(|a, b| a.model_id.cmp(&b.model_id));
    // Lanes are as visible as the decisions of the record, and not before they were asked.
    let mut lanes = std::mem::take(&mut facts.lanes);
    lanes.retain(|own| public(Item::Decisions { since: own.since }));
    let result = facts.result.take().filter(|_| stage == Stage::Resolved);
    if let Some(result) = result {
        let mut resolved = resolved(&facts.manifest, record, result)?;
        resolved.repeated = std::mem::take(&mut facts.repeated);
        resolved.interim = std::mem::take(&mut facts.interim);
        resolved.calls = calls;
        resolved.missing = missing;
        resolved.lanes = lanes;
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
        missing,
        lanes,
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
            let may_exceed =
                submission.provider == PROVIDER && may_leave_universe(&submission.model_id);
            let points = match points {
                Err(_) if may_exceed => Ok(Score::Undefined(NoScore::OutsideUniverse)),
                other => other,
            };
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
        missing: Vec::new(),
        lanes: Vec::new(),
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
