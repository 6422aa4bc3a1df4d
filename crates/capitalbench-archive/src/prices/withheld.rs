//! Rounds that publish returns: the closes as fetched, and whether the public sheets follow from them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use capitalbench_core::market::price_rules::PriceProblem;
use capitalbench_core::market::price_window::PriceWindow;
use capitalbench_core::market::prices::PriceSheet;
use capitalbench_core::market::published_prices::{
    NoIndex, PublishedPrices, indexed, six_decimals,
};
use capitalbench_core::market::universe::Universe;
use capitalbench_core::publication::artifact::{Audience, audience};
use capitalbench_core::values::ids::Digest;
use capitalbench_core::values::units::Price;
use jiff::civil::Date;

use crate::disk::error::FileError;
use crate::disk::layout;
use crate::format::prices::vendor_sheet::{self, Salt};
use crate::format::text::table::read_table;
use crate::round::round_folder::RoundFolder;
use crate::verify::walk;

/// What is public of a fetch in place of its closes, and the salt of the sheet that keeps them.
#[derive(Debug, Clone)]
pub struct Withheld {
    pub salt: Salt,
    /// The windows of base one.
    pub indexes: Vec<PriceWindow>,
}

impl Withheld {
    /// The indexes of a fetch that begins on a day.
    pub fn of(
        salt: Salt,
        universe: &Universe,
        windows: &[PriceWindow],
        entry: Date,
    ) -> Result<Self, NoIndex> {
        let indexes = indexes(universe, windows, entry)?;
        Ok(Self { salt, indexes })
    }
}

/// The public windows that follow from these closes.
pub fn indexes(
    universe: &Universe,
    windows: &[PriceWindow],
    entry: Date,
) -> Result<Vec<PriceWindow>, NoIndex> {
    let of = |window: &PriceWindow| {
        let option = universe.get(&window.option_id);
        option.map_or_else(
            || Ok(window.clone()),
            |option| indexed(option, window, entry),
        )
    };
    windows.iter().map(of).collect()
}

/// The closes of a round that publishes returns, where its private sheet is here, with their digest.
pub fn closes(folder: &RoundFolder) -> Result<Option<(Vec<PriceWindow>, Digest)>, FileError> {
    folder.parse_optional(layout::VENDOR_WINDOW, |bytes| {
        Ok((vendor_sheet::parse_salted(bytes)?, Digest::of(bytes)))
    })
}

/// Public price files that do not hold what their round publishes, replaced ones among them: closes where
/// returns are promised, or the other way round, and indexes that the rule never gives.
pub fn wrongly_published(
    folder: &RoundFolder,
    publish: PublishedPrices,
) -> Result<Vec<PriceProblem>, FileError> {
    let mut problems = Vec::new();
    for file in public_sheets(folder)? {
        let bytes = folder.read(&file)?;
        let details = match publish {
            PublishedPrices::Full => Vec::from_iter(indexes_in_place_of_closes(&bytes)),
            PublishedPrices::Returns => not_indexes(&bytes, file.ends_with(ENTRY_SHEET)),
        };
        let problem = |detail| PriceProblem::NotAsPublished {
            file: file.clone(),
            detail,
        };
        problems.extend(details.into_iter().map(problem));
    }
    Ok(problems)
}

/// Refuses a round whose public files would pass closes on that it promised to keep.
pub fn require_as_published(
    folder: &RoundFolder,
    publish: PublishedPrices,
) -> Result<(), FileError> {
    if publish.is_full() {
        return Ok(());
    }
    match wrongly_published(folder, publish)?.first() {
        None => Ok(()),
        Some(problem) => {
            let text = format!(
                "{problem}; nothing was published: put the file back as the program wrote it, or take \
                 it away"
            );
            Err(FileError::folder(folder.path(), text))
        }
    }
}

/// The name of entry sheets, present and replaced ones.
const ENTRY_SHEET: &str = "/entry_prices.csv";

/// Tables among the prices of a round that somebody may see one day.
fn public_sheets(folder: &RoundFolder) -> Result<Vec<String>, FileError> {
    let prices = folder.file(layout::PRICES);
    if !prices.is_dir() {
        return Ok(Vec::new());
    }
    let files = walk(&prices)?.into_iter();
    let files = files.map(|file| format!("{}/{file}", layout::PRICES));
    let is_table = |file: &str| {
        let end = Path::new(file).extension();
        end.is_some_and(|end| end.eq_ignore_ascii_case("csv"))
    };
    let is_public = |file: &String| is_table(file) && audience(file) != Audience::Private;
    Ok(files.filter(is_public).collect())
}

/// The column of indexes.
const INDEX: &str = "index";

/// The columns of all sheets of indexes.
const COLUMNS: [&str; 10] = [
    INDEX,
    "option_id",
    "symbol",
    "date",
    "source",
    "round_id",
    "target_date",
    "price_date",
    "price_source",
    "published",
];

/// Why a file is no sheet of closes, where it holds indexes. What cannot be read is told elsewhere.
fn indexes_in_place_of_closes(bytes: &[u8]) -> Option<String> {
    let table = read_table(bytes).ok()?;
    let is_indexed = table.column(INDEX).is_some();
    is_indexed.then(|| "holds indexes; the manifest publishes closes".to_owned())
}

/// Why a file is no sheet of indexes: it could pass closes on, or has a row that the rule never gives. On the
/// entry day every option stands at one.
fn not_indexes(bytes: &[u8], is_entry: bool) -> Vec<String> {
    let Ok(table) = read_table(bytes) else {
        return vec!["is no table, so nobody knows whether it holds closes".to_owned()];
    };
    let columns = table.column("option_id").zip(table.column(INDEX));
    let mut names = table.header.iter();
    let Some((id, index)) = columns.filter(|_| names.all(|name| COLUMNS.contains(&&**name))) else {
        return vec!["holds closes; the manifest publishes returns only".to_owned()];
    };
    let rows = table.rows.iter().filter_map(|row| {
        let (id, cell) = (row.cells.get(id)?.trim(), row.cells.get(index)?.trim());
        let value = cell.parse::<f64>().ok();
        let has = |rule: &dyn Fn(f64) -> f64| value.map(rule) == value;
        let rule = if is_entry && !has(&|_| 1.0) {
            "on the entry day every option stands at 1"
        } else if value.is_none() || !has(&six_decimals) {
            "an index is a number of at most six decimals"
        } else {
            return None;
        };
        Some(format!("{id} stands at {cell}, but {rule}"))
    });
    rows.collect()
}

/// Whether a sheet holds indexes; it never holds closes as well.
pub fn is_indexed(sheet: &PriceSheet) -> bool {
    sheet.quotes().iter().any(|quote| quote.index.is_some())
}

/// The first public index of each option that does not follow from the closes.
pub(crate) fn differences(
    universe: &Universe,
    public: &[PriceWindow],
    (closes, entry): (&[PriceWindow], Date),
) -> Vec<PriceProblem> {
    let made = match indexes(universe, closes, entry) {
        Ok(made) => made,
        Err(error) => {
            let (file, detail) = (layout::VENDOR_WINDOW, error.to_string());
            return vec![PriceProblem::RecordDiffers { file, detail }];
        }
    };
    let mut problems = Vec::new();
    let ids = made.iter().chain(public).map(|own| &own.option_id);
    for option_id in ids.collect::<BTreeSet<_>>() {
        let of = |windows: &[PriceWindow]| -> BTreeMap<Date, Option<Price>> {
            let own = windows.iter().filter(|own| own.option_id == *option_id);
            let rows = own.flat_map(|own| &own.sessions);
            rows.map(|session| (session.date, session.adjusted))
                .collect()
        };
        let (published, computed) = (of(public), of(&made));
        let mut days = published.keys().chain(computed.keys()).copied();
        let on = |rows: &BTreeMap<Date, Option<Price>>, day| rows.get(&day).copied().flatten();
        let differs = |day: &Date| on(&published, *day) != on(&computed, *day);
        if let Some(day) = days.by_ref().filter(differs).min() {
            problems.push(PriceProblem::IndexDiffers {
                option_id: option_id.clone(),
                day,
                published: on(&published, day),
                computed: on(&computed, day),
            });
        }
    }
    problems
}
