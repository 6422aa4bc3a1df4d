//! The public database through the built program.

use crate::faulty_layer::FaultyLayer;
use crate::harness::{MONTHLY, Test, WEEKLY};
use capitalbench_testing::database_server::Server;

const AT: &str = "2026-11-01";

/// Syncs all rounds as of a day.
fn whole(day: &str) -> [&str; 6] {
    [
        "sync-web",
        "--rounds-dir",
        ".",
        "--include-cumulative",
        "--as-of",
        day,
    ]
}

#[test]
fn without_a_database_nothing_is_synced_and_nothing_fails() {
    let test = Test::all_rounds();
    test.run(&["sync-web", "--rounds-dir", ".", "--include-cumulative"])
        .code(0)
        .says("syncing was skipped: neither SUPABASE_URL");
    test.run(&[
        "publish-cumulative",
        "--rounds-dir",
        ".",
        "--output",
        "cumulative",
    ])
    .code(0)
    .complains("not synced: neither SUPABASE_URL");
    for verb in ["migrate", "check"] {
        test.run(&["db", verb])
            .code(2)
            .complains("DATABASE_URL is not set");
    }
}

#[test]
fn a_database_is_prepared_filled_and_followed() {
    let Some(server) = Server::start() else {
        return;
    };
    let url = server.url();
    let with = [("DATABASE_URL", url.as_str())];
    let test = Test::all_rounds();
    let ran = test.run_with(&with, &whole(AT));
    ran.code(2).complains("db migrate");
    test.run_with(&with, &["db", "check"])
        .code(1)
        .says("schema_version");
    test.run_with(&with, &["db", "migrate"])
        .code(0)
        .says("applied 0008_policies");
    test.run_with(&with, &["db", "migrate"])
        .code(0)
        .says("nothing to do");
    test.run_with(&with, &["db", "check"])
        .code(0)
        .says("all as it must be");
    let checked = test
        .run_with(&with, &["db", "check", "--json"])
        .code(0)
        .json();
    assert_eq!(checked["findings"], serde_json::json!([]));

    fills(&test, &url);
    follows(&test, &url);
}

/// One round, then all of them, then nothing more.
fn fills(test: &Test, url: &str) {
    let with = [("DATABASE_URL", url)];
    let round = format!("./{WEEKLY}");
    let one = [
        "sync-web",
        "--round",
        &round,
        "--run-id",
        "official-1",
        "--as-of",
        AT,
    ];
    test.run_with(&with, &one).code(0).says("synced: ");
    let other = [
        "sync-web", "--round", &round, "--run-id", "other", "--as-of", AT,
    ];
    test.run_with(&with, &other)
        .code(2)
        .complains("its record is official-1");

    test.run_with(&with, &whole(AT)).code(0).says("synced: ");
    let again = test
        .run_with(&with, &[&whole(AT)[..], &["--json"]].concat())
        .code(0)
        .json();
    assert_eq!(
        (&again["rows_written"], &again["requests"]),
        (&0.into(), &1.into())
    );
}

/// What changed the record is followed by a sync; what did not change is not sent.
fn follows(test: &Test, url: &str) {
    let with = [("DATABASE_URL", url)];
    let round = format!("./{WEEKLY}");
    let publish = [
        "publish-cumulative",
        "--rounds-dir",
        ".",
        "--output",
        "cumulative",
    ];
    test.run_with(&with, &publish)
        .code(0)
        .complains("the database is up to date");
    let earlier = [publish.as_slice(), &["--as-of", "2026-03-05"]].concat();
    test.run_with(&with, &earlier)
        .code(0)
        .complains("not synced: --as-of");
    std::fs::remove_dir_all(test.path(MONTHLY)).expect("the round goes");
    test.run_with(&with, &publish)
        .code(0)
        .complains("rows removed");
    let score = [
        "score-round",
        "--round",
        &round,
        "--now",
        "2026-11-01T00:00:00Z",
    ];
    test.run_with(&with, &score)
        .code(0)
        .complains("the database is up to date");
}

#[test]
fn an_unreachable_database_is_reported_and_the_files_stay_written() {
    let test = Test::all_rounds();
    let url = "postgresql://reader:hush-hush@127.0.0.1:1/none?sslmode=disable";
    let with = [("DATABASE_URL", url)];
    let publish = [
        "publish-cumulative",
        "--rounds-dir",
        ".",
        "--output",
        "cumulative",
    ];
    let ran = test.run_with(&with, &publish);
    ran.code(1)
        .says("wrote 8 files")
        .complains("the database was not synced");
    assert!(
        test.path("cumulative/weekly/official_leaderboard.csv")
            .is_file()
    );
    let sync = ["sync-web", "--rounds-dir", ".", "--include-cumulative"];
    let ran = test
        .run_with(&with, &sync)
        .code(2)
        .complains("cannot be reached");
    assert!(
        !format!("{}{}", ran.stdout(), ran.stderr()).contains("hush-hush"),
        "the password was printed"
    );
    let ran = test
        .run_with(&[("DATABASE_URL", "mysql://hush-hush@h/x")], &sync)
        .code(2);
    assert!(
        !format!("{}{}", ran.stdout(), ran.stderr()).contains("hush-hush"),
        "the address was printed"
    );
}

#[test]
fn the_next_sync_repairs_what_a_killed_one_left() {
    let Some(server) = Server::start() else {
        return;
    };
    let url = server.url();
    let with = [("DATABASE_URL", url.as_str())];
    let test = Test::all_rounds();
    test.run_with(&with, &["db", "migrate"]).code(0);
    let layer = FaultyLayer::build();
    for day in ["2026-02-10", "2026-03-05", AT] {
        // It dies before its first message to the database, then before its second, and so on.
        let kills = (1..).take_while(|message: &usize| {
            let told = [("KILL_SEND", &*message.to_string()), with[0]];
            let ran = layer.run(&test, &told, &whole(day));
            ran.was_killed() || ran.code(0).stdout().is_empty()
        });
        let kills = kills.count();
        assert!(kills > 3, "{kills} kills");
    }
    test.run_with(&with, &whole(AT)).code(0);
    test.run_with(&with, &whole(AT))
        .code(0)
        .says("the database is up to date (1 request)");
    test.run_with(&with, &["db", "check"]).code(0);
}
