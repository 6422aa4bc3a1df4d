//! The mechanical market table as CSV, JSON and the Markdown that models are shown.

use capitalbench_core::asking::market_context::{
    ContextRow, MarketContext, TrailingReturn, TrailingWindow, percent_cell,
};
use capitalbench_core::decision::control::PastFigures;
use capitalbench_core::market::calendar::Market;
use capitalbench_core::market::published_prices::{PublishedPrices, six_decimals};
use capitalbench_core::market::universe::{MarketOption, Universe};
use capitalbench_core::values::ids::OptionId;
use capitalbench_core::values::time::parse_day;
use jiff::civil::Date;
use serde_json::{Map, Value, json};

use crate::disk::error::Fault;
use crate::format::text::number::float_text;
use crate::format::text::table::{self, CsvText};
use crate::format::{column, optional_number, text::json};

/// Paths inside a round.
pub const CSV: &str = "market_data/universe_trailing_returns.csv";
/// The Markdown that becomes part of the model input.
pub const MARKDOWN: &str = "market_data/universe_trailing_returns.md";
/// The same rows for machines.
pub const JSON: &str = "market_data/universe_trailing_returns.json";

/// Where the prices came from and when.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Provenance {
    /// Source label, such as `tiingo_eod_adj_close`.
    pub source: String,
    /// Instant of the fetch.
    pub generated_at: String,
    /// Symbols that were asked for, in order.
    pub fetched_symbols: Vec<String>,
}

/// One cell: its column and its value, blank when there is none.
type Cell = (String, Value);

/// The three files of the table: path and text. Where closes are not published, the table has no level,
/// and its figures have six decimals.
pub fn render(
    universe: &Universe,
    context: &MarketContext,
    provenance: &Provenance,
    publish: PublishedPrices,
) -> [(&'static str, String); 3] {
    let rows: Vec<Vec<Cell>> = paired(universe, context)
        .map(|(option, row)| cells(option, row, context.as_of, publish))
        .collect();
    [
        (CSV, csv(&rows)),
        (MARKDOWN, markdown(universe, context, provenance)),
        (JSON, json_text(&rows, context, provenance)),
    ]
}

/// Rows with their options; an option that models do not see has no row.
fn paired<'a>(
    universe: &'a Universe,
    context: &'a MarketContext,
) -> impl Iterator<Item = (&'a MarketOption, &'a ContextRow)> {
    universe.options().iter().filter_map(|option| {
        let row = context.rows.iter().find(|row| row.option_id == option.id)?;
        Some((option, row))
    })
}

/// Reads the figures that control entrants need from the CSV; a row that failed has none.
pub fn parse_figures(bytes: &[u8]) -> Result<Vec<PastFigures>, Fault> {
    let table = table::read_table(bytes)?;
    let (id, status) = (column(&table, "option_id")?, column(&table, "status")?);
    let mut figures = Vec::with_capacity(table.rows.len());
    for row in &table.rows {
        let failed = row.cells[status].trim() == "fail";
        // Earlier tables have no volatility; a blank cell is an unknown figure.
        let figure = |name: &str| -> Result<Option<f64>, Fault> {
            let text = table
                .column(name)
                .map_or("", |column| row.cells[column].trim());
            optional_number(name, if failed { "" } else { text }, row.line)
        };
        figures.push(PastFigures {
            option_id: OptionId::parse(&row.cells[id])
                .map_err(|error| Fault::field("option_id", error).on_line(row.line))?,
            return_30d: figure("return_30d")?,
            volatility_30d: figure("volatility_30d")?,
        });
    }
    Ok(figures)
}

/// Reads the day as of which the JSON was made.
pub fn parse_as_of(bytes: &[u8]) -> Result<Date, Fault> {
    let value = json::parse(bytes)?;
    let text = value.get("as_of_date_requested").and_then(Value::as_str);
    let day = text.and_then(parse_day);
    day.ok_or_else(|| Fault::field("as_of_date_requested", "must be a day like 2026-05-08"))
}

fn cells(
    option: &MarketOption,
    row: &ContextRow,
    as_of: Date,
    publish: PublishedPrices,
) -> Vec<Cell> {
    let figure = |value: Option<f64>| {
        json!(if publish.is_full() {
            value
        } else {
            value.map(six_decimals)
        })
    };
    let mut cells: Vec<Cell> = Vec::with_capacity(36);
    // A value that is missing is an empty text.
    let mut put = |name: &str, value: Value| {
        let value = if value.is_null() { json!("") } else { value };
        cells.push((name.to_owned(), value));
    };
    put("option_id", json!(option.id));
    put("symbol", json!(option.symbol));
    put("name", json!(option.name));
    put("asset_class", json!(option.asset_class));
    put("category", json!(option.category));
    put("option_group", json!(option.group));
    put("risk_bucket", json!(option.risk_bucket.as_str()));
    put("as_of_date_requested", json!(as_of.to_string()));
    let priced = row.as_of.as_ref();
    put(
        "as_of_price_date",
        json!(priced.map(|p| p.date.to_string())),
    );
    if publish.is_full() {
        put("as_of_adj_close", json!(priced.map(|p| p.adjusted_close)));
    }
    for trailing in &row.returns {
        let window = trailing.window.as_str();
        let day = trailing.price_date.map(|day| day.to_string());
        put(&format!("price_date_{window}"), json!(day));
        put(&format!("return_{window}"), figure(trailing.value));
        put(&format!("rank_{window}"), json!(trailing.rank));
        let versus = figure(trailing.versus_reference);
        put(&format!("return_vs_sp500_{window}"), versus);
    }
    let path = &row.path;
    put("volatility_30d", figure(path.volatility_30d));
    put("max_drawdown_30d", figure(path.max_drawdown_30d));
    put("path_observations_30d", json!(path.path_observations_30d));
    put("up_day_share_30d", figure(path.up_day_share_30d));
    put(
        "distance_from_52w_high",
        figure(path.distance_from_52w_high),
    );
    put("distance_from_52w_low", figure(path.distance_from_52w_low));
    put("corr_to_sp500_1y", figure(path.corr_to_reference_1y));
    put("beta_to_sp500_1y", figure(path.beta_to_reference_1y));
    put("status", json!(row.status.as_str()));
    put("message", json!(row.message));
    cells
}

fn csv(rows: &[Vec<Cell>]) -> String {
    let mut text = CsvText::new();
    if let Some(first) = rows.first() {
        text.row(first.iter().map(|(name, _)| name.as_str()));
    }
    for row in rows {
        text.row(row.iter().map(|(_, value)| cell_text(value)));
    }
    text.into_string()
}

fn cell_text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Number(number) => match number.as_f64() {
            Some(real) if number.is_f64() => float_text(real),
            _ => number.to_string(),
        },
        other => other.to_string(),
    }
}

fn json_text(rows: &[Vec<Cell>], context: &MarketContext, provenance: &Provenance) -> String {
    let rows: Vec<Value> = rows
        .iter()
        .map(|row| Value::Object(row.iter().cloned().collect::<Map<String, Value>>()))
        .collect();
    let failed: Vec<&str> = context.failed().into_iter().map(OptionId::as_str).collect();
    let windows: Vec<&str> = TrailingWindow::ALL.iter().map(|w| w.as_str()).collect();
    json::to_pretty(&json!({
        "generated_at_utc": provenance.generated_at,
        "source": provenance.source,
        "as_of_date_requested": context.as_of.to_string(),
        "return_windows": windows,
        "total_options": rows.len(),
        "fetched_symbols": provenance.fetched_symbols,
        "failed_options": failed,
        "rows": rows,
    }))
}

fn notes(universe: &Universe) -> String {
    format!(
        "Computed from adjusted closes, the same way for every option, in the order of the option \
         list. Past returns are context, not forecasts.\n\n\
         Values against the {} are the option's return minus that of the reference over the same \
         days. Beta uses daily returns of one year.",
        universe.reference().name
    )
}

fn markdown(universe: &Universe, context: &MarketContext, provenance: &Provenance) -> String {
    // The columns of New York are called as they always were.
    let is_usual = universe.market() == Market::default();
    let reference = if is_usual { "sp500" } else { "reference" };
    let versus = format!("return_vs_{reference}_30d");
    let beta = format!("beta_to_{reference}_1y");
    let header = [
        "option_id",
        "symbol",
        "option_group",
        "as_of_price_date",
        "return_7d",
        "return_30d",
        "return_6m",
        "return_1y",
        &versus,
        "volatility_30d",
        "max_drawdown_30d",
        "up_day_share_30d",
        "distance_from_52w_high",
        &beta,
        "status",
    ];
    let mut lines = vec![
        "# Full-Universe Price, Risk, And Benchmark Context".to_owned(),
        String::new(),
        notes(universe),
        String::new(),
        format!("- Source: {}", provenance.source),
        format!("- As-of date requested: {}", context.as_of),
        format!("- Failed options: {}", context.failed().len()),
        String::new(),
        format!("| {} |", header.join(" | ")),
        format!("| {} |", ["---"; 15].join(" | ")),
    ];
    for (option, row) in paired(universe, context) {
        lines.push(format!("| {} |", markdown_cells(option, row).join(" | ")));
    }
    lines.push(String::new());
    lines.join("\n")
}

fn markdown_cells(option: &MarketOption, row: &ContextRow) -> Vec<String> {
    let percent = |value: Option<f64>| value.map(percent_cell).unwrap_or_default();
    let of = |window: TrailingWindow| row.returns.iter().find(|r| r.window == window);
    let value = |window| percent(of(window).and_then(|r: &TrailingReturn| r.value));
    let path = &row.path;
    vec![
        option.id.to_string(),
        option.symbol.clone().unwrap_or_default(),
        option.group.clone(),
        row.as_of
            .as_ref()
            .map(|p| p.date.to_string())
            .unwrap_or_default(),
        value(TrailingWindow::Days7),
        value(TrailingWindow::Days30),
        value(TrailingWindow::Months6),
        value(TrailingWindow::Year1),
        percent(of(TrailingWindow::Days30).and_then(|r| r.versus_reference)),
        percent(path.volatility_30d),
        percent(path.max_drawdown_30d),
        percent(path.up_day_share_30d),
        percent(path.distance_from_52w_high),
        path.beta_to_reference_1y
            .map(|beta| format!("{beta:.2}"))
            .unwrap_or_default(),
        row.status.as_str().to_owned(),
    ]
}

#[cfg(test)]
mod tests;
