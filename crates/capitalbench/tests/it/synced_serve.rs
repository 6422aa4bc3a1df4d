//! `serve` from a database: the pages of the folder, and those of the next sync without a restart.

use std::fs;

use crate::harness::{MONTHLY, Test, WEEKLY, copy_tree, fixtures};
use crate::lite_server::Lite;
use crate::site_server::SiteServer;
use crate::supabase::{as_public, as_writer, build, migrate, sync};
use crate::synced_log::{SIGNED_AT, begin_log, sign};
use crate::waiting::wait_until;
use capitalbench_testing::database_server::Server;

const AT: &str = "2026-11-01";
const BASE: [&str; 2] = ["--base-url", "https://bench.example"];

/// Every file of the folder's site, as it is served.
fn same_as_folder(test: &Test, server: &SiteServer) -> usize {
    let folder = ["--rounds-dir", ".", "--as-of", AT];
    build(test, &[], &[&folder[..], &BASE].concat(), "built");
    let list = fs::read_to_string(test.path("built/site-files.txt")).expect("a list");
    for path in list.lines() {
        let answer = server.get(&format!("/{path}"));
        assert_eq!(answer.status, 200, "{path}");
        let expected = fs::read(test.path("built").join(path)).expect("a file");
        assert!(answer.body == expected, "{path} differs");
    }
    assert_eq!(server.get("/").body, server.get("/index.html").body);
    assert_eq!(server.get("/healthz").text(), "ok\n");
    list.lines().count()
}

fn serves_and_follows(source: &str, writer: &[(&str, &str)], reader: &[(&str, &str)]) {
    let test = Test::weekly();
    begin_log(&test);
    sign(&test, WEEKLY, SIGNED_AT);
    sync(&test, writer, ".", AT).code(0);
    let serve = ["serve", "--source", source, "--listen", "127.0.0.1:0"];
    let server = SiteServer::with(&test, reader, &[&serve[..], &BASE].concat());
    assert!(same_as_folder(&test, &server) > 50);
    let monthly = format!("/rounds/{MONTHLY}/");
    assert_eq!(server.get(&monthly).status, 404);

    copy_tree(
        &fixtures().join("rounds").join(MONTHLY),
        &test.path(MONTHLY),
    );
    sign(&test, MONTHLY, SIGNED_AT);
    sync(&test, writer, ".", AT).code(0);
    wait_until("the new round to appear", || {
        server.get(&monthly).status == 200
    });
    same_as_folder(&test, &server);
    assert_eq!(server.get("/log/checkpoint").status, 200);
    server.signal("-TERM");
    assert!(server.ended().success());
}

#[test]
fn a_database_is_served_and_followed() {
    let Some(database) = Server::start() else {
        return;
    };
    migrate(&database);
    let url = database.url();
    let with = [("DATABASE_URL", url.as_str())];
    serves_and_follows("database", &with, &with);
}

#[test]
fn a_project_is_served_and_followed_with_the_public_key() {
    let Some(lite) = Lite::start() else { return };
    migrate(&lite.database);
    let url = lite.url();
    serves_and_follows("supabase", &as_writer(&url), &as_public(&url));
}
