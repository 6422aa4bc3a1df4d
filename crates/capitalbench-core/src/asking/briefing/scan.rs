//! A briefing as one line of lower-case words that remembers where each byte came from.

/// The marks that begin an address outside.
const ADDRESS_MARKS: [&str; 3] = ["http://", "https://", "www."];

/// A stretch of the scanned text: first byte, and the byte after the last.
pub(super) type Place = (usize, usize);

/// The text to search, and the way back to the original.
pub(super) struct Scan<'a> {
    original: &'a str,
    /// Lower case, each run of white space one space, none at either end.
    text: String,
    /// For each byte of `text`, the byte of the original it stands for.
    origin: Vec<usize>,
    /// Where the lines of the original end.
    line_ends: Vec<usize>,
}

/// The next place of something, searched from places that only move on: each byte is read once.
struct Next<P> {
    wanted: P,
    found: Option<usize>,
}

impl<P: Fn(char) -> bool> Next<P> {
    fn new(wanted: P) -> Self {
        let found = Some(0);
        Self { wanted, found }
    }

    /// The first wanted character from here on; `from` is never before that of an earlier call.
    fn from(&mut self, text: &str, from: usize) -> Option<usize> {
        let known = self.found?;
        let stays = known >= from && text[known..].starts_with(&self.wanted);
        if !stays {
            let ahead = text[from..].find(&self.wanted);
            self.found = ahead.map(|length| from + length);
        }
        self.found
    }
}

impl<'a> Scan<'a> {
    pub(super) fn new(original: &'a str) -> Self {
        let (mut text, mut origin) = (String::new(), Vec::new());
        let mut space_at = None;
        for (at, c) in original.char_indices().filter(|(_, c)| !is_invisible(*c)) {
            if c.is_whitespace() {
                space_at = space_at.or(Some(at));
                continue;
            }
            if let Some(space) = space_at.take().filter(|_| !text.is_empty()) {
                text.push(' ');
                origin.push(space);
            }
            text.extend(plain(c).to_lowercase());
            origin.resize(text.len(), at);
        }
        let line_ends = original.match_indices('\n').map(|(at, _)| at);
        Self {
            line_ends: line_ends.collect(),
            original,
            text,
            origin,
        }
    }

    pub(super) fn is_blank(&self) -> bool {
        self.text.is_empty()
    }

    /// The line of the original on which this place begins, counted from 1.
    pub(super) fn line(&self, (start, _): Place) -> usize {
        let origin = self.origin[start];
        1 + self.line_ends.partition_point(|end| *end < origin)
    }

    /// The original's own spelling of a place, white space collapsed.
    pub(super) fn as_written(&self, (start, end): Place) -> String {
        let after = self.origin.get(end).copied();
        let written = &self.original[self.origin[start]..after.unwrap_or(self.original.len())];
        let words: Vec<&str> = written.split_whitespace().collect();
        words.join(" ")
    }

    /// Every occurrence of a lower-case phrase.
    pub(super) fn places(&self, phrase: &str) -> Vec<Place> {
        self.text
            .match_indices(phrase)
            .map(|(start, _)| (start, start + phrase.len()))
            .collect()
    }

    /// Occurrences that no letter, digit or underscore continues; a colon ends a phrase by itself.
    pub(super) fn whole_word_places(&self, phrase: &str) -> Vec<Place> {
        let ends_in_word = phrase.chars().next_back().is_some_and(is_word);
        self.places(phrase)
            .into_iter()
            .filter(|&(start, end)| {
                let before = self.text[..start].chars().next_back();
                let after = self.text[end..].chars().next();
                let continued = ends_in_word && after.is_some_and(is_word);
                !continued && !before.is_some_and(is_word)
            })
            .collect()
    }

    /// Addresses, up to the next space or closing mark.
    pub(super) fn addresses(&self) -> Vec<Place> {
        let closes = |c: char| matches!(c, ' ' | ')' | ']' | '>' | '"');
        ADDRESS_MARKS
            .into_iter()
            .flat_map(|mark| {
                let mut close = Next::new(closes);
                self.places(mark).into_iter().map(move |(start, _)| {
                    let end = close.from(&self.text, start);
                    (start, end.unwrap_or(self.text.len()))
                })
            })
            .collect()
    }

    /// `[text](target)` anywhere, and `[label]: target` at the start of a line.
    pub(super) fn markdown_links(&self) -> Vec<Place> {
        let mut links = Vec::new();
        let mut bracket = Next::new(|c| c == ']');
        let mut parenthesis = Next::new(|c| c == ')');
        let mut space = Next::new(|c| c == ' ');
        for (start, _) in self.text.match_indices('[') {
            let label = bracket.from(&self.text, start + 1);
            let Some(label) = label.filter(|end| *end > start + 1) else {
                continue;
            };
            let label_end = label + 1;
            let rest = &self.text[label_end..];
            if rest.starts_with('(') {
                let target = parenthesis.from(&self.text, label_end);
                let target = target.filter(|end| *end > label_end + 1);
                links.extend(target.map(|end| (start, end + 1)));
            } else if rest.starts_with(": ") && self.starts_a_line(start) {
                let end = space.from(&self.text, label_end + 2);
                links.push((start, end.unwrap_or(self.text.len())));
            }
        }
        links
    }

    /// The word with this index, counted from 0.
    pub(super) fn word(&self, index: usize) -> Option<Place> {
        let mut starts = self.text.match_indices(' ').map(|(space, _)| space + 1);
        let start = match index {
            0 => 0,
            _ => starts.nth(index - 1)?,
        };
        let length = self.text[start..].find(' ');
        Some((
            start,
            length.map_or(self.text.len(), |length| start + length),
        ))
    }

    fn starts_a_line(&self, start: usize) -> bool {
        let before = self.original[..self.origin[start]].trim_end_matches([' ', '\t']);
        before.is_empty() || before.ends_with('\n')
    }
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Characters that show nothing and could split a phrase unseen.
fn is_invisible(c: char) -> bool {
    matches!(
        c,
        '\u{ad}' | '\u{200b}'..='\u{200d}' | '\u{2060}' | '\u{feff}'
    )
}

/// Typographic hyphens are hyphens.
fn plain(c: char) -> char {
    match c {
        '\u{2010}' | '\u{2011}' => '-',
        other => other,
    }
}
