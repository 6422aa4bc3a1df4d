//! A league of Frankfurt: what people read of it knows no other market, index or currency.

use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use crate::harness::{Ran, command};

/// What nobody may read there.
const FOREIGN: [&str; 4] = ["S&P 500", "$", "New York", "SP500"];
/// Files for programs, in which `$` is a key of the language they are written in.
const FOR_PROGRAMS: [&str; 4] = ["schema.json", "openapi.json", ".js", "datapackage.json"];

fn ran(place: &TempDir, words: &str) -> Ran {
    let typed: Vec<&str> = words.split_whitespace().collect();
    let output = command(&typed).current_dir(place.path()).output();
    Ran::new(words, output.expect("the program runs"))
}

/// Every file of text below a folder that people read, with its path.
fn texts(folder: &Path) -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(next) = open.pop() {
        for entry in fs::read_dir(&next).expect("a folder") {
            let path = entry.expect("an entry").path();
            let name = path.display().to_string();
            if path.is_dir() {
                open.push(path);
            } else if !FOR_PROGRAMS.iter().any(|end| name.ends_with(end))
                && let Ok(text) = fs::read_to_string(&path)
            {
                let is_markup = text.trim_start().starts_with('<');
                found.push((path, if is_markup { visible(&text) } else { text }));
            }
        }
    }
    found
}

/// A page without its markup.
fn visible(page: &str) -> String {
    let mut text = String::new();
    for (place, part) in page.split('<').enumerate() {
        let inside = if place == 0 {
            part
        } else {
            part.split_once('>').map_or("", |(_, text)| text)
        };
        let is_code = part.starts_with("script") || part.starts_with("style");
        text.push_str(if is_code { "" } else { inside });
        text.push(' ');
    }
    text.replace("&amp;", "&").replace("&#38;", "&")
}

#[test]
fn nobody_reads_of_another_market_in_a_league_of_frankfurt() {
    let place = tempfile::tempdir().expect("a folder");
    ran(&place, "league new haus").code(0);
    let file = place.path().join("haus/league.yaml");
    let text = fs::read_to_string(&file).expect("the league file");
    let german = text
        .replace("universe: v2.1", "universe: europe-v1")
        .replace("  # monthly: first session", "  monthly: first session");
    assert_ne!(german, text);
    fs::write(&file, german).expect("the changed file");
    ran(
        &place,
        "league rehearse --league haus --days 18 --from 2026-11-16 --keep kept",
    )
    .code(0)
    .says("verify: 0 errors");
    let rounds = "kept/played/rehearsal/rounds";
    let at = "--as-of 2026-12-04T12:00:00Z";
    for words in [
        &format!("build-site --rounds-dir {rounds} {at} --output site --images none"),
        &format!("export --rounds-dir {rounds} {at} --output export --spreadsheet"),
    ] {
        ran(&place, words).code(0);
    }
    let board = ran(&place, &format!("leaderboard --rounds-dir {rounds} {at}"));
    let board = board.code(0).says("vs STOXX Europe 600").stdout();
    let prompt = ran(
        &place,
        &format!("show-prompt --round {rounds}/HAUS-2026-11-30-1W"),
    );
    let prompt = prompt.code(0).says("EUR").stdout();

    let mut read = vec![
        (PathBuf::from("the board"), board),
        (PathBuf::from("the prompt"), prompt),
    ];
    for folder in ["site", "export", "kept/played/rehearsal/boards", rounds] {
        read.extend(texts(&place.path().join(folder)));
    }
    assert!(read.len() > 500, "{} files", read.len());
    let pages = read.iter().filter(|(path, _)| path.ends_with("index.html"));
    assert!(pages.clone().count() > 100, "{} pages", pages.count());
    assert!(
        read.iter()
            .any(|(_, text)| text.contains("STOXX Europe 600"))
    );
    for (path, text) in &read {
        for word in FOREIGN {
            let place = text.find(word);
            let near = place.map(|at| text[at..].chars().take(80).collect::<String>());
            assert_eq!(near, None, "{}", path.display());
        }
    }
}
