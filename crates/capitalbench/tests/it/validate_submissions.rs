//! `validate-submissions`: verdicts and the files that record them.

use crate::harness::{MONTHLY, RUN, Test, WEEKLY, changes};

const VALIDATE: [&str; 3] = ["validate-submissions", "--round", WEEKLY];
const RAW: &str = "runs/official-1/submissions/raw/google-fixture-c.json";
const PARSED: &str = "runs/official-1/submissions/parsed/google-fixture-c.json";

#[test]
fn parsed_files_come_back_to_the_last_byte() {
    let test = Test::weekly();
    let before = test.tree();
    let test = test
        .remove(&format!("{RUN}/submissions/parsed"))
        .remove(&format!("{RUN}/submissions/raw/_validation_errors.json"))
        .remove(&format!("{RUN}/validation_summary.json"));
    test.run(&VALIDATE).code(0).prints(
        "valid    anthropic-fixture-b.json
valid    google-fixture-c.json
valid    openai-fixture-a.json
official-1: 3 valid, 0 invalid
",
    );
    assert_eq!(changes(&before, &test.tree()), [""; 0]);
}

#[test]
fn replicates_come_back_to_the_last_byte() {
    let test = Test::round(MONTHLY);
    let before = test.tree();
    let test = test.remove("runs/stability-1/submissions/parsed");
    let one = ["--round", MONTHLY, "--run-id", "stability-1"];
    test.run(&[&VALIDATE[..1], &one].concat())
        .code(0)
        .says("stability-1: 10 valid, 0 invalid\n");
    assert_eq!(changes(&before, &test.tree()), [""; 0]);
    test.run(&["validate-submissions", "--round", MONTHLY])
        .code(2)
        .complains("choose one run with --run-id: official-1, stability-1");
}

#[test]
fn an_invalid_answer_loses_its_parsed_file() {
    let test = Test::weekly().replace(RAW, "\"SP500\"", "\"MOON\"");
    test.run(&VALIDATE)
        .code(1)
        .says("invalid  google-fixture-c.json\n         portfolio.0: MOON is not an option")
        .says("official-1: 2 valid, 1 invalid\n");
    assert!(!test.file(PARSED).exists());
    let summary = test.read(&format!("{RUN}/validation_summary.json"));
    assert!(summary.contains("\"invalid_count\": 1"), "{summary}");
    let errors = test.read(&format!("{RUN}/submissions/raw/_validation_errors.json"));
    assert!(errors.contains("MOON is not an option"), "{errors}");
}

#[test]
fn a_dry_run_writes_nothing() {
    let test = Test::weekly().replace(RAW, "\"SP500\"", "\"MOON\"");
    let dry = [&VALIDATE[..], &["--dry-run"]].concat();
    test.run_without_trace(&dry).code(1).says("1 invalid");
}

#[test]
fn json_lists_every_file() {
    let test = Test::weekly().replace(RAW, "\"SP500\"", "\"MOON\"");
    let json = test.run(&[&VALIDATE[..], &["--json"]].concat()).code(1);
    let json = json.json();
    assert_eq!((&json["valid"], &json["invalid"]), (&2.into(), &1.into()));
    let file = &json["submissions"][1];
    assert_eq!(file["file"], "google-fixture-c.json");
    assert_eq!(file["valid"], false);
    assert_eq!(
        file["problems"][0],
        "portfolio.0: MOON is not an option of this round"
    );
}

#[test]
fn a_parsed_file_without_a_raw_one_goes_away() {
    let test = Test::weekly();
    let before = test.tree();
    let stray = format!("{RUN}/submissions/parsed/nobody.json");
    let test = test.write(&stray, "{}");
    test.run(&VALIDATE).code(0);
    assert_eq!(changes(&before, &test.tree()), [""; 0]);
}
