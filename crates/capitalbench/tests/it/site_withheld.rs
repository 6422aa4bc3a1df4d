//! A round that was still open: no byte of site, feeds, answers or exports tells its result.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::harness::Test;
use crate::site_server::SiteServer;

/// Rounds of the archive whose results are on disk, and an instant before their exits.
const AS_OF: &str = "2026-06-16T12:00:00Z";
const LATER: &str = "2026-08-21T22:00:00Z";

fn text(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}

/// Every figure of the result that an open round will have, by round.
fn secrets(later: &Value, open: &BTreeSet<String>) -> BTreeMap<String, BTreeSet<String>> {
    let mut found: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for round in later["rounds"].as_array().expect("rounds") {
        let id = text(&round["round_id"]);
        let Some(result) = round.get("result").filter(|_| open.contains(&id)) else {
            continue;
        };
        let own = found.entry(id).or_default();
        let mut take = |rows: &Value, names: &[&str]| {
            for row in rows.as_array().into_iter().flatten() {
                own.extend(names.iter().map(|name| text(&row[*name])));
            }
        };
        let single = Value::Array(vec![result.clone()]);
        take(
            &single,
            &["reference_return_fraction", "oracle_return_fraction"],
        );
        take(
            &single,
            &[
                "random_low_fraction",
                "random_median_fraction",
                "random_high_fraction",
            ],
        );
        take(&result["exit_prices"], &["price_usd"]);
        take(&result["option_returns"], &["return_fraction"]);
        let outcome = [
            "return_fraction",
            "alpha_fraction",
            "regret_fraction",
            "score",
        ];
        take(&result["outcomes"], &outcome);
        take(&result["control_outcomes"], &outcome);
        own.retain(|secret| is_telling(secret));
    }
    found
}

/// Whether a figure cannot occur by chance, as prices in whole cents do, even if stored as floats.
fn is_telling(figure: &str) -> bool {
    let cents = figure.parse::<f64>().map(|value| value * 100.0);
    let whole = |cents: f64| cents.abs() > 100.0 && (cents - cents.round()).abs() < 0.01;
    figure.len() > 9 && cents.is_ok_and(|cents| !whole(cents))
}

/// Prices that everybody knew: starting ones, and those of rounds that were over.
fn public_prices(then: &Value) -> BTreeSet<String> {
    let rounds = then["rounds"].as_array().expect("rounds").iter();
    let sheets = rounds.flat_map(|round| [&round["entry_prices"], &round["result"]["exit_prices"]]);
    let rows = sheets.filter_map(Value::as_array).flatten();
    rows.map(|row| text(&row["price_usd"])).collect()
}

fn files(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let list = fs::read_to_string(folder.join("site-files.txt")).expect("a list");
    let read = |path: &str| {
        (
            path.to_owned(),
            fs::read(folder.join(path)).expect("a file"),
        )
    };
    list.lines().map(read).collect()
}

/// Files with their paths.
type Said = Vec<(String, Vec<u8>)>;

fn built(test: &Test, rounds: &str, as_of: &str, output: &str) -> Said {
    let place = ["--rounds-dir", rounds, "--as-of", as_of, "--output", output];
    test.run(&[&["build-site"][..], &place].concat()).code(0);
    files(&test.path(output))
}

fn document(site: &Said) -> Value {
    let mut files = site.iter();
    let found = files.find(|(path, _)| path == "data/publication.json");
    serde_json::from_slice(&found.expect("a publication").1).expect("JSON")
}

/// What a live server says: every table, every open round; what it must not have is not there.
fn answers(test: &Test, rounds: &str, open: &BTreeSet<String>) -> Said {
    let place = ["--rounds-dir", rounds, "--as-of", AS_OF];
    let serve = ["serve", "--listen", "127.0.0.1:0"];
    let server = SiteServer::of(test, &[&serve[..], &place].concat());
    let mut paths = vec!["/api/v1/metadata".to_owned()];
    let index = server.get("/api/v1").json();
    for table in index["tables"].as_array().expect("tables") {
        paths.push(format!("/api/v1/{}?limit=1000", text(&table["name"])));
    }
    for id in open {
        paths.push(format!("/api/v1/rounds/{id}"));
        for file in ["prices/exit_prices.csv", "round_summary.md"] {
            let answer = server.get(&format!("/rounds/{id}/files/{file}"));
            assert_eq!(answer.status, 404, "{id}: {file}");
        }
    }
    let ask = |path: String| {
        let answer = server.get(&path);
        assert_eq!(answer.status, 200, "{path}");
        (path, answer.body)
    };
    paths.into_iter().map(ask).collect()
}

/// Tables of results have no row of an open round, and no sheet of one reaches its exit: prices in
/// whole cents occur by chance, so the days say it.
fn tables_and_sheets(said: &Said, then: &Value, open: &BTreeSet<String>) {
    for name in [
        "outcomes",
        "control_outcomes",
        "option_returns",
        "round_results",
    ] {
        let path = format!("data/{name}.csv");
        let table = said.iter().find(|(found, _)| *found == path);
        let rows = String::from_utf8_lossy(&table.expect("a table").1);
        for id in open {
            assert!(!rows.contains(id.as_str()), "{path} has rows of {id}");
        }
    }
    let mut looked = 0;
    for round in then["rounds"].as_array().expect("rounds") {
        let (id, exit) = (text(&round["round_id"]), text(&round["exit_date"]));
        for (path, bytes) in said.iter().filter(|_| open.contains(&id)) {
            let inside = path.strip_prefix(&format!("rounds/{id}/files/"));
            let inside = inside.unwrap_or_default();
            if inside.starts_with("prices/") || inside.contains("/results/") {
                let rows = String::from_utf8_lossy(bytes);
                assert!(!rows.contains(&exit), "{path} reaches {exit}");
                looked += 1;
            }
        }
    }
    assert!(looked > 5, "{looked} sheets");
}

#[test]
fn no_byte_tells_the_result_of_an_open_round() {
    let Some(archive) = crate::golden::archive() else {
        return;
    };
    let test = Test::weekly();
    let rounds = archive.join("rounds").display().to_string();
    let mut said = built(&test, &rounds, AS_OF, "then");
    let later = built(&test, &rounds, LATER, "later");
    let then = document(&said);
    let listed = then["rounds"].as_array().expect("rounds").iter();
    let open: BTreeSet<String> = listed
        .filter(|round| round["state"] != "resolved")
        .map(|round| text(&round["round_id"]))
        .collect();
    let mut secrets = secrets(&document(&later), &open);
    let known = public_prices(&then);
    for own in secrets.values_mut() {
        own.retain(|secret| !known.contains(secret));
    }
    let count: usize = secrets.values().map(BTreeSet::len).sum();
    assert!(secrets.len() >= 10 && count > 500, "{count} figures");

    // The walk can see: later the same files are full of them.
    let mut unseen: BTreeSet<&str> = secrets.values().flatten().map(String::as_str).collect();
    for (_, bytes) in &later {
        let written = String::from_utf8_lossy(bytes);
        let found = numbers(&written);
        unseen.retain(|secret| !found.contains(secret));
    }
    assert!(unseen.is_empty(), "{unseen:?}");

    said.extend(answers(&test, &rounds, &open));
    tables_and_sheets(&said, &then, &open);
    let mut told = Vec::new();
    for (path, bytes) in &said {
        let written = String::from_utf8_lossy(bytes);
        let found = numbers(&written);
        for (id, own) in &secrets {
            let own = own.iter().filter(|secret| found.contains(secret.as_str()));
            told.extend(own.map(|secret| format!("{path}: {secret} of {id}")));
        }
    }
    let first = &told[..told.len().min(20)];
    assert!(told.is_empty(), "{} leaks: {first:?}", told.len());
}

/// Every number in a text, as it is written.
fn numbers(text: &str) -> BTreeSet<&str> {
    let digits = |c: char| c.is_ascii_digit() || c == '.' || c == '-' || c == 'e';
    text.split(|c: char| !digits(c))
        .filter(|word| word.len() > 9)
        .collect()
}
