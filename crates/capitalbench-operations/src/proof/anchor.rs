//! Outside clocks and witnesses are shown the newest signed state of a log, all at once.

use std::panic::resume_unwind;
use std::time::Duration;

use capitalbench_adapters::http::{HttpClient, HttpError};
use capitalbench_adapters::outside_clock::{ClockUrl, ask_authority, ask_calendar};
use capitalbench_archive::log::{Believed, LogFolder, Proofs, SignedCheckpoint, Trust};
use capitalbench_archive::round::round_folder::RoundFolder;
use capitalbench_archive::store::checkout::Checkout;
use capitalbench_core::round::manifest::{Manifest, Proof};
use capitalbench_proof::merkle::sha256;
use capitalbench_proof::opentimestamps::{commitment, proof_file};
use capitalbench_proof::timestamp::{Question, Stamp};
use jiff::SignedDuration;

use super::clocks::{AUTHORITIES, Clocks, RootFile};
use super::witnesses::{Cosigned, ask_witnesses};
use crate::error::Error;
use crate::operator::backoff::Backoff;
use crate::operator::{Notice, Operator, wait};
use crate::syncing::store::whole::{NOT_IN_STORE, is_in_store};

/// Time for one answer.
const TIME_LIMIT: Duration = Duration::from_secs(20);
/// How often a question is asked, and the pauses between.
const ATTEMPTS: u32 = 3;
const BACKOFF: Backoff = Backoff {
    first: Duration::from_millis(500),
};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Authority,
    Calendar,
}

impl Kind {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Authority => "rfc3161",
            Self::Calendar => "opentimestamps",
        }
    }
}

/// What a clock said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Said {
    /// The state existed before an instant.
    Stamped { stamp: Stamp, is_new: bool },
    /// The state will be in the chain.
    Promised { is_new: bool },
    /// Nothing of use.
    Refused(String),
}

/// Why a stamp proves nothing where the log holds no root.
pub const NO_ROOT: &str =
    "log/roots holds no root certificate, so nobody vouches for this clock; give --tsa-root FILE";

/// One clock and its answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asked {
    pub kind: Kind,
    pub url: String,
    pub said: Said,
}

/// What became of a signed state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Anchored {
    pub size: u64,
    /// Whether stamps were followed to a root.
    pub rooted: bool,
    pub asked: Vec<Asked>,
    /// What witnesses said, where some are named.
    pub cosigned: Cosigned,
}

impl Anchored {
    /// Whether whoever was asked did enough: a clock stamped it, and the witnesses' quorum signed.
    pub fn holds(&self) -> bool {
        (self.asked.is_empty() || self.is_stamped()) && self.cosigned.holds()
    }

    /// Whether anybody stamped it whom a root vouches for, or a calendar promised to.
    pub fn is_stamped(&self) -> bool {
        let holds = |asked: &Asked| match asked.said {
            Said::Stamped { .. } => self.rooted,
            Said::Promised { .. } => true,
            Said::Refused(_) => false,
        };
        self.asked.iter().any(holds)
    }

    /// Why nobody did, on one line.
    pub fn reasons(&self) -> String {
        let reason = |asked: &Asked| match &asked.said {
            Said::Refused(why) => Some(format!("{}: {why}", asked.url)),
            Said::Stamped { .. } if !self.rooted => Some(format!("{}: {NO_ROOT}", asked.url)),
            Said::Stamped { .. } | Said::Promised { .. } => None,
        };
        let reasons: Vec<String> = self.asked.iter().filter_map(reason).collect();
        reasons.join("; ")
    }
}

/// Shows the newest signed state to every clock that has not stamped it lately.
pub fn anchor(operator: &Operator, log: &LogFolder, clocks: &Clocks) -> Result<Anchored, Error> {
    let Some(signed) = log.checkpoint()? else {
        let text = format!("{} has no signed log", log.rounds().display());
        return Err(
            Error::new(text).hint("make a key with `capitalbench keys init`; then freeze a round")
        );
    };
    let size = signed.checkpoint.size;
    let state = SignedState {
        operator,
        log,
        kept: log.kept(size)?,
        believed: believed(log, &clocks.roots)?,
        max_age: operator.configuration.stamp_max_age()?,
    };
    let named = clocks.named()?;
    let mut asked = Vec::new();
    let mut open = Vec::new();
    for (kind, url, name) in named {
        match state.known(kind, &name)? {
            Some(said) => asked.push(Asked {
                kind,
                url: url.to_string(),
                said,
            }),
            None => open.push((kind, url, name)),
        }
    }
    if !open.is_empty() {
        // A resolver that asks for prices waits in this thread already, and nobody waits in it twice.
        let answered = std::thread::scope(|threads| {
            let asking = threads.spawn(|| wait(state.ask_all(open)));
            asking.join().unwrap_or_else(|panic| resume_unwind(panic))
        });
        asked.extend(answered??);
    }
    let anchored = Anchored {
        size,
        rooted: state.believed != Believed::Anybody,
        asked,
        cosigned: ask_witnesses(operator, log, &state.kept, &clocks.witnesses)?,
    };
    if anchored.is_stamped() {
        for root in &clocks.roots {
            log.keep_root(&root.name, &root.pem)?;
        }
    }
    Ok(anchored)
}

/// After a step of a signed round: asks the configured clocks where it promises stamps, and the
/// witnesses. The step is done either way; what is missing is announced, and `anchor` gets it later.
/// A worker of a store leaves that to the machine that runs the league.
pub fn follow_step(
    operator: &Operator,
    round: &RoundFolder,
    manifest: &Manifest,
) -> Result<(), Error> {
    if Checkout::has_passing_log(&round.rounds()) {
        return Ok(());
    }
    let clocks = match (manifest.proof, Clocks::configured(&operator.configuration)?) {
        (Proof::None, _) => return Ok(()),
        (Proof::Signed, clocks) if clocks.witnesses.is_empty() => return Ok(()),
        (Proof::Signed, clocks) => clocks.without_clocks(),
        (Proof::Anchored, clocks) => clocks,
    };
    let log = LogFolder::of_round(round);
    let no_clock = clocks.has_no_clock() && manifest.proof == Proof::Anchored;
    let mut missing = no_clock.then(|| format!("{AUTHORITIES} is not set"));
    if !clocks.is_empty() {
        if !is_in_store(operator, log.rounds())? {
            let (why, rounds) = (NOT_IN_STORE, log.rounds());
            operator.say(&Notice::NotStamped { why, rounds });
            return Ok(());
        }
        let anchored = anchor(operator, &log, &clocks)?;
        announce_quorum(operator, &log, &anchored);
        if clocks.has_no_clock() && missing.is_none() {
            return Ok(());
        }
        missing = missing.or_else(|| (!anchored.is_stamped()).then(|| anchored.reasons()));
    }
    match missing {
        None => operator.say(&Notice::Stamped),
        Some(why) => operator.say(&Notice::NotStamped {
            why: &why,
            rounds: log.rounds(),
        }),
    }
    Ok(())
}

/// Says it where fewer witnesses signed than the rule asks for.
pub(crate) fn announce_quorum(operator: &Operator, log: &LogFolder, anchored: &Anchored) {
    if !anchored.cosigned.holds() {
        operator.say(&Notice::NotCosigned {
            why: &anchored.cosigned.words(),
            rounds: log.rounds(),
        });
    }
}

/// The newest signed state of a log, and by what its stamps are judged.
struct SignedState<'a> {
    operator: &'a Operator,
    log: &'a LogFolder,
    kept: SignedCheckpoint,
    believed: Believed,
    max_age: SignedDuration,
}

impl SignedState<'_> {
    fn digest(&self) -> [u8; 32] {
        *sha256(self.kept.note.as_bytes()).as_bytes()
    }

    /// What a clock said about this state lately.
    fn known(&self, kind: Kind, name: &str) -> Result<Option<Said>, Error> {
        let size = self.kept.checkpoint.size;
        let own = |file: &str| {
            let rest = file.strip_prefix(name);
            rest.is_some_and(|rest| rest.is_empty() || is_number(rest))
        };
        if kind == Kind::Calendar {
            let files = self.log.open_timestamps(size)?;
            let there = files.iter().any(|(file, _)| own(file));
            return Ok(there.then_some(Said::Promised { is_new: false }));
        }
        let trust = self.trust();
        let now = trust.now;
        let anchors = self.log.anchors(size, &trust)?.into_iter();
        let stamps = anchors
            .filter(|anchor| own(&anchor.name))
            .filter_map(|anchor| anchor.stamp.ok());
        let newest = stamps.max_by_key(|stamp| stamp.before);
        let fresh = newest.filter(|stamp| now.duration_since(stamp.before) <= self.max_age);
        Ok(fresh.map(|stamp| Said::Stamped {
            stamp,
            is_new: false,
        }))
    }

    async fn ask_all(&self, open: Vec<(Kind, ClockUrl, String)>) -> Result<Vec<Asked>, Error> {
        let configuration = &self.operator.configuration;
        let http = configuration.http(configuration.reach())?;
        let digest = self.digest();
        let mut waiting = Vec::new();
        for (kind, url, name) in open {
            let http = http.clone();
            let nonce = nonce()?;
            let asked = url.clone();
            let answer = tokio::spawn(async move { ask(&http, kind, &asked, digest, nonce).await });
            waiting.push((kind, url, name, nonce, answer));
        }
        let mut asked = Vec::new();
        for (kind, url, name, nonce, answer) in waiting {
            let answer = answer
                .await
                .map_err(|error| Error::new(format!("{url}: {error}")))?;
            let said = match answer {
                Err(error) => Said::Refused(error.to_string()),
                Ok(bytes) => self.judge(kind, &name, nonce, bytes)?,
            };
            let url = url.to_string();
            asked.push(Asked { kind, url, said });
        }
        Ok(asked)
    }

    /// Keeps an answer that holds.
    fn judge(
        &self,
        kind: Kind,
        name: &str,
        nonce: [u8; 16],
        answer: Vec<u8>,
    ) -> Result<Said, Error> {
        let size = self.kept.checkpoint.size;
        let (proofs, said) = match judged(&self.trust(), kind, self.digest(), nonce, answer) {
            Ok(judged) => judged,
            Err(reason) => return Ok(Said::Refused(reason)),
        };
        self.log.keep_proofs(size, name, &proofs)?;
        Ok(said)
    }

    fn trust(&self) -> Trust {
        Trust {
            believed: self.believed.clone(),
            now: self.operator.clock.now(),
        }
    }
}

/// What an answer proves about a digest, or why it proves nothing.
pub(crate) fn judged(
    trust: &Trust,
    kind: Kind,
    digest: [u8; 32],
    nonce: [u8; 16],
    answer: Vec<u8>,
) -> Result<(Proofs, Said), String> {
    match kind {
        Kind::Authority => {
            let question = question(digest, nonce);
            let stamp = trust.check(&answer, &question);
            let stamp = stamp.map_err(|refusal| refusal.to_string())?;
            let proofs = Proofs::Reply {
                query: question.to_query(),
                reply: answer,
            };
            let is_new = true;
            Ok((proofs, Said::Stamped { stamp, is_new }))
        }
        Kind::Calendar => {
            let file = proof_file(&digest, &nonce, &answer);
            let file = file.map_err(|fault| fault.to_string())?;
            Ok((Proofs::OpenTimestamp(file), Said::Promised { is_new: true }))
        }
    }
}

/// Roots where the operator keeps or gives some; else a stamp is taken from anybody.
pub(super) fn believed(log: &LogFolder, given: &[RootFile]) -> Result<Believed, Error> {
    let mut roots = log.roots()?;
    for root in given {
        roots.extend(log.new_roots(&root.name, &root.pem)?);
    }
    Ok(if roots.is_empty() {
        Believed::Anybody
    } else {
        Believed::Roots(roots)
    })
}

/// Whether a name goes on with a number, as that of a later stamp does.
fn is_number(rest: &str) -> bool {
    rest.strip_prefix('.')
        .is_some_and(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()))
}

pub(super) fn question(digest: [u8; 32], nonce: [u8; 16]) -> Question {
    let mut eight = [0; 8];
    eight.copy_from_slice(&nonce[..8]);
    // Some authorities take the highest bit for a sign.
    let nonce = Some(u64::from_be_bytes(eight) >> 1);
    Question { digest, nonce }
}

pub(crate) fn nonce() -> Result<[u8; 16], Error> {
    let mut nonce = [0; 16];
    getrandom::fill(&mut nonce)
        .map_err(|error| Error::new(format!("the system gives no randomness: {error}")))?;
    Ok(nonce)
}

pub(crate) async fn ask(
    http: &HttpClient,
    kind: Kind,
    url: &ClockUrl,
    digest: [u8; 32],
    nonce: [u8; 16],
) -> Result<Vec<u8>, HttpError> {
    let mut failures = 0;
    loop {
        let answer = match kind {
            Kind::Authority => {
                let query = question(digest, nonce).to_query();
                ask_authority(http, url, query, TIME_LIMIT).await
            }
            Kind::Calendar => {
                ask_calendar(http, url, &commitment(&digest, &nonce), TIME_LIMIT).await
            }
        };
        failures += 1;
        match answer {
            Err(error) if error.is_transient() && failures < ATTEMPTS => {
                tokio::time::sleep(BACKOFF.pause(failures, None)).await;
            }
            answer => return answer,
        }
    }
}
