//! `sitemap.xml` and `robots.txt`.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use super::escaped;
use crate::html::encode;
use crate::{Files, Input};

pub(super) fn render(input: &Input<'_>, paths: &BTreeSet<String>, files: &mut Files) {
    let base = escaped(input.base_url);
    let mut out = "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n\
                   <urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n"
        .to_owned();
    let pages: BTreeSet<&String> = paths.iter().chain(files.keys()).collect();
    for path in pages {
        let page = match path.strip_suffix("index.html") {
            Some(folder) if folder.is_empty() || folder.ends_with('/') => folder,
            _ => continue,
        };
        // Writing to a text cannot fail.
        let _ = writeln!(out, "<url><loc>{base}/{}</loc></url>", encode(page));
    }
    out.push_str("</urlset>\n");
    files.insert("sitemap.xml".to_owned(), out.into());
    let robots = format!(
        "User-agent: *\nDisallow: /embed/\nSitemap: {}/sitemap.xml\n",
        input.base_url
    );
    files.insert("robots.txt".to_owned(), robots.into());
}
