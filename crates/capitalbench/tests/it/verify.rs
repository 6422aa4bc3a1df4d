//! `verify`: what it prints, its exit codes, and that every code can be provoked.

use std::collections::BTreeSet;

use crate::harness::{MONTHLY, PENDING, RUN, Test, WEEKLY, codes_of};

#[test]
fn one_round_is_told_with_all_its_findings() {
    let test = Test::broken("changed-prompt");
    test.run(&["verify", "changed-prompt"]).code(1).prints(
        "changed-prompt  does-not-hold
  error    input-hash-mismatch  prompt.md
           its bytes changed after it was hashed
  note     freeze-time-unproved  hashes.json
           no outside timestamp shows that the inputs were frozen before the calls

verified 1 round, 32 files: 1 error, 0 warnings
",
    );
}

#[test]
fn a_folder_is_told_as_a_table_with_its_errors_and_grouped_warnings() {
    let test = Test::all_rounds()
        .replace("prompt.md", "Answer", "Reply")
        .replace(
            &format!("{RUN}/run_log.jsonl"),
            "T15:05:00.25",
            "T19:30:00.25",
        );
    test.run(&["verify", "."]).code(1).prints(
        "round                         verdict        errors  warnings  notes
monthly-single-pick-resolved  holds               0         0      1
weekly-portfolio-pending      holds               0         0      2
weekly-portfolio-resolved     does-not-hold       1         1      1

weekly-portfolio-resolved
  error    input-hash-mismatch  prompt.md
           its bytes changed after it was hashed

rounds  warning              meaning
     1  call-after-deadline  Official calls ended after the decision deadline.

every finding: capitalbench verify . --all

verified 3 rounds, 126 files: 1 error, 1 warning
",
    );
    let all = test.run(&["verify", ".", "--all"]).code(1);
    all.says("  note     pending  runs/official-1/results\n")
        .says("  warning  call-after-deadline  runs/official-1/run_log.jsonl\n");
}

#[test]
fn warnings_fail_only_when_strict() {
    let test = Test::broken("late-decision");
    test.run(&["verify", "late-decision"])
        .code(0)
        .says("late-decision  holds-with-warnings");
    test.run(&["verify", "late-decision", "--strict"]).code(1);
}

#[test]
fn the_instant_decides_between_pending_and_overdue() {
    let test = Test::round(PENDING);
    let codes = |now: &str| {
        let report = test.run(&["verify", PENDING, "--json", "--now", now]);
        let report = report.code(0).json();
        let findings = report["rounds"][0]["findings"].as_array().unwrap().clone();
        codes_of(&findings, &["error", "warning", "note"])
    };
    let open = codes("2099-03-17T19:59:59Z");
    assert_eq!(open, ["pending", "freeze-time-unproved"]);
    let late = codes("2099-03-17T20:00:00Z");
    assert_eq!(late, ["overdue", "freeze-time-unproved"]);
    test.run(&["verify", PENDING, "--now", "yesterday"])
        .code(2)
        .complains("--now");
}

#[test]
fn json_has_the_documented_shape() {
    let test = Test::broken("score-edited");
    let report = test.run(&["verify", "score-edited", "--json"]).code(1);
    let report = report.json();
    let expected = serde_json::json!({
        "rounds": [{
            "round_id": "score-edited",
            "verdict": "does-not-hold",
            "findings": [
                {
                    "code": "result-differs",
                    "severity": "error",
                    "where": "runs/official-1/results/leaderboard.csv",
                    "detail": "line 2, portfolio_return is \"0.02332947442285641\"; \
                               computed \"0.01332947442285641\"",
                },
                {
                    "code": "freeze-time-unproved",
                    "severity": "note",
                    "where": "hashes.json",
                    "detail": "no outside timestamp shows that the inputs were frozen \
                               before the calls",
                },
            ],
        }],
        "summary": {
            "rounds": 1,
            "files": 32,
            "errors": 1,
            "warnings": 0,
            "notes": 1,
            "verdicts": {"holds": 0, "holds-with-warnings": 0, "does-not-hold": 1},
        },
    });
    assert_eq!(report, expected);
}

#[test]
fn verification_writes_nothing() {
    for name in ["changed-prompt", "parsed-edited", "score-edited"] {
        Test::broken(name).run_without_trace(&["verify", name]);
    }
    Test::all_rounds()
        .run_without_trace(&["verify", "."])
        .code(0);
}

/// A way to spoil the weekly round, and one code that it must give.
type Defect = (&'static str, fn(Test) -> Test);

/// Inputs and research.
const INPUTS: [Defect; 13] = [
    ("unreadable-file", |t| t.remove("prompt.md")),
    ("unreadable-file", |t| t.link("prices")),
    ("unreadable-file", |t| t.link("prompt.md")),
    ("round-id-mismatch", |t| {
        t.replace("manifest.yaml", "round_id: weekly", "round_id: other")
    }),
    ("input-hash-mismatch", |t| {
        t.write("submission_schema.json", "{}\n")
    }),
    ("briefing-differs", |t| {
        t.replace("briefing.md", "Gold", "Silver")
    }),
    ("research-exposed", |t| {
        t.replace(
            "research/research_manifest.yaml",
            "facing: false",
            "facing: true",
        )
    }),
    ("roster-version-mismatch", |t| {
        t.replace("manifest.yaml", "- google-fixture-c\n", "")
    }),
    ("prompt-foreign-horizon", |t| {
        t.replace("prompt.md", "You have", "For one month you have")
    }),
    ("model-input-not-hashed", |t| older(t).freeze_again()),
    ("model-input-differs", other_model_input),
    ("window-differs", |t| {
        let rule = "window_rule: last_close_before_deadline+roll_previous\nentry_rule";
        t.replace("manifest.yaml", "entry_rule", rule)
    }),
    ("research-not-published", |t| t.remove("research")),
];

/// Runs, submissions and the record.
const RUNS: [Defect; 28] = [
    ("run-id-mismatch", |t| {
        run(t, "run_id: official-1", "run_id: b")
    }),
    ("verdict-differs", |t| {
        t.remove(&format!("{RUN}/submissions/parsed/google-fixture-c.json"))
    }),
    ("parsed-without-raw", |t| {
        t.write(&format!("{RUN}/submissions/parsed/nobody.json"), "{}")
    }),
    ("run-counts-differ", |t| {
        run(t, "valid_submissions: 3", "valid_submissions: 4")
    }),
    ("run-counts-differ", |t| {
        t.remove(&format!("{RUN}/validation_summary.json"))
    }),
    ("run-log-differs", |t| {
        t.write(&format!("{RUN}/run_log.jsonl"), "")
    }),
    ("reply-not-published", |t| {
        t.remove(&format!("{RUN}/raw_responses"))
    }),
    ("official-run-ambiguous", |t| {
        t.duplicate(RUN, "runs/official-2").replace(
            "runs/official-2/run_manifest.yaml",
            "run_id: official-1",
            "run_id: official-2",
        )
    }),
    ("official-run-ambiguous", |t| {
        // Two acceptances, and neither names the other.
        let t = accepted(another_run(t), "official-1", &[]);
        let t = accepted(t, "official-2", &["--supersede", "--reason", "x"]);
        let named = "\"supersedes\": \"official-1\"";
        t.replace(SECOND_ACCEPTANCE, named, "\"supersedes\": null")
    }),
    ("acceptance-withdrawn", |t| {
        let t = accepted(another_run(t), "official-1", &[]);
        accepted(t, "official-2", &["--supersede", "--reason", "x"])
    }),
    ("acceptance-differs", |t| {
        let t = accepted(t, "official-1", &[]);
        t.replace(&format!("{RUN}/run_log.jsonl"), "invented", "invented ")
    }),
    ("acceptance-differs", |t| {
        let t = accepted(t, "official-1", &[]);
        let raw = format!("{RUN}/submissions/raw/google-fixture-c.json");
        let bytes = t.read(&raw) + "\n";
        t.write(&raw, bytes)
    }),
    ("acceptance-differs", |t| {
        let t = accepted(t, "official-1", &[]);
        t.write(&format!("{RUN}/submissions/raw/new.json"), "{}")
    }),
    ("acceptance-differs", |t| {
        let t = accepted(t, "official-1", &[]);
        let hashes = t.read("hashes.json") + "\n";
        t.write("hashes.json", hashes)
    }),
    ("acceptance-differs", |t| {
        let t = accepted(t, "official-1", &[]);
        run(t, "eligible: true", "eligible: false")
    }),
    ("acceptance-differs", |t| {
        // A run that names what was accepted after it.
        let t = accepted(another_run(t), "official-1", &[]);
        let t = accepted(t, "official-2", &["--supersede", "--reason", "x"]);
        t.replace(SECOND_ACCEPTANCE, "2026-03-02T18", "2026-03-02T17")
    }),
    ("unreadable-file", |t| {
        t.write(&format!("{RUN}/acceptance.json"), "{}")
    }),
    ("several-eligible-runs", another_run),
    ("result-of-unselected-run", another_run),
    ("assembled-run", another_run),
    ("asked-again", |t| {
        another_run(t).replace("runs/official-2/run_log.jsonl", "T15:0", "T14:0")
    }),
    ("many-attempts", |t| {
        let log = t.read(&format!("{RUN}/run_log.jsonl"));
        let failed = log.replace("\"valid\"", "\"invalid\"");
        let earlier = failed.replace("T15:0", "T13:0") + &failed.replace("T15:0", "T14:0");
        t.write(&format!("{RUN}/run_log.jsonl"), earlier + &log)
    }),
    ("no-official-run", |t| {
        run(t, "eligible: true", "eligible: false")
    }),
    ("result-from-ineligible-run", |t| {
        run(t, "eligible: true", "eligible: false")
    }),
    ("acceptance-withdrawn", |t| {
        run(t, "selected_official: true", "selected_official: false")
    }),
    ("no-real-call", |t| run(t, "mock: false", "mock: true")),
    ("roster-incomplete", |t| {
        t.remove(&format!("{RUN}/submissions/raw/google-fixture-c.json"))
    }),
    ("draft", |t| t.remove("runs").remove("hashes.json")),
];

/// Times, prices and results.
const RESULTS: [Defect; 17] = [
    ("scored-before-exit", |t| {
        run(t, "2026-03-09T23:30:00Z", "2026-03-09T19:30:00Z")
    }),
    ("research-after-call", |t| {
        t.replace(
            "research/research_manifest.yaml",
            "T13:00:00Z",
            "T16:00:00Z",
        )
    }),
    ("roster-frozen-late", |t| {
        t.replace(
            "manifest.yaml",
            "frozen_at_utc: '2026-03-02T12",
            "frozen_at_utc: '2026-03-02T16",
        )
    }),
    ("price-sheet-invalid", |t| {
        t.write("prices/entry_prices.csv", "")
    }),
    ("price-rule-broken", |t| {
        t.replace(
            "prices/exit_prices.csv",
            "82.9,82.9,invented",
            "82.9,82.9,other",
        )
    }),
    ("price-source-differs", |t| {
        older(t).replace(
            "prices/exit_prices.csv",
            "82.9,82.9,invented",
            "82.9,82.9,other",
        )
    }),
    ("price-row-off-date", |t| {
        older(t).replace(
            "prices/exit_prices.csv",
            "FXGLD,2026-03-09",
            "FXGLD,2026-03-06",
        )
    }),
    ("blank-close", |t| {
        older(t).replace("prices/exit_prices.csv", "82.9,82.9", ",82.9")
    }),
    ("missed-distribution", |t| {
        older(t).replace("prices/exit_prices.csv", "91.48,91.22", "91.0,90.9")
    }),
    ("unadjusted-price", |t| {
        t.replace("prices/exit_prices.csv", "82.9,82.9", "82.9,")
    }),
    ("unpriced-options", |t| {
        t.replace(
            "prices/exit_prices.csv",
            "GOLD,FXGLD,2026-03-09,82.9,82.9,invented\n",
            "",
        )
    }),
    ("foreign-price-rows", |t| {
        t.replace(
            "prices/exit_prices.csv",
            "GOLD,",
            "TIN,,2026-03-09,1,1,invented\nGOLD,",
        )
    }),
    ("result-incomplete", |t| {
        t.remove(&format!("{RUN}/results/allocations.csv"))
    }),
    ("job-contradicts-result", |t| {
        t.replace("automation/resolution_job.yaml", "succeeded", "failed")
    }),
    ("resolution-cancelled", |t| {
        t.replace("automation/resolution_job.yaml", "succeeded", "cancelled")
    }),
    ("overdue", |t| t.remove(&format!("{RUN}/results"))),
    ("unfinished-write", |t| t.write(".capitalbench-1.tmp", "")),
];

/// Provoked elsewhere: by the fixtures, by other tests of this file or by the real rounds.
const ELSEWHERE: &[&str] = &[
    // In the tests of entrants.
    "entry-edited",
    "entry-invalid",
    "entry-missing",
    "entry-out-of-time",
    "entry-time-unproved",
    "entry-unsigned",
    "receipt-invalid",
    // In the tests of agents and of witnesses.
    "agent-unanswered",
    "cosignature-invalid",
    "quorum-missing",
    "witness-unknown",
    // In the tests of the briefing.
    "briefing-unfounded",
    "daily-returns-differ",
    "fact-after-cutoff",
    "sources-not-published",
    // In the tests of rounds that go on without a model, or end without a record.
    "attempt-unseen",
    "ending-differs",
    "frozen-again",
    "missing-answers-differ",
    "round-ended",
    "round-explained",
    // In the tests of operations: odd prices, and options that an exchange changed.
    "listing-changed",
    "moves-accepted",
    // In the tests of how models were asked.
    "rename-refused",
    // In the tests of repairs, and beside the check itself.
    "model-name-differs",
    "repair-unfounded",
    "request-differs",
    // In the tests of twin lanes.
    "lane-input-differs",
    "lane-unplanned",
    // In the tests of the order of the options.
    "option-order-differs",
    // In the tests of the order of a reply.
    "reply-form-differs",
    // In the tests of where prices and answers come from.
    "price-source-replaced",
    "provider-host-differs",
    // In the tests of claims.
    "claim-edited",
    "claim-invalid",
    "claim-late",
    "claim-missing",
    "claim-round-unproved",
    "claim-time-unproved",
    "claim-unsigned",
    // In the tests of what is derived.
    "answer-differs",
    // In the tests of fetch-prices.
    "adjustment-differs",
    "price-record-differs",
    "adjusted-close-differs",
    "call-after-deadline",
    "control-differs",
    "decision-after-entry-close",
    "freeze-time-unproved",
    "interim-basis-differs",
    // In the test of the demo.
    "invented-record",
    "interim-differs",
    "interim-from-ineligible-run",
    "older-result-format",
    "parsed-submission-differs",
    "pending",
    "pilot",
    "prompt-steers",
    "raw-close-differs",
    "raw-submission-differs",
    "reply-digest-mismatch",
    "research-hash-mismatch",
    "result-differs",
    "roster-not-frozen",
];

fn run(test: Test, old: &str, new: &str) -> Test {
    test.replace(&format!("{RUN}/run_manifest.yaml"), old, new)
}

const SECOND_ACCEPTANCE: &str = "runs/official-2/acceptance.json";

/// The round after `accept-run`, each acceptance a minute after the one before.
fn accepted(test: Test, run_id: &str, flags: &[&str]) -> Test {
    let now = format!("2026-03-02T18:0{}:00Z", &run_id[run_id.len() - 1..]);
    let verb = [
        "accept-run",
        "--round",
        WEEKLY,
        "--run-id",
        run_id,
        "--now",
        &now,
    ];
    test.run(&[&verb, flags].concat()).code(0);
    test
}

/// The official run again, under another id and not selected.
fn another_run(test: Test) -> Test {
    let manifest = "runs/official-2/run_manifest.yaml";
    test.duplicate(RUN, "runs/official-2")
        .replace(manifest, "run_id: official-1", "run_id: official-2")
        .replace(manifest, "operator_selected_official: true\n", "")
        .replace(
            "runs/official-2/results/outcomes.json",
            "\"run_id\": \"official-1\"",
            "\"run_id\": \"official-2\"",
        )
}

/// The round under a label whose rounds are reproduced, not refused.
fn older(test: Test) -> Test {
    let prefix = "model_roster_version: portfolio-v2-roster-";
    test.replace("manifest.yaml", "portfolio-v1.1", "portfolio-v1.0")
        .replace("manifest.yaml", "model_roster_version: roster-", prefix)
}

/// Another model input, with its digest changed to match.
fn other_model_input(test: Test) -> Test {
    // The SHA-256 of a question mark.
    let digest = "8a8de823d5ed3e12746a62ef169bcf372be0ca44f0a1236abc35df05d96928e1";
    let line = |line: &str| {
        if line.contains("model_input.md") {
            format!("    \"model_input.md\": \"{digest}\",\n")
        } else {
            format!("{line}\n")
        }
    };
    let hashes: String = test.read("hashes.json").lines().map(line).collect();
    test.write("model_input.md", "?")
        .write("hashes.json", hashes)
}

#[test]
fn defects_are_found_by_their_codes() {
    for (code, spoil) in INPUTS.iter().chain(&RUNS).chain(&RESULTS) {
        let test = spoil(Test::weekly());
        let all = codes_of(&test.findings(), &["error", "warning", "note"]);
        assert!(all.iter().any(|found| found == code), "{code}: {all:?}");
    }
}

#[test]
fn every_code_is_provoked_somewhere() {
    let listed = Test::weekly().run(&["verify", "--codes", "--json"]).code(0);
    let listed = listed.json();
    let codes = listed["codes"].as_array().unwrap().iter();
    let codes: BTreeSet<&str> = codes.map(|code| code["code"].as_str().unwrap()).collect();
    let provoked = INPUTS.iter().chain(&RUNS).chain(&RESULTS);
    let mut known: BTreeSet<&str> = provoked.map(|(code, _)| *code).collect();
    known.extend(ELSEWHERE);
    known.extend(crate::tamper::LOG_CODES);
    known.extend(crate::key_holder::CODES);
    known.extend(["universe-label-reused", "markets-mixed"]);
    known.extend(crate::prices_withheld::CODES);
    assert_eq!(known, codes);
}

#[test]
fn codes_are_listed_for_people() {
    let test = Test::weekly();
    test.run(&["verify", "--codes"])
        .code(0)
        .says("severity  code ")
        .says("error     input-hash-mismatch          A frozen input");
    test.run(&["verify", WEEKLY, "--codes"]).code(2);
}

#[test]
fn rounds_are_compared_with_each_other() {
    let test = Test::all_rounds()
        .replace("prices/entry_prices.csv", "80.3,80.3", "80.9,80.4")
        .replace("options.yaml", "gold bars", "gold coins");
    let report = test.run(&["verify", ".", "--json"]).code(1).json();
    for (index, file) in [
        (0, "prices/exit_prices.csv"),
        (2, "prices/entry_prices.csv"),
    ] {
        let findings = report["rounds"][index]["findings"].as_array().unwrap();
        for code in ["adjusted-close-differs", "raw-close-differs"] {
            let found = findings.iter().find(|finding| finding["code"] == code);
            assert_eq!(found.unwrap()["where"], file, "{code}");
        }
        let reused = |finding: &serde_json::Value| finding["code"] == "universe-label-reused";
        assert!(findings.iter().any(reused));
    }
    // Alone, a round can contradict nobody.
    let alone = test.run(&["verify", MONTHLY]).code(0);
    alone.says("0 errors, 0 warnings");
}

#[test]
fn a_removed_column_is_not_taken_for_an_older_format() {
    let cut = |test: Test| {
        let path = format!("{RUN}/results/returns.csv");
        let lines: Vec<String> = test
            .read(&path)
            .lines()
            .map(|line| line.rsplit_once(',').unwrap().0.to_owned() + "\n")
            .collect();
        test.write(&path, lines.concat())
    };
    let ours = cut(Test::weekly());
    assert_eq!(ours.codes(), ["result-differs"]);
    let earlier = older(Test::weekly()).remove(&format!("{RUN}/results/outcomes.json"));
    let earlier = cut(earlier.freeze_again());
    assert_eq!(earlier.codes(), [""; 0]);
    let notes = codes_of(&earlier.findings(), &["note"]);
    assert_eq!(
        notes,
        [
            "freeze-time-unproved",
            "model-input-not-hashed",
            "older-result-format"
        ]
    );
}

#[test]
fn a_run_that_cannot_be_read_is_not_a_missing_one() {
    let test = Test::weekly().write(&format!("{RUN}/run_manifest.yaml"), "run_id: [\n");
    assert_eq!(test.codes(), ["unreadable-file", "no-official-run"]);
}
