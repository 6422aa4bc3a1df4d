//! The table of a comparison set, for the home page and for the page of the set.

use capitalbench_core::evidence::statistics::SetModel;
use capitalbench_core::publication::boards::comparison_set::{ComparisonSet, MarketRow, SetRow};
use capitalbench_core::result::score::Score;

use super::view::{View, horizon};
use crate::charts::{Whisker, WhiskerScale};
use crate::figures::{NONE, interval, no_interval, points, rank_range, score, share, worth};
use crate::html::Html;
use crate::page::Here;
use crate::table::{Cell, Table, gap, head, markup, maybe, number, percent, scored, text};

/// Rows of a set with their intervals.
pub(crate) fn whiskers(view: &View<'_>, set: &ComparisonSet) -> Vec<Whisker> {
    let statistics = view.statistics(set);
    let row = |(place, row): (usize, &SetRow)| {
        let model = statistics.and_then(|s| Some(&s.models.get(place)?.model));
        Some(Whisker {
            label: view.name(&row.model_id).to_owned(),
            value: points(row.score)?,
            range: model.and_then(|model| model.score.ok()),
            informative: model.is_some_and(|model| model.score.is_ok()),
            look: Some(view.look(&row.model_id)),
        })
    };
    set.rows.iter().enumerate().filter_map(row).collect()
}

pub(crate) fn table(view: &View<'_>, here: &Here, set: &ComparisonSet) -> Table {
    let (mut table, scale) = models(view, here, set);
    for control in set.market.iter().flat_map(|market| &market.controls) {
        let against = Against {
            class: "apart control",
            name: view.name(&control.model_id),
            score: control.score,
            average: control.average_return,
            alpha: Some(control.average_alpha),
        };
        against.add(&mut table, &scale);
    }
    table
}

/// Rows by the ranks that the evidence leaves them, so that a board is sorted by what it ranks; the
/// order of the scores stands among equal ones.
fn in_rank_order(view: &View<'_>, set: &ComparisonSet) -> Vec<usize> {
    let statistics = view.statistics(set);
    let mut order: Vec<usize> = (0..set.rows.len()).collect();
    order.sort_by_key(|place| statistics.and_then(|found| found.places(*place)));
    order
}

/// The table of a set without its controls, which stand in one line below it.
pub(crate) fn short_table(view: &View<'_>, here: &Here, set: &ComparisonSet) -> Table {
    models(view, here, set).0
}

/// The score of the reference in the rounds of a set.
pub(crate) fn reference(set: &ComparisonSet) -> Option<f64> {
    points(set.market.as_ref()?.reference.score)
}

/// Scores of the controls in one line; `None` without controls.
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

/// The rows of models and of the market, with the scale that their whiskers share.
fn models(view: &View<'_>, here: &Here, set: &ComparisonSet) -> (Table, WhiskerScale) {
    let statistics = view.statistics(set);
    let mut table = frame(set);
    let rows = whiskers(view, set);
    let scale = WhiskerScale::over(&rows, reference(set));
    for place in in_rank_order(view, set) {
        let row = &set.rows[place];
        let model = statistics.and_then(|s| s.models.get(place));
        let luck = model.and_then(|model| model.model.luck);
        let places = statistics.and_then(|s| s.places(place));
        let drawn = rows
            .iter()
            .find(|whisker| whisker.label == view.name(&row.model_id));
        table.row(vec![
            number(&rank_range(places), places.map(|(from, _)| whole(from))),
            head(view.model_link(here, &row.model_id)),
            scored(row.score),
            gap(row.average_alpha),
            whisker_cell(&scale, drawn, model),
            percent(row.average_return),
            maybe(luck.map(|luck| luck.mean_percentile), share),
            rounds_cell(set, model),
        ]);
    }
    apart(view, &mut table, set, &scale);
    (table, scale)
}

fn frame(set: &ComparisonSet) -> Table {
    let track = set.definition.track;
    let head = format!(
        "#Rank | Model | #Score | #Gap / {0}, points | 95 % interval | #Return / {0} | #Above random | #Rounds",
        horizon(track)
    );
    let caption = format!(
        "{} comparison set: {}",
        super::view::track_name(Some(track)),
        set.definition.label
    );
    Table::new(&caption, &head).class("board")
}

#[expect(clippy::cast_precision_loss, reason = "ranks are small")]
fn whole(number: usize) -> f64 {
    number as f64
}

fn rounds_cell(set: &ComparisonSet, model: Option<&SetModel>) -> Cell {
    let windows = model.map(|model| model.model.effective_windows);
    let shown = worth(&set.included.len().to_string(), windows, "");
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
    html.add(&Html::wrap("span", "range", &words.into()));
    Cell {
        class: "whiskers".to_owned(),
        ..markup(html)
    }
}

/// The rows of the market, below a heavier line.
fn apart(view: &View<'_>, table: &mut Table, set: &ComparisonSet, scale: &WhiskerScale) {
    let Some(market) = &set.market else {
        return;
    };
    let against = |class, name, score, average| Against {
        class,
        name,
        score,
        average,
        alpha: None,
    };
    let of = |class, name, row: &MarketRow| against(class, name, row.score, row.average_return);
    let reference = view.reference.to_string();
    of("apart first", reference.as_str(), &market.reference).add(table, scale);
    if let Some(average) = market.oracle_average {
        against("apart", "Best option", Score::Points(100.0), average).add(table, scale);
    }
    of("apart", "Cash", &market.cash).add(table, scale);
}

/// A row without a rank: the market, or an entrant by rule.
struct Against<'a> {
    class: &'static str,
    name: &'a str,
    score: Score,
    average: f64,
    alpha: Option<f64>,
}

impl Against<'_> {
    fn add(&self, table: &mut Table, scale: &WhiskerScale) {
        let dot = points(self.score).filter(|value| *value < 100.0);
        let dot = dot.map(|value| Whisker {
            label: self.name.to_owned(),
            value,
            range: None,
            informative: false,
            look: None,
        });
        let drawn = dot.map_or_else(Html::default, |dot| scale.cell(&dot));
        let added = table.row(vec![
            text(""),
            head(self.name),
            scored(self.score),
            self.alpha.map_or_else(|| text(""), gap),
            markup(drawn),
            percent(self.average),
            text(""),
            text(""),
        ]);
        added.class = self.class;
    }
}
