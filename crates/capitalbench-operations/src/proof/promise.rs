//! What a round promises with `proof:` in its manifest; steps are refused until it is kept.

use std::path::Path;
use std::time::Duration;

use capitalbench_archive::disk::shell::shell_word;
use capitalbench_archive::log::{Believed, LogFolder, LogKey, Trust, history, stamped_freeze};
use capitalbench_archive::round::round_folder::RoundFolder;
use capitalbench_core::asking::run::official_run;
use capitalbench_core::publication::Publication;
use capitalbench_core::round::manifest::{Manifest, Proof, Window};
use capitalbench_proof::order::{Judged, Line, Unproved, Verdict, judge};
use jiff::{SignedDuration, Timestamp};
use serde::Serialize;

use crate::error::Error;
use crate::operator::Operator;
use crate::operator::clock::now_or;
use crate::operator::configuration::LOG_KEY;

/// A stamp may lie this far ahead of our clock; it is waited for.
const CLOCK_SLACK: SignedDuration = SignedDuration::from_secs(65);

/// One reason why a promise is not kept, and what to do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Objection {
    pub code: &'static str,
    pub text: String,
    pub next: String,
}

const LOST: &str = "this cannot be repaired; take the round out of the folder that is published";

/// A round and what its manifest promises.
pub struct Promise<'a> {
    round: &'a RoundFolder,
    manifest: &'a Manifest,
    log: LogFolder,
}

impl<'a> Promise<'a> {
    pub fn of(round: &'a RoundFolder, manifest: &'a Manifest) -> Self {
        Self {
            round,
            manifest,
            log: LogFolder::of_round(round),
        }
    }

    /// A round that promises signatures is not frozen without a key.
    pub fn require_key(&self, operator: &Operator) -> Result<(), Error> {
        self.refuse(self.no_key(operator)?)
    }

    /// An objection as the error of whoever wanted to go on.
    fn refuse(&self, objection: Option<Objection>) -> Result<(), Error> {
        let Some(objection) = objection else {
            return Ok(());
        };
        let proof = self.manifest.proof.as_str();
        let text = format!(
            "{} promises `proof: {proof}`: {}",
            self.round.name(),
            objection.text
        );
        Err(Error::new(text).hint(objection.next))
    }

    fn no_key(&self, operator: &Operator) -> Result<Option<Objection>, Error> {
        let key = operator.configuration.log_key(&self.log);
        let signs = self.log.verifier()?.is_some() && LogKey::load(&key)?.is_some();
        if self.manifest.proof.is_none() || signs {
            return Ok(None);
        }
        let rounds = shell_word(self.log.rounds());
        let next = match self.log.verifier()? {
            None => format!("make a key with `capitalbench keys init --rounds-dir {rounds}`"),
            Some(key) => format!("the key of {} is not here; set {LOG_KEY}", key.name()),
        };
        Ok(Some(Objection {
            code: "no-key",
            text: "there is no key to sign the log with".to_owned(),
            next,
        }))
    }

    /// Official calls begin only after outside clocks stamped the freeze, recently and before now.
    pub fn require_stamped_freeze(&self, operator: &Operator) -> Result<(), Error> {
        self.require_key(operator)?;
        if self.manifest.proof != Proof::Anchored {
            return Ok(());
        }
        self.refuse(self.freeze_objection(operator)?)
    }

    fn freeze_objection(&self, operator: &Operator) -> Result<Option<Objection>, Error> {
        let now = operator.clock.now();
        let trust = self.trust(now)?;
        let rounds = shell_word(self.log.rounds());
        let anchor = format!("stamp it with `capitalbench anchor --rounds-dir {rounds}`");
        let objection = |code, text, next| Ok(Some(Objection { code, text, next }));
        let Some((freeze, newest)) = stamped_freeze(&self.log, self.manifest, &trust)? else {
            let text = "the freeze is not in the log".to_owned();
            let next = "run `capitalbench hash-round` again, then `capitalbench anchor`".to_owned();
            return objection("freeze-not-logged", text, next);
        };
        let (Some(earliest), Some(newest)) = (freeze.before, newest) else {
            let why = self.unusable(&trust)?;
            let text = format!("no outside clock that is trusted has stamped the freeze{why}");
            return objection("freeze-not-stamped", text, anchor);
        };
        let age = now.duration_since(newest);
        let most = operator.configuration.stamp_max_age()?;
        if age > most {
            let text = format!(
                "the last stamp of the freeze is of {newest}, more than {} hours ago",
                most.as_hours()
            );
            return objection("freeze-stamp-old", text, anchor);
        }
        // A stamp names the latest instant at which the freeze may have come to be; calls come after.
        let ahead = earliest.duration_since(now);
        if ahead > CLOCK_SLACK {
            let text = format!("the freeze is stamped only at {earliest}, and it is {now}");
            let next = "set the clock of this machine, or wait until then".to_owned();
            return objection("freeze-stamped-late", text, next);
        }
        if !ahead.is_negative() {
            std::thread::sleep(ahead.unsigned_abs() + Duration::from_millis(10));
        }
        Ok(None)
    }

    /// Why the stamps that were received do not count, as the end of a sentence.
    fn unusable(&self, trust: &Trust) -> Result<String, Error> {
        if trust.believed == Believed::Roots(Vec::new()) {
            return Ok("; log/roots holds no root certificate (give --tsa-root FILE)".to_owned());
        }
        let Some(size) = self.log.anchored_sizes()?.pop() else {
            return Ok(String::new());
        };
        let refused: Vec<String> = self
            .log
            .anchors(size, trust)?
            .into_iter()
            .filter_map(|anchor| {
                let why = anchor.stamp.err()?;
                Some(format!("; {}: {why}", anchor.name))
            })
            .collect();
        Ok(refused.concat())
    }

    fn trust(&self, now: Timestamp) -> Result<Trust, Error> {
        Ok(Trust {
            believed: Believed::Roots(self.log.roots()?),
            now,
        })
    }

    /// Reasons in the promise alone why this run cannot become the record.
    pub fn objections_to_accepting(
        &self,
        operator: &Operator,
        run: &str,
    ) -> Result<Vec<Objection>, Error> {
        let now = operator.now();
        let mut found: Vec<Objection> = self.no_key(operator)?.into_iter().collect();
        if self.manifest.proof == Proof::Anchored {
            let entry = self.manifest.window.and_then(Window::entry_close);
            match entry {
                Some(entry) if now >= entry => found.push(Objection {
                    code: "picks-too-late",
                    text: format!(
                        "the entry close {entry} has passed; no clock can stamp the picks before it"
                    ),
                    next: LOST.to_owned(),
                }),
                _ => {}
            }
        }
        found.extend(self.order_objections(run, now)?);
        Ok(found)
    }

    /// Lines of the order of events that the promise needs and that are not proved.
    pub fn order_objections(&self, run: &str, now: Timestamp) -> Result<Vec<Objection>, Error> {
        if self.manifest.proof.is_none() {
            return Ok(Vec::new());
        }
        let told = history(&self.log, self.manifest, Some(run), &self.trust(now)?)?;
        let judged = judge(&told).into_iter();
        let needed = judged.filter(|judged| match self.manifest.proof {
            Proof::Anchored => judged.refuses(),
            Proof::Signed => matches!(judged.verdict, Verdict::Broken(_)),
            Proof::None => false,
        });
        let rounds = shell_word(self.log.rounds());
        Ok(needed
            .filter_map(|judged| objection(&judged, &rounds))
            .collect())
    }

    /// From the entry close on, a run counts only if its picks were accepted before that close.
    fn no_picks(&self, run: &str, now: Timestamp) -> Result<Option<Objection>, Error> {
        let entry = self.manifest.window.and_then(Window::entry_close);
        let begun = entry.is_some_and(|entry| now >= entry);
        if self.manifest.proof != Proof::Anchored || !begun {
            return Ok(None);
        }
        let told = history(&self.log, self.manifest, Some(run), &self.trust(now)?)?;
        Ok(told.picks.is_none().then(|| Objection {
            code: Line::PicksBeforeEntry.code(),
            text: format!("the picks of {run} were not accepted before the entry close"),
            next: LOST.to_owned(),
        }))
    }

    /// Refuses to score or publish a round whose order of events is not what it promised.
    pub fn require_order(&self, now: Timestamp) -> Result<(), Error> {
        if self.manifest.proof.is_none() {
            return Ok(());
        }
        let rules = self.manifest.record_rules();
        let runs = self.round.runs()?;
        let Ok(record) = official_run(&runs, rules).map(|record| record.run_id.clone()) else {
            return Ok(());
        };
        let mut found = self.order_objections(record.as_str(), now)?;
        found.extend(self.no_picks(record.as_str(), now)?);
        let first = found.into_iter().next().map(|objection| Objection {
            text: format!("{}: {}", objection.code, objection.text),
            ..objection
        });
        self.refuse(first)
    }
}

fn objection(judged: &Judged, rounds: &str) -> Option<Objection> {
    let (text, next) = match &judged.verdict {
        Verdict::Proved(_) | Verdict::Open => return None,
        Verdict::Broken(why) => (why.to_string(), LOST.to_owned()),
        Verdict::NotProved(why) => {
            let next = match why {
                Unproved::NotStamped(_) if judged.line != Line::FreezeBeforeAttempts => {
                    format!("stamp the log with `capitalbench anchor --rounds-dir {rounds}`")
                }
                _ => LOST.to_owned(),
            };
            (why.to_string(), next)
        }
    };
    Some(Objection {
        code: judged.line.code(),
        text,
        next,
    })
}

/// The same for every round of a publication.
pub fn require_orders(rounds: &Path, publication: &Publication) -> Result<(), Error> {
    let now = now_or(None).max(publication.as_of);
    for round in &publication.rounds {
        if !round.manifest.proof.is_none() {
            let folder = RoundFolder::open(&rounds.join(round.id().as_str()))?;
            Promise::of(&folder, &round.manifest).require_order(now)?;
        }
    }
    Ok(())
}
