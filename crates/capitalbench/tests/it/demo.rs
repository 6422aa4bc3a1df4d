//! `demo`: several rounds of an invented market, from nothing to a verified record.

use std::fs;

use crate::harness::Test;
use crate::site_server::SiteServer;

const DEMO: [&str; 2] = ["demo", "--no-serve"];

#[test]
fn the_demo_plays_rounds_of_every_state_and_they_verify() {
    let test = Test::operator("");
    test.run(&DEMO)
        .code(0)
        .says("synthetic")
        .says("12 rounds")
        .says("9 resolved  2 interim  1 pending")
        .says("4 resolved  1 interim  1 pending")
        .says("vs S&P 500")
        .says("6 rounds  5 resolved  1 interim")
        .says("vs Bitcoin")
        .says("effective windows")
        .says("0 errors, 0 warnings");
    let rounds = "capitalbench-demo/rounds";
    let report = test.run(&["verify", rounds, "--now", "2026-10-28T15:00:00Z", "--json"]);
    assert_eq!(
        report.code(0).json()["rounds"].as_array().map(Vec::len),
        Some(18)
    );

    // The same seed is the same record, and what the environment names for another one is left alone.
    let key = test.path("own.key").display().to_string();
    let named = [
        ("CAPITALBENCH_LOG_KEY", key.as_str()),
        ("DATABASE_URL", "postgresql://nobody@127.0.0.1:1/none"),
    ];
    fs::create_dir(test.path("real")).expect("a folder");
    test.run_with(&named, &["keys", "init", "--rounds-dir", "real"])
        .code(0);
    let file = "rounds/DEMO-2026-09-14-1W/runs/official/results/leaderboard.csv";
    let board = test.path(&format!("capitalbench-demo/{file}"));
    let before = fs::read(&board).expect("a leaderboard");
    let figures = figures_of(&test);
    test.run_with(&named, &DEMO).code(0);
    assert!(!test.path("capitalbench-demo/rounds/log").exists());
    assert_eq!(fs::read(&board).expect("a leaderboard"), before);
    assert_eq!(figures_of(&test), figures);

    // An invented record is none of a real round.
    let manifest = test.path("capitalbench-demo/rounds/DEMO-2026-09-14-1W/manifest.yaml");
    let invented = fs::read_to_string(&manifest).expect("a manifest");
    let real = invented.replace("publication_stream: synthetic\n", "");
    assert_ne!(real, invented);
    fs::write(&manifest, real).expect("a written file");
    test.run(&["verify", "capitalbench-demo/rounds/DEMO-2026-09-14-1W"])
        .code(1)
        .says("invented-record");
}

/// Every figure that the boards of the demo show, controls and chance included, and the frozen inputs.
fn figures_of(test: &Test) -> Vec<(String, String)> {
    let boards = test.run(&[
        "leaderboard",
        "--rounds-dir",
        "capitalbench-demo/rounds",
        "--as-of",
        "2026-10-28T14:30:00Z",
    ]);
    let mut figures = vec![("boards".to_owned(), boards.code(0).stdout())];
    let is_figure = |path: &str| {
        path.ends_with("hashes.json")
            || path.contains("/controls")
            || path.ends_with("results/report.md")
    };
    let tree = crate::harness::tree_of(&test.path("capitalbench-demo/rounds"));
    figures.extend(tree.into_iter().filter(|(path, _)| is_figure(path)));
    assert!(figures.len() > 18, "{} figures", figures.len());
    figures
}

#[test]
fn the_demo_ends_by_serving_its_site() {
    let test = Test::operator("");
    let server = SiteServer::of(&test, &["demo"]);
    assert!(server.address.ip().is_loopback());
    assert!((8400..=8450).contains(&server.address.port()));
    let found = server.get("/api/v1/metadata").json();
    assert_eq!(found["as_of"], "2026-10-28T14:30:00Z");
    assert_eq!(found["synthetic"], true);
    assert!(found["row_counts"]["interim_points"].as_u64() > Some(20));
    // Both leagues stand on one host, lead to each other, and share no round.
    let (home, crypto) = (server.get("/"), server.get("/leagues/crypto/"));
    assert_eq!((home.status, crypto.status), (200, 200));
    assert!(
        home.text()
            .contains("<a href=\"./leagues/crypto/\">Crypto</a>")
    );
    assert!(crypto.text().contains("<a href=\"./../../\">New York</a>"));
    assert!(home.text().contains("S&amp;P 500") && !home.text().contains("Bitcoin"));
    assert!(crypto.text().contains("Bitcoin") && !crypto.text().contains("S&amp;P 500"));
    let own = |path: &str| server.get(path).json()["rounds"].to_string();
    let rounds = [
        own("/data/publication.json"),
        own("/leagues/crypto/data/publication.json"),
    ];
    assert!(rounds[0].contains("DEMO-2026-10-28-1W") && !rounds[1].contains("DEMO-2026-10-28-1W"));
    assert!(rounds[1].contains("DEMO-2026-10-27-1W") && !rounds[0].contains("DEMO-2026-10-27-1W"));
    let moved = server.get("/leagues/crypto/rounds");
    assert_eq!(moved.header("location"), "/leagues/crypto/rounds/");
    assert_eq!(server.get("/leagues/none/").status, 404);
    server.signal("-TERM");
    assert!(server.ended().success());
}

#[test]
fn a_folder_not_made_by_demo_is_left_alone() {
    let test = Test::operator("");
    fs::create_dir(test.path("mine")).expect("a folder");
    fs::write(test.path("mine/notes.txt"), "keep").expect("a file");
    test.run(&["demo", "--no-serve", "--output", "mine"])
        .code(2)
        .complains("--output");
    assert_eq!(
        fs::read_to_string(test.path("mine/notes.txt")).expect("a file"),
        "keep"
    );
}
