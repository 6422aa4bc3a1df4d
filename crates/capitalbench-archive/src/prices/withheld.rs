//! Rounds that publish returns: the closes as fetched, and whether the public sheets follow from them.

use capitalbench_core::market::price_rules::PriceProblem;
use capitalbench_core::market::price_window::PriceWindow;
use capitalbench_core::market::prices::PriceSheet;
use capitalbench_core::market::published_prices::{NoIndex, PublishedPrices, indexed};
use capitalbench_core::market::universe::Universe;
use capitalbench_core::values::ids::Digest;
use jiff::civil::Date;

use crate::disk::error::FileError;
use crate::disk::layout;
use crate::format::prices::vendor_sheet::{self, Salt};
use crate::format::prices::{price_sheet, price_window};
use crate::round::round_folder::{RoundFolder, RoundInputs};

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

/// Public price files that hold what their round does not publish: closes where returns are promised,
/// or the other way round.
pub fn wrongly_published(inputs: &RoundInputs) -> Result<Vec<PriceProblem>, FileError> {
    let (folder, publish) = (&inputs.folder, inputs.manifest.publish);
    let mut problems = Vec::new();
    for file in [
        layout::ENTRY_PRICES,
        layout::EXIT_PRICES,
        layout::INTERIM_PRICES,
        layout::PRICE_WINDOW,
    ] {
        let Some(bytes) = folder.read_optional(file)? else {
            continue;
        };
        if holds(file, &bytes).is_some_and(|own| own != publish) {
            problems.push(PriceProblem::NotAsPublished { file, publish });
        }
    }
    Ok(problems)
}

/// What a price file holds; none where it cannot be read, which is told elsewhere.
fn holds(file: &str, bytes: &[u8]) -> Option<PublishedPrices> {
    let is_indexed = if file == layout::PRICE_WINDOW {
        price_window::is_indexed(bytes)
    } else if file == layout::INTERIM_PRICES {
        let header = bytes.split(|byte| *byte == b'\n').next()?;
        let mut names = header.split(|byte| *byte == b',');
        names.any(|name| name.trim_ascii() == b"index")
    } else {
        is_indexed(&price_sheet::parse(bytes).ok()?)
    };
    Some(if is_indexed {
        PublishedPrices::Returns
    } else {
        PublishedPrices::Full
    })
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
    for window in &made {
        let own = public.iter().find(|own| own.option_id == window.option_id);
        let differs = window.sessions.iter().find_map(|session| {
            let published = own.and_then(|own| own.on(session.date)?.adjusted);
            (published != session.adjusted).then_some((session, published))
        });
        if let Some((session, published)) = differs {
            problems.push(PriceProblem::IndexDiffers {
                option_id: window.option_id.clone(),
                day: session.date,
                published,
                computed: session.adjusted,
            });
        }
    }
    problems
}
