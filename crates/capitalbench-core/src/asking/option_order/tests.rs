use super::*;
use crate::test_support::option;

fn universe() -> Universe {
    let mut hidden = option("HIDDEN", "HID");
    hidden.listing = Listing::Hidden;
    let names = ["CASH", "SP500", "GOLD", "OIL", "BONDS"];
    let mut options: Vec<MarketOption> = names.iter().map(|name| option(name, name)).collect();
    options.push(hidden);
    Universe::new(options).unwrap()
}

#[test]
fn every_shown_option_has_each_place_equally_often() {
    let universe = universe();
    let mut counts = BTreeMap::new();
    for round in 0..5_000_u32 {
        let order = OptionOrder::draw(Digest::of(&round.to_le_bytes()), &universe);
        assert_eq!(order.ids().len(), 5, "a hidden option has no place");
        for id in order.ids() {
            let place = order.position(id.as_str()).unwrap();
            *counts.entry((id.clone(), place)).or_insert(0_u32) += 1;
        }
    }
    // 1,000 are expected in each of 25 cells, give or take 28.
    assert_eq!(counts.len(), 25);
    assert!(counts.values().all(|count| count.abs_diff(1_000) < 120));
}

#[test]
fn the_seed_is_that_of_every_other_frozen_file() {
    let mut files = BTreeMap::from([("manifest.yaml".to_owned(), Digest::of(b"rules"))]);
    let seed = order_seed(&files);
    files.insert(MODEL_INPUT.to_owned(), Digest::of(b"text"));
    assert_eq!(order_seed(&files), seed);
    files.insert("briefing.md".to_owned(), Digest::of(b"facts"));
    assert_ne!(order_seed(&files), seed);
}

#[test]
fn rows_of_a_table_follow_the_order_and_other_lines_stay() {
    let universe = universe();
    let order = OptionOrder::draw(Digest::of(b"x"), &universe);
    let table = "Notes.\n\n| option_id | a |\n| --- | --- |\n| CASH | 1 |\n| GOLD | 2 |\n| OIL | 3 |\n\nEnd";
    let sorted = order.rows(table);
    let cells = sorted.lines().filter_map(first_cell);
    let rows: Vec<&str> = cells.filter(|id| order.position(id).is_some()).collect();
    let expected: Vec<&str> = order
        .ids()
        .iter()
        .map(OptionId::as_str)
        .filter(|id| ["CASH", "GOLD", "OIL"].contains(id))
        .collect();
    assert_eq!(rows, expected);
    assert!(sorted.starts_with("Notes.\n\n| option_id | a |\n| --- | --- |\n| "));
    assert!(sorted.ends_with(" |\n\nEnd"));
}

#[test]
fn an_order_under_another_label_is_another_lot() {
    let universe = universe();
    let same = |round: u32| {
        let seed = Digest::of(&round.to_le_bytes());
        OptionOrder::draw(seed, &universe).ids()
            == OptionOrder::draw_as(seed, "order-v1 twin", &universe).ids()
    };
    let count = (0..1_200).filter(|round| same(*round)).count();
    // One of 120 orders: 10 are expected.
    assert!((1..30).contains(&count), "{count}");
}
