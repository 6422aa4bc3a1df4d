//! Points on a plane: cost against score, gaps by round, stated against observed.

use super::marks::{series, shape};
use super::scale::Scale;
use super::{Canvas, WIDTH, day_number, fitted, px, spread};
use crate::figures::{decimal, dollars, share, signed_percent};
use crate::html::Html;
use jiff::civil::Date;

/// A labelled point.
#[derive(Debug, Clone)]
pub(crate) struct Point {
    pub(crate) label: String,
    pub(crate) x: f64,
    pub(crate) y: f64,
}

/// Dollars per decision across, score upwards.
#[derive(Debug, Clone)]
pub(crate) struct Scatter {
    pub(crate) title: String,
    pub(crate) points: Vec<Point>,
    /// Score of the reference in the same rounds, where all points share them.
    pub(crate) reference: Option<f64>,
}

impl Scatter {
    /// Draws the chart.
    pub(crate) fn draw(&self) -> Html {
        let (left, right, top, bottom, height) = (50.0, WIDTH - 210.0, 12.0, 230.0, 270.0);
        let xs = self.points.iter().map(|point| point.x).chain([0.0]);
        let x = Scale::over(xs, left, right);
        let ys = self.points.iter().map(|point| point.y);
        let y = Scale::over(ys.chain(self.reference).chain([0.0]), bottom, top);
        let mut canvas = Canvas::new(height, &self.title);
        for tick in y.ticks(5.0) {
            canvas.line("gridline", (left, y.at(tick)), (right, y.at(tick)));
            canvas.text(
                "tick end",
                (left - 6.0, y.at(tick) + 4.0),
                &decimal(tick, 0),
            );
        }
        for tick in x.ticks(5.0) {
            canvas.text("tick mid", (x.at(tick), bottom + 16.0), &dollars(tick));
        }
        canvas.text("tick end", (right, height - 6.0), "cost per decision →");
        canvas.text("tick", (left, 9.0), "↑ score");
        if let Some(reference) = self.reference {
            canvas.line("ref", (left, y.at(reference)), (right, y.at(reference)));
        }
        let wanted: Vec<f64> = self.points.iter().map(|point| y.at(point.y)).collect();
        let placed = spread(&wanted, 13.0, bottom);
        for (place, (point, at)) in self.points.iter().zip(placed).enumerate() {
            let (px_x, px_y) = (x.at(point.x), y.at(point.y));
            canvas.line("lead", (px_x, px_y), (right + 8.0, at));
            canvas.path(
                &format!("mark {}", series(place)),
                &shape(place, (px_x, px_y), 4.4),
            );
            canvas.text("label", (right + 12.0, at + 4.0), &fitted(&point.label));
        }
        canvas.finish()
    }
}

/// One value per round by its last day, above and below zero.
#[derive(Debug, Clone)]
pub(crate) struct Strip {
    pub(crate) title: String,
    pub(crate) rounds: Vec<(Date, f64)>,
}

impl Strip {
    /// Draws the chart: all points above zero are one path, all below another.
    pub(crate) fn draw(&self) -> Html {
        let (left, right, top, bottom, height) = (58.0, WIDTH - 16.0, 8.0, 150.0, 178.0);
        let values = self.rounds.iter().map(|round| round.1);
        let y = Scale::over(values.chain([0.0]), bottom, top);
        let days = self.rounds.iter().map(|round| day_number(round.0));
        let x = Scale::over(days, left, right);
        let mut canvas = Canvas::new(height, &self.title);
        for tick in y.ticks(5.0) {
            let class = if tick.abs() < 1e-12 {
                "axis"
            } else {
                "gridline"
            };
            canvas.line(class, (left, y.at(tick)), (right, y.at(tick)));
            canvas.text(
                "tick end",
                (left - 6.0, y.at(tick) + 4.0),
                &signed_percent(tick),
            );
        }
        let (mut stems, mut above, mut below) = (String::new(), String::new(), String::new());
        for (day, value) in &self.rounds {
            let at = (x.at(day_number(*day)), y.at(*value));
            stems.push_str(&format!("M{} {}V{}", px(at.0), px(y.at(0.0)), px(at.1)));
            if *value > 0.0 {
                above.push_str(&shape(2, at, 3.6));
            } else {
                below.push_str(&shape(4, at, 3.6));
            }
        }
        canvas.path("stem", &stems);
        canvas.path("mark s0", &above);
        canvas.path("mark s3", &below);
        let days = self.rounds.iter().map(|round| round.0);
        if let (Some(first), Some(last)) = (days.clone().min(), days.max()) {
            canvas.text("tick", (left, height - 8.0), &first.to_string());
            canvas.text("tick end", (right, height - 8.0), &last.to_string());
        }
        canvas.finish()
    }
}

/// Stated confidence across, share that came true upwards, with intervals where there are some.
pub(crate) fn reliability(title: &str, bins: &[(f64, f64, usize, Option<(f64, f64)>)]) -> Html {
    let (left, right, top, bottom, height) = (56.0, 330.0, 10.0, 240.0, 276.0);
    let x = Scale::between(0.0, 1.0, left, right);
    let y = Scale::between(0.0, 1.0, bottom, top);
    let mut canvas = Canvas::new(height, title);
    for tick in [0.0, 0.25, 0.5, 0.75, 1.0] {
        canvas.line("gridline", (left, y.at(tick)), (right, y.at(tick)));
        canvas.text("tick end", (left - 6.0, y.at(tick) + 4.0), &share(tick));
        canvas.text("tick mid", (x.at(tick), bottom + 16.0), &share(tick));
    }
    canvas.line("ref", (x.at(0.0), y.at(0.0)), (x.at(1.0), y.at(1.0)));
    canvas.text("tick", (right + 8.0, top + 6.0), "as stated");
    canvas.text(
        "tick mid",
        (f64::midpoint(left, right), height - 4.0),
        "stated confidence →",
    );
    for (place, (stated, observed, count, range)) in bins.iter().enumerate() {
        let at = (x.at(*stated), y.at(*observed));
        if let Some((low, high)) = range {
            let (low, high) = (y.at(low.max(0.0)), y.at(high.min(1.0)));
            canvas.line("whisker", (at.0, low), (at.0, high));
        }
        canvas.path("mark s0", &shape(0, at, 4.4));
        let lift = if place % 2 == 0 { -6.0 } else { 14.0 };
        canvas.text("tick", (at.0 + 8.0, at.1 + lift), &format!("n={count}"));
    }
    canvas.finish()
}
