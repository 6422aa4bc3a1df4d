//! `show-controls`: what control entrants hold in a frozen round.

use crate::harness::{MONTHLY, PENDING, Test, WEEKLY};

const SHOW: [&str; 3] = ["show-controls", "--round", WEEKLY];

/// A market table in which returns and volatilities fall from option to option.
const TABLE: &str = "option_id,return_30d,volatility_30d,status
CASH,0.0,0.0,cash
BILLS,0.01,0.01,pass
SP500,0.03,0.15,pass
FAR_SHARES,0.02,0.2,pass
LONG_BONDS,-0.04,0.12,pass
GOLD,,,fail
";

fn holdings(test: &Test, name: &str) -> String {
    let json = test.run(&[&SHOW[..], &["--json"]].concat()).code(0).json();
    let controls = json["controls"].as_array().expect("controls");
    let control = controls.iter().find(|control| control["name"] == name);
    let control = control.unwrap_or_else(|| panic!("no {name} in {json}"));
    match control["holdings"].as_array() {
        None => control["unavailable"]
            .as_str()
            .expect("a reason")
            .to_owned(),
        Some(holdings) => {
            let one = |h: &serde_json::Value| format!("{} {}", h["option_id"], h["allocation_pct"]);
            let all: Vec<String> = holdings.iter().map(one).collect();
            all.join(", ").replace('"', "")
        }
    }
}

#[test]
fn every_control_of_a_frozen_round_is_shown() {
    Test::weekly().run_without_trace(&SHOW).code(0).prints(
        "control                 holdings in percent
control-reference       SP500 100
control-cash            CASH 100
control-equal-weight    BILLS 35, SP500 35, LONG_BONDS 30
control-60-40           SP500 60, LONG_BONDS 40
control-momentum        – (the round has no market table with 30-day returns)
control-reversal        – (the round has no market table with 30-day returns)
control-low-volatility  – (the round has no market table with 30-day volatilities)
control-last-best       – (no earlier resolved round of the track names an option that is offered here)
control-random          GOLD 100
control-consensus       SP500 70, FAR_SHARES 15, LONG_BONDS 15
",
    );
}

#[test]
fn the_market_table_decides_three_of_them() {
    let path = "market_data/universe_trailing_returns.csv";
    let test = Test::weekly().write(path, TABLE).freeze_again();
    for (name, expected) in [
        ("control-momentum", "SP500 35, FAR_SHARES 35, BILLS 30"),
        ("control-reversal", "LONG_BONDS 35, CASH 35, BILLS 30"),
        (
            "control-low-volatility",
            "BILLS 35, LONG_BONDS 35, SP500 30",
        ),
    ] {
        assert_eq!(holdings(&test, name), expected, "{name}");
    }
    let broken = Test::weekly()
        .write(path, TABLE.replace("0.03", "much"))
        .freeze_again();
    broken
        .run(&SHOW)
        .code(2)
        .complains("universe_trailing_returns.csv: line 4: return_30d: \"much\" is not a number");
}

#[test]
fn the_last_round_of_the_track_names_its_best_option() {
    let test = Test::all_rounds();
    let show = |round: &str| test.run(&["show-controls", "--round", round]).code(0);
    // The monthly round was over in time, but is of the other track; the weekly one was not.
    show(PENDING).says("control-last-best       – (no earlier resolved round");
    show(MONTHLY).says("control-random ");
    let exit = "exit_date: '2026-03-0";
    let over = test.replace("manifest.yaml", &format!("{exit}9"), &format!("{exit}6"));
    over.run(&["show-controls", "--round", PENDING])
        .code(0)
        .says("control-last-best       GOLD 100\n");
}

#[test]
fn the_seed_follows_from_the_freeze_alone() {
    let random = |test: &Test| holdings(test, "control-random");
    let drawn = random(&Test::weekly());
    assert_eq!(random(&Test::weekly().remove("runs")), drawn);
    let other = Test::weekly().replace("prompt.md", "Answer", "Reply");
    assert_ne!(random(&other.freeze_again()), drawn);
}

#[test]
fn a_draft_and_a_changed_round_have_no_controls() {
    Test::weekly()
        .remove("hashes.json")
        .run_without_trace(&SHOW)
        .code(2)
        .complains("weekly-portfolio-resolved is not frozen")
        .complains("hint: freeze it with `capitalbench hash-round --round");
    Test::weekly()
        .replace("prompt.md", "Answer", "Reply")
        .run_without_trace(&SHOW)
        .code(2)
        .complains("1 of its inputs changed");
}
