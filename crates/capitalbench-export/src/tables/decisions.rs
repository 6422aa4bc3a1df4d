//! What models and controls decided; public as soon as a run is accepted.

use capitalbench_core::decision::submission::Submission;
use capitalbench_core::publication::{PublicRound, RoundState};

use crate::table::{Column, Filling, Row, Table, columns};

pub const SUBMISSIONS: Table = Table {
    name: "submissions",
    about: "One row per decision of a model in the run that counts. Rows of an open round are in order of model id.",
    columns: columns! {
        always "round_id" Text "The round";
        always "model_id" Text "Who";
        always "provider" Text "Whose model it is";
        always "submission_format" Text "single_pick or portfolio";
        always "confidence_fraction" Real "Stated confidence, 0 to 1";
        always "holding_count" Integer "Number of holdings";
        always "rationale_summary" Text "Why, in the model's words";
        maybe "portfolio_rationale" Text "Why this portfolio, in the model's words";
        always "key_risks" Text "What may go wrong, one per line";
        maybe "forecast_reference_percent" Real "The model's forecast of the reference";
        maybe "forecast_portfolio_percent" Real "The model's forecast of its portfolio";
        maybe "forecast_alpha_percent" Real "The model's forecast of the difference";
        maybe "cost_usd" Real "What the call cost, where known";
        maybe "input_tokens" Integer "Tokens sent, where known";
        maybe "output_tokens" Integer "Tokens received, where known";
        maybe "latency_seconds" Real "Time of the call, where known";
    },
    filling: Filling::ByRound(submissions),
};

pub(crate) fn submissions(round: &PublicRound) -> Vec<Row<'_>> {
    round.submissions().into_iter().map(submission).collect()
}

pub(crate) fn submission(submission: &Submission) -> Row<'_> {
    let usage = submission.usage.as_ref();
    vec![
        submission.round_id.as_str().into(),
        submission.model_id.as_str().into(),
        submission.provider.as_str().into(),
        submission.decision.format().as_str().into(),
        submission.confidence.into(),
        submission.decision.option_ids().len().into(),
        submission.rationale_summary.as_str().into(),
        submission.portfolio_rationale.as_deref().into(),
        submission.key_risks.join("\n").into(),
        submission.forecast.reference_pct.into(),
        submission.forecast.portfolio_pct.into(),
        submission.forecast.alpha_pct.into(),
        submission.cost_usd.into(),
        usage.and_then(|usage| usage.input_tokens).into(),
        usage.and_then(|usage| usage.output_tokens).into(),
        usage.and_then(|usage| usage.latency_seconds).into(),
    ]
}

const HOLDING_COLUMNS: &[Column] = columns! {
    always "round_id" Text "The round";
    always "model_id" Text "Who";
    always "position" Integer "Place in the submitted order, from 1";
    always "option_id" Text "What is held";
    always "weight_bps" Integer "Weight in basis points; 10,000 is the whole";
    always "rationale" Text "Why, in the model's words";
    maybe "forecast_return_percent" Real "The model's forecast of this option";
};

pub const HOLDINGS: Table = Table {
    name: "holdings",
    about: "One row per holding of a submission; returns are added in this order.",
    columns: HOLDING_COLUMNS,
    filling: Filling::ByRound(|round| round.submissions().into_iter().flat_map(holdings).collect()),
};

/// The holdings of a decision.
pub(crate) fn holdings(submission: &Submission) -> Vec<Row<'_>> {
    let all = submission.decision.holdings().into_iter().enumerate();
    all.map(|(place, holding)| {
        vec![
            submission.round_id.as_str().into(),
            submission.model_id.as_str().into(),
            (place + 1).into(),
            holding.option_id.to_string().into(),
            holding.weight.get().into(),
            holding.rationale.into(),
            holding.forecast.expected_return_pct.into(),
        ]
    })
    .collect()
}

pub const CONTROLS: Table = Table {
    name: "controls",
    about: "One row per control entrant of a round: portfolios made by rule, never ranked among models.",
    columns: columns! {
        always "round_id" Text "The round";
        always "control_id" Text "Which rule";
        always "holding_count" Integer "Number of holdings";
    },
    filling: Filling::ByRound(|round| controls_of(round).into_iter().map(control).collect()),
};

/// The control entrants of a round.
pub(crate) fn controls_of(round: &PublicRound) -> Vec<&Submission> {
    match &round.state {
        RoundState::Draft => Vec::new(),
        RoundState::Open(open) => open.controls.iter().collect(),
        RoundState::Resolved(resolved) => {
            let controls = resolved.controls.iter();
            controls.map(|control| &control.scored.submission).collect()
        }
    }
}

pub(crate) fn control(submission: &Submission) -> Row<'_> {
    vec![
        submission.round_id.as_str().into(),
        submission.model_id.as_str().into(),
        submission.decision.option_ids().len().into(),
    ]
}

pub const CONTROL_HOLDINGS: Table = Table {
    name: "control_holdings",
    about: "One row per holding of a control entrant; `model_id` is the rule.",
    columns: HOLDING_COLUMNS,
    filling: Filling::ByRound(|round| controls_of(round).into_iter().flat_map(holdings).collect()),
};
