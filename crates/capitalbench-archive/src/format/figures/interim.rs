//! Interim files: prices by day, and the provisional rows computed from them.

use std::collections::BTreeMap;

use capitalbench_core::decision::portfolio::primary_holding;
use capitalbench_core::decision::submission::Submission;
use capitalbench_core::result::interim::{Snapshot, track};
use capitalbench_core::values::ids::{OptionId, RunId};
use capitalbench_core::values::time::{days_between, parse_day};
use capitalbench_core::values::units::Price;
use jiff::civil::Date;

use crate::disk::error::Fault;
use crate::format::text::number::float_text;
use crate::format::text::table::{CsvText, read_table};

/// Columns of the stored rows.
pub const HEADER: [&str; 16] = [
    "round_id",
    "run_id",
    "model_id",
    "provider",
    "target_date",
    "price_date",
    "days_elapsed",
    "run_type",
    "submission_format",
    "selected_option_id",
    "holding_count",
    "model_return",
    "sp500_return",
    "alpha_vs_sp500",
    "price_status",
    "published",
];

/// Snapshots by day, in order; the first is the entry.
pub type Snapshots = BTreeMap<Date, (Date, Snapshot)>;

/// Reads `weekly_prices.csv`; where closes are not published, indexes stand in place of prices.
pub fn parse_prices(bytes: &[u8]) -> Result<Snapshots, Fault> {
    let table = read_table(bytes)?;
    let column = |name: &str| crate::format::column(&table, name);
    let (target, dated) = (column("target_date")?, column("price_date")?);
    let index = table
        .column("index")
        .filter(|_| table.column("price").is_none());
    let price = index.map_or_else(|| column("price"), Ok)?;
    let option = column("option_id")?;
    let mut snapshots = Snapshots::new();
    for row in &table.rows {
        let cell = |index: usize| row.cells[index].trim();
        let wrong = |name: &str, index: usize| {
            Fault::field(name, format!("{:?} is not a valid {name}", cell(index))).on_line(row.line)
        };
        let day = parse_day(cell(target)).ok_or_else(|| wrong("target_date", target))?;
        let priced = parse_day(cell(dated)).ok_or_else(|| wrong("price_date", dated))?;
        let id = OptionId::parse(cell(option)).map_err(|_| wrong("option_id", option))?;
        let value = cell(price).parse().ok().and_then(Price::new);
        let value = value.ok_or_else(|| wrong("price", price))?;
        let (_, snapshot) = snapshots
            .entry(day)
            .or_insert_with(|| (priced, Snapshot::new()));
        snapshot.insert(id, value);
    }
    Ok(snapshots)
}

/// Rebuilds `weekly_performance.csv`; fails when a needed price is missing.
pub fn render(
    run_id: &RunId,
    submissions: &[Submission],
    reference: &OptionId,
    snapshots: &Snapshots,
) -> Result<String, Fault> {
    let mut sorted: Vec<&Submission> = submissions.iter().collect();
    sorted.sort_by(|a, b| {
        let key = |s: &'_ Submission| (s.provider.clone(), s.model_id.clone(), s.replicate());
        key(a).cmp(&key(b))
    });
    let Some((entry_day, (_, entry))) = snapshots.first_key_value() else {
        return Err(Fault::new("no interim price"));
    };
    let mut text = CsvText::new();
    text.row(HEADER);
    for (day, (priced, now)) in snapshots {
        for submission in &sorted {
            let point = track(submission, reference, entry, now)
                .map_err(|id| Fault::new(format!("no price for {id} on {day}")))?;
            let holdings = submission.decision.holdings();
            let primary = primary_holding(&holdings).map_or("", |h| h.option_id.as_str());
            let kind = submission.run.kind.map_or("", |kind| kind.as_str());
            text.row([
                submission.round_id.as_str(),
                run_id.as_str(),
                submission.model_id.as_str(),
                submission.provider.as_str(),
                &day.to_string(),
                &priced.to_string(),
                &days_between(*entry_day, *day).to_string(),
                kind,
                submission.decision.format().as_str(),
                primary,
                &holdings.len().to_string(),
                &float_text(point.value.get()),
                &float_text(point.reference.get()),
                &float_text(point.alpha.get()),
                "complete",
                "True",
            ]);
        }
    }
    Ok(text.into_string())
}
