//! What programs read: data and files, feeds, calendar, sitemap, embeds, and the verify page.

use std::collections::BTreeSet;
use std::io::Write as _;

use capitalbench_core::publication::PublicRound;
use capitalbench_core::tar;
use flate2::{Compression, GzBuilder};

use crate::html::Html;
use crate::{Files, Input};

pub mod api;
mod calendar;
mod correction;
mod embed;
mod event;
mod feeds;
mod openapi;
mod share;
mod sitemap;
mod verify;

pub use correction::{Change, Correction, corrections};
pub use event::Told;

/// All data in one file.
pub(crate) const DATA_ARCHIVE: &str = "capitalbench-data.tar.gz";

/// What programs read of one round: the list of its files and its image.
pub(crate) fn of_round(input: &Input<'_>, round: &PublicRound, own: &Files, files: &mut Files) {
    verify::of_round(round, own, files);
    share::of_round(input, round, files);
}

/// Adds everything else for programs; the sitemap lists the pages that are there and those at `paths`.
pub(crate) fn render(
    input: &Input<'_>,
    told: &[Told],
    paths: &BTreeSet<String>,
    files: &mut Files,
) {
    for (name, bytes) in input.data {
        files.insert(format!("data/{name}"), bytes.clone());
    }
    if let Some(archive) = data_archive(input) {
        files.insert(format!("data/{DATA_ARCHIVE}"), archive.into());
    }
    verify::render(input, files);
    feeds::render(input, told, files);
    calendar::render(input, files);
    embed::render(input, files);
    share::render(input, files);
    openapi::render(input, files);
    sitemap::render(input, paths, files);
}

/// Every data file in one, with its checksums; without a name or an instant of its own, so that the
/// same data are the same bytes.
fn data_archive(input: &Input<'_>) -> Option<Vec<u8>> {
    if input.data.is_empty() {
        return None;
    }
    let mut packed = GzBuilder::new().write(Vec::new(), Compression::fast());
    for (name, bytes) in input.data {
        let header = tar::header(&format!("capitalbench-data/{name}"), bytes.len()).ok()?;
        packed.write_all(&header).ok()?;
        packed.write_all(bytes).ok()?;
        packed.write_all(tar::padding(bytes.len())).ok()?;
    }
    packed.write_all(&tar::END).ok()?;
    packed.finish().ok()
}

/// Text inside XML, SVG and HTML; what could hide or reorder is shown by name.
fn escaped(text: &str) -> String {
    Html::text(text).to_string()
}
