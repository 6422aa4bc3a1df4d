//! Lines over days, labelled at their ends.

use jiff::civil::Date;

use super::marks::{polyline, shape};
use super::scale::{Scale, thinned};
use super::{Canvas, KeyRow, Look, day_number, fitted, row_class, spread};
use crate::html::Html;

/// How a line is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stroke {
    /// Final.
    Solid,
    /// Provisional.
    Dashed,
    /// One of several figures of the same model.
    Dotted,
    /// The line that the others are compared with.
    Reference,
}

/// One line; a band is the low and high end at each point.
#[derive(Debug, Clone)]
pub(crate) struct Line {
    pub(crate) label: String,
    pub(crate) points: Vec<(Date, f64)>,
    pub(crate) band: Vec<(f64, f64)>,
    pub(crate) stroke: Stroke,
    pub(crate) look: Look,
}

impl Line {
    /// A line without a band.
    pub(crate) fn plain(
        label: &str,
        (stroke, look): (Stroke, Look),
        points: impl IntoIterator<Item = (Date, f64)>,
    ) -> Self {
        Self {
            label: label.to_owned(),
            points: points.into_iter().collect(),
            band: Vec::new(),
            stroke,
            look,
        }
    }
}

/// How far apart the points of all lines stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Steps {
    /// By the days between them.
    Days,
    /// Evenly, round by round; all lines have the same rounds.
    Rounds,
}

/// A chart of lines whose values are fractions.
#[derive(Debug, Clone)]
pub(crate) struct LineChart {
    pub(crate) title: String,
    pub(crate) steps: Steps,
    /// Ends of the scale, where several charts share one.
    pub(crate) ends: Option<(f64, f64)>,
    pub(crate) lines: Vec<Line>,
    /// How values are written.
    pub(crate) written: fn(f64) -> String,
}

const LEFT: f64 = 76.0;
const RIGHT: f64 = 530.0;
const TOP: f64 = 10.0;
const MOST_POINTS: usize = 150;

impl LineChart {
    pub(crate) fn draw(&self) -> Html {
        self.draw_over(&[])
    }

    /// The lines over a fan, whose five values at each point but the first, which is zero, rise.
    pub(crate) fn draw_over(&self, fan: &[[f64; 5]]) -> Html {
        let height = 250.0_f64.max(60.0 + 13.0 * self.lines.iter().map(|_| 1.0).sum::<f64>());
        let bottom = height - 26.0;
        let points = || self.lines.iter().flat_map(|line| &line.points);
        let bands = self.lines.iter().flat_map(|line| &line.band);
        let values = points().map(|point| point.1);
        let values = values.chain(bands.flat_map(|(low, high)| [*low, *high]));
        let values = values.chain(fan.iter().flatten().copied());
        let shared = self.ends.into_iter().flat_map(|(low, high)| [low, high]);
        let y = Scale::over(values.chain(shared).chain([0.0]), bottom, TOP);
        let days = points().map(|point| point.0);
        let (first, last_day) = (days.clone().min(), days.max());
        let (Some(first), Some(final_day)) = (first, last_day) else {
            return Html::default();
        };
        let x = match self.steps {
            Steps::Days => {
                let end = day_number(final_day).max(day_number(first) + 1.0);
                Scale::between(day_number(first), end, LEFT, RIGHT)
            }
            Steps::Rounds => {
                let most = self.lines.iter().map(|line| line.points.len()).max();
                Scale::between(
                    0.0,
                    place_number(most.unwrap_or(2) - 1).max(1.0),
                    LEFT,
                    RIGHT,
                )
            }
        };
        let mut canvas = Canvas::new(height, &self.title);
        draw_fan(&mut canvas, fan, (&x, &y));
        self.axes(&mut canvas, &y, bottom);
        canvas.text("tick", (LEFT, height - 8.0), &first.to_string());
        canvas.text("tick end", (RIGHT, height - 8.0), &final_day.to_string());
        let wanted: Vec<f64> = self.lines.iter().map(|line| y.at(last(line))).collect();
        let placed = spread(&wanted, 13.0, bottom);
        // Everything of a line is one group, so that pointing at any of it brings out its band.
        let keys: Vec<KeyRow> = self.lines.iter().map(|line| self.key(line)).collect();
        for (place, line) in self.lines.iter().enumerate() {
            canvas.group("run", |canvas| {
                if line.band.len() == line.points.len() && !line.band.is_empty() {
                    let d = self.band(line, (&x, &y));
                    canvas.path(&format!("band {}", line.look.class()), &d);
                }
                self.draw_line(canvas, line, (&x, &y));
                label(canvas, &keys[place], (wanted[place], placed[place]));
            });
        }
        canvas.finish_with(&keys)
    }

    fn draw_line(&self, canvas: &mut Canvas, line: &Line, (x, y): (&Scale, &Scale)) {
        let steps = kept(line.points.len()).into_iter();
        let d =
            polyline(steps.map(|step| (x.at(self.across(line, step)), y.at(line.points[step].1))));
        let class = match line.stroke {
            Stroke::Solid => format!("line {}", line.look.class()),
            Stroke::Dashed => format!("line dashed {}", line.look.class()),
            Stroke::Dotted => format!("line dotted {}", line.look.class()),
            Stroke::Reference => "line ref".to_owned(),
        };
        let words = format!("{}: {}", line.label, (self.written)(last(line)));
        canvas.told(&class, &d, &words);
    }

    /// Where a point lies on the axis across.
    fn across(&self, line: &Line, step: usize) -> f64 {
        match self.steps {
            Steps::Days => day_number(line.points[step].0),
            Steps::Rounds => place_number(step),
        }
    }

    fn band(&self, line: &Line, (x, y): (&Scale, &Scale)) -> String {
        let steps = kept(line.points.len());
        let at = |step: usize, value: f64| (x.at(self.across(line, step)), y.at(value));
        let highs = steps.iter().map(|step| at(*step, line.band[*step].1));
        let lows = steps.iter().rev().map(|step| at(*step, line.band[*step].0));
        polyline(highs.chain(lows)) + "Z"
    }

    fn key(&self, line: &Line) -> KeyRow {
        let text = format!("{} {}", (self.written)(last(line)), fitted(&line.label));
        if line.stroke == Stroke::Reference {
            return KeyRow {
                class: "mark ref".to_owned(),
                shape: 0,
                text,
            };
        }
        KeyRow::of(line.look, text)
    }

    fn axes(&self, canvas: &mut Canvas, y: &Scale, bottom: f64) {
        for tick in y.ticks(5.0) {
            let label = (self.written)(tick);
            canvas.row(row_class(tick), (LEFT, RIGHT), y.at(tick), &label);
        }
        canvas.line("axis", (LEFT, bottom), (RIGHT, bottom));
    }
}

/// Two bands, one inside the other, that begin at zero.
fn draw_fan(canvas: &mut Canvas, fan: &[[f64; 5]], (x, y): (&Scale, &Scale)) {
    if fan.is_empty() {
        return;
    }
    let edge = |line: usize| {
        let values = std::iter::once(0.0).chain(fan.iter().map(move |lines| lines[line]));
        let at = move |(step, value)| (x.at(place_number(step)), y.at(value));
        values.enumerate().map(at)
    };
    for (low, high) in [(0, 4), (1, 3)] {
        let lower: Vec<(f64, f64)> = edge(low).collect();
        let d = polyline(edge(high).chain(lower.into_iter().rev())) + "Z";
        canvas.path("fan", &d);
    }
}

/// The label at the end of a line.
fn label(canvas: &mut Canvas, key: &KeyRow, (from, at): (f64, f64)) {
    canvas.line("lead", (RIGHT, from), (RIGHT + 12.0, at));
    canvas.path(&key.class, &shape(key.shape, (RIGHT + 18.0, at), 3.6));
    canvas.text("label", (RIGHT + 26.0, at + 4.0), &key.text);
}

/// The points of a line that are drawn; more points than pixels would show nothing more.
fn kept(count: usize) -> Vec<usize> {
    let mut kept = thinned(count, MOST_POINTS);
    if let Some(last) = count.checked_sub(1)
        && kept.last() != Some(&last)
    {
        kept.push(last);
    }
    kept
}

fn last(line: &Line) -> f64 {
    line.points.last().map_or(0.0, |point| point.1)
}

#[expect(clippy::cast_precision_loss, reason = "some hundred rounds")]
fn place_number(place: usize) -> f64 {
    place as f64
}
