//! Daily closes as the folder knows them: what statistics build their series from.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use capitalbench_core::evidence::inference::daily::Closes;
use capitalbench_core::evidence::inference::null::Volatility;
use capitalbench_core::market::prices::{PriceSheet, Quote, Side};
use capitalbench_core::market::universe::Universe;
use capitalbench_core::result::interim::Snapshot;
use capitalbench_core::round::manifest::Window;
use capitalbench_core::values::ids::{Digest, OptionId};
use capitalbench_core::values::units::Price;
use jiff::civil::Date;

use crate::disk::error::{Fault, FileError};
use crate::disk::file_ops;
use crate::disk::layout;
use crate::format::{prices::price_sheet, prices::trailing, text::table};
use crate::prices::price_record::PriceRecord;
use crate::round::round_folder::{RoundInputs, names_in, optional};

/// Fewest rows of a round's sheet that may stand for a day; fewer are a selection.
pub(crate) const MIN_ROWS: usize = 20;

/// Daily snapshots of the whole universe, shared by all rounds.
#[derive(Debug, Clone, Default)]
pub struct DailySnapshots {
    sheets: BTreeMap<Date, PriceSheet>,
    digests: BTreeMap<Date, Digest>,
}

impl DailySnapshots {
    /// Reads the snapshots beside a folder of rounds; one that is not of a single day is refused.
    pub fn load(rounds: &Path) -> Result<Self, FileError> {
        let folder = rounds.join(layout::SNAPSHOTS);
        let mut found = Self::default();
        if !folder.is_dir() {
            return Ok(found);
        }
        for name in names_in(&folder)? {
            let path = folder.join(&name);
            if path.extension().is_none_or(|end| end != "csv") {
                continue;
            }
            let bytes = file_ops::read(&path)?;
            let (day, sheet) = parse(&bytes).map_err(|fault| fault.in_file(&path))?;
            found.sheets.insert(day, sheet);
            found.digests.insert(day, Digest::of(&bytes));
        }
        Ok(found)
    }

    /// One digest of all snapshots of a window, none included: what its facts may follow from.
    pub(crate) fn digest(&self, window: Option<Window>) -> Digest {
        let mut told = Vec::new();
        if let Some(window) = window.filter(|window| window.entry <= window.exit) {
            for (day, digest) in self.digests.range(window.entry..=window.exit) {
                told.extend_from_slice(day.to_string().as_bytes());
                told.extend_from_slice(&digest.bytes());
            }
        }
        Digest::of(&told)
    }

    /// The closes of these options in a round's window: those of its own fetch, which share one
    /// basis; else the snapshots, its sheets filling in where a day has none.
    pub fn of_round(
        &self,
        inputs: &RoundInputs,
        held: &BTreeSet<&OptionId>,
    ) -> Result<Closes, FileError> {
        let Some(window) = inputs.manifest.window else {
            return Ok(Closes::new());
        };
        if let Some(record) = PriceRecord::load(&inputs.folder)? {
            return Ok(of_record(&record, &inputs.universe));
        }
        let mut closes = Closes::new();
        for (day, sheet) in self.sheets.range(window.entry..=window.exit) {
            closes.insert(*day, snapshot(sheet, &inputs.universe, held));
        }
        for (side, day) in [(Side::Entry, window.entry), (Side::Exit, window.exit)] {
            if let Some(sheet) = inputs.folder.sheet(side)? {
                let own = snapshot(&sheet, &inputs.universe, held);
                let known = closes.entry(day).or_default();
                for (id, price) in own {
                    known.entry(id).or_insert(price);
                }
            }
        }
        Ok(closes)
    }
}

/// The adjusted closes of one fetch; cash is one on every day.
fn of_record(record: &PriceRecord, universe: &Universe) -> Closes {
    let mut closes = Closes::new();
    for window in &record.windows {
        for session in &window.sessions {
            if let Some(price) = session.adjusted.or(session.close) {
                let known = closes.entry(session.date).or_default();
                known.insert(window.option_id.clone(), price);
            }
        }
    }
    for known in closes.values_mut() {
        for option in universe
            .options()
            .iter()
            .filter(|option| option.scores_as_cash())
        {
            known.entry(option.id.clone()).or_insert(Price::ONE);
        }
    }
    closes
}

/// Reads a sheet of one day.
pub(crate) fn parse(bytes: &[u8]) -> Result<(Date, PriceSheet), Fault> {
    let sheet = price_sheet::parse(bytes)?;
    let mut days = sheet.quotes().iter().map(|quote| quote.date);
    let day = days.next().flatten();
    let day = day.ok_or_else(|| Fault::field("date", "a snapshot names its day in every row"))?;
    if sheet.quotes().iter().any(|quote| quote.date != Some(day)) {
        return Err(Fault::field("date", "a snapshot is of a single day"));
    }
    Ok((day, sheet))
}

/// Prices of these options; cash without a row is one.
fn snapshot(sheet: &PriceSheet, universe: &Universe, held: &BTreeSet<&OptionId>) -> Snapshot {
    let mut snapshot = Snapshot::new();
    for option in held.iter().filter_map(|id| universe.get(id)) {
        let used = sheet
            .find(option)
            .and_then(Quote::used)
            .map(|(price, _)| price);
        if let Some(price) = used.or(option.scores_as_cash().then_some(Price::ONE)) {
            snapshot.insert(option.id.clone(), price);
        }
    }
    snapshot
}

/// Trailing volatility by option as models were shown it; empty where the round had no such table.
pub fn volatility(inputs: &RoundInputs) -> Result<Volatility, FileError> {
    let folder = &inputs.folder;
    let rows = optional(folder.parse(trailing::CSV, trailing::parse_figures))?;
    let known: Volatility = rows
        .unwrap_or_default()
        .into_iter()
        .filter_map(|row| Some((row.option_id, row.volatility_30d?)))
        .collect();
    if !known.is_empty() {
        return Ok(known);
    }
    let context = folder.parse(layout::DECISION_CONTEXT, context_volatility);
    Ok(optional(context)?.unwrap_or_default())
}

fn context_volatility(bytes: &[u8]) -> Result<Volatility, Fault> {
    let table = table::read_table(bytes)?;
    let columns = table
        .column("option_id")
        .zip(table.column("volatility_21s"));
    let Some((id, value)) = columns else {
        return Ok(Volatility::new());
    };
    let mut known = Volatility::new();
    for row in &table.rows {
        let id = OptionId::parse(&row.cells[id]);
        let id = id.map_err(|e| Fault::field("option_id", e.to_string()).on_line(row.line))?;
        let value = row.cells[value].trim().parse::<f64>().ok();
        if let Some(value) = value.filter(|value| value.is_finite()) {
            known.insert(id, value);
        }
    }
    Ok(known)
}
