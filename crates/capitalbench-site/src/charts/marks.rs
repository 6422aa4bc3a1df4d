//! Colours and shapes: whatever is drawn is told apart by both.

use std::fmt::Write as _;

use super::px;
use crate::html::Html;

/// Colours of models.
pub(crate) const COLOURS: usize = 8;
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

/// The outline of a shape around a point.
pub(super) fn shape(number: usize, (x, y): (f64, f64), r: f64) -> String {
    let points = |points: &[(f64, f64)]| {
        polyline(points.iter().map(|(dx, dy)| (x + dx * r, y + dy * r))) + "Z"
    };
    match number {
        1 => points(&[(-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)]),
        2 => points(&[(0.0, -1.1), (1.1, 0.9), (-1.1, 0.9)]),
        3 => points(&[(0.0, -1.25), (1.25, 0.0), (0.0, 1.25), (-1.25, 0.0)]),
        4 => points(&[(0.0, 1.1), (1.1, -0.9), (-1.1, -0.9)]),
        5 => points(&CROSS),
        6 => points(&STAR),
        // The cross, turned by an eighth.
        7 => points(&CROSS.map(|(dx, dy)| ((dx - dy) * 0.7071, (dx + dy) * 0.7071))),
        _ => {
            let (left, top, two) = (px(x - r), px(y), px(2.0 * r));
            let back = px(-2.0 * r);
            let r = px(r);
            format!("M{left} {top}a{r} {r} 0 1 0 {two} 0a{r} {r} 0 1 0 {back} 0Z")
        }
    }
}
