//! The report of `validate-universe`: does the price source know every option?

use serde_json::{Value, json};

use crate::format::text::json;

/// What the price source returned for one option.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OptionCheck {
    pub id: String,
    /// Public and data symbol; none for cash.
    pub symbols: Option<(String, String)>,
    pub rows: usize,
    /// First and last day returned.
    pub days: Option<(String, String)>,
    /// Rows with a raw close.
    pub closes: usize,
    /// Rows without an adjusted close.
    pub missing_adjusted: usize,
    /// Why the source did not answer.
    pub error: Option<String>,
}

impl OptionCheck {
    /// `pass` needs rows, a close, and an adjusted close in every row.
    pub fn status(&self) -> &'static str {
        let complete = self.rows > 0 && self.closes > 0 && self.missing_adjusted == 0;
        match &self.symbols {
            None => "skipped_cash",
            Some(_) if complete && self.error.is_none() => "pass",
            Some(_) => "fail",
        }
    }

    /// The reason for the status.
    pub fn message(&self) -> String {
        if self.symbols.is_none() {
            return "cash has no price to check".to_owned();
        }
        match (&self.error, self.rows, self.closes, self.missing_adjusted) {
            (Some(error), ..) => error.clone(),
            (None, 0, ..) => "no rows in this range".to_owned(),
            (None, _, 0, _) => "no raw close".to_owned(),
            (None, .., missing) if missing > 0 => format!("{missing} rows have no adjusted close"),
            _ => "OK".to_owned(),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asked {
    pub source: String,
    pub start: String,
    pub end: String,
    /// Instant of the check.
    pub at: String,
}

/// The report as JSON and as Markdown.
pub fn render(asked: &Asked, checks: &[OptionCheck]) -> (String, String) {
    let with = |status: &str| -> Vec<&OptionCheck> {
        checks
            .iter()
            .filter(|check| check.status() == status)
            .collect()
    };
    let tickers = |status: &str| -> Vec<String> {
        let symbols = with(status)
            .into_iter()
            .filter_map(|check| check.symbols.clone());
        symbols.map(|(_, data)| data).collect()
    };
    let document = json!({
        "validated_at_utc": asked.at,
        "source": asked.source,
        "start_date": asked.start,
        "end_date": asked.end,
        "total_options": checks.len(),
        "cash_options": with("skipped_cash").len(),
        "validated_tickers": tickers("pass"),
        "failed_tickers": tickers("fail"),
        "warnings": [],
        "results": checks.iter().map(row).collect::<Vec<_>>(),
    });
    let mut lines = vec![
        "# Universe validation".to_owned(),
        String::new(),
        format!("- Source: {}", asked.source),
        format!("- Range: {} to {}", asked.start, asked.end),
        format!("- Failed: {}", with("fail").len()),
        String::new(),
        "| option_id | symbol | status | rows | message |".to_owned(),
        "| --- | --- | --- | --- | --- |".to_owned(),
    ];
    for check in checks {
        let symbol = check.symbols.as_ref().map_or("", |(symbol, _)| symbol);
        let (status, message) = (check.status(), check.message());
        let (id, rows) = (&check.id, check.rows);
        lines.push(format!(
            "| {id} | {symbol} | {status} | {rows} | {message} |"
        ));
    }
    lines.push(String::new());
    (json::to_pretty(&document), lines.join("\n"))
}

fn row(check: &OptionCheck) -> Value {
    let (symbol, data) = check.symbols.clone().unzip();
    let (first, last) = check.days.clone().unzip();
    json!({
        "id": check.id,
        "symbol": symbol,
        "tiingo_symbol": data,
        "status": check.status(),
        "rows_returned": check.rows,
        "first_date": first,
        "last_date": last,
        "has_close": check.closes > 0,
        "has_adj_close": check.rows > check.missing_adjusted,
        "null_adj_close_count": check.missing_adjusted,
        "message": check.message(),
    })
}
