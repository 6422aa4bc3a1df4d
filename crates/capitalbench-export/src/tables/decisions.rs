//! What models and controls decided; public as soon as a run is accepted.

use capitalbench_core::asking::missing_answer::MissingAnswer;
use capitalbench_core::decision::portfolio::Holding;
use capitalbench_core::decision::submission::Submission;
use capitalbench_core::publication::calls::{AskedFor, AttemptCounts, ModelCalls, Served};
use capitalbench_core::publication::{PublicRound, RoundState};
use capitalbench_core::round::ending::ExceptionNote;

use crate::table::{Filling, Row, Table, columns};

pub const SUBMISSIONS: Table = Table {
    name: "submissions",
    about: "One row per decision of a model in the run that counts. Rows of an open round are in order of model id.",
    columns: SUBMISSION_COLUMNS,
    filling: Filling::ByRound(submissions),
};

columns! {
    SUBMISSION_COLUMNS, fn submission_row<'a>(submission: &'a Submission, calls: Calls<'a>) -> Row<'a>;
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
    Maybe "reasoning_tokens" Integer "Tokens of reasoning among those received, where known" => submission.usage.as_ref().and_then(|usage| usage.reasoning_tokens);
    Maybe "display_name" Text "Name that the operator gave the model in this round" => calls.all.and_then(|own| own.display_name.as_deref());
    Maybe "api_model_name" Text "Model name in the request; this and the next nine are empty where the ledger does not tell" => calls.asked.map(|own| own.api_model_name.as_str());
    Maybe "schema_mode" Text "How the form of the reply was asked for: full, json or none" => calls.asked.map(|own| own.schema_mode.as_str());
    Maybe "reasoning" Text "What was asked about thinking: off, on, effort … or budget …; omit where nothing was sent" => calls.asked.map(|own| own.reasoning.as_deref().unwrap_or(OMIT));
    Maybe "temperature" Real "Temperature in the request" => calls.asked.and_then(|own| own.temperature);
    Maybe "temperature_reason" Text "omit: no temperature was sent" => calls.asked.filter(|own| own.temperature.is_none()).map(|_| OMIT);
    Maybe "max_output_tokens" Integer "Most tokens that the reply could have" => calls.asked.map(|own| own.max_output_tokens);
    Maybe "time_limit_seconds" Real "Longest wait for the reply" => calls.asked.map(|own| own.time_limit_seconds);
    Maybe "service_tier_asked" Text "Service tier in the request, where one was named" => calls.asked.and_then(|own| own.service_tier.as_deref());
    Maybe "routing" Text "The only hosts that a router could use, one per line" => calls.asked.and_then(|own| lines(&own.routing));
    Maybe "extra_fields" Text "Fields that the operator added to the request, one per line" => calls.asked.and_then(|own| lines(&own.extra_fields));
    Maybe "request_sha256" Text "SHA-256 of the request's body" => calls.asked.map(|own| own.body_sha256.as_str());
    Maybe "served_model" Text "Model that answered, by the server's word" => calls.served.and_then(|own| own.model.as_deref());
    Maybe "service_tier_served" Text "Service tier, by the server's word" => calls.served.and_then(|own| own.service_tier.as_deref());
    Maybe "answered_by" Text "Host that answered, by a router's word" => calls.served.and_then(|own| own.answered_by.as_deref());
    Maybe "billed_usd" Real "What the provider says it billed for the call" => calls.served.and_then(|own| own.billed_usd);
    Maybe "card_usd" Real "What the call cost by the operator's price card" => calls.served.and_then(|own| own.card_usd);
    Maybe "attempts" Integer "Calls that were made for this answer, where a ledger tells" => calls.attempts.map(|own| own.made);
    Maybe "attempts_unseen" Integer "Those whose outcome nobody saw" => calls.attempts.map(|own| own.unseen);
    Maybe "attempts_rejected" Integer "Those that the server turned away before anything was generated" => calls.attempts.map(|own| own.rejected);
}

/// The word for a setting that was left out of the request, as in the models file.
const OMIT: &str = "omit";

/// What a ledger tells about a submission.
#[derive(Clone, Copy)]
struct Calls<'a> {
    all: Option<&'a ModelCalls>,
    asked: Option<&'a AskedFor>,
    served: Option<&'a Served>,
    attempts: Option<AttemptCounts>,
}

fn lines(texts: &[String]) -> Option<String> {
    (!texts.is_empty()).then(|| texts.join("\n"))
}

pub(crate) fn submission<'a>(round: &'a PublicRound, submission: &'a Submission) -> Row<'a> {
    let all = round.calls_of(&submission.model_id);
    let calls = Calls {
        all,
        asked: all.and_then(|own| own.asked.as_ref()),
        served: all.map(|own| &own.served),
        attempts: all.and_then(|own| own.attempts),
    };
    submission_row(submission, calls)
}

pub(crate) fn submissions(round: &PublicRound) -> Vec<Row<'_>> {
    let all = round.submissions().into_iter();
    all.map(|own| submission(round, own)).collect()
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

pub const MISSING_ANSWERS: Table = Table {
    name: "missing_answers",
    about: "One row per model of the run that counts without a valid answer; the round went on without it.",
    columns: MISSING_COLUMNS,
    filling: Filling::ByRound(|round| {
        round
            .missing()
            .iter()
            .map(|own| missing_answer(round, own))
            .collect()
    }),
};

columns! {
    MISSING_COLUMNS, fn missing_row<'a>(round: &'a PublicRound, missing: &'a MissingAnswer, attempts: Option<AttemptCounts>) -> Row<'a>;
    Always "round_id" Text "The round" => round.id().as_str();
    Always "model_id" Text "Who" => missing.model_id.as_str();
    Always "reason" Text "How its last attempt ended, as the ledger says" => missing.why.as_str();
    Always "meaning" Text "The same in words" => missing.why.meaning();
    Maybe "attempts" Integer "Calls that were made; none where it was never asked" => attempts.map(|own| own.made);
    Maybe "attempts_unseen" Integer "Those whose outcome nobody saw" => attempts.map(|own| own.unseen);
}

fn missing_answer<'a>(round: &'a PublicRound, missing: &'a MissingAnswer) -> Row<'a> {
    let calls = round.calls_of(&missing.model_id);
    missing_row(round, missing, calls.and_then(|own| own.attempts))
}

pub const EXPLANATIONS: Table = Table {
    name: "explanations",
    about: "One row per signed explanation of the operator about a round with a record; it changes nothing that counts.",
    columns: EXPLANATION_COLUMNS,
    filling: Filling::ByRound(|round| round.exceptions.iter().map(explanation).collect()),
};

columns! {
    EXPLANATION_COLUMNS, fn explanation(note: &ExceptionNote) -> Row<'_>;
    Always "round_id" Text "The round" => note.round_id.as_str();
    Always "number" Integer "Which explanation of the round, from 1" => note.number;
    Always "noted_at_utc" Instant "When it was given" => &note.noted_at;
    Always "reason" Text "What the operator says" => note.reason.as_str();
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
        RoundState::Draft | RoundState::Ended(_) => Vec::new(),
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
