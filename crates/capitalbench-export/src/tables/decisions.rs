//! What models and controls decided; public as soon as a run is accepted.

use capitalbench_core::decision::portfolio::Holding;
use capitalbench_core::decision::submission::Submission;
use capitalbench_core::publication::{PublicRound, RoundState};

use crate::table::{Filling, Row, Table, columns};

pub const SUBMISSIONS: Table = Table {
    name: "submissions",
    about: "One row per decision of a model in the run that counts. Rows of an open round are in order of model id.",
    columns: SUBMISSION_COLUMNS,
    filling: Filling::ByRound(submissions),
};

columns! {
    SUBMISSION_COLUMNS, pub(crate) fn submission(submission: &Submission) -> Row<'_>;
    Always "round_id" Text "The round" => submission.round_id.as_str();
    Always "model_id" Text "Who" => submission.model_id.as_str();
    Always "provider" Text "Whose model it is" => submission.provider.as_str();
    Always "submission_format" Text "single_pick or portfolio" => submission.decision.format().as_str();
    Always "confidence_fraction" Real "Stated confidence, 0 to 1" => submission.confidence;
    Always "holding_count" Integer "Number of holdings" => submission.decision.option_ids().len();
    Always "rationale_summary" Text "Why, in the model's words" => submission.rationale_summary.as_str();
    Maybe "portfolio_rationale" Text "Why this portfolio, in the model's words" => submission.portfolio_rationale.as_deref();
    Always "key_risks" Text "What may go wrong, one per line" => submission.key_risks.join("\n");
    Maybe "forecast_reference_percent" Real "The model's forecast of the reference" => submission.forecast.reference_pct;
    Maybe "forecast_portfolio_percent" Real "The model's forecast of its portfolio" => submission.forecast.portfolio_pct;
    Maybe "forecast_alpha_percent" Real "The model's forecast of the difference" => submission.forecast.alpha_pct;
    Maybe "cost_usd" Real "What the call cost, where known" => submission.cost_usd;
    Maybe "input_tokens" Integer "Tokens sent, where known" => submission.usage.as_ref().and_then(|usage| usage.input_tokens);
    Maybe "output_tokens" Integer "Tokens received, where known" => submission.usage.as_ref().and_then(|usage| usage.output_tokens);
    Maybe "latency_seconds" Real "Time of the call, where known" => submission.usage.as_ref().and_then(|usage| usage.latency_seconds);
}

pub(crate) fn submissions(round: &PublicRound) -> Vec<Row<'_>> {
    round.submissions().into_iter().map(submission).collect()
}

columns! {
    HOLDING_COLUMNS, fn holding(submission: &Submission, place: usize, holding: Holding) -> Row<'_>;
    Always "round_id" Text "The round" => submission.round_id.as_str();
    Always "model_id" Text "Who" => submission.model_id.as_str();
    Always "position" Integer "Place in the submitted order, from 1" => place;
    Always "option_id" Text "What is held" => holding.option_id.to_string();
    Always "weight_bps" Integer "Weight in basis points; 10,000 is the whole" => holding.weight.get();
    Always "rationale" Text "Why, in the model's words" => holding.rationale;
    Maybe "forecast_return_percent" Real "The model's forecast of this option" => holding.forecast.expected_return_pct;
}

pub const HOLDINGS: Table = Table {
    name: "holdings",
    about: "One row per holding of a submission; returns are added in this order.",
    columns: HOLDING_COLUMNS,
    filling: Filling::ByRound(|round| round.submissions().into_iter().flat_map(holdings).collect()),
};

/// The holdings of a decision.
pub(crate) fn holdings(submission: &Submission) -> Vec<Row<'_>> {
    let all = (1..).zip(submission.decision.holdings());
    all.map(|(place, own)| holding(submission, place, own))
        .collect()
}

pub const CONTROLS: Table = Table {
    name: "controls",
    about: "One row per control entrant of a round: portfolios made by rule, never ranked among models.",
    columns: CONTROL_COLUMNS,
    filling: Filling::ByRound(|round| controls_of(round).into_iter().map(control).collect()),
};

columns! {
    CONTROL_COLUMNS, pub(crate) fn control(submission: &Submission) -> Row<'_>;
    Always "round_id" Text "The round" => submission.round_id.as_str();
    Always "control_id" Text "Which rule" => submission.model_id.as_str();
    Always "holding_count" Integer "Number of holdings" => submission.decision.option_ids().len();
}

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

pub const CONTROL_HOLDINGS: Table = Table {
    name: "control_holdings",
    about: "One row per holding of a control entrant; `model_id` is the rule.",
    columns: HOLDING_COLUMNS,
    filling: Filling::ByRound(|round| controls_of(round).into_iter().flat_map(holdings).collect()),
};
