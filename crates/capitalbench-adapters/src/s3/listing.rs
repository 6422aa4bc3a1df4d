//! A page of a listing: the few elements that are used, out of an answer with escaped keys.

use jiff::Timestamp;

/// Keys and pages of one listing.
const MOST_KEYS: usize = 1_000_000;
/// Bytes of its keys and tags.
const MOST_NAMES: usize = 256 << 20;

/// A key of a listing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Object {
    pub key: String,
    /// Empty where the server does not tell it; then whoever wants to know asks for the object.
    pub tag: String,
    pub size: u64,
    /// When it was last written, by the clock of the store.
    pub written_at: Timestamp,
}

/// All pages so far.
#[derive(Default)]
pub(super) struct Listing {
    pub(super) objects: Vec<Object>,
    pages: usize,
    names: usize,
}

impl Listing {
    /// Adds a page; a server that never ends must not fill the memory.
    pub(super) fn add(&mut self, page: Vec<Object>) -> Result<(), String> {
        let names = page.iter().map(|own| own.key.len() + own.tag.len());
        self.names += names.sum::<usize>();
        self.pages += 1;
        self.objects.extend(page);
        if self.objects.len() + self.pages > MOST_KEYS {
            return Err(format!(
                "the listing goes on after {MOST_KEYS} keys and pages"
            ));
        }
        if self.names > MOST_NAMES {
            return Err(format!(
                "the keys of the listing have more than {MOST_NAMES} bytes"
            ));
        }
        Ok(())
    }
}

pub(super) struct Page {
    pub(super) objects: Vec<Object>,
    /// What to ask for next; none at the end.
    pub(super) next: Option<String>,
}

/// Reads a page; what is not one is refused, because a part of a listing would pass for all of it.
pub(super) fn read_page(bytes: &[u8]) -> Result<Page, String> {
    let text = str::from_utf8(bytes).map_err(|_| "it is not UTF-8".to_owned())?;
    let is_whole =
        text.contains("<ListBucketResult") && text.trim_end().ends_with("</ListBucketResult>");
    if !is_whole {
        return Err("it is not a whole listing".to_owned());
    }
    let parts: Vec<&str> = text.split("<Contents>").collect();
    let objects = parts[1..].iter().map(|part| object(part));
    let objects = objects.collect::<Option<Vec<Object>>>();
    let objects = objects.ok_or_else(|| "an entry lacks its key, size or time".to_owned())?;
    let next = match element(text, "IsTruncated") {
        Some("true") => {
            let token = element(text, "NextContinuationToken").and_then(plain);
            Some(token.ok_or_else(|| "it goes on, but does not say where".to_owned())?)
        }
        Some("false") => None,
        _ => return Err("it does not say whether it goes on".to_owned()),
    };
    Ok(Page { objects, next })
}

fn object(part: &str) -> Option<Object> {
    let part = part.split("</Contents>").next()?;
    let tag = element(part, "ETag").map_or(Some(String::new()), plain)?;
    Some(Object {
        key: unescaped(&plain(element(part, "Key")?)?)?,
        tag: tag.trim_matches('"').to_owned(),
        size: element(part, "Size")?.parse().ok()?,
        written_at: element(part, "LastModified")?.parse().ok()?,
    })
}

pub(super) fn element<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let (_, rest) = text.split_once(&format!("<{name}>"))?;
    rest.split_once(&format!("</{name}>"))
        .map(|(inner, _)| inner)
}

/// The text of an element without its entities; none for one that is not known.
pub(super) fn plain(text: &str) -> Option<String> {
    const ENTITIES: [(&str, char); 6] = [
        ("quot;", '"'),
        ("#34;", '"'),
        ("apos;", '\''),
        ("lt;", '<'),
        ("gt;", '>'),
        ("amp;", '&'),
    ];
    let mut parts = text.split('&');
    let mut plain = parts.next()?.to_owned();
    for part in parts {
        let known = |(entity, c): &(&str, char)| Some((part.strip_prefix(entity)?, *c));
        let (rest, c) = ENTITIES.iter().find_map(known)?;
        plain.push(c);
        plain.push_str(rest);
    }
    Some(plain)
}

/// A key that was escaped for an address.
fn unescaped(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'%' => {
                let digit = |byte: u8| char::from(byte).to_digit(16);
                let value = digit(rest.next()?)? * 16 + digit(rest.next()?)?;
                u8::try_from(value).ok()?
            }
            b'+' => b' ',
            other => other,
        });
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests;
