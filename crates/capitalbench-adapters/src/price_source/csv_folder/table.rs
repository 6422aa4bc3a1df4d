//! Parses the text of one history into rows.

use std::path::Path;

use capitalbench_core::values::similar::closest;
use capitalbench_core::values::time::parse_day;
use jiff::civil::Date;

use crate::price_source::rows::{arrange, check_numbers};
use crate::price_source::{DailyClose, Field, Place, PriceFault, RowFault};

/// A column a history may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Column {
    Date,
    Number(Field),
}

impl Column {
    const ALL: [Self; 6] = [
        Self::Date,
        Self::Number(Field::Close),
        Self::Number(Field::AdjustedClose),
        Self::Number(Field::Volume),
        Self::Number(Field::Dividend),
        Self::Number(Field::Split),
    ];

    /// How many columns, counted from the first, every history must have.
    const REQUIRED: usize = 3;

    fn as_str(self) -> &'static str {
        match self {
            Self::Date => "date",
            Self::Number(Field::Close) => "close",
            Self::Number(Field::AdjustedClose) => "adj_close",
            Self::Number(Field::Volume) => "volume",
            Self::Number(Field::Dividend) => "dividend",
            Self::Number(Field::Split) => "split",
        }
    }

    fn parse(name: &str) -> Option<Self> {
        if name == "adjClose" {
            return Some(Self::Number(Field::AdjustedClose));
        }
        Self::ALL.into_iter().find(|column| column.as_str() == name)
    }
}

/// A fault and the column it is in.
type Fault = (Option<Column>, RowFault);

/// All rows of a file, oldest first.
pub(super) fn parse(file: &Path, text: &str) -> Result<Vec<DailyClose>, PriceFault> {
    let place = |line: usize, column: Option<Column>| Place::File {
        file: file.to_owned(),
        line,
        column: column.map(|column| column.as_str().to_owned()),
    };
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let text = text.trim_end_matches(['\r', '\n']);
    let mut lines = (1..).zip(text.split('\n').map(|line| line.trim_end_matches('\r')));
    let header = lines.next().map_or("", |(_, line)| line);
    let columns = parse_header(header).map_err(|fault| PriceFault::Row {
        place: place(1, None),
        fault,
    })?;
    let rows: Result<Vec<_>, PriceFault> = lines
        .map(|(number, line)| match parse_row(&columns, line) {
            Ok(row) => Ok((place(number, Some(Column::Date)), row)),
            Err((column, fault)) => Err(PriceFault::Row {
                place: place(number, column),
                fault,
            }),
        })
        .collect();
    arrange(rows?)
}

fn parse_header(line: &str) -> Result<Vec<Column>, RowFault> {
    let mut columns = Vec::new();
    for name in cells(line)? {
        let Some(column) = Column::parse(&name) else {
            let nearest = closest(&name, Column::ALL.map(Column::as_str)).map(str::to_owned);
            let found = name.chars().take(40).collect();
            return Err(RowFault::UnknownColumn { found, nearest });
        };
        if columns.contains(&column) {
            return Err(RowFault::RepeatedColumn { found: name });
        }
        columns.push(column);
    }
    match Column::ALL
        .into_iter()
        .take(Column::REQUIRED)
        .find(|column| !columns.contains(column))
    {
        Some(column) => Err(RowFault::MissingColumn {
            column: column.as_str(),
        }),
        None => Ok(columns),
    }
}

fn parse_row(columns: &[Column], line: &str) -> Result<DailyClose, Fault> {
    let cells = cells(line).map_err(|fault| (None, fault))?;
    if cells.len() != columns.len() {
        let fault = RowFault::CellCount {
            found: cells.len(),
            expected: columns.len(),
        };
        return Err((None, fault));
    }
    let cell = |wanted: Column| {
        let position = columns.iter().position(|column| *column == wanted)?;
        cells.get(position).map(String::as_str)
    };
    let number = |field: Field| match cell(Column::Number(field)) {
        None | Some("") => Ok(None),
        Some(text) => parse_number(text)
            .map(Some)
            .map_err(|fault| (Some(Column::Number(field)), fault)),
    };
    let row = DailyClose {
        date: parse_date(cell(Column::Date).unwrap_or_default())
            .map_err(|fault| (Some(Column::Date), fault))?,
        close: number(Field::Close)?,
        adjusted: number(Field::AdjustedClose)?,
        volume: number(Field::Volume)?,
        dividend: number(Field::Dividend)?,
        split: number(Field::Split)?,
    };
    if row.close.is_none() && row.adjusted.is_none() {
        let fault = RowFault::NoClose { date: row.date };
        return Err((Some(Column::Number(Field::Close)), fault));
    }
    check_numbers(&row).map_err(|fault| match fault {
        RowFault::NotAPrice { field, .. } | RowFault::Negative { field, .. } => {
            (Some(Column::Number(field)), fault)
        }
        other => (None, other),
    })?;
    Ok(row)
}

fn parse_date(text: &str) -> Result<Date, RowFault> {
    let plain = text.trim() == text;
    parse_day(text)
        .filter(|_| plain)
        .ok_or_else(|| RowFault::BadDate {
            found: text.chars().take(40).collect(),
        })
}

/// Reads a number without words, separators or spaces.
fn parse_number(text: &str) -> Result<f64, RowFault> {
    let plain = |byte: u8| byte.is_ascii_digit() || b"+-.eE".contains(&byte);
    let number = text.bytes().all(plain).then(|| text.parse().ok()).flatten();
    number.ok_or_else(|| RowFault::NotANumber {
        found: text.chars().take(40).collect(),
    })
}

/// Splits a line into cells; a quoted cell may hold commas and doubled quotation marks.
fn cells(line: &str) -> Result<Vec<String>, RowFault> {
    let mut cells = Vec::new();
    let mut rest = line;
    loop {
        let (cell, after) = match rest.strip_prefix('"') {
            Some(inside) => quoted_cell(inside)?,
            None => plain_cell(rest)?,
        };
        cells.push(cell);
        if after.is_empty() {
            return Ok(cells);
        }
        rest = after.strip_prefix(',').ok_or(RowFault::Quote)?;
    }
}

/// The cell up to the next comma or the end, and the rest after it.
fn plain_cell(rest: &str) -> Result<(String, &str), RowFault> {
    let (cell, after) = rest.split_at(rest.find(',').unwrap_or(rest.len()));
    if cell.contains('"') {
        return Err(RowFault::Quote);
    }
    Ok((cell.to_owned(), after))
}

/// The cell after an opening quotation mark, and the rest after the closing one.
fn quoted_cell(inside: &str) -> Result<(String, &str), RowFault> {
    let mut cell = String::new();
    let mut rest = inside;
    loop {
        let (text, after) = rest.split_once('"').ok_or(RowFault::Quote)?;
        cell.push_str(text);
        match after.strip_prefix('"') {
            Some(more) => {
                cell.push('"');
                rest = more;
            }
            None => return Ok((cell, after)),
        }
    }
}
