//! How models were asked for the answers of a record, and what became of the calls.
//!
//! Only the ledger of a run tells this, so rounds without one have no [`ModelCalls`], and ledgers of
//! older versions leave some of it open.

use std::collections::BTreeSet;

use super::PublicRound;
use crate::asking::attempt::AttemptStatus;
use crate::asking::call_settings::{Asked, SchemaMode};
use crate::result::score::compensated_sum;
use crate::values::ids::{ModelId, RoundId};

/// The calls for one model's answer of the record.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct ModelCalls {
    pub model_id: ModelId,
    /// The name that the operator gave the model in this round.
    pub display_name: Option<String>,
    /// The model whose record this one continues, by the operator's word.
    pub continues: Option<ModelId>,
    /// What the call that brought the answer asked for.
    pub asked: Option<AskedFor>,
    /// What the server said about that call.
    pub served: Served,
    pub attempts: Option<AttemptCounts>,
}

/// What a request asked for.
///
/// The ledger's own form leaves empty lists out, which the cache of facts cannot read back.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct AskedFor {
    /// The model's name on the wire.
    pub api_model_name: String,
    pub schema_mode: SchemaMode,
    /// None when no temperature was sent.
    pub temperature: Option<f64>,
    /// Such as `off` or `effort low`; none when nothing was sent about it.
    pub reasoning: Option<String>,
    pub max_output_tokens: u64,
    pub time_limit_seconds: f64,
    /// The tier asked for, where the provider has tiers.
    pub service_tier: Option<String>,
    /// The only hosts that a router was allowed to use.
    pub routing: Vec<String>,
    /// The names of fields that the operator added to the body.
    pub extra_fields: Vec<String>,
    /// Digest of the exact request body.
    pub body_sha256: String,
}

/// What a server said about the call that brought the answer.
#[derive(Debug, Clone, PartialEq, Default, serde::Serialize, serde::Deserialize)]
pub struct Served {
    /// The model that answered.
    pub model: Option<String>,
    pub service_tier: Option<String>,
    /// The host that answered, according to a router.
    pub answered_by: Option<String>,
    /// Dollars that the provider says it billed.
    pub billed_usd: Option<f64>,
    /// Dollars by the operator's price card.
    pub card_usd: Option<f64>,
}

/// How many calls an answer took.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
pub struct AttemptCounts {
    pub made: u32,
    /// Nobody saw the outcome: the model may have answered.
    pub unseen: u32,
    /// The server turned the request away before anything was generated.
    pub rejected: u32,
}

impl AskedFor {
    /// None where the ledger has a schema mode that this program does not know.
    pub fn of(asked: Asked) -> Option<Self> {
        Some(Self {
            schema_mode: SchemaMode::parse(&asked.schema_mode)?,
            api_model_name: asked.api_model_name,
            temperature: asked.temperature,
            reasoning: asked.reasoning,
            max_output_tokens: asked.max_output_tokens,
            time_limit_seconds: asked.time_limit_seconds,
            service_tier: asked.service_tier,
            routing: asked.routing,
            extra_fields: asked.extra_fields,
            body_sha256: asked.body_sha256,
        })
    }

    /// Whether two requests asked in the same way; their bodies differ with every round.
    fn is_like(&self, other: &Self) -> bool {
        let own = Self {
            body_sha256: other.body_sha256.clone(),
            ..self.clone()
        };
        own == *other
    }
}

impl AttemptCounts {
    pub fn of<'a>(attempts: impl IntoIterator<Item = &'a AttemptStatus>) -> Self {
        let mut counts = Self::default();
        for status in attempts {
            counts.made += 1;
            counts.unseen += u32::from(status.is_unseen());
            counts.rejected += u32::from(status.is_rejection());
        }
        counts
    }

    fn add(&mut self, other: Self) {
        self.made += other.made;
        self.unseen += other.unseen;
        self.rejected += other.rejected;
    }
}

impl ModelCalls {
    /// A model of which nothing is known yet.
    pub fn new(model_id: ModelId) -> Self {
        Self {
            model_id,
            display_name: None,
            continues: None,
            asked: None,
            served: Served::default(),
            attempts: None,
        }
    }

    /// Whether the ledger told anything.
    pub fn tells(&self) -> bool {
        *self != Self::new(self.model_id.clone())
    }

    /// What names follow from; none where there is nothing of it.
    pub(super) fn naming(&self) -> Option<Self> {
        let kept = Self {
            display_name: self.display_name.clone(),
            continues: self.continues.clone(),
            ..Self::new(self.model_id.clone())
        };
        kept.tells().then_some(kept)
    }
}

/// Rounds in a row in which a model was asked in the same way and answered under the same name.
#[derive(Debug, Clone, PartialEq)]
pub struct Period<'a> {
    pub first: &'a RoundId,
    pub last: &'a RoundId,
    pub rounds: usize,
    pub asked: &'a AskedFor,
    pub served_model: Option<&'a str>,
    /// Every tier that served.
    pub tiers: BTreeSet<&'a str>,
    /// Every host that answered.
    pub hosts: BTreeSet<&'a str>,
}

/// The periods of a model over rounds in order of decision; rounds that do not tell how it was asked
/// are skipped.
pub fn periods<'a>(
    rounds: impl IntoIterator<Item = &'a PublicRound>,
    model_id: &ModelId,
) -> Vec<Period<'a>> {
    let mut periods: Vec<Period<'a>> = Vec::new();
    for round in rounds {
        let Some(calls) = round.calls_of(model_id) else {
            continue;
        };
        let Some(asked) = &calls.asked else {
            continue;
        };
        let served_model = calls.served.model.as_deref();
        let same =
            |last: &Period<'a>| last.asked.is_like(asked) && last.served_model == served_model;
        if !periods.last().is_some_and(same) {
            periods.push(Period {
                first: round.id(),
                last: round.id(),
                rounds: 0,
                asked,
                served_model,
                tiers: BTreeSet::new(),
                hosts: BTreeSet::new(),
            });
        }
        if let Some(period) = periods.last_mut() {
            period.last = round.id();
            period.rounds += 1;
            period.tiers.extend(calls.served.service_tier.as_deref());
            period.hosts.extend(calls.served.answered_by.as_deref());
        }
    }
    periods
}

/// The calls of one model over rounds, summed up.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct CallTotals {
    /// Answers whose attempts are known.
    pub answers: usize,
    pub attempts: AttemptCounts,
    /// What providers say they billed.
    pub billed: KnownCost,
    /// The cost by the price card.
    pub card: KnownCost,
}

pub fn totals<'a>(
    rounds: impl IntoIterator<Item = &'a PublicRound>,
    model_id: &ModelId,
) -> CallTotals {
    let mut totals = CallTotals::default();
    let (mut billed, mut card) = (Vec::new(), Vec::new());
    // A model without a valid answer has no answer whose cost could be counted.
    let rounds = rounds.into_iter();
    let answered = rounds.filter(|round| round.missing_of(model_id).is_none());
    for calls in answered.filter_map(|round| round.calls_of(model_id)) {
        billed.push(calls.served.billed_usd);
        card.push(calls.served.card_usd);
        if let Some(attempts) = calls.attempts {
            totals.answers += 1;
            totals.attempts.add(attempts);
        }
    }
    totals.billed = KnownCost::of(&billed);
    totals.card = KnownCost::of(&card);
    totals
}

/// The known part of what some answers cost.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct KnownCost {
    /// Dollars; none where no cost is known.
    pub usd: Option<f64>,
    /// Answers with a known cost.
    pub known: usize,
    pub answers: usize,
}

impl KnownCost {
    pub fn of(costs: &[Option<f64>]) -> Self {
        let known: Vec<f64> = costs.iter().copied().flatten().collect();
        Self {
            usd: (!known.is_empty()).then(|| compensated_sum(known.iter().copied())),
            known: known.len(),
            answers: costs.len(),
        }
    }
}

/// What several models cost together; a cost that nobody knows is counted, never added as zero.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct CostSum {
    /// Sum of the known costs; none where no cost is known.
    pub known_usd: Option<f64>,
    pub models: usize,
    /// Models without any known cost.
    pub unknown: usize,
    /// Models for which some answers have a known cost and others have none.
    pub incomplete: usize,
}

impl CostSum {
    pub fn of(models: impl IntoIterator<Item = KnownCost>) -> Self {
        let models: Vec<KnownCost> = models.into_iter().collect();
        let costs: Vec<Option<f64>> = models.iter().map(|model| model.usd).collect();
        let all = KnownCost::of(&costs);
        let partly = |model: &&KnownCost| model.usd.is_some() && model.known < model.answers;
        Self {
            known_usd: all.usd,
            models: all.answers,
            unknown: all.answers - all.known,
            incomplete: models.iter().filter(partly).count(),
        }
    }

    /// What the answers of a round cost.
    pub fn of_round(round: &PublicRound) -> Self {
        let costs = round.submissions().into_iter().map(|own| own.cost_usd);
        Self::of(costs.map(|cost| KnownCost::of(&[cost])))
    }
}

#[cfg(test)]
mod tests;
