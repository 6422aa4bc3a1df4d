//! The agents of a league and a round: asked once before the deadline, shown after the entry close.

use std::panic::resume_unwind;
use std::path::Path;

use capitalbench_adapters::agent::AgentUrl;
use capitalbench_archive::entering::agent::{AgentQuestion, transcript_bytes};
use capitalbench_archive::log::agents::{AgentEnding, AgentPlace, VALID};
use capitalbench_archive::log::{LogFolder, LogKey};
use capitalbench_archive::round::round_folder::{RoundFolder, RoundInputs, Universes};
use capitalbench_core::decision::entering::agent::AgentFault;
use capitalbench_core::decision::entering::names::EntrantName;
use capitalbench_core::decision::entering::registration::AgentTerms;
use jiff::SignedDuration;

use super::asking::{AskedAgent, Manner, ask};
use crate::error::Error;
use crate::operator::Operator;
use crate::proof::claims::{require_newest_before, signing_key};

/// The outcome of a question during which the program stopped.
const UNSEEN: &str = "unseen";

/// What became of one agent.
#[derive(Debug, Clone, PartialEq)]
pub struct AgentOutcome {
    pub entrant: EntrantName,
    /// [`VALID`], or the first fault.
    pub outcome: String,
    pub faults: Vec<AgentFault>,
}

impl AgentOutcome {
    pub fn is_valid(&self) -> bool {
        self.outcome == VALID
    }
}

/// What a look at the agents of a round did.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct AgentsDone {
    pub asked: Vec<AgentOutcome>,
    /// Whose answers are public from now on.
    pub shown: Vec<EntrantName>,
}

/// Asks every registered agent that was not asked about a frozen round yet, all at the same time; after
/// the entry close it shows what they answered. Nobody is asked twice.
pub fn ask_and_show(operator: &Operator, round: &RoundFolder) -> Result<AgentsDone, Error> {
    let log = LogFolder::of_round(round);
    let key = signing_key(operator, &log)?;
    let inputs = RoundInputs::load(round.clone(), &Universes::default())?;
    let question = AgentQuestion::of(inputs)?;
    let now = operator.clock.now();
    let league = Asking {
        operator,
        log: &log,
        key: &key,
        question: &question,
    };
    let mut done = AgentsDone::default();
    if now < question.times().deadline {
        done.asked = league.ask_open()?;
    } else {
        league.close_unseen()?;
    }
    if now >= question.times().opens {
        done.shown = league.show()?;
    }
    Ok(done)
}

/// Whether the log of a folder of rounds has an agent.
pub fn has_agents(rounds: &Path) -> Result<bool, Error> {
    let told = LogFolder::of_rounds(rounds).entrants()?;
    let mut all = told.register.entrants();
    Ok(all.any(|own| own.registration.agent.is_some()))
}

struct Asking<'a> {
    operator: &'a Operator,
    log: &'a LogFolder,
    key: &'a LogKey,
    question: &'a AgentQuestion,
}

impl Asking<'_> {
    fn place(&self, entrant: &EntrantName) -> AgentPlace {
        let round = &self.question.inputs.manifest.round_id;
        (round.clone(), entrant.clone())
    }

    fn ask_open(&self) -> Result<Vec<AgentOutcome>, Error> {
        require_newest_before(self.log, self.operator.clock.now())?;
        let known = self.log.agents()?;
        let told = self.log.entrants()?;
        let open = told.register.entrants().filter_map(|own| {
            let agent = own.registration.agent.as_ref()?;
            let entrant = &own.registration.entrant;
            (!known.contains_key(&self.place(entrant))).then_some((entrant, agent))
        });
        let open: Vec<(&EntrantName, &AgentTerms)> = open.collect();
        // A resolver that asks for prices waits in this thread already, and nobody waits in it twice.
        std::thread::scope(|threads| {
            let asking: Vec<_> = open
                .into_iter()
                .map(|(entrant, agent)| threads.spawn(|| self.ask_one(entrant, agent)))
                .collect();
            let ended = asking
                .into_iter()
                .map(|own| own.join().unwrap_or_else(|panic| resume_unwind(panic)));
            ended.collect()
        })
    }

    /// The question is in the log before it leaves, the answer as soon as it is here.
    fn ask_one(&self, entrant: &EntrantName, agent: &AgentTerms) -> Result<AgentOutcome, Error> {
        let place = self.place(entrant);
        let now = self.operator.clock.now();
        let declared = SignedDuration::from_secs(agent.seconds.into());
        let Some(time) = self.question.time_left(declared, now) else {
            let text = format!("{entrant} was not asked: the deadline has passed");
            return Err(Error::new(text));
        };
        let address = agent.address.parse::<AgentUrl>();
        let manner = Manner {
            agent: address.map_err(|why| Error::new(format!("{entrant}: {why}")))?,
            league: self.key.verifier().name().to_owned(),
            time,
            reach: self.operator.configuration.reach(),
        };
        let sent = self.question.to_bytes(&manner.league, now, time);
        self.log.begin_agent(self.key, &place, &sent, now)?;
        let AskedAgent { body, said, .. } = ask(self.question, &manner, now)?;
        let transcript = said.as_ref().ok();
        let transcript = transcript.map(|answer| transcript_bytes(&answer.transcript));
        let faults = said.err().unwrap_or_default();
        let outcome = faults.first().map_or(VALID, AgentFault::as_str);
        let ending = AgentEnding {
            outcome,
            answer: body.as_deref(),
            transcript: transcript.as_deref(),
        };
        let ended = self.operator.clock.now();
        self.log.end_agent(self.key, &place, ending, ended)?;
        Ok(AgentOutcome {
            entrant: entrant.clone(),
            outcome: outcome.to_owned(),
            faults,
        })
    }

    /// A question that the log has without its end is over with the deadline: nobody saw the answer.
    fn close_unseen(&self) -> Result<(), Error> {
        let round = &self.question.inputs.manifest.round_id;
        for (place, slot) in self.log.agents()? {
            if place.0 == *round && slot.end.is_none() {
                let ending = AgentEnding {
                    outcome: UNSEEN,
                    answer: None,
                    transcript: None,
                };
                let now = self.operator.clock.now();
                self.log.end_agent(self.key, &place, ending, now)?;
            }
        }
        Ok(())
    }

    fn show(&self) -> Result<Vec<EntrantName>, Error> {
        let round = &self.question.inputs.manifest.round_id;
        let mut shown = Vec::new();
        for place in self.log.agents()?.into_keys() {
            if place.0 == *round && self.log.show_agent(self.key, &place)? {
                shown.push(place.1);
            }
        }
        Ok(shown)
    }
}
