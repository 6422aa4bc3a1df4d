//! Copies of the resolved weekly round that wait for their result, and resolvers that run at once.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Child, Stdio};

use crate::fake_tiingo::{FakeTiingo, KEY};
use crate::harness::{Test, WEEKLY, command, copy_tree, fixtures};
use crate::market::{Market, Row, market_of};

/// The rows of the exit day are final.
pub(crate) const DUE: &str = "2026-03-10T00:15:00Z";
/// Long after every lease of then has expired.
pub(crate) const LATER: &str = "2026-03-10T03:00:00Z";

/// Entry, every session between, exit; closes between are those of the entry.
pub(crate) fn market() -> Market {
    let mut market = market_of(&fixtures().join("rounds").join(WEEKLY));
    for rows in market.values_mut() {
        let between = ["03", "04", "05", "06"].map(|day| Row {
            day: format!("2026-03-{day}"),
            ..rows[0].clone()
        });
        rows.splice(1..1, between);
    }
    market
}

/// The name of a round by its number.
pub(crate) fn name(number: usize) -> String {
    format!("DUE-{number:02}")
}

/// A folder `rounds` with so many accepted rounds without prices or results.
pub(crate) fn due_rounds(count: usize) -> Test {
    let test = Test::operator("rounds/DUE-00");
    let template = test.path("template");
    copy_tree(&fixtures().join("rounds").join(WEEKLY), &template);
    for gone in ["prices", "automation", "runs/official-1/results"] {
        fs::remove_dir_all(template.join(gone)).expect("a removed folder");
    }
    fs::remove_file(template.join("hashes.json")).expect("a removed file");
    for number in 0..count {
        let folder = test.path(&format!("rounds/{}", name(number)));
        copy_tree(&template, &folder);
        rename(&folder, &name(number));
        let path = folder.display().to_string();
        test.run(&["hash-round", "--round", &path]).code(0);
        test.run(&["automation-retry", "--round", &path, "--now", DUE])
            .code(0);
    }
    fs::remove_dir_all(template).expect("a removed folder");
    test
}

/// Gives every text of a round its new name.
fn rename(folder: &Path, name: &str) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            rename(&path, name);
        } else {
            let text = fs::read_to_string(&path).expect("a text");
            fs::write(&path, text.replace(WEEKLY, name)).expect("a written file");
        }
    }
}

/// A resolver that works while the test goes on.
pub(crate) fn start(test: &Test, server: &FakeTiingo, worker: &str, now: &str) -> Child {
    command(&["resolve-due", "--json", "--now", now, "--worker-id", worker])
        .env("TIINGO_API_KEY", KEY)
        .env("TIINGO_BASE_URL", server.url())
        .env("TIINGO_PLAN", "-/-/-")
        .env("CAPITALBENCH_ALLOW_PRIVATE_ADDRESSES", "1")
        .env_remove("CAPITALBENCH_STATE_DIR")
        .current_dir(test.folder())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts")
}

/// What a round's job says, field by field.
pub(crate) fn job(test: &Test, round: &str) -> BTreeMap<String, String> {
    let file = test.path(&format!("rounds/{round}/automation/resolution_job.yaml"));
    let stored = fs::read_to_string(file).expect("a job");
    let fields = stored.lines().filter_map(|line| line.split_once(": "));
    fields
        .map(|(name, value)| (name.to_owned(), value.trim_matches('\'').to_owned()))
        .collect()
}

/// The leaderboard of a round, under the name of the round it is a copy of.
pub(crate) fn leaderboard(test: &Test, round: &str) -> Option<String> {
    let file = format!("rounds/{round}/runs/official-1/results/leaderboard.csv");
    let stored = fs::read_to_string(test.path(&file)).ok()?;
    Some(stored.replace(round, WEEKLY))
}

/// The leaderboard that every one of them must come to.
pub(crate) fn expected() -> String {
    let file = fixtures()
        .join("rounds")
        .join(WEEKLY)
        .join("runs/official-1/results/leaderboard.csv");
    fs::read_to_string(file).expect("a leaderboard")
}
