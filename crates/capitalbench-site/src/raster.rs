//! Pictures as PNG, for places that show no SVG: filled outlines on paper, the same bytes everywhere.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::sync::LazyLock;

pub(crate) use capitalbench_core::league::accent::Colour;
use flate2::write::ZlibEncoder;
use flate2::{Compression, Crc};

use crate::bitmap::Bitmap;

/// Units of the outlines of letters to the em.
const EM: f64 = 1024.0;
/// Steps between paper and ink: more would make larger files that look the same.
const LEVELS: f64 = 16.0;
/// Straight pieces of a curve.
const PIECES: u32 = 6;

/// Outlines of letters by their character.
type Letters = BTreeMap<char, Letter>;

static REGULAR: LazyLock<Letters> =
    LazyLock::new(|| letters(include_str!("../style/glyphs-regular.txt")));
static BOLD: LazyLock<Letters> =
    LazyLock::new(|| letters(include_str!("../style/glyphs-bold.txt")));

/// Closed lines in units of the em, upwards from the base line.
#[derive(Debug, Clone, Default)]
struct Letter {
    advance: f64,
    outlines: Vec<Vec<(f64, f64)>>,
}

/// How text is set.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Type {
    pub(crate) size: f64,
    pub(crate) weight: Weight,
    pub(crate) colour: Colour,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Weight {
    Regular,
    Bold,
}

impl Weight {
    fn letter(self, c: char) -> Option<&'static Letter> {
        let letters = match self {
            Self::Regular => &*REGULAR,
            Self::Bold => &*BOLD,
        };
        letters.get(&c).or_else(|| letters.get(&'?'))
    }
}

/// A picture under construction.
#[derive(Debug)]
pub(crate) struct Picture {
    width: usize,
    height: usize,
    pixels: Vec<Colour>,
}

impl Picture {
    pub(crate) fn new(width: usize, height: usize, paper: Colour) -> Self {
        Self {
            width,
            height,
            pixels: vec![paper; width * height],
        }
    }

    /// Fills closed lines; where they run in opposite directions, a hole stays.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a colour between two colours"
    )]
    pub(crate) fn fill(&mut self, outlines: &[Vec<(f64, f64)>], colour: Colour) {
        let points = || outlines.iter().flatten();
        let (left, right) = span(points().map(|point| point.0), self.width);
        let (top, bottom) = span(points().map(|point| point.1), self.height);
        if left >= right || top >= bottom {
            return;
        }
        // What each pixel adds to the area that its row has covered so far.
        let part = Part {
            left,
            top,
            width: right - left,
            height: bottom - top,
        };
        let mut area = vec![0.0_f64; (part.width + 2) * part.height];
        for outline in outlines {
            for (place, point) in outline.iter().enumerate() {
                edge(
                    &mut area,
                    part,
                    *point,
                    outline[(place + 1) % outline.len()],
                );
            }
        }
        for (row, added) in area.chunks(part.width + 2).enumerate() {
            let begin = (top + row) * self.width + left;
            let mut sum = 0.0;
            for (pixel, added) in self.pixels[begin..begin + part.width].iter_mut().zip(added) {
                sum += added;
                let share = (sum.abs().min(1.0) * LEVELS).round() / LEVELS;
                if share > 0.0 {
                    for (own, new) in pixel.iter_mut().zip(colour) {
                        let mixed = f64::from(*own) * (1.0 - share) + f64::from(new) * share;
                        *own = mixed.round() as u8;
                    }
                }
            }
        }
    }

    pub(crate) fn rectangle(
        &mut self,
        (x, y): (f64, f64),
        (width, height): (f64, f64),
        colour: Colour,
    ) {
        let corners = vec![
            (x, y),
            (x + width, y),
            (x + width, y + height),
            (x, y + height),
        ];
        self.fill(&[corners], colour);
    }

    /// A line of text from its left end; letters that are not known are question marks.
    pub(crate) fn text(&mut self, (mut x, y): (f64, f64), own: Type, text: &str) {
        let scale = own.size / EM;
        for c in text.chars() {
            let Some(letter) = own.weight.letter(c) else {
                continue;
            };
            let place = |outline: &Vec<(f64, f64)>| {
                let points = outline.iter();
                points
                    .map(|(dx, dy)| (x.round() + dx * scale, y - dy * scale))
                    .collect()
            };
            let outlines: Vec<Vec<(f64, f64)>> = letter.outlines.iter().map(place).collect();
            self.fill(&outlines, own.colour);
            x += letter.advance * scale;
        }
    }

    /// A line of text that ends here.
    pub(crate) fn text_to(&mut self, (x, y): (f64, f64), own: Type, text: &str) {
        self.text((x - width(own, text), y), own, text);
    }

    /// Draws a bitmap inside a box that is named by its right upper corner.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_precision_loss,
        clippy::cast_sign_loss,
        reason = "pixels inside the picture"
    )]
    pub(crate) fn place(
        &mut self,
        (right, top): (f64, f64),
        (widest, highest): (f64, f64),
        bitmap: &Bitmap,
    ) {
        let size = (bitmap.width as f64, bitmap.height as f64);
        let scale = (widest / size.0).min(highest / size.1);
        let shown = (
            (size.0 * scale).round().max(1.0) as usize,
            (size.1 * scale).round().max(1.0) as usize,
        );
        let (left, top) = (right as usize - shown.0, top as usize);
        let part = |place: usize, shown: usize, all: usize| {
            [place * all / shown, (place + 1) * all / shown]
        };
        for row in 0..shown.1 {
            let rows = part(row, shown.1, bitmap.height);
            for column in 0..shown.0 {
                let columns = part(column, shown.0, bitmap.width);
                let (colour, cover) = bitmap.mean(columns, rows);
                let at = (top + row) * self.width + left + column;
                for (own, new) in self.pixels[at].iter_mut().zip(colour) {
                    *own = (f64::from(*own) * (1.0 - cover) + new * cover).round() as u8;
                }
            }
        }
    }

    /// The picture as a file.
    pub(crate) fn png(&self) -> Vec<u8> {
        let mut rows = Vec::with_capacity(self.height * (self.width * 3 + 1));
        for row in self.pixels.chunks(self.width) {
            // No filter: the same letters give the same bytes, which pack best as they are.
            rows.push(0);
            rows.extend(row.iter().flatten());
        }
        let mut packed = ZlibEncoder::new(Vec::new(), Compression::default());
        // Writing into memory cannot fail.
        let _ = packed.write_all(&rows);
        let packed = packed.finish().unwrap_or_default();
        let size = |number: usize| u32::try_from(number).unwrap_or_default().to_be_bytes();
        let mut head = [size(self.width), size(self.height)].concat();
        head.extend([8, 2, 0, 0, 0]);
        let mut file = b"\x89PNG\r\n\x1a\n".to_vec();
        for (kind, data) in [(b"IHDR", &head), (b"IDAT", &packed), (b"IEND", &Vec::new())] {
            let mut crc = Crc::new();
            crc.update(kind);
            crc.update(data);
            file.extend(size(data.len()));
            file.extend(kind);
            file.extend(data);
            file.extend(crc.sum().to_be_bytes());
        }
        file
    }
}

/// How wide a line of text is.
pub(crate) fn width(own: Type, text: &str) -> f64 {
    let advance = |c: char| own.weight.letter(c).map_or(0.0, |letter| letter.advance);
    text.chars().map(advance).sum::<f64>() * own.size / EM
}

/// A part of a picture.
#[derive(Debug, Clone, Copy)]
struct Part {
    left: usize,
    top: usize,
    width: usize,
    height: usize,
}

/// The whole pixels that some values lie in, cut at the edge of the picture.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "pixels inside the picture"
)]
fn span(values: impl Iterator<Item = f64>, most: usize) -> (usize, usize) {
    let (low, high) = values.fold((f64::MAX, f64::MIN), |(low, high), value| {
        (low.min(value), high.max(value))
    });
    let from = low.floor().max(0.0) as usize;
    (from, (high.ceil().max(0.0) as usize).min(most))
}

/// Adds the area right of one straight line to the rows that it crosses.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    reason = "pixels inside the picture"
)]
fn edge(area: &mut [f64], part: Part, a: (f64, f64), b: (f64, f64)) {
    if (a.1 - b.1).abs() < f64::EPSILON {
        return;
    }
    let (sign, top, bottom) = if a.1 < b.1 { (1.0, a, b) } else { (-1.0, b, a) };
    let slope = (bottom.0 - top.0) / (bottom.1 - top.1);
    let (left, last) = (part.left as f64, part.width as f64);
    let first_row = (top.1.floor().max(0.0) as usize).max(part.top);
    let end_row = (bottom.1.ceil().max(0.0) as usize).min(part.top + part.height);
    for row in first_row..end_row {
        let upper = top.1.max(row as f64);
        let lower = bottom.1.min((row + 1) as f64);
        if lower <= upper {
            continue;
        }
        let at = |y: f64| (top.0 + (y - top.1) * slope - left).clamp(0.0, last);
        let (x, other) = (at(upper), at(lower));
        let begin = (row - part.top) * (part.width + 2);
        let own = &mut area[begin..begin + part.width + 2];
        spread(own, (x.min(other), x.max(other)), sign * (lower - upper));
    }
}

/// Spreads the height of a line between two columns over the pixels between them.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    reason = "pixels inside the picture"
)]
fn spread(row: &mut [f64], (left, right): (f64, f64), height: f64) {
    let (first, last) = (left.floor() as usize, right.floor() as usize);
    let whole = right - left;
    let mut before = 0.0;
    for (column, cell) in row.iter_mut().enumerate().take(last + 1).skip(first) {
        let (from, to) = ((column as f64).max(left), ((column + 1) as f64).min(right));
        // The part of the line that lies in this pixel covers what is right of it, and the part
        // before this pixel covers the whole of it.
        let (crossed, own) = if whole > f64::EPSILON {
            ((from - left) / whole, (to - from) / whole)
        } else {
            (0.0, 1.0)
        };
        let covered = crossed + own * ((column + 1) as f64 - f64::midpoint(from, to));
        *cell += height * (covered - before);
        before = covered;
    }
    row[last + 1] += height * (1.0 - before);
}

/// Reads the outlines of letters; lines that are none are notes.
fn letters(source: &str) -> Letters {
    let letter = |line: &str| {
        let mut parts = line.splitn(3, ' ');
        let code = u32::from_str_radix(parts.next()?, 16).ok()?;
        let advance = parts.next()?.parse().ok()?;
        let outlines = outlines(parts.next().unwrap_or_default());
        Some((char::from_u32(code)?, Letter { advance, outlines }))
    };
    source.lines().filter_map(letter).collect()
}

/// Closed lines of a path of moves, lines and quadratic curves.
pub(crate) fn outlines(path: &str) -> Vec<Vec<(f64, f64)>> {
    let mut found: Vec<Vec<(f64, f64)>> = Vec::new();
    let steps: Vec<&str> = path
        .split_inclusive(|c: char| c.is_ascii_alphabetic())
        .collect();
    for step in steps.windows(2) {
        let kind = step[0].chars().next_back();
        let numbers = step[1].trim_end_matches(|c: char| c.is_ascii_alphabetic());
        let numbers: Vec<f64> = numbers
            .split_whitespace()
            .filter_map(|own| own.parse().ok())
            .collect();
        match (kind, numbers.as_slice()) {
            (Some('M'), [x, y]) => found.push(vec![(*x, *y)]),
            (Some('L'), [x, y]) => found
                .last_mut()
                .into_iter()
                .for_each(|own| own.push((*x, *y))),
            (Some('Q'), [cx, cy, x, y]) => {
                let Some(own) = found.last_mut() else {
                    continue;
                };
                let Some(&begin) = own.last() else { continue };
                for piece in 1..=PIECES {
                    let t = f64::from(piece) / f64::from(PIECES);
                    let mix = |a: f64, c: f64, b: f64| {
                        a * (1.0 - t) * (1.0 - t) + 2.0 * c * t * (1.0 - t) + b * t * t
                    };
                    own.push((mix(begin.0, *cx, *x), mix(begin.1, *cy, *y)));
                }
            }
            _ => {}
        }
    }
    found
}

#[cfg(test)]
mod tests;
