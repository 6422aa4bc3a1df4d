//! `update-interim-performance`: the archive's files to the last byte, and snapshots shared by rounds.

use std::fs;
use std::path::Path;

use crate::due_rounds::{due_rounds, market};
use crate::harness::{Ran, Test, copy_tree};
use crate::market::serve;

const UPDATE: [&str; 3] = ["update-interim-performance", "--track", "all"];
const SNAPSHOT: &str = "market_data/daily_price_snapshots/2026-03-04.csv";
const PRICES: &str = "prices/weekly_prices.csv";
const PERFORMANCE: &str = "runs/official-1/results/weekly_performance.csv";

#[test]
fn the_files_of_open_archive_rounds_come_back_to_the_last_byte() {
    let Some(archive) = crate::golden::archive() else {
        return;
    };
    let name = "CB-2026-08-15-1W";
    let test = Test::round_at(
        &archive.join("rounds").join(name),
        "rounds/CB-2026-08-15-1W",
    );
    let snapshots = "market_data/daily_price_snapshots";
    copy_tree(&archive.join(snapshots), &test.path(snapshots));
    let run = "runs/official-v3-20260815-weekly-clean";
    let rows = format!("{run}/results/weekly_performance.csv");
    let before = (test.read(PRICES), test.read(&rows));
    let test = test.remove(PRICES).remove(&rows);
    let day = ["--snapshot-date", "2026-08-20", "--skip-fetch"];
    test.run(&[&UPDATE[..], &day[..]].concat())
        .code(0)
        .says("snapshot of 2026-08-20: reused")
        .says("tracked to 2026-08-20 (price return, distributions not included; provisional)");
    assert_eq!((test.read(PRICES), test.read(&rows)), before);
    let last = before.1.lines().find(|line| {
        line.contains("anthropic-claude-fable-5") && line.contains(",2026-08-20,2026-08-20,3,")
    });
    assert!(last.unwrap().contains(",0.016925946891944776,"), "{last:?}");
}

fn update(test: &Test, server: &crate::fake_tiingo::FakeTiingo, more: &[&str]) -> Ran {
    let day = ["--snapshot-date", "2026-03-04"];
    server.run(test, &[&UPDATE[..], &day[..], more].concat())
}

fn exists(test: &Test, file: &str) -> bool {
    Path::new(&test.path(file)).exists()
}

fn a_held_round_is_left_alone(test: &Test, server: &crate::fake_tiingo::FakeTiingo, now: &[&str]) {
    let lease = r#"{"owner":"alive","host":"h","pid":1,"acquired_at_utc":"2026-03-10T00:00:00Z",
        "heartbeat_at_utc":"2026-03-10T00:00:00Z","expires_at_utc":"2999-01-01T00:00:00Z",
        "released_at_utc":null}"#;
    let held = test.path("rounds/DUE-00/automation/lease-000099.json");
    fs::write(&held, lease).expect("a lease");
    update(test, server, now)
        .code(1)
        .complains("DUE-00 is held by alive (process 1 on h)");
    fs::remove_file(held).expect("a removed lease");
}

#[test]
fn one_snapshot_serves_all_open_rounds() {
    let test = due_rounds(2);
    let mut market = market();
    for rows in market.values_mut() {
        rows[2].adjusted *= 1.1;
        rows[2].close *= 1.1;
    }
    let server = serve(market.clone());
    let now = ["--now", "2026-03-05T02:00:00Z"];
    let dry = update(&test, &server, &[&now[..], &["--dry-run"]].concat());
    drop(dry.code(1).says("would be created"));
    assert!(!exists(&test, "market_data"));
    // There is no entry sheet and no snapshot of the entry day yet.
    update(&test, &server, &now)
        .code(1)
        .complains("is missing, and there is no snapshot of 2026-03-02");
    assert_eq!(server.questions().len(), market.len());
    let first = ["--snapshot-date", "2026-03-02"];
    server
        .run(&test, &[&UPDATE[..], &first[..], &now[..]].concat())
        .code(0);
    update(&test, &server, &now).code(0).says("reused");
    assert_eq!(server.questions().len(), 2 * market.len());
    for round in ["DUE-00", "DUE-01"] {
        let read = |file: &str| fs::read_to_string(test.path(&format!("rounds/{round}/{file}")));
        let rows = read(PERFORMANCE).unwrap();
        let moved = rows.lines().filter(|line| line.contains(",2026-03-04,2,"));
        let reference: Vec<f64> = moved
            .map(|line| line.split(',').nth(12).unwrap().parse().unwrap())
            .collect();
        assert_eq!(reference.len(), 3, "{rows}");
        for value in reference {
            assert!((value - 0.1).abs() < 1e-12, "{value}");
        }
        assert!(
            read(PRICES)
                .unwrap()
                .contains(",2026-03-04,2026-03-04,GOLD,FXGLD,")
        );
        assert!(
            read("prices/entry_prices.csv")
                .unwrap()
                .contains("FXGLD,2026-03-02,")
        );
    }
    assert!(
        fs::read_to_string(test.path(SNAPSHOT))
            .unwrap()
            .contains("tiingo_eod")
    );
    let tree = || {
        let mut tree = test.tree();
        tree.retain(|path, _| !path.contains("/automation/lease-"));
        tree
    };
    let before = tree();
    update(&test, &server, &now).code(0);
    assert!(before == tree(), "a second update changed a file");
    a_held_round_is_left_alone(&test, &server, &now);
    let verify = test.run(&["verify", "rounds/DUE-00", "--json"]).json();
    let codes = verify.to_string();
    assert!(!codes.contains("interim-differs"), "{codes}");
}

#[test]
fn a_day_whose_rows_may_change_and_a_window_that_is_over_are_not_tracked() {
    let test = due_rounds(1);
    let server = serve(market());
    let early = ["--overwrite-snapshot", "--now", "2026-03-04T22:00:00Z"];
    update(&test, &server, &early)
        .code(2)
        .complains("the rows of 2026-03-04 are not final before 2026-03-05T01:15:00Z");
    let over = ["--skip-fetch", "--snapshot-date", "2026-03-09"];
    test.run(&[&UPDATE[..], &over[..]].concat())
        .code(0)
        .says("its window is over on that day");
}
