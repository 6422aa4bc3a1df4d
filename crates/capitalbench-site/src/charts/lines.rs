//! Lines over days, labelled at their ends.

use std::fmt::Write as _;

use jiff::civil::Date;

use super::marks::{series, shape};
use super::scale::Scale;
use super::{Canvas, day_number, fitted, px, spread};
use crate::html::Html;

/// How a line is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stroke {
    /// Final.
    Solid,
    /// Provisional.
    Dashed,
    /// What others are held against.
    Reference,
}

/// One line; a band is the low and high end at each point.
#[derive(Debug, Clone)]
pub(crate) struct Line {
    pub(crate) label: String,
    pub(crate) points: Vec<(Date, f64)>,
    pub(crate) band: Vec<(f64, f64)>,
    pub(crate) stroke: Stroke,
}

/// A chart of lines whose values are fractions.
#[derive(Debug, Clone)]
pub(crate) struct LineChart {
    pub(crate) title: String,
    pub(crate) lines: Vec<Line>,
    /// How values are written.
    pub(crate) written: fn(f64) -> String,
}

const LEFT: f64 = 66.0;
const RIGHT: f64 = 530.0;
const TOP: f64 = 10.0;

impl LineChart {
    /// Draws the chart.
    pub(crate) fn draw(&self) -> Html {
        let height = 250.0_f64.max(60.0 + 13.0 * self.lines.iter().map(|_| 1.0).sum::<f64>());
        let bottom = height - 26.0;
        let points = || self.lines.iter().flat_map(|line| &line.points);
        let bands = self.lines.iter().flat_map(|line| &line.band);
        let values = points().map(|point| point.1);
        let values = values.chain(bands.flat_map(|(low, high)| [*low, *high]));
        let y = Scale::over(values.chain([0.0]), bottom, TOP);
        let days = points().map(|point| point.0);
        let (first, last) = (days.clone().min(), days.max());
        let (Some(first), Some(last)) = (first, last) else {
            return Html::default();
        };
        let end = day_number(last).max(day_number(first) + 1.0);
        let x = Scale::between(day_number(first), end, LEFT, RIGHT);
        let mut canvas = Canvas::new(height, &self.title);
        self.axes(&mut canvas, &y, bottom);
        canvas.text("tick", (LEFT, height - 8.0), &first.to_string());
        canvas.text("tick end", (RIGHT, height - 8.0), &last.to_string());
        self.draw_lines(&mut canvas, &x, &y);
        self.labels(&mut canvas, &y, bottom);
        canvas.finish()
    }

    fn draw_lines(&self, canvas: &mut Canvas, x: &Scale, y: &Scale) {
        for (place, line) in self.lines.iter().enumerate() {
            if line.band.len() == line.points.len() && !line.band.is_empty() {
                canvas.path(&format!("band {}", series(place)), &band(line, x, y));
            }
        }
        for (place, line) in self.lines.iter().enumerate() {
            let mut d = String::new();
            for (step, (day, value)) in line.points.iter().enumerate() {
                let letter = if step == 0 { 'M' } else { 'L' };
                let (px_x, px_y) = (px(x.at(day_number(*day))), px(y.at(*value)));
                let _ = write!(d, "{letter}{px_x} {px_y}");
            }
            let class = match line.stroke {
                Stroke::Solid => format!("line {}", series(place)),
                Stroke::Dashed => format!("line dashed {}", series(place)),
                Stroke::Reference => "line ref".to_owned(),
            };
            let words = format!("{}: {}", line.label, (self.written)(last(line)));
            canvas.told(&class, &d, &words);
        }
    }

    fn labels(&self, canvas: &mut Canvas, y: &Scale, bottom: f64) {
        let ends: Vec<f64> = self.lines.iter().map(last).collect();
        let wanted: Vec<f64> = ends.iter().map(|value| y.at(*value)).collect();
        let placed = spread(&wanted, 13.0, bottom);
        for (place, line) in self.lines.iter().enumerate() {
            let at = placed[place];
            canvas.line("lead", (RIGHT, wanted[place]), (RIGHT + 12.0, at));
            let class = if line.stroke == Stroke::Reference {
                "mark ref".to_owned()
            } else {
                format!("mark {}", series(place))
            };
            let outline = if line.stroke == Stroke::Reference {
                7
            } else {
                place
            };
            canvas.path(&class, &shape(outline, (RIGHT + 18.0, at), 3.6));
            let label = format!("{} {}", (self.written)(ends[place]), fitted(&line.label));
            canvas.text("label", (RIGHT + 26.0, at + 4.0), &label);
        }
    }

    fn axes(&self, canvas: &mut Canvas, y: &Scale, bottom: f64) {
        for tick in y.ticks(5.0) {
            let zero = tick.abs() < 1e-12;
            let class = if zero { "axis" } else { "gridline" };
            canvas.line(class, (LEFT, y.at(tick)), (RIGHT, y.at(tick)));
            canvas.text(
                "tick end",
                (LEFT - 6.0, y.at(tick) + 4.0),
                &(self.written)(tick),
            );
        }
        canvas.line("axis", (LEFT, bottom), (RIGHT, bottom));
    }
}

fn last(line: &Line) -> f64 {
    line.points.last().map_or(0.0, |point| point.1)
}

fn band(line: &Line, x: &Scale, y: &Scale) -> String {
    let mut d = String::new();
    let upper = line.points.iter().zip(&line.band);
    for (step, ((day, _), (_, high))) in upper.clone().enumerate() {
        let letter = if step == 0 { 'M' } else { 'L' };
        let _ = write!(
            d,
            "{letter}{} {}",
            px(x.at(day_number(*day))),
            px(y.at(*high))
        );
    }
    for ((day, _), (low, _)) in upper.rev() {
        let _ = write!(d, "L{} {}", px(x.at(day_number(*day))), px(y.at(*low)));
    }
    d.push('Z');
    d
}
