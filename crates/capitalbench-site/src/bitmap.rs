//! [`Bitmap`]: a PNG as pixels, so that a logo can stand on an image.

use std::io::Read as _;

use flate2::read::ZlibDecoder;

/// The widest and highest picture that is taken.
const LARGEST: usize = 2_000;
const BEGIN: &[u8] = b"\x89PNG\r\n\x1a\n";

/// Pixels as red, green, blue and how much they cover.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Bitmap {
    pub(crate) width: usize,
    pub(crate) height: usize,
    pixels: Vec<[u8; 4]>,
}

/// What a file says of its pixels.
struct Form {
    width: usize,
    height: usize,
    colours: Colours,
    palette: Vec<[u8; 4]>,
}

#[derive(Debug, Clone, Copy)]
enum Colours {
    Grey,
    Rgb,
    Palette,
    GreyAlpha,
    RgbAlpha,
}

impl Colours {
    /// Bytes of a pixel.
    fn bytes(self) -> usize {
        match self {
            Self::Grey | Self::Palette => 1,
            Self::GreyAlpha => 2,
            Self::Rgb => 3,
            Self::RgbAlpha => 4,
        }
    }
}

impl Bitmap {
    /// Reads a PNG of eight bits without interlacing; none for any other.
    pub(crate) fn read(bytes: &[u8]) -> Option<Self> {
        let mut rest = bytes.strip_prefix(BEGIN)?;
        let (mut form, mut packed) = (None, Vec::new());
        while let Some((kind, body, after)) = chunk(rest) {
            match (kind, &mut form) {
                (b"IHDR", None) => form = Some(Form::read(body)?),
                (b"PLTE", Some(own)) => {
                    let (colours, _) = body.as_chunks::<3>();
                    own.palette = colours.iter().map(|[r, g, b]| [*r, *g, *b, 255]).collect();
                }
                (b"tRNS", Some(own)) => {
                    let covers = own.palette.iter_mut().zip(body);
                    covers.for_each(|(colour, cover)| colour[3] = *cover);
                }
                (b"IDAT", Some(_)) => packed.extend_from_slice(body),
                _ => {}
            }
            rest = after;
        }
        let form = form?;
        let line = form.width * form.colours.bytes();
        let size = (line + 1) * form.height;
        let mut rows = Vec::new();
        let mut unpacked = ZlibDecoder::new(packed.as_slice()).take(size as u64);
        unpacked.read_to_end(&mut rows).ok()?;
        if rows.len() != size {
            return None;
        }
        let mut pixels = Vec::with_capacity(form.width * form.height);
        let mut above = vec![0; line];
        for row in rows.chunks(line + 1) {
            let (filter, own) = row.split_first()?;
            let whole = unfiltered(*filter, own, &above, form.colours.bytes())?;
            for pixel in whole.chunks(form.colours.bytes()) {
                pixels.push(form.pixel(pixel)?);
            }
            above = whole;
        }
        Some(Self {
            width: form.width,
            height: form.height,
            pixels,
        })
    }

    /// The mean colour of a part, and how much of it is covered; columns and rows are from and to.
    pub(crate) fn mean(&self, columns: [usize; 2], rows: [usize; 2]) -> ([f64; 3], f64) {
        let (mut sum, mut covered, mut count) = ([0.0; 3], 0.0, 0.0);
        for row in rows[0]..rows[1].max(rows[0] + 1).min(self.height) {
            for column in columns[0]..columns[1].max(columns[0] + 1).min(self.width) {
                let [r, g, b, cover] = self.pixels[row * self.width + column].map(f64::from);
                for (sum, own) in sum.iter_mut().zip([r, g, b]) {
                    *sum += own * cover;
                }
                covered += cover;
                count += 255.0;
            }
        }
        if covered <= 0.0 {
            return ([0.0; 3], 0.0);
        }
        (sum.map(|own| own / covered), covered / count)
    }
}

impl Form {
    fn read(head: &[u8]) -> Option<Self> {
        let number = |at: usize| {
            let bytes = head.get(at..at + 4)?.try_into().ok()?;
            let number = usize::try_from(u32::from_be_bytes(bytes)).ok()?;
            (1..=LARGEST).contains(&number).then_some(number)
        };
        let [depth, colours, _, _, interlaced] = *head.get(8..13)? else {
            return None;
        };
        let colours = match colours {
            0 => Colours::Grey,
            2 => Colours::Rgb,
            3 => Colours::Palette,
            4 => Colours::GreyAlpha,
            6 => Colours::RgbAlpha,
            _ => return None,
        };
        (depth == 8 && interlaced == 0).then_some(Self {
            width: number(0)?,
            height: number(4)?,
            colours,
            palette: Vec::new(),
        })
    }

    fn pixel(&self, own: &[u8]) -> Option<[u8; 4]> {
        Some(match (self.colours, own) {
            (Colours::Grey, &[grey]) => [grey, grey, grey, 255],
            (Colours::GreyAlpha, &[grey, cover]) => [grey, grey, grey, cover],
            (Colours::Rgb, &[r, g, b]) => [r, g, b, 255],
            (Colours::RgbAlpha, &[r, g, b, cover]) => [r, g, b, cover],
            (Colours::Palette, &[place]) => *self.palette.get(usize::from(place))?,
            _ => return None,
        })
    }
}

/// The kind and the body of the first chunk, and what follows it.
fn chunk(bytes: &[u8]) -> Option<(&[u8; 4], &[u8], &[u8])> {
    let (length, rest) = bytes.split_first_chunk::<4>()?;
    let (kind, rest) = rest.split_first_chunk::<4>()?;
    let length = usize::try_from(u32::from_be_bytes(*length)).ok()?;
    let (body, rest) = rest.split_at_checked(length)?;
    Some((kind, body, rest.get(4..)?))
}

/// A row as it was before its filter; `step` is the size of a pixel.
fn unfiltered(filter: u8, row: &[u8], above: &[u8], step: usize) -> Option<Vec<u8>> {
    let mut whole: Vec<u8> = Vec::with_capacity(row.len());
    for (place, byte) in row.iter().enumerate() {
        let before = |from: &[u8]| place.checked_sub(step).map_or(0, |at| from[at]);
        let (left, up, corner) = (before(&whole), above[place], before(above));
        let guess = match filter {
            0 => 0,
            1 => left,
            2 => up,
            3 => u8::midpoint(left, up),
            4 => nearest(left, up, corner),
            _ => return None,
        };
        whole.push(byte.wrapping_add(guess));
    }
    Some(whole)
}

/// Paeth's guess: whichever of three neighbours is nearest to their plane.
fn nearest(left: u8, up: u8, corner: u8) -> u8 {
    let [a, b, c] = [left, up, corner].map(i16::from);
    let guess = a + b - c;
    let far = |own: i16| (guess - own).abs();
    if far(a) <= far(b) && far(a) <= far(c) {
        left
    } else if far(b) <= far(c) {
        up
    } else {
        corner
    }
}

#[cfg(test)]
mod tests;
