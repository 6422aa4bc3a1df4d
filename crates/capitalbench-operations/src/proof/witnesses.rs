//! [`Witnesses`]: others who see the log grow, and are asked to cosign its newest state.
//!
//! A witness that cannot be reached or refuses stops nothing: its answer is told, and whoever reads
//! the log sees whether as many signed as the rule asks for.

use std::panic::resume_unwind;
use std::str::FromStr;
use std::time::Duration;

use capitalbench_adapters::http::{HttpClient, HttpError};
use capitalbench_adapters::witness::{WitnessAnswer, WitnessUrl, add_checkpoint};
use capitalbench_archive::log::{LogFolder, SignedCheckpoint};
use capitalbench_proof::note::VerifierKey;
use capitalbench_proof::witness::{Cosignature, WitnessRule, cosignature, known_size, question};
use jiff::Timestamp;

use crate::error::Error;
use crate::operator::backoff::Backoff;
use crate::operator::configuration::Configuration;
use crate::operator::{Operator, wait};

/// Whom to ask, as `KEY=ADDRESS`, and how many must sign, where no flag says so.
pub(crate) const WITNESSES: &str = "CAPITALBENCH_WITNESSES";
pub(crate) const QUORUM: &str = "CAPITALBENCH_WITNESS_QUORUM";

/// Time for one answer.
const TIME_LIMIT: Duration = Duration::from_secs(20);
/// How often a question is asked that finds no server, and the pauses between.
const ATTEMPTS: u32 = 2;
const BACKOFF: Backoff = Backoff {
    first: Duration::from_millis(500),
};
/// How often a witness may name another size than the one it was asked about: somebody else may ask
/// it for the same log meanwhile.
const CONFLICTS: u32 = 3;

/// A witness, by its key, and where it is asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Witness {
    pub key: VerifierKey,
    pub url: WitnessUrl,
}

impl FromStr for Witness {
    type Err = String;

    /// No key of 33 bytes ends with an equals sign in base64, so the first one before an address
    /// separates the two.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let wrong = |why: String| {
            format!(
                "a witness is written KEY=ADDRESS, as in w.example+1a2b3c4d+BAbc=https://w.example: {why}"
            )
        };
        let at = text.find("=http");
        let at = at.ok_or_else(|| wrong("it has no =https://…".to_owned()))?;
        let key = VerifierKey::parse(&text[..at]).map_err(|error| wrong(error.to_string()))?;
        let url = text[at + 1..].parse::<WitnessUrl>();
        let url = url.map_err(|error| wrong(error.to_string()))?;
        Ok(Self { key, url })
    }
}

/// The witnesses that an operator names.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Witnesses {
    pub of: Vec<Witness>,
    /// How many must sign; more than half where nobody says so.
    pub quorum: Option<usize>,
}

impl Witnesses {
    pub fn configured(configuration: &Configuration) -> Result<Self, Error> {
        let text = configuration.get(WITNESSES).unwrap_or_default();
        let words = text.split([' ', ',', '\n']).filter(|word| !word.is_empty());
        let of = words.map(|word| {
            let parsed = word.parse::<Witness>();
            parsed.map_err(|error| Error::new(format!("{WITNESSES}: {error}")))
        });
        let number = |text: String| {
            let wrong = || Error::new(format!("{QUORUM}={text}: must be a whole number"));
            text.trim().parse().map_err(|_| wrong())
        };
        Ok(Self {
            of: of.collect::<Result<_, _>>()?,
            quorum: configuration.get(QUORUM).map(number).transpose()?,
        })
    }

    pub fn is_empty(&self) -> bool {
        self.of.is_empty()
    }

    /// The rule that readers are told.
    pub fn rule(&self) -> Result<WitnessRule, Error> {
        let keys = self.of.iter().map(|own| own.key.clone()).collect();
        let quorum = self.quorum.unwrap_or(self.of.len() / 2 + 1);
        WitnessRule::new(keys, Some(quorum))
            .map_err(|error| Error::new(format!("the witnesses cannot be asked: {error}")))
    }
}

/// What a witness said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Cosigning {
    /// It saw the state at an instant.
    Signed { at: Timestamp, is_new: bool },
    /// Nothing of use.
    Refused(String),
}

/// One witness and its answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AskedWitness {
    pub name: String,
    pub url: String,
    pub said: Cosigning,
}

/// What the witnesses of a log said about its newest state.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Cosigned {
    /// How many must sign.
    pub quorum: usize,
    pub asked: Vec<AskedWitness>,
}

impl Cosigned {
    pub fn signed(&self) -> usize {
        let signed = |own: &&AskedWitness| matches!(own.said, Cosigning::Signed { .. });
        self.asked.iter().filter(signed).count()
    }

    /// Whether as many signed as the rule asks for; where nobody is named nobody is needed.
    pub fn holds(&self) -> bool {
        self.signed() >= self.quorum
    }

    /// How many signed, and why the others did not, on one line.
    pub fn words(&self) -> String {
        let refused = self.asked.iter().filter_map(|own| match &own.said {
            Cosigning::Refused(why) => Some(format!("; {}: {why}", own.name)),
            Cosigning::Signed { .. } => None,
        });
        let refused: String = refused.collect();
        format!(
            "{} of {} witnesses cosigned, {} must{refused}",
            self.signed(),
            self.asked.len(),
            self.quorum
        )
    }
}

/// Asks every witness that has not cosigned this checkpoint yet, all at once, keeps what holds and
/// publishes the rule.
pub(super) fn ask_witnesses(
    operator: &Operator,
    log: &LogFolder,
    kept: &SignedCheckpoint,
    witnesses: &Witnesses,
) -> Result<Cosigned, Error> {
    if witnesses.is_empty() {
        return Ok(Cosigned::default());
    }
    let rule = witnesses.rule()?;
    log.keep_witnesses(&rule)?;
    // A resolver that asks for prices waits in this thread already, and nobody waits in it twice.
    let asked = std::thread::scope(|threads| {
        let asking = threads.spawn(|| wait(ask_all(operator, log, kept, witnesses)));
        asking.join().unwrap_or_else(|panic| resume_unwind(panic))
    });
    Ok(Cosigned {
        quorum: rule.quorum().unwrap_or_default(),
        asked: asked??,
    })
}

async fn ask_all(
    operator: &Operator,
    log: &LogFolder,
    kept: &SignedCheckpoint,
    witnesses: &Witnesses,
) -> Result<Vec<AskedWitness>, Error> {
    let configuration = &operator.configuration;
    let http = configuration.http(configuration.reach())?;
    let size = kept.checkpoint.size;
    let now = operator.clock.now();
    let mut open = Vec::new();
    for witness in &witnesses.of {
        let known = log.kept_cosignature(size, &witness.key, now)?;
        let asking = known.is_none().then(|| {
            let question = Conversation {
                http: http.clone(),
                log: log.clone(),
                kept: kept.clone(),
                witness: witness.clone(),
            };
            tokio::spawn(async move { question.cosignature(now).await })
        });
        open.push((witness, known, asking));
    }
    let mut asked = Vec::new();
    for (witness, known, asking) in open {
        let said = match (known, asking) {
            (Some(own), _) => Cosigning::Signed {
                at: own.at,
                is_new: false,
            },
            (None, None) => Cosigning::Refused("it was not asked".to_owned()),
            (None, Some(asking)) => {
                let answer = asking.await;
                let answer =
                    answer.map_err(|error| Error::new(format!("{}: {error}", witness.url)))?;
                match answer {
                    Err(why) => Cosigning::Refused(why),
                    Ok(own) => {
                        log.keep_cosignature(size, &witness.key, &own)?;
                        Cosigning::Signed {
                            at: own.at,
                            is_new: true,
                        }
                    }
                }
            }
        };
        asked.push(AskedWitness {
            name: witness.key.name().to_owned(),
            url: witness.url.to_string(),
            said,
        });
    }
    Ok(asked)
}

/// One witness that is asked about one checkpoint.
struct Conversation {
    http: HttpClient,
    log: LogFolder,
    kept: SignedCheckpoint,
    witness: Witness,
}

impl Conversation {
    /// Its cosignature, or why there is none. The first question names the size under which its last
    /// cosignature is kept; a witness that knows another one says so, and is asked again with the
    /// proof from there.
    async fn cosignature(&self, now: Timestamp) -> Result<Cosignature, String> {
        let key = &self.witness.key;
        let last = self.log.last_cosigned(key);
        let mut known = last.map_err(|error| error.to_string())?.unwrap_or(0);
        for _ in 0..CONFLICTS {
            match self.ask(known).await? {
                WitnessAnswer::Cosigned(lines) => {
                    let own = cosignature(&self.kept.note, &lines, key, now);
                    return own.map_err(|error| error.to_string());
                }
                WitnessAnswer::Conflict(text) => known = self.other_size(known, &text)?,
                WitnessAnswer::UnknownLog => {
                    return Err(format!(
                        "it does not know the log {}; send log/vkey to its operator",
                        self.kept.checkpoint.origin
                    ));
                }
                WitnessAnswer::UnknownKey => {
                    let text = "it knows this log by another key; send log/vkey to its operator";
                    return Err(text.to_owned());
                }
                WitnessAnswer::NoGrowth => {
                    return Err(format!(
                        "it says that this log does not continue the {known} entries that it cosigned: \
                         history was changed, or this is another copy of the log"
                    ));
                }
                WitnessAnswer::Refused { status, text } => {
                    return Err(format!("it refused with status {status}: {text}"));
                }
            }
        }
        Err("it names another size each time; somebody else asks it for this log".to_owned())
    }

    /// The size that a witness named in place of the one it was asked about.
    fn other_size(&self, asked: u64, text: &str) -> Result<u64, String> {
        let size = self.kept.checkpoint.size;
        match known_size(text) {
            None => Err("it refused with status 409, but named no size".to_owned()),
            Some(own) if own > size => Err(format!(
                "it cosigned {own} entries of this log, and this folder has {size}: entries were removed, or \
                 this is another copy of the log"
            )),
            Some(own) if own == asked => Err(format!(
                "it cosigned another log of {own} entries under this name: history was changed, or this \
                 is another copy of the log"
            )),
            Some(own) => Ok(own),
        }
    }

    async fn ask(&self, known: u64) -> Result<WitnessAnswer, String> {
        let size = self.kept.checkpoint.size;
        let growth = self.log.prove_growth(known, size);
        let growth = growth.map_err(|error| error.to_string())?;
        let text = growth.and_then(|growth| question(known, &growth, &self.kept.note));
        let text = text.ok_or_else(|| {
            format!("it cosigned {known} entries, and this folder has {size}: entries were removed")
        })?;
        let mut failures = 0;
        loop {
            let (http, url) = (&self.http, &self.witness.url);
            let answer = add_checkpoint(http, url, text.clone(), TIME_LIMIT).await;
            failures += 1;
            match answer {
                Err(error) if is_worth_another(&error) && failures < ATTEMPTS => {
                    tokio::time::sleep(BACKOFF.pause(failures, None)).await;
                }
                answer => return answer.map_err(|error| error.to_string()),
            }
        }
    }
}

/// A witness that let the time pass would let it pass again.
fn is_worth_another(error: &HttpError) -> bool {
    error.is_transient() && !matches!(error, HttpError::Timeout { .. })
}

#[cfg(test)]
mod tests;
