//! The table of a comparison set, the same on the home page and on the set's own.

use capitalbench_core::evidence::statistics::{SetModel, SetStatistics};
use capitalbench_core::publication::boards::comparison_set::{ComparisonSet, MarketRow, SetRow};
use capitalbench_core::result::score::Score;

use super::view::{View, horizon};
use crate::charts::{Whisker, WhiskerScale};
use crate::figures::{NONE, decimal, interval, no_interval, points, score, share};
use crate::html::Html;
use crate::page::Here;
use crate::table::{Cell, Table, gap, head, markup, maybe, number, percent, text};

/// Rows of a set with their intervals.
pub(crate) fn whiskers(
    view: &View<'_>,
    set: &ComparisonSet,
    statistics: Option<&SetStatistics>,
) -> Vec<Whisker> {
    let row = |(place, row): (usize, &SetRow)| {
        let range = statistics.and_then(|s| s.models.get(place)?.model.score.ok());
        Some(Whisker {
            label: view.name(&row.model_id).to_owned(),
            value: points(row.score)?,
            range,
            apart: false,
        })
    };
    set.rows.iter().enumerate().filter_map(row).collect()
}

/// The ranks that a row may truly hold.
fn rank_range(places: Option<(usize, usize)>) -> String {
    match places {
        Some((from, to)) if from == to => from.to_string(),
        Some((from, to)) => format!("{from}–{to}"),
        None => NONE.to_owned(),
    }
}

/// The table of a set.
pub(crate) fn table(
    view: &View<'_>,
    here: &Here,
    set: &ComparisonSet,
    statistics: Option<&SetStatistics>,
) -> Table {
    let (mut table, scale) = models(view, here, set, statistics);
    apart(&mut table, set, &scale);
    for control in set.market.iter().flat_map(|market| &market.controls) {
        let row = (
            control.score,
            control.average_return,
            Some(control.average_alpha),
        );
        add(
            &mut table,
            &scale,
            ("apart control", view.name(&control.model_id)),
            row,
        );
    }
    table
}

/// The table of a set without its controls, which stand in one line below it.
pub(crate) fn short_table(
    view: &View<'_>,
    here: &Here,
    set: &ComparisonSet,
    statistics: Option<&SetStatistics>,
) -> Table {
    let (mut table, scale) = models(view, here, set, statistics);
    apart(&mut table, set, &scale);
    table
}

/// Scores of the controls in one line; none where there are none.
pub(crate) fn control_line(view: &View<'_>, set: &ComparisonSet) -> Option<String> {
    let controls = &set.market.as_ref()?.controls;
    let one = |control: &SetRow| {
        let name = view.name(&control.model_id);
        let name = name.strip_prefix("control-").unwrap_or(name);
        format!("{name} {}", score(control.score))
    };
    let each: Vec<String> = controls.iter().map(one).collect();
    (!each.is_empty()).then(|| format!("Controls by rule, score: {}", each.join(" · ")))
}

fn models(
    view: &View<'_>,
    here: &Here,
    set: &ComparisonSet,
    statistics: Option<&SetStatistics>,
) -> (Table, WhiskerScale) {
    let mut table = frame(set);
    let rows = whiskers(view, set, statistics);
    let reference = set
        .market
        .as_ref()
        .and_then(|market| points(market.reference.score));
    let scale = WhiskerScale::over(&rows, reference);
    for (place, row) in set.rows.iter().enumerate() {
        let model = statistics.and_then(|s| s.models.get(place));
        let places = statistics.and_then(|s| s.places(place));
        let drawn = rows
            .iter()
            .find(|whisker| whisker.label == view.name(&row.model_id));
        table.row(vec![
            number(&rank_range(places), places.map(|(from, _)| whole(from))),
            head(view.model_link(here, &row.model_id)),
            number(&score(row.score), points(row.score)),
            whisker_cell(&scale, drawn, model),
            percent(row.average_return),
            gap(row.average_alpha),
            maybe(
                model.and_then(|m| m.model.luck).map(|l| l.mean_percentile),
                share,
            ),
            rounds_cell(set, model),
        ]);
    }
    (table, scale)
}

fn frame(set: &ComparisonSet) -> Table {
    let track = set.definition.track;
    let per = format!("#Return / {}", horizon(track));
    let columns = [
        "#Rank",
        "Model",
        "#Score",
        "95 % interval",
        &per,
        "#vs S&P 500",
        "#Random",
        "#Rounds",
    ];
    let caption = format!(
        "{} comparison set: {}",
        super::view::track_name(Some(track)),
        set.definition.label
    );
    Table::new(&caption, &columns)
        .class("board")
        .hint(0, "Ranks that 95 % of resampled histories allow; all places of a tie where too little is known")
        .hint(
            2,
            "Summed returns over summed returns of the best option, times 100",
        )
        .hint(
            6,
            "Mean share of random admissible portfolios below the model's",
        )
        .hint(7, "Shared rounds, and the separate windows they are worth")
}

#[expect(clippy::cast_precision_loss, reason = "ranks are small")]
fn whole(number: usize) -> f64 {
    number as f64
}

fn rounds_cell(set: &ComparisonSet, model: Option<&SetModel>) -> Cell {
    let shown = match model {
        Some(model) => format!(
            "{} ≈ {}",
            set.included.len(),
            decimal(model.model.effective_windows, 1)
        ),
        None => set.included.len().to_string(),
    };
    number(&shown, Some(whole(set.included.len())))
}

fn whisker_cell(scale: &WhiskerScale, row: Option<&Whisker>, model: Option<&SetModel>) -> Cell {
    let Some(row) = row else {
        return text(NONE);
    };
    let mut html = scale.cell(row);
    let words = match (row.range, model.map(|m| m.model.score)) {
        (Some((low, high)), _) => interval(low, high, 1),
        (None, Some(Err(reason))) => no_interval(reason).to_owned(),
        (None, _) => String::new(),
    };
    html.add(&Html::wrap("span", "range", &Html::text(&words)));
    Cell {
        class: "whiskers".to_owned(),
        ..markup(html)
    }
}

/// What models are held against, below a heavier line.
fn apart(table: &mut Table, set: &ComparisonSet, scale: &WhiskerScale) {
    let Some(market) = &set.market else {
        return;
    };
    let of = |row: &MarketRow| (row.score, row.average_return, None);
    add(
        table,
        scale,
        ("apart first", "S&P 500"),
        of(&market.reference),
    );
    if let Some(average) = market.oracle_average {
        let best = (Score::Points(100.0), average, None);
        add(table, scale, ("apart", "Best option"), best);
    }
    add(table, scale, ("apart", "Cash"), of(&market.cash));
}

fn add(
    table: &mut Table,
    scale: &WhiskerScale,
    (class, name): (&'static str, &str),
    (points_of, average, alpha): (Score, f64, Option<f64>),
) {
    let dot = points(points_of).filter(|value| *value < 100.0);
    let dot = dot.map(|value| Whisker {
        label: name.to_owned(),
        value,
        range: None,
        apart: true,
    });
    let drawn = dot.map_or_else(Html::default, |dot| scale.cell(&dot));
    let gap = alpha.map_or_else(|| text(""), gap);
    let added = table.row(vec![
        text(""),
        head(Html::text(name)),
        number(&score(points_of), points(points_of)),
        markup(drawn),
        percent(average),
        gap,
        text(""),
        text(""),
    ]);
    added.class = class;
}
