//! Rounds across, models down: where each was ahead of the market, and by how much.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use jiff::civil::Date;

use super::scale::thinned;
use super::{Canvas, WIDTH, fitted, px};
use crate::figures::signed_points;
use crate::html::Html;

/// The size of a gap in four steps, which tables and charts share.
pub(crate) fn strength(gap: f64) -> usize {
    match gap.abs() {
        small if small < 0.0025 => 0,
        small if small < 0.01 => 1,
        middle if middle < 0.025 => 2,
        _ => 3,
    }
}

/// A round of the chart.
#[derive(Debug, Clone)]
pub(crate) struct HeatColumn {
    pub(crate) name: String,
    pub(crate) day: Option<Date>,
}

/// Gaps by model and round. A gain fills the upper half of its cell and a loss the lower one, so
/// colour only repeats what the place says.
#[derive(Debug, Clone)]
pub(crate) struct Heat {
    pub(crate) title: String,
    /// Oldest first.
    pub(crate) rounds: Vec<HeatColumn>,
    /// Names, and a gap for each round that the model completed.
    pub(crate) models: Vec<(String, Vec<Option<f64>>)>,
}

const LEFT: f64 = 190.0;
const TOP: f64 = 26.0;
const ROW: f64 = 20.0;
const WIDEST: f64 = 28.0;
/// Room that a date needs.
const DATE: f64 = 64.0;
const LEGEND: [(&str, usize); 4] = [
    ("< 0.25", 0),
    ("< 1", 1),
    ("< 2.5", 2),
    ("2.5 points or more", 3),
];

impl Heat {
    pub(crate) fn draw(&self) -> Html {
        let columns = self.rounds.iter().map(|_| 1.0).sum::<f64>().max(1.0);
        let width = ((WIDTH - LEFT - 10.0) / columns).min(WIDEST);
        let rows: f64 = self.models.iter().map(|_| ROW).sum();
        let bottom = TOP + rows;
        let right = LEFT + width * columns;
        let mut canvas = Canvas::new(bottom + 26.0, &self.title);
        legend(&mut canvas);
        let mut top = TOP;
        for (name, gaps) in &self.models {
            canvas.text("label end", (LEFT - 8.0, top + 14.0), &fitted(name));
            let middle = top + ROW / 2.0;
            canvas.line("gridline", (LEFT, middle), (right, middle));
            for (class, d) in cells(gaps, width, top) {
                canvas.path(&class, &d);
            }
            top += ROW;
        }
        let labelled = thinned(self.rounds.len(), 7);
        let (mut x, mut free) = (LEFT, LEFT);
        for (place, round) in self.rounds.iter().enumerate() {
            let (across, down) = (px(width), px(rows));
            let d = format!("M{} {}h{across}v{down}h-{across}Z", px(x), px(TOP));
            canvas.told("column", &d, &self.words(place));
            if let (true, Some(day)) = (labelled.contains(&place), round.day) {
                let middle = x + width / 2.0;
                canvas.line("axis", (middle, bottom), (middle, bottom + 4.0));
                let (class, from, at) = if x + DATE > WIDTH {
                    ("tick end", x + width - DATE, x + width)
                } else {
                    ("tick", x, x)
                };
                if from >= free {
                    canvas.text(class, (at, bottom + 17.0), &day.to_string());
                    free = from + DATE;
                }
            }
            x += width;
        }
        canvas.finish()
    }

    /// Describes a round: its name, its day, and the models with the highest and the lowest gap.
    fn words(&self, place: usize) -> String {
        let round = &self.rounds[place];
        let day = round
            .day
            .map_or(String::new(), |day| format!(", ended {day}"));
        let gaps = self.models.iter();
        let gaps = gaps.filter_map(|(name, gaps)| Some((gaps.get(place).copied()??, name)));
        let highest = gaps.clone().max_by(|a, b| a.0.total_cmp(&b.0));
        let lowest = gaps.min_by(|a, b| a.0.total_cmp(&b.0));
        let told = |word: &str, found: Option<(f64, &String)>| {
            found.map_or(String::new(), |(gap, name)| {
                format!("; {word} {name} {}", signed_points(gap))
            })
        };
        format!(
            "{}{day}{}{}",
            round.name,
            told("most", highest),
            told("least", lowest)
        )
    }
}

/// One path per kind of cell, to keep pages small.
fn cells(gaps: &[Option<f64>], width: f64, top: f64) -> BTreeMap<String, String> {
    let mut found: BTreeMap<String, String> = BTreeMap::new();
    let mut x = LEFT;
    for gap in gaps {
        if let Some(gap) = gap {
            let y = top + if *gap > 0.0 { 1.0 } else { ROW / 2.0 };
            let d = found.entry(class(*gap > 0.0, strength(*gap))).or_default();
            // Writing to a text cannot fail.
            let _ = write!(d, "M{} {}{}", px(x), px(y), cell(width));
        }
        x += width;
    }
    found
}

fn cell(width: f64) -> String {
    let (across, down) = (px((width - 1.0).max(0.8)), px(ROW / 2.0 - 1.0));
    format!("h{across}v{down}h-{across}Z")
}

fn class(ahead: bool, strength: usize) -> String {
    let side = if ahead { "heat up" } else { "heat down" };
    let shade = [" h0", " h1", " h2"].get(strength);
    format!("{side}{}", shade.unwrap_or(&""))
}

fn legend(canvas: &mut Canvas) {
    canvas.text("tick", (8.0, 14.0), "upper half: ahead, lower half: behind");
    let mut x = LEFT + 30.0;
    for (words, strength) in LEGEND {
        for (ahead, y) in [(true, 3.0), (false, 3.0 + ROW / 2.0)] {
            let d = format!("M{} {}{}", px(x), px(y), cell(12.0));
            canvas.path(&class(ahead, strength), &d);
        }
        canvas.text("tick", (x + 16.0, 16.0), words);
        x += 76.0;
    }
}

#[cfg(test)]
mod tests;
