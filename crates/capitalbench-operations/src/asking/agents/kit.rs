//! The contract kit: plays a round to an agent and tells its author what is wrong.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use capitalbench_adapters::agent::AgentUrl;
use capitalbench_archive::entering::agent::AgentQuestion;
use capitalbench_archive::round::round_folder::{RoundFolder, RoundInputs, Universes};
use capitalbench_core::decision::entering::agent::{AgentAnswer, AgentFault, LONGEST};
use capitalbench_core::league::settings::BriefingSource;
use capitalbench_core::market::calendar::WindowRule;
use capitalbench_core::market::invented::InventedMarket;
use capitalbench_core::market::published_prices::PublishedPrices;
use capitalbench_core::market::universes::DEFAULT_VERSION;
use capitalbench_core::round::failure_policy::FailurePolicy;
use capitalbench_core::round::manifest::{Origins, Proof, Stream, SubmissionFormat, Track};
use capitalbench_core::values::ids::RoundId;
use jiff::SignedDuration;

use super::asking::{AskedAgent, Manner, ask};
use crate::error::Error;
use crate::opening::briefing::{BriefingRequest, make_briefing};
use crate::opening::freezing::freeze_round;
use crate::opening::market_table::{TableManner, fetch_table};
use crate::opening::new_round::{RoundRequest, open_round};
use crate::operator::Operator;
use crate::prices::sources::Vendor;

/// The name under which the kit asks.
const LEAGUE: &str = "capitalbench/kit";

/// What the kit plays.
#[derive(Debug, Clone)]
pub enum KitRound {
    /// A round of an invented market, made in this folder.
    Invented(PathBuf),
    /// A frozen round.
    Frozen(PathBuf),
}

#[derive(Debug, Clone)]
pub struct KitRequest {
    pub agent: AgentUrl,
    /// What the agent declares.
    pub time: SignedDuration,
    pub round: KitRound,
}

/// What came of it.
#[derive(Debug)]
pub struct KitReport {
    pub round: String,
    pub options: usize,
    /// Bytes of the question.
    pub question: usize,
    /// Until the last byte, or the fault.
    pub took: Duration,
    pub said: Result<AgentAnswer, Vec<AgentFault>>,
}

/// Plays one round to an agent.
pub fn try_agent(operator: &Operator, request: &KitRequest) -> Result<KitReport, Error> {
    if request.time <= SignedDuration::ZERO || request.time > LONGEST {
        let text = "an agent declares from one second to one hour";
        return Err(Error::new(text).hint("give --time-limit such as 90s, 10m or 1h"));
    }
    let folder = match &request.round {
        KitRound::Frozen(path) => RoundFolder::open(path)?,
        KitRound::Invented(scratch) => invented_round(operator, scratch)?,
    };
    let inputs = RoundInputs::load(folder, &Universes::default())?;
    let question = AgentQuestion::of(inputs)?;
    let manner = Manner {
        agent: request.agent.clone(),
        league: LEAGUE.to_owned(),
        time: request.time,
        reach: operator.configuration.reach(),
    };
    let began = Instant::now();
    let AskedAgent {
        question: sent,
        said,
        ..
    } = ask(&question, &manner, operator.clock.now())?;
    Ok(KitReport {
        round: question.inputs.manifest.round_id.to_string(),
        options: question.inputs.universe.options().len(),
        question: sent.len(),
        took: began.elapsed(),
        said,
    })
}

/// A frozen round like those of a league, of an invented market: nobody is asked for it.
fn invented_round(operator: &Operator, scratch: &Path) -> Result<RoundFolder, Error> {
    let now = operator.now();
    let name = format!("KIT-{}-1W", now.strftime("%Y-%m-%d"));
    let round_id = RoundId::parse(&name).map_err(|error| Error::new(error.to_string()))?;
    let opened = open_round(
        operator,
        &RoundRequest {
            rounds: scratch.to_owned(),
            round_id,
            track: Track::Weekly,
            format: SubmissionFormat::Portfolio,
            methodology: Some("portfolio-v1.2".to_owned()),
            deadline: None,
            rule: WindowRule::default(),
            universe: None,
            universe_version: Some(DEFAULT_VERSION.to_owned()),
            models: None,
            stream: Stream::Synthetic,
            proof: Proof::None,
            origins: Origins {
                price_source: Some(InventedMarket::SOURCE.to_owned()),
                ..Origins::default()
            },
            failure_policy: FailurePolicy::default(),
            controls: Vec::new(),
            lanes: None,
            publish: PublishedPrices::Full,
        },
    )?;
    let path = opened.folder.path();
    let session = opened.manifest.market.last_final_session(now);
    let session = session.ok_or_else(|| {
        Error::new("the exchange calendar has no session before now").hint("set the clock")
    })?;
    let manner = TableManner::default();
    fetch_table(operator, path, session, &Vendor::Invented, &manner)?;
    let request = BriefingRequest {
        round: path.to_owned(),
        source: BriefingSource::Mechanical,
        cutoff: now,
    };
    make_briefing(operator, &request)?;
    freeze_round(operator, path)?;
    Ok(opened.folder)
}
