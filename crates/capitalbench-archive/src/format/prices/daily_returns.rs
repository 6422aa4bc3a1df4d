//! `market_data/daily_returns.csv`: `day,option_id,return`, one row per session and option.
//!
//! Days ascend; within a day the options come in universe order. A return is a fraction from adjusted
//! closes, written so that it reads back as the same number; cash has `0.0`.

use capitalbench_core::market::daily_returns::DailyReturns;
use capitalbench_core::values::ids::OptionId;
use capitalbench_core::values::time::parse_day;
use jiff::civil::Date;

use crate::disk::error::Fault;
use crate::format::text::number::float_text;
use crate::format::text::table::{CsvText, read_table};

const COLUMNS: [&str; 3] = ["day", "option_id", "return"];

pub fn render(returns: &DailyReturns) -> String {
    let mut text = CsvText::new();
    text.row(COLUMNS);
    for (place, day) in returns.days().iter().enumerate() {
        for (id, values) in returns.options() {
            let value = values.get(place).copied().map(float_text);
            text.row([day.to_string(), id.to_string(), value.unwrap_or_default()]);
        }
    }
    text.into_string()
}

/// Reads the file; every day must hold the same options in the same order.
pub fn parse(bytes: &[u8]) -> Result<DailyReturns, Fault> {
    let table = read_table(bytes)?;
    if table.header != COLUMNS {
        return Err(Fault::new(format!("its columns must be {}", COLUMNS.join(","))).on_line(1));
    }
    let mut days: Vec<Date> = Vec::new();
    let mut options: Vec<(OptionId, Vec<f64>)> = Vec::new();
    let mut place = 0;
    for row in &table.rows {
        let wrong = |index: usize, text: &str| {
            let problem = format!("{:?} {text}", row.cells[index]);
            Fault::field(COLUMNS[index], problem).on_line(row.line)
        };
        let day = parse_day(&row.cells[0]).ok_or_else(|| wrong(0, "is not a day"))?;
        let id = OptionId::parse(&row.cells[1]).map_err(|error| wrong(1, &error.to_string()))?;
        let value = row.cells[2].parse::<f64>().ok();
        let value = value.filter(|value| value.is_finite() && *value > -1.0);
        let value = value.ok_or_else(|| wrong(2, "is not a return above -1"))?;
        if days.last() != Some(&day) {
            if days.last().is_some_and(|last| *last >= day) {
                return Err(wrong(0, "does not come after the day before it"));
            }
            days.push(day);
            place = 0;
        }
        match options.get_mut(place) {
            Some((own, values)) if *own == id && values.len() + 1 == days.len() => {
                values.push(value);
            }
            None if days.len() == 1 => options.push((id, vec![value])),
            _ => {
                return Err(wrong(
                    1,
                    "is not the option that stands here on the first day",
                ));
            }
        }
        place += 1;
    }
    DailyReturns::new(days, options)
        .ok_or_else(|| Fault::new("a day lacks an option, or an option stands twice"))
}

#[cfg(test)]
mod tests;
