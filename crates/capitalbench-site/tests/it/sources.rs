//! Folders of rounds as sites.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use bytes::Bytes;
use capitalbench_archive::public::public_files::public_files;
use capitalbench_archive::public::public_record::publication;
use capitalbench_core::publication::Publication;
use capitalbench_core::values::ids::{Digest, RoundId};
use capitalbench_site::machine::{Told, data_files};
use capitalbench_site::{Files, Identity, Images, Input, Renderer, files_digest, served};

/// The pages of rounds, each with the digest of what they follow from.
pub(crate) type Families = BTreeMap<RoundId, (Digest, Files)>;

/// A whole site in memory.
#[derive(Default)]
pub(crate) struct Rendered {
    pub(crate) files: Files,
    /// What a later site may take over.
    pub(crate) families: Families,
    /// Rounds whose pages were taken over.
    pub(crate) reused: usize,
}

/// A publication with the files of its rounds.
pub(crate) struct Source {
    pub(crate) publication: Publication,
    pub(crate) files: BTreeMap<RoundId, Files>,
}

impl Source {
    fn load(rounds: &Path, as_of: &str) -> Self {
        let publication = publication(rounds, as_of.parse().expect("an instant"), &|| ())
            .expect("rounds that can be published");
        let mut files = BTreeMap::new();
        for round in &publication.rounds {
            let own = public_files(rounds, round, publication.as_of)
                .expect("files of the round")
                .into_iter();
            let own: Files = own.map(|file| (file.path, file.bytes.into())).collect();
            files.insert(round.id().clone(), own);
        }
        Self { publication, files }
    }

    /// The site.
    pub(crate) fn site(&self) -> Files {
        self.after(&BTreeMap::new()).files
    }

    /// The site, with what an earlier one may give it.
    pub(crate) fn after(&self, earlier: &Families) -> Rendered {
        let input = Input {
            publication: &self.publication,
            data: &BTreeMap::from([("rounds.csv".to_owned(), 9)]),
            base_url: "https://example.org",
            identity: &Identity::default(),
            images: Images::Drawn,
        };
        let data = Files::from([("rounds.csv".to_owned(), "round_id\n".into())]);
        let renderer = Renderer::new(&input);
        let none = Files::new();
        let (mut whole, mut told) = (Rendered::default(), Vec::new());
        for round in &self.publication.rounds {
            let own = self.files.get(round.id()).unwrap_or(&none);
            let inputs = renderer.inputs(round, files_digest(own));
            let known = earlier.get(round.id()).filter(|(own, _)| *own == inputs);
            let reused = known.is_some();
            let made = || (inputs, renderer.round(round, own));
            let family = known.cloned().unwrap_or_else(made);
            told.push(Told::of(round, own));
            whole.files.extend(served(round.id(), own));
            whole.files.extend(family.1.clone());
            whole.families.insert(round.id().clone(), family);
            whole.reused += usize::from(reused);
        }
        let paths = whole.files.keys().cloned().collect();
        whole.files.extend(renderer.rest(&told, &paths));
        whole.files.extend(data_files(&data));
        whole
    }

    /// Its pages as text.
    pub(crate) fn pages(&self) -> BTreeMap<String, String> {
        pages(&self.site())
    }
}

/// The pages among the files of a site; files of rounds are served as they are.
pub(crate) fn pages(site: &Files) -> BTreeMap<String, String> {
    let page = |(path, bytes): (&String, &Bytes)| {
        let text = String::from_utf8(bytes.to_vec()).expect("pages are text");
        (path.clone(), text)
    };
    let own = |path: &str| path.ends_with("index.html") && !path.contains("/files/runs/");
    site.iter()
        .filter(|(path, _)| own(path))
        .map(page)
        .collect()
}

/// The small rounds of the repository, on a day when one is open and two are resolved.
pub(crate) fn fixtures() -> Source {
    let rounds = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/rounds");
    Source::load(&rounds, "2030-01-01T00:00:00Z")
}

/// The public record; says when it is skipped.
#[expect(
    clippy::disallowed_methods,
    clippy::print_stderr,
    reason = "a test has no configuration to ask and nobody else to tell"
)]
pub(crate) fn archive(as_of: &str) -> Option<Source> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/archive");
    let named = std::env::var("CAPITALBENCH_ARCHIVE").map(PathBuf::from);
    let rounds = named.unwrap_or(beside).join("rounds");
    if rounds.is_dir() {
        return Some(Source::load(&rounds, as_of));
    }
    let ci = std::env::var("CI").is_ok_and(|value| value == "true");
    assert!(
        !ci,
        "the archive is missing; set CAPITALBENCH_ARCHIVE to its folder"
    );
    eprintln!("skipped: no archive; set CAPITALBENCH_ARCHIVE to its folder");
    None
}

/// The day on which the archive was published.
pub(crate) const PUBLISHED: &str = "2026-08-21T22:00:00Z";
