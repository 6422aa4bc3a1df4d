//! An offline provider for rehearsals: the same seed and model always give the same answer.
//!
//! It answers with a valid decision for the round's options. A [`Script`] makes it slow or lets its
//! first calls fail the way real calls do.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use capitalbench_core::decision::portfolio::Constraints;
use capitalbench_core::decision::submission::MODE;
use capitalbench_core::round::manifest::SubmissionFormat;
use capitalbench_core::values::ids::{Digest, ModelId, OptionId, RoundId};
use serde_json::{Value, json};

use self::habit::Chooser;
pub use self::habit::{GoesBy, Habit};
use super::offline::{body, read_body};
use super::{CallFailure, Provider, Question, RawAnswer, Reply, SendFuture, Stop};

mod habit;

/// The model that the mock plays, and what it may choose.
#[derive(Debug, Clone)]
pub struct MockModel {
    pub model_id: ModelId,
    /// The provider's name in the submission.
    pub provider: String,
    pub round_id: RoundId,
    /// The options it may hold, in order.
    pub options: Vec<OptionId>,
    pub format: SubmissionFormat,
    pub constraints: Constraints,
    pub seed: u64,
}

/// The most options that any limits make the mock hold.
const MOST_HOLDINGS: usize = 100;

/// A way in which a call fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    Transport,
    Timeout,
    /// No answer ever comes; the caller must give up.
    Hang,
    /// HTTP 429 that asks to wait this long.
    RateLimit(Duration),
    /// HTTP 503.
    Server,
    Key,
    /// HTTP 404.
    NoModel,
    /// The token limit cuts the text off.
    Truncated,
    /// The text begins an object, but is not JSON.
    InvalidJson,
    /// The holdings do not add up to 100%, or the pick is not an option.
    InvalidDecision,
    Refusal,
}

impl Fault {
    /// Reads the name used in a configuration file.
    pub fn parse(word: &str) -> Option<Self> {
        Some(match word {
            "transport" => Self::Transport,
            "timeout" => Self::Timeout,
            "hang" => Self::Hang,
            "rate_limit" => Self::RateLimit(Duration::from_millis(20)),
            "server" => Self::Server,
            "key" => Self::Key,
            "no_model" => Self::NoModel,
            "truncated" => Self::Truncated,
            "invalid_json" => Self::InvalidJson,
            "invalid_decision" => Self::InvalidDecision,
            "refusal" => Self::Refusal,
            _ => return None,
        })
    }
}

/// How the mock behaves before it gives its valid answer.
#[derive(Debug, Clone, Default)]
pub struct Script {
    /// The duration of every call.
    pub delay: Duration,
    /// How the first calls fail, one fault each.
    pub faults: Vec<Fault>,
    /// How all the others fail.
    pub always: Option<Fault>,
    /// Calls of an earlier process; their faults have already happened.
    pub calls_made: usize,
    /// What it goes by when it decides; none decides by its name alone.
    pub habit: Option<Habit>,
}

#[derive(Debug)]
pub struct Mock {
    model: MockModel,
    script: Script,
    calls: AtomicUsize,
}

impl Mock {
    pub fn new(model: MockModel, script: Script) -> Self {
        let calls = AtomicUsize::new(script.calls_made);
        Self {
            model,
            script,
            calls,
        }
    }

    /// The text of the valid answer that follows from the name of the model.
    pub fn text(&self) -> String {
        let start = self.start();
        let count = self.model.options.len().clamp(1, MOST_HOLDINGS);
        let chosen = (0..count).filter_map(|index| self.option(start + index));
        self.text_of(start, &chosen.collect::<Vec<_>>())
    }

    /// The text of the answer to a question; with a habit it depends on what the question shows.
    fn answer_to(&self, question: Question<'_>, call: usize) -> String {
        let Some(habit) = self.script.habit else {
            return self.text();
        };
        let chooser = Chooser {
            model: &self.model,
            habit,
            input: question.input,
            call,
        };
        let chosen = chooser.choose(MOST_HOLDINGS);
        let chosen: Vec<&str> = chosen.iter().map(String::as_str).collect();
        self.text_of(self.start(), &chosen)
    }

    fn text_of(&self, start: usize, chosen: &[&str]) -> String {
        let model = &self.model;
        let mut answer = json!({
            "round_id": model.round_id.as_str(),
            "model_id": model.model_id.as_str(),
            "provider": model.provider,
            "mode": MODE,
        });
        match model.format {
            SubmissionFormat::SinglePick => {
                answer["selected_option_id"] = json!(chosen.first());
            }
            SubmissionFormat::Portfolio => {
                answer["portfolio"] = self.portfolio(chosen);
                answer["portfolio_rationale"] = json!("Consecutive options; a rehearsal.");
            }
        }
        let steps = u32::try_from(start % 4).unwrap_or_default();
        answer["confidence"] = json!(f64::from(50 + 8 * steps) / 100.0);
        answer["rationale_summary"] = json!("Chosen by a digest of the model's name.");
        answer["key_risks"] = json!(["It was not thought about.", "It is a rehearsal."]);
        answer.to_string()
    }

    /// The digest of the model id as one large number, modulo the number of options.
    fn start(&self) -> usize {
        let name = match self.model.seed {
            0 => self.model.model_id.to_string(),
            seed => format!("{seed}:{}", self.model.model_id),
        };
        let digits = Digest::of(name.as_bytes()).to_hex();
        let count = self.model.options.len().max(1);
        let digit = |c: char| c.to_digit(16).unwrap_or_default() as usize;
        digits
            .chars()
            .fold(0, |rest, c| (rest * 16 + digit(c)) % count)
    }

    fn option(&self, index: usize) -> Option<&str> {
        let options = &self.model.options;
        let at = index % options.len().max(1);
        options.get(at).map(OptionId::as_str)
    }

    /// As many holdings as allowed, at most three; the first holding takes the remainder.
    fn portfolio(&self, chosen: &[&str]) -> Value {
        let limits = &self.model.constraints;
        let offered = u32::try_from(chosen.len()).unwrap_or(u32::MAX);
        let count = 3.clamp(limits.min_holdings, limits.max_holdings);
        let count = count.min(offered).max(1);
        let step = limits.increment_pct.max(1);
        let share = 100 / count / step * step;
        let weight = |index: u32| {
            if index == 0 {
                100 - share * (count - 1)
            } else {
                share
            }
        };
        let holding = |index: u32| {
            let option = chosen.get(index as usize);
            json!({"option_id": option, "allocation_pct": weight(index), "rationale": "By digest."})
        };
        (0..count).map(holding).collect()
    }

    fn answer(
        &self,
        fault: Option<Fault>,
        question: Question<'_>,
        call: usize,
    ) -> Result<String, CallFailure> {
        let text = self.answer_to(question, call);
        Ok(match fault {
            None | Some(Fault::Hang) => body(&text, Stop::Complete, question.input),
            Some(Fault::Transport) => {
                return Err(CallFailure::Transport("connection reset".to_owned()));
            }
            Some(Fault::Timeout) => return Err(CallFailure::Timeout(question.time_limit)),
            Some(Fault::RateLimit(wait)) => {
                let retry_after = Some(wait);
                return Err(CallFailure::RateLimited { retry_after });
            }
            Some(Fault::Server) => {
                return Err(CallFailure::Server {
                    status: 503,
                    message: "overloaded".to_owned(),
                    retry_after: None,
                });
            }
            Some(Fault::Key) => {
                return Err(CallFailure::Key {
                    status: 401,
                    message: "the key is unknown".to_owned(),
                });
            }
            Some(Fault::NoModel) => {
                return Err(CallFailure::NoModel {
                    status: 404,
                    message: "the model was retired".to_owned(),
                });
            }
            Some(Fault::Truncated) => body(
                &text[..text.floor_char_boundary(text.len() / 2)],
                Stop::Length,
                question.input,
            ),
            Some(Fault::InvalidJson) => {
                body("{I would rather not say.}", Stop::Complete, question.input)
            }
            Some(Fault::InvalidDecision) => {
                let wrong = text
                    .replace("\"allocation_pct\":", "\"allocation_pct\":1")
                    .replace("\"selected_option_id\":\"", "\"selected_option_id\":\"NO_");
                body(&wrong, Stop::Complete, question.input)
            }
            Some(Fault::Refusal) => body("No.", Stop::Refusal, question.input),
        })
    }
}

impl Provider for Mock {
    fn name(&self) -> &str {
        &self.model.provider
    }

    fn send<'a>(&'a self, question: Question<'a>) -> SendFuture<'a> {
        Box::pin(async move {
            let call = self.calls.fetch_add(1, Ordering::Relaxed);
            let fault = self.script.faults.get(call).copied();
            let fault = fault.or(self.script.always);
            tokio::time::sleep(self.script.delay).await;
            if fault == Some(Fault::Hang) {
                std::future::pending::<()>().await;
            }
            self.answer(fault, question, call).map(|body| RawAnswer {
                status: 200,
                headers: vec![("x-request-id".to_owned(), format!("mock-{call}"))],
                body: body.into_bytes(),
            })
        })
    }

    fn read(&self, answer: &RawAnswer) -> Result<Reply, CallFailure> {
        read_body(answer)
    }
}

#[cfg(test)]
mod tests;
