use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::asking::run::{RunKind, RunRules};
use crate::decision::submission::{PayloadForm, RoundRules, validate};
use crate::evidence::inference::admissible::Admissible;
use crate::market::universe::Listing;
use crate::test_support::{holding, manifest, option, option_id, payload_base, universe_of};

/// Cash, the reference, a bond and four more, in file order.
fn universe() -> Universe {
    let mut options: Vec<MarketOption> = ["CASH", "SP500", "AAA", "BBB", "CCC", "DDD", "AGG"]
        .iter()
        .map(|id| option(id, if *id == "SP500" { "SPY" } else { id }))
        .collect();
    options[6].category = "aggregate_bonds".into();
    Universe::new(options).unwrap()
}

fn past(rows: &[(&str, f64, f64)]) -> Vec<PastFigures> {
    let row = |(id, value, volatility): &(&str, f64, f64)| PastFigures {
        option_id: option_id(id),
        return_30d: Some(*value),
        volatility_30d: Some(*volatility),
    };
    rows.iter().map(row).collect()
}

/// Figures of the options of [`universe`].
fn table() -> Vec<PastFigures> {
    past(&[
        ("CASH", 0.0, 0.0),
        ("SP500", 0.02, 0.15),
        ("AAA", 0.09, 0.40),
        ("BBB", -0.05, 0.30),
        ("CCC", 0.02, 0.20),
        ("DDD", -0.01, 0.35),
        ("AGG", 0.01, 0.05),
    ])
}

/// A control as `id percent` pairs, or why there is none.
fn shown(rule: Rule, inputs: &ControlInputs<'_>) -> String {
    let found = controls(inputs)
        .into_iter()
        .find(|control| control.rule.is(rule));
    match found.unwrap().holdings {
        Err(reason) => reason.to_string(),
        Ok(holdings) => {
            let text = |h: &Holding| format!("{} {}", h.option_id, h.weight.percent());
            holdings.iter().map(text).collect::<Vec<_>>().join(", ")
        }
    }
}

fn check(change: fn(&mut Constraints), rule: Rule, expected: &str) {
    let universe = universe();
    let mut constraints = Constraints {
        max_holdings: 3,
        ..Constraints::default()
    };
    change(&mut constraints);
    let decisions = [
        vec![holding("AAA", 60), holding("CASH", 40)],
        vec![holding("AAA", 30), holding("BBB", 70)],
        vec![holding("CCC", 100)],
    ];
    let inputs = ControlInputs {
        universe: &universe,
        format: SubmissionFormat::Portfolio,
        constraints: &constraints,
        past: &table(),
        freeze: Digest::of(b"freeze"),
        last_best: Some(&option_id("DDD")),
        decisions: &decisions,
        own: &[],
    };
    assert_eq!(shown(rule, &inputs), expected, "{rule:?}");
}

#[test]
fn each_rule_gives_its_portfolio() {
    let check = |rule, expected| check(|_| (), rule, expected);
    check(Rule::Reference, "SP500 100");
    check(Rule::Cash, "CASH 100");
    check(Rule::EqualWeight, "SP500 35, BBB 35, DDD 30");
    check(Rule::SixtyForty, "SP500 60, AGG 40");
    check(Rule::Momentum, "AAA 35, SP500 35, CCC 30");
    check(Rule::Reversal, "BBB 35, DDD 35, CASH 30");
    check(Rule::LowVolatility, "AGG 35, SP500 35, CCC 30");
    check(Rule::LastBest, "DDD 100");
    check(Rule::Consensus, "CCC 40, AAA 35, BBB 25");
}

#[test]
fn limits_bend_the_rules() {
    check(|c| c.min_holdings = 2, Rule::Reference, "SP500 95, CASH 5");
    check(|c| c.min_holdings = 2, Rule::Cash, "CASH 95, SP500 5");
    check(
        |c| (c.increment_pct, c.min_allocation_pct) = (50, 50),
        Rule::SixtyForty,
        "SP500 50, AGG 50",
    );
    let capped: fn(&mut Constraints) = |c| c.max_exposure_pct = Some(50);
    check(capped, Rule::Reference, "SP500 100");
    check(capped, Rule::Cash, "CASH 100");
    check(capped, Rule::SixtyForty, "SP500 60, AGG 40");
    check(capped, Rule::LastBest, "DDD 50, CASH 50");
    check(capped, Rule::Momentum, "AAA 25, SP500 50, CCC 25");
    let refused = "the round does not allow the reference";
    check(|c| c.allow_reference = false, Rule::Reference, refused);
    check(|c| c.allow_reference = false, Rule::SixtyForty, refused);
    check(
        |c| c.allow_cash = false,
        Rule::Cash,
        "the round does not allow cash",
    );
    check(
        |c| (c.max_exposure_pct, c.allow_cash, c.allow_reference) = (Some(20), false, false),
        Rule::LastBest,
        "the limits of the round admit no portfolio",
    );
    check(
        |c| c.increment_pct = 7,
        Rule::Cash,
        "the limits of the round admit no portfolio",
    );
}

#[test]
fn a_control_without_its_inputs_says_what_is_missing() {
    let universe = universe_of(&["AAA", "SP500", "CASH"]);
    let inputs = ControlInputs {
        universe: &universe,
        format: SubmissionFormat::SinglePick,
        constraints: &Constraints::default(),
        past: &[],
        freeze: Digest::of(b"freeze"),
        last_best: Some(&option_id("GONE")),
        decisions: &[],
        own: &[],
    };
    for (rule, expected) in [
        (
            Rule::Momentum,
            "the round has no market table with 30-day returns",
        ),
        (
            Rule::LowVolatility,
            "the round has no market table with 30-day volatilities",
        ),
        (
            Rule::LastBest,
            "no earlier resolved round of the track names an option that is offered here",
        ),
        (Rule::Consensus, "no run is the record yet"),
        (Rule::SixtyForty, "SP500 100"),
        (Rule::EqualWeight, "AAA 100"),
    ] {
        assert_eq!(shown(rule, &inputs), expected, "{rule:?}");
    }
}

#[test]
fn control_names_are_stable_and_distinct() {
    let names = Rule::ALL.map(Rule::name);
    assert!(names.iter().all(|name| name.starts_with("control-")));
    let unlike: std::collections::BTreeSet<&str> = names.into();
    assert_eq!(unlike.len(), names.len());
}

#[test]
fn the_freeze_alone_decides_the_draw() {
    let universe = universe();
    let constraints = Constraints::default();
    let drawn = |freeze: &[u8]| {
        let inputs = ControlInputs {
            universe: &universe,
            format: SubmissionFormat::Portfolio,
            constraints: &constraints,
            past: &[],
            freeze: Digest::of(freeze),
            last_best: None,
            decisions: &[],
            own: &[],
        };
        shown(Rule::Random, &inputs)
    };
    assert_eq!(drawn(b"1"), drawn(b"1"));
    let all: std::collections::BTreeSet<String> = (0..50_u8).map(|seed| drawn(&[seed])).collect();
    assert!(all.len() > 35, "{} of 50 draws are unlike", all.len());
}

/// A round as random as rounds may be: its options, its limits, and what controls are made from.
#[derive(Debug, Clone)]
struct AnyRound {
    universe: Universe,
    constraints: Constraints,
    past: Vec<PastFigures>,
    freeze: u64,
    models: Vec<Vec<Holding>>,
}

fn any_universe() -> impl Strategy<Value = Universe> {
    let options = prop::collection::vec((0..4_u8, any::<bool>()), 0..9);
    (options, any::<bool>()).prop_map(|(others, with_cash)| {
        let mut options = vec![option("SP500", "SPY")];
        if with_cash {
            options.push(option("CASH", "CASH"));
        }
        for (index, (group, hidden)) in others.into_iter().enumerate() {
            let mut other = option(&format!("O{index}"), &format!("O{index}"));
            other.group = format!("group-{group}");
            if hidden && index % 3 == 0 {
                other.listing = Listing::Hidden;
            }
            options.push(other);
        }
        Universe::new(options).unwrap()
    })
}

fn any_constraints() -> impl Strategy<Value = Constraints> {
    let step = prop::sample::select(vec![1_u32, 2, 5, 10, 20, 25, 50, 100]);
    let cap = prop::option::of(1..=100_u32);
    (step, 1..4_u32, 1..5_u32, 0..5_u32, cap, any::<[bool; 2]>()).prop_map(
        |(step, least, min, more, cap, [allow_cash, allow_reference])| Constraints {
            min_holdings: min,
            max_holdings: min + more,
            increment_pct: step,
            min_allocation_pct: step * least,
            allow_cash,
            allow_reference,
            max_exposure_pct: cap,
        },
    )
}

prop_compose! {
    fn any_round()(
        universe in any_universe(),
        constraints in any_constraints(),
        figures in prop::collection::vec((-1.0..1.0_f64, 0.0..1.0_f64), 11),
        freeze in any::<u64>(),
        picks in prop::collection::vec(0..11_usize, 0..5),
    ) -> AnyRound {
        let past = universe.options().iter().zip(&figures).map(|(option, (value, path))| PastFigures {
            option_id: option.id.clone(),
            return_30d: Some(*value),
            volatility_30d: Some(*path),
        });
        let models = picks.iter().map(|pick| {
            let options = universe.options();
            vec![holding(options[pick % options.len()].id.as_str(), 100)]
        });
        let (past, models) = (past.collect(), models.collect());
        AnyRound { universe, constraints, past, freeze, models }
    }
}

/// The control as the submission of a model, judged by the same rules.
fn verdict(holdings: &[Holding], round: &AnyRound) -> Result<(), String> {
    let mut payload = payload_base();
    let portfolio: Vec<Value> = holdings
        .iter()
        .map(|h| {
            json!({
                "option_id": h.option_id.as_str(),
                "allocation_pct": h.weight.get() / 100,
                "rationale": h.rationale,
            })
        })
        .collect();
    payload["portfolio"] = portfolio.into();
    payload["confidence"] = json!(0.5);
    payload["rationale_summary"] = json!("A rule.");
    payload["portfolio_rationale"] = json!("A rule.");
    payload["key_risks"] = json!(["The rule."]);
    let mut manifest = manifest("portfolio-v1.1");
    manifest.constraints = round.constraints.clone();
    let rules = RoundRules {
        manifest: &manifest,
        universe: &round.universe,
        slate: None,
        run: RunRules {
            kind: RunKind::Official,
            replicates: 1,
        },
    };
    validate(&payload, PayloadForm::Raw, &rules)
        .map(|_| ())
        .map_err(|problems| format!("{problems:?} in {payload}"))
}

proptest! {
    #[test]
    fn every_control_is_admissible(round in any_round()) {
        let last_best = option_id("O1");
        let inputs = ControlInputs {
            universe: &round.universe,
            format: SubmissionFormat::Portfolio,
            constraints: &round.constraints,
            past: &round.past,
            freeze: Digest::of(&round.freeze.to_be_bytes()),
            last_best: Some(&last_best),
            decisions: &round.models,
            own: &[],
        };
        let all = controls(&inputs);
        prop_assert_eq!(all.len(), Rule::ALL.len());
        for control in &all {
            let Ok(holdings) = &control.holdings else { continue };
            prop_assert_eq!(verdict(holdings, &round), Ok(()), "{:?}", control.rule);
            for holding in holdings {
                let option = round.universe.get(&holding.option_id).unwrap();
                prop_assert_eq!(option.listing, Listing::Shown);
            }
            let cap = round.constraints.max_exposure_pct.unwrap_or(100);
            let beyond = round.universe.beyond_cap(holdings, cap);
            prop_assert!(beyond.is_empty(), "{:?}", control);
        }
        // Where one portfolio of the admissible options exists, the draw finds one too.
        let possible = |rule: Rule| all.iter().any(|c| c.rule.is(rule) && c.holdings.is_ok());
        prop_assert_eq!(possible(Rule::EqualWeight), possible(Rule::Random));
        let allowed = Admissible::new(&round.universe, inputs.format, inputs.constraints);
        prop_assert_eq!(possible(Rule::EqualWeight), allowed.is_ok());
        prop_assert_eq!(controls(&inputs), all);
    }
}
