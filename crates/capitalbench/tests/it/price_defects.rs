//! The price defects of the earlier project, one by one, in sheets made by hand.

use crate::harness::{RUN, Ran, Test, WEEKLY};

const SCORE: [&str; 3] = ["score-round", "--round", WEEKLY];

fn unscored() -> Test {
    Test::weekly().remove(&format!("{RUN}/results"))
}

/// The defect with and without the operator's word for hand-made sheets.
#[track_caller]
fn refused(test: &Test) -> [Ran; 2] {
    let word = ["--accept-unproved-prices", "typed from a screen"];
    let both = [SCORE.to_vec(), [&SCORE[..], &word].concat()];
    both.map(|command| {
        let ran = test.run(&command).code(2);
        assert!(
            !test
                .file(&format!("{RUN}/results/leaderboard.csv"))
                .exists()
        );
        ran
    })
}

#[test]
fn a_stale_exit_row_is_refused() {
    let test = unscored().replace(
        "prices/exit_prices.csv",
        "FXGLD,2026-03-09",
        "FXGLD,2026-03-06",
    );
    for ran in refused(&test) {
        drop(ran.complains("exit row of GOLD is dated 2026-03-06, not 2026-03-09"));
    }
}

#[test]
fn mixed_vendors_are_refused() {
    let sheet = unscored().read("prices/exit_prices.csv");
    let gold = sheet
        .lines()
        .find(|line| line.starts_with("GOLD,"))
        .unwrap();
    let (rest, _) = gold.rsplit_once(',').unwrap();
    let test = unscored().replace(
        "prices/exit_prices.csv",
        gold,
        &format!("{rest},another_vendor"),
    );
    for ran in refused(&test) {
        drop(ran.complains("options have entry and exit from two sources"));
    }
}

#[test]
fn blank_closes_are_refused() {
    let sheet = unscored().read("prices/entry_prices.csv");
    let gold = sheet
        .lines()
        .find(|line| line.starts_with("GOLD,"))
        .unwrap();
    let mut cells: Vec<&str> = gold.split(',').collect();
    cells[3] = "";
    let test = unscored().replace("prices/entry_prices.csv", gold, &cells.join(","));
    for ran in refused(&test) {
        drop(ran.complains("entry rows have no raw close"));
    }
}

/// An entry sheet of long ago beside an exit sheet of today: nothing in the two files tells it, so
/// sheets without the record of one fetch are refused, and the operator's word is kept.
#[test]
fn an_unrefreshed_basis_is_refused_or_put_on_record() {
    let sheet = unscored().read("prices/entry_prices.csv");
    let gold = sheet
        .lines()
        .find(|line| line.starts_with("GOLD,"))
        .unwrap();
    let mut cells: Vec<String> = gold.split(',').map(str::to_owned).collect();
    let adjusted: f64 = cells[4].parse().unwrap();
    cells[4] = format!("{:?}", adjusted * 1.004);
    let test = unscored().replace("prices/entry_prices.csv", gold, &cells.join(","));
    test.run_without_trace(&SCORE)
        .code(2)
        .complains("the sheets have no record of their fetch")
        .complains("--accept-unproved-prices REASON");
    assert!(test.codes().contains(&"price-rule-broken".to_owned()));
    let blank = [&SCORE[..], &["--accept-unproved-prices", " "]].concat();
    test.run_without_trace(&blank)
        .code(2)
        .complains("needs a reason");
    let word = ["--accept-unproved-prices", "a vendor that closed"];
    test.run(&[&SCORE[..], &word].concat()).code(0);
    let outcomes = test.read(&format!("{RUN}/results/outcomes.json"));
    assert!(outcomes.contains("\"accepted_unproved_prices\": \"a vendor that closed\""));
    assert_eq!(test.codes(), [""; 0]);
    // A word whose command failed is not there for the next one.
    let again = unscored().replace("prices/entry_prices.csv", gold, &cells.join(","));
    let parsed = format!("{RUN}/submissions/parsed/openai-fixture-a.json");
    let again = again.replace(&parsed, "\"model_id\"", "\"model\"");
    again
        .run_without_trace(&[&SCORE[..], &word].concat())
        .code(2);
    again
        .replace(&parsed, "\"model\"", "\"model_id\"")
        .run_without_trace(&SCORE)
        .code(2)
        .complains("no record of their fetch");
    // The word is about these two sheets and no others.
    let other = test.replace("prices/exit_prices.csv", "82.9,82.9", "83.9,83.9");
    other
        .run(&SCORE)
        .code(2)
        .complains("no record of their fetch");
    let older = Test::weekly()
        .replace("manifest.yaml", "portfolio-v1.1", "portfolio-v1.0")
        .remove("prices/unproved_acceptance.json")
        .freeze_again();
    older
        .run(&[&SCORE[..], &["--dry-run"]].concat())
        .code(0)
        .complains("warning: the sheets have no record of their fetch");
}
