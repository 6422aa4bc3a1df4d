//! Bad input: each with a message that names the file and the place, and without a trace.

use crate::harness::{MONTHLY, RUN, Test, WEEKLY, changes};

/// A way to spoil the weekly round.
type Spoil = fn(Test) -> Test;

const SCORE: &[&str] = &["score-round", "--round", WEEKLY];
const VALIDATE: &[&str] = &["validate-submissions", "--round", WEEKLY];
const LIST: &[&str] = &["list-runs", "--round", WEEKLY];
const PARSED: &str = "runs/official-1/submissions/parsed/google-fixture-c.json";
const RAW: &str = "runs/official-1/submissions/raw/google-fixture-c.json";
const RUN_MANIFEST: &str = "runs/official-1/run_manifest.yaml";
const EXIT: &str = "prices/exit_prices.csv";

/// The first bytes of a file, as a crash or a full disk of somebody else would leave it.
fn cut(test: Test, file: &str, length: usize) -> Test {
    let start = test.read(file)[..length].to_owned();
    test.write(file, start)
}

/// The round before it was frozen, so that its rules are read and not only compared.
fn draft(test: Test) -> Test {
    test.remove("hashes.json")
}

/// Another adjusted close of gold.
fn gold(test: Test, price: &str) -> Test {
    test.replace(EXIT, "82.9,82.9", &format!("82.9,{price}"))
}

/// Nine levels of nine aliases each.
fn bomb() -> String {
    let level = |level: usize| {
        let inner = match level.checked_sub(1) {
            None => "x".to_owned(),
            Some(below) => format!("*a{below}"),
        };
        format!("a{level}: &a{level} [{}]\n", vec![inner; 9].join(", "))
    };
    (0..10).map(level).collect::<String>() + "run_id: *a9\n"
}

/// What cannot be read: the command, what spoils the round, what the message must name.
const REFUSED: [(&[&str], Spoil, &str); 33] = [
    (
        VALIDATE,
        |t| draft(t).write("manifest.yaml", ""),
        "manifest.yaml: line 1: missing field `round_id`",
    ),
    (
        VALIDATE,
        |t| cut(t, "manifest.yaml", 20),
        "manifest.yaml its bytes changed after it was hashed",
    ),
    (
        VALIDATE,
        |t| cut(draft(t), "manifest.yaml", 340),
        "manifest.yaml: line ",
    ),
    (
        VALIDATE,
        |t| draft(t).replace("manifest.yaml", "notes: ''\n", "notes: ''\nnotes: again\n"),
        "manifest.yaml: line 30: the mapping repeats the key \"notes\"",
    ),
    (
        VALIDATE,
        |t| draft(t).replace("manifest.yaml", "notes: ''", "nots: ''"),
        "manifest.yaml: line 29: unknown field `nots`",
    ),
    (
        VALIDATE,
        |t| draft(t).replace("manifest.yaml", "'2026-03-09'", "'2026-02-30'"),
        "manifest.yaml: exit_date: \"2026-02-30\" is not a day like",
    ),
    (
        VALIDATE,
        |t| t.write(RUN_MANIFEST, bomb()),
        "run_manifest.yaml: line 5: the document is too large, too deep or repeats too much",
    ),
    (
        VALIDATE,
        |t| draft(t).write("manifest.yaml", b"round_id: ok\ntitle: \xff\xfe\n"),
        "manifest.yaml: line 2: is not UTF-8 text",
    ),
    (
        VALIDATE,
        |t| draft(t).write("options.yaml", ""),
        "options.yaml: line 1: missing field `options`",
    ),
    (
        VALIDATE,
        |t| cut(draft(t), "options.yaml", 30),
        "options.yaml: ",
    ),
    (
        VALIDATE,
        |t| draft(t).replace("options.yaml", "id: GOLD", "id: SP500"),
        "options.yaml: option id SP500 appears twice",
    ),
    (
        VALIDATE,
        |t| draft(t).write("options.yaml", b"\xc3\x28"),
        "options.yaml: line 1: is not UTF-8",
    ),
    (
        LIST,
        |t| t.write(RUN_MANIFEST, ""),
        "run_manifest.yaml: line 1: missing field `run_id`",
    ),
    (
        SCORE,
        |t| cut(t, RUN_MANIFEST, 10),
        "run_manifest.yaml: line 1: ",
    ),
    (
        VALIDATE,
        |t| t.replace(RUN_MANIFEST, "mock: false\n", "mock: false\nmock: true\n"),
        "run_manifest.yaml: line 6: the mapping repeats the key \"mock\"",
    ),
    (
        SCORE,
        |t| t.write("hashes.json", ""),
        "hashes.json: the file is empty",
    ),
    (
        SCORE,
        |t| cut(t, "hashes.json", 100),
        "hashes.json: line 4, column ",
    ),
    (
        SCORE,
        |t| t.replace("hashes.json", "sha256", "md5"),
        "unknown variant `md5`, expected `sha256`",
    ),
    (
        SCORE,
        |t| t.write(EXIT, ""),
        "exit_prices.csv: the file is empty",
    ),
    (SCORE, |t| cut(t, EXIT, 60), "exit_prices.csv: line 2: "),
    (SCORE, |t| cut(t, EXIT, 45), "no exit price for "),
    (
        SCORE,
        |t| gold(t, "NaN"),
        "exit_prices.csv: line 7: adj_close: GOLD: \"NaN\" is not a price",
    ),
    (
        SCORE,
        |t| gold(t, "-3.5"),
        "line 7: adj_close: GOLD: \"-3.5\" is not a price above zero",
    ),
    (
        SCORE,
        |t| gold(t, "0"),
        "line 7: adj_close: GOLD: \"0\" is not a price above zero",
    ),
    (
        SCORE,
        |t| gold(t, "1e999"),
        "line 7: adj_close: GOLD: \"1e999\" is not a price above zero",
    ),
    (
        SCORE,
        |t| gold(t, "eighty"),
        "line 7: adj_close: GOLD: \"eighty\" is not a price",
    ),
    (
        SCORE,
        |t| t.replace(EXIT, "GOLD,", "SP500,"),
        "exit_prices.csv: two rows have the key SP500",
    ),
    (
        SCORE,
        |t| t.replace(EXIT, "source", "rumour"),
        "exit_prices.csv: line 1: rumour: unknown",
    ),
    (
        SCORE,
        |t| t.write(EXIT, b"option_id,price\nGOLD,8\xff\n"),
        "exit_prices.csv: line 2: not UTF-8 text",
    ),
    (
        SCORE,
        |t| t.write(PARSED, ""),
        "google-fixture-c.json is not a valid submission: the file",
    ),
    (
        SCORE,
        |t| cut(t, PARSED, 200),
        "google-fixture-c.json is not a valid submission: line ",
    ),
    (
        SCORE,
        |t| t.replace(PARSED, "\"SP500\"", "\"MOON\""),
        "google-fixture-c.json is not a valid submission: portfolio.0: MOON is not an option",
    ),
    (
        SCORE,
        |t| t.replace(PARSED, "pct\": 100", "pct\": 95"),
        "add up to 95%, not 100%",
    ),
];

#[test]
fn unreadable_input_is_refused_by_name_and_place() {
    for (arguments, spoil, message) in REFUSED {
        let test = spoil(Test::weekly());
        let ran = test.run_without_trace(arguments).code(2).complains(message);
        assert!(ran.stderr().starts_with("error: "), "{ran}");
        assert_eq!(ran.stdout(), "", "{ran}");
        test.run_without_trace(&["verify", WEEKLY]).code(1);
    }
}

/// A raw answer of the weekly round that is no submission: how it is spoilt, and why it is none.
const INVALID: [(Spoil, &str); 13] = [
    (|t| t.write(RAW, ""), "the file is empty"),
    (
        |t| cut(t, RAW, 300),
        "line 14, column 22: EOF while parsing",
    ),
    (
        |t| t.write(RAW, b"{\"model_id\": \"\xff\"}"),
        "line 1, column 15: not UTF-8 text",
    ),
    (
        |t| t.write(RAW, "[1, 2]"),
        "the payload is not a JSON object",
    ),
    (
        |t| t.replace(RAW, "0.55", "NaN"),
        "NaN and Infinity are not allowed",
    ),
    (
        |t| {
            t.replace(
                RAW,
                "\"mode\":",
                "\"mode\": \"closed_capability\",\n  \"mode\":",
            )
        },
        "line 9, column 8: the object repeats the key \"mode\"",
    ),
    (
        |t| t.replace(RAW, "\"SP500\"", "\"MOON\""),
        "portfolio.0: MOON is not an option of this round",
    ),
    (
        |t| t.replace(RAW, "pct\": 100", "pct\": 95"),
        "portfolio: allocations add up to 95%, not 100%",
    ),
    (
        |t| {
            holdings(
                t,
                "{\"allocation_pct\": 55, %}, {\"allocation_pct\": 50, *}",
            )
        },
        "portfolio: allocations add up to 105%, not 100%",
    ),
    (
        |t| {
            holdings(
                t,
                "{\"allocation_pct\": 50, %}, {\"allocation_pct\": 50, %}",
            )
        },
        "portfolio.1: SP500 is held twice",
    ),
    (
        |t| {
            holdings(
                t,
                "{\"allocation_pct\": 52, %}, {\"allocation_pct\": 48, *}",
            )
        },
        "portfolio.0: SP500: 52% is no multiple of 5%",
    ),
    (
        |t| {
            t.replace(
                RAW,
                "\"portfolio\":",
                "\"selected_option_id\": \"GOLD\", \"portfolio\":",
            )
        },
        "selected_option_id",
    ),
    (
        |t| {
            t.replace(
                RAW,
                "\"mode\":",
                "\"selected_option_ids\": [\"GOLD\"], \"mode\":",
            )
        },
        "selected_option_ids",
    ),
];

/// Other holdings in the raw answer; `%` stands for the S&P 500 and `*` for gold.
fn holdings(test: Test, pattern: &str) -> Test {
    let of = |id: &str| format!("\"option_id\": \"{id}\", \"rationale\": \"Because.\"");
    let list = pattern.replace('%', &of("SP500")).replace('*', &of("GOLD"));
    let raw = test.read(RAW);
    let start = raw.find("\"portfolio\": [").expect("a portfolio");
    let end = start + raw[start..].find(']').expect("its end");
    let raw = format!("{}\"portfolio\": [{list}{}", &raw[..start], &raw[end..]);
    test.write(RAW, raw)
}

#[test]
fn answers_that_break_a_rule_are_recorded_as_invalid() {
    for (spoil, reason) in INVALID {
        let test = spoil(Test::weekly());
        let before = test.tree();
        let ran = test
            .run(VALIDATE)
            .code(1)
            .says("invalid  google-fixture-c.json\n");
        let ran = ran.says(reason).says("official-1: 2 valid, 1 invalid\n");
        let expected = [
            format!("{WEEKLY}/{PARSED} is gone"),
            format!("{WEEKLY}/{RUN}/submissions/raw/_validation_errors.json changed"),
            format!("{WEEKLY}/{RUN}/validation_summary.json changed"),
        ];
        let mut found = changes(&before, &test.tree());
        found.sort_by_key(|change| change.contains("summary") || change.contains("errors"));
        assert_eq!(found, expected, "{ran}");
        test.run_without_trace(&["verify", WEEKLY]).code(1);
    }
}

#[test]
fn two_picks_are_refused() {
    let raw = "runs/official-1/submissions/raw/google-fixture-c.json";
    for (new, reason) in [
        (
            "\"selected_option_id\": [\"GOLD\", \"SP500\"]",
            "selected_option_id",
        ),
        (
            "\"selected_option_ids\": [\"GOLD\", \"SP500\"]",
            "selected_option_ids",
        ),
        (
            "\"selected_option_id\": \"GOLD, SP500\"",
            "GOLD, SP500 is not an option",
        ),
        (
            "\"selected_option_id\": \"GOLD\", \"selected_option_id\": \"SP500\"",
            "selected_option_id",
        ),
    ] {
        let old = "\"selected_option_id\": \"SP500\"";
        let test = Test::round(MONTHLY).replace(raw, old, new);
        let one = ["--round", MONTHLY, "--run-id", "official-1"];
        test.run(&[&["validate-submissions"][..], &one].concat())
            .code(1)
            .says("invalid  google-fixture-c.json\n")
            .says(reason)
            .says("official-1: 2 valid, 1 invalid\n");
    }
}

#[test]
fn links_are_not_followed() {
    for folder in [
        RUN,
        "runs",
        "runs/official-1/results",
        "runs/official-1/submissions",
        "runs/official-1/submissions/parsed",
        "prices",
    ] {
        let test = Test::weekly().link(folder);
        for arguments in [SCORE, VALIDATE] {
            test.run_without_trace(arguments)
                .code(2)
                .complains(&format!("{folder}: is a symbolic link"));
        }
        test.run_without_trace(&["verify", WEEKLY])
            .code(1)
            .says(&format!("error    unreadable-file  {folder}\n"));
    }
    for (file, arguments) in [
        ("manifest.yaml", VALIDATE),
        (EXIT, SCORE),
        (RAW, VALIDATE),
        (PARSED, SCORE),
        (RUN_MANIFEST, LIST),
    ] {
        let test = Test::weekly().link(file);
        test.run_without_trace(arguments)
            .code(2)
            .complains(&format!("{file} is a symbolic link"));
        test.run_without_trace(&["verify", WEEKLY]).code(1);
    }
}

#[test]
fn a_run_id_cannot_leave_its_folder() {
    let test = Test::all_rounds();
    for verb in ["score-round", "validate-submissions", "audit-round"] {
        for id in [
            "..",
            "../../monthly-single-pick-resolved",
            "a/b",
            "/",
            "a\\b",
            ".",
            "",
            "a\nb",
        ] {
            let ran = test.run_without_trace(&[verb, "--round", WEEKLY, "--run-id", id]);
            ran.code(2).complains("error: --run-id: the run id ");
        }
        let long = "x".repeat(300);
        test.run_without_trace(&[verb, "--round", WEEKLY, "--run-id", &long])
            .code(2)
            .complains("has 300 bytes");
    }
}

#[test]
fn a_run_log_names_no_file_outside_its_run() {
    for path in ["../../prompt.md", "/etc/passwd", "raw_responses/../../x"] {
        let log = "runs/official-1/run_log.jsonl";
        let test = Test::weekly().replace(log, "raw_responses/google-fixture-c.txt", path);
        let notes = crate::harness::codes_of(&test.findings(), &["note"]);
        assert!(
            notes.contains(&"reply-not-published".to_owned()),
            "{notes:?}"
        );
    }
}

#[test]
fn files_that_only_verification_reads_are_named_by_it() {
    let log = "runs/official-1/run_log.jsonl";
    let cases: [(Spoil, &str); 5] = [
        (|t| cut(t, "runs/official-1/run_log.jsonl", 300), log),
        (
            |t| t.write("research/research_hashes.json", ""),
            "research/research_hashes.json",
        ),
        (
            |t| t.write("research/research_manifest.yaml", "- 1"),
            "research/research_manifest.yaml",
        ),
        (
            |t| t.write("automation/resolution_job.yaml", "a"),
            "automation/resolution_job.yaml",
        ),
        (
            |t| t.write("runs/official-1/validation_summary.json", "{"),
            "runs/official-1/validation_summary.json",
        ),
    ];
    for (spoil, file) in cases {
        spoil(Test::weekly())
            .run_without_trace(&["verify", WEEKLY])
            .code(1)
            .says(&format!("error    unreadable-file  {file}\n"));
    }
}
