//! The frozen inputs of a round: which files they are, and whether their digests still hold.

use std::collections::BTreeMap;

use capitalbench_core::round::methodology::{Enforcement, Methodology};
use capitalbench_core::values::ids::Digest;

use crate::disk::error::FileError;
use crate::disk::file_ops;
use crate::disk::layout;
use crate::format::round::hashes::{self, Digests};
use crate::format::round::manifest;
use crate::round::model_input;
use crate::round::round_folder::{RoundFolder, RoundInputs, Universes};

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

/// The files that are frozen under a methodology: required ones, and those frozen when present.
pub fn input_set(methodology: &Methodology) -> (Vec<&'static str>, Vec<&'static str>) {
    let mut required = layout::REQUIRED_INPUTS.to_vec();
    if methodology.enforcement() == Enforcement::Refuse {
        required.push(layout::MODEL_INPUT);
    }
    (required, layout::OPTIONAL_INPUTS.to_vec())
}

/// Digests of the inputs as they are now; a required one that is missing is an error.
pub fn input_digests(
    folder: &RoundFolder,
    methodology: &Methodology,
) -> Result<BTreeMap<String, Digest>, FileError> {
    let (required, optional) = input_set(methodology);
    let mut digests = BTreeMap::new();
    for file in required {
        digests.insert(file.to_owned(), Digest::of(&folder.read(file)?));
    }
    for file in optional {
        if let Some(bytes) = folder.read_optional(file)? {
            digests.insert(file.to_owned(), Digest::of(&bytes));
        }
    }
    Ok(digests)
}

/// Compares a frozen round with the disk; none when it is not frozen.
pub fn changes(folder: &RoundFolder) -> Result<Option<Vec<HashProblem>>, FileError> {
    let Some(stored) = stored_digests(folder)? else {
        return Ok(None);
    };
    let methodology = folder.parse(layout::MANIFEST, manifest::parse)?.methodology;
    let (required, optional) = input_set(&methodology);
    let mut now = BTreeMap::new();
    for file in required.iter().chain(&optional) {
        if let Some(bytes) = folder.read_optional(file)? {
            now.insert((*file).to_owned(), Digest::of(&bytes));
        }
    }
    let set: Vec<&str> = required.into_iter().chain(optional).collect();
    Ok(Some(compare(&stored, &now, &set)))
}

/// Stops a command that would alter an input of a frozen round; one that changed is named.
pub fn refuse_frozen(folder: &RoundFolder) -> Result<(), FreezeError> {
    require_unchanged(folder)?;
    match stored_digests(folder)? {
        None => Ok(()),
        Some(_) => Err(FreezeError::Sealed(folder.name())),
    }
}

/// Stops a command when a frozen input is not what it was; a draft passes.
pub fn require_unchanged(folder: &RoundFolder) -> Result<(), FreezeError> {
    match changes(folder)? {
        Some(problems) if !problems.is_empty() => Err(FreezeError::Changed {
            round: folder.name(),
            problems,
        }),
        _ => Ok(()),
    }
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

/// Why a round could not be frozen, or not be touched.
#[derive(Debug, thiserror::Error)]
pub enum FreezeError {
    /// The round is frozen.
    #[error("{0} is frozen: none of its inputs may change any more")]
    Sealed(String),
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

/// Stores the model input and the digests of a draft; a frozen round is only compared.
pub fn freeze(folder: &RoundFolder) -> Result<Frozen, FreezeError> {
    if let Some(stored) = stored_digests(folder)? {
        require_unchanged(folder)?;
        return Ok(Frozen::Unchanged(stored.len()));
    }
    let inputs = RoundInputs::load(folder.clone(), &Universes::default())?;
    let methodology = &inputs.manifest.methodology;
    if methodology.enforcement() == Enforcement::Refuse {
        let text = model_input::assembled(&inputs)?;
        let path = folder.file(layout::MODEL_INPUT);
        file_ops::replace(&path, text.as_bytes()).map_err(FileError::from)?;
    }
    let now = input_digests(folder, methodology)?;
    let text = hashes::render(&now);
    file_ops::replace(&folder.file(layout::HASHES), text.as_bytes()).map_err(FileError::from)?;
    Ok(Frozen::Written(now.len()))
}
