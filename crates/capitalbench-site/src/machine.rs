//! Files for programs: data, feeds, calendar, sitemap, embeds, and the verify page.

use std::collections::BTreeSet;
use std::io::{self, Read, Write};

use bytes::Bytes;
use capitalbench_core::encoding::tar;
use capitalbench_core::publication::{PublicRound, Publication};
use flate2::{Compression, GzBuilder};

use crate::html::Html;
use crate::pages::view::View;
use crate::{Files, Input};

pub mod api;
mod calendar;
mod correction;
mod embed;
mod event;
mod feeds;
mod markets;
mod openapi;
mod search;
mod share;
mod sitemap;
mod verify;

pub(crate) use correction::corrections_of;
pub use correction::{Change, Correction, corrections, corrections_file};
pub use event::Told;

/// The archive of all data files.
pub const DATA_ARCHIVE: &str = "capitalbench-data.tar.gz";

/// The files for programs of one round: the list of its files and its image.
pub(crate) fn of_round(view: &View<'_>, round: &PublicRound, own: &Files, files: &mut Files) {
    verify::of_round(round, own, files);
    share::of_round(view, round, files);
}

/// Adds all other files for programs; the sitemap lists the pages in `files` and at `paths`.
pub(crate) fn render(
    input: &Input<'_>,
    view: &View<'_>,
    told: &[Told],
    paths: &BTreeSet<String>,
    files: &mut Files,
) {
    verify::render(input, files);
    feeds::render(input, told, files);
    calendar::render(input, files);
    embed::render(input, files);
    share::render(view, files);
    openapi::render(input, files);
    search::render(view, files);
    sitemap::render(input, paths, files);
}

/// The data files at their paths on the site, and an archive of all of them.
pub fn data_files(data: &Files) -> Files {
    let place = |(name, bytes): (&String, &Bytes)| (data_path(name), bytes.clone());
    let mut files: Files = data.iter().map(place).collect();
    if data.is_empty() {
        return files;
    }
    let opened = data
        .iter()
        .map(|(name, bytes)| Ok((name.as_str(), bytes.len() as u64, bytes.as_ref())));
    // Writing into memory cannot fail.
    if let Ok(archive) = pack(opened, Vec::new()) {
        files.insert(data_path(DATA_ARCHIVE), archive.into());
    }
    files
}

pub fn data_path(name: &str) -> String {
    format!("data/{name}")
}

/// Packs all data files. The archive holds no name and no instant of its own, so that the
/// same data give the same bytes. `files` yields name and size, in order of the names.
pub fn pack<'a, R: Read, W: Write>(
    files: impl IntoIterator<Item = io::Result<(&'a str, u64, R)>>,
    out: W,
) -> io::Result<W> {
    let mut packed = GzBuilder::new().write(out, Compression::fast());
    for file in files {
        let (name, size, mut bytes) = file?;
        let length = usize::try_from(size).map_err(io::Error::other)?;
        let header = tar::header(&format!("capitalbench-data/{name}"), length);
        packed.write_all(&header.map_err(io::Error::other)?)?;
        if io::copy(&mut bytes, &mut packed)? != size {
            return Err(io::Error::other(format!("{name} has changed")));
        }
        packed.write_all(tar::padding(length))?;
    }
    packed.write_all(&tar::END)?;
    packed.finish()
}

/// Words that only a site of an invented market shows.
fn if_invented(publication: &Publication, words: &'static str) -> &'static str {
    if publication.synthetic { words } else { "" }
}

/// Text for XML, SVG and HTML; characters that could hide or reorder text are shown by their names.
fn escaped(text: &str) -> String {
    Html::text(text).to_string()
}
