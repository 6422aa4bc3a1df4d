//! The frozen inputs of a round: which files they are, and whether their digests still hold.

use std::collections::BTreeMap;

use capitalbench_core::ids::Digest;

use crate::error::FileError;
use crate::file_ops;
use crate::format::hashes::{self, Digests};
use crate::layout;
use crate::round_folder::{RoundFolder, RoundInputs, Universes};

/// One way in which a hash file and the disk disagree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HashProblem {
    /// Listed, and the bytes are others.
    Changed(String),
    /// Listed, and gone.
    Missing(String),
    /// There, and not listed.
    Unlisted(String),
    /// Listed, and not a file that is frozen.
    Foreign(String),
}

impl HashProblem {
    /// The file, relative to the round.
    pub fn file(&self) -> &str {
        match self {
            Self::Changed(file)
            | Self::Missing(file)
            | Self::Unlisted(file)
            | Self::Foreign(file) => file,
        }
    }

    /// What is wrong with it.
    pub fn text(&self) -> &'static str {
        match self {
            Self::Changed(_) => "its bytes are not those that were hashed",
            Self::Missing(_) => "was hashed and is gone",
            Self::Unlisted(_) => "is there and was not hashed",
            Self::Foreign(_) => "is listed and is not a file of this hash set",
        }
    }
}

/// Digests of the inputs as they are now; a required one that is missing is an error.
pub fn input_digests(folder: &RoundFolder) -> Result<BTreeMap<String, Digest>, FileError> {
    let mut digests = BTreeMap::new();
    for file in layout::REQUIRED_INPUTS {
        digests.insert(file.to_owned(), Digest::of(&folder.read(file)?));
    }
    for file in layout::OPTIONAL_INPUTS {
        if let Some(bytes) = folder.read_optional(file)? {
            digests.insert(file.to_owned(), Digest::of(&bytes));
        }
    }
    Ok(digests)
}

/// The stored digests of the inputs; none when the round was not frozen.
pub fn stored_digests(folder: &RoundFolder) -> Result<Option<Digests>, FileError> {
    match folder.read_optional(layout::HASHES)? {
        None => Ok(None),
        Some(bytes) => {
            hashes::parse(&bytes).map_err(|fault| fault.in_file(&folder.file(layout::HASHES)))
        }
    }
}

/// Compares stored digests with the digests of now.
pub fn compare(stored: &Digests, now: &BTreeMap<String, Digest>, set: &[&str]) -> Vec<HashProblem> {
    let mut problems = Vec::new();
    for (file, digest) in stored {
        match now.get(file) {
            Some(present) if present.to_hex() == *digest => {}
            Some(_) => problems.push(HashProblem::Changed(file.clone())),
            None if set.contains(&file.as_str()) => {
                problems.push(HashProblem::Missing(file.clone()));
            }
            None => problems.push(HashProblem::Foreign(file.clone())),
        }
    }
    let unlisted = now.keys().filter(|file| !stored.contains_key(*file));
    problems.extend(unlisted.cloned().map(HashProblem::Unlisted));
    problems
}

/// All files that an input hash set may name.
pub fn input_set() -> Vec<&'static str> {
    let required = layout::REQUIRED_INPUTS.iter();
    required.chain(&layout::OPTIONAL_INPUTS).copied().collect()
}

/// Frozen rules and options that changed since; a cheap check before scoring.
pub fn changed_rules(folder: &RoundFolder) -> Result<Vec<HashProblem>, FileError> {
    let Some(stored) = stored_digests(folder)? else {
        return Ok(Vec::new());
    };
    let mut problems = Vec::new();
    for file in [layout::MANIFEST, layout::OPTIONS] {
        let digest = Digest::of(&folder.read(file)?).to_hex();
        match stored.get(file) {
            Some(frozen) if *frozen == digest => {}
            Some(_) => problems.push(HashProblem::Changed(file.to_owned())),
            None => problems.push(HashProblem::Unlisted(file.to_owned())),
        }
    }
    Ok(problems)
}

/// What freezing did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Frozen {
    /// Digests were written now.
    Written(usize),
    /// The same digests were there before.
    Unchanged(usize),
}

/// Why a round could not be frozen.
#[derive(Debug, thiserror::Error)]
pub enum FreezeError {
    /// A file could not be read or written.
    #[error(transparent)]
    File(#[from] FileError),
    /// The round is frozen and something changed since.
    #[error("{} is frozen and {} of its inputs changed: {}", .round, .problems.len(), list(.problems))]
    Changed {
        /// The round's folder name.
        round: String,
        /// What changed.
        problems: Vec<HashProblem>,
    },
}

fn list(problems: &[HashProblem]) -> String {
    let texts: Vec<String> = problems
        .iter()
        .map(|p| format!("{} {}", p.file(), p.text()))
        .collect();
    texts.join("; ")
}

/// Writes the digests of a round that has none; a frozen round is only compared.
pub fn freeze(folder: &RoundFolder) -> Result<Frozen, FreezeError> {
    let now = input_digests(folder)?;
    if let Some(stored) = stored_digests(folder)? {
        let problems = compare(&stored, &now, &input_set());
        if problems.is_empty() {
            return Ok(Frozen::Unchanged(now.len()));
        }
        let round = folder.name();
        return Err(FreezeError::Changed { round, problems });
    }
    // What cannot be read must not become the rules.
    RoundInputs::load(folder.clone(), &Universes::default())?;
    let text = hashes::render(&now);
    file_ops::replace(&folder.file(layout::HASHES), text.as_bytes()).map_err(FileError::from)?;
    Ok(Frozen::Written(now.len()))
}
