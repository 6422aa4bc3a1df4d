//! One tiny call that shows whether a model can be asked at all.
//!
//! It is of the kind `provider_smoke`, belongs to no round and writes nothing.

use std::path::PathBuf;
use std::time::Instant;

use capitalbench_adapters::provider::{Question, Reply};
use capitalbench_archive::format::round::models::{self, ModelSettings};
use capitalbench_archive::run::ledger::PlannedPrice;
use capitalbench_core::asking::attempt::Reason;
use capitalbench_core::asking::cost::{Cost, TokenPrice};

use super::price_card::PriceBook;
use super::providers::{connect, is_offline, served_models};
use super::verdict::{cost, object_in, reason_of};
use crate::error::Error;
use crate::operator::files::read;
use crate::operator::{Operator, wait};

/// What is asked; it names no round and no option.
const INPUT: &str = "This is a test of the connection. Reply with exactly this JSON object and \
                     nothing else: {\"status\": \"ok\"}";
/// Enough for a model that thinks before it says two words.
const OUTPUT_TOKENS: u64 = 1_024;

/// Which model is asked.
#[derive(Debug)]
pub struct SmokeRequest {
    pub models: PathBuf,
    pub model: String,
    pub pricing: Option<PathBuf>,
    pub allow_real_calls: bool,
}

/// What came of the call.
pub struct SmokeReport {
    pub model: ModelSettings,
    pub seconds: f64,
    pub reply: Option<Reply>,
    pub cost: Option<Cost>,
    /// What is wrong, and a sentence about it.
    pub problem: Option<(Reason, String)>,
}

/// Asks a model for two words, with the same checks as a round's answer.
pub fn smoke(operator: &Operator, request: &SmokeRequest) -> Result<SmokeReport, Error> {
    let model = chosen(request, read(&request.models, models::parse_settings)?)?;
    let contestant = &model.contestant;
    if is_offline(&contestant.provider) {
        let text = format!("{} answers without a network", contestant.model_id);
        return Err(Error::new(text).hint("there is nothing to check"));
    }
    if !request.allow_real_calls {
        let text = format!(
            "this would ask {} for real, which is not allowed",
            contestant.provider
        );
        return Err(Error::new(text).hint("allow it with --allow-real-api-calls"));
    }
    let book = PriceBook::open(request.pricing.as_deref(), Some(operator.now()))?;
    let asked = [(&contestant.provider, &contestant.api_model_name)];
    let (prices, _) = book.prices(asked, INPUT);
    let price = prices.first().map(PlannedPrice::price);
    ask(operator, model, price)
}

fn chosen(request: &SmokeRequest, models: Vec<ModelSettings>) -> Result<ModelSettings, Error> {
    let ids: Vec<String> = models
        .iter()
        .map(|model| model.contestant.model_id.to_string())
        .collect();
    let found = models
        .into_iter()
        .find(|model| model.contestant.model_id.as_str() == request.model);
    found.ok_or_else(|| {
        let text = format!("{} is not in {}", request.model, request.models.display());
        Error::new(text).hint(format!("it holds {}", ids.join(", ")))
    })
}

fn ask(
    operator: &Operator,
    model: ModelSettings,
    price: Option<TokenPrice>,
) -> Result<SmokeReport, Error> {
    let provider = connect(&operator.configuration, &model)?;
    let question = Question {
        input: INPUT,
        schema: None,
        max_output_tokens: OUTPUT_TOKENS.min(model.max_output_tokens),
        time_limit: model.time_limit,
    };
    let began = Instant::now();
    let answered = wait(provider.send(question))?;
    let seconds = began.elapsed().as_secs_f64();
    let read = answered.and_then(|answer| provider.read(&answer));
    Ok(match read {
        Err(failure) => SmokeReport {
            model,
            seconds,
            reply: None,
            cost: None,
            problem: Some((reason_of(&failure), failure.to_string())),
        },
        Ok(reply) => SmokeReport {
            problem: problem(&model, &reply),
            model,
            seconds,
            cost: price.and_then(|price| cost(price, reply.tokens)),
            reply: Some(reply),
        },
    })
}

/// What would make an answer of a round invalid, found on the smallest one.
fn problem(model: &ModelSettings, reply: &Reply) -> Option<(Reason, String)> {
    let asked = &model.contestant.api_model_name;
    match object_in(reply, asked, &served_models(model)) {
        Err((Reason::OtherModel, text)) => {
            let served = reply.served_model.as_deref().unwrap_or_default();
            let hint = format!("allow it with metadata: {{served_models: [{served}]}}");
            Some((Reason::OtherModel, format!("{text}; {hint}")))
        }
        Err(problem) => Some(problem),
        Ok((object, _)) if object["status"] != "ok" => {
            let text = "the reply is not the object asked for".to_owned();
            Some((Reason::Schema, text))
        }
        Ok(_) => None,
    }
}
