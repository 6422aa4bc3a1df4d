//! The website: a publication in, paths and bytes out.
//!
//! [`render`] gives the same bytes for the same input; who writes them to a folder or serves them
//! is decided elsewhere. Pages carry finished numbers of the publication and compute none.
//! [`pages`] are for people, [`machine`] for programs: data, feeds, calendars, the verify page.

use std::collections::BTreeMap;

use capitalbench_core::ids::RoundId;
use capitalbench_core::publication::Publication;

mod charts;
mod figures;
pub mod html;
pub mod machine;
mod page;
pub mod pages;
mod table;

/// Paths without a leading slash, such as `rounds/index.html`, and their bytes.
pub type Files = BTreeMap<String, Vec<u8>>;

/// Everything a site is made from.
#[derive(Debug)]
pub struct Input<'a> {
    /// What the public may see.
    pub publication: &'a Publication,
    /// The visible files of each round, by path inside the round; served below `rounds/<id>/files/`.
    pub round_files: &'a BTreeMap<RoundId, Files>,
    /// The export of the same publication, by file name; served below `data/`.
    pub data: &'a Files,
    /// Where the site will stand, such as `https://example.org`; for feeds and the sitemap.
    pub base_url: &'a str,
}

/// Renders the whole site.
pub fn render(input: &Input<'_>) -> Files {
    let mut files = Files::new();
    pages::render(input, &mut files);
    machine::render(input, &mut files);
    files
}
