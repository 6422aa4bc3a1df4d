//! Charts as SVG, drawn from finished numbers: thin axes, direct labels, one idea each.

use std::fmt::Write as _;

use jiff::civil::Date;

use self::marks::shape;
use crate::html::Html;

mod bars;
mod grid;
mod heat;
mod lines;
mod marks;
mod ranking;
mod scale;

pub(crate) use bars::{Histogram, Mark, StackedBars};
pub(crate) use grid::{Point, Scatter, Stated, Strip, StripMark, reliability};
pub(crate) use heat::{Heat, HeatColumn, strength};
pub(crate) use lines::{Line, LineChart, Steps, Stroke};
pub(crate) use marks::{COLOURS, Look, SHAPES};
pub(crate) use ranking::{Whisker, WhiskerScale, ranking};

/// Width of a chart in its own units; the page scales it.
pub(crate) const WIDTH: f64 = 780.0;

/// A narrow screen shows only this part of a chart that has a key.
const PLOT: f64 = 540.0;

/// An SVG under construction.
struct Canvas {
    height: f64,
    label: String,
    body: String,
}

impl Canvas {
    fn new(height: f64, label: &str) -> Self {
        Self {
            height,
            label: label.to_owned(),
            body: String::new(),
        }
    }

    fn line(&mut self, class: &str, from: (f64, f64), to: (f64, f64)) {
        let [x, y, to_x, to_y] = [from.0, from.1, to.0, to.1].map(px);
        self.path(class, &format!("M{x} {y}L{to_x} {to_y}"));
    }

    /// A line across at a height, with a label at its left end.
    fn row(&mut self, class: &str, (left, right): (f64, f64), y: f64, label: &str) {
        self.line(class, (left, y), (right, y));
        self.text("tick end", (left - 6.0, y + 4.0), label);
    }

    fn path(&mut self, class: &str, d: &str) {
        let _ = write!(self.body, "<path class=\"{class}\" d=\"{d}\"/>");
    }

    /// A path with a description that the page shows under the pointer.
    fn told(&mut self, class: &str, d: &str, words: &str) {
        let words = Html::text(words);
        let _ = write!(
            self.body,
            "<path class=\"{class}\" d=\"{d}\" data-t=\"{words}\"/>"
        );
    }

    /// Draws something as one group.
    fn group(&mut self, class: &str, draw: impl FnOnce(&mut Self)) {
        let _ = write!(self.body, "<g class=\"{class}\">");
        draw(self);
        self.body.push_str("</g>");
    }

    /// A described path that leads to a page by a click; the table beside the chart has the link for keys.
    fn leading(&mut self, class: &str, d: &str, [words, href]: [&str; 2]) {
        let [words, href] = [words, href].map(Html::text);
        let _ = write!(
            self.body,
            "<path class=\"{class}\" d=\"{d}\" data-t=\"{words}\" data-h=\"{href}\"/>"
        );
    }

    fn text(&mut self, class: &str, at: (f64, f64), text: &str) {
        let (x, y) = (px(at.0), px(at.1));
        let text = Html::text(text);
        let _ = write!(
            self.body,
            "<text class=\"{class}\" x=\"{x}\" y=\"{y}\">{text}</text>"
        );
    }

    /// The drawing with a title for screen readers.
    fn finish(self) -> Html {
        Html::made(self.drawn("chart"))
    }

    /// The drawing for all screens; a narrow one scrolls it and enlarges its letters.
    fn finish_whole(self) -> Html {
        Html::made(self.drawn("chart whole"))
    }

    /// The drawing for all screens; a narrow one shows all of it, with larger letters and marks.
    fn finish_fitted(self) -> Html {
        Html::made(self.drawn("chart fits"))
    }

    /// The drawing with labels right of [`PLOT`], and the labels again as a key for narrow screens,
    /// which show only the plot with this key below it.
    fn finish_with(self, key: &[KeyRow]) -> Html {
        let mut rows = Canvas::new(0.0, "");
        for row in key {
            rows.path(
                &row.class,
                &shape(row.shape, (14.0, rows.height + 11.0), 6.0),
            );
            rows.text("label", (28.0, rows.height + 16.5), &row.text);
            rows.height += 23.0;
        }
        Html::made(format!(
            "{}<svg class=\"chart key\" viewBox=\"0 0 {PLOT} {}\" aria-hidden=\"true\">{}</svg>",
            self.drawn("chart keyed"),
            px(rows.height),
            rows.body
        ))
    }

    fn drawn(&self, class: &str) -> String {
        let label = Html::text(&self.label);
        format!(
            "<svg class=\"{class}\" viewBox=\"0 0 {WIDTH} {}\" role=\"img\"><title>{label}</title>{}</svg>",
            px(self.height),
            self.body
        )
    }
}

/// A row of a key: a mark and its label.
struct KeyRow {
    class: String,
    shape: usize,
    text: String,
}

impl KeyRow {
    fn of(look: Look, text: String) -> Self {
        Self {
            class: format!("mark {}", look.class()),
            shape: look.shape,
            text,
        }
    }
}

/// The class of a line across: zero is an axis.
fn row_class(value: f64) -> &'static str {
    if value.abs() < 1e-12 {
        "axis"
    } else {
        "gridline"
    }
}

/// A coordinate, to a tenth.
fn px(value: f64) -> String {
    let text = format!("{value:.1}");
    text.strip_suffix(".0").map_or(text.clone(), str::to_owned)
}

/// A name, shortened to fit beside a chart.
fn fitted(name: &str) -> String {
    const LONGEST: usize = 27;
    if name.chars().count() <= LONGEST {
        return name.to_owned();
    }
    let kept: String = name.chars().take(LONGEST - 1).collect();
    format!("{kept}…")
}

/// Days since a fixed one, for positions on an axis of time.
pub(crate) fn day_number(day: Date) -> f64 {
    f64::from(capitalbench_core::values::time::days_between(
        Date::constant(2020, 1, 1),
        day,
    ))
}

/// Moves labels down until none covers another; the order of the input is kept.
fn spread(wanted: &[f64], gap: f64, bottom: f64) -> Vec<f64> {
    let mut order: Vec<usize> = (0..wanted.len()).collect();
    order.sort_by(|a, b| wanted[*a].total_cmp(&wanted[*b]));
    let mut placed = wanted.to_vec();
    let mut free = f64::NEG_INFINITY;
    for &place in &order {
        placed[place] = wanted[place].max(free);
        free = placed[place] + gap;
    }
    let mut limit = bottom;
    for &place in order.iter().rev() {
        placed[place] = placed[place].min(limit);
        limit = placed[place] - gap;
    }
    placed
}

#[cfg(test)]
mod tests;
