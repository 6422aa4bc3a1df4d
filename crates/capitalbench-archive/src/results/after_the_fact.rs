//! Decisions that were made after the fact, beside the record of their round.

use capitalbench_core::decision::judgment::Slate;
use capitalbench_core::decision::submission::Submission;
use capitalbench_core::publication::facts::{
    Chance, Luck, Percentiles, Result as Recorded, RoundFacts,
};
use capitalbench_core::result::leaderboard::Scored;
use capitalbench_core::result::score::{Outcome, Score, score};
use capitalbench_core::round::manifest::Stream;
use capitalbench_core::values::ids::RunId;
use capitalbench_core::values::units::Return;

use crate::disk::layout;
use crate::format::prices::daily_returns;
use crate::format::run::replay::{Beside, Figures, Part, Row, Spread};
use crate::prices::daily_closes::volatility;
use crate::public::public_record::{Depth, PublicationError, Shared, round_facts};
use crate::results::scoring::score_run;
use crate::round::round_folder::{RoundFolder, RoundInputs, Universes, optional};
use crate::run::run_folder::RunFolder;

/// A round with a result, that answers of today are compared with.
#[derive(Debug)]
pub struct Resolved {
    facts: RoundFacts,
    inputs: RoundInputs,
}

impl Resolved {
    /// Reads the record of a round; none where it has no result.
    pub fn load(folder: RoundFolder) -> Result<Option<Self>, PublicationError> {
        let shared = Shared::load(&folder.rounds())?;
        let inputs = RoundInputs::load(folder.clone(), &Universes::default())?;
        let facts = round_facts(folder, &shared, Depth::Everything)?;
        Ok((facts.record.is_some() && facts.result.is_some()).then_some(Self { facts, inputs }))
    }

    pub fn is_invented(&self) -> bool {
        self.facts.manifest.stream == Stream::Synthetic
    }

    /// The run that is the record.
    pub fn run_id(&self) -> Option<&RunId> {
        self.facts.record.as_ref().map(|record| &record.run_id)
    }

    /// The record as a replay shows it; none without a result, which [`Self::load`] refuses.
    pub fn beside(&self) -> Option<Beside> {
        let (record, result) = (self.facts.record.as_ref()?, self.facts.result.as_ref()?);
        let chance = match &result.luck {
            Luck::Drawn(chance) => chance.as_ref(),
            Luck::Undrawn(_) => None,
        };
        let places = |own: fn(&Chance) -> &Vec<Percentiles>| chance.map(own);
        let rows = |who: &[Submission], outcomes: &[Outcome], places: Option<&Vec<Percentiles>>| {
            let all = who.iter().zip(outcomes).enumerate();
            let row = |(place, (submission, outcome)): (usize, (&Submission, &Outcome))| Row {
                model_id: submission.model_id.clone(),
                return_fraction: outcome.decision_return.get(),
                alpha_fraction: outcome.alpha.get(),
                score: points(outcome.decision_return, result).0,
                random_percentile_fraction: places.and_then(|all| Some(all.get(place)?.all)),
            };
            all.map(row).collect::<Vec<_>>()
        };
        let mut models = rows(
            &record.submissions,
            &result.models,
            places(|own| &own.models),
        );
        models.sort_by(|a, b| b.return_fraction.total_cmp(&a.return_fraction));
        Some(Beside {
            run_id: record.run_id.clone(),
            reference_fraction: result.returns.reference().get(),
            oracle_fraction: result.returns.oracle().map(Return::get),
            models,
            controls: rows(
                &record.controls,
                &result.controls,
                places(|own| &own.controls),
            ),
            consistency: self.consistency(),
        })
    }

    /// How far repeated answers of each model lie apart.
    fn consistency(&self) -> Vec<Spread> {
        let models = self.facts.repeated.iter().flat_map(|run| &run.models);
        let spread = models.filter_map(|model| {
            let figures = model.figures.as_ref()?;
            Some(Spread {
                model_id: model.model_id.clone(),
                answers: model.valid,
                worst_fraction: figures.worst.0.get(),
                best_fraction: figures.best.0.get(),
            })
        });
        spread.collect()
    }

    /// The figures of a run that asked a copy of the round, by the prices and rules of the record.
    pub fn place(
        &self,
        copy: &RoundInputs,
        run: &RunFolder,
    ) -> Result<Vec<(Submission, Figures)>, PublicationError> {
        let rules = run.record()?.run.rules;
        let scored = score_run(copy, run, rules)?.outcomes;
        let percentiles = self.percentiles(&scored)?;
        let mut placed = Vec::with_capacity(scored.len());
        for (at, own) in scored.into_iter().enumerate() {
            let percentile = percentiles.get(at).map(|place| place.all);
            if let Some(figures) = self.figures(&own, percentile) {
                placed.push((own.submission, figures));
            }
        }
        Ok(placed)
    }

    fn figures(&self, own: &Scored, percentile: Option<f64>) -> Option<Figures> {
        let result = self.facts.result.as_ref()?;
        let value = own.outcome.decision_return;
        let above = result.models.iter();
        let above = above.filter(|other| other.decision_return > value).count();
        let (score, score_reason) = points(value, result);
        let holdings = own.submission.decision.holdings().into_iter();
        Some(Figures {
            holdings: holdings
                .map(|held| Part {
                    weight_bps: held.weight.get(),
                    option_id: held.option_id,
                })
                .collect(),
            return_fraction: value.get(),
            alpha_fraction: own.outcome.alpha.get(),
            score,
            score_reason,
            place: above + 1,
            of: result.models.len() + 1,
            random_percentile_fraction: percentile,
            cost_usd: own.submission.cost_usd,
        })
    }

    /// Where decisions stand among the random portfolios that the freeze of the round fixes.
    fn percentiles(&self, scored: &[Scored]) -> Result<Vec<Percentiles>, PublicationError> {
        let mut facts = self.facts.clone();
        let (Some(record), Some(result)) = (&mut facts.record, &mut facts.result) else {
            return Ok(Vec::new());
        };
        record.submissions = scored.iter().map(|own| own.submission.clone()).collect();
        record.controls.clear();
        result.luck = Luck::Undrawn(volatility(&self.inputs)?);
        let folder = &self.inputs.folder;
        let returns = optional(folder.parse(layout::DAILY_RETURNS, daily_returns::parse))?;
        let slate = self.inputs.slate.as_ref().map(Slate::option_ids);
        let chance = facts.draw_with(returns.as_ref(), slate);
        Ok(chance.map_or_else(Vec::new, |chance| chance.models))
    }
}

/// The score, or why there is none.
fn points(value: Return, result: &Recorded) -> (Option<f64>, Option<String>) {
    match score(value, result.returns.oracle()) {
        Ok(Score::Points(points)) => (Some(points), None),
        Ok(Score::Undefined(why)) => (None, Some(why.as_str().to_owned())),
        Err(error) => (None, Some(error.to_string())),
    }
}
