//! Tables that fit the terminal: columns that matter less are left out, then texts are wrapped.

use unicode_width::UnicodeWidthStr as _;

use super::{DIM, paint, width, with_minus};

/// Spaces between two columns.
const GAP: usize = 2;
/// No text is wrapped to fewer characters than this.
const NARROWEST: usize = 12;

/// A cell without a value.
pub(crate) const NONE: &str = "–";

/// A cell, or the sign for none.
pub(crate) fn or_none(value: Option<impl ToString>) -> String {
    value.map_or_else(|| NONE.to_owned(), |value| value.to_string())
}

/// How a table is laid out.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Table<'a> {
    pub(crate) header: &'a [&'a str],
    /// Columns aligned to the right.
    pub(crate) right: &'a [usize],
    /// Columns of drawings, whose cells must not be wrapped; those to the right are not, either.
    pub(crate) drawn: &'a [usize],
    /// Columns that a narrow terminal does without, the least important first.
    pub(crate) spare: &'a [usize],
    /// Rows from here on, and the header, are dimmed: they are there to compare with.
    pub(crate) dim_from: Option<usize>,
}

impl Table<'_> {
    /// The lines of the table, for the terminal's width where one is known.
    pub(crate) fn render(&self, rows: Vec<Vec<String>>) -> String {
        self.render_within(rows, width())
    }

    fn render_within(&self, rows: Vec<Vec<String>>, limit: Option<usize>) -> String {
        let shown = |row: Vec<String>| row.iter().map(|cell| shown(cell)).collect();
        let rows: Vec<Vec<String>> = rows.into_iter().map(shown).collect();
        let (columns, left_out) = self.columns(&rows, limit.unwrap_or(usize::MAX));
        let header: Vec<String> = self.header.iter().map(|&name| name.to_owned()).collect();
        let mut lines = self.row_lines(&header, &columns, self.dim_from.is_some());
        for (number, row) in rows.iter().enumerate() {
            let dim = self.dim_from.is_some_and(|from| number >= from);
            lines.extend(self.row_lines(row, &columns, dim));
        }
        if !left_out.is_empty() {
            let names = left_out.join(", ");
            let note = format!("Not shown in this width: {names}. --json has everything.");
            let note = super::wrapped(&note, 0, limit.unwrap_or(usize::MAX));
            lines.push(paint(DIM, note));
        }
        lines.join("\n")
    }

    /// The columns that are shown with their widths, and the names of those that are not.
    fn columns(&self, rows: &[Vec<String>], limit: usize) -> (Vec<(usize, usize)>, Vec<String>) {
        let widest = |column: usize| {
            let cells = rows.iter().filter_map(|row| row.get(column));
            cells.map(|cell| visible_width(cell)).max().unwrap_or(0)
        };
        // A column can become as narrow as the longest word of its header, but not every cell can.
        let least = |column: usize| {
            let words = self.header[column].split(' ').map(str::width).max();
            let whole = self.right.contains(&column) || self.drawn.contains(&column);
            let cells = if whole { widest(column) } else { NARROWEST };
            words.unwrap_or_default().max(cells)
        };
        let wide = |column: usize| (column, widest(column).max(self.header[column].width()));
        let mut columns: Vec<(usize, usize)> = (0..self.header.len()).map(wide).collect();
        let mut left_out = Vec::new();
        for spare in self.spare {
            if total(&columns) > limit {
                columns.retain(|(column, _)| column != spare);
                left_out.push(self.header[*spare].to_owned());
            }
        }
        while total(&columns) > limit {
            let able = columns.iter_mut().filter(|(n, width)| *width > least(*n));
            let Some((_, width)) = able.max_by_key(|(_, width)| *width) else {
                break;
            };
            *width -= 1;
        }
        (columns, left_out)
    }

    /// One row, as many lines as its highest cell has.
    fn row_lines(&self, row: &[String], columns: &[(usize, usize)], dim: bool) -> Vec<String> {
        let cells: Vec<Vec<String>> = columns
            .iter()
            .map(|(column, width)| {
                wrapped_cell(row.get(*column).map_or("", String::as_str), *width)
            })
            .collect();
        let height = cells.iter().map(Vec::len).max().unwrap_or_default();
        let line = |number: usize| {
            let mut text = String::new();
            for ((column, width), cell) in columns.iter().zip(&cells) {
                let part = cell.get(number).map_or("", String::as_str);
                let blank = " ".repeat(width.saturating_sub(visible_width(part)));
                let gap = " ".repeat(GAP);
                text += &if self.right.contains(column) {
                    blank + part + &gap
                } else {
                    part.to_owned() + &blank + &gap
                };
            }
            let text = text.trim_end();
            if dim {
                paint(DIM, text)
            } else {
                text.to_owned()
            }
        };
        (0..height).map(line).collect()
    }
}

/// A cell with the signs that every table has: one for a minus and one for no value.
fn shown(cell: &str) -> String {
    match cell {
        "-" => NONE.to_owned(),
        cell => with_minus(cell),
    }
}

fn total(columns: &[(usize, usize)]) -> usize {
    let widths: usize = columns.iter().map(|(_, width)| width).sum();
    widths + GAP * columns.len().saturating_sub(1)
}

/// Characters on the screen; a style takes none.
pub(super) fn visible_width(text: &str) -> usize {
    anstream::adapter::strip_str(text).to_string().width()
}

/// A cell in lines of at most this width; a styled one is a single word and stays whole.
fn wrapped_cell(text: &str, width: usize) -> Vec<String> {
    if visible_width(text) <= width || text.contains('\u{1b}') {
        return vec![text.to_owned()];
    }
    let lines = super::wrapped(&with_short_words(text, width), 0, width);
    lines.lines().map(str::to_owned).collect()
}

/// The text with words that are too long parted, after a hyphen where they have one.
fn with_short_words(text: &str, width: usize) -> String {
    let mut words = Vec::new();
    for mut word in text.split(' ') {
        while word.width() > width {
            let fits = word.char_indices().map(|(at, _)| at).nth(width);
            let (first, _) = word.split_at(fits.unwrap_or(word.len()));
            let at = first.rfind('-').map_or(first.len(), |hyphen| hyphen + 1);
            words.push(&word[..at]);
            word = &word[at..];
        }
        words.push(word);
    }
    words.join(" ")
}

#[cfg(test)]
mod tests;
