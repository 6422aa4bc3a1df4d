//! Feeds, calendar, sitemap, embeds and badges: sound, linked, and the same from the same rounds.

use std::collections::BTreeSet;
use std::fs;

use serde_json::Value;

use crate::harness::{Test, tree_of};

const BASE: &str = "https://bench.example";

fn built(output: &str, as_of: &str) -> Test {
    let test = Test::all_rounds();
    build(&test, output, as_of);
    test
}

fn build(test: &Test, output: &str, as_of: &str) {
    let words = [
        "build-site",
        "--rounds-dir",
        ".",
        "--as-of",
        as_of,
        "--base-url",
        BASE,
        "--output",
        output,
    ];
    test.run(&words).code(0);
}

fn read(test: &Test, path: &str) -> String {
    fs::read_to_string(test.path("site").join(path)).expect("a file of the site")
}

/// Tags that are opened are closed, in order.
fn well_formed(text: &str) {
    let mut open = Vec::new();
    for part in text.split('<').skip(1) {
        let tag = part.split('>').next().expect("a tag");
        if tag.starts_with(['?', '!']) || tag.ends_with('/') {
            continue;
        }
        let name = tag.split(' ').next().expect("a name");
        match name.strip_prefix('/') {
            Some(name) => assert_eq!(open.pop(), Some(name), "{text}"),
            None => open.push(name),
        }
    }
    assert!(open.is_empty(), "{open:?} stay open");
    assert!(!text.contains("& "), "{text}");
}

#[test]
fn both_feeds_tell_the_same_events() {
    let test = built("site", "2026-06-01");
    let atom = read(&test, "feed.atom");
    well_formed(&atom);
    let feed: Value = serde_json::from_str(&read(&test, "feed.json")).expect("JSON");
    let items = feed["items"].as_array().expect("items");
    assert_eq!(atom.matches("<entry>").count(), items.len());
    let kinds: BTreeSet<&str> = items
        .iter()
        .filter_map(|item| item["tags"][0].as_str())
        .collect();
    assert_eq!(kinds, BTreeSet::from(["methodology", "result", "round"]));
    let ids: BTreeSet<&str> = items
        .iter()
        .filter_map(|item| item["id"].as_str())
        .collect();
    assert_eq!(ids.len(), items.len(), "every entry has a name of its own");
    let dates: Vec<&str> = items
        .iter()
        .filter_map(|item| item["date_published"].as_str())
        .collect();
    assert!(dates.is_sorted_by(|a, b| a >= b), "{dates:?}");
    for item in items {
        let url = item["url"].as_str().expect("an address");
        assert!(url.starts_with(BASE), "{url}");
        assert!(atom.contains(url), "{url}");
    }
    let told = feed.to_string();
    assert!(told.contains("Result: Week of 2–9 March 2026"), "{told}");
    assert!(!told.contains("Result: Week of 9–16 March 2099"), "{told}");

    // Before its exit close a round has no result in any feed.
    let test = built("site", "2026-03-05T12:00:00Z");
    for file in ["feed.atom", "feed.json"] {
        let entries = read(&test, file);
        assert!(
            entries.contains("New round: Week of 2–9 March 2026"),
            "{entries}"
        );
        assert!(
            !entries.contains("Result: Week of 2–9 March 2026"),
            "{entries}"
        );
    }
    let image = read(&test, "share/rounds/weekly-portfolio-resolved.svg");
    assert!(image.contains("Fixture B"), "{image}");
    for word in ["score", " %", "rank"] {
        assert!(!image.contains(word), "{word}: {image}");
    }
}

/// A correction that tells which value became which.
fn with_values() -> String {
    serde_json::json!({
        "corrected_at_utc": "2026-05-01T00:00:00Z",
        "reason": "and once more",
        "values": [{
            "model_id": "fixture-b",
            "replicate": "1",
            "figure": "portfolio_return",
            "old": "0.0125",
            "new": "0.02",
        }],
    })
    .to_string()
}

#[test]
fn a_correction_is_told_from_the_day_it_was_made() {
    let test = Test::all_rounds();
    let round = test.path("weekly-portfolio-resolved/runs/official-1");
    let line = |at: &str, reason: &str| {
        serde_json::json!({"corrected_at_utc": at, "reason": reason}).to_string() + "\n"
    };
    let lines = [
        line(
            "2026-03-11T00:00:00Z",
            "the vendor corrected <gold> & silver",
        ),
        "not a line of ours\n".to_owned(),
        with_values(),
    ];
    fs::write(round.join("corrections.jsonl"), lines.concat()).expect("a file");
    build(&test, "site", "2026-04-01");
    let atom = read(&test, "feed.atom");
    well_formed(&atom);
    assert!(
        atom.contains("the vendor corrected &lt;gold&gt; &amp; silver"),
        "{atom}"
    );
    let feed: Value = serde_json::from_str(&read(&test, "feed.json")).expect("JSON");
    let items = feed["items"].as_array().expect("items");
    let told: Vec<&Value> = items
        .iter()
        .filter(|item| item["tags"][0] == "correction")
        .collect();
    assert_eq!(told.len(), 1, "{feed}");
    assert_eq!(
        told[0]["id"],
        format!("{BASE}/#correction-weekly-portfolio-resolved-1")
    );
    assert_eq!(told[0]["date_published"], "2026-03-11T00:00:00Z");
    assert_eq!(
        told[0]["content_text"],
        "the vendor corrected <gold> & silver"
    );
    assert_eq!(
        told[0]["url"],
        format!("{BASE}/rounds/weekly-portfolio-resolved/")
    );
    // The second one has a name of its own; the first keeps its name.
    build(&test, "site", "2026-06-01");
    let atom = read(&test, "feed.atom");
    for place in [1, 3] {
        let name = format!("#correction-weekly-portfolio-resolved-{place}</id>");
        assert!(atom.contains(&name), "{atom}");
    }
    let told = "and once more (fixture-b, portfolio return: +1.25 % → +2.00 %)";
    assert!(atom.contains(told), "{atom}");
    let page = read(&test, "rounds/weekly-portfolio-resolved/index.html");
    for part in ["Corrections", "and once more", "+1.25 %", "+2.00 %"] {
        assert!(page.contains(part), "{part}: {page}");
    }
}

#[test]
fn the_calendar_has_what_comes_and_the_exits_of_a_week() {
    let test = built("site", "2026-03-08");
    let calendar = read(&test, "calendar.ics");
    assert!(calendar.lines().all(|line| line.len() <= 75));
    assert!(
        calendar
            .split_inclusive('\n')
            .all(|line| line.ends_with("\r\n"))
    );
    assert_eq!(calendar.matches("BEGIN:VEVENT").count(), 2);
    assert!(calendar.contains("DTSTART:20260309T200000Z"), "{calendar}");
    let later = read(&built("site", "2026-06-01"), "calendar.ics");
    assert_eq!(later.matches("BEGIN:VEVENT").count(), 1);
    assert!(!later.contains("DTSTART:20260309T200000Z"), "{later}");
}

#[test]
fn the_sitemap_lists_pages_that_exist_and_robots_name_it() {
    let test = built("site", "2026-06-01");
    let sitemap = read(&test, "sitemap.xml");
    well_formed(&sitemap);
    let mut seen = 0;
    for part in sitemap.split("<loc>").skip(1) {
        let address = part.split("</loc>").next().expect("an address");
        let path = address.strip_prefix(BASE).expect("an address of ours");
        assert!(
            test.path("site")
                .join(&path[1..])
                .join("index.html")
                .is_file(),
            "{path}"
        );
        seen += 1;
    }
    assert!(seen >= 2, "{sitemap}");
    let robots = read(&test, "robots.txt");
    assert!(
        robots.contains("Sitemap: https://bench.example/sitemap.xml"),
        "{robots}"
    );
}

#[test]
fn embeds_badges_and_images_are_whole() {
    let test = built("site", "2026-06-01");
    let tree = tree_of(&test.path("site"));
    let of = |folder: &str| tree.keys().filter(|path| path.starts_with(folder)).count();
    // Each image as a drawing and as a picture.
    assert!(of("badge/") == 3 && of("share/models/") == 6 && of("share/rounds/") == 6);
    for (path, text) in tree.iter().filter(|(_, text)| !text.contains("PNG")) {
        if path.starts_with("badge/") || path.starts_with("share/") {
            if text != "folder" {
                well_formed(text);
                assert!(
                    text.contains("xmlns=\"http://www.w3.org/2000/svg\""),
                    "{path}"
                );
            }
        } else if path.starts_with("embed/") && text.contains("<html") {
            assert!(!text.contains("<script"), "{path}");
            assert!(text.contains("rel=\"stylesheet\""), "{path}");
        }
    }
}

#[test]
fn the_same_rounds_give_the_same_bytes() {
    let test = built("site", "2026-06-01");
    let first = tree_of(&test.path("site"));
    fs::rename(test.path("site"), test.path("before")).expect("a moved folder");
    build(&test, "site", "2026-06-01");
    assert!(first == tree_of(&test.path("site")));
}

/// The name and the colour of a league reach every page, feed, image and embed; the program that
/// measured stays named.
#[test]
fn a_league_has_its_own_name_colour_and_logo() {
    let test = Test::all_rounds();
    let logo = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 1 1\"/>";
    fs::write(test.path("mark.svg"), logo).expect("a logo");
    let words = "build-site --rounds-dir . --as-of 2026-06-01 --base-url https://bench.example --output site";
    let words: Vec<&str> = words.split(' ').collect();
    let own = [
        "--site-name",
        "House & Home",
        "--accent",
        "#ffcc00",
        "--logo",
        "mark.svg",
    ];
    let done = test.run(&[&words[..], &own].concat()).code(0);
    let said = done.stderr();
    assert!(
        said.contains("the accent #ffcc00 is #") && said.contains("light theme"),
        "{said}"
    );
    let home = read(&test, "index.html");
    for words in [
        "· House &amp; Home</title>",
        "content=\"House &amp; Home\"",
        "src=\"./logo.svg\"",
        "Measured with CapitalBench",
        "https://bench.example/share/home.png",
    ] {
        assert!(home.contains(words), "{words}");
    }
    let atom = read(&test, "feed.atom");
    well_formed(&atom);
    assert!(atom.contains("<title>House &amp; Home</title>"), "{atom}");
    assert!(read(&test, "calendar.ics").contains("House & Home scoring dates"));
    assert_eq!(read(&test, "logo.svg"), logo);
    for file in ["style.css", "icon.svg", "embed/embed.css"] {
        let styled = read(&test, file);
        let usual = ["#0b5fa5", "#7db7ea"].map(|blue| styled.contains(blue));
        assert_eq!(usual, [false; 2], "{file}");
    }
    assert!(
        read(&test, "style.css").contains("--accent:#ffcc00"),
        "dark paper has it as chosen"
    );

    let file = test.path("mark.svg");
    fs::write(&file, "<svg><script>1</script></svg>").expect("a logo");
    let refused = test.run(&[&words[..], &own].concat()).code(2);
    assert!(
        refused.stderr().contains("mark.svg: holds `<script`"),
        "{}",
        refused.stderr()
    );
    let wrong = test
        .run(&[&words[..], &["--accent", "teal"]].concat())
        .code(2);
    assert!(
        wrong.stderr().contains("six hexadecimal digits"),
        "{}",
        wrong.stderr()
    );
}
