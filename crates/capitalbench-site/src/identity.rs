//! [`Identity`]: whose site it is.

use bytes::Bytes;
use capitalbench_core::league::accent::{Accent, Colour, hex};
use capitalbench_core::league::licence::Licence;
use capitalbench_core::values::ids::Digest;

use crate::bitmap::Bitmap;

/// The accent where nobody chose one, on light and on dark paper.
const USUAL: [Colour; 2] = [[0x0b, 0x5f, 0xa5], [0x7d, 0xb7, 0xea]];

/// The name, the colour and the logo of a league.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    /// The name at the top of every page, in titles, feeds and images.
    pub name: String,
    /// The colour of links, icon and images.
    pub accent: Option<Accent>,
    /// A picture beside the name.
    pub logo: Option<Logo>,
    /// What readers may do with the data.
    pub licence: Option<Licence>,
    /// Leagues that have their own pages on the same host, named at the top of every page.
    pub neighbours: Vec<Neighbour>,
}

/// Another league, whose rounds and boards are never mixed with those of this one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Neighbour {
    /// What it is called.
    pub name: String,
    /// Its first page, seen from the first page of this league, such as `leagues/europe/`.
    pub address: String,
}

/// A picture as it is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Logo {
    bytes: Bytes,
    /// What stands on images too; an SVG stands on pages alone.
    bitmap: Option<Bitmap>,
}

/// The largest picture that every page may load.
const LARGEST: usize = 100_000;
/// What a picture does not need and a browser would run.
const ACTIVE: [&str; 4] = ["<script", "<foreignobject", "javascript:", "<!entity"];

impl Default for Identity {
    fn default() -> Self {
        Self {
            name: "CapitalBench".to_owned(),
            accent: None,
            logo: None,
            licence: None,
            neighbours: Vec::new(),
        }
    }
}

impl Identity {
    /// What changes whenever something of it does.
    pub(crate) fn mark(&self) -> Digest {
        let logo = self.logo.as_ref().map(|logo| Digest::of(&logo.bytes));
        let neighbours = &self.neighbours;
        let whole = format!("{:?} {:?} {logo:?} {neighbours:?}", self.name, self.accent);
        Digest::of(whole.as_bytes())
    }

    /// The accent on light paper.
    pub(crate) fn light(&self) -> Colour {
        self.accent.map_or(USUAL[0], Accent::on_light)
    }

    /// A style sheet or a drawing with the usual accents → with those of the league.
    pub(crate) fn coloured(&self, text: &str) -> String {
        let Some(accent) = self.accent else {
            return text.to_owned();
        };
        let [light, dark] = USUAL.map(hex);
        text.replace(&light, &hex(accent.on_light()))
            .replace(&dark, &hex(accent.on_dark()))
    }
}

impl Logo {
    /// Recognises a PNG or an SVG; says what is wrong with anything else.
    pub fn read(bytes: Bytes) -> Result<Self, String> {
        if bytes.len() > LARGEST {
            let size = bytes.len();
            return Err(format!(
                "has {size} bytes; every page loads it, so it may have {LARGEST}"
            ));
        }
        if bytes.starts_with(b"\x89PNG\r\n\x1a\n") {
            let bitmap = Bitmap::read(&bytes);
            let problem =
                "is a PNG with more than 8 bits, interlaced, damaged or above 2000 pixels";
            let bitmap = Some(bitmap.ok_or(problem)?);
            return Ok(Self { bytes, bitmap });
        }
        let text = std::str::from_utf8(&bytes).unwrap_or_default();
        let text = text.to_ascii_lowercase();
        if !text.contains("<svg") {
            return Err("is no picture in the form PNG or SVG".to_owned());
        }
        if let Some(active) = ACTIVE.iter().find(|active| text.contains(**active)) {
            return Err(format!(
                "holds `{active}`, which a browser could run; export it as a plain drawing"
            ));
        }
        let bitmap = None;
        Ok(Self { bytes, bitmap })
    }

    /// Its path on the site.
    pub(crate) fn path(&self) -> &'static str {
        match self.bitmap {
            Some(_) => "logo.png",
            None => "logo.svg",
        }
    }

    /// The pixels for an image.
    pub(crate) fn bitmap(&self) -> Option<&Bitmap> {
        self.bitmap.as_ref()
    }

    pub(crate) fn bytes(&self) -> Bytes {
        self.bytes.clone()
    }
}

#[cfg(test)]
mod tests;
