//! Files and folders that an operator names.

use std::path::{Path, PathBuf};

use capitalbench_archive::disk::error::{Fault, FileError};
use capitalbench_archive::disk::file_ops;
use capitalbench_archive::round::round_folder::{RoundFolder, RoundInputs, Universes};

use crate::error::Error;

/// What a file says.
pub(crate) fn read<T>(
    file: &Path,
    parse: impl FnOnce(&[u8]) -> Result<T, Fault>,
) -> Result<T, FileError> {
    let bytes = file_ops::read(file)?;
    parse(&bytes).map_err(|fault| fault.in_file(file))
}

/// The inputs of the round in a folder.
pub(crate) fn open_inputs(round: &Path) -> Result<RoundInputs, FileError> {
    RoundInputs::load(RoundFolder::open(round)?, &Universes::default())
}

/// The absolute path of a folder that is there.
pub(crate) fn absolute(folder: &Path) -> Result<PathBuf, Error> {
    std::fs::canonicalize(folder)
        .map_err(|error| Error::new(format!("{}: {error}", folder.display())))
}
