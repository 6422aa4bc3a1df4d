//! Provisional tracking of open rounds: daily snapshots of the universe, shared by all rounds, and the
//! two files of a round that are computed from them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use capitalbench_core::decision::submission::Submission;
use capitalbench_core::market::price_window::{PriceWindow, Session};
use capitalbench_core::market::prices::{PriceSheet, Quote, Side};
use capitalbench_core::market::published_prices::index;
use capitalbench_core::market::universe::{MarketOption, Universe};
use capitalbench_core::result::interim::Snapshot;
use capitalbench_core::round::manifest::Window;
use capitalbench_core::values::ids::OptionId;
use capitalbench_core::values::time::parse_day;
use capitalbench_core::values::units::Price;
use jiff::civil::Date;

use crate::disk::error::{Fault, FileError};
use crate::disk::file_ops;
use crate::disk::layout::{self, run};
use crate::format::figures::interim::{self, Snapshots};
use crate::format::prices::{price_sheet, price_window, provenance};
use crate::format::text::number::float_text;
use crate::format::text::table::CsvText;
use crate::prices::daily_closes;
use crate::prices::withheld::{self, is_indexed};
use crate::round::round_folder::{RoundFolder, RoundInputs, names_in};
use crate::run::run_folder::RunFolder;

/// Columns of `weekly_prices.csv`.
const HEADER: [&str; 8] = [
    "round_id",
    "target_date",
    "price_date",
    "option_id",
    "symbol",
    PRICE,
    "price_source",
    "published",
];
/// What a day is worth.
const PRICE: &str = "price";

/// The column in place of the price where closes are not published.
const INDEX: &str = "index";

/// The folder of [`Bases`] in that of the snapshots.
const BASES: &str = "entries";

/// Sheets by day: the best one of each.
pub type Sheets = BTreeMap<Date, PriceSheet>;

/// What the answers of later days say about the entry days of the rounds that were open then. A split
/// or distribution since the entry changes what the source says about the entry, and by as much it
/// changes what a later close is worth.
#[derive(Debug, Default)]
pub struct Bases(BTreeMap<Date, Vec<PriceWindow>>);

impl Bases {
    /// Reads those that lie beside the daily snapshots.
    pub fn load(snapshots: &Path) -> Result<Self, FileError> {
        let folder = snapshots.join(BASES);
        let mut found = BTreeMap::new();
        for name in names_in(&folder)? {
            let Some(day) = name.strip_suffix(".csv").and_then(parse_day) else {
                continue;
            };
            let file = folder.join(&name);
            let windows = price_window::parse(&file_ops::read(&file)?);
            found.insert(day, windows.map_err(|fault| fault.in_file(&file))?);
        }
        Ok(Self(found))
    }

    /// A later close in shares and distributions of the entry.
    fn on_entry_basis(
        &self,
        (day, price): (Date, Price),
        option: &MarketOption,
        (entry, start): (Date, Price),
    ) -> Price {
        let windows = self.0.get(&day).map(Vec::as_slice).unwrap_or_default();
        let own = windows.iter().find(|own| own.option_id == option.id);
        let session = own.and_then(|own| own.on(entry));
        let then = session.and_then(|session| session.adjusted.or(session.close));
        let since = then.filter(|then| *then != start);
        let worth = since.and_then(|then| Price::new(price.get() * start.get() / then.get()));
        worth.unwrap_or(price)
    }
}

/// The file beside a snapshot that says what its answers told about these entry days; none where
/// they are all the day itself.
pub fn basis_file(
    snapshots: &Path,
    day: Date,
    windows: &[PriceWindow],
    entries: &BTreeSet<Date>,
) -> Option<(PathBuf, String)> {
    let is_wanted = |session: &Session| session.date < day && entries.contains(&session.date);
    let wanted: Vec<PriceWindow> = windows
        .iter()
        .map(|window| PriceWindow {
            sessions: window.sessions.iter().copied().filter(is_wanted).collect(),
            ..window.clone()
        })
        .collect();
    let is_empty = wanted.iter().all(|window| window.sessions.is_empty());
    let file = snapshots.join(BASES).join(format!("{day}.csv"));
    (!is_empty).then(|| (file, price_window::render(&wanted)))
}

/// The folder of daily snapshots that belongs to a folder of rounds.
pub fn snapshots_folder(rounds: &Path) -> PathBuf {
    let whole = std::fs::canonicalize(rounds).unwrap_or_else(|_| rounds.to_owned());
    let beside = layout::SNAPSHOTS.strip_prefix("../");
    let beside = beside.unwrap_or(layout::SNAPSHOTS);
    whole.parent().unwrap_or(&whole).join(beside)
}

pub fn snapshot_file(folder: &Path, day: Date) -> PathBuf {
    folder.join(format!("{day}.csv"))
}

/// Every sheet that may serve as a snapshot: daily files, then entry and exit sheets of rounds.
///
/// Of several sheets of one day, the one with the most rows counts; then a daily file before an entry
/// sheet before an exit sheet; then the first path.
pub fn usable_sheets(folder: &Path, rounds: &[RoundFolder]) -> Result<Sheets, FileError> {
    let mut files: Vec<PathBuf> = names_in(folder)?
        .iter()
        .filter(|name| Path::new(name).extension().is_some_and(|end| end == "csv"))
        .map(|name| folder.join(name))
        .collect();
    for file in [layout::ENTRY_PRICES, layout::EXIT_PRICES] {
        files.extend(rounds.iter().map(|round| round.file(file)));
    }
    let mut sheets = Sheets::new();
    for file in files.iter().filter(|file| file.is_file()) {
        let bytes = file_ops::read(file)?;
        // A sheet of a few options or of several days is not a snapshot of a day.
        let Ok((day, sheet)) = daily_closes::parse(&bytes) else {
            continue;
        };
        // Indexes of a round have another base in every other round.
        if is_indexed(&sheet) {
            continue;
        }
        if !file.starts_with(folder) && sheet.quotes().len() < daily_closes::MIN_ROWS {
            continue;
        }
        let rows = |sheet: &PriceSheet| sheet.quotes().len();
        if sheets
            .get(&day)
            .is_none_or(|known| rows(known) < rows(&sheet))
        {
            sheets.insert(day, sheet);
        }
    }
    Ok(sheets)
}

/// The days to track: the entry, and every sheet strictly between entry and exit.
pub fn days_of(window: Window, entry: &PriceSheet, sheets: &Sheets) -> Vec<(Date, PriceSheet)> {
    let between = sheets
        .range(window.entry..window.exit)
        .filter(|(day, _)| **day > window.entry)
        .map(|(day, sheet)| (*day, sheet.clone()));
    let mut days = vec![(window.entry, entry.clone())];
    days.extend(between);
    days
}

/// The entry sheet of a round; if it is missing, it is made from the snapshot of that day.
pub fn entry_sheet(
    inputs: &RoundInputs,
    window: Window,
    sheets: &Sheets,
) -> Result<(PriceSheet, Option<String>), FileError> {
    let folder = &inputs.folder;
    let is_full = inputs.manifest.publish.is_full();
    let stored = folder.sheet(Side::Entry)?;
    let is_there = stored.is_some();
    let day = window.entry;
    let known = if is_full {
        stored
    } else {
        closes_of(inputs, day)?
    };
    if let Some(sheet) = known {
        let made = (!is_there).then(|| price_sheet::render_base(&inputs.universe, &sheet, day));
        return Ok((sheet, made));
    }
    let file = folder.file(layout::ENTRY_PRICES);
    let sheet = sheets.get(&day).ok_or_else(|| {
        let what = if is_full {
            "is missing"
        } else {
            "publishes no closes"
        };
        let text = format!("{what}, and there is no snapshot of {day} to make it from");
        Fault::new(text).in_file(&file)
    })?;
    let mut options = inputs.universe.options().iter();
    let is_without =
        |option: &&MarketOption| !option.scores_as_cash() && sheet.find(option).is_none();
    if let Some(option) = options.find(is_without) {
        let text = format!("is missing, and the snapshot of {day} has no {}", option.id);
        return Err(Fault::new(text).in_file(&file));
    }
    let text = if is_full {
        price_sheet::render_quotes(&inputs.universe, sheet, day)
    } else {
        price_sheet::render_base(&inputs.universe, sheet, day)
    };
    Ok((sheet.clone(), (!is_there).then_some(text)))
}

/// The entry closes of a round that publishes returns only, as its private sheet has them.
fn closes_of(inputs: &RoundInputs, day: Date) -> Result<Option<PriceSheet>, FileError> {
    let Some((windows, _)) = withheld::closes(&inputs.folder)? else {
        return Ok(None);
    };
    let provenance = inputs.folder.parse(layout::PROVENANCE, provenance::parse)?;
    let label = &provenance.stored_label;
    let text = price_sheet::render(&inputs.universe, &windows, day, label);
    let sheet = price_sheet::parse(text.as_bytes());
    sheet
        .map(Some)
        .map_err(|fault| fault.in_file(&inputs.folder.file(layout::VENDOR_WINDOW)))
}

/// Both files of a round's run, as text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InterimFiles {
    /// `prices/weekly_prices.csv`.
    pub prices: String,
    /// `results/weekly_performance.csv`.
    pub performance: String,
}

/// Makes the two files from the sheets of the days, the first of which is the entry.
pub fn files(
    inputs: &RoundInputs,
    run: &RunFolder,
    submissions: &[Submission],
    days: &[(Date, PriceSheet)],
    bases: &Bases,
) -> Result<InterimFiles, FileError> {
    let universe = &inputs.universe;
    let mut starts: BTreeMap<OptionId, (Date, Price)> = BTreeMap::new();
    let mut last: BTreeMap<OptionId, (Price, String)> = BTreeMap::new();
    let needed = needed(universe, submissions);
    let is_full = inputs.manifest.publish.is_full();
    let mut text = CsvText::new();
    text.row(HEADER.map(|name| {
        if name == PRICE && !is_full {
            INDEX
        } else {
            name
        }
    }));
    let mut snapshots = Snapshots::new();
    for (day, sheet) in days {
        let mut snapshot = Snapshot::new();
        for option in &needed {
            let wrong = |text: &str| {
                let text = format!("{text} {} on {day}", option.id);
                Fault::new(text).in_file(&inputs.folder.file(layout::INTERIM_PRICES))
            };
            let known = match last.get(&option.id) {
                Some(last) if option.priced_on(*day) < *day => Some(last.clone()),
                _ => price_of(option, sheet),
            };
            let (price, source) = known.ok_or_else(|| wrong("no price for"))?;
            last.insert(option.id.clone(), (price, source.clone()));
            let start = *starts.entry(option.id.clone()).or_insert((*day, price));
            let mut price = bases.on_entry_basis((*day, price), option, start);
            if !is_full {
                price = index(start.1, price).ok_or_else(|| wrong("no index for"))?;
            }
            text.row([
                inputs.manifest.round_id.as_str(),
                &day.to_string(),
                &day.to_string(),
                option.id.as_str(),
                option.symbol.as_deref().unwrap_or_default(),
                &float_text(price.get()),
                &source,
                "True",
            ]);
            snapshot.insert(option.id.clone(), price);
        }
        snapshots.insert(*day, (*day, snapshot));
    }
    let reference = &universe.reference().id;
    let performance = interim::render(run.run_id(), submissions, reference, &snapshots);
    Ok(InterimFiles {
        prices: text.into_string(),
        performance: performance.map_err(|fault| fault.in_file(&run.file(run::INTERIM)))?,
    })
}

/// Reference, cash and every held option, in order of id.
fn needed<'a>(universe: &'a Universe, submissions: &[Submission]) -> Vec<&'a MarketOption> {
    let mut ids: BTreeSet<OptionId> = submissions
        .iter()
        .flat_map(|own| own.decision.option_ids().into_iter().cloned())
        .collect();
    ids.insert(universe.reference().id.clone());
    let cash = universe.options().iter().filter(|o| o.scores_as_cash());
    ids.extend(cash.map(|option| option.id.clone()));
    ids.iter().filter_map(|id| universe.get(id)).collect()
}

/// The price of an option and its source; cash without a row has the price one.
fn price_of(option: &MarketOption, sheet: &PriceSheet) -> Option<(Price, String)> {
    let found = sheet.find(option).and_then(|quote: &Quote| {
        let (price, field) = quote.used()?;
        let source = quote.source.clone();
        Some((price, source.unwrap_or_else(|| field.as_str().to_owned())))
    });
    let one = Price::new(1.0).filter(|_| option.scores_as_cash());
    found.or_else(|| Some((one?, "cash".to_owned())))
}

/// Writes the files; returns false, and writes nothing, when none differs.
pub fn store(
    folder: &RoundFolder,
    run: &RunFolder,
    made: &InterimFiles,
    entry: Option<&str>,
) -> Result<bool, FileError> {
    let mut writes = vec![
        (folder.file(layout::INTERIM_PRICES), &*made.prices),
        (run.file(run::INTERIM), &*made.performance),
    ];
    writes.extend(entry.map(|entry| (folder.file(layout::ENTRY_PRICES), entry)));
    let old = folder.read_optional(layout::INTERIM_PRICES)?;
    let rows = run.read_optional(run::INTERIM)?;
    if entry.is_none()
        && old.as_deref() == Some(made.prices.as_bytes())
        && rows.as_deref() == Some(made.performance.as_bytes())
    {
        return Ok(false);
    }
    file_ops::replace_all(&writes)?;
    Ok(true)
}
