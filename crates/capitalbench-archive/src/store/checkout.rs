//! A checkout: a folder of rounds, and what it knows of the store that it came from.
//!
//! `.capitalbench/store/` in the folder of rounds holds the address of the store, and one file per unit:
//! its head as it was pulled or pushed, its files, and what the system said of them then. A unit that is
//! being written has a mark in `begun`, which names what may have been written; whoever finds one writes
//! the unit again.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use capitalbench_core::values::ids::Digest;
use serde::{Deserialize, Serialize};

use super::head::{Generation, Head};
use super::index::{Content, Place};
use super::unit::{Mark, Unit};
use crate::disk::error::FileError;
use crate::disk::file_ops::{self, Hold};
use crate::disk::layout;
use crate::disk::state_folder;
use crate::format::text::json;
use crate::round::round_folder::{names_in, parse_file, read_file};

mod writing;

pub use writing::Begun;

/// Where a checkout keeps what it knows, seen from the folder of rounds.
const FOLDER: &str = ".capitalbench/store";
/// What pushes and pulls began; in a folder of its own, which is empty but for what did not end.
const BEGUN: &str = "begun";
/// The id of the store.
const ID: &str = "id";
/// When the machine was started last, as this folder saw it.
const START: &str = "start";
/// What Linux calls the present start of the machine; other systems have no such file, and then nothing is
/// forgotten.
const THIS_START: &str = "/proc/sys/kernel/random/boot_id";
/// The ending of what a push is about to publish.
const INTENT: &str = "intent";
/// The ending of the mark of a unit that is being written.
const MARK: &str = "mark";

/// A folder of rounds with its store; held by this process until it is dropped.
#[derive(Debug)]
pub struct Checkout {
    rounds: PathBuf,
    _hold: Hold,
}

/// What a checkout knows of a unit.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Known {
    /// The tag of its head.
    pub tag: String,
    pub head: Head,
    pub content: Content,
    marks: BTreeMap<String, Mark>,
}

/// What a push is about to publish. A push that died after its head was written finds here what it
/// published.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Intent {
    pub generation: Generation,
    pub content: Content,
    pub marks: BTreeMap<String, Mark>,
}

/// How a unit of the folder differs from what the checkout knows of it.
#[derive(Debug, Default)]
pub struct Change {
    /// Files that are new or hold something else, with their bytes.
    pub changed: Vec<(String, Vec<u8>)>,
    /// The generation without them and without what is gone.
    pub kept: Content,
    pub is_changed: bool,
    /// What the system said of all files before any was read.
    pub marks: BTreeMap<String, Mark>,
}

impl Checkout {
    /// Takes a folder as a checkout of a store; none while another process has it.
    pub fn take(rounds: &Path, store: &str) -> Result<Option<Self>, FileError> {
        file_ops::create_folder(rounds)?;
        state_folder::create(&rounds.join(layout::STATE))?;
        let folder = rounds.join(FOLDER);
        file_ops::create_folder(&folder.join(BEGUN))?;
        let Some(hold) = file_ops::hold(&folder.join("lock"))? else {
            return Ok(None);
        };
        let address = folder.join("address");
        match read_file(&address)? {
            None => file_ops::create_new(&address, store.as_bytes())?,
            Some(known) if known == store.as_bytes() => {}
            Some(known) => {
                let known = String::from_utf8_lossy(&known);
                let text = format!(
                    "is a checkout of {known}; name that store, or another folder with --rounds-dir"
                );
                return Err(FileError::folder(rounds, text));
            }
        }
        let rounds = rounds.to_owned();
        Ok(Some(Self {
            rounds,
            _hold: hold,
        }))
    }

    pub fn rounds(&self) -> &Path {
        &self.rounds
    }

    /// The store that a folder is a checkout of.
    pub fn address(rounds: &Path) -> Result<Option<String>, FileError> {
        let bytes = read_file(&rounds.join(FOLDER).join("address"))?;
        Ok(bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()))
    }

    /// Whether a folder is a checkout whose log was not pushed as it is: its checkpoint may never count.
    pub fn has_own_checkpoint(rounds: &Path) -> Result<bool, FileError> {
        if Self::address(rounds)?.is_none() {
            return Ok(false);
        }
        let known = rounds.join(FOLDER).join("own-log.json");
        let known: Option<Known> = parse_file(&known, json::read)?;
        let known = known.unwrap_or_default();
        let checkpoint = read_file(&rounds.join(layout::LOG_CHECKPOINT))?;
        let place = known.content.files.get("checkpoint");
        Ok(match (checkpoint, place) {
            (None, _) => false,
            (Some(_), None) => true,
            (Some(bytes), Some(place)) => !holds(&bytes, place),
        })
    }

    /// Notes that the log here is only read: what is signed on top of it is signed again when a round is
    /// pushed, so no clock and no witness may see it.
    pub fn let_log_pass(&self) -> Result<(), FileError> {
        Ok(file_ops::replace(&passing(&self.rounds), b"")?)
    }

    pub fn has_passing_log(rounds: &Path) -> bool {
        passing(rounds).exists()
    }

    fn file(&self, unit: &Unit, ending: &str) -> PathBuf {
        let key = unit.key();
        let name = key.rsplit('/').next().unwrap_or_default();
        let kind = match unit {
            Unit::Round(_) => "round",
            Unit::Log | Unit::Beside => "own",
        };
        let folder = self.rounds.join(FOLDER);
        let folder = match ending {
            INTENT | MARK => folder.join(BEGUN),
            _ => folder,
        };
        folder.join(format!("{kind}-{name}.{ending}"))
    }

    /// What pushes and pulls of this folder began and did not end, by unit and ending.
    fn begun(&self) -> Result<Vec<(Unit, &'static str)>, FileError> {
        let mut found = Vec::new();
        for name in names_in(&self.rounds.join(FOLDER).join(BEGUN))? {
            let Some((stem, ending)) = name.rsplit_once('.') else {
                continue;
            };
            let unit = match stem {
                "own-log" => Some(Unit::Log),
                "own-beside" => Some(Unit::Beside),
                name => name.strip_prefix("round-").and_then(Unit::round),
            };
            let ending = [INTENT, MARK].into_iter().find(|own| *own == ending);
            found.extend(unit.zip(ending));
        }
        Ok(found)
    }

    /// What is known of a unit; none of one that was never pulled or pushed here.
    pub fn known(&self, unit: &Unit) -> Result<Option<Known>, FileError> {
        parse_file(&self.file(unit, "json"), json::read)
    }

    /// The tags of all heads that are known, by unit.
    pub fn tags(&self) -> Result<BTreeMap<String, String>, FileError> {
        let read = parse_file(&self.rounds.join(FOLDER).join("tags.json"), json::read)?;
        Ok(read.unwrap_or_default())
    }

    /// Remembers the tags of all heads, so that a pull need not read a file per unit.
    pub fn note_tags(&self, tags: &BTreeMap<String, String>) -> Result<(), FileError> {
        let text = json::render(tags);
        Ok(file_ops::replace(
            &self.rounds.join(FOLDER).join("tags.json"),
            text.as_bytes(),
        )?)
    }

    /// Whether an earlier process was stopped while it wrote a unit.
    pub fn is_unfinished(&self, unit: &Unit) -> bool {
        self.file(unit, MARK).exists()
    }

    /// All units that an earlier process was stopped at.
    pub fn unfinished(&self) -> Result<BTreeSet<Unit>, FileError> {
        let begun = self.begun()?.into_iter();
        Ok(begun
            .filter(|(_, ending)| *ending == MARK)
            .map(|(unit, _)| unit)
            .collect())
    }

    /// Notes what a unit holds after a push or a pull, by marks that were taken before its files were
    /// read: a file that changed since then is looked at again.
    pub fn note(
        &self,
        unit: &Unit,
        head: (Head, String),
        content: Content,
        marks: BTreeMap<String, Mark>,
    ) -> Result<(), FileError> {
        let (head, tag) = head;
        let known = Known {
            tag,
            head,
            content,
            marks,
        };
        file_ops::replace(&self.file(unit, "json"), json::render(&known).as_bytes())?;
        self.forget_intent(unit)?;
        Ok(file_ops::remove(&self.file(unit, MARK))?)
    }

    pub fn intend(&self, unit: &Unit, intent: &Intent) -> Result<(), FileError> {
        let text = json::render(intent);
        Ok(file_ops::replace(
            &self.file(unit, INTENT),
            text.as_bytes(),
        )?)
    }

    /// What pushes of this folder set out to publish and did not note.
    pub fn intents(&self) -> Result<Vec<(Unit, Intent)>, FileError> {
        let mut found = Vec::new();
        for (unit, _) in self.begun()?.into_iter().filter(|own| own.1 == INTENT) {
            if let Some(intent) = parse_file(&self.file(&unit, INTENT), json::read)? {
                found.push((unit, intent));
            }
        }
        Ok(found)
    }

    pub fn forget_intent(&self, unit: &Unit) -> Result<(), FileError> {
        Ok(file_ops::remove(&self.file(unit, INTENT))?)
    }

    /// The id of the store, as this folder met it first.
    pub fn store_id(&self) -> Result<Option<String>, FileError> {
        let bytes = read_file(&self.rounds.join(FOLDER).join(ID))?;
        Ok(bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()))
    }

    pub fn note_store_id(&self, id: &str) -> Result<(), FileError> {
        let file = self.rounds.join(FOLDER).join(ID);
        Ok(file_ops::replace(&file, id.as_bytes())?)
    }

    /// Forgets what is known of all units when the machine started anew since the last command: what was
    /// written without waiting for the disk may be lost, whatever the system says of its files.
    pub fn forget_after_restart(&self) -> Result<(), FileError> {
        let folder = self.rounds.join(FOLDER);
        let note = folder.join(START);
        let start = read_file(Path::new(THIS_START)).ok().flatten();
        let start = start.unwrap_or_default();
        let before = read_file(&note)?;
        if before.as_ref() == Some(&start) {
            return Ok(());
        }
        if before.is_some() {
            let files = names_in(&folder)?.into_iter().map(|name| folder.join(name));
            for known in files.filter(|file| file.extension().is_some_and(|own| own == "json")) {
                file_ops::remove(&known)?;
            }
            for name in names_in(&folder.join(BEGUN))? {
                file_ops::remove(&folder.join(BEGUN).join(name))?;
            }
        }
        Ok(file_ops::replace(&note, &start)?)
    }

    /// Units that were pushed or pulled with files, and none of them is here.
    pub fn lost(&self) -> Result<Vec<Unit>, FileError> {
        let mut lost = Vec::new();
        for unit in self.tags()?.keys().filter_map(|key| Unit::of_key(key)) {
            if !unit.has_files(&self.rounds)?
                && let Some(known) = self.known(&unit)?
                && !known.content.files.is_empty()
            {
                lost.push(unit);
            }
        }
        Ok(lost)
    }

    /// Exists once the store was seen to honour conditions.
    pub fn probed(&self) -> PathBuf {
        self.rounds.join(FOLDER).join("probed")
    }

    /// How the folder differs from what is known; what has the same mark is not read.
    pub fn change(&self, unit: &Unit, known: &Known) -> Result<Change, FileError> {
        let found = unit.look(&self.rounds)?;
        let mut change = Change {
            kept: Content {
                empty_folders: found.empty_folders,
                ..Content::default()
            },
            marks: found.files,
            ..Change::default()
        };
        for (path, mark) in &change.marks {
            let before = known.content.files.get(path);
            let is_settled = known.marks.get(path) == Some(mark);
            if let Some(place) = before.filter(|_| is_settled) {
                change.kept.files.insert(path.clone(), place.clone());
                continue;
            }
            let bytes = file_ops::read(&self.path(unit, path)?)?;
            match before.filter(|place| holds(&bytes, place)) {
                Some(place) => drop(change.kept.files.insert(path.clone(), place.clone())),
                None => change.changed.push((path.clone(), bytes)),
            }
        }
        change.is_changed = !change.changed.is_empty() || change.kept != known.content;
        Ok(change)
    }

    /// A file of a unit; an error for a path that no push would have put there.
    pub fn path(&self, unit: &Unit, path: &str) -> Result<PathBuf, FileError> {
        unit.file(&self.rounds, path).ok_or_else(|| {
            let text = format!(
                "{}; nothing of it was written: let whoever keeps the store find out who wrote that",
                unit.refusal(path)
            );
            FileError::folder(&self.rounds, text)
        })
    }
}

fn passing(rounds: &Path) -> PathBuf {
    rounds.join(FOLDER).join("log-passes")
}

/// Whether bytes are those of a place.
fn holds(bytes: &[u8], place: &Place) -> bool {
    bytes.len() as u64 == place.size && Digest::of(bytes).to_hex() == place.sha256
}
