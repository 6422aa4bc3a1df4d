//! What a page may weigh.

use std::io::Write as _;

use capitalbench_site::Files;
use flate2::Compression;
use flate2::write::GzEncoder;

use super::markup::read;
use super::sources::{fixtures, pages};

const PAGE_GZIP: usize = 60_000;
const PAGE_NODES: usize = 3_000;
const STYLE_GZIP: usize = 15_000;
const SCRIPT_BYTES: usize = 15_000;

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
}

#[test]
fn the_same_input_gives_the_same_bytes() {
    let first = fixtures();
    assert_eq!(first.site(), first.site());
    assert_eq!(first.site(), fixtures().site());
}
