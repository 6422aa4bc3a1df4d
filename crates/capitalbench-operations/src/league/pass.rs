//! One pass of a league: everything that is due, nothing twice.
//!
//! What is due follows from what lies on the disk, so a pass that is killed anywhere is taken up by the
//! next one. Each step is the single operation that a command of its own calls. A step that fails is
//! noted with its reason and tried again later; the others go on.

use std::collections::BTreeMap;

use capitalbench_archive::disk::{file_ops, layout, state_folder};
use capitalbench_core::league::message::{MessageKind, Subject};
use jiff::{SignedDuration, Timestamp};

use super::commands::Commands;
use super::folder::LeagueFolder;
use super::hints::{Failed, Hints};
use super::messages::{deliver, post};
use super::standing::Standing;

use crate::error::Error;
use crate::operator::{Notice, Operator};
use crate::proof::record::record_all;

/// What a pass did and when the next one has something to do.
#[derive(Debug, Default)]
pub struct Pass {
    /// In the order in which it was done.
    pub steps: Vec<Step>,
    /// Why a step that is due could not be done; the next pass tries again.
    pub problems: Vec<Problem>,
    /// The first instant at which something is due again.
    pub next: Option<Timestamp>,
    pub end: PassEnd,
}

/// How a pass ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PassEnd {
    /// Everything that was due was seen to.
    #[default]
    Whole,
    /// Somebody asked it to stop.
    Stopped,
    /// Another pass is at work, so this one did nothing.
    Elsewhere,
}

/// One thing that was done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    pub at: Timestamp,
    /// The round, where the step is about one.
    pub round: Option<String>,
    pub kind: StepKind,
    /// The single command with the same effect, as it is typed in the folder of the league.
    pub command: String,
    /// What happened, for people.
    pub text: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StepKind {
    /// The log of the rounds got its key.
    Keyed,
    Opened,
    /// The market table was made.
    Tabled,
    Briefed,
    Frozen,
    Stamped,
    Asked,
    Accepted,
    Voided,
    Abandoned,
    /// Files of entrants came into the log.
    Collected,
    Tracked,
    Resolved,
    Published,
    /// An option was renamed or delisted; an operator says so, never a pass.
    Listed,
}

impl StepKind {
    /// The word in reports.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Keyed => "keyed",
            Self::Opened => "opened",
            Self::Tabled => "tabled",
            Self::Briefed => "briefed",
            Self::Frozen => "frozen",
            Self::Stamped => "stamped",
            Self::Asked => "asked",
            Self::Accepted => "accepted",
            Self::Voided => "voided",
            Self::Abandoned => "abandoned",
            Self::Collected => "collected",
            Self::Tracked => "tracked",
            Self::Resolved => "resolved",
            Self::Published => "published",
            Self::Listed => "listed",
        }
    }
}

/// A step that is due and could not be done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    pub round: Option<String>,
    pub text: String,
    /// When it is tried again, where that is known: a price plan is used up until then.
    pub waits_until: Option<Timestamp>,
}

/// Builds the site and says what it did: operations do not render.
pub type BuildSite<'a> = &'a dyn Fn() -> Result<SiteBuilt, Error>;

/// A site that was built.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SiteBuilt {
    pub command: String,
    pub text: String,
}

/// How soon a pass that found another one at work looks again.
const LOOK_AGAIN: SignedDuration = SignedDuration::from_mins(1);
/// Held by the pass that is at work, in the state folder of the rounds.
const LOCK: &str = "league.lock";

/// Does everything that is due at the operator's instant, without a site.
pub fn pass(operator: &Operator, league: &LeagueFolder) -> Result<Pass, Error> {
    pass_with(operator, league, None)
}

/// The same with a site, where the league publishes one.
pub fn pass_with(
    operator: &Operator,
    league: &LeagueFolder,
    site: Option<BuildSite<'_>>,
) -> Result<Pass, Error> {
    refuse_given_instant(operator, league)?;
    let rounds = league.rounds();
    file_ops::create_folder(&rounds)?;
    let state = rounds.join(layout::STATE);
    state_folder::create(&state)?;
    let Some(_hold) = file_ops::hold(&state.join(LOCK))? else {
        return Ok(Pass {
            next: operator.now().checked_add(LOOK_AGAIN).ok(),
            end: PassEnd::Elsewhere,
            ..Pass::default()
        });
    };
    let mut work = Work {
        operator,
        league,
        hints: Hints::load(&state),
        pass: Pass::default(),
    };
    let done = work.everything(site);
    work.hints.store()?;
    done?;
    Ok(work.pass)
}

/// The record of a real league carries the instants of the clock.
pub(crate) fn refuse_given_instant(
    operator: &Operator,
    league: &LeagueFolder,
) -> Result<(), Error> {
    let Some(given) = operator.given.filter(|_| !league.is_rehearsed()) else {
        return Ok(());
    };
    let text = format!("--now {given}: this league is real, and a pass writes its record");
    Err(Error::new(text).hint("omit --now; `league plan` and `league rehearse` look ahead"))
}

/// A pass under way.
pub(super) struct Work<'a> {
    pub(super) operator: &'a Operator,
    pub(super) league: &'a LeagueFolder,
    pub(super) hints: Hints,
    pub(super) pass: Pass,
}

/// What a step is about, for problems and messages.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct About<'a> {
    pub(super) round: Option<&'a str>,
    /// A little before the deadline the step is tried once more in any case.
    pub(super) last_try: Option<Timestamp>,
}

impl<'a> Work<'a> {
    fn everything(&mut self, site: Option<BuildSite<'_>>) -> Result<(), Error> {
        self.make_key()?;
        let mut standing = Standing::look(self)?;
        self.finish_signing(&standing);
        self.open_due(&standing);
        self.look_again(&mut standing)?;
        for live in &standing.live {
            self.prepare(live);
        }
        self.collect_entries(&standing);
        for live in &standing.live {
            if self.pass.end != PassEnd::Stopped {
                self.decide(live);
                self.ask_lanes(live);
            }
        }
        if self.pass.end != PassEnd::Stopped {
            // Agents may take an hour, so models come first.
            self.ask_agents(&standing);
            // What was accepted now may be tracked, and has a job.
            self.look_again(&mut standing)?;
            self.resolve(&standing);
            self.look_again(&mut standing)?;
            self.track(&standing);
            self.publish(&standing, site);
            self.warn_about(&standing);
            self.look_ahead(&standing);
        }
        self.deliver()
    }

    /// A pass that was killed between a file and its place in the log leaves the public with a file
    /// that nothing signs, until this.
    fn finish_signing(&mut self, standing: &Standing) {
        if self.hints.is_unpublished() && !standing.names.is_empty() {
            self.attempt("sign", About::default(), |work| {
                record_all(
                    work.operator,
                    &work.league.rounds(),
                    work.operator.clock.now(),
                )
            });
        }
    }

    /// Looks at the rounds again where a step changed them since.
    fn look_again(&mut self, standing: &mut Standing) -> Result<(), Error> {
        if self.pass.steps.len() > standing.steps {
            *standing = Standing::look(self)?;
        }
        Ok(())
    }

    pub(super) fn now(&self) -> Timestamp {
        self.operator.now()
    }

    pub(super) fn commands(&self) -> Commands<'a> {
        Commands(self.league)
    }

    /// Something is due again at this instant.
    pub(super) fn next(&mut self, at: Timestamp) {
        if at > self.now() {
            self.pass.next = Some(self.pass.next.map_or(at, |next| next.min(at)));
        }
    }

    /// Notes a step that was done, and announces it.
    pub(super) fn note(
        &mut self,
        kind: StepKind,
        round: Option<&str>,
        (command, text): (String, String),
    ) {
        let step = Step {
            at: self.now(),
            round: round.map(str::to_owned),
            kind,
            command,
            text,
        };
        self.operator.say(&Notice::Stepped(&step));
        self.pass.steps.push(step);
    }

    /// Tries a step, unless it failed a short while ago; whether it succeeded.
    pub(super) fn attempt(
        &mut self,
        key: &str,
        about: About<'_>,
        step: impl FnOnce(&mut Self) -> Result<(), Error>,
    ) -> bool {
        let now = self.now();
        let held = self.hints.held(key).filter(|held| held.until > now);
        if let Some(held) = held.cloned() {
            self.is_held(&held);
            return false;
        }
        match step(self) {
            Ok(()) => {
                self.hints.free(key);
                true
            }
            Err(error) => {
                self.failed(key, about, &error);
                false
            }
        }
    }

    fn is_held(&mut self, held: &super::hints::Held) {
        self.next(held.until);
        self.pass.problems.push(Problem {
            round: held.round.clone(),
            text: held.text.clone(),
            waits_until: held.waits_for_plan.then_some(held.until),
        });
    }

    /// Notes why a step failed and when it is tried again, and tells whoever asked to be told.
    pub(super) fn failed(&mut self, key: &str, about: About<'_>, error: &Error) {
        let failed = Failed {
            round: about.round,
            error,
            last_try: about.last_try,
        };
        let now = self.now();
        let held = self.hints.hold(key, failed, now);
        self.is_held(&held);
        let kind = if held.waits_for_plan {
            MessageKind::PlanShort
        } else {
            MessageKind::Problem
        };
        self.tell(kind, about.round, held.text);
    }

    /// A problem that no later pass is kept from by a pause.
    pub(super) fn problem(&mut self, round: Option<&str>, text: String) {
        self.pass.problems.push(Problem {
            round: round.map(str::to_owned),
            text,
            waits_until: None,
        });
    }

    /// Puts a message into the outbox, which drops it when it is there already.
    pub(super) fn tell(&mut self, kind: MessageKind, round: Option<&str>, text: String) {
        self.tell_about_model(kind, round, (None, text));
    }

    /// The same about a model of a round.
    pub(super) fn tell_about_model(
        &mut self,
        kind: MessageKind,
        round: Option<&str>,
        (model, text): (Option<String>, String),
    ) {
        let subject = Subject {
            kind,
            round: round.map(str::to_owned),
            model,
            at: self.now(),
            text,
        };
        if let Err(error) = post(self.operator, self.league, &[subject]) {
            self.problem(round, error.to_string());
        }
    }

    fn deliver(&mut self) -> Result<(), Error> {
        for error in deliver(self.operator, self.league)? {
            self.problem(None, error.to_string());
        }
        Ok(())
    }
}

/// Rounds and how many times each word was said about them, on one line.
pub(super) fn counted(words: &BTreeMap<&'static str, usize>) -> String {
    let parts = words.iter().map(|(word, count)| format!("{count} {word}"));
    parts.collect::<Vec<_>>().join(", ")
}
