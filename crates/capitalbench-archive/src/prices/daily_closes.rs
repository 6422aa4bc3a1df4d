//! Daily closes as the folder knows them: what statistics build their series from.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use capitalbench_core::evidence::inference::daily::Closes;
use capitalbench_core::evidence::inference::null::Volatility;
use capitalbench_core::market::prices::{PriceSheet, Side};
use capitalbench_core::market::universe::{MarketOption, Universe};
use capitalbench_core::round::manifest::Window;
use capitalbench_core::values::ids::{Digest, OptionId};
use capitalbench_core::values::units::Price;
use jiff::civil::Date;

use crate::disk::error::{Fault, FileError};
use crate::disk::file_ops;
use crate::disk::layout;
use crate::format::{prices::price_sheet, prices::trailing, text::table};
use crate::prices::price_record::PriceRecord;
use crate::round::round_folder::{RoundFolder, RoundInputs, list_rounds, names_in, optional};

/// Fewest rows of a round's sheet that may stand for a day; fewer are a selection.
pub(crate) const MIN_ROWS: usize = 20;

/// Closes of the whole universe by day, shared by all rounds.
///
/// They come from snapshots and from the sheets of rounds whose prices were not fetched as one
/// record. Only unadjusted closes are used: they are the same whenever they were fetched, while
/// adjusted ones of different days rest on different later distributions.
#[derive(Debug, Clone, Default)]
pub struct DailySnapshots {
    /// A snapshot first, then sheets in order of their rounds.
    sheets: BTreeMap<Date, Vec<PriceSheet>>,
    digests: BTreeMap<Date, Vec<Digest>>,
}

impl DailySnapshots {
    /// Reads the snapshots beside a folder of rounds, and the sheets of the rounds; a snapshot that
    /// is not of a single day is refused.
    pub fn load(rounds: &Path) -> Result<Self, FileError> {
        let folder = rounds.join(layout::SNAPSHOTS);
        let mut found = Self::default();
        let names = if folder.is_dir() {
            names_in(&folder)?
        } else {
            Vec::new()
        };
        for name in names {
            let path = folder.join(&name);
            if path.extension().is_none_or(|end| end != "csv") {
                continue;
            }
            let bytes = file_ops::read(&path)?;
            let (day, sheet) = parse(&bytes).map_err(|fault| fault.in_file(&path))?;
            found.add(day, sheet, &bytes);
        }
        if rounds.is_dir() {
            for folder in list_rounds(rounds)? {
                found.pool(&folder)?;
            }
        }
        Ok(found)
    }

    fn add(&mut self, day: Date, sheet: PriceSheet, bytes: &[u8]) {
        self.sheets.entry(day).or_default().push(sheet);
        self.digests.entry(day).or_default().push(Digest::of(bytes));
    }

    /// Adds the sheets of a round. One that was fetched as a record has its own closes of every
    /// session; a sheet of few rows, without a close in each or of several days stands for no day.
    fn pool(&mut self, folder: &RoundFolder) -> Result<(), FileError> {
        if folder.file(layout::PROVENANCE).exists() {
            return Ok(());
        }
        for side in [Side::Entry, Side::Exit] {
            let path = folder.file(layout::price_sheet(side));
            if !path.exists() {
                continue;
            }
            let bytes = file_ops::read(&path)?;
            // What is wrong with a sheet is told where its own round is read.
            let Ok((day, sheet)) = parse(&bytes) else {
                continue;
            };
            let whole = sheet.quotes().iter().all(|quote| quote.close.is_some());
            if whole && sheet.quotes().len() >= MIN_ROWS {
                self.add(day, sheet, &bytes);
            }
        }
        Ok(())
    }

    /// One digest of all closes of a window, none included: what its facts may follow from.
    pub(crate) fn digest(&self, window: Option<Window>) -> Digest {
        let mut told = Vec::new();
        if let Some(window) = window.filter(|window| window.entry <= window.exit) {
            for (day, digests) in self.digests.range(window.entry..=window.exit) {
                told.extend_from_slice(day.to_string().as_bytes());
                for digest in digests {
                    told.extend_from_slice(&digest.bytes());
                }
            }
        }
        Digest::of(&told)
    }

    /// The closes of these options in a round's window, on one basis: the adjusted ones of its own
    /// fetch, else the unadjusted ones that all rounds share. An option that was split meanwhile
    /// has none of the latter.
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
        // What follows from closes that all rounds share would tell them with all their digits.
        if !inputs.manifest.publish.is_full() {
            return Ok(Closes::new());
        }
        let folder = &inputs.folder;
        let own = (folder.sheet(Side::Entry)?, folder.sheet(Side::Exit)?);
        let sheets = own.0.as_ref().zip(own.1.as_ref());
        let universe = &inputs.universe;
        let options = held.iter().filter_map(|id| universe.get(id));
        let options: Vec<&MarketOption> = options
            .filter(|option| sheets.is_none_or(|both| !split(option, both)))
            .collect();
        let mut closes = Closes::new();
        for (day, sheets) in self.sheets.range(window.entry..=window.exit) {
            let known = closes.entry(*day).or_default();
            for option in &options {
                let close = sheets.iter().find_map(|sheet| close_of(sheet, option));
                if let Some(price) = close.or(option.scores_as_cash().then_some(Price::ONE)) {
                    known.insert(option.id.clone(), price);
                }
            }
        }
        Ok(closes)
    }
}

/// The close of an option as it was traded.
fn close_of(sheet: &PriceSheet, option: &MarketOption) -> Option<Price> {
    let quote = sheet.find(option)?;
    quote.close.or(quote.price)
}

/// By how much adjusted and unadjusted returns may differ without a split: far more than any
/// distribution within a month, far less than the smallest split.
const SPLIT: f64 = 0.15;

/// Whether adjusted and unadjusted prices of a window tell so different returns that the option was
/// split in between.
fn split(option: &MarketOption, (entry, exit): (&PriceSheet, &PriceSheet)) -> bool {
    let of = |sheet: &PriceSheet| {
        let quote = sheet.find(option)?;
        Some(quote.adjusted?.get() / quote.close?.get())
    };
    let both = of(entry).zip(of(exit));
    both.is_some_and(|(entry, exit)| (exit / entry - 1.0).abs() > SPLIT)
}

/// The closes of one fetch, cash being one on every day: adjusted ones for an option that has them
/// on every session, else unadjusted ones throughout.
fn of_record(record: &PriceRecord, universe: &Universe) -> Closes {
    let mut closes = Closes::new();
    for window in &record.windows {
        let adjusted = window.sessions.iter().all(|own| own.adjusted.is_some());
        for session in &window.sessions {
            let price = if adjusted {
                session.adjusted
            } else {
                session.close
            };
            if let Some(price) = price {
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
