//! Colours and shapes: whatever is drawn is told apart by both.

use std::f64::consts::FRAC_1_SQRT_2;
use std::fmt::Write as _;

use super::px;
use crate::html::Html;
use crate::raster::{Colour, outlines};

/// Colours of models.
pub(crate) const COLOURS: usize = 8;
/// Colours on light paper, in order.
const INKS: [Colour; COLOURS] = [
    [0x00, 0x72, 0xb2],
    [0xb9, 0x77, 0x00],
    [0x00, 0x80, 0x5c],
    [0xc0, 0x4e, 0x00],
    [0x2f, 0x8f, 0xc4],
    [0xa8, 0x58, 0x8a],
    [0x8a, 0x7f, 0x00],
    [0x6b, 0x42, 0x26],
];
/// A circle of eight curves.
const CIRCLE: &str = "M1 0Q1 0.4142 0.7071 0.7071Q0.4142 1 0 1Q-0.4142 1 -0.7071 0.7071Q-1 0.4142 -1 0\
                      Q-1 -0.4142 -0.7071 -0.7071Q-0.4142 -1 0 -1Q0.4142 -1 0.7071 -0.7071Q1 -0.4142 1 0Z";
/// Shapes of models.
pub(crate) const SHAPES: usize = 8;

/// The colour and the shape of something drawn, by their numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Look {
    pub(crate) colour: usize,
    pub(crate) shape: usize,
}

impl Look {
    /// An entrant without a look of its own, such as a control.
    pub(crate) const OTHER: Self = Self::new(COLOURS, 0);

    pub(crate) const fn new(colour: usize, shape: usize) -> Self {
        Self { colour, shape }
    }

    /// The class that gives the colour.
    pub(super) fn class(self) -> String {
        format!("s{}", self.colour)
    }

    /// The outline of the shape around a point.
    pub(super) fn outline(self, at: (f64, f64), r: f64) -> String {
        shape(self.shape, at, r)
    }

    /// The shape around a point as straight lines.
    pub(crate) fn polygon(self, (x, y): (f64, f64), r: f64) -> Vec<(f64, f64)> {
        let mut corners = corners(self.shape);
        if corners.is_empty() {
            corners = outlines(CIRCLE).concat();
        }
        corners
            .iter()
            .map(|(dx, dy)| (x + dx * r, y + dy * r))
            .collect()
    }

    /// The colour on light paper, as the style sheet has it.
    pub(crate) fn ink(self) -> Colour {
        INKS.get(self.colour).copied().unwrap_or([0x5c, 0x5f, 0x64])
    }

    /// A small mark for a line of text.
    pub(crate) fn inline(self) -> Html {
        let (class, d) = (self.class(), self.outline((6.0, 6.0), 4.2));
        Html::made(format!(
            "<svg class=\"m {class}\" viewBox=\"0 0 12 12\" aria-hidden=\"true\"><path d=\"{d}\"/></svg>"
        ))
    }
}

/// Straight lines from point to point.
pub(super) fn polyline(points: impl Iterator<Item = (f64, f64)>) -> String {
    let mut d = String::new();
    for (x, y) in points {
        let letter = if d.is_empty() { 'M' } else { 'L' };
        let _ = write!(d, "{letter}{} {}", px(x), px(y));
    }
    d
}

const CROSS: [(f64, f64); 12] = [
    (-0.4, -1.2),
    (0.4, -1.2),
    (0.4, -0.4),
    (1.2, -0.4),
    (1.2, 0.4),
    (0.4, 0.4),
    (0.4, 1.2),
    (-0.4, 1.2),
    (-0.4, 0.4),
    (-1.2, 0.4),
    (-1.2, -0.4),
    (-0.4, -0.4),
];
const STAR: [(f64, f64); 10] = [
    (0.0, -1.3),
    (0.35, -0.45),
    (1.25, -0.4),
    (0.55, 0.2),
    (0.8, 1.1),
    (0.0, 0.6),
    (-0.8, 1.1),
    (-0.55, 0.2),
    (-1.25, -0.4),
    (-0.35, -0.45),
];

/// Corners of a shape whose radius is one; none of a circle.
fn corners(number: usize) -> Vec<(f64, f64)> {
    match number {
        1 => vec![(-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)],
        2 => vec![(0.0, -1.1), (1.1, 0.9), (-1.1, 0.9)],
        3 => vec![(0.0, -1.25), (1.25, 0.0), (0.0, 1.25), (-1.25, 0.0)],
        4 => vec![(0.0, 1.1), (1.1, -0.9), (-1.1, -0.9)],
        5 => CROSS.to_vec(),
        6 => STAR.to_vec(),
        // The cross, turned by an eighth.
        7 => CROSS
            .map(|(dx, dy)| ((dx - dy) * FRAC_1_SQRT_2, (dx + dy) * FRAC_1_SQRT_2))
            .to_vec(),
        _ => Vec::new(),
    }
}

/// The outline of a shape around a point.
pub(super) fn shape(number: usize, (x, y): (f64, f64), r: f64) -> String {
    let corners = corners(number);
    if !corners.is_empty() {
        return polyline(corners.iter().map(|(dx, dy)| (x + dx * r, y + dy * r))) + "Z";
    }
    let (left, top, two) = (px(x - r), px(y), px(2.0 * r));
    let back = px(-2.0 * r);
    let r = px(r);
    format!("M{left} {top}a{r} {r} 0 1 0 {two} 0a{r} {r} 0 1 0 {back} 0Z")
}
