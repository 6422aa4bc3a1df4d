//! `sitemap.xml` and `robots.txt`.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use super::escaped;
use crate::html::encode;
use crate::{Files, Input};

/// Addresses that one file may list.
const MOST: usize = 50_000;
const BEGIN: &str = "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n";
const NAMESPACE: &str = "xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\"";

pub(super) fn render(input: &Input<'_>, paths: &BTreeSet<String>, files: &mut Files) {
    let base = escaped(input.base_url);
    let all: BTreeSet<&String> = paths.iter().chain(files.keys()).collect();
    let pages: Vec<&str> = all.into_iter().filter_map(|path| page(path)).collect();
    files.extend(
        sitemaps(&base, &pages, MOST)
            .into_iter()
            .map(|(name, text)| (name, text.into())),
    );
    let robots = format!(
        "User-agent: *\nDisallow: /embed/\nSitemap: {}/sitemap.xml\n",
        input.base_url
    );
    files.insert("robots.txt".to_owned(), robots.into());
}

/// The address of a page; `None` for other files.
fn page(path: &str) -> Option<&str> {
    let folder = path.strip_suffix("index.html")?;
    (folder.is_empty() || folder.ends_with('/')).then_some(folder)
}

/// One sitemap, or an index of several when one would list too many pages.
fn sitemaps(base: &str, pages: &[&str], most: usize) -> Vec<(String, String)> {
    let list = |pages: &[&str]| {
        let mut out = format!("{BEGIN}<urlset {NAMESPACE}>\n");
        for page in pages {
            // Writing to a text cannot fail.
            let _ = writeln!(out, "<url><loc>{base}/{}</loc></url>", encode(page));
        }
        out + "</urlset>\n"
    };
    if pages.len() <= most {
        return vec![("sitemap.xml".to_owned(), list(pages))];
    }
    let mut index = format!("{BEGIN}<sitemapindex {NAMESPACE}>\n");
    let mut found = Vec::new();
    for (place, part) in (1..).zip(pages.chunks(most)) {
        let name = format!("sitemap-{place}.xml");
        let _ = writeln!(index, "<sitemap><loc>{base}/{name}</loc></sitemap>");
        found.push((name, list(part)));
    }
    found.push(("sitemap.xml".to_owned(), index + "</sitemapindex>\n"));
    found
}

#[cfg(test)]
mod tests;
