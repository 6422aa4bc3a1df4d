//! Points on a plane: cost against score, gaps by round, stated against observed.

use std::fmt::Write as _;

use jiff::civil::Date;

use super::marks::shape;
use super::scale::Scale;
use super::{Canvas, KeyRow, Look, PLOT, WIDTH, day_number, fitted, px, row_class, spread};
use crate::figures::{decimal, dollars, share, signed_percent};
use crate::html::Html;

#[derive(Debug, Clone)]
pub(crate) struct Point {
    pub(crate) label: String,
    pub(crate) look: Look,
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
    pub(crate) fn draw(&self) -> Html {
        let (left, right, top, bottom, height) = (50.0, PLOT - 8.0, 12.0, 230.0, 270.0);
        let xs = self.points.iter().map(|point| point.x).chain([0.0]);
        let x = Scale::over(xs, left, right);
        let ys = self.points.iter().map(|point| point.y);
        let y = Scale::over(ys.chain(self.reference).chain([0.0]), bottom, top);
        let mut canvas = Canvas::new(height, &self.title);
        for tick in y.ticks(5.0) {
            canvas.row("gridline", (left, right), y.at(tick), &y.label(tick));
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
        let mut keys = Vec::new();
        for (point, at) in self.points.iter().zip(placed) {
            let (px_x, px_y) = (x.at(point.x), y.at(point.y));
            canvas.line("lead", (px_x, px_y), (right + 8.0, at));
            let key = KeyRow::of(point.look, fitted(&point.label));
            let (cost, score) = (dollars(point.x), decimal(point.y, 1));
            let words = format!("{}: {cost}, {score}", point.label);
            canvas.told(&key.class, &point.look.outline((px_x, px_y), 4.4), &words);
            canvas.text("label", (right + 12.0, at + 4.0), &key.text);
            keys.push(key);
        }
        canvas.finish_with(&keys)
    }
}

/// One value per round by its last day, above and below zero.
#[derive(Debug, Clone)]
pub(crate) struct Strip {
    pub(crate) title: String,
    /// None where gains and losses are not a model's.
    pub(crate) look: Option<Look>,
    pub(crate) rounds: Vec<StripMark>,
}

/// A round of a strip.
#[derive(Debug, Clone)]
pub(crate) struct StripMark {
    pub(crate) day: Date,
    pub(crate) value: f64,
    /// The round for people.
    pub(crate) name: String,
    /// The address of its page.
    pub(crate) href: String,
}

impl Strip {
    pub(crate) fn draw(&self) -> Html {
        let (left, right, top, bottom, height) = (80.0, WIDTH - 16.0, 8.0, 150.0, 178.0);
        let values = self.rounds.iter().map(|round| round.value);
        let y = Scale::over(values.chain([0.0]), bottom, top);
        let days = self.rounds.iter().map(|round| day_number(round.day));
        let x = Scale::over(days, left, right);
        let mut canvas = Canvas::new(height, &self.title);
        for tick in y.ticks(5.0) {
            let label = signed_percent(tick);
            canvas.row(row_class(tick), (left, right), y.at(tick), &label);
        }
        let mut stems = String::new();
        for StripMark { day, value, .. } in &self.rounds {
            let at = (x.at(day_number(*day)), y.at(*value));
            let _ = write!(stems, "M{} {}V{}", px(at.0), px(y.at(0.0)), px(at.1));
        }
        canvas.path("stem", &stems);
        for round in &self.rounds {
            let at = (x.at(day_number(round.day)), y.at(round.value));
            let (pointer, side) = if round.value > 0.0 {
                (2, "up")
            } else {
                (4, "down")
            };
            let colour = self.look.map_or(side.to_owned(), Look::class);
            let class = format!("mark {colour}");
            let words = format!("{}: {}", round.name, signed_percent(round.value));
            let drawn = shape(pointer, at, 3.6);
            canvas.leading(&class, &drawn, [&words, &round.href]);
        }
        let days = self.rounds.iter().map(|round| round.day);
        if let (Some(first), Some(last)) = (days.clone().min(), days.max()) {
            canvas.text("tick", (left, height - 8.0), &first.to_string());
            canvas.text("tick end", (right, height - 8.0), &last.to_string());
        }
        canvas.finish_whole()
    }
}

/// Decisions of similar confidence.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Stated {
    /// Mean stated confidence.
    pub(crate) confidence: f64,
    /// Share that came true.
    pub(crate) observed: f64,
    pub(crate) count: usize,
    /// Ends of the interval, where there is one.
    pub(crate) range: Option<(f64, f64)>,
}

/// Stated confidence across, share that came true upwards, with intervals where there are some.
pub(crate) fn reliability(title: &str, look: Look, bins: &[Stated]) -> Html {
    let (left, right, top, bottom, height) = (56.0, 330.0, 24.0, 254.0, 290.0);
    let x = Scale::between(0.0, 1.0, left, right);
    let y = Scale::between(0.0, 1.0, bottom, top);
    let mut canvas = Canvas::new(height, title);
    for tick in [0.0, 0.25, 0.5, 0.75, 1.0] {
        canvas.row("gridline", (left, right), y.at(tick), &share(tick));
        canvas.text("tick mid", (x.at(tick), bottom + 16.0), &share(tick));
    }
    canvas.line("ref", (x.at(0.0), y.at(0.0)), (x.at(1.0), y.at(1.0)));
    let note = "stated confidence →   dotted: as stated";
    let middle = f64::midpoint(left, right);
    canvas.text("tick mid", (middle, height - 4.0), note);
    let wanted: Vec<f64> = bins.iter().map(|bin| x.at(bin.confidence)).collect();
    let counts = bins.iter().zip(spread(&wanted, 36.0, right + 30.0));
    let class = format!("mark {}", look.class());
    for (bin, count_x) in counts {
        let at = (x.at(bin.confidence), y.at(bin.observed));
        if let Some((low, high)) = bin.range {
            let (low, high) = (y.at(low.max(0.0)), y.at(high.min(1.0)));
            canvas.line("whisker", (at.0, low), (at.0, high));
        }
        canvas.path(&class, &look.outline(at, 4.4));
        let label = format!("n={}", bin.count);
        canvas.text("tick mid", (count_x, top - 8.0), &label);
    }
    canvas.finish()
}
