//! What programs read: data and files, feeds, calendar, sitemap, embeds, and the verify page.

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

/// Adds everything for programs; pages must be there already, the sitemap lists them.
pub(crate) fn render(input: &Input<'_>, files: &mut Files) {
    for (name, bytes) in input.data {
        files.insert(format!("data/{name}"), bytes.clone());
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

/// Text inside XML, SVG and HTML; what could hide or reorder is shown by name.
fn escaped(text: &str) -> String {
    Html::text(text).to_string()
}
