//! The public record → the files of the website.

use std::collections::BTreeMap;
use std::path::Path;

use capitalbench_archive::public_files::public_files;
use capitalbench_core::ids::RoundId;
use capitalbench_core::publication::{PublicRound, Publication};
use capitalbench_export::export;
use capitalbench_site::machine::data_files;
use capitalbench_site::{Family, Files, Input, Rendered, render};
use rayon::prelude::*;

use super::origin::Loaded;
use crate::error::CommandError;

/// The public files of a round in a folder.
pub(crate) fn files_of(
    rounds: &Path,
    publication: &Publication,
    round: &PublicRound,
) -> Result<Files, CommandError> {
    let files = public_files(rounds, round, publication.as_of)?.into_iter();
    Ok(files.map(|file| (file.path, file.bytes.into())).collect())
}

/// The data files of a publication.
fn data_of(publication: &Publication) -> Files {
    let data = export(publication, &|| ()).into_iter();
    data.map(|(name, bytes)| (name, bytes.into())).collect()
}

/// The website of a record, in memory; rounds that are as they were are taken over.
pub(super) fn site(
    record: &Loaded,
    base_url: &str,
    earlier: &BTreeMap<RoundId, Family>,
) -> Result<Rendered, CommandError> {
    let publication = &record.publication;
    let own = |round: &PublicRound| -> Result<(RoundId, Files), CommandError> {
        Ok((round.id().clone(), record.files_of(round)?))
    };
    let round_files = publication
        .rounds
        .par_iter()
        .map(own)
        .collect::<Result<BTreeMap<_, _>, _>>()?;
    let data = data_of(publication);
    let sizes = data
        .iter()
        .map(|(name, bytes)| (name.clone(), bytes.len() as u64));
    let input = Input {
        publication,
        data: &sizes.collect(),
        base_url: base_url.trim_end_matches('/'),
    };
    let mut made = render(&input, &round_files, earlier);
    made.files.extend(data_files(&data));
    let paths = made.files.keys().cloned().collect();
    made.files.extend(record.log(&paths)?);
    Ok(made)
}
