//! `docs/models.md`: every example is a models file that a round accepts, and nothing is left out.

use std::fs;
use std::path::Path;

use capitalbench_archive::format::round::models::{field_names, parse_settings};
use capitalbench_operations::asking::providers::{PROVIDERS, base_url};

use crate::harness::Test;

fn page() -> String {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/models.md");
    fs::read_to_string(file).expect("the page")
}

/// The YAML examples of the page.
fn examples(page: &str) -> Vec<String> {
    let blocks = page.split("```yaml\n").skip(1);
    let inner = blocks.map(|block| block.split("```").next().unwrap_or_default());
    inner.map(str::to_owned).collect()
}

#[test]
fn every_example_is_accepted() {
    let examples = examples(&page());
    let (files, fields): (Vec<&String>, Vec<&String>) = examples
        .iter()
        .partition(|example| example.starts_with("models:\n"));
    assert!(files.len() >= 2 && fields.len() >= 4, "{examples:?}");
    for (number, file) in files.into_iter().enumerate() {
        let test = Test::operator("rounds/R");
        fs::write(test.path("models.yaml"), file).expect("a written file");
        let id = format!("R-{number}");
        let init = format!(
            "init-round --round-id {id} --now 2026-12-06T10:00:00Z --universe options.yaml \
             --models models.yaml --decision-deadline 2026-12-07T14:25:00Z"
        );
        let init: Vec<&str> = init.split_whitespace().collect();
        test.run(&init).code(0);
    }
    for lines in fields {
        let head = "models:\n- model_id: m\n  provider: anthropic\n  api_model_name: m\n";
        let lines = format!("  {}\n", lines.trim_end().replace('\n', "\n  "));
        let read = parse_settings(format!("{head}{lines}").as_bytes());
        assert!(read.is_ok(), "{lines}: {read:?}");
    }
}

#[test]
fn the_first_example_has_eight_models_of_eight_services() {
    let first = examples(&page()).remove(0);
    let models = parse_settings(first.as_bytes()).expect("a good file");
    let mut services: Vec<&str> = models.iter().map(|m| &*m.contestant.provider).collect();
    services.sort_unstable();
    services.dedup();
    assert_eq!((models.len(), services.len()), (8, 8));
}

#[test]
fn every_field_and_every_service_is_on_the_page() {
    let page = page();
    for name in field_names() {
        assert!(page.contains(&format!("`{name}`")), "{name} is missing");
    }
    for (name, key, _) in &PROVIDERS {
        let row = page
            .lines()
            .find(|line| line.starts_with(&format!("| `{name}` |")));
        let row = row.unwrap_or_else(|| panic!("{name} is missing"));
        let key = key.map_or("none".to_owned(), |key| format!("`{key}`"));
        assert!(row.contains(&format!("| {key} |")), "{row}");
        let model = format!("models:\n- {{model_id: m, provider: {name}, api_model_name: m}}\n");
        let models = parse_settings(model.as_bytes()).expect("a good file");
        match base_url(&models[0]) {
            Some(address) => assert!(row.contains(&format!("`{address}`")), "{row}"),
            None => assert!(row.contains("required"), "{row}"),
        }
    }
}
