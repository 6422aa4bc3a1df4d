//! [`Accent`]: the one colour of a league, as links have it on light and on dark paper.

use std::fmt;

/// Red, green and blue.
pub type Colour = [u8; 3];

/// What links are read on in the light theme: the darker of paper and wash.
const LIGHT: Colour = [0xf1, 0xf1, 0xec];
/// The same in the dark theme: the lighter of both.
const DARK: Colour = [0x1c, 0x1f, 0x23];
/// The contrast that text needs (WCAG 2, level AA).
const READABLE: f64 = 4.5;
/// Steps between a colour and black or white.
const STEPS: u32 = 64;

/// A colour that somebody chose, and what becomes of it where it could not be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Accent {
    chosen: Colour,
}

impl Accent {
    /// Reads six hexadecimal digits, with or without `#` before them.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let digits = text.strip_prefix('#').unwrap_or(text);
        if digits.len() != 6 || !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return None;
        }
        let [_, red, green, blue] = u32::from_str_radix(digits, 16).ok()?.to_be_bytes();
        Some(Self {
            chosen: [red, green, blue],
        })
    }

    /// The colour on light paper: darker than chosen where links could not be read.
    pub fn on_light(self) -> Colour {
        self.readable(LIGHT, [0; 3])
    }

    /// The colour on dark paper: lighter than chosen where links could not be read.
    pub fn on_dark(self) -> Colour {
        self.readable(DARK, [0xff; 3])
    }

    /// The first colour on the way to an end that can be read on some paper.
    fn readable(self, paper: Colour, end: Colour) -> Colour {
        let mixed = |step: u32| {
            let mix = |place: usize| {
                let [from, to] = [self.chosen[place], end[place]].map(u32::from);
                let value = (from * (STEPS - step) + to * step + STEPS / 2) / STEPS;
                u8::try_from(value).unwrap_or(u8::MAX)
            };
            [mix(0), mix(1), mix(2)]
        };
        let mut steps = (0..=STEPS).map(mixed);
        steps
            .find(|colour| contrast(*colour, paper) >= READABLE)
            .unwrap_or(end)
    }
}

impl fmt::Display for Accent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex(self.chosen))
    }
}

/// A colour as style sheets write it.
pub fn hex([red, green, blue]: Colour) -> String {
    format!("#{red:02x}{green:02x}{blue:02x}")
}

/// The contrast of two colours (WCAG 2): 1 for equal ones, 21 for black on white.
fn contrast(one: Colour, other: Colour) -> f64 {
    let [one, other] = [luminance(one), luminance(other)];
    (one.max(other) + 0.05) / (one.min(other) + 0.05)
}

fn luminance(colour: Colour) -> f64 {
    let part = |value: u8| {
        let share = f64::from(value) / 255.0;
        if share <= 0.04045 {
            share / 12.92
        } else {
            libm::pow((share + 0.055) / 1.055, 2.4)
        }
    };
    0.2126 * part(colour[0]) + 0.7152 * part(colour[1]) + 0.0722 * part(colour[2])
}

#[cfg(test)]
mod tests;
