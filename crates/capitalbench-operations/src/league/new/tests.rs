use std::collections::BTreeSet;

use capitalbench_archive::format::round::models::{self, ModelSettings};
use capitalbench_core::values::ids::RoundId;
use jiff::Timestamp;

use super::*;
use crate::asking::price_card::PriceBook;
use crate::asking::providers::check_model;

fn settings(text: &str) -> Vec<ModelSettings> {
    models::parse_settings(text.as_bytes()).expect("a models file")
}

/// The models file with every example switched on.
fn every_entry() -> String {
    let line = |line: &str| {
        line.strip_prefix("# - ")
            .map_or_else(|| line.to_owned(), |rest| format!("- {rest}"))
    };
    MODELS.lines().map(line).collect::<Vec<_>>().join("\n")
}

#[test]
fn a_new_league_is_whole_and_reads_back() {
    let place = tempfile::tempdir().expect("a folder");
    let folder = place.path().join("house-league");
    let made = new_league(&folder).expect("a league");
    // Its source is a vendor whose closes are not its own to publish.
    let expected = League {
        publish: PublishedPrices::Returns,
        ..League::named("house-league")
    };
    assert_eq!(made.league.league, expected);
    for file in &made.files {
        assert!(folder.join(file).is_file(), "{file}");
    }
}

#[test]
fn a_used_folder_is_refused_and_stays_as_it_is() {
    let place = tempfile::tempdir().expect("a folder");
    let folder = place.path();
    file_ops::replace(&folder.join("notes.txt"), b"mine").expect("a file");
    let error = new_league(folder).expect_err("a used folder");
    assert!(
        error.message.ends_with("is not empty: it holds notes.txt"),
        "{error}"
    );
    let left: Vec<_> = std::fs::read_dir(folder).expect("the folder").collect();
    assert_eq!(left.len(), 1);
    let error = new_league(&folder.join("notes.txt")).expect_err("a file");
    assert!(error.message.ends_with("is not a folder"), "{error}");
    let league = folder.join("league");
    new_league(&league).expect("a league");
    let error = new_league(&league).expect_err("a league twice");
    assert!(error.message.ends_with("is a league already"), "{error}");
}

#[test]
fn an_empty_repository_becomes_a_league() {
    let place = tempfile::tempdir().expect("a folder");
    file_ops::create_folder(&place.path().join(".git")).expect("a repository");
    new_league(place.path()).expect("a league");
}

#[test]
fn a_rehearsal_has_models_and_every_one_of_them_has_a_price() {
    let models = settings(MODELS);
    assert!((5..=8).contains(&models.len()), "{} models", models.len());
    let at: Timestamp = "2026-12-07T14:00:00Z".parse().expect("an instant");
    let round = RoundId::parse("A-2026-12-07-1W").expect("an id");
    let book = PriceBook::open(None, Some(at)).expect("a card");
    for model in models {
        let contestant = &model.contestant;
        assert!(contestant.is_active(&round, at));
        check_model(&model).expect("a model that can be asked");
        let asked = [(&contestant.provider, &contestant.api_model_name)];
        let (prices, _) = book.prices(asked, "text");
        assert_eq!(prices.len(), 1, "{} has no price", contestant.model_id);
    }
}

#[test]
fn every_service_has_an_entry_that_can_be_used() {
    let models = settings(&every_entry());
    for model in &models {
        check_model(model).unwrap_or_else(|error| panic!("{error}"));
    }
    let shown: BTreeSet<&str> = models
        .iter()
        .map(|m| m.contestant.provider.as_str())
        .collect();
    let known: BTreeSet<&str> = PROVIDERS.iter().map(|(name, ..)| *name).collect();
    assert_eq!(shown, known);
}

#[test]
fn the_variables_and_the_workflow_name_the_keys_of_the_models() {
    let (variables, workflow) = (variables(), workflow());
    assert_eq!(used_keys().len(), settings(MODELS).len());
    for key in used_keys() {
        assert!(variables.contains(&format!("\n{key}=\n")), "{key}");
        let secret = format!("\n          {key}: ${{{{ secrets.{key} }}}}\n");
        assert!(workflow.contains(&secret), "{key}");
    }
    for (_, key, _) in &PROVIDERS {
        assert!(key.is_none_or(|key| variables.contains(&format!("{key}="))));
    }
}
