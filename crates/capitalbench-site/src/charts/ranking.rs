//! Scores with their intervals: small ones inside tables, and one chart of a whole set.

use std::fmt::Write as _;

use super::marks::Look;
use super::scale::Scale;
use super::{Canvas, WIDTH, fitted, px};
use crate::figures::{decimal, interval};
use crate::html::Html;

#[derive(Debug, Clone)]
pub(crate) struct Whisker {
    pub(crate) label: String,
    pub(crate) value: f64,
    /// Ends of the interval, where there is one.
    pub(crate) range: Option<(f64, f64)>,
    /// Whether the interval rests on enough to tell something.
    pub(crate) informative: bool,
    /// None for a row of the market, drawn in another way than models.
    pub(crate) look: Option<Look>,
}

/// One scale for all rows of a table, so that rows can be compared.
#[derive(Debug, Clone, Copy)]
pub(crate) struct WhiskerScale {
    scale: Scale,
    reference: Option<f64>,
}

const CELL: f64 = 180.0;
const CELL_HEIGHT: f64 = 16.0;

impl WhiskerScale {
    /// A scale over the rows; the reference is a line through all of them.
    pub(crate) fn over(rows: &[Whisker], reference: Option<f64>) -> Self {
        let values = rows.iter().flat_map(ends).chain(reference).chain([0.0]);
        Self {
            scale: Scale::over(values, 4.0, CELL - 4.0),
            reference,
        }
    }

    /// The drawing of one row.
    pub(crate) fn cell(&self, row: &Whisker) -> Html {
        let middle = CELL_HEIGHT / 2.0;
        let mut body = String::new();
        if let Some(reference) = self.reference {
            let x = px(self.scale.at(reference));
            let _ = write!(body, "<path class=\"ref\" d=\"M{x} 0V{CELL_HEIGHT}\"/>");
        }
        if let Some((low, high)) = row.range {
            let d = whisker(self.scale, (low, high), middle);
            let class = whisker_class(row);
            let _ = write!(body, "<path class=\"{class}\" d=\"{d}\"/>");
        }
        let (class, d) = dot(row, (self.scale.at(row.value), middle));
        let _ = write!(body, "<path class=\"{class}\" d=\"{d}\"/>");
        let label = Html::text(&described(row));
        Html::made(format!(
            "<svg class=\"cell\" viewBox=\"0 0 {CELL} {CELL_HEIGHT}\" role=\"img\" aria-label=\"{label}\">{body}</svg>"
        ))
    }
}

/// A range with a bar at each end, around a height.
fn whisker(scale: Scale, (low, high): (f64, f64), y: f64) -> String {
    let [low, high] = [low, high].map(|end| px(scale.at(end)));
    let (top, y) = (px(y - 4.0), px(y));
    format!("M{low} {top}v8M{low} {y}H{high}M{high} {top}v8")
}

fn ends(row: &Whisker) -> Vec<f64> {
    let (low, high) = row.range.unwrap_or((row.value, row.value));
    vec![low, row.value, high]
}

/// An interval that tells nothing is drawn faintly.
fn whisker_class(row: &Whisker) -> &'static str {
    if row.informative {
        "whisker"
    } else {
        "whisker weak"
    }
}

/// The mark of a value.
fn dot(row: &Whisker, at: (f64, f64)) -> (String, String) {
    let class = row.look.map_or("dot apart".to_owned(), |look| {
        format!("dot {}", look.class())
    });
    (class, row.look.unwrap_or(Look::OTHER).outline(at, 3.8))
}

fn described(row: &Whisker) -> String {
    let range = row.range.map_or("no interval".to_owned(), |(low, high)| {
        format!("95 % interval {}", interval(low, high, 1))
    });
    format!("{}: {}, {range}", row.label, decimal(row.value, 1))
}

/// Where the plot begins: two lines of text stand above it, in the large letters of a phone.
const TOP: f64 = 50.0;

/// The chart of a set; the best option stands as a note at the edge.
pub(crate) fn ranking(title: &str, rows: &[Whisker], reference: Option<(String, f64)>) -> Html {
    let (left, right) = (210.0, WIDTH - 16.0);
    let step = 24.0;
    let height = rows.iter().map(|_| step).sum::<f64>() + TOP + 30.0;
    let level = reference.iter().map(|(_, score)| *score);
    let values = rows.iter().flat_map(ends).chain(level).chain([0.0]);
    let scale = Scale::over(values, left, right);
    let mut canvas = Canvas::new(height, title);
    let bottom = height - 24.0;
    for tick in scale.ticks(7.0) {
        let x = scale.at(tick);
        canvas.line("gridline", (x, TOP), (x, bottom));
        canvas.text("tick mid", (x, height - 8.0), &scale.label(tick));
    }
    if let Some((name, score)) = reference {
        let x = scale.at(score);
        canvas.line("ref", (x, TOP), (x, bottom));
        // Near the right edge a centred name would be cut.
        let class = if x > right - 60.0 {
            "tick end"
        } else {
            "tick mid"
        };
        canvas.text(class, (x.min(right), TOP - 6.0), &name);
    }
    canvas.text("tick end", (right, 18.0), "best option: 100 →");
    let mut y = TOP + 14.0;
    for row in rows {
        canvas.text("label end", (left - 10.0, y + 4.0), &fitted(&row.label));
        if let Some(range) = row.range {
            canvas.path(whisker_class(row), &whisker(scale, range, y));
        }
        let (class, d) = dot(row, (scale.at(row.value), y));
        canvas.path(&class, &d);
        y += step;
    }
    canvas.finish_fitted()
}
