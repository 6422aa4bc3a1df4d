//! The website: a publication in, paths and bytes out.
//!
//! [`Renderer`] gives the same bytes for the same input; who writes them to a folder or serves them
//! is decided elsewhere. Pages carry finished numbers of the publication and compute none.
//! [`pages`] are for people, [`machine`] for programs: data, feeds, calendars, the verify page.
//!
//! What is told of a round alone follows from that round, its files and a few names, so it can be
//! taken over from an earlier site ([`Renderer::round`]) and written before the rest exists.

use std::collections::{BTreeMap, BTreeSet};

use bytes::Bytes;
use capitalbench_core::publication::{PublicRound, Publication};
use capitalbench_core::values::ids::{Digest, RoundId};

mod album;
mod bitmap;
mod charts;
mod figures;
mod glossary;
pub mod html;
mod identity;
mod inputs;
mod looks;
pub mod machine;
mod page;
pub mod pages;
mod raster;
mod table;
mod title;

pub use album::{Album, Images};
pub use identity::{Identity, Logo, Neighbour};
pub use inputs::files_digest;
use machine::Told;
use page::Site;
use pages::view::View;

/// Paths without a leading slash, such as `rounds/index.html`, and their bytes, which sites share.
pub type Files = BTreeMap<String, Bytes>;

/// Which program rendered something: its version, and the state of everything that renders.
pub const STAMP: &str = concat!(
    "capitalbench site 1 ",
    env!("CARGO_PKG_VERSION"),
    " ",
    env!("CAPITALBENCH_SITE_SOURCES")
);

/// Everything a site is made from, apart from the files of its rounds.
#[derive(Debug)]
pub struct Input<'a> {
    /// What the public may see.
    pub publication: &'a Publication,
    /// Name and size of every file of the export of the same publication; the site names them, and
    /// [`machine::data_files`] are their bytes.
    pub data: &'a BTreeMap<String, u64>,
    /// Where the site will stand, such as `https://example.org`; for feeds and the sitemap.
    pub base_url: &'a str,
    /// Whose site it is.
    pub identity: &'a Identity,
    /// Which images it has.
    pub images: Images<'a>,
}

/// Makes a site piece by piece.
pub struct Renderer<'a> {
    input: &'a Input<'a>,
    view: View<'a>,
    site: Site,
    universes: inputs::Universes,
}

impl<'a> Renderer<'a> {
    /// Indexes a publication.
    pub fn new(input: &'a Input<'a>) -> Self {
        Self {
            view: View::new(input),
            site: Site::of(input),
            universes: inputs::universes(input.publication),
            input,
        }
    }

    /// A digest of all that the pages of a round follow from, except the program ([`STAMP`]); `own` is that of
    /// its files ([`files_digest`]).
    pub fn inputs(&self, round: &PublicRound, own: Digest) -> Digest {
        inputs::digest(&self.view, &self.universes, round, own)
    }

    /// What the site tells of one round alone: its pages, the list of its files, its image.
    pub fn round(&self, round: &PublicRound, own: &Files) -> Files {
        let mut files = pages::of_round(&self.view, &self.site, round, own);
        machine::of_round(&self.view, round, own, &mut files);
        files
    }

    /// Everything else; needs what each round tells the feeds, and every path of the rounds.
    pub fn rest(&self, told: &[Told], paths: &BTreeSet<String>) -> Files {
        let mut files = Files::new();
        pages::render(&self.view, &self.site, self.input, &mut files);
        machine::render(self.input, &self.view, told, paths, &mut files);
        files
    }
}

/// Where the site serves a file of a round.
pub fn served_at(round: &RoundId, path: &str) -> String {
    format!("rounds/{round}/files/{path}")
}

/// The files of a round where the site serves them.
pub fn served(round: &RoundId, own: &Files) -> Files {
    let place = |(path, bytes): (&String, &Bytes)| (served_at(round, path), bytes.clone());
    own.iter().map(place).collect()
}
