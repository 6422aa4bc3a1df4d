//! `score-round`: results to the last byte, and every reason not to score.

use crate::harness::{MONTHLY, PENDING, RUN, Test, WEEKLY, changes};

const SCORE: [&str; 3] = ["score-round", "--round", WEEKLY];

#[test]
fn results_come_back_to_the_last_byte() {
    let test = Test::weekly();
    let before = test.tree();
    let test = test.remove(&format!("{RUN}/results"));
    test.run(&SCORE).code(0).prints(
        "weekly-portfolio-resolved  official-1
rank  model                score   return  vs Five hundred large companies   regret
   1  anthropic-fixture-b   41.2  +1.33 %                          +1.92 %  +1.90 %
   2  openai-fixture-a      14.2  +0.46 %                          +1.04 %  +2.78 %
   3  google-fixture-c     −18.1  −0.58 %                          +0.00 %  +3.82 %
Five hundred large companies −0.58 %   best option +3.24 %
",
    );
    assert_eq!(changes(&before, &test.tree()), [""; 0]);
}

#[test]
fn replicates_are_summed_up_and_not_ranked() {
    let test = Test::round(MONTHLY);
    let before = test.tree();
    let test = test.remove("runs/stability-1/results");
    let score = ["score-round", "--round", MONTHLY, "--run-id", "stability-1"];
    test.run(&score).code(0).prints(
        "monthly-single-pick-resolved  stability-1
model                valid  invalid  most frequent pick  agreement  average return
anthropic-fixture-b      5        0  BILLS                   100 %         +0.30 %
openai-fixture-a         5        0  GOLD                     60 %         +2.85 %
Five hundred large companies +2.00 %   best option +3.68 %
",
    );
    assert_eq!(changes(&before, &test.tree()), [""; 0]);
    let json = test.run(&[&score[..], &["--json"]].concat()).json();
    assert_eq!(json["consistency"][1]["consistency_rate"], 0.6);
    assert_eq!(json["outcomes"].as_array().unwrap().len(), 10);
}

#[test]
fn a_folder_is_scored_round_by_round() {
    let test = Test::all_rounds();
    let before = test.tree();
    let test = test.remove(&format!("{RUN}/results"));
    test.run(&["score-round", "--rounds-dir", "."])
        .code(0)
        .says("monthly-single-pick-resolved  official-1       3  openai-fixture-a ")
        .says("weekly-portfolio-resolved     official-1       3  anthropic-fixture-b ")
        .says("scored 2 runs\n");
    assert_eq!(changes(&before, &test.tree()), [""; 0]);
}

#[test]
fn one_bad_round_of_a_folder_is_named_and_the_others_are_scored() {
    let test = Test::all_rounds().write("prices/exit_prices.csv", "");
    test.run(&["score-round", "--rounds-dir", "."])
        .code(1)
        .complains("weekly-portfolio-resolved/prices/exit_prices.csv: the file is empty")
        .says("scored 1 run\n");
    let json = ["score-round", "--rounds-dir", ".", "--json"];
    let json = test.run(&json).code(1).json();
    assert_eq!(json["runs"][0]["round_id"], MONTHLY);
    assert_eq!(json["failures"][0]["round_id"], WEEKLY);
}

#[test]
fn an_open_round_is_not_scored() {
    let test = Test::round(PENDING);
    test.run_without_trace(&["score-round", "--round", PENDING])
        .code(2)
        .complains("is open until its exit close at 2099-03-16T20:00:00Z")
        .complains("nothing was written");
    let early = [&SCORE[..], &["--now", "2026-03-09T19:59:59Z"]].concat();
    let test = Test::weekly();
    test.run_without_trace(&early).code(2).complains("is open");
    let close = [&SCORE[..], &["--now", "2026-03-09T20:00:00Z"]].concat();
    test.run(&close).code(0);
}

#[test]
fn a_dry_run_writes_nothing() {
    let test = Test::weekly().remove(&format!("{RUN}/results"));
    let dry = [&SCORE[..], &["--dry-run"]].concat();
    test.run_without_trace(&dry).code(0).says("41.2");
}

#[test]
fn changed_rules_and_options_are_refused() {
    for (file, old, new) in [
        (
            "manifest.yaml",
            "exit_date: '2026-03-09'",
            "exit_date: '2026-03-10'",
        ),
        ("options.yaml", "gold bars", "gold coins"),
    ] {
        let test = Test::weekly().replace(file, old, new);
        test.run_without_trace(&SCORE)
            .code(2)
            .complains(&format!("{file} its bytes changed after it was hashed"));
    }
}

/// The same price defect: an error under our label, a warning under an earlier one.
#[test]
fn our_rules_refuse_what_earlier_rounds_only_warn_about() {
    let spoil = |test: Test| {
        test.replace(
            "prices/exit_prices.csv",
            "FXGLD,2026-03-09",
            "FXGLD,2026-03-06",
        )
    };
    let ours = spoil(Test::weekly());
    ours.run_without_trace(&SCORE).code(2).complains(
        "break 1 of the price rules: exit row of GOLD is dated 2026-03-06, not 2026-03-09",
    );
    let earlier = Test::weekly().replace("manifest.yaml", "portfolio-v1.1", "portfolio-v1.0");
    let earlier = spoil(earlier.freeze_again());
    let dry = [&SCORE[..], &["--dry-run"]].concat();
    earlier
        .run_without_trace(&dry)
        .code(0)
        .says("41.2")
        .complains("warning: exit row of GOLD is dated 2026-03-06, not 2026-03-09");
}

#[test]
fn a_raw_close_is_recorded_and_the_record_goes_with_it() {
    let test = Test::weekly().replace("prices/exit_prices.csv", "82.9,82.9", "82.9,");
    let correct = [
        &SCORE[..],
        &["--correct", "the vendor has no adjusted close"],
        &["--accept-unproved-prices", "invented"],
    ]
    .concat();
    test.run(&correct).code(0);
    let warnings = test.read(&format!("{RUN}/results/price_warnings.json"));
    assert!(warnings.contains("\"key\": \"GOLD\""), "{warnings}");
    let test = test.replace("prices/exit_prices.csv", "82.9,", "82.9,82.9");
    test.run(&correct).code(0);
    assert!(
        !test
            .file(&format!("{RUN}/results/price_warnings.json"))
            .exists()
    );
}

#[test]
fn scoring_needs_prices_and_submissions() {
    let test = Test::weekly().remove("prices/exit_prices.csv");
    test.run_without_trace(&SCORE)
        .code(2)
        .complains("has no prices/exit_prices.csv");
    let test = Test::weekly().remove(&format!("{RUN}/submissions/parsed"));
    test.run_without_trace(&SCORE)
        .code(2)
        .complains("run official-1 has no parsed submission");
}

#[test]
fn an_ambiguous_score_target_is_refused() {
    let test = Test::all_rounds();
    test.run(&["score-round"])
        .code(2)
        .complains("<--round <DIR>|--rounds-dir <DIR>>");
    test.run(&["score-round", "--round", WEEKLY, "--rounds-dir", "."])
        .code(2)
        .complains("cannot be used with");
    test.run(&["score-round", "--rounds-dir", ".", "--run-id", "official-1"])
        .code(2);
    test.run(&["score-round", "--round", WEEKLY, "--run-id", "oficial-1"])
        .code(2)
        .complains("did you mean official-1?");
}

#[test]
fn json_carries_unrounded_figures() {
    let test = Test::weekly();
    let json = [&SCORE[..], &["--json", "--dry-run"]].concat();
    let json = test.run(&json).code(0).json();
    assert_eq!(json["round_id"], WEEKLY);
    assert_eq!(json["run_id"], "official-1");
    let first = &json["outcomes"][0];
    assert_eq!(first["return"], 0.013_329_474_422_856_41);
    assert_eq!(first["alpha_vs_sp500"], 0.019_176_676_119_187_427);
    assert_eq!(json["warnings"], serde_json::json!([]));
}
