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
            canvas.line(
                "gridline",
                (LEFT, top + ROW / 2.0),
                (right, top + ROW / 2.0),
            );
            for (class, d) in cells(gaps, width, top) {
                canvas.path(class, &d);
            }
            top += ROW;
        }
        let labelled = thinned(self.rounds.len(), 7);
        let mut x = LEFT;
        for (place, round) in self.rounds.iter().enumerate() {
            let d = format!(
                "M{} {}h{}v{}h-{}Z",
                px(x),
                px(TOP),
                px(width),
                px(rows),
                px(width)
            );
            canvas.told("column", &d, &self.words(place));
            if let (true, Some(day)) = (labelled.contains(&place), round.day) {
                canvas.line(
                    "axis",
                    (x + width / 2.0, bottom),
                    (x + width / 2.0, bottom + 4.0),
                );
                canvas.text("tick", (x, bottom + 17.0), &day.to_string());
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
fn cells(gaps: &[Option<f64>], width: f64, top: f64) -> BTreeMap<&'static str, String> {
    let mut found: BTreeMap<&'static str, String> = BTreeMap::new();
    let mut x = LEFT;
    for gap in gaps {
        if let Some(gap) = gap {
            let y = if *gap > 0.0 {
                top + 1.0
            } else {
                top + ROW / 2.0
            };
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

fn class(ahead: bool, strength: usize) -> &'static str {
    match (ahead, strength) {
        (true, 0) => "heat s0 h0",
        (true, 1) => "heat s0 h1",
        (true, 2) => "heat s0 h2",
        (true, _) => "heat s0",
        (false, 0) => "heat s3 h0",
        (false, 1) => "heat s3 h1",
        (false, 2) => "heat s3 h2",
        (false, _) => "heat s3",
    }
}

fn legend(canvas: &mut Canvas) {
    canvas.text("tick", (8.0, 14.0), "upper half: ahead, lower half: behind");
    let mut x = LEFT + 30.0;
    for (words, strength) in LEGEND {
        for (ahead, y) in [(true, 3.0), (false, 3.0 + ROW / 2.0)] {
            let d = format!("M{} {}{}", px(x), px(y), cell(12.0));
            canvas.path(class(ahead, strength), &d);
        }
        canvas.text("tick", (x + 16.0, 16.0), words);
        x += 76.0;
    }
}

#[cfg(test)]
mod tests;
