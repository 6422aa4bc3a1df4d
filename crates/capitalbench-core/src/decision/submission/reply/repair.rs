//! Repairs of an object that cannot change what was meant.

/// The text without commas before a closing brace or bracket; none when there is no such comma.
pub(super) fn without_trailing_commas(text: &str) -> Option<String> {
    let mut mended = String::with_capacity(text.len());
    let mut changed = false;
    let mut inside = Inside::default();
    for (at, c) in text.char_indices() {
        let trailing =
            c == ',' && !inside.string && text[at + 1..].trim_start().starts_with(['}', ']']);
        changed |= trailing;
        if !trailing {
            mended.push(c);
        }
        inside.step(c);
    }
    changed.then_some(mended)
}

/// The text with every line end or tab inside a string written as its escape; none when there is none.
pub(super) fn without_raw_line_ends(text: &str) -> Option<String> {
    let mut mended = String::with_capacity(text.len());
    let mut changed = false;
    let mut inside = Inside::default();
    for c in text.chars() {
        let escape = match c {
            '\n' => "\\n",
            '\r' => "\\r",
            '\t' => "\\t",
            _ => "",
        };
        if inside.string && !inside.escaped && !escape.is_empty() {
            changed = true;
            mended.push_str(escape);
        } else {
            mended.push(c);
        }
        inside.step(c);
    }
    changed.then_some(mended)
}

/// Whether a place is inside a string.
#[derive(Default)]
pub(super) struct Inside {
    pub(super) string: bool,
    escaped: bool,
}

impl Inside {
    pub(super) fn step(&mut self, c: char) {
        match c {
            _ if self.escaped => self.escaped = false,
            '\\' if self.string => self.escaped = true,
            '"' => self.string = !self.string,
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests;
