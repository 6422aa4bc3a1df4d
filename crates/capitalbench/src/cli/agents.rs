//! Flags of the kit for authors of agents.

use std::path::PathBuf;

use capitalbench_adapters::agent::AgentUrl;
use clap::Args;
use jiff::SignedDuration;

use super::shared::Now;

/// Try an agent before a league asks it
///
/// Makes a round of an invented market, sends it to the address as a league would, and says in plain
/// words what is wrong with the answer. Nothing is kept. docs/agent-protocol.md tells what an agent is
/// sent and what it must answer. For an agent on your own machine or network set
/// CAPITALBENCH_ALLOW_PRIVATE_ADDRESSES=1.
///
/// $ capitalbench enter test https://agent.example/decide
///
/// $ capitalbench enter test https://agent.example/decide --time-limit 1h --round rounds/CB-2026-12-07-1W
///
/// $ CAPITALBENCH_ALLOW_PRIVATE_ADDRESSES=1 capitalbench enter test http://127.0.0.1:8000/decide
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
