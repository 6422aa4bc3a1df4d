//! The archive's CSV: minimal quoting, `\n` line ends, a header row.
//!
//! [`CsvText`] builds the text of a file, [`read_table`] reads one back with the line of every row,
//! so that whoever rejects a value can say where it stands.

use std::borrow::Cow;
use std::collections::BTreeSet;

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// The text of a CSV file, built row by row.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CsvText {
    text: String,
}

impl CsvText {
    /// A file without rows.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds one row, the header included.
    ///
    /// A row of one empty field is written as `""`; an empty line would read back as no row.
    pub fn row<Fields>(&mut self, fields: Fields)
    where
        Fields: IntoIterator<Item: AsRef<str>>,
    {
        let start = self.text.len();
        let mut count = 0_usize;
        for field in fields {
            if count > 0 {
                self.text.push(',');
            }
            self.push_field(field.as_ref());
            count += 1;
        }
        if count == 1 && self.text.len() == start {
            self.text.push_str("\"\"");
        }
        self.text.push('\n');
    }

    /// The finished text.
    pub fn into_string(self) -> String {
        self.text
    }

    fn push_field(&mut self, field: &str) {
        // Unquoted at the start of a file it would be read as the file's own mark.
        let marked = field.starts_with('\u{feff}');
        if !marked && !field.contains([',', '"', '\r', '\n']) {
            self.text.push_str(field);
            return;
        }
        self.text.push('"');
        self.text.push_str(&field.replace('"', "\"\""));
        self.text.push('"');
    }
}

/// A CSV file in memory: every row has as many cells as the header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table<'a> {
    /// Column names, all different.
    pub header: Vec<Cow<'a, str>>,
    /// The rows below the header, in file order.
    pub rows: Vec<Row<'a>>,
}

/// One row of a [`Table`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row<'a> {
    /// The line on which the row starts, counted from 1.
    pub line: u64,
    /// One cell per column; a missing value is an empty cell.
    pub cells: Vec<Cow<'a, str>>,
}

impl Table<'_> {
    /// The position of the column with this name.
    pub fn column(&self, name: &str) -> Option<usize> {
        self.header.iter().position(|column| column == name)
    }
}

/// Why a file is not a table that the archive accepts.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TableError {
    /// There is no header.
    #[error("the file is empty")]
    Empty,
    /// The bytes are no text.
    #[error("line {line}: not UTF-8 text")]
    NotUtf8 {
        /// The first line with such bytes.
        line: u64,
    },
    /// More columns than any table has.
    #[error("the header has {found} columns; at most {MOST_COLUMNS} are allowed")]
    TooWide {
        /// Columns in the header.
        found: usize,
    },
    /// Two columns have one name.
    #[error("the header names the column {name:?} twice")]
    RepeatedColumn {
        /// The repeated name.
        name: String,
    },
    /// A row is shorter or longer than the header.
    #[error("line {line}: {found} cells where the header has {expected}")]
    Ragged {
        /// The line on which the row starts.
        line: u64,
        /// Columns in the header.
        expected: usize,
        /// Cells in the row.
        found: usize,
    },
    /// A quoted field never ends, or a quote stands alone.
    #[error("line {line}: a quote without its partner")]
    UnpairedQuote {
        /// The line on which the row starts.
        line: u64,
    },
}

/// Columns of a table at most; the widest of ours has fewer than fifty.
const MOST_COLUMNS: usize = 1_000;

/// Reads a whole CSV file. Blank lines are skipped and a byte order mark is tolerated.
pub fn read_table(bytes: &[u8]) -> Result<Table<'_>, TableError> {
    let bytes = bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(bytes);
    let text = std::str::from_utf8(bytes).map_err(|error| TableError::NotUtf8 {
        line: 1 + newlines(&bytes[..error.valid_up_to()]),
    })?;
    let mut scanner = Scanner {
        text,
        at: 0,
        line: 1,
    };
    let header = scanner.record()?.ok_or(TableError::Empty)?.cells;
    if header.len() > MOST_COLUMNS {
        let found = header.len();
        return Err(TableError::TooWide { found });
    }
    let mut seen = BTreeSet::new();
    if let Some(name) = header.iter().find(|name| !seen.insert(*name)) {
        let name = name.clone().into_owned();
        return Err(TableError::RepeatedColumn { name });
    }
    let mut rows = Vec::new();
    while let Some(row) = scanner.record()? {
        rows.push(row);
    }
    match rows.iter().find(|row| row.cells.len() != header.len()) {
        Some(row) => Err(TableError::Ragged {
            line: row.line,
            expected: header.len(),
            found: row.cells.len(),
        }),
        None => Ok(Table { header, rows }),
    }
}

/// Reads records one after the other and knows on which line it is.
struct Scanner<'a> {
    text: &'a str,
    at: usize,
    line: u64,
}

impl<'a> Scanner<'a> {
    fn byte(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    /// The next record; blank lines are skipped.
    fn record(&mut self) -> Result<Option<Row<'a>>, TableError> {
        while let Some(end @ (b'\r' | b'\n')) = self.byte() {
            self.at += 1;
            self.line += u64::from(end == b'\n');
        }
        if self.byte().is_none() {
            return Ok(None);
        }
        let line = self.line;
        let mut cells = Vec::with_capacity(8);
        loop {
            cells.push(match self.byte() {
                Some(b'"') => Cow::Owned(self.quoted(line)?),
                _ => Cow::Borrowed(self.plain(line)?),
            });
            if self.byte() != Some(b',') {
                return Ok(Some(Row { line, cells }));
            }
            self.at += 1;
        }
    }

    /// Up to the next comma or line end; quotes in it stand for themselves, but in pairs.
    fn plain(&mut self, line: u64) -> Result<&'a str, TableError> {
        let start = self.at;
        let mut paired = true;
        for byte in &self.text.as_bytes()[start..] {
            match byte {
                b',' | b'\r' | b'\n' => break,
                b'"' => paired = !paired,
                _ => {}
            }
            self.at += 1;
        }
        if !paired {
            return Err(TableError::UnpairedQuote { line });
        }
        Ok(&self.text[start..self.at])
    }

    /// From an opening to its closing quote, doubled quotes being one; then up to the comma.
    fn quoted(&mut self, line: u64) -> Result<String, TableError> {
        let mut cell = String::new();
        loop {
            self.at += 1;
            let rest = &self.text[self.at..];
            let end = rest.find('"').ok_or(TableError::UnpairedQuote { line })?;
            cell.push_str(&rest[..end]);
            self.line += newlines(&rest.as_bytes()[..end]);
            self.at += end + 1;
            if self.byte() != Some(b'"') {
                break;
            }
            cell.push('"');
        }
        cell.push_str(self.plain(line)?);
        Ok(cell)
    }
}

fn newlines(bytes: &[u8]) -> u64 {
    bytes.iter().map(|byte| u64::from(*byte == b'\n')).sum()
}

#[cfg(test)]
mod tests;
