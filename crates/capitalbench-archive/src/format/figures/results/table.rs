//! [`ResultTable`]: a result before it is text.

use std::fmt::Write as _;

use capitalbench_core::values::units::Return;

use crate::format::text::number::push_float;
use crate::format::text::table::CsvText;

/// A result table before it is text; older files hold some of its columns only.
///
/// The cells of all rows lie in one text, one after the other, so that a table costs two
/// allocations and not one per cell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResultTable {
    header: &'static [&'static str],
    text: String,
    ends: Vec<usize>,
}

impl ResultTable {
    pub(super) fn new(header: &'static [&'static str]) -> Self {
        Self {
            header,
            text: String::new(),
            ends: Vec::new(),
        }
    }

    /// Ends the cell that was just written.
    fn end(&mut self) {
        self.ends.push(self.text.len());
    }

    pub(super) fn cell(&mut self, text: &str) {
        self.text.push_str(text);
        self.end();
    }

    pub(super) fn blank(&mut self) {
        self.end();
    }

    pub(super) fn flag(&mut self, value: bool) {
        self.cell(if value { "True" } else { "False" });
    }

    pub(super) fn real(&mut self, value: f64) {
        push_float(&mut self.text, value);
        self.end();
    }

    pub(super) fn number(&mut self, value: Return) {
        self.real(value.get());
    }

    pub(super) fn count(&mut self, value: impl std::fmt::Display) {
        // Writing to a String cannot fail.
        let _ = write!(self.text, "{value}");
        self.end();
    }

    pub(super) fn maybe<T>(&mut self, value: Option<T>, put: impl FnOnce(&mut Self, T)) {
        match value {
            Some(value) => put(self, value),
            None => self.blank(),
        }
    }

    /// Number of columns.
    pub fn columns(&self) -> usize {
        self.header.len()
    }

    /// The file's text.
    pub fn render(&self) -> String {
        let all: Vec<usize> = (0..self.header.len()).collect();
        self.render_columns(&all)
    }

    /// The text with only the columns of an older header; none when one of them is unknown.
    pub fn render_as<Name: AsRef<str>>(&self, header: &[Name]) -> Option<String> {
        let position = |name: &Name| self.header.iter().position(|own| *own == name.as_ref());
        let columns: Option<Vec<usize>> = header.iter().map(position).collect();
        columns.map(|columns| self.render_columns(&columns))
    }

    fn render_columns(&self, columns: &[usize]) -> String {
        let mut text = CsvText::new();
        text.row(columns.iter().map(|&column| self.header[column]));
        let width = self.header.len();
        for row in 0..self.ends.len() / width {
            let cell = |column: usize| {
                let place = row * width + column;
                let start = place.checked_sub(1).map_or(0, |before| self.ends[before]);
                &self.text[start..self.ends[place]]
            };
            text.row(columns.iter().map(|&column| cell(column)));
        }
        text.into_string()
    }
}
