//! What a page may weigh.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write as _;

use capitalbench_archive::public::public_record::publication;
use capitalbench_site::{Files, Identity, Images, Input, Renderer};
use capitalbench_testing::bench_archive::{BenchPlan, make};
use flate2::Compression;
use flate2::write::GzEncoder;

use super::markup::read;
use super::sources::{fixtures, pages};

const PAGE_GZIP: usize = 60_000;
const PAGE_NODES: usize = 3_000;
const STYLE_GZIP: usize = 15_000;
const SCRIPT_BYTES: usize = 15_000;
const SEARCH_GZIP: usize = 30_000;

fn gzip(bytes: &[u8]) -> usize {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).expect("memory takes it");
    encoder.finish().expect("memory takes it").len()
}

/// Every page of a site.
pub(crate) fn check(site: &Files) {
    for (path, page) in pages(site) {
        let weight = gzip(page.as_bytes());
        assert!(weight <= PAGE_GZIP, "{path}: {weight} bytes");
        let nodes = read(&page)
            .unwrap_or_else(|fault| panic!("{path}: {fault}"))
            .elements;
        assert!(nodes <= PAGE_NODES, "{path}: {nodes} elements");
    }
    assert!(gzip(&site["style.css"]) <= STYLE_GZIP);
    assert!(site["site.js"].len() <= SCRIPT_BYTES);
    assert!(gzip(&site["search.json"]) <= SEARCH_GZIP);
}

/// Lists that follow the rounds have an end, so that no page grows out of its budget.
#[test]
fn pages_keep_their_budget_over_many_rounds() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let rounds = folder.path().join("rounds");
    let plan = BenchPlan {
        rounds: 320,
        models: 4,
        seed: 1,
        track: None,
    };
    make(&rounds, plan, &|| ()).expect("rounds of an invented market");
    let as_of = "2030-01-01T00:00:00Z".parse().expect("an instant");
    let publication = publication(&rounds, as_of, &|| ()).expect("rounds that can be published");
    let input = Input {
        publication: &publication,
        data: &BTreeMap::new(),
        base_url: "https://example.org",
        identity: &Identity::default(),
        images: Images::Drawn,
    };
    let site = Renderer::new(&input).rest(&[], &BTreeSet::new());
    assert!(site.contains_key("rounds/page/2/index.html"));
    check(&site);
}

#[test]
fn the_same_input_gives_the_same_bytes() {
    let first = fixtures();
    assert_eq!(first.site(), first.site());
    assert_eq!(first.site(), fixtures().site());
}
