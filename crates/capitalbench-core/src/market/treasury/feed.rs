//! One month of the Treasury's XML feed: `feed > entry > content > properties`, with the element
//! `NEW_DATE` and one element per maturity, such as `BC_10YEAR`.
//!
//! It is not a general XML reader. It follows elements and their text, ignores attributes and
//! refuses what the feed does not have: declarations of documents and entities, and elements that do
//! not close.

use std::collections::BTreeSet;

use jiff::civil::Date;

use super::{CurveDay, Maturity};
use crate::values::time::parse_day;

/// A month has about 23 days of two kilobytes each.
pub const LARGEST_FEED: usize = 1 << 20;

/// No element of the feed lies deeper.
const DEEPEST: usize = 16;

/// Yields beyond this are an error of the feed, not of the market.
const HIGHEST_PERCENT: f64 = 100.0;
const LOWEST_PERCENT: f64 = -10.0;

/// Why a text is not a month of the feed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FeedFault {
    #[error("it is {0} bytes long, and a month has less than {LARGEST_FEED}")]
    TooLarge(usize),
    #[error("it is not the XML feed: {0}")]
    NotTheFeed(String),
    #[error("an entry has no NEW_DATE")]
    NoDay,
    #[error("{0:?} is not a day like 2026-01-02T00:00:00")]
    NotADay(String),
    #[error("{element} of {day} is {text:?}, which is not a yield in percent")]
    NotAYield {
        element: String,
        day: Date,
        text: String,
    },
    #[error("it holds {0} twice")]
    Twice(Date),
}

/// The days of a feed, oldest first.
///
/// A day whose every yield is zero was not published: the feed had such an entry on 14 April 2017,
/// when the market was closed.
pub fn parse_feed(text: &str) -> Result<Vec<CurveDay>, FeedFault> {
    if text.len() > LARGEST_FEED {
        return Err(FeedFault::TooLarge(text.len()));
    }
    let mut reader = Reader::default();
    let mut rest = text.trim_start_matches('\u{feff}');
    while !rest.is_empty() {
        let (piece, after) = next_piece(rest)?;
        reader.take(&piece)?;
        rest = after;
    }
    reader.finish()
}

/// A piece of the text.
enum Piece<'a> {
    Open {
        name: &'a str,
        closes: bool,
    },
    Close {
        name: &'a str,
    },
    Text(&'a str),
    /// A comment or a processing instruction.
    Aside,
}

fn not_the_feed(text: impl Into<String>) -> FeedFault {
    FeedFault::NotTheFeed(text.into())
}

fn next_piece(text: &str) -> Result<(Piece<'_>, &str), FeedFault> {
    let Some(tag) = text.strip_prefix('<') else {
        let end = text.find('<').unwrap_or(text.len());
        return Ok((Piece::Text(&text[..end]), &text[end..]));
    };
    let until = |from: &'static str, mark: &'static str| {
        let inside = tag.strip_prefix(from)?;
        Some(inside.split_once(mark).map(|(_, after)| after))
    };
    for (from, mark) in [("?", "?>"), ("!--", "-->")] {
        if let Some(after) = until(from, mark) {
            let after = after.ok_or_else(|| not_the_feed("it breaks off inside a comment"))?;
            return Ok((Piece::Aside, after));
        }
    }
    if tag.starts_with('!') {
        return Err(not_the_feed("it declares a document type or raw text"));
    }
    let (inside, after) = tag
        .split_once('>')
        .ok_or_else(|| not_the_feed("it breaks off inside an element"))?;
    if let Some(name) = inside.strip_prefix('/') {
        let name = local(name)?;
        return Ok((Piece::Close { name }, after));
    }
    let closes = inside.ends_with('/');
    let name = local(inside.trim_end_matches('/'))?;
    Ok((Piece::Open { name, closes }, after))
}

/// The name of an element without its prefix and its attributes.
fn local(tag: &str) -> Result<&str, FeedFault> {
    let name = tag.split_whitespace().next().unwrap_or_default();
    let name = name.rsplit(':').next().unwrap_or_default();
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    if name.is_empty() || tag.starts_with(char::is_whitespace) || !name.chars().all(fits) {
        return Err(not_the_feed("an element has no name"));
    }
    Ok(name)
}

/// The way to the elements that matter.
const TO_PROPERTIES: [&str; 4] = ["feed", "entry", "content", "properties"];

#[derive(Default)]
struct Reader<'a> {
    /// The open elements, outermost first.
    open: Vec<&'a str>,
    /// Whether the outermost element has closed.
    ended: bool,
    /// The fields of the present entry with their texts.
    fields: Vec<(&'a str, String)>,
    days: Vec<CurveDay>,
}

impl<'a> Reader<'a> {
    fn take(&mut self, piece: &Piece<'a>) -> Result<(), FeedFault> {
        match piece {
            Piece::Aside => {}
            Piece::Text(text) => self.text(text)?,
            Piece::Open { name, closes } => {
                if self.ended || (self.open.is_empty() && *name != "feed") {
                    return Err(not_the_feed(format!("it has an element {name}")));
                }
                if self.open.len() == DEEPEST {
                    return Err(not_the_feed("its elements lie too deep"));
                }
                if self.open == TO_PROPERTIES {
                    self.fields.push((name, String::new()));
                }
                self.open.push(name);
                if *closes {
                    self.close(name)?;
                }
            }
            Piece::Close { name } => self.close(name)?,
        }
        Ok(())
    }

    fn text(&mut self, text: &str) -> Result<(), FeedFault> {
        if self.open.is_empty() && !text.trim().is_empty() {
            return Err(not_the_feed("it has text outside its elements"));
        }
        let is_field = self.open.len() == TO_PROPERTIES.len() + 1
            && self.open[..TO_PROPERTIES.len()] == TO_PROPERTIES;
        if let Some((_, own)) = self.fields.last_mut().filter(|_| is_field) {
            own.push_str(text.trim());
        }
        Ok(())
    }

    fn close(&mut self, name: &str) -> Result<(), FeedFault> {
        match self.open.pop() {
            Some(own) if own == name => {}
            _ => return Err(not_the_feed(format!("{name} closes, but is not open"))),
        }
        self.ended = self.open.is_empty();
        if name == "properties" && self.open == TO_PROPERTIES[..3] {
            let fields = std::mem::take(&mut self.fields);
            self.days.extend(curve_day(&fields)?);
        }
        Ok(())
    }

    fn finish(mut self) -> Result<Vec<CurveDay>, FeedFault> {
        if !self.ended {
            return Err(not_the_feed("it breaks off before its end"));
        }
        self.days.sort_by_key(|curve| curve.day);
        let mut seen = BTreeSet::new();
        match self.days.iter().find(|curve| !seen.insert(curve.day)) {
            Some(curve) => Err(FeedFault::Twice(curve.day)),
            None => Ok(self.days),
        }
    }
}

/// The curve of an entry; none where nothing was published.
fn curve_day(fields: &[(&str, String)]) -> Result<Option<CurveDay>, FeedFault> {
    let field = |wanted: &str| {
        let mut own = fields.iter().filter(|(name, _)| *name == wanted);
        match (own.next(), own.next()) {
            (found, None) => Ok(found.map(|(_, text)| text.as_str())),
            _ => Err(not_the_feed(format!("an entry has {wanted} twice"))),
        }
    };
    let text = field("NEW_DATE")?.ok_or(FeedFault::NoDay)?;
    let day = text.strip_suffix("T00:00:00").and_then(parse_day);
    let day = day.ok_or_else(|| FeedFault::NotADay(text.to_owned()))?;
    let mut yields = [None; 4];
    for (place, maturity) in Maturity::ALL.into_iter().enumerate() {
        let element = maturity.element();
        // A missing point is an absent element or an empty one.
        let Some(text) = field(element)?.filter(|text| !text.is_empty()) else {
            continue;
        };
        let in_range = |value: &f64| (LOWEST_PERCENT..=HIGHEST_PERCENT).contains(value);
        let value = text.parse().ok().filter(in_range);
        yields[place] = Some(value.ok_or_else(|| FeedFault::NotAYield {
            element: element.to_owned(),
            day,
            text: text.chars().take(40).collect(),
        })?);
    }
    let is_published = yields.iter().flatten().any(|value| *value != 0.0);
    Ok(is_published.then(|| CurveDay::new(day, yields)))
}
