//! Under v1.2 each round has one order of the options, drawn from its frozen inputs.

use capitalbench_core::asking::option_order::listed;
use capitalbench_core::values::ids::Digest;
use serde_json::Value;

use crate::harness::Test;
use crate::reply_order::{PLAYED, played, say};

const AFTER: &str = "2026-09-25T12:00:00Z";
const TABLE: &str = "market_data/universe_trailing_returns.md";

fn errors(test: &Test) -> Vec<String> {
    let report = test
        .run(&["verify", PLAYED, "--json", "--now", AFTER])
        .json();
    let findings = report["rounds"][0]["findings"]
        .as_array()
        .expect("findings");
    let errors = findings.iter().filter(|own| own["severity"] == "error");
    errors
        .map(|own| format!("{} {}", own["code"], own["where"]).replace('"', ""))
        .collect()
}

/// Ids in the first column of a Markdown table.
fn rows(text: &str) -> Vec<&str> {
    let lines = text.lines().filter_map(|line| line.strip_prefix("| "));
    let cells = lines.filter_map(|line| line.split(" |").next());
    cells
        .filter(|cell| !["option_id", "---"].contains(cell))
        .collect()
}

#[test]
fn list_and_table_have_the_order_that_was_drawn_from_the_frozen_inputs() {
    let test = played("portfolio", 4);
    let input = test.read("model_input.md");
    let order = listed(&input);
    assert!(order.len() > 20);
    assert_eq!(rows(&input), order, "the table follows the list");
    let (file, options) = (test.read(TABLE), test.read("options.yaml"));
    assert_ne!(
        rows(&file),
        order,
        "the frozen table keeps the order of the universe"
    );
    let places = order.iter().map(|id| options.find(&format!("id: {id}\n")));
    assert!(!places.collect::<Vec<_>>().is_sorted());

    // Anybody draws it again: the digest of all other frozen files, named and in their order.
    let hashes: Value = serde_json::from_str(&test.read("hashes.json")).expect("JSON");
    let files = hashes["files"].as_object().expect("files").iter();
    let lines = files.filter(|(file, _)| *file != "model_input.md");
    let lines = lines.map(|(file, digest)| format!("{file} {}\n", digest.as_str().expect("text")));
    let seed = Digest::of(lines.collect::<String>().as_bytes());
    assert!(
        input.contains(&format!("(order-v1, seed {seed})")),
        "{input}"
    );
    assert_eq!(errors(&test), [""; 0]);

    // Another briefing is another lot.
    let other = played("portfolio", 3).replace("prompt.md", "You answer once.", "You answer.");
    say(
        &other,
        "hash-round --round rounds/TRIAL-1W --now 2026-09-14T11:30:00Z",
    )
    .code(0);
    assert_ne!(listed(&other.read("model_input.md")), order);
}

#[test]
fn verify_names_a_text_with_another_order_than_the_drawn_one() {
    let test = played("portfolio", 4);
    let input = test.read("model_input.md");
    let order = listed(&input);
    let (first, second) = (format!("ID: {}\n", order[0]), format!("ID: {}\n", order[1]));
    let swapped = input
        .replace(&first, "ID: \n")
        .replace(&second, &first)
        .replace("ID: \n", &second);
    assert_ne!(swapped, input);
    // An operator with the key can give the changed text its digest.
    let digest = |text: &str| Digest::of(text.as_bytes()).to_hex();
    let test = test.write("model_input.md", &swapped).replace(
        "hashes.json",
        &digest(&input),
        &digest(&swapped),
    );
    assert_eq!(errors(&test), ["option-order-differs model_input.md"]);
}

#[test]
fn rounds_of_earlier_labels_keep_the_order_of_the_universe() {
    let test = Test::weekly();
    let input = test.read("model_input.md");
    let options = test.read("options.yaml");
    let order = listed(&input);
    let places: Vec<Option<usize>> = order
        .iter()
        .map(|id| options.find(&format!("id: {id}\n")))
        .collect();
    assert!(places.len() > 2 && places.iter().all(Option::is_some) && places.is_sorted());
    assert!(!input.contains("order-v1"));
}
