//! The public record → the files of the website.

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

/// The public files of every round.
pub(super) type RoundsFiles = BTreeMap<RoundId, Files>;

/// The website of a publication.
pub(super) fn site(publication: &Publication, files: &RoundsFiles, base_url: &str) -> Files {
    let data: Files = export(publication, &|| ());
    render(&Input {
        publication,
        round_files: files,
        data: &data,
        base_url: base_url.trim_end_matches('/'),
    })
}

/// The files of every round of a folder.
pub(super) fn files_of(
    rounds: &Path,
    publication: &Publication,
) -> Result<RoundsFiles, CommandError> {
    let own = |round: &PublicRound| -> Result<(RoundId, Files), FileError> {
        let files = public_files(rounds, round, publication.as_of)?.into_iter();
        let files = files.map(|file| (file.path, file.bytes)).collect();
        Ok((round.id().clone(), files))
    };
    let found = publication.rounds.par_iter().map(own);
    Ok(found.collect::<Result<RoundsFiles, _>>()?)
}
