//! `accept-run`: a new file, or every reason why not.

use crate::harness::{MONTHLY, RUN, Test, WEEKLY, changes};

const ACCEPT: [&str; 5] = ["accept-run", "--round", WEEKLY, "--run-id", "official-1"];
const NOW: [&str; 2] = ["--now", "2026-03-02T18:30:00Z"];
/// Between entry and exit.
const DURING: [&str; 2] = ["--now", "2026-03-05T12:00:00Z"];

/// The weekly round without the operator's word in its run manifest.
pub(crate) fn unmarked() -> Test {
    let manifest = format!("{RUN}/run_manifest.yaml");
    Test::weekly()
        .replace(&manifest, "operator_selected_official: true\n", "")
        .replace(&manifest, "accepted_at_utc: '2026-03-02T18:00:00Z'\n", "")
}

/// The same with a second run that is like the first.
fn two_runs() -> Test {
    let outcomes = "runs/official-2/results/outcomes.json";
    unmarked()
        .duplicate(RUN, "runs/official-2")
        .replace(
            "runs/official-2/run_manifest.yaml",
            "run_id: official-1",
            "run_id: official-2",
        )
        .replace(outcomes, "\"official-1\"", "\"official-2\"")
}

fn codes(test: &Test, arguments: &[&str]) -> Vec<String> {
    let now = if arguments.contains(&"--now") {
        &[][..]
    } else {
        &DURING
    };
    let ran = test.run_without_trace(&[arguments, now, &["--json"]].concat());
    let json = ran.code(1).json();
    assert_eq!(json["accepted"], false);
    let refusals = json["refusals"].as_array().expect("refusals").iter();
    let code = |refusal: &serde_json::Value| refusal["code"].as_str().expect("a code").to_owned();
    refusals.map(code).collect()
}

#[test]
fn an_acceptance_is_one_new_file_that_verifies() {
    let test = unmarked();
    let before = test.tree();
    test.run(&[&ACCEPT[..], &NOW[..]].concat()).code(0).prints(
        "weekly-portfolio-resolved: official-1 is the record
accepted     2026-03-02T18:30:00Z
submissions  3
run log      9a0fcccdf46067cab07e701c8105fba8b3397f78be8e06162bbfb2480ec800dd
frozen       646aee90455bcfae4dfbed7cd558d2828f0eec8b6f0d920ac8ac66203b26aaeb
due          2026-03-10T00:15:00Z
",
    );
    let new = format!("{WEEKLY}/{RUN}/acceptance.json is new");
    assert_eq!(changes(&before, &test.tree()), [new]);
    assert_eq!(test.codes(), [""; 0]);
    // The same command again says the same, and writes nothing.
    let before = test.tree();
    let again = [&ACCEPT[..], &["--now", "2026-03-02T19:00:00Z"]].concat();
    test.run(&again)
        .code(0)
        .says("official-1 is the record; it was accepted at 2026-03-02T18:30:00Z");
    let json = test.run(&[&again[..], &["--json"]].concat()).code(0).json();
    let known = &json["acceptance"]["accepted_at_utc"];
    assert_eq!(known, "2026-03-02T18:30:00Z");
    assert_eq!(changes(&before, &test.tree()), [""; 0]);
}

#[test]
fn json_tells_the_record_and_the_due_instant() {
    let reason = ["--reason", "the only run"];
    let accept = [&ACCEPT[..], &NOW[..], &reason[..], &["--json"]].concat();
    let json = unmarked().run(&accept).code(0).json();
    assert_eq!(json["accepted"], true);
    assert_eq!(json["due_at_utc"], "2026-03-10T00:15:00Z");
    let acceptance = &json["acceptance"];
    assert_eq!(acceptance["reason"], "the only run");
    assert_eq!(acceptance["supersedes"], serde_json::Value::Null);
    assert_eq!(acceptance["submissions"].as_object().unwrap().len(), 3);
}

#[test]
fn every_refusal_is_told_at_once_and_nothing_is_written() {
    let manifest = format!("{RUN}/run_manifest.yaml");
    let test = unmarked()
        .replace(&manifest, "mock: false", "mock: true")
        .replace(&manifest, "model_count: 3", "model_count: 4")
        .replace("prompt.md", "Answer", "Reply")
        .replace(&format!("{RUN}/run_log.jsonl"), "T15:05", "T21:05")
        .remove(&format!("{RUN}/submissions/raw/google-fixture-c.json"));
    let expected = [
        "inputs-changed",
        "not-real",
        "partial",
        "counts-differ",
        "roster-mismatch",
        "after-deadline",
        "after-entry-close",
    ];
    assert_eq!(codes(&test, &ACCEPT), expected);
    test.run_without_trace(&[&ACCEPT[..], &DURING].concat())
        .code(1)
        .says("weekly-portfolio-resolved: official-1 is not accepted\n")
        .says("missing [google-fixture-c], added []")
        .says("prompt.md its bytes changed after it was hashed");
}

#[test]
fn single_reasons_refuse() {
    let draft = unmarked().remove("hashes.json");
    assert_eq!(codes(&draft, &ACCEPT), ["not-frozen"]);
    let stability = ["accept-run", "--round", MONTHLY, "--run-id", "stability-1"];
    let found = codes(&Test::round(MONTHLY), &stability);
    assert!(found.contains(&"not-official".to_owned()), "{found:?}");
    let broken = Test::broken("portfolio-sums-to-95");
    let accept = ["accept-run", "--round", "portfolio-sums-to-95"];
    let found = codes(
        &broken,
        &[&accept[..], &["--run-id", "official-1"]].concat(),
    );
    assert_eq!(found, ["partial", "invalid-submissions", "counts-differ"]);
    let manifest = format!("{RUN}/run_manifest.yaml");
    let retry = unmarked().replace(
        &manifest,
        "replicates: 1",
        "replicates: 1\nformat_retry: true",
    );
    assert_eq!(codes(&retry, &ACCEPT), ["not-eligible"]);
    let silent = unmarked().write(&format!("{RUN}/run_log.jsonl"), "");
    assert_eq!(codes(&silent, &ACCEPT), ["times-unproved"]);
    let early = [&ACCEPT[..], &["--now", "2026-03-02T15:00:00Z"]].concat();
    assert_eq!(codes(&unmarked(), &early), ["before-its-time"]);
}

#[test]
fn lateness_is_only_reported_under_older_labels() {
    let late = Test::broken("late-decision");
    let accept = [
        "accept-run",
        "--round",
        "late-decision",
        "--run-id",
        "official-1",
    ];
    let ours = codes(&late, &accept);
    assert_eq!(ours, ["after-deadline", "after-entry-close"]);
    let prefix = "model_roster_version: portfolio-v2-roster-";
    let older = late
        .replace("manifest.yaml", "portfolio-v1.1", "portfolio-v1.0")
        .replace("manifest.yaml", "model_roster_version: roster-", prefix)
        .freeze_again();
    older
        .run(&accept)
        .code(0)
        .says("official-1 is the record\n")
        .says("warning  1 call ended");
}

#[test]
fn an_unaccepted_run_is_neither_shown_nor_scored() {
    let manifest = format!("{RUN}/run_manifest.yaml");
    let late = Test::broken("late-decision")
        .replace(&manifest, "operator_selected_official: true\n", "")
        .replace(&manifest, "accepted_at_utc: '2026-03-02T18:00:00Z'\n", "");
    let reason = "official-1 is not accepted";
    late.run_without_trace(&["score-round", "--round", "late-decision"])
        .fails()
        .complains(reason);
    let list = ["list-runs", "--round", "late-decision", "--json"];
    assert_eq!(late.run(&list).json()["runs"][0]["is_record"], false);
    let findings = late.findings();
    let told = findings
        .iter()
        .any(|finding| finding["code"] == "no-official-run");
    assert!(told, "{findings:?}");
    let exported = |test: &Test, output: &str| {
        let export = ["export", "--rounds-dir", ".", "--output", output];
        let now = ["--as-of", "2026-04-01T00:00:00Z"];
        test.run(&[&export[..], &now[..]].concat()).code(0);
        let path = test.path(output).join("publication.json");
        let text = std::fs::read_to_string(path).expect("a publication");
        let whole: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        let round = &whole["rounds"][0];
        let picks = round["submissions"].as_array().map_or(0, Vec::len);
        (round["state"].clone(), picks)
    };
    assert_eq!(exported(&late, "ours"), ("draft".into(), 0));
    // The earlier project needed nobody's word, and kept no outcomes beside its tables.
    let prefix = "model_roster_version: portfolio-v2-roster-";
    let older = late
        .replace("manifest.yaml", "portfolio-v1.1", "portfolio-v1.0")
        .replace("manifest.yaml", "model_roster_version: roster-", prefix)
        .remove(&format!("{RUN}/results/outcomes.json"))
        .freeze_again();
    assert_eq!(exported(&older, "older"), ("resolved".into(), 3));
}

#[test]
fn a_second_record_needs_an_explicit_choice() {
    let test = two_runs();
    assert_eq!(test.codes().first().unwrap(), "official-run-ambiguous");
    let next = "capitalbench accept-run --round weekly-portfolio-resolved --run-id RUN";
    test.run(&["audit-round", "--round", WEEKLY]).says(next);
    test.run(&[&ACCEPT[..], &NOW[..]].concat()).code(0);
    let list = ["list-runs", "--round", WEEKLY, "--json"];
    assert_eq!(test.run(&list).json()["runs"][0]["is_record"], true);
    let second = ["accept-run", "--round", WEEKLY, "--run-id", "official-2"];
    assert_eq!(codes(&test, &second), ["another-accepted"]);
    let reason = ["--supersede", "--reason", "a key was revoked"];
    let later = [&reason[..], &["--now", "2026-03-02T18:31:00Z"]].concat();
    test.run(&[&second[..], &later[..]].concat())
        .code(0)
        .says("supersedes   official-1\n");
    test.run(&[&second[..], &later[..]].concat())
        .code(0)
        .says("it was accepted at 2026-03-02T18:31:00Z");
    let silent = [&second[..], &["--supersede"]].concat();
    test.run_without_trace(&silent)
        .code(2)
        .complains("--reason");
    let runs = test.run(&list).json();
    assert_eq!(runs["runs"][0]["selected"], false);
    assert_eq!(runs["runs"][1]["is_record"], true);
    let errors = test.findings();
    let errors = errors
        .iter()
        .filter(|finding| finding["severity"] == "error");
    // The job of the fixture still names the first run.
    let left: Vec<_> = errors.map(|finding| finding["code"].clone()).collect();
    assert_eq!(left, ["job-contradicts-result"]);
}

#[test]
fn an_unknown_run_is_answered_with_the_known_ones() {
    let accept = ["accept-run", "--round", WEEKLY, "--run-id", "oficial-1"];
    Test::weekly()
        .run_without_trace(&accept)
        .code(2)
        .complains("did you mean official-1?");
}

#[test]
fn the_resolution_is_scheduled_for_when_rows_are_final() {
    let open = || {
        unmarked()
            .remove("automation")
            .remove(&format!("{RUN}/results"))
    };
    let accept = [&ACCEPT[..], &NOW[..]].concat();
    let test = open();
    test.run(&accept).code(0);
    let job = test.read("automation/resolution_job.yaml");
    assert!(job.starts_with("job_id: weekly-portfolio-resolved:official-1:resolve_round\n"));
    assert!(
        job.contains("due_at_utc: '2026-03-10T00:15:00+00:00'\n"),
        "{job}"
    );
    assert!(
        job.contains("status: scheduled\nattempts: 0\nmax_attempts: 30\n"),
        "{job}"
    );
    let without = [&accept[..], &["--no-schedule-resolution"]].concat();
    let test = open();
    test.run(&without).code(0);
    assert!(!test.file("automation").exists());
    let early = [&accept[..], &["--due-at-utc", "2026-03-09T23:30:00Z"]].concat();
    open()
        .run_without_trace(&early)
        .code(2)
        .complains("the exit rows are not final before 2026-03-10T00:15:00Z");
}
