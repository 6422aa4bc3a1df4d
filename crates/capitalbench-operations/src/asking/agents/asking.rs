//! One question to one agent: sent once, judged by what came back.

use std::time::Duration;

use capitalbench_adapters::agent::{AgentLimits, AgentReply, AgentUrl, ask_agent};
use capitalbench_adapters::http::{HttpError, Reach};
use capitalbench_archive::entering::agent::AgentQuestion;
use capitalbench_core::decision::entering::agent::{
    AgentAnswer, AgentFault, COMPLETE_WITHIN, LARGEST_ANSWER, Private,
};
use jiff::{SignedDuration, Timestamp};

use crate::error::Error;
use crate::operator::wait;

/// How an agent is asked.
#[derive(Debug, Clone)]
pub struct Manner {
    pub agent: AgentUrl,
    /// The name of the league's log.
    pub league: String,
    /// What the agent has until its last byte.
    pub time: SignedDuration,
    pub reach: Reach,
}

/// A question and what came back.
#[derive(Debug)]
pub struct AskedAgent {
    /// The bytes that were sent.
    pub question: Vec<u8>,
    /// The exact bytes that came back with status 200.
    pub body: Option<Vec<u8>>,
    /// The answer, or everything that is wrong with it.
    pub said: Result<AgentAnswer, Vec<AgentFault>>,
}

/// Asks an agent about a frozen round.
pub fn ask(question: &AgentQuestion, manner: &Manner, now: Timestamp) -> Result<AskedAgent, Error> {
    let time = manner.time.unsigned_abs();
    let bytes = question.to_bytes(&manner.league, now, manner.time);
    let pace = COMPLETE_WITHIN.unsigned_abs().min(time / 2);
    let limits = AgentLimits {
        time,
        complete_within: pace,
        body_bytes: LARGEST_ANSWER,
        reach: manner.reach,
    };
    let reply = wait(ask_agent(limits, &manner.agent, bytes.clone()))?;
    let (body, said) = match reply {
        Err(error) => (None, Err(vec![fault(error)])),
        Ok(AgentReply::Answer { content_type, body }) => {
            let said = question.judge(&content_type, &body);
            (Some(body), said)
        }
        Ok(AgentReply::Redirect { to, is_private }) => {
            let is_private = if is_private {
                Private::Yes
            } else {
                Private::No
            };
            (None, Err(vec![AgentFault::Redirect { to, is_private }]))
        }
        Ok(AgentReply::Other { status, text }) => {
            let fault = AgentFault::Status { status, said: text };
            (None, Err(vec![fault]))
        }
    };
    Ok(AskedAgent {
        question: bytes,
        body,
        said,
    })
}

fn fault(error: HttpError) -> AgentFault {
    let seconds = |after: Duration| after.as_secs().max(1);
    match error {
        HttpError::Timeout { after } => AgentFault::Late(seconds(after)),
        HttpError::Dripped { after } => AgentFault::SlowDrip(seconds(after)),
        HttpError::TooLarge { limit } => AgentFault::Oversized(limit),
        HttpError::Truncated => AgentFault::Truncated,
        other => AgentFault::Unreachable(other.to_string()),
    }
}
