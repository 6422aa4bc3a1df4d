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

/// A name of anybody's choice, without the signs that mean something in a header.
pub(crate) fn in_header(name: &str) -> String {
    name.replace(['|', '>'], " ")
}

/// How a table is laid out.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Table<'a> {
    /// The names of the columns between bars; one that ends with `>` is aligned to the right.
    pub(crate) header: &'a str,
    /// Columns of drawings, whose cells must not be wrapped; those to the right are not, either.
    pub(crate) drawn: &'a [usize],
    /// Columns that a narrow terminal does without, the least important first.
    pub(crate) spare: &'a [usize],
    /// Rows from here on, and the header, are dimmed: they are there to compare with.
    pub(crate) dim_from: Option<usize>,
}

/// A column that is shown.
struct Column<'a> {
    number: usize,
    name: &'a str,
    is_right: bool,
    width: usize,
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
        let names: Vec<String> = self.names().map(|(name, _)| name.to_owned()).collect();
        let mut lines = row_lines(&names, &columns, self.dim_from.is_some());
        for (number, row) in rows.iter().enumerate() {
            let dim = self.dim_from.is_some_and(|from| number >= from);
            lines.extend(row_lines(row, &columns, dim));
        }
        if !left_out.is_empty() {
            let names = left_out.join(", ");
            let note = format!("Not shown in this width: {names}. --json has everything.");
            let note = super::wrapped(&note, 0, limit.unwrap_or(usize::MAX));
            lines.push(paint(DIM, note));
        }
        lines.join("\n")
    }

    /// The name of every column, and whether it is aligned to the right.
    fn names(&self) -> impl Iterator<Item = (&str, bool)> {
        let names = self.header.split('|').map(str::trim);
        names.map(|name| match name.strip_suffix('>') {
            Some(name) => (name.trim_end(), true),
            None => (name, false),
        })
    }

    /// The columns that are shown, and the names of those that are not.
    fn columns(&self, rows: &[Vec<String>], limit: usize) -> (Vec<Column<'_>>, Vec<&str>) {
        let widest = |column: usize| {
            let cells = rows.iter().filter_map(|row| row.get(column));
            cells.map(|cell| visible_width(cell)).max().unwrap_or(0)
        };
        // A column can become as narrow as the longest word of its header, but not every cell can.
        let least = |column: &Column<'_>| {
            let words = column.name.split(' ').map(str::width).max();
            let whole = column.is_right || self.drawn.contains(&column.number);
            let cells = if whole {
                widest(column.number)
            } else {
                NARROWEST
            };
            words.unwrap_or_default().max(cells)
        };
        let wide = |(number, (name, is_right)): (usize, (_, bool))| Column {
            number,
            name,
            is_right,
            width: widest(number).max(name.width()),
        };
        let mut columns: Vec<Column<'_>> = self.names().enumerate().map(wide).collect();
        let mut left_out = Vec::new();
        for spare in self.spare {
            if total(&columns) > limit {
                let taken = columns.extract_if(.., |column| column.number == *spare);
                left_out.extend(taken.map(|column| column.name));
            }
        }
        while total(&columns) > limit {
            let able = columns
                .iter_mut()
                .filter(|column| column.width > least(column));
            let Some(widest) = able.max_by_key(|column| column.width) else {
                break;
            };
            widest.width -= 1;
        }
        (columns, left_out)
    }
}

/// One row, as many lines as its highest cell has.
fn row_lines(row: &[String], columns: &[Column<'_>], dim: bool) -> Vec<String> {
    let cell = |column: &Column<'_>| {
        let text = row.get(column.number).map_or("", String::as_str);
        wrapped_cell(text, column.width)
    };
    let cells: Vec<Vec<String>> = columns.iter().map(cell).collect();
    let height = cells.iter().map(Vec::len).max().unwrap_or_default();
    let line = |number: usize| {
        let mut text = String::new();
        for (column, cell) in columns.iter().zip(&cells) {
            let part = cell.get(number).map_or("", String::as_str);
            let blank = " ".repeat(column.width.saturating_sub(visible_width(part)));
            let gap = " ".repeat(GAP);
            text += &if column.is_right {
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

/// A cell with the signs that every table has: one for a minus and one for no value.
fn shown(cell: &str) -> String {
    match cell {
        "-" => NONE.to_owned(),
        cell => with_minus(cell),
    }
}

fn total(columns: &[Column<'_>]) -> usize {
    let widths: usize = columns.iter().map(|column| column.width).sum();
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
