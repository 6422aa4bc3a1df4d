//! Price files → [`PriceSheet`], and one day of fetched windows → a price file.

use capitalbench_core::market::price_window::PriceWindow;
use capitalbench_core::market::prices::{PriceSheet, Quote};
use capitalbench_core::market::universe::{MarketOption, Universe};
use capitalbench_core::values::time::parse_day;
use capitalbench_core::values::units::Price;
use jiff::civil::Date;

use crate::disk::error::Fault;
use crate::format::text::number::float_text;
use crate::format::text::table::{CsvText, Row, Table, read_table};

const COLUMNS: [&str; 10] = [
    "option_id",
    "symbol",
    "date",
    "close",
    "adj_close",
    "adjClose",
    "price",
    "source",
    "price_source",
    "currency",
];

/// The sheet of one day, in universe order; cash is worth one.
pub fn render(universe: &Universe, windows: &[PriceWindow], day: Date, source: &str) -> String {
    let mut text = CsvText::new();
    text.row(HEADER);
    for option in universe.options() {
        let window = windows.iter().find(|w| w.option_id == option.id);
        let session = window.and_then(|window| window.on(day));
        let (close, adjusted, source) = match session {
            Some(session) => (session.close, session.adjusted, source),
            None if option.is_cash() => (Price::new(1.0), Price::new(1.0), "cash"),
            None => continue,
        };
        row(&mut text, option, day, (close, adjusted), source);
    }
    text.into_string()
}

/// Columns that are written.
const HEADER: [&str; 6] = [
    "option_id",
    "symbol",
    "date",
    "close",
    "adj_close",
    "source",
];

fn row(
    text: &mut CsvText,
    option: &MarketOption,
    day: Date,
    (close, adjusted): (Option<Price>, Option<Price>),
    source: &str,
) {
    let number = |price: Option<Price>| price.map(|p| float_text(p.get())).unwrap_or_default();
    text.row([
        option.id.as_str(),
        option.symbol.as_deref().unwrap_or_default(),
        &day.to_string(),
        &number(close),
        &number(adjusted),
        source,
    ]);
}

/// The sheet of a universe with the rows of another sheet of that day.
pub fn render_quotes(universe: &Universe, sheet: &PriceSheet, day: Date) -> String {
    let mut text = CsvText::new();
    text.row(HEADER);
    for option in universe.options() {
        let one = Price::new(1.0).filter(|_| option.scores_as_cash());
        let (close, adjusted, source) = match sheet.find(option) {
            Some(quote) => (
                quote.close,
                quote.adjusted.or(quote.price),
                quote.source.as_deref().unwrap_or_default(),
            ),
            None if one.is_some() => (one, one, "cash"),
            None => continue,
        };
        row(&mut text, option, day, (close, adjusted), source);
    }
    text.into_string()
}

/// Reads a price file; faults name line and column.
pub fn parse(bytes: &[u8]) -> Result<PriceSheet, Fault> {
    let table = read_table(bytes)?;
    let has = |name: &str| table.column(name).is_some();
    if let Some(other) = table
        .header
        .iter()
        .find(|name| !COLUMNS.contains(&name.as_ref()))
    {
        return Err(Fault::field(other.clone().into_owned(), "unknown column").on_line(1));
    }
    if !has("option_id") && !has("symbol") {
        return Err(Fault::new("no option_id or symbol column").on_line(1));
    }
    if !["price", "close", "adj_close", "adjClose"]
        .into_iter()
        .any(has)
    {
        return Err(Fault::new("no adj_close, price or close column").on_line(1));
    }
    let columns = Columns::of(&table);
    let mut quotes = Vec::with_capacity(table.rows.len());
    for row in &table.rows {
        quotes.push(quote(&columns, row).map_err(|fault| fault.on_line(row.line))?);
    }
    PriceSheet::new(quotes).map_err(|error| Fault::new(error.to_string()))
}

/// Where each column stands, looked up once.
struct Columns {
    option_id: Option<usize>,
    symbol: Option<usize>,
    date: Option<usize>,
    close: Option<usize>,
    adjusted: Option<usize>,
    adjusted_alias: Option<usize>,
    price: Option<usize>,
    source: Option<usize>,
    price_source: Option<usize>,
}

impl Columns {
    fn of(table: &Table<'_>) -> Self {
        Self {
            option_id: table.column("option_id"),
            symbol: table.column("symbol"),
            date: table.column("date"),
            close: table.column("close"),
            adjusted: table.column("adj_close"),
            adjusted_alias: table.column("adjClose"),
            price: table.column("price"),
            source: table.column("source"),
            price_source: table.column("price_source"),
        }
    }
}

/// The trimmed cell of a column; a blank cell is none.
fn cell<'a>(row: &'a Row<'_>, column: Option<usize>) -> Option<&'a str> {
    let text = row.cells[column?].trim();
    (!text.is_empty()).then_some(text)
}

fn quote(columns: &Columns, row: &Row<'_>) -> Result<Quote, Fault> {
    let key = cell(row, columns.option_id)
        .map(str::to_owned)
        .or_else(|| cell(row, columns.symbol).map(str::to_uppercase))
        .ok_or_else(|| Fault::field("option_id", "neither option_id nor symbol is given"))?;
    let price = |name: &str, column: Option<usize>| -> Result<Option<Price>, Fault> {
        let Some(text) = cell(row, column) else {
            return Ok(None);
        };
        let wrong = || Fault::field(name, format!("{key}: {text:?} is not a price above zero"));
        let value: f64 = text.parse().map_err(|_| wrong())?;
        Price::new(value).map(Some).ok_or_else(wrong)
    };
    let date = match cell(row, columns.date) {
        None => None,
        Some(text) => Some(parse_day(text).ok_or_else(|| {
            let problem = format!("{key}: {text:?} is not a day like 2026-05-08");
            Fault::field("date", problem)
        })?),
    };
    let adjusted = price("adj_close", columns.adjusted)?;
    let source = cell(row, columns.source).or_else(|| cell(row, columns.price_source));
    Ok(Quote {
        date,
        close: price("close", columns.close)?,
        adjusted: match adjusted {
            Some(price) => Some(price),
            None => price("adjClose", columns.adjusted_alias)?,
        },
        price: price("price", columns.price)?,
        source: source.map(str::to_owned),
        key,
    })
}
