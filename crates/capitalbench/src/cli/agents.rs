//! Flags of the kit for authors of agents.

use std::path::PathBuf;

use capitalbench_adapters::agent::AgentUrl;
use capitalbench_core::values::ids::ModelId;
use clap::Args;
use jiff::SignedDuration;

use super::shared::{Now, Round};

/// What an agent declares with its registration.
#[derive(Debug, Args)]
pub(crate) struct AgentFlags {
    /// The league asks your agent at this address (docs/agent-protocol.md)
    #[arg(long, value_name = "URL")]
    pub(crate) agent: Option<AgentUrl>,
    /// How long your agent takes at most, up to 1h
    #[arg(long, value_name = "TIME", default_value = "10m")]
    pub(crate) time_limit: SignedDuration,
    /// The model that your agent uses, by its id in the league; both are shown side by side
    #[arg(long, value_name = "MODEL", requires = "agent", value_parser = ModelId::parse)]
    pub(crate) model: Option<ModelId>,
}

/// Ask the registered agents about a round, or show what they answered
///
/// Before the deadline every agent that has not been asked about the frozen round is asked once, all at
/// the same time; question, answer and transcript are fixed in the log, the answer sealed. After the entry
/// close the answers become public in log/agents. `league run` does both in its passes.
///
/// $ capitalbench enter ask --round rounds/HOUSE-2026-12-07-1W
///
/// Exit codes: 0 every agent gave a valid answer, or all are shown, 1 some did not, 2 could not run.
#[derive(Debug, Args)]
pub(crate) struct EnterAsk {
    #[command(flatten)]
    pub(crate) round: Round,
    #[command(flatten)]
    pub(crate) now: Now,
}

/// Try an agent before a league asks it
///
/// Makes a round of an invented market, sends it to the address as a league would, and says in plain
/// words what is wrong with the answer. Nothing is kept. docs/agent-protocol.md tells what an agent is
/// sent and what it must answer. For an agent on your own machine or network set
/// CAPITALBENCH_ALLOW_PRIVATE_ADDRESSES=1.
///
/// $ capitalbench enter test https://agent.example/decide
///
/// $ capitalbench enter test https://agent.example/decide --round rounds/CB-1W
///
/// $ CAPITALBENCH_ALLOW_PRIVATE_ADDRESSES=1 capitalbench enter test URL
///
/// Exit codes: 0 a league could use the answer, 1 something is wrong with it, 2 could not run.
#[derive(Debug, Args)]
pub(crate) struct EnterTest {
    /// The address that is asked
    #[arg(value_name = "URL")]
    pub(crate) agent: AgentUrl,
    /// The time that the agent declares, at most 1h
    #[arg(long, value_name = "TIME", default_value = "10m")]
    pub(crate) time_limit: SignedDuration,
    /// Play this frozen round in place of an invented one
    #[arg(long, value_name = "DIR")]
    pub(crate) round: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) now: Now,
}
