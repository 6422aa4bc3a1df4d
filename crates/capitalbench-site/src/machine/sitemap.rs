//! `sitemap.xml` and `robots.txt`.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use capitalbench_core::publication::{PublicRound, Publication};
use jiff::civil::Date;
use jiff::tz::TimeZone;

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
    let days = days(input.publication);
    let today = input.publication.as_of.to_zoned(TimeZone::UTC).date();
    let dated = |path: &'_ str| {
        let id = path
            .strip_prefix("rounds/")
            .and_then(|rest| rest.split('/').next());
        let day = id.and_then(|id| days.get(id)).copied();
        let current = !path.starts_with("method/");
        day.or_else(|| current.then_some(today))
    };
    let pages = all.into_iter().filter_map(|path| page(path));
    let pages: Vec<(&str, Option<Date>)> = pages.map(|path| (path, dated(path))).collect();
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

/// The day on which the pages of a resolved round last changed: that of its ending close.
fn days(publication: &Publication) -> BTreeMap<&str, Date> {
    let rounds = publication
        .rounds
        .iter()
        .filter(|round| round.resolved().is_some());
    let day = |round: &'_ PublicRound| round.manifest.window.map(|window| window.exit);
    rounds
        .filter_map(|round| Some((round.id().as_str(), day(round)?)))
        .collect()
}

/// The address of a page; `None` for other files.
fn page(path: &str) -> Option<&str> {
    let folder = path.strip_suffix("index.html")?;
    (folder.is_empty() || folder.ends_with('/')).then_some(folder)
}

/// One sitemap, or an index of several when one would list too many pages.
fn sitemaps(base: &str, pages: &[(&str, Option<Date>)], most: usize) -> Vec<(String, String)> {
    let list = |pages: &[(&str, Option<Date>)]| {
        let mut out = format!("{BEGIN}<urlset {NAMESPACE}>\n");
        for (page, day) in pages {
            let day = day.map_or(String::new(), |day| format!("<lastmod>{day}</lastmod>"));
            // Writing to a text cannot fail.
            let _ = writeln!(out, "<url><loc>{base}/{}</loc>{day}</url>", encode(page));
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
