//! The frozen inputs of a round: which files they are, and whether they still have their digests.

use capitalbench_core::round::methodology::{Enforcement, Methodology};
use capitalbench_core::values::ids::Digest;

use crate::disk::error::FileError;
use crate::disk::file_ops;
use crate::disk::layout;
use crate::format::round::hashes::{self, Digests};
use crate::format::round::manifest;
use crate::round::model_input;
use crate::round::round_folder::{RoundFolder, RoundInputs, Universes};

mod ready;

/// One way in which a hash file and the disk disagree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HashProblem {
    /// The file is listed, but has other bytes.
    Changed(String),
    /// The file is listed, but missing.
    Missing(String),
    /// The file is there, but not listed.
    Unlisted(String),
    /// A file is listed that a freeze does not cover.
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

    pub fn text(&self) -> &'static str {
        match self {
            Self::Changed(_) => "its bytes changed after it was hashed",
            Self::Missing(_) => "was hashed, but is missing",
            Self::Unlisted(_) => "was not hashed",
            Self::Foreign(_) => "is listed, but does not belong to this set of hashed files",
        }
    }
}

/// The inputs under a methodology: the required ones, and those frozen only when present.
pub fn input_set(methodology: &Methodology) -> (Vec<&'static str>, Vec<&'static str>) {
    let mut required = layout::REQUIRED_INPUTS.to_vec();
    if methodology.enforcement() == Enforcement::Refuse {
        required.push(layout::MODEL_INPUT);
    }
    (required, layout::OPTIONAL_INPUTS.to_vec())
}

/// Digests of the inputs as they are now; a missing required input is an error.
pub fn input_digests(
    folder: &RoundFolder,
    methodology: &Methodology,
) -> Result<Digests, FileError> {
    let (required, optional) = input_set(methodology);
    let mut digests = Digests::new();
    for file in required {
        digests.insert(file.to_owned(), Digest::of(&folder.read(file)?));
    }
    digests.extend(folder.digests(optional)?);
    Ok(digests)
}

/// Digests of the inputs that are there, whether or not all of them are.
pub(crate) fn digests_now(
    folder: &RoundFolder,
    methodology: &Methodology,
) -> Result<Digests, FileError> {
    let (required, optional) = input_set(methodology);
    folder.digests(required.into_iter().chain(optional))
}

/// How the inputs differ from the frozen digests; none when the round is not frozen.
pub fn changes(folder: &RoundFolder) -> Result<Option<Vec<HashProblem>>, FileError> {
    let Some(stored) = stored_digests(folder)? else {
        return Ok(None);
    };
    let methodology = folder.parse(layout::MANIFEST, manifest::parse)?.methodology;
    let now = digests_now(folder, &methodology)?;
    let (required, optional) = input_set(&methodology);
    let set: Vec<&str> = required.into_iter().chain(optional).collect();
    Ok(Some(compare(&stored, &now, &set)))
}

/// Stops a command that would change an input of a frozen round.
pub fn refuse_frozen(folder: &RoundFolder) -> Result<(), FreezeError> {
    require_unchanged(folder)?;
    match stored_digests(folder)? {
        None => Ok(()),
        Some(_) => Err(FreezeError::Sealed(folder.name())),
    }
}

/// Stops a command when a frozen input has changed; a draft passes.
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
    let parsed = folder.parse_optional(layout::HASHES, hashes::parse)?;
    Ok(parsed.flatten())
}

/// Compares stored digests with the digests of now.
pub fn compare(stored: &Digests, now: &Digests, set: &[&str]) -> Vec<HashProblem> {
    let mut problems = Vec::new();
    for (file, digest) in stored {
        match now.get(file) {
            Some(present) if present == digest => {}
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

/// Changes of the frozen manifest and options; a cheap check before scoring.
pub fn changed_rules(folder: &RoundFolder) -> Result<Vec<HashProblem>, FileError> {
    let Some(stored) = stored_digests(folder)? else {
        return Ok(Vec::new());
    };
    let mut problems = Vec::new();
    for file in [layout::MANIFEST, layout::OPTIONS] {
        let digest = Digest::of(&folder.read(file)?);
        match stored.get(file) {
            Some(frozen) if *frozen == digest => {}
            Some(_) => problems.push(HashProblem::Changed(file.to_owned())),
            None => problems.push(HashProblem::Unlisted(file.to_owned())),
        }
    }
    Ok(problems)
}

/// What [`freeze`] did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Frozen {
    /// Digests were written now.
    Written(usize),
    /// The same digests were there before.
    Unchanged(usize),
}

/// Why a round could not be frozen or changed.
#[derive(Debug, thiserror::Error)]
pub enum FreezeError {
    /// The round is frozen.
    #[error("{0} is frozen: its inputs must not change any more")]
    Sealed(String),
    #[error(transparent)]
    File(#[from] FileError),
    /// Something that the methodology or the prompt promises is not there.
    #[error("{round} cannot be frozen: {problem}")]
    NotReady {
        round: String,
        problem: String,
        /// The next step.
        remedy: String,
    },
    #[error("{} is frozen and {} of its inputs changed: {}", .round, .problems.len(), list(.problems))]
    Changed {
        round: String,
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

/// Stores the model input and the digests of a draft; compares a round that is already frozen.
pub fn freeze(folder: &RoundFolder) -> Result<Frozen, FreezeError> {
    if let Some(stored) = stored_digests(folder)? {
        require_unchanged(folder)?;
        return Ok(Frozen::Unchanged(stored.len()));
    }
    let inputs = RoundInputs::load(folder.clone(), &Universes::default())?;
    let methodology = &inputs.manifest.methodology;
    if methodology.enforcement() == Enforcement::Refuse {
        let text = model_input::assembled(&inputs)?;
        ready::require(&inputs)?;
        let path = folder.file(layout::MODEL_INPUT);
        file_ops::replace(&path, text.as_bytes()).map_err(FileError::from)?;
    }
    let now = input_digests(folder, methodology)?;
    let text = hashes::render(&now);
    file_ops::replace(&folder.file(layout::HASHES), text.as_bytes()).map_err(FileError::from)?;
    Ok(Frozen::Written(now.len()))
}
