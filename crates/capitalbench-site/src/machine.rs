//! What programs read: data and files, feeds, calendar, sitemap, embeds, and the verify page.

use std::io::Write as _;

use capitalbench_core::tar;
use flate2::{Compression, GzBuilder};

use crate::html::Html;
use crate::{Files, Input};

pub mod api;
mod calendar;
mod embed;
mod event;
mod feeds;
mod openapi;
mod share;
mod sitemap;
mod verify;

pub use event::corrections;

/// All data in one file.
pub(crate) const DATA_ARCHIVE: &str = "capitalbench-data.tar.gz";

/// Adds everything for programs; pages must be there already, the sitemap lists them.
pub(crate) fn render(input: &Input<'_>, files: &mut Files) {
    for (name, bytes) in input.data {
        files.insert(format!("data/{name}"), bytes.clone());
    }
    if let Some(archive) = data_archive(input) {
        files.insert(format!("data/{DATA_ARCHIVE}"), archive);
    }
    for (round, own) in input.round_files {
        for (path, bytes) in own {
            files.insert(format!("rounds/{round}/files/{path}"), bytes.clone());
        }
    }
    verify::render(input, files);
    feeds::render(input, files);
    calendar::render(input, files);
    embed::render(input, files);
    share::render(input, files);
    openapi::render(input, files);
    sitemap::render(input, files);
}

/// Every data file in one, with its checksums; without a name or an instant of its own, so that the
/// same data are the same bytes.
fn data_archive(input: &Input<'_>) -> Option<Vec<u8>> {
    if input.data.is_empty() {
        return None;
    }
    let named = input.data.iter();
    let named = named.map(|(name, bytes)| (format!("capitalbench-data/{name}"), bytes.clone()));
    let archive = tar::write(&named.collect()).ok()?;
    let mut packed = GzBuilder::new().write(Vec::new(), Compression::fast());
    packed.write_all(&archive).ok()?;
    packed.finish().ok()
}

/// Text inside XML, SVG and HTML; what could hide or reorder is shown by name.
fn escaped(text: &str) -> String {
    Html::text(text).to_string()
}
