//! What the same stake in every round would have gained, among chains of random portfolios.

use capitalbench_core::publication::boards::comparison_set::ComparisonSet;
use capitalbench_core::publication::boards::stakes::{Stakes, stakes};
use jiff::civil::Date;

use crate::charts::{Line, LineChart, Look, Steps, Stroke};
use crate::figures::{count, gained};
use crate::page::Page;
use crate::pages::view::View;
use crate::table::{Table, head, number};

/// Fewer rounds than this are no line.
const FEWEST_ROUNDS: usize = 3;

pub(super) fn section(view: &View<'_>, page: &mut Page, set: &ComparisonSet) {
    let Some(found) = stakes(view.publication, set) else {
        return;
    };
    page.body.section("stake", "10,000 in every round");
    let currency = view.publication.currency();
    page.body.say(&format!(
        "Gains of 10,000{} put anew into each of {} that do not overlap. They are added up and never compounded; nobody traded them, and costs are left out.",
        currency.map_or(String::new(), |own| format!(" {own}")),
        count(found.rounds.len(), "round", "rounds"),
    ));
    let others = match set.included.len() - found.rounds.len() {
        0 => None,
        1 => Some("The other round of the set overlaps with these and is".to_owned()),
        more => Some(format!(
            "The other {more} rounds of the set overlap with these and are"
        )),
    };
    if let Some(others) = others {
        page.body.say(&format!(
            "{others} not in the sums, so a sum and a gap above may have different signs: the gap counts every round."
        ));
    }
    let table = table(view, page, &found);
    if found.rounds.len() < FEWEST_ROUNDS {
        page.body.table(&table);
        return;
    }
    if found.random.is_some() {
        page.body.say("A line outside the fan is no proof of skill: these are few rounds, and what the record may claim stands below.");
    }
    let caption = if found.random.is_some() {
        "Gains so far; the shaded fan is where chains of random portfolios stand, half of them inside the darker part and nine of ten inside both"
    } else {
        "Gains so far"
    };
    let chart = chart(view, &found).draw_over(found.random.as_deref().unwrap_or_default());
    page.body.figure(caption, &chart, &table);
}

fn table(view: &View<'_>, page: &Page, found: &Stakes) -> Table {
    let mut table = Table::new("Gains of 10,000 in every round", "Model | #Gain").fixed();
    let gain = |value: f64| number(&gained(value), Some(value));
    let last = |path: &[f64]| path.last().copied();
    for (id, path) in &found.models {
        let Some(value) = last(path) else { continue };
        table.row(vec![head(view.model_link(&page.here, id)), gain(value)]);
    }
    let reference = view.reference.to_string();
    let chains = found.random.as_ref().and_then(|fan| fan.last());
    let chain = |place: usize| chains.map(|lines| lines[place]);
    for (class, name, value) in [
        ("apart first", reference.as_str(), last(&found.reference)),
        ("apart", "Cash", last(&found.cash)),
        ("apart", "Random, 5 % are lower", chain(0)),
        ("apart", "Random, middle", chain(2)),
        ("apart", "Random, 5 % are higher", chain(4)),
    ] {
        let Some(value) = value else { continue };
        table.row(vec![head(name), gain(value)]).class = class;
    }
    table.class("narrow")
}

fn chart(view: &View<'_>, found: &Stakes) -> LineChart {
    let points = |path: &[f64]| -> Vec<(Date, f64)> {
        let days = found.rounds.iter().map(|round| round.1);
        let begin = std::iter::once((found.begun, 0.0));
        begin.chain(days.zip(path.iter().copied())).collect()
    };
    let line =
        |label: &str, look: (Stroke, Look), path: &[f64]| Line::plain(label, look, points(path));
    let models = found.models.iter();
    let mut lines: Vec<Line> = models
        .map(|(id, path)| line(view.name(id), (Stroke::Solid, view.look(id)), path))
        .collect();
    let reference = (Stroke::Reference, Look::OTHER);
    lines.push(line(
        &view.reference.to_string(),
        reference,
        &found.reference,
    ));
    lines.push(line("Cash", (Stroke::Dotted, Look::OTHER), &found.cash));
    LineChart {
        title: "Gains of the same stake in every round that does not overlap another".to_owned(),
        steps: Steps::Rounds,
        ends: None,
        lines,
        written: gained,
    }
}
