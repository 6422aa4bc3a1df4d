//! Links lead somewhere, headings and tables are in order, nothing is inline or from elsewhere.

use std::collections::BTreeSet;

use capitalbench_core::values::ids::RoundId;
use capitalbench_site::Files;

use super::markup::{Markup, attribute, names, read};
use super::sources::{fixtures, pages};

/// Pages that are made for programs and stand beside these.
const OTHERS: [&str; 1] = ["verify/index.html"];

/// The path that an address means, seen from a page.
fn target(page: &str, href: &str) -> String {
    let href = href.split(['#', '?']).next().unwrap_or_default();
    let mut parts: Vec<&str> = page.split('/').collect();
    parts.pop();
    for part in href.split('/') {
        match part {
            "." => {}
            ".." => {
                parts.pop().expect("an address inside the site");
            }
            other => parts.push(other),
        }
    }
    let path = decoded(&parts.join("/"));
    match path.as_str() {
        "" => "index.html".to_owned(),
        folder if folder.ends_with('/') => format!("{folder}index.html"),
        file => file.to_owned(),
    }
}

fn decoded(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        if first == b'%' {
            let hex = std::str::from_utf8(&after[..2]).expect("two digits");
            bytes.push(u8::from_str_radix(hex, 16).expect("two digits"));
            rest = &after[2..];
        } else {
            bytes.push(first);
            rest = after;
        }
    }
    String::from_utf8(bytes).expect("text")
}

/// Every page of a site.
pub(crate) fn check(site: &Files) {
    let others: BTreeSet<&str> = OTHERS.into();
    for (path, page) in pages(site) {
        let markup = read(&page).unwrap_or_else(|fault| panic!("{path}: {fault}"));
        let mut ids = BTreeSet::new();
        for (name, attributes) in &markup.tags {
            for place in ["href", "src"] {
                let Some(href) = attribute(attributes, place) else {
                    continue;
                };
                if attribute(attributes, "rel").as_deref() == Some("canonical") {
                    assert!(href.starts_with("https://example.org/"), "{path}: {href}");
                    continue;
                }
                assert!(
                    !href.contains(':') && !href.starts_with("//"),
                    "{path}: {href} leaves"
                );
                if href.starts_with('#') {
                    continue;
                }
                let target = target(&path, &href);
                let known = site.contains_key(&target) || others.contains(target.as_str());
                assert!(
                    known,
                    "{path}: {href} leads to {target}, which is not there"
                );
            }
            if let Some(id) = attribute(attributes, "id") {
                assert!(ids.insert(id.clone()), "{path}: the id {id} twice");
            }
            assert!(
                attribute(attributes, "style").is_none(),
                "{path}: a style on {name}"
            );
            let handler = names(attributes)
                .into_iter()
                .find(|name| name.starts_with("on"));
            assert_eq!(handler, None, "{path}: {name}");
        }
        one_of_each(&path, &markup);
    }
}

fn one_of_each(path: &str, markup: &Markup) {
    // What search engines read is no script that runs.
    let runs = |attributes: &str| !attributes.contains("application/ld+json");
    let count = |name: &str| {
        let tags = markup.tags.iter();
        tags.filter(|(tag, own)| tag == name && runs(own)).count()
    };
    for name in ["h1", "main", "title", "script", "style"] {
        let expected = match name {
            "style" => 0,
            "script" if path == "verify/index.html" => 2,
            // Charts have titles of their own.
            "title" => {
                1 + markup
                    .tags
                    .iter()
                    .filter(|(_, a)| a.contains("class=\"chart") && a.contains("role=\"img\""))
                    .count()
            }
            _ => 1,
        };
        assert_eq!(count(name), expected, "{path}: {name}");
    }
    assert_eq!(
        count("table"),
        count("caption"),
        "{path}: a table without a caption"
    );
    assert!(
        count("figure") <= count("table"),
        "{path}: a chart without a table"
    );
}

/// The six destinations, and both tracks on the first page.
pub(crate) fn check_home(site: &Files) {
    let pages = pages(site);
    for folder in ["", "live/", "rounds/", "models/", "assets/", "method/"] {
        let path = format!("{folder}index.html");
        assert!(pages.contains_key(&path), "{path}");
    }
    let home = &pages["index.html"];
    for words in [
        "id=\"weekly\"",
        "id=\"monthly\"",
        "95 % interval",
        "S&amp;P 500",
        "Best option",
        "Why?",
        "Verify a round",
        "Next result after the close of",
        "AI models each choose a paper portfolio",
        "told apart from luck",
        "<meter",
    ] {
        assert!(home.contains(words), "{words}");
    }
}

/// A host shows it at any depth, so its addresses begin at the root of the site.
#[test]
fn the_page_for_missing_pages_leads_back() {
    let site = fixtures().site();
    let page = String::from_utf8(site["404.html"].to_vec()).expect("text");
    let markup = read(&page).expect("a page of ours");
    let mut seen = 0;
    for (_, attributes) in &markup.tags {
        for place in ["href", "src"] {
            let Some(href) = attribute(attributes, place) else {
                continue;
            };
            if let Some(path) = href.strip_prefix('/') {
                assert!(site.contains_key(&target("index.html", path)), "{href}");
                seen += 1;
            } else {
                assert!(href.starts_with('#'), "{href}");
            }
        }
    }
    assert!(seen > 10, "{page}");
    assert!(!String::from_utf8_lossy(&site["sitemap.xml"]).contains("404"));
}

#[test]
fn an_empty_record_still_has_pages() {
    let mut source = fixtures();
    source.publication.rounds.clear();
    source.publication.boards.clear();
    source.publication.comparison_sets.clear();
    source.publication.statistics = capitalbench_core::evidence::statistics::Statistics::default();
    source.files.clear();
    check(&source.site());
}

#[test]
fn invented_markets_say_so_on_every_page() {
    let mut source = fixtures();
    source.publication.synthetic = true;
    for (path, page) in source.pages() {
        assert!(page.contains("Invented market"), "{path}");
    }
}

/// A long record is split into pages that stay inside their budgets.
#[test]
fn many_rounds_continue_on_a_next_page() {
    let mut source = fixtures();
    let first = source.publication.rounds[0].clone();
    for number in 0..450 {
        let mut round = first.clone();
        let id = format!("many-{number:03}");
        round.manifest.round_id = RoundId::parse(&id).expect("a plain name");
        source.publication.rounds.push(round);
    }
    let site = source.site();
    check(&site);
    super::budgets::check(&site);
    assert!(site.contains_key("rounds/page/3/index.html"));
    assert!(!site.contains_key("rounds/page/4/index.html"));
}
