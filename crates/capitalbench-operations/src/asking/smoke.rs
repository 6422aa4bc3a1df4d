//! One tiny call that shows whether a model can be asked at all.
//!
//! It is of the kind `provider_smoke`, belongs to no round and writes nothing.

use std::path::PathBuf;
use std::time::Instant;

use capitalbench_adapters::provider::{Question, RawAnswer, Reply};
use capitalbench_archive::format::round::models::{self, ModelSettings};
use capitalbench_archive::run::ledger::PlannedPrice;
use capitalbench_core::asking::attempt::Reason;
use capitalbench_core::asking::cost::{Cost, TokenPrice};
use capitalbench_core::asking::served_name::{accepted_names, fits, served_models_line};
use jiff::Timestamp;

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

/// A model that can be asked; nothing was sent yet.
pub struct ReadySmoke {
    pub model: ModelSettings,
    /// The names under which an answer counts, in words.
    pub accepted_names: String,
    price: Option<TokenPrice>,
}

/// What came of the call.
pub struct SmokeReport {
    pub model: ModelSettings,
    pub accepted_names: String,
    pub seconds: f64,
    pub reply: Option<Reply>,
    pub cost: Option<Cost>,
    /// What is wrong, and a sentence about it.
    pub problem: Option<(Reason, String)>,
    /// The server's clock when it answered, and ours.
    pub clocks: Option<(Timestamp, Timestamp)>,
    /// The line for the models file that accepts the name under which the model answered; none
    /// where no line is needed.
    pub served_models_line: Option<String>,
}

/// Looks up the model and says what its answer will be compared with.
pub fn prepare_smoke(operator: &Operator, request: &SmokeRequest) -> Result<ReadySmoke, Error> {
    let model = chosen(request, read(&request.models, models::parse_settings)?)?;
    let contestant = &model.contestant;
    if is_offline(&contestant.provider) {
        let text = format!("{} answers without a network", contestant.model_id);
        return Err(Error::new(text).hint("there is nothing to check"));
    }
    let accepted_names = accepted_names(&contestant.api_model_name, &served_models(&model));
    if !request.allow_real_calls {
        let text = format!(
            "this would ask {} for real, which is not allowed; an answer would count from: \
             {accepted_names}",
            contestant.provider
        );
        return Err(Error::new(text).hint("allow it with --allow-real-api-calls"));
    }
    let book = PriceBook::open(request.pricing.as_deref(), Some(operator.now()))?;
    let asked = [(&contestant.provider, &contestant.api_model_name)];
    let (prices, _) = book.prices(asked, INPUT);
    let price = prices.first().map(PlannedPrice::price);
    Ok(ReadySmoke {
        model,
        accepted_names,
        price,
    })
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

impl ReadySmoke {
    /// Asks the model for two words, with the same checks as a round's answer.
    pub fn ask(self, operator: &Operator) -> Result<SmokeReport, Error> {
        let Self {
            model,
            accepted_names,
            price,
        } = self;
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
        let server = answered.as_ref().ok().and_then(RawAnswer::date);
        let clocks = server.map(|server| (server, operator.clock.now()));
        let (reply, problem) = match answered.and_then(|answer| provider.read(&answer)) {
            Err(failure) => (None, Some((reason_of(&failure), failure.to_string()))),
            Ok(reply) => {
                let problem = problem(&model, &reply);
                (Some(reply), problem)
            }
        };
        let card = |reply: &Reply| price.and_then(|price| cost(price, reply.tokens));
        Ok(SmokeReport {
            cost: reply.as_ref().and_then(|r| r.billed.or_else(|| card(r))),
            served_models_line: reply.as_ref().and_then(|reply| line_for(&model, reply)),
            model,
            accepted_names,
            seconds,
            reply,
            problem,
            clocks,
        })
    }
}

/// The line that a name needs which is not accepted.
fn line_for(model: &ModelSettings, reply: &Reply) -> Option<String> {
    let asked = &model.contestant.api_model_name;
    let served = reply.served_model.as_ref()?;
    (!fits(asked, served, &served_models(model))).then(|| served_models_line(served))
}

/// What would make an answer of a round invalid, found on the smallest one.
fn problem(model: &ModelSettings, reply: &Reply) -> Option<(Reason, String)> {
    let asked = &model.contestant.api_model_name;
    match object_in(reply, asked, &served_models(model)) {
        Err(problem) => Some(problem),
        Ok((object, _)) if object["status"] != "ok" => {
            let text = "the reply is not the object asked for".to_owned();
            Some((Reason::Schema, text))
        }
        Ok(_) => None,
    }
}
