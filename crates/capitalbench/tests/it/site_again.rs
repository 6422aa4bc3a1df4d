//! `build-site` after a change: only the round that changed is rendered, and nobody sees a difference.

use std::fs;

use serde_json::Value;

use crate::harness::{Test, WEEKLY, tree_of};

const PAGE: &str = "site/rounds/weekly-portfolio-resolved/prices/index.html";

fn build(test: &Test, output: &str, more: &[&str]) -> Value {
    let words = ["build-site", "--as-of", "2026-06-01", "--json"];
    let places = ["--rounds-dir", "rounds", "--output", output];
    let cache = [("CAPITALBENCH_NO_CACHE", "")];
    test.run_with(&cache, &[&words[..], &places, more].concat())
        .code(0)
        .json()
}

/// Rendered and reused rounds, files written and removed.
fn counts(report: &Value) -> [u64; 4] {
    ["rounds_rendered", "rounds_reused", "written", "removed"]
        .map(|name| report[name].as_u64().expect("a count"))
}

/// Rounds in a folder that keeps facts, so that it may keep these too.
fn kept() -> Test {
    let test = Test::all_rounds();
    let rounds = test.path("rounds");
    fs::create_dir_all(rounds.join(".capitalbench")).expect("a folder");
    for name in [
        WEEKLY,
        "monthly-single-pick-resolved",
        "weekly-portfolio-pending",
    ] {
        fs::rename(test.path(name), rounds.join(name)).expect("a moved round");
    }
    test
}

/// The site is what a build from nothing makes.
#[track_caller]
fn is_whole(test: &Test) {
    build(test, "from-nothing", &["--no-cache"]);
    let (found, whole) = (
        tree_of(&test.path("site")),
        tree_of(&test.path("from-nothing")),
    );
    for (path, text) in &whole {
        assert!(found.get(path) == Some(text), "{path} differs");
    }
    assert_eq!(found.len(), whole.len());
    fs::remove_dir_all(test.path("from-nothing")).expect("a removed folder");
}

#[test]
fn one_changed_round_is_rendered_again() {
    let test = kept();
    let first = counts(&build(&test, "site", &[]));
    assert_eq!((first[0], first[1]), (3, 0));
    assert_eq!(counts(&build(&test, "site", &[])), [0, 3, 0, 0]);

    let note = test.path("rounds").join(WEEKLY).join("research/note.md");
    fs::create_dir_all(note.parent().expect("a folder")).expect("a folder");
    fs::write(&note, "A later thought.\n").expect("a note");
    let [rendered, reused, written, removed] = counts(&build(&test, "site", &[]));
    assert_eq!((rendered, reused, removed), (1, 2, 0));
    assert!((4..20).contains(&written), "{written} files");
    is_whole(&test);

    fs::remove_file(&note).expect("a removed note");
    assert_eq!(counts(&build(&test, "site", &[]))[..2], [1, 2]);
    is_whole(&test);
}

/// Images are drawn for what they show: the same content keeps its image, whatever else changed.
#[test]
fn images_are_drawn_again_only_where_their_content_changed() {
    let test = kept();
    let drawn = |report: &Value| report["images_drawn"].as_u64().expect("a count");
    let all = drawn(&build(&test, "site", &[]));
    assert!(all > 5, "{all}");
    assert_eq!(drawn(&build(&test, "site", &[])), 0);
    // The pages of a round with another file are rendered again, and its image shows the same.
    let note = test.path("rounds").join(WEEKLY).join("research/note.md");
    fs::create_dir_all(note.parent().expect("a folder")).expect("a folder");
    fs::write(&note, "A later thought.\n").expect("a note");
    let report = build(&test, "site", &[]);
    assert_eq!((counts(&report)[0], drawn(&report)), (1, 0));
    is_whole(&test);
    // An image that somebody touched is not believed.
    let image = test.path(&format!("site/share/rounds/{WEEKLY}.png"));
    fs::write(&image, b"another").expect("another image");
    assert_eq!(drawn(&build(&test, "site", &[])), 1);
    is_whole(&test);
    // A name is on every image; without images there is none, and no page names one.
    assert_eq!(drawn(&build(&test, "site", &["--site-name", "House"])), all);
    let report = build(&test, "site", &["--images", "none"]);
    assert_eq!(drawn(&report), 0);
    assert!(!image.exists());
    for (path, text) in tree_of(&test.path("site")) {
        assert!(!text.contains("og:image"), "{path}");
    }
    assert_eq!(drawn(&build(&test, "site", &[])), all);
    is_whole(&test);
}

/// A folder from which a site is published holds more than the site.
#[test]
fn files_that_no_build_wrote_are_left_alone() {
    let test = kept();
    build(&test, "site", &[]);
    fs::create_dir(test.path("site/.git")).expect("a folder");
    for (file, text) in [
        ("site/.git/config", "[core]\n"),
        ("site/CNAME", "example.org\n"),
        ("outside.txt", "mine\n"),
    ] {
        fs::write(test.path(file), text).expect("a written file");
    }
    let list = test.path("site/site-files.txt");
    let outside = test.path("outside.txt").display().to_string();
    let mut lines = fs::read_to_string(&list).expect("a list");
    for path in ["old.html", "../outside.txt", &outside] {
        lines.push_str(path);
        lines.push('\n');
    }
    fs::write(&list, lines).expect("a written file");
    fs::write(test.path("site/old.html"), "old").expect("a written file");
    assert_eq!(counts(&build(&test, "site", &[]))[3], 1);
    assert!(!test.path("site/old.html").exists());
    for file in ["site/.git/config", "site/CNAME", "outside.txt"] {
        assert!(test.path(file).is_file(), "{file}");
    }
}

/// The files of the output are looked at, never believed.
#[test]
fn a_page_that_somebody_touched_is_rendered_again() {
    let test = kept();
    build(&test, "site", &[]);
    let page = fs::read_to_string(test.path(PAGE)).expect("a page");
    let changes: [&dyn Fn(); 2] = [
        &|| fs::write(test.path(PAGE), page.replace("Prices", "Prizes")).expect("a page"),
        &|| fs::remove_file(test.path(PAGE)).expect("a removed page"),
    ];
    for change in changes {
        change();
        assert_eq!(counts(&build(&test, "site", &[])), [1, 2, 1, 0]);
        is_whole(&test);
    }
    // What is kept is of no use to another program, or when it is damaged.
    let kept = test.path("rounds/.capitalbench/cache/site");
    let bytes = fs::read(&kept).expect("what is kept");
    let mut another = bytes.clone();
    another[0] ^= 1;
    for other in [another, bytes[..bytes.len() / 2].to_vec(), Vec::new()] {
        fs::write(&kept, other).expect("a damaged file");
        let [rendered, reused, written, _] = counts(&build(&test, "site", &[]));
        assert!(rendered > 0 && rendered + reused == 3, "{rendered}");
        assert_eq!(written, 0);
        is_whole(&test);
    }
    assert_eq!(counts(&build(&test, "site", &["--no-cache"]))[..2], [3, 0]);
    // Nor is what another machine kept: whoever sends the folder may have written it by hand.
    assert_eq!(counts(&build(&test, "site", &[]))[..2], [0, 3]);
    let elsewhere = test.path("elsewhere");
    let cache = [
        ("CAPITALBENCH_NO_CACHE", ""),
        ("XDG_STATE_HOME", elsewhere.to_str().expect("a path")),
    ];
    let words = "build-site --as-of 2026-06-01 --json --rounds-dir rounds --output site";
    let words: Vec<&str> = words.split_whitespace().collect();
    let built = test.run_with(&cache, &words).code(0).json();
    assert_eq!(counts(&built)[..2], [3, 0]);
}

#[test]
fn leagues_on_one_host_have_pages_of_their_own() {
    let test = kept();
    let both = ["--with-league", "Far away=rounds", "--site-name", "Near"];
    let first = build(&test, "site", &both);
    let place = "leagues/far-away/";
    assert!(first["leagues"][place]["written"].as_u64() > Some(100));
    let near = fs::read_to_string(test.path("site/index.html")).expect("a page");
    let far = fs::read_to_string(test.path("site/leagues/far-away/index.html")).expect("a page");
    assert!(near.contains(">Far away</a>") && far.contains(">Near</a>"));
    assert!(far.contains("<title>"), "{far}");
    let again = build(&test, "site", &both);
    let written = |report: &Value| report["written"].as_u64().expect("a count");
    assert_eq!((written(&again), written(&again["leagues"][place])), (0, 0));
    let twice = [
        "--with-league",
        "Far=rounds",
        "--with-league",
        "far!=rounds",
    ];
    let words = ["build-site", "--rounds-dir", "rounds", "--output", "other"];
    test.run(&[&words[..], &twice].concat())
        .code(2)
        .complains("two leagues would stand at leagues/far/");
}
