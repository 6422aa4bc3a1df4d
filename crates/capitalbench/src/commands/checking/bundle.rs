//! `bundle`: a signed round in one file.

use capitalbench_archive::disk::error::FileError;
use capitalbench_archive::disk::file_ops;
use capitalbench_archive::public::bundle::pack;
use capitalbench_archive::round::round_folder::RoundFolder;

use crate::cli::Bundle;
use crate::console::line;
use crate::error::{Error, Exit};

pub(crate) fn run(arguments: &Bundle) -> Result<Exit, Error> {
    let round = RoundFolder::open(&arguments.round)?;
    let bytes = pack(&round)?;
    file_ops::replace(&arguments.output, &bytes).map_err(FileError::from)?;
    let (file, size) = (arguments.output.display(), bytes.len());
    line(format!("{}: {file}, {size} bytes", round.name()));
    line(format!("check it with `capitalbench verify {file}`"));
    Ok(Exit::Success)
}
