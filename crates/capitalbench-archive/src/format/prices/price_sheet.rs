//! Price files → [`PriceSheet`], and one day of fetched windows → a price file.

use capitalbench_core::market::price_window::PriceWindow;
use capitalbench_core::market::prices::{PriceSheet, Quote};
use capitalbench_core::market::universe::{MarketOption, Universe};
use capitalbench_core::values::time::parse_day;
use capitalbench_core::values::units::Price;
use jiff::civil::Date;

use crate::disk::error::Fault;
use crate::format::text::number::float_text;
use crate::format::text::table::{CsvText, Row, read_table};

const COLUMNS: [&str; 11] = [
    "option_id",
    "symbol",
    "date",
    "close",
    "adj_close",
    "adjClose",
    "price",
    "index",
    "source",
    "price_source",
    "currency",
];

/// Columns that are written.
const HEADER: [&str; 6] = [
    "option_id",
    "symbol",
    "date",
    "close",
    "adj_close",
    "source",
];

/// Columns where closes are not published.
const INDEX_HEADER: [&str; 5] = ["option_id", "symbol", "date", "index", "source"];

/// The prices of one row.
struct Priced<'a> {
    close: Option<Price>,
    adjusted: Option<Price>,
    source: &'a str,
}

impl Priced<'_> {
    /// The price of cash is always one.
    const CASH: Self = Self {
        close: Some(Price::ONE),
        adjusted: Some(Price::ONE),
        source: "cash",
    };
}

/// The sheet of one day of fetched windows, in universe order; cash is worth one, and a delisted
/// option has its last official close.
pub fn render(universe: &Universe, windows: &[PriceWindow], day: Date, source: &str) -> String {
    render_rows(universe, day, |option| {
        let window = windows.iter().find(|own| own.option_id == option.id);
        let session = window.and_then(|window| window.on(option.priced_on(day)));
        let priced = session.map(|session| Priced {
            close: session.close,
            adjusted: session.adjusted,
            source,
        });
        priced.or(option.is_cash().then_some(Priced::CASH))
    })
}

/// The sheet of a universe with the rows of another sheet of that day.
pub fn render_quotes(universe: &Universe, sheet: &PriceSheet, day: Date) -> String {
    render_rows(universe, day, |option| {
        let priced = sheet.find(option).map(|quote| Priced {
            close: quote.close,
            adjusted: quote.adjusted.or(quote.price),
            source: quote.source.as_deref().unwrap_or_default(),
        });
        priced.or(option.scores_as_cash().then_some(Priced::CASH))
    })
}

/// The sheet of one day of windows of base one, without any close; cash stands at one.
pub fn render_indexes(
    universe: &Universe,
    windows: &[PriceWindow],
    day: Date,
    source: &str,
) -> String {
    let mut text = CsvText::new();
    text.row(INDEX_HEADER);
    for option in universe.options() {
        let day = option.priced_on(day);
        let window = windows.iter().find(|own| own.option_id == option.id);
        let session = window.and_then(|window| window.on(day));
        let index = session.and_then(|session| session.adjusted);
        let cash = (Price::ONE, Priced::CASH.source);
        let row = index.map(|index| (index, source));
        if let Some((index, source)) = row.or(option.is_cash().then_some(cash)) {
            text.row([
                option.id.as_str(),
                option.symbol.as_deref().unwrap_or_default(),
                &day.to_string(),
                &float_text(index.get()),
                source,
            ]);
        }
    }
    text.into_string()
}

/// The public entry sheet of a day whose closes are private: every option that has one stands at one.
pub fn render_base(universe: &Universe, sheet: &PriceSheet, day: Date) -> String {
    let mut text = CsvText::new();
    text.row(INDEX_HEADER);
    for option in universe.options() {
        let quoted = sheet.find(option).map(|quote| quote.source.as_deref());
        let cash = option.scores_as_cash().then_some(Some(Priced::CASH.source));
        if let Some(source) = quoted.or(cash) {
            text.row([
                option.id.as_str(),
                option.symbol.as_deref().unwrap_or_default(),
                &option.priced_on(day).to_string(),
                &float_text(Price::ONE.get()),
                source.unwrap_or_default(),
            ]);
        }
    }
    text.into_string()
}

/// One row for every option that has prices.
fn render_rows<'a>(
    universe: &Universe,
    day: Date,
    priced: impl Fn(&MarketOption) -> Option<Priced<'a>>,
) -> String {
    let number = |price: Option<Price>| price.map(|p| float_text(p.get())).unwrap_or_default();
    let mut text = CsvText::new();
    text.row(HEADER);
    for option in universe.options() {
        if let Some(own) = priced(option) {
            text.row([
                option.id.as_str(),
                option.symbol.as_deref().unwrap_or_default(),
                &option.priced_on(day).to_string(),
                &number(own.close),
                &number(own.adjusted),
                own.source,
            ]);
        }
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
        return Err(Fault::new("the header must have the column option_id or symbol").on_line(1));
    }
    let has_closes = ["price", "close", "adj_close", "adjClose"]
        .into_iter()
        .any(has);
    if has_closes == has("index") {
        let text = if has_closes {
            "the header has closes and index; a sheet has either"
        } else {
            "the header must have the column adj_close, price or close, or index alone"
        };
        return Err(Fault::new(text).on_line(1));
    }
    let places = COLUMNS.map(|name| table.column(name));
    let mut quotes = Vec::with_capacity(table.rows.len());
    for row in &table.rows {
        quotes.push(quote(places, row).map_err(|fault| fault.on_line(row.line))?);
    }
    PriceSheet::new(quotes).map_err(Fault::new)
}

/// Where each of [`COLUMNS`] stands, looked up once.
type Places = [Option<usize>; 11];

/// The trimmed cell of a column; none where it is blank.
fn cell<'a>(row: &'a Row<'_>, column: Option<usize>) -> Option<&'a str> {
    let text = row.cells[column?].trim();
    (!text.is_empty()).then_some(text)
}

fn quote(places: Places, row: &Row<'_>) -> Result<Quote, Fault> {
    let [
        id,
        symbol,
        date,
        close,
        adj_close,
        alias,
        price_place,
        index,
        own_source,
        price_source,
        _,
    ] = places;
    let key = cell(row, id)
        .map(str::to_owned)
        .or_else(|| cell(row, symbol).map(str::to_uppercase))
        .ok_or_else(|| Fault::field("option_id", "option_id or symbol must be given"))?;
    let price = |name: &str, column: Option<usize>| -> Result<Option<Price>, Fault> {
        let Some(text) = cell(row, column) else {
            return Ok(None);
        };
        let wrong = || Fault::field(name, format!("{key}: {text:?} is not a price above zero"));
        let value: f64 = text.parse().map_err(|_| wrong())?;
        Price::new(value).map(Some).ok_or_else(wrong)
    };
    let date = match cell(row, date) {
        None => None,
        Some(text) => Some(parse_day(text).ok_or_else(|| {
            let problem = format!("{key}: {text:?} is not a day like 2026-05-08");
            Fault::field("date", problem)
        })?),
    };
    let adjusted = price("adj_close", adj_close)?;
    let source = cell(row, own_source).or_else(|| cell(row, price_source));
    Ok(Quote {
        date,
        close: price("close", close)?,
        adjusted: match adjusted {
            Some(price) => Some(price),
            None => price("adjClose", alias)?,
        },
        price: price("price", price_place)?,
        index: price("index", index)?,
        source: source.map(str::to_owned),
        key,
    })
}

#[cfg(test)]
mod tests;
