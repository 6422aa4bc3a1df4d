//! Cosignatures of witnesses about checkpoints: stored as files, and checked.
//!
//! `log/witnesses` names the witnesses and how many of them must sign. `log/anchors/<size>/<witness>.cosig`
//! is the signature line of one of them under the checkpoint of this size. The present checkpoint
//! carries the lines too, so that whoever fetches it alone sees who signed it; the kept copy stays as
//! outside clocks stamped it.

use std::path::PathBuf;

use capitalbench_proof::note::{Note, VerifierKey};
use capitalbench_proof::witness::{Cosignature, WitnessError, WitnessRule, cosignature};
use jiff::Timestamp;

use super::anchors::plain_name;
use super::{LogFolder, SignedCheckpoint, read};
use crate::disk::error::{Fault, FileError};
use crate::disk::file_ops;
use crate::disk::layout;
use crate::format::utf8;
use crate::round::round_folder::{names_in, parse_file};

const COSIGNATURE: &str = ".cosig";
const ABOUT: &str =
    "# Witnesses that may cosign this log, and how many of them must (docs/verify.md).\n";

/// A kept cosignature of a checkpoint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cosigned {
    /// Size of the log at the checkpoint.
    pub size: u64,
    /// Where it lies, from the folder of rounds.
    pub place: String,
    /// What it says; none for a key that nobody names.
    pub seen: Option<Result<Cosignature, WitnessError>>,
}

impl LogFolder {
    /// The witnesses that the operator names; empty where the log names none.
    pub fn witnesses(&self) -> Result<WitnessRule, FileError> {
        let parsed = parse_file(&self.file(layout::LOG_WITNESSES), |bytes| {
            WitnessRule::parse(utf8(bytes)?).map_err(Fault::new)
        });
        Ok(parsed?.unwrap_or_default())
    }

    /// Publishes the rule; keys that an earlier one named stay, so that what they signed stays checked.
    pub fn keep_witnesses(&self, rule: &WitnessRule) -> Result<(), FileError> {
        let _hold = self.take_turn()?;
        let file = self.file(layout::LOG_WITNESSES);
        let earlier = self.witnesses()?;
        let rule = rule.after(&earlier);
        let rule = rule.map_err(|error| Fault::new(error).in_file(&file))?;
        if rule != earlier {
            file_ops::replace(&file, format!("{ABOUT}{rule}").as_bytes())?;
        }
        Ok(())
    }

    fn cosignature_file(&self, size: u64, key: &VerifierKey) -> PathBuf {
        let (name, hash) = (plain_name(key.name()), key.hash_text());
        self.anchor_folder(size)
            .join(format!("{name}-{hash}{COSIGNATURE}"))
    }

    /// The largest checkpoint under which a cosignature of this witness is kept.
    pub fn last_cosigned(&self, key: &VerifierKey) -> Result<Option<u64>, FileError> {
        let sizes = self.anchored_sizes()?.into_iter().rev();
        let mut own = sizes.filter(|size| self.cosignature_file(*size, key).is_file());
        Ok(own.next())
    }

    /// What witnesses signed under a checkpoint, by the kept files; a broken file is an error of its own.
    pub fn cosigned(
        &self,
        size: u64,
        rule: &WitnessRule,
        now: Timestamp,
    ) -> Result<Vec<Cosigned>, FileError> {
        let folder = self.anchor_folder(size);
        let mut found = Vec::new();
        for name in names_in(&folder)? {
            if !name.ends_with(COSIGNATURE) {
                continue;
            }
            let file = folder.join(&name);
            let bytes = file_ops::read(&file)?;
            let lines = utf8(&bytes).map_err(|fault| fault.in_file(&file))?;
            let place = format!("{}/{size}/{name}", layout::LOG_ANCHORS);
            let note = self.kept(size)?.note;
            let seen = judged(&note, lines, rule, now);
            found.push(Cosigned { size, place, seen });
        }
        Ok(found)
    }

    /// The cosignatures that the present checkpoint carries.
    pub fn carried(
        &self,
        signed: &SignedCheckpoint,
        rule: &WitnessRule,
        now: Timestamp,
    ) -> Result<Vec<Result<Cosignature, WitnessError>>, FileError> {
        let file = self.file(layout::LOG_CHECKPOINT);
        let note = Note::parse(signed.note.as_bytes());
        let note = note.map_err(|error| Fault::new(error).in_file(&file))?;
        let own = |(name, hash, _)| rule.key_of(name, hash);
        let keys = note.lines().filter_map(own);
        Ok(keys
            .map(|key| cosignature(&signed.note, "", key, now))
            .collect())
    }

    /// Keeps a cosignature beside the stamps of its checkpoint. Where that checkpoint is the present
    /// one, it is served with the line from now on.
    pub fn keep_cosignature(
        &self,
        size: u64,
        key: &VerifierKey,
        own: &Cosignature,
    ) -> Result<(), FileError> {
        let _hold = self.take_turn()?;
        let file = self.cosignature_file(size, key);
        if !file.exists() {
            file_ops::create_folder(&self.file(layout::LOG_ANCHORS))?;
            file_ops::create_folder(&self.anchor_folder(size))?;
            file_ops::create_new(&file, own.line.as_bytes())?;
        }
        let present = self.checkpoint()?;
        if let Some(present) = present.filter(|present| present.checkpoint.size == size)
            && !present.note.contains(&own.line)
        {
            let place = self.file(layout::LOG_CHECKPOINT);
            let note = Note::parse(present.note.as_bytes());
            let note = note.and_then(|note| note.with_lines(&own.line));
            let note = note.map_err(|error| Fault::new(error).in_file(&place))?;
            file_ops::replace(&place, note.to_string().as_bytes())?;
        }
        Ok(())
    }

    /// The kept cosignature of one witness under a checkpoint.
    pub fn kept_cosignature(
        &self,
        size: u64,
        key: &VerifierKey,
        now: Timestamp,
    ) -> Result<Option<Cosignature>, FileError> {
        let Some(bytes) = read(&self.cosignature_file(size, key))? else {
            return Ok(None);
        };
        let lines = String::from_utf8_lossy(&bytes);
        Ok(cosignature(&self.kept(size)?.note, &lines, key, now).ok())
    }
}

/// The cosignature in a file; none where its key is named by nobody.
fn judged(
    checkpoint: &str,
    lines: &str,
    rule: &WitnessRule,
    now: Timestamp,
) -> Option<Result<Cosignature, WitnessError>> {
    let note = Note::parse(checkpoint.as_bytes());
    let note = match note.and_then(|note| note.with_lines(lines)) {
        Ok(note) => note,
        Err(error) => return Some(Err(WitnessError::Answer(error))),
    };
    let added = note.lines().last()?;
    let key = rule.key_of(added.0, added.1)?;
    Some(cosignature(checkpoint, lines, key, now))
}
