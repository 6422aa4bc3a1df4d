//! Every kind of page at two widths and in two themes: quiet, at home, within its budget, readable
//! by everybody.

use std::path::Path;

use serde_json::Value;

use crate::{Browser, Site, browser, record, skip};

const WIDE: (u32, u32) = (1440, 900);
const PHONE: (u32, u32) = (390, 844);

/// One page of every kind; those that depend on the record are found on the index pages.
fn paths(browser: &Browser, site: &Site) -> Vec<String> {
    let mut paths: Vec<String> = [
        "/", "/boards/", "/live/", "/rounds/", "/models/", "/assets/",
    ]
    .map(str::to_owned)
    .to_vec();
    paths.extend(["/compare/", "/method/", "/verify/"].map(str::to_owned));
    let first = |page: &str, part: &str, most: usize| -> Vec<String> {
        browser.open(&site.page(page));
        let script = format!(
            "return [...document.querySelectorAll('main a')].map(a => a.pathname)\
             .filter(p => p.startsWith('{part}') && p !== '{part}')"
        );
        let found = browser.run(&script);
        let found = found.as_array().cloned().unwrap_or_default().into_iter();
        let mut found: Vec<String> = found.filter_map(|p| Some(p.as_str()?.to_owned())).collect();
        found.dedup();
        found.truncate(most);
        assert!(!found.is_empty(), "{page} has no link to {part}");
        found
    };
    paths.extend(first("/models/", "/models/", 1));
    paths.extend(first("/assets/", "/assets/", 1));
    paths.extend(first("/", "/sets/", 1));
    for round in first("/rounds/", "/rounds/", 400)
        .iter()
        .step_by(12)
        .take(3)
    {
        paths.extend(
            ["", "prompt/", "answers/", "prices/", "files/"].map(|p| format!("{round}{p}")),
        );
    }
    paths
}

#[test]
fn pages_are_quiet_at_home_and_fit_their_screens() {
    let Some(browser) = browser() else { return };
    let (rounds, as_of) = record();
    let site = Site::of(&rounds, as_of);
    let paths = paths(&browser, &site);
    browser.complaints();
    browser.requests();
    for (size, theme) in [
        (WIDE, "light"),
        (WIDE, "dark"),
        (PHONE, "light"),
        (PHONE, "dark"),
    ] {
        browser.view(size, theme);
        for path in &paths {
            browser.open(&site.page(path));
            let wide = browser.run(
                "return document.scrollingElement.scrollWidth - document.documentElement.clientWidth",
            );
            assert!(
                wide.as_i64().is_some_and(|w| w <= 0),
                "{path} {size:?} scrolls sideways: {wide}"
            );
            let nodes = browser.run("return document.querySelectorAll('*').length");
            assert!(
                nodes.as_u64().is_some_and(|n| n <= 3000),
                "{path}: {nodes} nodes"
            );
            let heads = browser.run("return document.querySelectorAll('h1').length");
            assert_eq!(heads, 1, "{path} has {heads} first headings");
            let paper = browser.run("return getComputedStyle(document.body).backgroundColor");
            let dark = theme == "dark";
            assert_eq!(is_dark(&paper), dark, "{path} in {theme}: {paper}");
            let complaints = browser.complaints();
            assert!(complaints.is_empty(), "{path}: {complaints:?}");
        }
    }
    for request in browser.requests() {
        let own = request.starts_with(&site.address) || request.starts_with("data:");
        assert!(own, "a page asks {request}");
    }
}

fn is_dark(colour: &Value) -> bool {
    let text = colour.as_str().unwrap_or_default();
    let digits = |c: char| c.is_ascii_digit();
    let numbers: Vec<u32> = text
        .split(|c| !digits(c))
        .filter_map(|part| part.parse().ok())
        .collect();
    numbers.iter().take(3).sum::<u32>() < 3 * 128
}

#[test]
fn home_shows_results_on_the_first_screen_and_is_short_on_a_phone() {
    let Some(browser) = browser() else { return };
    let (rounds, as_of) = record();
    let site = Site::of(&rounds, as_of);
    for size in [WIDE, PHONE] {
        browser.view(size, "light");
        browser.open(&site.page("/"));
        let top = browser.run(
            "return [...document.querySelectorAll('main table tbody tr')].slice(0, 3)\
             .map(row => row.getBoundingClientRect().top)",
        );
        let visible = top.as_array().is_some_and(|rows| {
            let above = |row: &Value| row.as_f64().is_some_and(|top| top < f64::from(size.1));
            rows.len() == 3 && rows.iter().all(above)
        });
        assert!(visible, "no result on the first screen at {size:?}: {top}");
    }
    let height = browser.run("return document.documentElement.scrollHeight");
    assert!(
        height.as_u64().is_some_and(|h| h <= 6000),
        "{height} px tall"
    );
}

/// The five questions of a visitor, answered by the words of a phone's first screen alone.
#[test]
fn the_first_screen_of_a_phone_says_what_this_is_and_how_it_stands() {
    let Some(browser) = browser() else { return };
    let (rounds, as_of) = record();
    let site = Site::of(&rounds, as_of);
    browser.view(PHONE, "light");
    browser.open(&site.page("/"));
    let seen = browser.run(
        "const seen = [], walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);\
         while (walker.nextNode()) { const range = document.createRange(); range.selectNodeContents(walker.currentNode);\
         const box = range.getBoundingClientRect();\
         if (box.width && box.bottom <= innerHeight && box.right <= innerWidth) seen.push(walker.currentNode.data); }\
         return seen.join(' ').replace(/\\s+/g, ' ')",
    );
    let seen = seen.as_str().expect("text").to_owned();
    for (question, words) in [
        ("what is this", "AI models each choose a paper portfolio"),
        ("who leads", "has the highest score"),
        ("is it luck", "told apart from luck"),
        ("what is open", "Open now: "),
        ("what next", "Next result after the close of"),
        ("where to go", "What models hold now"),
        ("the board", "Rank"),
        ("the board", "Score"),
        ("the board", "Gap"),
    ] {
        assert!(seen.contains(words), "{question}: {seen}");
    }
}

/// The accessibility checker, where `scripts/test` put it.
fn checker() -> Option<String> {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("../test-node");
    std::fs::read_to_string(target.join("node_modules/axe-core/axe.min.js")).ok()
}

#[test]
fn pages_are_accessible() {
    let Some(browser) = browser() else { return };
    let Some(checker) = checker() else {
        return skip("axe-core");
    };
    let (rounds, as_of) = record();
    let site = Site::of(&rounds, as_of);
    let paths = paths(&browser, &site);
    for (size, theme) in [
        (WIDE, "light"),
        (WIDE, "dark"),
        (PHONE, "light"),
        (PHONE, "dark"),
    ] {
        browser.view(size, theme);
        for path in &paths {
            browser.open(&site.page(path));
            browser.run(&checker);
            let found = browser.wait_for(
                "axe.run({runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']}).then(r => done(\
                 r.violations.map(v => v.id + ': ' + v.nodes.slice(0, 3).map(n => n.html).join(' | '))))",
            );
            let found = found.as_array().cloned().unwrap_or_default();
            assert!(
                found.is_empty(),
                "{path} in {theme} at {size:?}: {found:#?}"
            );
        }
    }
}
