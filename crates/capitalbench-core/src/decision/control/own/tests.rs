use super::*;
use crate::test_support::{option_id, universe};

fn hold(parts: &[(&str, u32)]) -> Held {
    let parts = parts.iter().map(|(id, percent)| (option_id(id), *percent));
    Held::Portfolio(parts.collect())
}

fn symbol(text: &str) -> Held {
    Held::Symbol(text.to_owned())
}

#[test]
fn a_configured_portfolio_is_held_exactly_as_written() {
    let universe = universe();
    let own = OwnControl::new("97/3", hold(&[("SP500", 97), ("CASH", 3)])).unwrap();
    let held = own
        .holdings(&universe, SubmissionFormat::Portfolio)
        .unwrap();
    let weights: Vec<u32> = held.iter().map(|own| own.weight.get()).collect();
    assert_eq!(weights, [9_700, 300]);
    assert_eq!(own.problem(&universe, SubmissionFormat::Portfolio), None);
    let refused = own.holdings(&universe, SubmissionFormat::SinglePick);
    assert_eq!(refused, Err(Unavailable::ManyHoldings));
}

#[test]
fn a_symbol_of_the_universe_is_its_option_and_another_one_is_a_fund() {
    let universe = universe();
    let reference = universe.reference().clone();
    let inside = OwnControl::new("index", symbol(reference.display_symbol())).unwrap();
    let outside = OwnControl::new("target", symbol("VTTSX")).unwrap();
    let held = |own: &OwnControl| {
        let held = own
            .holdings(&universe, SubmissionFormat::Portfolio)
            .unwrap();
        held[0].option_id.to_string()
    };
    assert_eq!(held(&inside), reference.id.to_string());
    assert_eq!(held(&outside), "control-target");
    let found = funds(&[inside, outside], &universe);
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].data_symbol.as_deref(), Some("VTTSX"));
}

#[test]
fn what_cannot_be_held_is_refused_with_its_reason() {
    let refused = |name: &str, held: Held| OwnControl::new(name, held).unwrap_err();
    assert!(refused("x", hold(&[("SP500", 60)])).contains("sum to 60"));
    assert!(refused("x", hold(&[("SP500", 100), ("CASH", 0)])).contains("from 1 on"));
    assert!(refused("x", hold(&[("SP500", 50), ("SP500", 50)])).contains("SP500 twice"));
    assert!(refused("", symbol("AOR")).contains("1 to 40"));
    assert!(refused("x", symbol("A B")).contains("no blank"));
    assert!(refused("x", symbol("CASH")).contains("means cash"));
    let own = OwnControl::new("x", hold(&[("NOWHERE", 100)])).unwrap();
    let problem = own
        .problem(&universe(), SubmissionFormat::Portfolio)
        .unwrap();
    assert!(problem.contains("NOWHERE"), "{problem}");
}

#[test]
fn names_that_meet_in_one_file_are_refused() {
    let all = |names: &[&str]| {
        let all = names.iter().zip(["AOR", "AOM", "AOK"]);
        let all = all.map(|(name, held)| OwnControl::new(name, symbol(held)).unwrap());
        require_distinct(&all.collect::<Vec<_>>())
    };
    all(&["60/40", "Balanced"]).unwrap();
    assert!(all(&["60/40", "60 40"]).unwrap_err().contains("alike"));
    assert!(all(&["60-40"]).unwrap_err().contains("every round has"));
    assert!(all(&["Cash"]).unwrap_err().contains("every round has"));
    let twice = ["a", "b"].map(|name| OwnControl::new(name, symbol("AOR")).unwrap());
    assert!(require_distinct(&twice).unwrap_err().contains("AOR alone"));
}
