//! `list-runs`: every run with its kind, counts and standing.

use crate::harness::{MONTHLY, RUN, Test, WEEKLY};

#[test]
fn runs_are_listed_with_the_record() {
    let test = Test::round(MONTHLY);
    test.run_without_trace(&["list-runs", "--round", MONTHLY])
        .code(0)
        .prints(concat!(
            "run          type       replicates  created                           models  ",
            "valid  invalid  controls  scored  report  eligible\n",
            "official-1   official            1  2026-02-02T15:00:00.250000+00:00       3  ",
            "    3        0         0  yes     no      yes       record\n",
            "stability-1  stability           5  2026-02-02T16:00:00.250000+00:00       2  ",
            "   10        0         0  yes     no      no\n",
        ));
}

#[test]
fn json_lists_the_same_runs() {
    let test = Test::round(MONTHLY);
    let list = ["list-runs", "--round", MONTHLY, "--json"];
    let json = test.run(&list).code(0).json();
    let runs = json["runs"].as_array().unwrap();
    assert_eq!(runs.len(), 2);
    assert_eq!(runs[0]["is_record"], true);
    assert_eq!(runs[0]["selected"], true);
    assert_eq!(runs[1]["run_type"], "stability");
    assert_eq!(runs[1]["replicates"], 5);
    assert_eq!(runs[1]["official_score_eligible"], false);
}

#[test]
fn a_round_without_a_run_says_so() {
    let test = Test::weekly().remove("runs");
    test.run(&["list-runs", "--round", WEEKLY])
        .code(0)
        .prints("weekly-portfolio-resolved has no run yet\n");
}

#[test]
fn an_unscored_run_is_shown_as_such() {
    let test = Test::weekly().remove(&format!("{RUN}/results"));
    let json = test.run(&["list-runs", "--round", WEEKLY, "--json"]).json();
    assert_eq!(json["runs"][0]["scored"], false);
}
