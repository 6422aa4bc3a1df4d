//! A small SVG with returns as bars and lines for the reference and the best option; the same figures
//! give the same picture.

use capitalbench_core::values::units::signed_percent;

#[derive(Debug, Clone, PartialEq)]
pub struct Bar {
    pub label: String,
    /// The return, as a fraction.
    pub value: f64,
}

/// A chart of returns.
#[derive(Debug, Clone, PartialEq)]
pub struct Chart {
    pub title: String,
    /// The bars, from top to bottom.
    pub bars: Vec<Bar>,
    /// Return of the reference, with its name.
    pub reference: (String, f64),
    /// Return of the best option, where it is known.
    pub oracle: Option<f64>,
}

const WIDTH: f64 = 760.0;
const LEFT: f64 = 230.0;
const RIGHT: f64 = 90.0;
const TOP: f64 = 70.0;
const ROW: f64 = 26.0;
const BOTTOM: f64 = 24.0;
const LONGEST_LABEL: usize = 32;

/// Escapes a text, so that it cannot become markup.
fn text(text: &str) -> String {
    let mut shown: String = text.chars().filter(|c| !c.is_control()).collect();
    if let Some((end, _)) = shown.char_indices().nth(LONGEST_LABEL) {
        shown.truncate(end);
        shown.push('…');
    }
    shown
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
        .replace('\'', "&#39;")
}

/// Positions of returns, and the lower end of the bars.
struct Scale {
    low: f64,
    span: f64,
    bottom: f64,
}

impl Scale {
    fn of(chart: &Chart) -> Self {
        let bars = chart.bars.iter().map(|bar| bar.value);
        let values: Vec<f64> = bars
            .chain([chart.reference.1])
            .chain(chart.oracle)
            .collect();
        let low = values.iter().copied().fold(0.0, f64::min);
        let high = values.iter().copied().fold(0.0, f64::max);
        let rows = u32::try_from(chart.bars.len()).unwrap_or(u32::MAX);
        Self {
            low,
            span: if high > low { high - low } else { 1.0 },
            bottom: TOP + ROW * f64::from(rows),
        }
    }

    fn x(&self, value: f64) -> f64 {
        LEFT + (value - self.low) / self.span * (WIDTH - LEFT - RIGHT)
    }
}

pub fn svg(chart: &Chart) -> String {
    let scale = Scale::of(chart);
    let height = scale.bottom + BOTTOM;
    let title = text_of_title(&chart.title);
    let mut lines = vec![
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" \
             role=\"img\" font-family=\"sans-serif\" font-size=\"13\">"
        ),
        format!("<title>{title}</title>"),
        format!("<rect width=\"{WIDTH}\" height=\"{height}\" fill=\"#ffffff\"/>"),
        format!("<text x=\"12\" y=\"22\" font-size=\"15\" fill=\"#111111\">{title}</text>"),
    ];
    let tops = std::iter::successors(Some(TOP), |top| Some(top + ROW));
    let bars = chart.bars.iter().zip(tops);
    lines.extend(bars.flat_map(|(bar, top)| bar_lines(bar, &scale, top)));
    let (name, value) = &chart.reference;
    lines.extend(mark_lines((name, *value), "#9a4b00", 44.0, &scale));
    if let Some(oracle) = chart.oracle {
        lines.extend(mark_lines(("best option", oracle), "#1d6b2f", 60.0, &scale));
    }
    lines.push(format!(
        "<line x1=\"{0:.2}\" y1=\"{TOP}\" x2=\"{0:.2}\" y2=\"{1:.2}\" stroke=\"#444444\"/>",
        scale.x(0.0),
        scale.bottom
    ));
    lines.push("</svg>\n".to_owned());
    lines.join("\n")
}

fn bar_lines(bar: &Bar, scale: &Scale, top: f64) -> [String; 3] {
    let (from, to) = (scale.x(bar.value.min(0.0)), scale.x(bar.value.max(0.0)));
    let middle = top + ROW * 0.66;
    [
        format!(
            "<text x=\"{:.2}\" y=\"{middle:.2}\" text-anchor=\"end\" fill=\"#111111\">{}</text>",
            LEFT - 8.0,
            text(&bar.label)
        ),
        format!(
            "<rect x=\"{from:.2}\" y=\"{:.2}\" width=\"{:.2}\" height=\"{:.2}\" fill=\"#3b6ea8\"/>",
            top + 4.0,
            to - from,
            ROW - 8.0
        ),
        format!(
            "<text x=\"{:.2}\" y=\"{middle:.2}\" fill=\"#111111\">{}</text>",
            to + 6.0,
            signed_percent(bar.value)
        ),
    ]
}

fn mark_lines((name, value): (&str, f64), colour: &str, y: f64, scale: &Scale) -> [String; 2] {
    let x = scale.x(value);
    [
        format!(
            "<line x1=\"{x:.2}\" y1=\"{:.2}\" x2=\"{x:.2}\" y2=\"{:.2}\" stroke=\"{colour}\" \
             stroke-width=\"1.5\" stroke-dasharray=\"4 3\"/>",
            y + 4.0,
            scale.bottom
        ),
        format!(
            "<text x=\"{:.2}\" y=\"{y:.2}\" text-anchor=\"middle\" fill=\"{colour}\">{} {}</text>",
            x.clamp(LEFT - 60.0, WIDTH - RIGHT),
            text(name),
            signed_percent(value)
        ),
    ]
}

fn text_of_title(title: &str) -> String {
    let parts: Vec<String> = title.split(", ").map(text).collect();
    parts.join(", ")
}

#[cfg(test)]
mod tests;
