//! `worker`: jobs in a database, resolved once each, whoever dies or is stopped.

use std::process::{Child, Command, Stdio};

use serde_json::Value;

use crate::accept_run::unmarked;
use crate::due_rounds::{due_rounds, expected, job, leaderboard, market, name};
use crate::fake_tiingo::{FakeTiingo, KEY};
use crate::harness::{Test, WEEKLY, program};
use crate::market::serve;
use crate::waiting::wait_until;
use capitalbench_testing::database_server::Server;

const ROUNDS: usize = 24;

fn worker(test: &Test, prices: &FakeTiingo, url: &str, more: &[&str]) -> Child {
    Command::new(program())
        .args(["worker", "--rounds-dir", "rounds", "--poll", "1"])
        .args(more)
        .env("CAPITALBENCH_ALLOW_PRIVATE_ADDRESSES", "1")
        .env("TIINGO_API_KEY", KEY)
        .env("TIINGO_BASE_URL", prices.url())
        .env("TIINGO_PLAN", "-/-/-")
        .env("DATABASE_URL", url)
        .env_remove("SUPABASE_URL")
        .env_remove("CAPITALBENCH_STATE_DIR")
        .current_dir(test.folder())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts")
}

fn jobs(test: &Test, url: &str) -> Vec<Value> {
    let with = [("DATABASE_URL", url)];
    let said = test
        .run_with(&with, &["automation-status", "--json"])
        .code(0)
        .json();
    said["jobs"].as_array().expect("jobs").clone()
}

/// Asks a process to stop; how it ended, and what it said.
fn stop(child: Child) -> (Option<i32>, String) {
    let pid = child.id().to_string();
    let told = Command::new("kill").args(["-TERM", &pid]).status();
    assert!(told.expect("kill runs").success());
    ended(child)
}

fn ended(child: Child) -> (Option<i32>, String) {
    let output = child.wait_with_output().expect("an end");
    let text = [output.stdout, output.stderr].concat();
    let text = String::from_utf8(text).expect("text");
    (output.status.code(), text)
}

#[test]
fn four_processes_of_five_resolve_every_round_though_some_are_killed() {
    let Some(server) = Server::start() else {
        return;
    };
    let url = server.url();
    let test = due_rounds(ROUNDS);
    test.run_with(&[("DATABASE_URL", &url)], &["db", "migrate"])
        .code(0);
    let prices = serve(market());
    let start = || {
        worker(
            &test,
            &prices,
            &url,
            &["--lease", "2", "--concurrency", "5"],
        )
    };
    let mut running: Vec<Child> = (0..4).map(|_| start()).collect();
    for doomed in &mut running[..2] {
        prices.hold_after(15);
        let asked = prices.wait_until_held();
        assert!(asked < ROUNDS * market().len(), "too late to kill");
        doomed.kill().expect("a killed worker");
        doomed.wait().expect("a dead worker");
        prices.release();
        *doomed = start();
    }
    let over = |job: &Value| job["status"] == "succeeded";
    wait_until("every job to succeed", || {
        jobs(&test, &url).iter().all(over)
    });
    for child in running {
        let (code, said) = stop(child);
        assert_eq!(code, Some(0), "{said}");
    }
    assert_eq!(jobs(&test, &url).len(), ROUNDS);
    for number in 0..ROUNDS {
        let round = name(number);
        assert_eq!(leaderboard(&test, &round), Some(expected()), "{round}");
        assert_eq!(job(&test, &round)["status"], "succeeded", "{round}");
        let again = format!("rounds/{round}/runs/official-1/results/superseded");
        assert!(!test.path(&again).exists(), "{round} was scored twice");
    }
    let board = test.path("boards/cumulative/weekly/official_leaderboard.csv");
    assert!(board.is_file());
}

#[test]
fn a_stopped_worker_gives_its_job_back_and_the_next_one_finishes() {
    let Some(server) = Server::start() else {
        return;
    };
    let url = server.url();
    let with = [("DATABASE_URL", url.as_str())];
    let test = due_rounds(1);
    test.run_with(&with, &["db", "migrate"]).code(0);
    let prices = serve(market());
    prices.hold_after(0);
    let child = worker(&test, &prices, &url, &[]);
    prices.wait_until_held();
    let (code, said) = stop(child);
    prices.release();
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("DUE-00: given back"), "{said}");
    let left = &jobs(&test, &url)[0];
    assert_eq!(
        (&left["status"], &left["attempts"]),
        (&"scheduled".into(), &0.into())
    );

    let round = ["--round", "rounds/DUE-00"];
    let cancel = [
        &["automation-cancel", "--reason", "only a test"],
        &round[..],
    ]
    .concat();
    test.run_with(&with, &cancel).code(0).says("cancelled");
    assert_eq!(jobs(&test, &url)[0]["status"], "cancelled");
    let (code, said) = ended(worker(&test, &prices, &url, &["--once"]));
    assert_eq!(code, Some(0), "{said}");
    assert_eq!(leaderboard(&test, "DUE-00"), None);
    test.run_with(&with, &[&["automation-retry"], &round[..]].concat())
        .code(0);

    // No row of an option: told, and tried again later.
    let mut gone = market();
    gone.get_mut("FXGLD").expect("gold").pop();
    let (code, said) = ended(worker(&test, &serve(gone), &url, &["--once", "--json"]));
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains(r#""told": "failed: 1 of 5"#), "{said}");
    let failed = &jobs(&test, &url)[0];
    assert_eq!(
        (&failed["status"], &failed["attempts"]),
        (&"failed".into(), &1.into())
    );
    let error = failed["last_error"].as_str().expect("an error");
    assert!(error.contains("FXGLD has no row"), "{error}");
    test.run_with(&with, &[&["automation-retry"], &round[..]].concat())
        .code(0);
    let (code, said) = ended(worker(&test, &serve(market()), &url, &["--once"]));
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("DUE-00: resolved"), "{said}");
    assert_eq!(leaderboard(&test, "DUE-00"), Some(expected()));
    test.run_with(&with, &cancel)
        .code(2)
        .complains("is resolved");
}

#[test]
fn accept_run_puts_the_job_into_the_database() {
    let Some(server) = Server::start() else {
        return;
    };
    let url = server.url();
    let with = [("DATABASE_URL", url.as_str())];
    let test = unmarked().remove("automation");
    test.run_with(&with, &["db", "migrate"]).code(0);
    let accept = ["accept-run", "--round", WEEKLY, "--run-id", "official-1"];
    let now = ["--now", "2026-03-02T18:30:00Z"];
    test.run_with(&with, &[&accept[..], &now[..]].concat())
        .code(0)
        .complains("the job is in the database");
    let all = jobs(&test, &url);
    let job = &all[0];
    assert_eq!((all.len(), &job["round_id"]), (1, &WEEKLY.into()));
    assert_eq!(
        (&job["run_id"], &job["status"]),
        (&"official-1".into(), &"scheduled".into())
    );
    assert_eq!(job["due_at_utc"], "2026-03-10T00:15:00Z");
    test.run(&["worker", "--once"])
        .code(2)
        .complains("DATABASE_URL is not set");
}

#[test]
fn the_next_worker_signs_what_a_dead_one_left_unsigned() {
    let Some(server) = Server::start() else {
        return;
    };
    let url = server.url();
    let with = [("DATABASE_URL", url.as_str())];
    let test = due_rounds(1);
    let log = ["keys", "init", "--rounds-dir", "rounds", "--name"];
    test.run(&[&log[..], &["worker.example/log"]].concat())
        .code(0);
    test.run_with(&with, &["db", "migrate"]).code(0);
    let retry = ["automation-retry", "--round", "rounds/DUE-00"];
    test.run_with(&with, &retry).code(0);
    // As by a worker that died before it signed the result and told the database.
    let prices = serve(market());
    let unsigned = [
        ("CAPITALBENCH_LOG_KEY", "not-here"),
        ("CAPITALBENCH_ALLOW_PRIVATE_ADDRESSES", "1"),
        ("TIINGO_API_KEY", KEY),
        ("TIINGO_BASE_URL", &prices.url()),
    ];
    test.run_with(&unsigned, &["resolve-due"]).code(0);
    // A renamed round has other faults.
    let unsigned = || {
        test.run(&["verify", "rounds"])
            .stdout()
            .contains("logged-file-differs")
    };
    assert!(unsigned());

    let (code, said) = ended(worker(&test, &prices, &url, &["--once"]));
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("DUE-00: was resolved already"), "{said}");
    assert_eq!(jobs(&test, &url)[0]["status"], "succeeded");
    assert!(!unsigned());
}
