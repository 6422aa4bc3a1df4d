//! `resolve-due`: each round once, whoever works on it and whoever dies.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::due_rounds::{DUE, LATER, due_rounds, expected, job, leaderboard, market, name, start};
use crate::fake_tiingo::FakeTiingo;
use crate::harness::{Ran, Test, tree_of};
use crate::market::serve;
use crate::signed_round::{NAME, SignedRound};

const ROUNDS: usize = 50;

fn resolve(test: &Test, server: &FakeTiingo, plan: &str, more: &[&str]) -> Ran {
    server.run_with_plan(test, plan, &[&["resolve-due"], more].concat())
}

/// Rounds that one resolver says it resolved.
fn resolved_by(output: &std::process::Output) -> Vec<String> {
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    let said: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let rounds = said["rounds"].as_array().expect("rounds").iter();
    let done = rounds.filter(|round| round["state"] == "resolved");
    done.map(|round| round["round_id"].as_str().expect("a name").to_owned())
        .collect()
}

#[track_caller]
fn all_resolved(test: &Test, count: usize) {
    for number in 0..count {
        let round = name(number);
        assert_eq!(leaderboard(test, &round), Some(expected()), "{round}");
        assert_eq!(job(test, &round)["status"], "succeeded", "{round}");
        let folder = test.path(&format!("rounds/{round}"));
        assert!(!folder.join("prices/replaced").exists(), "{round}");
        for (file, text) in tree_of(&folder) {
            let begun = file.contains(".capitalbench-");
            assert!(!begun, "{round}/{file}");
            let is_json = Path::new(&file)
                .extension()
                .is_some_and(|end| end == "json");
            if is_json && !file.contains("submissions") {
                let whole: Result<Value, _> = serde_json::from_str(&text);
                assert!(whole.is_ok(), "{round}/{file} is torn");
            }
        }
    }
}

#[test]
fn two_resolvers_started_together_resolve_each_round_once() {
    let test = due_rounds(ROUNDS);
    let server = serve(market());
    let both = [
        start(&test, &server, "first", DUE),
        start(&test, &server, "second", DUE),
    ];
    let outputs = both.map(|child| child.wait_with_output().expect("an end"));
    let mut done: Vec<String> = outputs.iter().flat_map(resolved_by).collect();
    done.sort_unstable();
    let all: Vec<String> = (0..ROUNDS).map(name).collect();
    assert_eq!(done, all);
    all_resolved(&test, ROUNDS);
    assert_eq!(server.questions().len(), ROUNDS * market().len());
    for round in &all {
        assert_eq!(job(&test, round)["attempts"], "1", "{round}");
    }
    resolve(&test, &server, "-/-/-", &["--now", LATER])
        .code(0)
        .prints("nothing is due\n");
}

#[test]
fn a_killed_resolver_leaves_nothing_torn_and_the_other_finishes() {
    let test = due_rounds(ROUNDS);
    let server = serve(market());
    server.hold_after(60);
    let mut doomed = start(&test, &server, "doomed", DUE);
    let other = start(&test, &server, "other", DUE);
    server.wait_until_held();
    doomed.kill().expect("a killed worker");
    doomed.wait().expect("a dead worker");
    server.release();
    let output = other.wait_with_output().expect("an end");
    assert!(!resolved_by(&output).is_empty());
    let left: Vec<String> = (0..ROUNDS)
        .map(name)
        .filter(|round| leaderboard(&test, round).is_none())
        .collect();
    assert!(left.len() <= 1, "{left:?}");
    resolve(&test, &server, "-/-/-", &["--now", LATER]).code(0);
    all_resolved(&test, ROUNDS);
    let attempts: u32 = (0..ROUNDS)
        .map(|number| {
            job(&test, &name(number))["attempts"]
                .parse::<u32>()
                .unwrap()
        })
        .sum();
    assert!((50..=51).contains(&attempts), "{attempts}");
    let asked = server.questions().len();
    let needed = ROUNDS * market().len();
    // The answer that nobody was left to keep is asked for again.
    assert!((needed..=needed + 1).contains(&asked), "{asked}");
}

#[test]
fn a_temporary_file_in_a_finished_round_goes_with_the_next_command() {
    let test = due_rounds(1);
    let server = serve(market());
    resolve(&test, &server, "-/-/-", &["--now", DUE]).code(0);
    let left = test.path("rounds/DUE-00/automation/.capitalbench-x.tmp");
    fs::write(&left, "half").unwrap();
    resolve(&test, &server, "-/-/-", &["--now", LATER]).code(0);
    assert!(!left.exists());
    all_resolved(&test, 1);
}

#[test]
fn prices_of_a_worker_that_died_between_two_files_are_fetched_again() {
    let test = due_rounds(1);
    let folder = test.path("rounds/DUE-00");
    let sheet = "option_id,symbol,date,close,adj_close,source\nGOLD,FXGLD,2026-03-09,1,1,torn\n";
    fs::create_dir_all(folder.join("prices")).unwrap();
    fs::write(folder.join("prices/exit_prices.csv"), sheet).unwrap();
    fs::write(folder.join("prices/.capitalbench-x.tmp"), "half").unwrap();
    let lease = folder.join("automation/lease-000099.json");
    fs::write(&lease, lease_until("dead", ALIVE)).unwrap();
    let server = serve(market());
    resolve(&test, &server, "-/-/-", &["--now", DUE])
        .code(0)
        .says("DUE-00: with dead (process 1 on h)");
    assert_eq!(leaderboard(&test, "DUE-00"), None);
    fs::write(&lease, lease_until("dead", EXPIRED)).unwrap();
    resolve(&test, &server, "-/-/-", &["--now", LATER])
        .code(0)
        .says("DUE-00: resolved\nboards: 1 resolved round\n");
    assert_eq!(leaderboard(&test, "DUE-00"), Some(expected()));
    assert!(!folder.join("prices/.capitalbench-x.tmp").exists());
    assert!(folder.join("prices/replaced/0001/exit_prices.csv").exists());
    let report = fs::read_to_string(folder.join("runs/official-1/results/report.md")).unwrap();
    assert!(report.contains("**resolved**"), "{report}");
    assert!(folder.join("runs/official-1/results/report.svg").is_file());
    let latest = test.path("boards/latest/weekly/latest_round_leaderboard.csv");
    assert!(fs::read_to_string(latest).unwrap().contains("DUE-00"));
    let board = test.path("boards/cumulative/weekly/official_leaderboard.csv");
    assert!(fs::read_to_string(board).unwrap().contains("DUE-00"));
}

#[test]
fn a_missing_row_is_reported_retried_and_given_up() {
    let test = due_rounds(1);
    let mut gone = market();
    gone.get_mut("FXGLD").unwrap().pop();
    let server = serve(gone);
    resolve(&test, &server, "-/-/-", &["--now", DUE])
        .code(1)
        .says("DUE-00: failed: 1 of 5 options have no prices")
        .says("next attempt 2026-03-10T00:20:00");
    let told = job(&test, "DUE-00");
    assert_eq!((&*told["status"], &*told["attempts"]), ("failed", "1"));
    assert!(told["last_error"].contains("FXGLD has no row on 2026-03-09"));
    let late = ["--now", "2026-03-12T00:00:00Z"];
    test.run(&[&["status"], &late[..]].concat())
        .code(0)
        .says("overdue: DUE-00: 1 of 5 options have no prices")
        .says("next: capitalbench resolve-due --rounds-dir rounds");
    test.run(&[&["automation-status"], &late[..]].concat())
        .code(0)
        .says("FXGLD has no row on 2026-03-09");
    resolve(&test, &server, "-/-/-", &["--now", "2026-03-10T00:18:00Z"])
        .code(0)
        .says("nothing is due");
    let file = "rounds/DUE-00/automation/resolution_job.yaml";
    let stored = fs::read_to_string(test.path(file)).unwrap();
    let many = stored.replace("attempts: 1", "attempts: 29");
    fs::write(test.path(file), many).unwrap();
    resolve(&test, &server, "-/-/-", &late)
        .code(1)
        .says("no further attempt");
    resolve(&test, &server, "-/-/-", &["--now", "2027-01-01T00:00:00Z"])
        .code(0)
        .says("nothing is due");
    test.run(&[&["status"], &late[..]].concat())
        .code(0)
        .says("gave up after 30 attempts")
        .says("next: capitalbench automation-retry --round rounds/DUE-00");
    let round = ["--round", "rounds/DUE-00"];
    test.run(&[&["automation-retry"], &round[..], &late[..]].concat())
        .code(0)
        .says("DUE-00: scheduled");
    resolve(&test, &serve(market()), "-/-/-", &late).code(0);
    assert_eq!(leaderboard(&test, "DUE-00"), Some(expected()));
    test.run(&[&["automation-retry"], &round[..]].concat())
        .code(2)
        .complains("is resolved already");
}

#[test]
fn a_used_up_plan_is_waited_for_and_not_counted() {
    let test = due_rounds(2);
    let server = serve(market());
    resolve(&test, &server, "3/1000/500", &["--now", DUE, "--json"]).code(0);
    let told = job(&test, "DUE-00");
    assert_eq!((&*told["status"], &*told["attempts"]), ("scheduled", "0"));
    assert!(told["last_error"].contains("used up after 3 of 5 options"));
    assert!(told["next_attempt_at_utc"].starts_with("2026-03-10T01:15:00"));
    // The allowance is one for all: the second round was not even begun.
    assert_eq!(job(&test, "DUE-01")["last_error"], "");
    resolve(&test, &server, "-/-/-", &["--now", LATER]).code(0);
    assert_eq!(server.questions().len(), 2 * market().len());
    assert_eq!(leaderboard(&test, "DUE-01"), Some(expected()));
}

#[test]
fn disagreeing_sources_stop_a_resolution_until_they_are_accepted() {
    let test = due_rounds(1);
    let folder = test.path("others");
    fs::create_dir(&folder).unwrap();
    for (symbol, rows) in market() {
        let gold = if symbol == "FXGLD" { 1.01 } else { 1.0 };
        let last = rows.len() - 1;
        let lines = rows.iter().enumerate().map(|(index, row)| {
            let factor = if index == last { gold } else { 1.0 };
            let (close, adjusted) = (row.close * factor, row.adjusted * factor);
            format!("{},{close},{adjusted}\n", row.day)
        });
        let rows = "date,close,adj_close\n".to_owned() + &lines.collect::<String>();
        fs::write(folder.join(format!("{symbol}.csv")), rows).unwrap();
    }
    let server = serve(market());
    let check = ["--cross-check", "csv", "--cross-check-histories", "others"];
    resolve(
        &test,
        &server,
        "-/-/-",
        &[&["--now", DUE], &check[..]].concat(),
    )
    .code(1)
    .says("differ by more than 10 bp for GOLD");
    assert_eq!(leaderboard(&test, "DUE-00"), None);
    let accept = "--accept-cross-check";
    let score = [
        "score-round",
        "--round",
        "rounds/DUE-00",
        accept,
        "a late tick",
    ];
    test.run(&score).code(0);
    resolve(
        &test,
        &server,
        "-/-/-",
        &[&["--now", LATER], &check[..]].concat(),
    )
    .code(0);
    assert_eq!(job(&test, "DUE-00")["status"], "succeeded");
    assert_eq!(server.questions().len(), market().len());
}

#[test]
fn a_dry_run_a_maximum_and_a_cancelled_round() {
    let test = due_rounds(3);
    let server = serve(market());
    let dry = ["resolve-due", "--dry-run", "--now", DUE, "--json"];
    let said = test.run_without_trace(&dry).code(0).json();
    assert_eq!(said["due"].as_array().unwrap().len(), 3);
    let early = ["resolve-due", "--dry-run", "--now", "2026-03-10T00:14:00Z"];
    test.run_without_trace(&early).code(0).says("0 rounds due");
    let cancel = ["automation-cancel", "--round", "rounds/DUE-00"];
    let why = ["--reason", "four of | eight: 'models'", "--now", DUE];
    test.run(&[&cancel[..], &why[..]].concat()).code(0);
    resolve(&test, &server, "-/-/-", &["--max", "1", "--now", DUE]).code(0);
    let found = [0, 1, 2].map(|number| leaderboard(&test, &name(number)).is_some());
    assert_eq!(found, [false, true, false]);
    test.run(&["status", "--now", "2026-03-12T00:00:00Z"])
        .code(0)
        .says("overdue: DUE-00: cancelled: four of | eight: 'models'")
        .says("overdue: DUE-02: was due at 2026-03-10T00:15:00Z; no worker has resolved it");
    test.run(&[
        "automation-cancel",
        "--round",
        "rounds/DUE-01",
        "--reason",
        "x",
    ])
    .code(2)
    .complains("there is nothing to cancel");
}

#[test]
fn two_fetches_of_one_round_do_not_overlap() {
    let test = due_rounds(1);
    let file = test.path("rounds/DUE-00/automation/lease-000099.json");
    fs::write(&file, lease_until("busy", ALIVE)).unwrap();
    let server = serve(market());
    let fetch = [
        "fetch-prices",
        "--round",
        "rounds/DUE-00",
        "--full-universe",
    ];
    server
        .run(&test, &[&fetch[..], &["--now", DUE]].concat())
        .code(2)
        .complains("DUE-00 is held by busy (process 1 on h)")
        .complains("the round is free at 2999-01-01T00:00:00Z");
    assert_eq!(server.questions().len(), 0);
    fs::write(&file, lease_until("busy", EXPIRED)).unwrap();
    server
        .run(&test, &[&fetch[..], &["--now", LATER]].concat())
        .code(0);
    let score = ["score-round", "--round", "rounds/DUE-00", "--now"];
    let next = test.path("rounds/DUE-00/automation/lease-000101.json");
    fs::write(&next, lease_until("busy", ALIVE)).unwrap();
    test.run(&[&score[..], &[LATER]].concat())
        .code(2)
        .complains("DUE-00 is held by busy (process 1 on h)");
    assert_eq!(leaderboard(&test, "DUE-00"), None);
    fs::write(&next, lease_until("busy", EXPIRED)).unwrap();
    test.run(&[&score[..], &["2026-03-10T10:00:00Z"]].concat())
        .code(0);
    assert_eq!(job(&test, "DUE-00")["status"], "succeeded");
}

/// An instant that no clock of a test has reached, and one that every clock has passed.
const ALIVE: &str = "2999-01-01T00:00:00Z";
const EXPIRED: &str = "2026-03-10T00:20:00Z";

/// The lease of a process on another machine.
fn lease_until(owner: &str, expires: &str) -> String {
    format!(
        r#"{{"owner":"{owner}","host":"h","pid":1,"acquired_at_utc":"2026-03-10T00:00:00Z",
        "heartbeat_at_utc":"2026-03-10T00:00:00Z","expires_at_utc":"{expires}",
        "released_at_utc":null}}"#
    )
}

#[test]
fn a_lease_whose_time_is_over_is_taken_and_leftovers_are_removed() {
    let test = due_rounds(1);
    let folder = test.path("rounds/DUE-00/automation");
    fs::write(
        folder.join("lease-000099.json"),
        lease_until("gone", EXPIRED),
    )
    .unwrap();
    fs::write(folder.join(".capitalbench-x.tmp"), "half").unwrap();
    resolve(&test, &serve(market()), "-/-/-", &["--now", LATER])
        .code(0)
        .says("DUE-00: resolved");
    all_resolved(&test, 1);
}

#[test]
fn no_given_instant_takes_a_round_from_a_living_worker() {
    let round = SignedRound::accepted();
    let test = round.test();
    let folder = format!("signed/{NAME}");
    let file = test.path(&folder).join("automation/lease-000099.json");
    let soon = jiff::Timestamp::now() + jiff::SignedDuration::from_hours(1);
    fs::write(&file, lease_until("alive", &soon.to_string())).unwrap();
    for now in ["2026-09-22T00:15:00Z", "2126-01-01T00:00:00Z"] {
        let resolve = ["resolve-due", "--rounds-dir", "signed", "--now", now];
        test.run_as_typed(
            &[],
            &[
                &resolve[..],
                &["--source", "csv", "--histories", "histories"],
            ]
            .concat(),
        )
        .code(0)
        .says(&format!("{NAME}: with alive (process 1 on h)"));
        for command in ["automation-retry", "publish-report"] {
            let typed = [command, "--round", &folder, "--now", now];
            test.run_as_typed(&[], &typed)
                .code(2)
                .complains(&format!("{NAME} is held by alive"));
        }
    }
}
