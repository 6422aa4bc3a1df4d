//! Markup that is safe to place on a page, and the only ways to make it.

use std::fmt::{self, Write as _};

/// Escaped text or markup of our own; templates place it as it is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Html(String);

impl askama::filters::HtmlSafe for Html {}

impl fmt::Display for Html {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<&str> for Html {
    fn from(text: &str) -> Self {
        Self::text(text)
    }
}

impl From<String> for Html {
    fn from(text: String) -> Self {
        Self::text(&text)
    }
}

impl From<usize> for Html {
    fn from(number: usize) -> Self {
        Self(number.to_string())
    }
}

impl Html {
    /// Text that we wrote, or a name from the record.
    pub fn text(text: &str) -> Self {
        Self::default().with(text, ["", ""])
    }

    /// Markup written by a template or a chart.
    pub(crate) fn made(markup: String) -> Self {
        Self(markup)
    }

    /// What a model or an outside source wrote: escaped, its direction isolated, characters that
    /// could hide or reorder text shown by their names.
    pub fn said(text: &str) -> Self {
        Self(format!("<bdi class=\"said\">{}</bdi>", Self::visible(text)))
    }

    /// The same as a block that keeps its line breaks.
    pub fn quoted(text: &str) -> Self {
        let text = Self::visible(text);
        Self(format!(
            "<pre class=\"said\" dir=\"auto\" tabindex=\"0\">{text}</pre>"
        ))
    }

    /// Text whose hidden characters stand out by a style.
    fn visible(text: &str) -> Self {
        Self::default().with(text, ["<span class=\"hid\">", "</span>"])
    }

    /// A link of ours.
    pub(crate) fn link(href: &str, text: &str) -> Self {
        let (href, text) = (Self::text(href), Self::text(text));
        Self(format!("<a href=\"{href}\">{text}</a>"))
    }

    /// An element without attributes but a class.
    pub(crate) fn wrap(tag: &str, class: &str, inner: &Self) -> Self {
        if class.is_empty() {
            return Self(format!("<{tag}>{inner}</{tag}>"));
        }
        Self(format!("<{tag} class=\"{class}\">{inner}</{tag}>"))
    }

    /// A text that is read letter by letter, such as a digest.
    pub(crate) fn code(text: &str) -> Self {
        Self::wrap("code", "", &Self::text(text))
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }

    pub(crate) fn push(&mut self, markup: &str) {
        self.0.push_str(markup);
    }

    pub(crate) fn push_text(&mut self, text: &str) {
        *self = std::mem::take(self).with(text, ["", ""]);
    }

    /// Adds finished markup.
    pub(crate) fn add(&mut self, other: &Self) {
        self.0.push_str(&other.0);
    }

    /// Several pieces with a text between them.
    pub(crate) fn join(pieces: &[Self], between: &str) -> Self {
        let mut html = Self::default();
        for (place, piece) in pieces.iter().enumerate() {
            if place > 0 {
                html.push_text(between);
            }
            html.add(piece);
        }
        html
    }

    /// Adds text; a character that hides is shown by its name between these marks.
    fn with(mut self, text: &str, [before, after]: [&str; 2]) -> Self {
        for c in text.chars() {
            match c {
                '&' => self.push("&amp;"),
                '<' => self.push("&lt;"),
                '>' => self.push("&gt;"),
                '"' => self.push("&quot;"),
                '\'' => self.push("&#39;"),
                c if hides(c) => {
                    let _ = write!(self.0, "{before}U+{:04X}{after}", u32::from(c));
                }
                other => self.0.push(other),
            }
        }
        self
    }
}

/// Characters that are invisible or change the order of what is around them.
fn hides(c: char) -> bool {
    let control = c.is_control() && !matches!(c, '\n' | '\t' | '\r');
    let invisible = matches!(
        c,
        '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e007f}'
    );
    control || invisible
}

/// A path as the part of an address: everything but plain characters and slashes is encoded.
pub(crate) fn encode(path: &str) -> String {
    let mut encoded = String::with_capacity(path.len());
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            let _ = write!(encoded, "%{byte:02X}");
        }
    }
    encoded
}

#[cfg(test)]
mod tests;
