//! Histograms with marks, and bars that add up.

use std::fmt::Write as _;

use super::marks::shape;
use super::scale::{Scale, thinned};
use super::{Canvas, KeyRow, Look, PLOT, fitted, px, spread};
use crate::figures::signed_percent;
use crate::html::Html;

/// A labelled value on the axis of a histogram.
#[derive(Debug, Clone)]
pub(crate) struct Mark {
    pub(crate) label: String,
    pub(crate) value: f64,
    pub(crate) look: Look,
}

/// Counts in equal bins, with marks above them.
#[derive(Debug, Clone)]
pub(crate) struct Histogram<'a> {
    pub(crate) title: String,
    pub(crate) low: f64,
    pub(crate) high: f64,
    pub(crate) bins: &'a [u32],
    pub(crate) marks: Vec<Mark>,
}

impl Histogram<'_> {
    /// Draws the chart; labels stand in a column at the right, joined to their marks.
    #[expect(clippy::cast_precision_loss, reason = "a few dozen bins")]
    pub(crate) fn draw(&self) -> Html {
        let (left, right, top) = (16.0, PLOT, 16.0);
        let rows = self.marks.len() as f64;
        let height = 220.0_f64.max(rows * 13.0 + 60.0);
        let bottom = height - 26.0;
        let ends = [self.low, self.high];
        let x = Scale::over(self.marks.iter().map(|m| m.value).chain(ends), left, right);
        let most = self.bins.iter().copied().max().unwrap_or(1).max(1);
        let y = Scale::between(0.0, f64::from(most), bottom, top + 20.0);
        let mut canvas = Canvas::new(height, &self.title);
        let width = (self.high - self.low) / self.bins.len().max(1) as f64;
        let mut d = String::new();
        for (place, count) in self.bins.iter().enumerate().filter(|bin| *bin.1 > 0) {
            let from = self.low + width * place as f64;
            let (from, to) = (x.at(from), x.at(from + width));
            let top = y.at(f64::from(*count));
            let [from, to, top, bottom] = [from, to, top, bottom].map(px);
            let _ = write!(d, "M{from} {bottom}V{top}H{to}V{bottom}Z");
        }
        canvas.path("bins", &d);
        for tick in x.ticks(7.0) {
            let at = (x.at(tick), height - 8.0);
            canvas.text("tick mid", at, &signed_percent(tick));
        }
        canvas.line("axis", (left, bottom), (right, bottom));
        let keys = self.draw_marks(&mut canvas, &x, (top, bottom));
        canvas.finish_with(&keys)
    }

    /// Draws every mark with its label, from the highest value down.
    #[expect(clippy::cast_precision_loss, reason = "a few dozen marks")]
    fn draw_marks(&self, canvas: &mut Canvas, x: &Scale, (top, bottom): (f64, f64)) -> Vec<KeyRow> {
        let mut order: Vec<&Mark> = self.marks.iter().collect();
        order.sort_by(|a, b| b.value.total_cmp(&a.value));
        let wanted: Vec<f64> = (0..order.len())
            .map(|row| top + 13.0 * row as f64)
            .collect();
        let placed = spread(&wanted, 13.0, bottom);
        let mut keys = Vec::new();
        for (mark, at) in order.iter().zip(placed) {
            let at_x = x.at(mark.value);
            canvas.line("lead", (at_x, bottom), (at_x, at));
            canvas.line("lead", (at_x, at), (PLOT + 10.0, at));
            let value = signed_percent(mark.value);
            let key = KeyRow::of(mark.look, format!("{value} {}", fitted(&mark.label)));
            let drawn = mark.look.outline((at_x, bottom - 5.0), 3.8);
            canvas.told(&key.class, &drawn, &format!("{}: {value}", mark.label));
            canvas.path(&key.class, &mark.look.outline((PLOT + 16.0, at), 3.4));
            canvas.text("label", (PLOT + 24.0, at + 4.0), &key.text);
            keys.push(key);
        }
        keys
    }
}

/// Bars of shares that add up to one, in order of time.
#[derive(Debug, Clone)]
pub(crate) struct StackedBars {
    pub(crate) title: String,
    pub(crate) labels: Vec<String>,
    /// Names of the parts, from the bottom.
    pub(crate) parts: Vec<&'static str>,
    /// Shares of each bar, in order of the parts.
    pub(crate) bars: Vec<Vec<f64>>,
}

impl StackedBars {
    #[expect(clippy::cast_precision_loss, reason = "some hundred bars")]
    pub(crate) fn draw(&self) -> Html {
        let (left, right, top, bottom, height) = (56.0, PLOT - 6.0, 8.0, 160.0, 188.0);
        let y = Scale::between(0.0, 1.0, bottom, top);
        let step = (right - left) / self.bars.len().max(1) as f64;
        let width = (step * 0.86).min(24.0);
        let mut canvas = Canvas::new(height, &self.title);
        for share in [0.0, 0.5, 1.0] {
            let label = crate::figures::share(share);
            canvas.row("gridline", (left, right), y.at(share), &label);
        }
        let mut keys = Vec::new();
        for (part, name) in self.parts.iter().enumerate() {
            let mut d = String::new();
            for (place, bar) in self.bars.iter().enumerate() {
                let below: f64 = bar.iter().take(part).sum();
                let own = bar.get(part).copied().unwrap_or_default();
                if own > 0.0 {
                    let x = left + step * place as f64;
                    let (from, to) = (px(y.at(below)), px(y.at(below + own)));
                    let _ = write!(d, "M{} {from}V{to}h{}V{from}Z", px(x), px(width));
                }
            }
            canvas.path(&format!("part g{part}"), &d);
            let at = bottom - 6.0 - 22.0 * part as f64;
            let key = KeyRow {
                class: format!("part g{part}"),
                shape: 1,
                text: (*name).to_owned(),
            };
            canvas.path(&key.class, &shape(1, (right + 16.0, at), 5.0));
            canvas.text("label", (right + 27.0, at + 4.0), name);
            keys.insert(0, key);
        }
        for place in thinned(self.labels.len(), 4) {
            let x = left + step * place as f64;
            canvas.text("tick", (x, height - 8.0), &self.labels[place]);
        }
        canvas.finish_with(&keys)
    }
}
