//! Results of resolved rounds.

use capitalbench_core::publication::boards::regime::Regime;
use capitalbench_core::publication::facts::RepeatedRun;
use capitalbench_core::publication::{PublicRound, ResolvedRound, Standing};
use capitalbench_core::result::consistency::{Figures, ModelConsistency};
use capitalbench_core::values::units::Return;

use crate::table::{Filling, Row, Table, columns, score_points, score_reason};

/// Results of resolved rounds, one row each.
pub const ROUND_RESULTS: Table = Table {
    name: "round_results",
    about: "One row per resolved round: what the market did and what luck would have given.",
    columns: RESULT_COLUMNS,
    filling: Filling::ByRound(|round| round_result(round).into_iter().collect()),
};

columns! {
    RESULT_COLUMNS, fn result<'a>(round: &'a PublicRound, resolved: &'a ResolvedRound) -> Row<'a>;
    Always "round_id" Text "The round" => round.id().as_str();
    Always "reference_return_fraction" Real "Return of the reference" => resolved.returns.reference().get();
    Always "cash_return_fraction" Real "Return of cash" => resolved.returns.cash().get();
    Maybe "oracle_return_fraction" Real "Best option, known afterwards" => resolved.returns.oracle().map(Return::get);
    Maybe "oracle_return_fraction_reason" Text "unpriced_options: some option has no price" => resolved.returns.oracle().is_none().then_some("unpriced_options");
    Maybe "market_regime" Text "sharp_down, down, flat, up or sharp_up, by the reference" => round.track.map(|track| Regime::of(track, resolved.returns.reference()).as_str());
    Maybe "random_low_fraction" Real "Lowest of the random admissible portfolios" => resolved.chance.as_ref().map(|chance| chance.low);
    Maybe "random_median_fraction" Real "Middle one" => resolved.chance.as_ref().map(|chance| chance.median);
    Maybe "random_high_fraction" Real "Highest one" => resolved.chance.as_ref().map(|chance| chance.high);
    Maybe "random_reason" Text "no_null: the round has no random portfolios to compare with" => resolved.chance.is_none().then_some("no_null");
}

pub(crate) fn round_result(round: &PublicRound) -> Option<Row<'_>> {
    Some(result(round, round.resolved()?))
}

columns! {
    OUTCOME_COLUMNS, fn outcome(standing: &Standing, rank: Option<usize>) -> Row<'_>;
    Always "round_id" Text "The round" => standing.scored.submission.round_id.as_str();
    Always "model_id" Text "Who" => standing.model_id().as_str();
    Maybe "rank" Integer "Place in the round; controls have none" => rank;
    Always "return_fraction" Real "Return of the decision" => standing.scored.outcome.decision_return.get();
    Always "alpha_fraction" Real "Decision minus reference" => standing.scored.outcome.alpha.get();
    Maybe "regret_fraction" Real "Oracle minus decision; none without an oracle" => standing.scored.outcome.regret.map(Return::get);
    Maybe "score" Real "100 × decision ÷ oracle" => score_points(standing.score);
    Maybe "score_reason" Text "Why there is no score: no_oracle, zero_oracle, negative_oracle or not_finite; outside_universe for a control whose fund returned more than the best option" => score_reason(standing.score);
    Always "beats_reference" Flag "Strictly above the reference" => standing.scored.outcome.beats_reference;
    Always "beats_cash" Flag "Strictly above cash" => standing.scored.outcome.beats_cash;
    Maybe "random_percentile_fraction" Real "Share of random portfolios below it" => standing.percentiles.as_ref().map(|p| p.all);
    Maybe "random_matched_percentile_fraction" Real "The same among random ones as volatile" => standing.percentiles.as_ref().and_then(|p| p.matched);
    Always "primary_option_id" Text "Largest holding" => standing.scored.outcome.primary.as_str();
    Always "primary_return_fraction" Real "Return of the largest holding" => standing.scored.outcome.primary_return.get();
    Always "hhi" Real "Sum of squared weights: 1 is one holding" => standing.scored.outcome.spread.hhi;
    Maybe "alpha_per_usd" Real "Alpha per dollar of a known cost" => standing.scored.outcome.alpha_per_dollar;
    Maybe "pick_rank" Integer "Rank of a single pick among all options" => standing.scored.outcome.pick_rank;
}

pub const OUTCOMES: Table = Table {
    name: "outcomes",
    about: "One row per model of a resolved round, in leaderboard order.",
    columns: OUTCOME_COLUMNS,
    filling: Filling::ByRound(outcomes),
};

pub(crate) fn outcomes(round: &PublicRound) -> Vec<Row<'_>> {
    let models = round
        .resolved()
        .into_iter()
        .flat_map(|resolved| &resolved.models);
    let ranked = models.enumerate();
    ranked
        .map(|(place, model)| outcome(model, Some(place + 1)))
        .collect()
}

pub const CONTROL_OUTCOMES: Table = Table {
    name: "control_outcomes",
    about: "One row per control entrant of a resolved round; never ranked.",
    columns: OUTCOME_COLUMNS,
    filling: Filling::ByRound(control_outcomes),
};

/// The outcomes of a resolved round's controls.
pub(crate) fn control_outcomes(round: &PublicRound) -> Vec<Row<'_>> {
    let controls = round
        .resolved()
        .into_iter()
        .flat_map(|resolved| &resolved.controls);
    controls.map(|control| outcome(control, None)).collect()
}

/// How similar repeated answers of a model are, by round.
pub const REPEATED_CALLS: Table = Table {
    name: "repeated_calls",
    about: "One row per model of a scored run of repeated calls; kept apart from the record.",
    columns: REPEATED_COLUMNS,
    filling: Filling::ByRound(repeated_calls),
};

columns! {
    REPEATED_COLUMNS, fn repeated<'a>(round: &'a PublicRound, run: &'a RepeatedRun, model: &'a ModelConsistency) -> Row<'a>;
    Always "round_id" Text "The round" => round.id().as_str();
    Always "run_id" Text "The run of repeated calls" => run.run_id.as_str();
    Always "model_id" Text "Who" => model.model_id.as_str();
    Always "valid_replicates" Integer "Valid answers" => model.valid;
    Always "invalid_replicates" Integer "Answers that were not valid" => model.invalid;
    Maybe "modal_option_id" Text "Most frequent largest holding" => model.figures.as_ref().map(|f| f.modal_pick.as_str());
    Maybe "consistency_rate_fraction" Real "Share of answers that chose it" => model.figures.as_ref().map(Figures::consistency_rate);
    Maybe "overlap_fraction" Real "Likeness of whole portfolios; 1 is identical" => model.figures.as_ref().map(|f| f.overlap);
    Maybe "average_return_fraction" Real "Mean return of the answers" => model.figures.as_ref().map(|f| f.average_return);
    Maybe "average_alpha_fraction" Real "That mean minus the reference" => model.figures.as_ref().map(|f| f.average_alpha);
    Maybe "figures_reason" Text "no_valid_replicate, where there are no figures" => model.figures.is_none().then_some("no_valid_replicate");
}

/// The runs of repeated calls of a resolved round.
pub(crate) fn repeated_calls(round: &PublicRound) -> Vec<Row<'_>> {
    let runs = round
        .resolved()
        .into_iter()
        .flat_map(|resolved| &resolved.repeated);
    runs.flat_map(|run| {
        run.models
            .iter()
            .map(move |model| repeated(round, run, model))
    })
    .collect()
}
