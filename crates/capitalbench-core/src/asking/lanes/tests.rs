use super::*;
use crate::asking::option_order::OptionOrder;
use crate::decision::submission::Decision;
use crate::market::universe::Listing;
use crate::test_support::option;
use crate::values::ids::Digest;

fn universe() -> Universe {
    let mut options: Vec<MarketOption> = [
        ("CASH", "CASH"),
        ("SP500", "SPY"),
        ("GOLD", "GLD"),
        ("OIL", "USO"),
    ]
    .iter()
    .map(|(id, symbol)| option(id, symbol))
    .collect();
    options[0].symbol = None;
    options[0].data_symbol = None;
    options[0].flags.cash = true;
    options[2].name = "Gold Trust".to_owned();
    options[2].exposure_description = "Gold Trust holds gold bars, GLD for short.".to_owned();
    let mut hidden = option("HIDDEN", "HID");
    hidden.listing = Listing::Hidden;
    options.push(hidden);
    Universe::new(options).unwrap()
}

fn mask(universe: &Universe) -> Mask {
    let numbers = OptionOrder::draw_as(Digest::of(b"round"), "mask", universe);
    Mask::new(universe, numbers.ids()).unwrap()
}

#[test]
fn names_tickers_and_ids_are_gone_and_cash_keeps_its_own() {
    let universe = universe();
    let mask = mask(&universe);
    let masked = mask.text("GLD and Gold Trust (GOLD) rose; GOLDEN, SPYGLASS and CASH did not.");
    let gold = mask.masked(&OptionId::parse("GOLD").unwrap());
    assert_eq!(
        masked,
        format!("{gold} and {gold} ({gold}) rose; GOLDEN, SPYGLASS and CASH did not.")
    );
    for own in mask.universe().options() {
        let shown = format!(
            "{} {} {:?} {}",
            own.id, own.name, own.symbol, own.exposure_description
        );
        let tells = ["Gold Trust", "GLD", "SP500", "SPY", "OIL", "HID"];
        assert!(!tells.iter().any(|word| shown.contains(word)), "{shown}");
    }
    assert!(mask.universe().options()[0].is_cash());
    let reference = &mask.universe().reference().id;
    assert_eq!(*reference, mask.masked(&OptionId::parse("SP500").unwrap()));
}

#[test]
fn the_table_names_masks_in_both_of_its_first_columns() {
    let mask = mask(&universe());
    let table =
        "Against SPY.\n\n| option_id | symbol | a |\n| --- | --- | --- |\n| GOLD | GLD | 1.00% |";
    let gold = mask.masked(&OptionId::parse("GOLD").unwrap());
    let reference = mask.masked(&OptionId::parse("SP500").unwrap());
    assert_eq!(
        mask.table(table),
        format!(
            "Against {reference}.\n\n| option_id | symbol | a |\n| --- | --- | --- |\n\
             | {gold} | {gold} | 1.00% |"
        )
    );
}

#[test]
fn holdings_come_back_under_the_ids_of_the_round() {
    let universe = universe();
    let mask = mask(&universe);
    for own in universe.options() {
        let held = Decision::SinglePick(mask.masked(&own.id)).holdings();
        assert_eq!(mask.unmask(&held)[0].option_id, own.id);
    }
    let unknown = Decision::SinglePick(OptionId::parse("GOLD").unwrap()).holdings();
    assert_eq!(
        mask.unmask(&unknown),
        [],
        "a name that was not shown is no answer"
    );
}

#[test]
fn masking_what_is_masked_keeps_the_masks() {
    let universe = universe();
    let once = mask(&universe);
    let twice = mask(once.universe());
    let ids = |universe: &Universe| -> Vec<OptionId> {
        let options = universe.options().iter();
        options.map(|option| option.id.clone()).collect()
    };
    assert_eq!(ids(once.universe()), ids(twice.universe()));
}

#[test]
fn lanes_are_read_as_they_are_written() {
    let lanes = Lanes::parse("order,masked:3+2").unwrap();
    assert_eq!(
        (lanes.text().as_str(), lanes.calls()),
        ("order,masked:3+2", 6)
    );
    assert_eq!(lanes.asked(), [Lane::Base, Lane::Order, Lane::Masked]);
    assert_eq!(Lanes::parse("no_table").unwrap().text(), "no_table:2+2");
    assert_eq!(lanes.replicates(Lane::NoTable), None);
    for (text, problem) in [
        ("sideways", "\"sideways\" is no lane"),
        ("base", "asks nothing"),
        ("order,order", "names a lane twice"),
        ("order:1+2", "base must be 2 to 5"),
        ("order:2+6", "twin must be 1 to 5"),
        ("order:2", "is no pair of numbers"),
    ] {
        let error = Lanes::parse(text).unwrap_err();
        assert!(error.contains(problem), "{text}: {error}");
    }
}
