//! What is public, seen through the built program: boards, files, and nothing of a pending round.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use capitalbench_archive::format::text::table::read_table;
use serde_json::Value;

use crate::golden::archive;
use crate::harness::{MONTHLY, PENDING, Ran, Test, WEEKLY, copy_tree, program, tree_of};

/// Two fixtures with results on disk, and a day before the exit of each.
const BEFORE: [(&str, &str); 2] = [(WEEKLY, "2026-03-05"), (MONTHLY, "2026-02-20")];
/// After both exits.
const AFTER: &str = "2026-04-20";
/// The day the published tables were made on.
const TABLES_DAY: &str = "2026-08-21";

/// The older table: model, rounds, mean alpha, median, compounded, log alpha, hit rate.
const OLDER_MONTHLY: &str = "
xai-grok-4-5 1 0.0014585526421300177 0.0014585526421300177 0.04098552058196514 0.0014021092294571533 1.0
openai-gpt-5-6-sol 1 -0.007843896154956488 -0.007843896154956488 0.031683071784878614 -0.007574252252913957 0.0
xai-grok-4-3 18 -0.008351110803320544 0.003025454499536071 -0.1502909988286607 -0.16295307847258586 0.5555555555555556
anthropic-claude-opus-4-7 18 -0.01676912507471472 -0.006753056047946867 -0.27342538221251933 -0.31950583145631256 0.4444444444444444
anthropic-claude-opus-4-8 15 -0.017382404020879417 -0.009838022331136047 -0.2151843023011808 -0.2708675864444583 0.3333333333333333
anthropic-claude-fable-5 3 -0.02327896156961975 -0.007059811109433545 0.008892160970120466 -0.07004686597661668 0.0
google-gemini-3-1-pro 18 -0.025601101820765342 -0.017078827565376428 -0.3837512760512575 -0.4841963630947982 0.16666666666666666
openai-gpt-5-5 18 -0.04275151889894738 -0.05263743143642774 -0.5564589709439697 -0.8130567083434844 0.2777777777777778";

/// The same for the other track.
const OLDER_WEEKLY: &str = "
anthropic-claude-fable-5 9 0.007292765609201597 0.013808518711586865 0.11852613489291186 0.06544019256192321 0.7777777777777778
openai-gpt-5-6-sol 6 0.006996270566070296 0.010628747799242694 0.05355334064424411 0.042257590612501 0.6666666666666666
xai-grok-4-5 6 0.004245522186283518 0.009122291347738893 0.03585518812482569 0.025316360056272164 0.6666666666666666
xai-grok-4-3 22 0.0025264062562050456 0.0005036285457184816 -0.014284152287980967 0.04556585588878811 0.5
anthropic-claude-opus-4-7 19 0.0010667177093389877 0.0033415624074658087 -0.07477862008459268 0.011571054384326124 0.5263157894736842
anthropic-claude-opus-4-8 20 -0.002088997504453608 -0.0020225542634675023 -0.1240968830532232 -0.046220749061593736 0.45
openai-gpt-5-5 22 -0.0028070795710760416 -0.007069170004307462 -0.13330793926075857 -0.08311853451020243 0.45454545454545453
google-gemini-3-1-pro 22 -0.009027239323810405 -0.0035211123633993703 -0.24309472092369733 -0.2185641513825115 0.45454545454545453
anthropic-claude-opus-5 2 -0.01449787159713065 -0.01449787159713065 0.011164835153969044 -0.028202903380186498 0.5";

fn run(folder: &Path, arguments: &[&str]) -> Ran {
    let output = Command::new(program())
        .env("CAPITALBENCH_NO_CACHE", "1")
        .args(arguments)
        .current_dir(folder)
        .output()
        .expect("the program starts");
    Ran::new(&arguments.join(" "), output)
}

/// All that some commands print and write.
fn told(rounds: &Path, as_of: &str, commands: &[&[&str]]) -> BTreeMap<String, String> {
    let scratch = tempfile::TempDir::new().expect("a temporary folder");
    let folder = rounds.display().to_string();
    let common = ["--rounds-dir", &folder, "--as-of", as_of];
    let mut told = BTreeMap::new();
    for command in commands {
        let ran = run(scratch.path(), &[command, &common[..]].concat());
        let text = format!("{}{}", ran.stdout(), ran.stderr());
        told.insert(command.join(" "), text);
    }
    told.extend(tree_of(scratch.path()));
    told
}

/// The same for every command that shows what is public.
fn everything(
    rounds: &Path,
    as_of: &str,
    models: [&str; 2],
    round: &str,
) -> BTreeMap<String, String> {
    let commands: [&[&str]; 11] = [
        &["leaderboard"],
        &["leaderboard", "--json"],
        &["leaderboard", "--round", round],
        &["leaderboard", "--round", round, "--json"],
        &["compare", models[0], models[1]],
        &["compare", models[0], models[1], "--json"],
        &["cumulative-status"],
        &["cumulative-status", "--json"],
        &["publish-latest", "--output", "latest"],
        &["publish-cumulative", "--output", "cumulative"],
        &["export", "--output", "export"],
    ];
    told(rounds, as_of, &commands)
}

/// Takes away what makes a round resolved.
fn forget_result(round: &Path) {
    fs::remove_file(round.join("prices/exit_prices.csv")).expect("exit prices");
    for run in fs::read_dir(round.join("runs")).expect("runs") {
        let results = run.expect("a run").path().join("results");
        if results.exists() {
            fs::remove_dir_all(results).expect("a removed folder");
        }
    }
}

#[test]
fn before_the_exit_close_results_on_disk_do_not_exist() {
    let test = Test::all_rounds();
    let models = ["openai-fixture-a", "anthropic-fixture-b"];
    for (round, day) in BEFORE {
        let with = everything(test.folder(), day, models, round);
        let secrets = figures(&test.path(round));
        assert!(secrets.len() > 5, "{secrets:?}");
        for (name, text) in &with {
            for secret in &secrets {
                assert!(!text.contains(secret.as_str()), "{name} tells {secret}");
            }
        }
        let public = everything(test.folder(), AFTER, models, round);
        let whole: String = public.values().map(String::as_str).collect();
        let seen = secrets
            .iter()
            .filter(|secret| whole.contains(secret.as_str()));
        assert!(seen.count() > 5, "the search would not see a leak");
        forget_result(&test.path(round));
        assert_eq!(with, everything(test.folder(), day, models, round));
    }
}

/// Columns of result files and exit prices that are withheld.
const WITHHELD: [&str; 10] = [
    "exit_price",
    "return",
    "selected_asset_return",
    "portfolio_return",
    "sp500_return",
    "alpha_vs_sp500",
    "regret_vs_best_option",
    "alpha_per_dollar",
    "adj_close",
    "close",
];

/// Long withheld figures of a round that its starting prices do not hold.
fn figures(round: &Path) -> Vec<String> {
    let read = |path: &str| fs::read_to_string(round.join(path)).expect("a file");
    let entry = read("prices/entry_prices.csv");
    let official = "runs/official-1/results";
    let mut figures = Vec::new();
    for text in [
        read("prices/exit_prices.csv"),
        read(&format!("{official}/leaderboard.csv")),
        read(&format!("{official}/returns.csv")),
    ] {
        let table = read_table(text.as_bytes()).expect("a table");
        for (place, name) in table.header.iter().enumerate() {
            if WITHHELD.contains(&name.as_ref()) {
                figures.extend(table.rows.iter().map(|row| row.cells[place].to_string()));
            }
        }
    }
    figures.retain(|cell| cell.len() > 4 && !entry.contains(cell.as_str()));
    figures.sort();
    figures.dedup();
    figures
}

#[test]
fn archived_results_are_withheld_before_their_exit() {
    let Some(archive) = archive() else { return };
    let copy = tempfile::TempDir::new().expect("a temporary folder");
    for name in ["rounds", "market_data"] {
        copy_tree(&archive.join(name), &copy.path().join(name));
    }
    let sets = "benchmark_sets.yaml";
    fs::copy(archive.join(sets), copy.path().join(sets)).expect("a copied file");
    let rounds = copy.path().join("rounds");
    let (day, open) = ("2026-06-20", "CB-2026-06-16-1W");
    let commands: [&[&str]; 4] = [
        &["leaderboard", "--round", open],
        &["compare", "xai-grok-4-3", "openai-gpt-5-5"],
        &["publish-cumulative", "--output", "cumulative"],
        &["export", "--output", "export"],
    ];
    let with = told(&rounds, day, &commands);
    let mut forgotten = 0;
    for entry in fs::read_dir(&rounds).expect("rounds") {
        let round = entry.expect("a round").path();
        let manifest = fs::read_to_string(round.join("manifest.yaml")).expect("a manifest");
        let exit = manifest
            .lines()
            .find_map(|line| line.strip_prefix("exit_date:"));
        let exit = exit.map(|exit| exit.trim().trim_matches(['\'', '"']).to_owned());
        let later = exit.is_some_and(|exit| exit.as_str() > day);
        if later && round.join("prices/exit_prices.csv").exists() {
            forget_result(&round);
            forgotten += 1;
        }
    }
    assert!(forgotten > 10, "{forgotten}");
    let without = told(&rounds, day, &commands);
    for (name, text) in &with {
        assert!(
            without.get(name) == Some(text),
            "{name} depends on a later result"
        );
    }
    assert_eq!(with.len(), without.len());
}

#[test]
fn the_older_table_is_reproduced_to_the_last_digit() {
    let Some(archive) = archive() else { return };
    let test = Test::weekly();
    let rounds = archive.join("rounds").display().to_string();
    let common = ["--rounds-dir", &rounds, "--as-of", TABLES_DAY, "--output"];
    test.run(&[&["publish-cumulative"][..], &common, &["both"]].concat())
        .code(0);
    for (track, older) in [("weekly", OLDER_WEEKLY), ("monthly", OLDER_MONTHLY)] {
        let stored = fs::read_to_string(
            test.path("both")
                .join(track)
                .join("official_leaderboard.csv"),
        );
        let older_table = stored.expect("a table");
        let rows: Vec<String> = older_table
            .lines()
            .skip(1)
            .map(|line| {
                let cells: Vec<&str> = line.split(',').collect();
                [0, 2, 5, 6, 7, 9, 10].map(|column| cells[column]).join(" ")
            })
            .collect();
        assert_eq!(rows, older.trim().lines().collect::<Vec<_>>(), "{track}");
        let alone = format!("only-{track}");
        let of_track = ["--track", track];
        test.run(&[&["publish-cumulative"][..], &common, &[&alone], &of_track].concat())
            .code(0);
        let again = fs::read_to_string(test.path(&alone).join("official_leaderboard.csv"));
        assert_eq!(again.expect("a table"), older_table);
    }
    let stability = fs::read_to_string(test.path("both/weekly/stability_leaderboard.csv"));
    assert_eq!(stability.expect("a table").lines().count(), 1);
    test.run(&[&["publish-latest"][..], &common, &["latest"]].concat())
        .code(0);
    let written = fs::read(test.path("latest/latest_round_leaderboard.csv")).expect("a file");
    let latest = archive.join("rounds/CB-2026-07-17-1M/runs/official-v2-all-final-20260717");
    let stored = fs::read(latest.join("results/leaderboard.csv")).expect("a file");
    assert_eq!(written, stored);
}

#[test]
fn the_archive_is_exported_with_its_sets() {
    let Some(archive) = archive() else { return };
    let test = Test::weekly();
    let rounds = archive.join("rounds").display().to_string();
    let export = [
        "export",
        "--rounds-dir",
        &rounds,
        "--as-of",
        TABLES_DAY,
        "--output",
    ];
    test.run(&[&export[..], &["first"]].concat()).code(0);
    test.run(&[&export[..], &["second"]].concat()).code(0);
    assert!(tree_of(&test.path("first")) == tree_of(&test.path("second")));
    let written = fs::read_to_string(test.path("first/publication.json")).expect("a document");
    let publication: Value = serde_json::from_str(&written).expect("JSON");
    let sets = publication["comparison_sets"].as_array().expect("sets");
    assert_eq!(sets.len(), 17);
    let current = sets
        .iter()
        .find(|set| set["set_id"] == "weekly-set-2026-06-09")
        .expect("a set");
    assert_eq!(current["started_round_id"], "CB-2026-06-09-1W");
    assert_eq!(current["model_ids"].as_array().map(Vec::len), Some(6));
    assert_eq!(
        current["included_round_ids"].as_array().map(Vec::len),
        Some(6)
    );
    let excluded = &current["excluded_rounds"][0];
    assert_eq!(excluded["missing_model_ids"][0], "anthropic-claude-fable-5");
    assert_eq!(excluded["reason"], "missing_models");
    let leader = &current["rows"][0];
    assert_eq!(leader["model_id"], "openai-gpt-5-5");
    let score = leader["score"].as_f64().expect("a score");
    assert!((score - 25.594_454_301_600_34).abs() < 1e-12, "{score}");
    for round in publication["rounds"].as_array().expect("rounds") {
        let resolved = round["state"] == "resolved";
        assert_eq!(
            round.get("result").is_some(),
            resolved,
            "{}",
            round["round_id"]
        );
    }
}

#[test]
fn boards_are_shown_for_people_and_machines() {
    let Some(archive) = archive() else { return };
    let test = Test::weekly();
    let rounds = archive.join("rounds").display().to_string();
    let common = ["--rounds-dir", &rounds, "--as-of", TABLES_DAY];
    let board = |more: &[&str]| test.run(&[&["leaderboard"][..], &common, more].concat());
    let said = board(&[]).code(0);
    for part in [
        "weekly-set-2026-06-09 · current · 6 models · 6 shared rounds ≈",
        "GPT-5.5",
        "25.6",
        "○",
        "No interval: too few windows.",
        "By chance alone the random column spreads around the 50th percentile by 33",
        "best option",
        "monthly-set-2026-06-09",
        "5 rounds open",
    ] {
        assert!(
            said.stdout().contains(part),
            "{part} is not in\n{}",
            said.stdout()
        );
    }
    assert!(
        !said.stdout().contains('\u{1b}'),
        "colours outside a terminal"
    );
    let one = board(&["--set", "weekly-set-2026-06-09"]).code(0);
    let one = one.says("excluded  CB-2026-06-15-1W: no result of anthropic-claude-fable-5");
    one.says("included  CB-2026-06-09-1W, ");
    board(&["--set", "weekly-set-2026-06-08"])
        .code(2)
        .complains("did you mean weekly-set-2026-06-09?");
    board(&["--round", "CB-2026-08-04-1w"])
        .code(2)
        .complains("did you mean CB-2026-08-04-1W?");
    let waiting = board(&["--set", "weekly-set-2026-08-21"]).code(1);
    waiting.says("No resolved round is shared by all of its models yet.");
    let pending = board(&["--round", "CB-2026-08-15-1W"]).code(0);
    pending.says("Provisional at the close of 2026-08-20, price returns, not ranked:");
    let compare = |models: &[&str]| test.run(&[&["compare"][..], models, &common].concat());
    let json = compare(&["xai-grok-4-3", "GPT-5.5", "--json"])
        .code(0)
        .json();
    let weekly = &json["comparisons"][0];
    assert_eq!(
        weekly["included_round_ids"].as_array().map(Vec::len),
        Some(22)
    );
    assert_eq!(weekly["rows"][0]["model_id"], "xai-grok-4-3");
    compare(&["xai-grok-4-3", "openai-gpt-5-4"])
        .code(2)
        .complains("did you mean openai-gpt-5-5?");
    compare(&["xai-grok-4-3", "xai-grok-4-3"])
        .code(2)
        .complains("two different models");
    compare(&["xai-grok-4-6", "anthropic-claude-opus-4-7"]).code(1);
}

#[test]
fn a_folder_without_a_result_has_nothing_to_publish() {
    let test = Test::round(PENDING);
    let latest = ["publish-latest", "--rounds-dir", ".", "--output", "latest"];
    test.run_without_trace(&latest)
        .code(1)
        .complains("no round is resolved yet");
    let board = ["leaderboard", "--rounds-dir", ".", "--round", PENDING];
    test.run_without_trace(&board).code(0).says("confidence");
    let day = ["leaderboard", "--rounds-dir", ".", "--as-of", "yesterday"];
    test.run_without_trace(&day)
        .code(2)
        .complains("a day like 2026-12-07");
}

#[test]
fn the_published_schema_is_the_one_that_is_exported() {
    let test = Test::all_rounds();
    let export = [
        "export",
        "--rounds-dir",
        ".",
        "--as-of",
        AFTER,
        "--output",
        "export",
    ];
    test.run(&export).code(0);
    let written = fs::read_to_string(test.path("export/publication.schema.json"));
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/publication.schema.json");
    let published = fs::read_to_string(page).expect("the published schema");
    assert!(
        written.expect("a schema") == published,
        "copy publication.schema.json of an export to docs/"
    );
}
