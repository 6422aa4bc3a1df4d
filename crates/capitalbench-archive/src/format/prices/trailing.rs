//! The mechanical market table as CSV, JSON and the Markdown that models are shown.

use capitalbench_core::asking::market_context::{
    ContextRow, MarketContext, TrailingReturn, TrailingWindow, percent_cell,
};
use capitalbench_core::decision::control::PastFigures;
use capitalbench_core::market::universe::{MarketOption, Universe};
use capitalbench_core::values::ids::OptionId;
use serde_json::{Map, Value, json};

use crate::disk::error::Fault;
use crate::format::text::json;
use crate::format::text::number::float_text;
use crate::format::text::table::{self, CsvText};

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

/// The three files of the table: path and text.
pub fn render(
    universe: &Universe,
    context: &MarketContext,
    provenance: &Provenance,
) -> [(&'static str, String); 3] {
    let rows: Vec<Vec<Cell>> = paired(universe, context)
        .map(|(option, row)| cells(option, row, context))
        .collect();
    [
        (CSV, csv(&rows)),
        (MARKDOWN, markdown(universe, context, provenance)),
        (JSON, json_text(&rows, context, provenance)),
    ]
}

/// Rows with their options; options that models do not see have none.
fn paired<'a>(
    universe: &'a Universe,
    context: &'a MarketContext,
) -> impl Iterator<Item = (&'a MarketOption, &'a ContextRow)> {
    universe.options().iter().filter_map(|option| {
        let row = context.rows.iter().find(|row| row.option_id == option.id)?;
        Some((option, row))
    })
}

/// Reads from the CSV what controls are made of; a row that failed tells nothing.
pub fn parse_figures(bytes: &[u8]) -> Result<Vec<PastFigures>, Fault> {
    let table = table::read_table(bytes)?;
    let missing = |name: &'static str| Fault::field(name, "missing column").on_line(1);
    let id = table
        .column("option_id")
        .ok_or_else(|| missing("option_id"))?;
    let status = table.column("status").ok_or_else(|| missing("status"))?;
    let mut figures = Vec::with_capacity(table.rows.len());
    for row in &table.rows {
        let failed = row.cells[status].trim() == "fail";
        // Earlier tables have no volatility; a blank cell is a figure that is not known.
        let figure = |name: &str| -> Result<Option<f64>, Fault> {
            let text = table
                .column(name)
                .map_or("", |column| row.cells[column].trim());
            if text.is_empty() || failed {
                return Ok(None);
            }
            let value = text.parse::<f64>().ok().filter(|value| value.is_finite());
            let wrong =
                || Fault::field(name, format!("{text:?} is not a number")).on_line(row.line);
            value.map(Some).ok_or_else(wrong)
        };
        figures.push(PastFigures {
            option_id: OptionId::parse(&row.cells[id])
                .map_err(|error| Fault::field("option_id", error.to_string()).on_line(row.line))?,
            return_30d: figure("return_30d")?,
            volatility_30d: figure("volatility_30d")?,
        });
    }
    Ok(figures)
}

fn blank_or<T: Into<Value>>(value: Option<T>) -> Value {
    value.map_or_else(|| Value::from(""), Into::into)
}

fn cells(option: &MarketOption, row: &ContextRow, context: &MarketContext) -> Vec<Cell> {
    let mut cells: Vec<Cell> = Vec::with_capacity(36);
    let mut put = |name: &str, value: Value| cells.push((name.to_owned(), value));
    put("option_id", option.id.as_str().into());
    put("symbol", blank_or(option.symbol.clone()));
    put("name", option.name.as_str().into());
    put("asset_class", option.asset_class.as_str().into());
    put("category", option.category.as_str().into());
    put("option_group", option.group.as_str().into());
    put("risk_bucket", option.risk_bucket.as_str().into());
    put("as_of_date_requested", context.as_of.to_string().into());
    put(
        "as_of_price_date",
        blank_or(row.as_of.as_ref().map(|p| p.date.to_string())),
    );
    put(
        "as_of_adj_close",
        blank_or(row.as_of.as_ref().map(|p| p.adjusted_close)),
    );
    for trailing in &row.returns {
        let window = trailing.window.as_str();
        put(
            &format!("price_date_{window}"),
            blank_or(trailing.price_date.map(|d| d.to_string())),
        );
        put(&format!("return_{window}"), blank_or(trailing.value));
        put(&format!("rank_{window}"), blank_or(trailing.rank));
        put(
            &format!("return_vs_sp500_{window}"),
            blank_or(trailing.versus_reference),
        );
    }
    let path = &row.path;
    put("volatility_30d", blank_or(path.volatility_30d));
    put("max_drawdown_30d", blank_or(path.max_drawdown_30d));
    put(
        "path_observations_30d",
        blank_or(path.path_observations_30d),
    );
    put("up_day_share_30d", blank_or(path.up_day_share_30d));
    put(
        "distance_from_52w_high",
        blank_or(path.distance_from_52w_high),
    );
    put(
        "distance_from_52w_low",
        blank_or(path.distance_from_52w_low),
    );
    put("corr_to_sp500_1y", blank_or(path.corr_to_reference_1y));
    put("beta_to_sp500_1y", blank_or(path.beta_to_reference_1y));
    put("status", row.status.as_str().into());
    put("message", row.message.as_str().into());
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

const NOTES: &str = "Computed from adjusted closes, the same way for every option, in the order of \
the option list. Past returns are context, not forecasts.\n\n\
Values against the S&P 500 are the option's return minus that of the reference over the same days. \
Beta uses daily returns of one year.";

fn markdown(universe: &Universe, context: &MarketContext, provenance: &Provenance) -> String {
    let header = [
        "option_id",
        "symbol",
        "option_group",
        "as_of_price_date",
        "return_7d",
        "return_30d",
        "return_6m",
        "return_1y",
        "return_vs_sp500_30d",
        "volatility_30d",
        "max_drawdown_30d",
        "up_day_share_30d",
        "distance_from_52w_high",
        "beta_to_sp500_1y",
        "status",
    ];
    let mut lines = vec![
        "# Full-Universe Price, Risk, And Benchmark Context".to_owned(),
        String::new(),
        NOTES.to_owned(),
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
