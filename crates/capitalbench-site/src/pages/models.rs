//! All models, and what a decision costs against what it scores.

use std::collections::BTreeSet;

use capitalbench_core::publication::boards::cumulative::CumulativeRow;
use capitalbench_core::round::manifest::Track;

use super::boards::record_cells;
use super::filter::{Filter, plain};
use super::moved;
use super::view::{View, horizon, track_name};
use crate::charts::{Point, Scatter};
use crate::figures::{self, decimal, dollars, points, share};
use crate::html::Html;
use crate::page::Page;
use crate::table::{self, Table, head, maybe, number, text};

pub(crate) fn page(view: &View<'_>) -> Page {
    let mut page = Page::new(
        "models/",
        "Models",
        "Every model with its record, habits and cost.",
    );
    let mut line =
        Html::text("Records cover the rounds each model took part in, so rows are not a ranking. ");
    let compare = "Compare two to four models on shared rounds";
    line.add(&page.here.link("compare/", compare));
    if !view.publication.statistics.sensitivity.is_empty() {
        line.push_text("; ");
        line.add(&page.here.link(moved::PATH, "what moves them"));
    }
    page.body.paragraph("", line);
    for track in view.tracks() {
        section(view, &mut page, track);
    }
    page
}

fn section(view: &View<'_>, page: &mut Page, track: Track) {
    let name = track_name(Some(track));
    page.body.section(track.as_str(), name);
    let Some(boards) = view.boards(track) else {
        return;
    };
    let mut rows: Vec<&CumulativeRow> = boards.cumulative.iter().collect();
    rows.sort_by_cached_key(|row| view.name(&row.model_id).to_lowercase());
    let providers: BTreeSet<&str> = rows.iter().map(|row| row.provider.as_str()).collect();
    let id = format!("models-{}", track.as_str());
    let form = Filter::of(&id)
        .choice("provider", "provider", &plain(providers))
        .choice("activity", "activity", &plain(["active", "retired"]))
        .words();
    let table = records(view, page, track, &rows).named(&id);
    page.body.add(&form.html()).table(&table);
    cost(view, page, &rows);
}

fn records(view: &View<'_>, page: &Page, track: Track, rows: &[&CumulativeRow]) -> Table {
    let mut table = Table::new(
        &format!("{} records, in order of name", track_name(Some(track))),
        &format!(
            "Model | #Score | #Gap / {0}, points | #95 % interval | #Rounds | #Windows | #Mean return | #Above {1} | #Risk-taking | #Turnover | #Cost / decision | Provider | Activity",
            horizon(track),
            view.reference
        ),
    )
    .class("dense");
    let behaviour = view
        .boards(track)
        .map_or(&[][..], |boards| &boards.behaviour);
    for row in rows {
        let own = view.record(track, &row.model_id);
        let habits = behaviour.iter().find(|b| b.model_id == row.model_id);
        let activity = view.activity(&row.model_id);
        let link = view.model_link(&page.here, &row.model_id);
        let mut cells = vec![head(link)];
        cells.extend(record_cells(row, own));
        cells.extend([
            maybe(habits.map(|h| h.average_risk_taking), |v| decimal(v, 0)),
            maybe(habits.and_then(|h| h.average_turnover), share),
            number(&figures::cost(row.average_cost_usd), row.average_cost_usd),
            text(&row.provider),
            text(activity),
        ]);
        table.row(cells).marks = vec![
            ("provider", row.provider.as_str().into()),
            ("activity", activity.into()),
        ];
    }
    table
}

fn cost(view: &View<'_>, page: &mut Page, rows: &[&CumulativeRow]) {
    let mut table = Table::new("Cost and score", "Model | #Cost / decision | #Score").fixed();
    let mut drawn = Vec::new();
    for row in rows {
        let (Some(cost), Some(value)) = (row.average_cost_usd, points(row.score)) else {
            continue;
        };
        let name = view.name(&row.model_id);
        table.row(vec![
            head(view.model_label(&row.model_id)),
            number(&dollars(cost), Some(cost)),
            table::decimal(value, 1),
        ]);
        drawn.push(Point {
            label: name.to_owned(),
            look: view.look(&row.model_id),
            x: cost,
            y: value,
        });
    }
    if drawn.is_empty() {
        page.body.say(
            "No cost is known for these decisions, so there is no chart of cost against score.",
        );
        return;
    }
    let chart = Scatter {
        title: "Cost per decision against score".to_owned(),
        points: drawn,
        reference: None,
    };
    page.body.figure(
        "Cost per decision against score; models without a known cost are left out",
        &chart.draw(),
        &table,
    );
}
