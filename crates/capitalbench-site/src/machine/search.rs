//! The index that the search of the pages downloads when a reader opens it.

use serde_json::{Value, json};

use crate::Files;
use crate::pages::view::{View, model_path, option_path, round_path, set_path};
use crate::title::title;

/// Rounds of the index, the newest; it is to stay small.
const MOST_ROUNDS: usize = 1_000;

pub(super) fn render(view: &View<'_>, files: &mut Files) {
    let publication = view.publication;
    let models = view.models.iter();
    let models = models.map(|id| json!([view.name(id), model_path(id), "model"]));
    let rounds = publication.rounds.iter().rev().take(MOST_ROUNDS);
    let rounds = rounds.map(|round| {
        let words = format!("{} · {}", title(round), round.id());
        json!([words, round_path(round.id()), "round"])
    });
    let options = view.options.values();
    let options = options.map(|option| {
        let words = format!("{} · {}", option.name, option.display_symbol());
        json!([words, option_path(&option.id), "asset"])
    });
    let sets = publication.comparison_sets.iter();
    let sets = sets.filter(|set| !set.rows.is_empty()).map(|set| {
        let definition = &set.definition;
        json!([definition.label, set_path(&definition.set_id), "set"])
    });
    let whole: Vec<Value> = models.chain(options).chain(sets).chain(rounds).collect();
    files.insert(
        "search.json".to_owned(),
        format!("{}\n", Value::from(whole)).into(),
    );
}
