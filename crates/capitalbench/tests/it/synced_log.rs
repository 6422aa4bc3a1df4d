//! The site of a signed folder is the same from a database, its log included.

use std::fs;

use crate::fake_clock::{FakeClock, Manner};
use crate::harness::{MONTHLY, PENDING, Test, WEEKLY};
use crate::lite_server::{Lite, statement, text};
use crate::supabase::{as_public, as_writer, build, bytes_below, migrate, same_trees, sync};
use capitalbench_testing::database_server::Server;

const AT: &str = "2026-11-01";
pub(crate) const SIGNED_AT: &str = "2026-10-01T12:00:00Z";

/// Variables of the environment.
type Names<'a> = &'a [(&'a str, &'a str)];

/// Two resolved rounds and one that waits, all of them signed.
fn signed() -> Test {
    let test = Test::all_rounds();
    begin_log(&test);
    for round in [WEEKLY, MONTHLY, PENDING] {
        sign(&test, round, SIGNED_AT);
    }
    test
}

pub(crate) fn begin_log(test: &Test) {
    test.run(&["keys", "init", "--rounds-dir", ".", "--name", "log.example"])
        .code(0);
}

pub(crate) fn sign(test: &Test, round: &str, at: &str) {
    test.run(&["hash-round", "--round", round, "--now", at])
        .code(0)
        .says("log: signed");
}

/// Syncs, and builds the site from the folder and with the rights of the public.
fn alike(test: &Test, (writer, reader): (Names<'_>, Names<'_>), day: &str) -> u64 {
    let source = match reader {
        [("DATABASE_URL", _)] => "database",
        _ => "supabase",
    };
    let first = sync(test, writer, ".", day).code(0).json();
    let rounds = 3;
    assert!(first["requests"].as_u64() <= Some(rounds + 3), "{first}");
    let again = sync(test, writer, ".", day).code(0).json();
    assert_eq!(
        (&again["requests"], &again["rows_written"]),
        (&1.into(), &0.into())
    );
    build(test, &[], &["--rounds-dir", ".", "--as-of", day], "one");
    build(test, reader, &["--source", source], "other");
    same_trees(test, "one", "other");
    first["rows_written"].as_u64().expect("a count")
}

fn follows_a_signed_folder(writer: Names<'_>, reader: Names<'_>) -> Test {
    let test = signed();
    // The newest leaf is younger than this day: no log is shown.
    alike(&test, (writer, reader), "2026-09-15");
    assert!(!test.path("other/log/checkpoint").exists());
    let listed = || fs::read_to_string(test.path("other/verify/signed.json")).expect("a list");
    assert_eq!(listed(), "[]\n");
    alike(&test, (writer, reader), AT);
    for round in [WEEKLY, MONTHLY, PENDING] {
        assert!(
            test.path(&format!("other/rounds/{round}/log.json"))
                .is_file()
        );
    }
    for path in ["checkpoint", "vkey", &format!("salts/{PENDING}.json")] {
        assert!(test.path("other/log").join(path).is_file(), "{path}");
    }
    assert!(listed().contains(PENDING), "{}", listed());
    // One more event: its round, the edge and a list of checkpoints.
    let test = test.write("market_data/note.md", "A later thought.\n");
    sign(&test, WEEKLY, "2026-10-02T12:00:00Z");
    let written = alike(&test, (writer, reader), AT);
    assert!(written <= 4, "{written} rows");
    // What an outside clock said of it is kept beside it.
    let at = "2026-10-03T12:00:00Z";
    let clock = FakeClock::start(Manner::At(at.parse().expect("an instant")));
    let (tsa, root) = (clock.url(), clock.root_file());
    let given = ["--tsa", &tsa, "--tsa-root", &root, "--now", at];
    test.run(&[&["anchor", "--rounds-dir", "."], &given[..]].concat())
        .code(0)
        .says("existed before");
    alike(&test, (writer, reader), AT);
    let stamps = fs::read_dir(test.path("other/log/anchors")).expect("stamps");
    assert_eq!(stamps.count(), 1);
    // Back to a day without it.
    alike(&test, (writer, reader), "2026-09-15");
    assert!(!test.path("other/log/checkpoint").exists());
    test
}

#[test]
fn a_signed_folder_through_the_database() {
    let Some(server) = Server::start() else {
        return;
    };
    migrate(&server);
    let url = server.url();
    let with = [("DATABASE_URL", url.as_str())];
    let test = follows_a_signed_folder(&with, &with);
    let tree = "select count(*)::text from public.log_files where part like 'log/%'";
    assert_eq!(text(&server, tree), "0");
    let round = format!("./{WEEKLY}");
    test.run_with(&with, &["sync-web", "--round", &round, "--as-of", AT])
        .code(0);
    assert_ne!(text(&server, tree), "0", "a round brings the log along");
    sync(&test, &with, ".", AT).code(0);
    // What is taken out of sight is not named by the log's own files of rounds.
    let hide = format!("update public.rounds set published = false where round_id = '{PENDING}'");
    statement(&server, &hide);
    build(&test, &with, &["--source", "database"], "other");
    let found = bytes_below(&test.path("other"));
    assert!(found.contains_key("log/checkpoint"));
    assert!(!found.keys().any(|path| path.contains(PENDING)));
    let listed = String::from_utf8_lossy(&found["verify/signed.json"]);
    assert!(
        listed.contains(WEEKLY) && !listed.contains(PENDING),
        "{listed}"
    );
}

#[test]
fn a_signed_folder_through_http() {
    let Some(lite) = Lite::start() else { return };
    migrate(&lite.database);
    let url = lite.url();
    follows_a_signed_folder(&as_writer(&url), &as_public(&url));
}
