//! The record of one fetch of prices, and whether the sheets of the round still match it.

use capitalbench_core::market::cross_check::CrossCheck;
use capitalbench_core::market::invented::InventedMarket;
use capitalbench_core::market::price_rules::PriceProblem;
use capitalbench_core::market::price_window::PriceWindow;
use capitalbench_core::market::prices::{PriceSheet, Side};
use capitalbench_core::market::universe::{MarketOption, Universe};
use capitalbench_core::round::manifest::{Manifest, Origins, Stream};
use capitalbench_core::values::ids::Digest;

use crate::disk::error::FileError;
use crate::disk::file_ops;
use crate::disk::layout;
use crate::format::prices::cross_check::{self, CrossCheckAcceptance};
use crate::format::prices::provenance::{self, Provenance, Purpose};
use crate::format::prices::source_exception::SourceException;
use crate::format::prices::vendor_sheet;
use crate::format::round::hashes::Digests;
use crate::format::{prices::price_sheet, prices::price_window, text::json};
use crate::log::LogFolder;
use crate::prices::large_moves::{self, MoveException};
use crate::prices::replaced::{corrected_lines, kept_files};
use crate::prices::withheld::{self, Withheld};
use crate::results::corrections::Correction;
use crate::round::round_folder::{RoundFolder, RoundInputs};

/// The files of a fetch besides the two sheets.
#[derive(Debug, Clone)]
pub struct PriceRecord {
    pub provenance: Provenance,
    /// The answers, session by session; indexes where closes are not published.
    pub windows: Vec<PriceWindow>,
    /// The closes behind indexes, where they are here, with the digest of their sheet.
    pub closes: Option<(Vec<PriceWindow>, Digest)>,
    /// The comparison with a second source and its digest, where one was made.
    pub cross_check: Option<(CrossCheck, Digest)>,
    /// Why it is accepted beyond its tolerance.
    pub acceptance: Option<CrossCheckAcceptance>,
    /// Why another source was asked than the manifest froze.
    pub exception: Option<SourceException>,
    /// Why moves that one source alone tells are believed.
    pub moves: Option<MoveException>,
}

impl PriceRecord {
    /// Reads the record of a round; none where the prices were not fetched by this program.
    pub fn load(folder: &RoundFolder) -> Result<Option<Self>, FileError> {
        let provenance = folder.parse_optional(layout::PROVENANCE, provenance::parse)?;
        let Some(provenance) = provenance else {
            return Ok(None);
        };
        let check = folder.parse_optional(layout::CROSS_CHECK, |bytes| {
            Ok((cross_check::parse(bytes)?, Digest::of(bytes)))
        })?;
        Ok(Some(Self {
            provenance,
            windows: folder.parse(layout::PRICE_WINDOW, price_window::parse)?,
            closes: withheld::closes(folder)?,
            cross_check: check,
            acceptance: folder.parse_optional(
                layout::CROSS_CHECK_ACCEPTANCE,
                cross_check::parse_acceptance,
            )?,
            exception: folder.parse_optional(layout::SOURCE_EXCEPTION, json::read)?,
            moves: folder.parse_optional(layout::MOVE_EXCEPTION, json::read)?,
        }))
    }

    /// The comparison, if it is beyond its tolerance and exactly this one is not accepted.
    pub fn unaccepted_cross_check(&self) -> Option<&CrossCheck> {
        let (check, digest) = self.cross_check.as_ref()?;
        let accepted = self
            .acceptance
            .as_ref()
            .is_some_and(|accepted| accepted.cross_check == *digest);
        (!accepted && !check.beyond().is_empty()).then_some(check)
    }

    /// Every difference between the files of the round and the fetch.
    pub fn problems(
        &self,
        inputs: &RoundInputs,
        sheets: (Option<&PriceSheet>, Option<&PriceSheet>),
    ) -> Result<Vec<PriceProblem>, FileError> {
        let (folder, universe) = (&inputs.folder, &*inputs.priced);
        let mut problems = Vec::from_iter(self.origin_problem(&inputs.manifest.origins));
        problems.extend(self.invention_problem(inputs));
        problems.extend(self.move_problems(&inputs.manifest));
        problems.extend(self.closes_problems(universe));
        let delisted = universe.options().iter();
        problems.extend(delisted.filter_map(|option| self.later_close(option)));
        let mut differs = |file: &'static str, detail: String| {
            problems.push(PriceProblem::RecordDiffers { file, detail });
        };
        if self.provenance.round_id != folder.name() {
            let text = format!("belongs to the round {}", self.provenance.round_id);
            differs(layout::PROVENANCE, text);
        }
        if self.provenance.purpose == Purpose::Informational && sheets.1.is_some() {
            let text = "the entry sheet is informational and the exit sheet comes from another fetch; \
                        fetch both sides together";
            differs(layout::PROVENANCE, text.to_owned());
        }
        for file in layout::FETCHED {
            let stored = folder.read_optional(file)?;
            match (self.provenance.files.get(file), stored) {
                (Some(digest), Some(bytes)) if Digest::of(&bytes) != *digest => {
                    differs(file, "changed after it was fetched".to_owned());
                }
                (Some(_), None) => differs(file, "is missing".to_owned()),
                (None, Some(_)) => differs(file, "does not belong to the last fetch".to_owned()),
                _ => {}
            }
        }
        for answer in &self.provenance.answers {
            let window = self
                .windows
                .iter()
                .find(|window| window.option_id == answer.option_id);
            let rows = window.map_or(0, |window| window.sessions.len());
            if rows != answer.rows {
                let text = format!(
                    "{} has {rows} rows, but the fetch returned {}",
                    answer.option_id, answer.rows
                );
                differs(layout::PRICE_WINDOW, text);
            }
        }
        for (side, sheet) in [(Side::Entry, sheets.0), (Side::Exit, sheets.1)] {
            if let Some(sheet) = sheet {
                problems.extend(self.sheet_problems(universe, side, sheet));
            }
        }
        let closes = self.closes.as_ref().map(|(closes, _)| closes);
        let faults = closes.unwrap_or(&self.windows).iter();
        let faults = faults.filter_map(|w| w.basis_fault(self.provenance.close_basis));
        problems.extend(faults.map(PriceProblem::Basis));
        Ok(problems)
    }

    /// Differences between the private closes, where they are here, and what is public of them.
    fn closes_problems(&self, universe: &Universe) -> Vec<PriceProblem> {
        let Some((closes, digest)) = &self.closes else {
            return Vec::new();
        };
        let file = layout::VENDOR_WINDOW;
        let detail = match self.provenance.files.get(file) {
            Some(stored) if stored == digest => {
                let entry = self.provenance.from;
                return withheld::differences(universe, &self.windows, (closes, entry));
            }
            Some(_) => "changed after it was fetched",
            None => "does not belong to the last fetch",
        };
        let detail = detail.to_owned();
        vec![PriceProblem::RecordDiffers { file, detail }]
    }

    /// A real market is never priced from an invented one.
    fn invention_problem(&self, inputs: &RoundInputs) -> Option<PriceProblem> {
        let is_real = inputs.manifest.stream != Stream::Synthetic;
        (is_real && self.provenance.source == InventedMarket::SOURCE).then(|| {
            PriceProblem::RecordDiffers {
                file: layout::PROVENANCE,
                detail: "the prices of a real round come from an invented market".to_owned(),
            }
        })
    }

    /// A delisted option that the source still had a later close of.
    fn later_close(&self, option: &MarketOption) -> Option<PriceProblem> {
        let own = self.windows.iter();
        let mut own = own.filter(|window| window.option_id == option.id);
        later_close(option, own.next()?)
    }

    /// Moves beyond the limit need an agreeing second source, or the operator's reason for them.
    fn move_problems(&self, manifest: &Manifest) -> Vec<PriceProblem> {
        let check = self.cross_check.as_ref().map(|(check, _)| check);
        let moves = large_moves::unexplained(manifest, &self.windows, check);
        let own = self.moves.as_ref().filter(|_| !moves.is_empty());
        match own.filter(|own| own.moves == moves) {
            Some(own) => vec![PriceProblem::MovesAccepted {
                moves: moves.join("; "),
                reason: own.reason.clone(),
            }],
            None => moves.into_iter().map(PriceProblem::LargeMove).collect(),
        }
    }

    /// A source other than the frozen one needs the operator's reason, and is reported with it.
    fn origin_problem(&self, frozen: &Origins) -> Option<PriceProblem> {
        let second = self.cross_check.as_ref().map(|(check, _)| &*check.source);
        let second = match self.provenance.purpose {
            Purpose::Final => second,
            // An informational entry sheet has no return to compare.
            Purpose::Informational => frozen.second_price_source.as_deref(),
        };
        let departure = frozen.departure(&self.provenance.source, second)?;
        let recorded = self.exception.as_ref();
        Some(match recorded.filter(|own| own.departure == departure) {
            Some(own) => PriceProblem::OtherSource {
                departure,
                reason: own.reason.clone(),
            },
            None => PriceProblem::RecordDiffers {
                file: layout::PROVENANCE,
                detail: format!("{departure}, but no reason for it is recorded"),
            },
        })
    }

    /// Rows of a sheet that differ from the window.
    fn sheet_problems(
        &self,
        universe: &Universe,
        side: Side,
        sheet: &PriceSheet,
    ) -> Vec<PriceProblem> {
        let file = layout::price_sheet(side);
        let day = match side {
            Side::Entry => self.provenance.from,
            Side::Exit => self.provenance.to,
        };
        let priced = universe.options().iter().filter(|o| !o.scores_as_cash());
        let differs = priced.filter(|option| {
            let window = self.windows.iter().find(|w| w.option_id == option.id);
            let day = option.priced_on(day);
            let session = window.and_then(|window| window.on(day));
            match (sheet.find(option), session) {
                (None, None) => false,
                (Some(quote), Some(session)) => {
                    (quote.close, quote.adjusted.or(quote.index), quote.date)
                        != (session.close, session.adjusted, Some(day))
                        || quote.source.as_deref() != Some(&self.provenance.stored_label)
                }
                _ => true,
            }
        });
        differs
            .map(|option| PriceProblem::RecordDiffers {
                file,
                detail: format!("the row of {} differs from window.csv", option.id),
            })
            .collect()
    }
}

/// The problem of a window with a close after the last official one.
pub fn later_close(option: &MarketOption, window: &PriceWindow) -> Option<PriceProblem> {
    let last = window.sessions.last()?.date;
    let on = option.priced_on(last);
    (on < last).then(|| PriceProblem::StillListed {
        option_id: option.id.clone(),
        on,
        day: last,
    })
}

/// One fetch that is about to be stored.
#[derive(Debug)]
pub struct NewPrices<'a> {
    /// The source and its answers; [`store`] fills in the digests of the files.
    pub provenance: Provenance,
    pub windows: Vec<PriceWindow>,
    /// What is public in place of the closes, where they are not.
    pub withheld: Option<Withheld>,
    /// The comparison with a second source.
    pub cross_check: Option<&'a CrossCheck>,
    /// Why these replace final prices that exist or that the log has.
    pub correction: Option<&'a Correction>,
    /// Why another source was asked than the manifest froze.
    pub exception: Option<SourceException>,
    /// Why moves that one source alone tells are believed.
    pub moves: Option<MoveException>,
}

/// Stores a fetch; it replaces the one before, which is kept under a number.
pub fn store(
    folder: &RoundFolder,
    universe: &Universe,
    prices: NewPrices<'_>,
) -> Result<Provenance, FileError> {
    let NewPrices {
        mut provenance,
        windows,
        withheld,
        cross_check,
        correction,
        exception,
        moves,
    } = prices;
    let mut files = sheets(universe, &provenance, &windows, withheld.as_ref());
    if let Some(check) = cross_check {
        files.push((layout::CROSS_CHECK, cross_check::render(check)));
    }
    if let Some(exception) = exception {
        let text = json::render(&exception);
        files.push((layout::SOURCE_EXCEPTION, text));
    }
    files.extend(moves.map(|own| (layout::MOVE_EXCEPTION, json::render(&own))));
    provenance.files = files
        .iter()
        .map(|(path, text)| ((*path).to_owned(), Digest::of(text.as_bytes())))
        .collect();
    let mut writes = kept_files(folder)?;
    provenance.replaced = writes
        .first()
        .and_then(|(path, _)| path.parent())
        .and_then(|path| path.strip_prefix(folder.path()).ok())
        .map(|path| path.display().to_string());
    // The record comes last, because it holds the digests of the other files.
    files.push((layout::PROVENANCE, provenance::render(&provenance)));
    let place = provenance.replaced.as_deref();
    writes.extend(corrected_lines(folder, &files, place, correction)?);
    let new = files
        .into_iter()
        .map(|(path, text)| (folder.file(path), text.into_bytes()));
    writes.extend(new);
    file_ops::replace_all(&writes)?;
    for stale in layout::FETCHED.into_iter().chain([layout::VENDOR_WINDOW]) {
        if !provenance.files.contains_key(stale) {
            file_ops::remove(&folder.file(stale))?;
        }
    }
    for word in [layout::CROSS_CHECK_ACCEPTANCE, layout::UNPROVED_ACCEPTANCE] {
        file_ops::remove(&folder.file(word))?;
    }
    Ok(provenance)
}

/// The sheets of a fetch and its window; where closes are not published, indexes stand in them, and a
/// private file keeps the closes.
fn sheets(
    universe: &Universe,
    provenance: &Provenance,
    windows: &[PriceWindow],
    withheld: Option<&Withheld>,
) -> Vec<(&'static str, String)> {
    let label = &provenance.stored_label;
    let sheet = |day| match withheld {
        None => price_sheet::render(universe, windows, day, label),
        Some(own) => price_sheet::render_indexes(universe, &own.indexes, day, label),
    };
    let mut files = vec![(layout::ENTRY_PRICES, sheet(provenance.from))];
    if provenance.purpose == Purpose::Final {
        files.push((layout::EXIT_PRICES, sheet(provenance.to)));
    }
    files.push((
        layout::PRICE_WINDOW,
        withheld.map_or_else(
            || price_window::render(windows),
            |own| price_window::render_indexes(&own.indexes),
        ),
    ));
    let closes = withheld.map(|own| vendor_sheet::render(&own.salt, windows));
    files.extend(closes.map(|text| (layout::VENDOR_WINDOW, text)));
    files
}

/// Digests of the final prices: those in the log, even when the files are missing; otherwise those of
/// the files; empty where the round has none.
pub fn final_prices(folder: &RoundFolder) -> Result<Digests, FileError> {
    let signed = LogFolder::of_round(folder).signed_prices(&folder.name())?;
    if !signed.is_empty() {
        return Ok(signed);
    }
    if !folder.file(layout::EXIT_PRICES).exists() {
        return Ok(Digests::new());
    }
    folder.digests(layout::FETCHED.into_iter().chain([layout::PROVENANCE]))
}
