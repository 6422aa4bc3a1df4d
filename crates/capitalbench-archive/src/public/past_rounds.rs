//! A folder of rounds as it was at a checkpoint of its log.
//!
//! The log holds the sealed digest of every file that a round had then. Each file is taken from where
//! its bytes are today: its own place, or the files that a later fetch or a correction replaced.
//! Bytes count only when they open the seal, so nothing is guessed; a missing file is an error that
//! names it.

use std::path::{Path, PathBuf};

use capitalbench_proof::checkpoint::Checkpoint;
use capitalbench_proof::merkle::sha256;
use jiff::Timestamp;

use crate::disk::error::{Fault, FileError};
use crate::disk::file_ops::scratch::ScratchFolder;
use crate::disk::layout;
use crate::log::check::check;
use crate::log::salts::salt_of;
use crate::log::{LogFolder, LogKey};
use crate::round::round_folder::{RoundFolder, list_rounds};

mod kept;
mod then;

use kept::{Need, Opened, need, open};
use then::{RoundThen, Then};

/// Rounds as they were, in a temporary folder that is removed with this.
#[derive(Debug)]
pub struct PastRounds {
    scratch: ScratchFolder,
    present: PathBuf,
    /// The state of the log they were restored from.
    pub checkpoint: Checkpoint,
    /// The instant of its last event, by the operator's clock.
    pub at: Timestamp,
    /// Rounds that were restored.
    pub rounds: usize,
    /// Files that no board needs and that are missing, or rounds that were not in the log then.
    pub left_out: Vec<LeftOut>,
}

/// A round, run or file that is not in the restored folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftOut {
    /// A round, a run or a file, seen from the folder of rounds.
    pub place: String,
    pub reason: &'static str,
}

impl PastRounds {
    /// Restores the rounds of a folder at a checkpoint: a size, a root or a file.
    ///
    /// It checks the whole log first. The owner's key opens every seal; without it, the published
    /// salts open theirs. `within` is a folder for temporary files.
    pub fn restore(
        rounds: &Path,
        checkpoint: &str,
        owner: Option<&LogKey>,
        within: &Path,
    ) -> Result<Self, FileError> {
        let log = LogFolder::of_rounds(rounds);
        let found = log.find_checkpoint(checkpoint)?.checkpoint;
        let mut then = Then::new(found.size);
        let checked = check(&log, &mut |index, event| then.visit(index, event))?;
        if let Some(wrong) = checked.problems.first() {
            let file = rounds.join(layout::LOG).join(&wrong.place);
            let text = format!("{}; the log does not hold", wrong.problem);
            return Err(Fault::new(text).in_file(&file));
        }
        let at = then.at().ok_or_else(|| {
            let text = "the last event of the checkpoint has no instant";
            FileError::folder(&rounds.join(layout::LOG), text)
        })?;
        let mut past = Self {
            scratch: ScratchFolder::begin(within, "rounds")?,
            present: rounds.to_owned(),
            checkpoint: found,
            at,
            rounds: 0,
            left_out: Vec::new(),
        };
        for round in list_rounds(rounds)? {
            if !then.rounds.contains_key(&round.name()) {
                past.leave_out(round.name(), "it was not in the log then");
            }
        }
        for (name, told) in &then.rounds {
            past.round(&log, owner, name, told)?;
        }
        if past.rounds == 0 {
            let text = "no round was in the log yet at this checkpoint";
            return Err(FileError::folder(&rounds.join(layout::LOG), text));
        }
        Ok(past)
    }

    pub fn folder(&self) -> &Path {
        self.scratch.path()
    }

    /// The folder as it is today; files beside its rounds are not in the log.
    pub fn present(&self) -> &Path {
        &self.present
    }

    fn leave_out(&mut self, place: String, reason: &'static str) {
        self.left_out.push(LeftOut { place, reason });
    }

    fn round(
        &mut self,
        log: &LogFolder,
        owner: Option<&LogKey>,
        name: &str,
        told: &RoundThen,
    ) -> Result<(), FileError> {
        if told.inventory.bodies.is_empty() {
            self.leave_out(name.to_owned(), "none of its files was in the log then");
            return Ok(());
        }
        let folder = self.present.join(name);
        if kept::is_odd(name) || !folder.is_dir() {
            let text = "was in the log then, but is not here, so the board cannot be rebuilt";
            return Err(FileError::folder(&folder, text));
        }
        let round = RoundFolder::open(&folder)?;
        let salts = log.salts(name)?.unwrap_or_default();
        let salt = |path: &str| salt_of(owner, &salts, name, path);
        let mut files: Vec<(&str, Vec<u8>)> = Vec::new();
        let mut lost: Vec<(String, &'static str)> = Vec::new();
        for (path, sealed) in &told.inventory.bodies {
            let need = need(path);
            if need == Need::Not || !told.counts(path) {
                continue;
            }
            let later = told.later.get(path);
            let unchanged = later.is_none_or(|later| *later == Some(*sealed));
            match open(&round, path, sealed, salt(path), unchanged)? {
                Opened::Found(bytes) => files.push((path, bytes)),
                Opened::Withheld if need == Need::Wanted || !told.is_scored() => {
                    lost.push((path.clone(), "is not public"));
                }
                Opened::Lost if need == Need::Wanted => {
                    lost.push((path.clone(), "its earlier bytes were not kept"));
                }
                Opened::Lost if !told.has_runs() => {
                    let reason = "its earlier inputs were not kept; no provider had been asked";
                    self.leave_out(name.to_owned(), reason);
                    return Ok(());
                }
                Opened::Lost | Opened::Withheld => match told.idle_run(path) {
                    Some(run) => {
                        let reason = "its earlier files were not kept; it was not the record";
                        lost.push((format!("{}/{run}", layout::RUNS), reason));
                    }
                    None => return Err(not_kept(&round, path)),
                },
            }
        }
        for (path, reason) in &lost {
            let inside = format!("{path}/");
            files.retain(|(own, _)| !own.starts_with(&inside));
            let place = format!("{name}/{path}");
            if !self.left_out.iter().any(|own| own.place == place) {
                self.leave_out(place, reason);
            }
        }
        for (path, bytes) in files {
            if let Some(other) = told.result(path).filter(|own| *own != sha256(&bytes)) {
                let text = format!("is not the result {} of the score event", other.to_hex());
                return Err(Fault::new(text).in_file(&round.file(path)));
            }
            self.scratch.write(&format!("{name}/{path}"), &bytes)?;
        }
        self.rounds += 1;
        Ok(())
    }
}

fn not_kept(round: &RoundFolder, path: &str) -> FileError {
    let text = "its bytes at this checkpoint are not here and not among the replaced files, so the \
                board cannot be rebuilt; restore the earlier file, or choose a later checkpoint";
    Fault::new(text).in_file(&round.file(path))
}
