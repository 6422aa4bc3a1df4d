//! A folder of rounds → the files of the website.

use std::collections::BTreeMap;
use std::path::Path;

use capitalbench_archive::error::FileError;
use capitalbench_archive::public_files::public_files;
use capitalbench_core::ids::RoundId;
use capitalbench_core::publication::{PublicRound, Publication};
use capitalbench_export::export;
use capitalbench_site::{Files, Input, render};
use rayon::prelude::*;

use crate::error::CommandError;

/// The website of a publication.
pub(crate) fn site(
    rounds: &Path,
    publication: &Publication,
    base_url: &str,
) -> Result<Files, CommandError> {
    let data: Files = export(publication, &|| ());
    let own = |round: &PublicRound| -> Result<(RoundId, Files), FileError> {
        let files = public_files(rounds, round, publication.as_of)?.into_iter();
        let files = files.map(|file| (file.path, file.bytes)).collect();
        Ok((round.id().clone(), files))
    };
    let round_files = publication
        .rounds
        .par_iter()
        .map(own)
        .collect::<Result<BTreeMap<_, _>, _>>()?;
    Ok(render(&Input {
        publication,
        round_files: &round_files,
        data: &data,
        base_url: base_url.trim_end_matches('/'),
    }))
}
