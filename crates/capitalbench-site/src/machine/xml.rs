//! Text inside XML, SVG and HTML.

use std::fmt::Write as _;

/// Escaped for element content and quoted attributes; characters that XML forbids or that could
/// reorder text are shown by name.
pub(super) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\n' | '\t' => out.push(' '),
            '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{fffe}' | '\u{ffff}' => {
                // Writing to a text cannot fail.
                let _ = write!(out, "U+{:04X}", u32::from(c));
            }
            c if c.is_control() => {
                let _ = write!(out, "U+{:04X}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out
}

/// A name as part of an address.
pub(super) fn encoded(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    for byte in name.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte) {
            out.push(char::from(byte));
        } else {
            let _ = write!(out, "%{byte:02X}");
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_leaves_its_place() {
        assert_eq!(
            escaped("<a b=\"'\"> & \u{202e}\u{0}"),
            "&lt;a b=&quot;&#39;&quot;&gt; &amp; U+202EU+0000"
        );
        assert_eq!(encoded("a b/é"), "a%20b/%C3%A9");
    }
}
