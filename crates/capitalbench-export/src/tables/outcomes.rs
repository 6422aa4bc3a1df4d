//! Results of resolved rounds.

use capitalbench_core::publication::boards::regime::Regime;
use capitalbench_core::publication::{PublicRound, ResolvedRound, Standing};
use capitalbench_core::values::units::Return;

use crate::table::{Column, Filling, Row, Table, columns, score_cells};

/// Results of resolved rounds, one row each.
pub const ROUND_RESULTS: Table = Table {
    name: "round_results",
    about: "One row per resolved round: what the market did and what luck would have given.",
    columns: columns! {
        always "round_id" Text "The round";
        always "reference_return_fraction" Real "Return of the reference";
        always "cash_return_fraction" Real "Return of cash";
        maybe "oracle_return_fraction" Real "Best option, known afterwards";
        maybe "oracle_return_fraction_reason" Text "unpriced_options: some option has no price";
        maybe "market_regime" Text "sharp_down, down, flat, up or sharp_up, by the reference";
        maybe "random_low_fraction" Real "Lowest of the random admissible portfolios";
        maybe "random_median_fraction" Real "Middle one";
        maybe "random_high_fraction" Real "Highest one";
        maybe "random_reason" Text "no_null: the round has no random portfolios to compare with";
    },
    filling: Filling::ByRound(|round| round_result(round).into_iter().collect()),
};

pub(crate) fn round_result(round: &PublicRound) -> Option<Row<'_>> {
    let resolved = round.resolved()?;
    let returns = &resolved.returns;
    let oracle = returns.oracle().map(Return::get);
    let regime = round
        .track
        .map(|track| Regime::of(track, returns.reference()));
    let chance = resolved.chance.as_ref();
    Some(vec![
        round.id().as_str().into(),
        returns.reference().get().into(),
        returns.cash().get().into(),
        oracle.into(),
        oracle.is_none().then_some("unpriced_options").into(),
        regime.map(Regime::as_str).into(),
        chance.map(|chance| chance.low).into(),
        chance.map(|chance| chance.median).into(),
        chance.map(|chance| chance.high).into(),
        chance.is_none().then_some("no_null").into(),
    ])
}

const OUTCOME_COLUMNS: &[Column] = columns! {
    always "round_id" Text "The round";
    always "model_id" Text "Who";
    maybe "rank" Integer "Place in the round; controls have none";
    always "return_fraction" Real "Return of the decision";
    always "alpha_fraction" Real "Decision minus reference";
    maybe "regret_fraction" Real "Oracle minus decision; none without an oracle";
    maybe "score" Real "100 × decision ÷ oracle";
    maybe "score_reason" Text "Why there is no score: no_oracle, zero_oracle, negative_oracle or not_finite";
    always "beats_reference" Flag "Strictly above the reference";
    always "beats_cash" Flag "Strictly above cash";
    maybe "random_percentile_fraction" Real "Share of random portfolios below it";
    maybe "random_matched_percentile_fraction" Real "The same among random ones as volatile";
    always "primary_option_id" Text "Largest holding";
    always "primary_return_fraction" Real "Return of the largest holding";
    always "hhi" Real "Sum of squared weights: 1 is one holding";
    maybe "alpha_per_usd" Real "Alpha per dollar of a known cost";
    maybe "pick_rank" Integer "Rank of a single pick among all options";
};

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

fn outcome(standing: &Standing, rank: Option<usize>) -> Row<'_> {
    let outcome = &standing.scored.outcome;
    let [points, reason] = score_cells(standing.score);
    let percentiles = standing.percentiles.as_ref();
    vec![
        standing.scored.submission.round_id.as_str().into(),
        standing.model_id().as_str().into(),
        rank.into(),
        outcome.decision_return.get().into(),
        outcome.alpha.get().into(),
        outcome.regret.map(Return::get).into(),
        points,
        reason,
        outcome.beats_reference.into(),
        outcome.beats_cash.into(),
        percentiles.map(|p| p.all).into(),
        percentiles.and_then(|p| p.matched).into(),
        outcome.primary.as_str().into(),
        outcome.primary_return.get().into(),
        outcome.spread.hhi.into(),
        outcome.alpha_per_dollar.into(),
        outcome.pick_rank.into(),
    ]
}

/// How similar repeated answers of a model are, by round.
pub const REPEATED_CALLS: Table = Table {
    name: "repeated_calls",
    about: "One row per model of a scored run of repeated calls; kept apart from the record.",
    columns: columns! {
        always "round_id" Text "The round";
        always "run_id" Text "The run of repeated calls";
        always "model_id" Text "Who";
        always "valid_replicates" Integer "Valid answers";
        always "invalid_replicates" Integer "Answers that were not valid";
        maybe "modal_option_id" Text "Most frequent largest holding";
        maybe "consistency_rate_fraction" Real "Share of answers that chose it";
        maybe "overlap_fraction" Real "Likeness of whole portfolios; 1 is identical";
        maybe "average_return_fraction" Real "Mean return of the answers";
        maybe "average_alpha_fraction" Real "That mean minus the reference";
        maybe "figures_reason" Text "no_valid_replicate, where there are no figures";
    },
    filling: Filling::ByRound(repeated_calls),
};

/// The runs of repeated calls of a resolved round.
pub(crate) fn repeated_calls(round: &PublicRound) -> Vec<Row<'_>> {
    let runs = round
        .resolved()
        .into_iter()
        .flat_map(|r: &ResolvedRound| &r.repeated);
    runs.flat_map(|run| run.models.iter().map(move |model| (run, model)))
        .map(|(run, model)| {
            let figures = model.figures.as_ref();
            vec![
                round.id().as_str().into(),
                run.run_id.as_str().into(),
                model.model_id.as_str().into(),
                model.valid.into(),
                model.invalid.into(),
                figures.map(|f| f.modal_pick.as_str()).into(),
                figures
                    .map(capitalbench_core::result::consistency::Figures::consistency_rate)
                    .into(),
                figures.map(|f| f.overlap).into(),
                figures.map(|f| f.average_return).into(),
                figures.map(|f| f.average_alpha).into(),
                figures.is_none().then_some("no_valid_replicate").into(),
            ]
        })
        .collect()
}
