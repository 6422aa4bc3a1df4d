//! Options down, models across: who held what, and what each holding added.

use std::collections::BTreeMap;

use capitalbench_core::decision::portfolio::Holding;
use capitalbench_core::decision::submission::Submission;
use capitalbench_core::publication::{PublicRound, ResolvedRound};
use capitalbench_core::result::score::contribution;
use capitalbench_core::values::ids::{ModelId, OptionId};

use super::super::view::View;
use crate::figures::signed_percent;
use crate::page::Page;
use crate::table::{Table, bar, gap, head, maybe, part, text};

/// Rows of a matrix; a page stays below its budget of nodes.
const MOST_CELLS: usize = 1_600;

/// What a cell of a matrix shows.
type Values = BTreeMap<OptionId, BTreeMap<ModelId, f64>>;

/// The matrix of weights, in order of the models' names.
pub(super) fn holdings(view: &View<'_>, page: &mut Page, round: &PublicRound) {
    page.body.section("holdings", "Who held what");
    let submissions = view.by_name(round.submissions());
    let values = summed(&submissions, |holding| Some(holding.weight.weight()));
    let order = by_total(&values);
    let most = MOST_CELLS / submissions.len().max(1);
    let mut table = frame(view, "Weights of each portfolio", &submissions);
    for id in order.iter().take(most) {
        let own = &values[id];
        let mut cells = vec![head(view.option_link(&page.here, id))];
        let weights = submissions.iter().map(|s| own.get(&s.model_id).copied());
        cells.extend(weights.map(bar));
        table.row(cells);
    }
    let mut cells = vec![head("Stated confidence")];
    cells.extend(submissions.iter().map(|s| part(s.confidence)));
    table.row(cells).class = "apart first";
    page.body.table(&table);
    page.body.cut("Options", most.min(order.len()), order.len());
}

pub(super) fn contributions(
    view: &View<'_>,
    page: &mut Page,
    round: &PublicRound,
    resolved: &ResolvedRound,
) {
    let submissions = view.by_name(round.submissions());
    let values = summed(&submissions, |holding| {
        let option = resolved.returns.get(&holding.option_id)?;
        Some(contribution(holding, option.value))
    });
    let mut table = frame(
        view,
        "Contribution of each holding, in percentage points",
        &submissions,
    );
    table.add_numbers("Option's return");
    let order = by_total(&values);
    let most = MOST_CELLS / (submissions.len() + 1);
    for id in order.iter().take(most) {
        let own = &values[id];
        let mut cells = vec![head(view.option_name(id))];
        let value = |s: &&Submission| match own.get(&s.model_id) {
            Some(added) => gap(*added),
            None => text(""),
        };
        cells.extend(submissions.iter().map(value));
        let option = resolved.returns.get(id).map(|option| option.value.get());
        cells.push(maybe(option, signed_percent));
        table.row(cells);
    }
    page.body
        .fold("Show the contributions, option by option", &table);
    page.body.cut("Options", most.min(order.len()), order.len());
}

/// What each option adds to each model; a model may hold an option more than once.
fn summed(submissions: &[&Submission], value: impl Fn(&Holding) -> Option<f64>) -> Values {
    let mut values = Values::new();
    for submission in submissions {
        for holding in submission.decision.holdings() {
            if let Some(value) = value(&holding) {
                let row = values.entry(holding.option_id).or_default();
                *row.entry(submission.model_id.clone()).or_default() += value;
            }
        }
    }
    values
}

/// Options by summed value, the largest first.
fn by_total(values: &Values) -> Vec<&OptionId> {
    let mut order: Vec<(&OptionId, f64)> = values
        .iter()
        .map(|(id, row)| (id, row.values().sum()))
        .collect();
    order.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(b.0)));
    order.into_iter().map(|(id, _)| id).collect()
}

fn frame(view: &View<'_>, caption: &str, submissions: &[&Submission]) -> Table {
    let mut table = Table::new(caption, "Option").class("matrix");
    for submission in submissions {
        table.add_model(view.model_label(&submission.model_id));
    }
    table
}
