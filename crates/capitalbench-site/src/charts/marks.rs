//! Eight colours, each with a shape of its own.

use std::fmt::Write as _;

use super::px;

/// Pairs of colour and shape; later series share the last.
const PAIRS: usize = 8;

/// The class of a series by its place.
pub(crate) fn series(place: usize) -> String {
    format!("s{}", place.min(PAIRS - 1))
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

/// The outline of a series' shape around a point.
pub(super) fn shape(place: usize, (x, y): (f64, f64), r: f64) -> String {
    let points = |points: &[(f64, f64)]| {
        polyline(points.iter().map(|(dx, dy)| (x + dx * r, y + dy * r))) + "Z"
    };
    match place {
        1 => points(&[(-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)]),
        2 => points(&[(0.0, -1.1), (1.1, 0.9), (-1.1, 0.9)]),
        3 => points(&[(0.0, -1.25), (1.25, 0.0), (0.0, 1.25), (-1.25, 0.0)]),
        4 => points(&[(0.0, 1.1), (1.1, -0.9), (-1.1, -0.9)]),
        5 => points(&[
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
        ]),
        6 => points(&[
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
        ]),
        _ => {
            let (left, top, two) = (px(x - r), px(y), px(2.0 * r));
            let back = px(-2.0 * r);
            let r = px(r);
            format!("M{left} {top}a{r} {r} 0 1 0 {two} 0a{r} {r} 0 1 0 {back} 0Z")
        }
    }
}
