//! A league played in a scratch folder against a clock that jumps from one due instant to the next.
//!
//! The passes are those of `league run`. Models, prices and faults are invented and follow from the
//! request alone, so the same request gives the same calendar.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use capitalbench_core::market::invented::InventedFault;
use jiff::{SignedDuration, Timestamp};

use super::folder::LeagueFolder;
use super::pass::{Problem, Step, pass};
use crate::error::Error;
use crate::operator::configuration::Configuration;
use crate::operator::{CLOCK, Operator, STILL, Silence};

mod operator_acts;
mod scratch;
mod summary;

pub use summary::{RoundEnd, Summary, differences};

use operator_acts::Acts;

/// What is to be played.
#[derive(Debug, Clone)]
pub struct RehearsalRequest {
    /// The league whose settings and models are rehearsed; nothing is written into its folder.
    pub league: LeagueFolder,
    /// A folder that is new or empty.
    pub scratch: PathBuf,
    pub from: Timestamp,
    pub days: u16,
    pub seed: u64,
    pub faults: Vec<InventedFault>,
}

/// What happened.
#[derive(Debug)]
pub struct Rehearsal {
    /// The league in the scratch folder.
    pub league: LeagueFolder,
    pub from: Timestamp,
    pub until: Timestamp,
    /// In the order in which it was done.
    pub steps: Vec<Step>,
    /// Each problem once, when it was first told.
    pub problems: Vec<(Timestamp, Problem)>,
    /// The instants at which a pass had something to do, and how long it took in truth.
    pub busy: Vec<(Timestamp, Duration)>,
    pub passes: usize,
    pub summary: Summary,
}

/// Where nothing says when something is due, the next look is this much later.
const LOOK_AGAIN: SignedDuration = SignedDuration::from_hours(6);

/// Called before every pass with its instant; a dress rehearsal of accidents kills passes here.
pub type BeforePass<'a> = &'a mut dyn FnMut(&LeagueFolder, Timestamp) -> Result<(), Error>;

/// Plays a league; `before` may do what it likes to its folder between two passes.
pub fn rehearse(request: &RehearsalRequest, before: BeforePass<'_>) -> Result<Rehearsal, Error> {
    let until = request
        .from
        .checked_add(SignedDuration::from_hours(24 * i64::from(request.days)))
        .map_err(|error| Error::new(format!("--days {}: {error}", request.days)))?;
    let mut league = scratch::set_up(request)?;
    let mut acts = Acts::of(request)?;
    let mut play = Play::default();
    let mut at = request.from;
    while at <= until {
        let operator = operator_at(at);
        play.steps.extend(acts.due(&operator, &mut league)?);
        before(&league, at)?;
        let begun = Instant::now();
        let done = pass(&operator, &league)?;
        play.passes += 1;
        if !done.steps.is_empty() {
            play.busy.push((at, begun.elapsed()));
        }
        play.steps.extend(done.steps);
        play.hear(at, done.problems);
        let later = at.checked_add(LOOK_AGAIN).unwrap_or(Timestamp::MAX);
        let next = done.next.filter(|next| *next > at).unwrap_or(later);
        at = acts
            .next()
            .filter(|act| *act > at)
            .map_or(next, |act| act.min(next));
    }
    let summary = summary::of(&league, until)?;
    Ok(Rehearsal {
        league,
        from: request.from,
        until,
        steps: play.steps,
        problems: play.problems,
        busy: play.busy,
        passes: play.passes,
        summary,
    })
}

/// The operator of a rehearsal at an instant: no variable of the environment reaches it, and no time
/// passes while it works.
pub fn operator_at(at: Timestamp) -> Operator {
    let configuration = Configuration::new(|name| (name == CLOCK).then(|| STILL.to_owned()));
    Operator::new(configuration, Some(at), Box::new(Silence))
}

#[derive(Default)]
struct Play {
    steps: Vec<Step>,
    problems: Vec<(Timestamp, Problem)>,
    told: BTreeSet<(Option<String>, String)>,
    busy: Vec<(Timestamp, Duration)>,
    passes: usize,
}

impl Play {
    /// A problem that lasts is told once.
    fn hear(&mut self, at: Timestamp, problems: Vec<Problem>) {
        for problem in problems {
            if self
                .told
                .insert((problem.round.clone(), problem.text.clone()))
            {
                self.problems.push((at, problem));
            }
        }
    }
}
