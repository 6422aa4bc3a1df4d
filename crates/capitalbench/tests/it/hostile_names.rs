//! Names that try to lead elsewhere, at every place where a name becomes a path.

use std::fs;

use crate::harness::{Test, WEEKLY, codes_of};
use crate::operator::{NOW, ROUND, draft, import};
use crate::site_server::SiteServer;

/// Names that are no plain name inside a folder.
const NAMES: [&str; 8] = [
    "..",
    ".",
    "../up",
    "/tmp/elsewhere",
    "a/b",
    "a\\b",
    "a\u{0007}b",
    " ",
];
const SECRET: &str = "text that nobody may be shown";

#[test]
fn ids_on_the_command_line_stay_in_their_folder() {
    let test = Test::all_rounds();
    fs::write(test.path("secret.txt"), SECRET).expect("a file");
    for name in NAMES {
        for command in [
            vec!["score-round", "--round", WEEKLY, "--run-id", name],
            vec!["accept-run", "--round", WEEKLY, "--run-id", name],
            vec!["compare-runs", "--round", WEEKLY, "--run-ids", name, name],
            vec!["publish-report", "--round", WEEKLY, "--run-id", name],
        ] {
            let ran = test.run_without_trace(&command).fails();
            assert!(!ran.stdout().contains(SECRET), "{ran}");
        }
        let new = ["init-round", "--round-id", name, "--now", NOW];
        test.run_without_trace(&new).fails();
    }
}

#[test]
fn ids_inside_files_stay_in_their_folder() {
    for name in ["../up", "/tmp/elsewhere", "a/b", "'a\\b'", "'..'"] {
        let manifest = Test::weekly().replace(
            "manifest.yaml",
            &format!("round_id: {WEEKLY}"),
            &format!("round_id: {name}"),
        );
        manifest.run_without_trace(&["verify", WEEKLY]).code(1);
        let run = "runs/official-1/run_manifest.yaml";
        let run = Test::weekly().replace(run, "run_id: official-1", &format!("run_id: {name}"));
        run.run_without_trace(&["verify", WEEKLY]).code(1);
        let job = "automation/resolution_job.yaml";
        let job = Test::weekly().replace(job, "run_id: official-1", &format!("run_id: {name}"));
        job.run_without_trace(&["verify", WEEKLY]).code(1);
    }
}

#[test]
fn a_model_id_cannot_write_outside_its_run() {
    let test = draft();
    let models = "models:\n- {model_id: '../../../escaped', provider: mock, api_model_name: m}\n";
    fs::write(test.path("models.yaml"), models).expect("a file");
    let before = fs::read_dir(test.folder()).expect("a folder").count();
    test.run(&import("briefing.md", "2026-12-06T09:00:00Z"))
        .code(0);
    test.run(&crate::operator::FETCH_CSV).code(0);
    test.run(&["hash-round", "--round", ROUND]);
    let run = [
        "run-round",
        "--round",
        ROUND,
        "--models",
        "models.yaml",
        "--mock",
        "--run-id",
        "r",
        "--now",
        NOW,
    ];
    test.run(&run);
    assert_eq!(
        fs::read_dir(test.folder()).expect("a folder").count(),
        before
    );
    for path in test.tree().keys().filter(|path| path.contains("escaped")) {
        assert!(path.starts_with(&format!("{ROUND}/runs/r/")), "{path}");
        assert!(!path.contains("/../"), "{path}");
    }
}

#[test]
fn option_ids_and_symbols_name_no_file() {
    let test = draft();
    let options = fs::read_to_string(test.path("options.yaml")).expect("options");
    fs::write(test.path("histories/up.csv"), "date,close,adj_close\n").expect("a file");
    for symbol in ["../histories/up", "..%2Fup", "/etc/passwd", "a b"] {
        let changed = options.replace(
            "tiingo_symbol: FXBIL",
            &format!("tiingo_symbol: '{symbol}'"),
        );
        assert_ne!(changed, options);
        fs::write(test.path("options.yaml"), changed).expect("a file");
        let line = "validate-universe --options options.yaml --start-date 2026-12-01 \
                    --end-date 2026-12-04 --source csv --histories histories";
        let check: Vec<&str> = line.split_whitespace().collect();
        let ran = test.run(&check).fails();
        assert!(!ran.stdout().contains("root:"), "{ran}");
    }
}

#[test]
fn names_of_sets_cannot_write_outside_the_site() {
    let test = Test::all_rounds();
    let sets = format!(
        "version: benchmark_sets_v1\nqualification_thresholds: {{weekly: 1, monthly: 1}}\nsets:\n\
         - {{set_id: '../../escaped', track: weekly, label: Up, short_label: Up, description: Up, \
         started_round_id: {WEEKLY}, model_ids: [acme-fixture-a, google-fixture-c]}}\n"
    );
    fs::write(test.path("benchmark_sets.yaml"), sets).expect("a file");
    let build = ["build-site", "--rounds-dir", ".", "--output", "a/b/site"];
    test.run(&[&build[..], &["--as-of", "2026-12-31"]].concat())
        .code(0);
    let of_set: Vec<String> = test
        .tree()
        .into_keys()
        .filter(|path| path.contains("escaped"))
        .collect();
    assert!(of_set.len() >= 4, "{of_set:?}");
    for path in of_set {
        assert!(path.starts_with("a/b/site/"), "{path}");
    }
}

#[test]
fn digests_of_files_elsewhere_are_foreign_and_not_read() {
    let digest = "0".repeat(64);
    for path in [
        "../secret.txt",
        "/etc/passwd",
        "a\\\\b",
        "research/../../secret.txt",
    ] {
        let entry = format!("\"files\": {{\n    \"{path}\": \"{digest}\",");
        let test = Test::weekly().replace("hashes.json", "\"files\": {", &entry);
        fs::write(test.path("secret.txt"), SECRET).expect("a file");
        let codes = codes_of(&test.findings(), &["error"]);
        assert!(!codes.is_empty(), "{path}");
        let shown = test.run_without_trace(&["verify", WEEKLY]).code(1);
        assert!(!shown.stdout().contains(SECRET), "{shown}");
    }
}

#[test]
fn research_is_taken_from_plain_files_only() {
    let test = draft();
    fs::write(test.path("secret.txt"), SECRET).expect("a file");
    std::os::unix::fs::symlink(test.path("secret.txt"), test.path("link.md")).expect("a link");
    fs::create_dir(test.path("folder.md")).expect("a folder");
    for file in ["link.md", "folder.md", "/dev/zero", "missing.md"] {
        let ran = test.run_without_trace(&import(file, "2026-12-06T09:00:00Z"));
        let ran = ran.code(2).complains(file);
        assert!(!(ran.stdout() + &ran.stderr()).contains(SECRET), "{ran}");
    }
}

#[test]
fn links_in_rounds_are_not_published() {
    let test = Test::all_rounds();
    fs::write(test.path("secret.txt"), SECRET).expect("a file");
    let secret = test.path("secret.txt");
    let as_of = ["--as-of", "2026-12-31"];
    for place in [
        "research/more.md",
        "runs/official-1/raw_responses/more.txt",
        "universe_validation_report.md",
    ] {
        std::os::unix::fs::symlink(&secret, test.file(place)).expect("a link");
        let serve = ["serve", "--rounds-dir", ".", "--listen", "127.0.0.1:0"];
        test.run(&[&serve[..], &as_of].concat())
            .code(2)
            .complains(place)
            .complains("is a symbolic link");
        fs::remove_file(test.file(place)).expect("a removed link");
    }
    let server = SiteServer::start(&test, &as_of);
    let files = format!("/rounds/{WEEKLY}/files");
    for path in [
        format!("{files}/research/more.md"),
        format!("{files}/runs/official-1/raw_responses/more.txt"),
        format!("{files}/universe_validation_report.md"),
        format!("{files}/research/%2e%2e/%2e%2e/secret.txt"),
        format!("{files}/research/..%5c..%5csecret.txt"),
        format!("{files}/%00"),
        format!("{files}/manifest.yaml%00.png"),
        "/%2e%2e%2fsecret.txt".to_owned(),
        "/.%2e/secret.txt".to_owned(),
        "/api/v1/rounds/..%2f..%2fsecret.txt".to_owned(),
        "/api/v1/models/%00".to_owned(),
        "/%c0%ae%c0%ae/secret.txt".to_owned(),
    ] {
        let answer = server.get(&path);
        assert!(
            matches!(answer.status, 400 | 404),
            "{path}: {}",
            answer.status
        );
        assert!(!answer.text().contains(SECRET), "{path}");
    }
    let list = server.get("/site-files.txt");
    assert!(!list.text().contains("more.md"), "{}", list.text());
}
