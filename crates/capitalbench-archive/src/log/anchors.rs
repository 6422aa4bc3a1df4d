//! Replies of outside clocks about checkpoints: stored as files, and checked.
//!
//! `log/anchors/<size>/<clock>.tsq` and `.tsr` are a question of RFC 3161 and its reply about the
//! bytes of `log/checkpoints/<size>`; `<clock>.ots` is an OpenTimestamps proof of the same bytes.
//! None of them is ever replaced: the next reply of a clock becomes `<clock>.2.tsq` and so on.
//! Cosignatures of witnesses lie beside them ([`super::witnesses`]).

use std::path::PathBuf;

use capitalbench_proof::merkle::{Hash, sha256};
use capitalbench_proof::opentimestamps::{self, Attestation};
use capitalbench_proof::timestamp::{
    Question, Refusal, Root, Stamp, check, check_below, check_without_root,
};
use jiff::Timestamp;

use super::{LogFolder, SignedCheckpoint, read};
use crate::disk::error::{Fault, FileError};
use crate::disk::file_ops;
use crate::disk::layout;
use crate::round::round_folder::names_in;

const QUERY: &str = ".tsq";
const REPLY: &str = ".tsr";
const OPEN_TIMESTAMP: &str = ".ots";
const ROOT: &str = ".pem";

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Believed {
    /// Authorities below these roots.
    Roots(Vec<Root>),
    /// The reader vouches for authorities below the first roots; stamps below the other roots are
    /// reported too, but only the operator vouches for those.
    Vouched {
        /// Roots that the reader named, or those of public authorities.
        own: Vec<Root>,
        /// Roots that lie in the log.
        shipped: Vec<Root>,
    },
    /// Any authority; only to see whether there is a reply.
    Anybody,
}

/// Whose time stamps a reader believes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trust {
    pub believed: Believed,
    /// The reader's clock; a stamp from the future is invalid.
    pub now: Timestamp,
}

impl Trust {
    /// Checks a reply: the stamp, and whether the reader vouches for the authority.
    fn judge(&self, reply: &[u8], question: &Question) -> Result<(Stamp, bool), Refusal> {
        match &self.believed {
            Believed::Roots(roots) => {
                check(reply, question, roots, self.now).map(|stamp| (stamp, true))
            }
            Believed::Vouched { own, shipped } => {
                check_below(reply, question, &[own, shipped], self.now)
                    .map(|(stamp, set)| (stamp, set == 0))
            }
            Believed::Anybody => {
                check_without_root(reply, question, self.now).map(|stamp| (stamp, false))
            }
        }
    }

    pub fn check(&self, reply: &[u8], question: &Question) -> Result<Stamp, Refusal> {
        self.judge(reply, question).map(|(stamp, _)| stamp)
    }
}

/// The reply of one clock about one checkpoint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Anchor {
    /// Size of the log at the checkpoint.
    pub size: u64,
    /// Name of the files, without their ending.
    pub name: String,
    /// The stamp, or why the reply is invalid.
    pub stamp: Result<Stamp, Refusal>,
    /// Whether the reader vouches for the authority.
    pub vouched: bool,
}

/// New files about a checkpoint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Proofs {
    /// A question of RFC 3161 and its reply.
    Reply { query: Vec<u8>, reply: Vec<u8> },
    /// A file of OpenTimestamps.
    OpenTimestamp(Vec<u8>),
}

/// The name under which files of a clock lie: its host, and its port where one is named.
pub fn clock_name(host: &str, port: Option<u16>) -> String {
    let host = plain_name(host);
    match port {
        None => host,
        Some(port) => format!("{host}_{port}"),
    }
}

/// A name that every disk takes for a file.
pub(super) fn plain_name(name: &str) -> String {
    let plain = |c: char| {
        if c.is_ascii_alphanumeric() || matches!(c, '.' | '-') {
            c.to_ascii_lowercase()
        } else {
            '_'
        }
    };
    name.chars().map(plain).collect()
}

impl LogFolder {
    /// Sizes of the checkpoints that a clock was asked about, smallest first.
    pub fn anchored_sizes(&self) -> Result<Vec<u64>, FileError> {
        self.sizes_in(layout::LOG_ANCHORS)
    }

    pub(super) fn anchor_folder(&self, size: u64) -> PathBuf {
        self.file(layout::LOG_ANCHORS).join(size.to_string())
    }

    /// Every checked reply about a checkpoint; skips a question without a reply.
    pub fn anchors(&self, size: u64, trust: &Trust) -> Result<Vec<Anchor>, FileError> {
        let folder = self.anchor_folder(size);
        let mut found = Vec::new();
        for file in names_in(&folder)? {
            let Some(name) = file.strip_suffix(REPLY) else {
                continue;
            };
            let reply = file_ops::read(&folder.join(&file))?;
            let query = file_ops::read(&folder.join(format!("{name}{QUERY}")))?;
            let judged = self.judge(size, &query, &reply, trust)?;
            found.push(Anchor {
                size,
                name: name.to_owned(),
                vouched: matches!(judged, Ok((_, true))),
                stamp: judged.map(|(stamp, _)| stamp),
            });
        }
        Ok(found)
    }

    fn judge(
        &self,
        size: u64,
        query: &[u8],
        reply: &[u8],
        trust: &Trust,
    ) -> Result<Result<(Stamp, bool), Refusal>, FileError> {
        let digest = sha256(self.kept(size)?.note.as_bytes());
        Ok(Question::from_query(query).and_then(|question| {
            if question.digest != *digest.as_bytes() {
                return Err(Refusal::OtherDigest {
                    expected: digest.to_hex(),
                    found: Hash::new(question.digest).to_hex(),
                });
            }
            if question.to_query() != query {
                let what = "the time stamp query";
                return Err(Refusal::Malformed { what });
            }
            trust.judge(reply, &question)
        }))
    }

    /// The kept checkpoint of this size; a stamp counts only for a checkpoint that the log signed.
    pub fn kept(&self, size: u64) -> Result<SignedCheckpoint, FileError> {
        let file = self.kept_file(size);
        let signed = self.checkpoint_at(size)?;
        let own = signed.filter(|signed| signed.checkpoint.size == size);
        own.ok_or_else(|| Fault::new("is not the checkpoint of this size").in_file(&file))
    }

    /// The attestations of a checkpoint in OpenTimestamps files, by file name.
    pub fn open_timestamps(&self, size: u64) -> Result<Vec<(String, Vec<Attestation>)>, FileError> {
        let folder = self.anchor_folder(size);
        let mut found = Vec::new();
        for file in names_in(&folder)? {
            if let Some(name) = file.strip_suffix(OPEN_TIMESTAMP) {
                let path = folder.join(&file);
                let bytes = file_ops::read(&path)?;
                let digest = sha256(self.kept(size)?.note.as_bytes());
                let seen = opentimestamps::read(&bytes, digest.as_bytes());
                let seen = seen.map_err(|fault| Fault::new(fault).in_file(&path))?;
                found.push((name.to_owned(), seen));
            }
        }
        Ok(found)
    }

    /// Stores a reply of a clock beside its earlier replies.
    pub fn keep_proofs(&self, size: u64, clock: &str, proofs: &Proofs) -> Result<(), FileError> {
        let _hold = self.take_turn()?;
        let folder = self.anchor_folder(size);
        let taken = names_in(&folder)?;
        let (first, rest) = match proofs {
            Proofs::Reply { query, reply } => ((QUERY, query), Some((REPLY, reply))),
            Proofs::OpenTimestamp(file) => ((OPEN_TIMESTAMP, file), None),
        };
        let ending = rest.map_or(first.0, |(ending, _)| ending);
        let name = free_name(clock, ending, &taken);
        let files: Vec<_> = std::iter::once(first)
            .chain(rest)
            .map(|(ending, bytes)| (folder.join(format!("{name}{ending}")), bytes.clone()))
            .collect();
        Ok(file_ops::replace_all(&files)?)
    }

    /// The roots that the operator trusts and publishes.
    pub fn roots(&self) -> Result<Vec<Root>, FileError> {
        let folder = self.file(layout::LOG_ROOTS);
        let mut roots = Vec::new();
        for name in names_in(&folder)? {
            if name.ends_with(ROOT) {
                let file = folder.join(&name);
                let found = Root::from_pem(&file_ops::read(&file)?);
                roots.extend(found.map_err(|error| Fault::new(error).in_file(&file))?);
            }
        }
        Ok(roots)
    }

    /// The roots of a file that [`Self::keep_root`] would add.
    pub fn new_roots(&self, name: &str, pem: &[u8]) -> Result<Vec<Root>, FileError> {
        let file = self.root_file(name);
        if read(&file)?.is_some_and(|there| there != pem) {
            let text = "already holds other certificates; give the new file another name";
            return Err(Fault::new(text).in_file(&file));
        }
        Root::from_pem(pem).map_err(|error| Fault::new(error).in_file(&file))
    }

    /// Adds a file of roots; never replaces one with other certificates.
    pub fn keep_root(&self, name: &str, pem: &[u8]) -> Result<(), FileError> {
        self.new_roots(name, pem)?;
        let file = self.root_file(name);
        if !file.exists() {
            file_ops::create_folder(&self.file(layout::LOG_ROOTS))?;
            file_ops::create_new(&file, pem)?;
        }
        Ok(())
    }

    fn root_file(&self, name: &str) -> PathBuf {
        self.file(layout::LOG_ROOTS).join(format!("{name}{ROOT}"))
    }
}

fn free_name(clock: &str, ending: &str, taken: &[String]) -> String {
    let is_free = |name: &String| !taken.contains(&format!("{name}{ending}"));
    let numbered = (2..).map(|number: u64| format!("{clock}.{number}"));
    let mut names = std::iter::once(clock.to_owned()).chain(numbered);
    names.find(is_free).unwrap_or_else(|| clock.to_owned())
}
