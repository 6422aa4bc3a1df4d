//! What a round keeps about one fetch of prices, and whether its sheets still are what was fetched.

use std::path::PathBuf;

use capitalbench_core::market::cross_check::CrossCheck;
use capitalbench_core::market::price_rules::PriceProblem;
use capitalbench_core::market::price_window::PriceWindow;
use capitalbench_core::market::prices::{PriceSheet, Side};
use capitalbench_core::market::universe::Universe;
use capitalbench_core::round::manifest::Origins;
use capitalbench_core::values::ids::Digest;

use crate::disk::error::FileError;
use crate::disk::file_ops;
use crate::disk::layout;
use crate::format::prices::cross_check::{self, CrossCheckAcceptance};
use crate::format::prices::provenance::{self, Provenance, Purpose};
use crate::format::prices::source_exception::{self, SourceException};
use crate::format::{prices::price_sheet, prices::price_window};
use crate::log::LogFolder;
use crate::results::corrections::{Correction, Digests, price_line};
use crate::round::round_folder::{RoundFolder, RoundInputs, names_in, optional};

/// The files of a fetch besides the two sheets.
#[derive(Debug, Clone)]
pub struct PriceRecord {
    /// Who was asked, when.
    pub provenance: Provenance,
    /// What was said, session by session.
    pub windows: Vec<PriceWindow>,
    /// The comparison with another source, where one was made, and its digest.
    pub cross_check: Option<(CrossCheck, Digest)>,
    /// The word that accepts it beyond its tolerance.
    pub acceptance: Option<CrossCheckAcceptance>,
    /// Why another source was asked than the manifest froze.
    pub exception: Option<SourceException>,
}

impl PriceRecord {
    /// Reads the record of a round; none where prices came another way.
    pub fn load(folder: &RoundFolder) -> Result<Option<Self>, FileError> {
        let provenance = optional(folder.parse(layout::PROVENANCE, provenance::parse))?;
        let Some(provenance) = provenance else {
            return Ok(None);
        };
        let check = optional(folder.parse(layout::CROSS_CHECK, |bytes| {
            Ok((cross_check::parse(bytes)?, Digest::of(bytes)))
        }))?;
        Ok(Some(Self {
            provenance,
            windows: folder.parse(layout::PRICE_WINDOW, price_window::parse)?,
            cross_check: check,
            acceptance: optional(folder.parse(
                layout::CROSS_CHECK_ACCEPTANCE,
                cross_check::parse_acceptance,
            ))?,
            exception: optional(folder.parse(layout::SOURCE_EXCEPTION, source_exception::parse))?,
        }))
    }

    /// The comparison, where it is beyond its tolerance and nobody accepted exactly this one.
    pub fn unaccepted_cross_check(&self) -> Option<&CrossCheck> {
        let (check, digest) = self.cross_check.as_ref()?;
        let accepted = self
            .acceptance
            .as_ref()
            .is_some_and(|accepted| accepted.cross_check == *digest);
        (!accepted && !check.beyond().is_empty()).then_some(check)
    }

    /// Every way in which the files of the round are not those of the fetch.
    pub fn problems(
        &self,
        inputs: &RoundInputs,
        sheets: (Option<&PriceSheet>, Option<&PriceSheet>),
    ) -> Result<Vec<PriceProblem>, FileError> {
        let (folder, universe) = (&inputs.folder, &*inputs.universe);
        let mut problems = Vec::from_iter(self.origin_problem(&inputs.manifest.origins));
        let mut differs = |file: &'static str, detail: String| {
            problems.push(PriceProblem::RecordDiffers { file, detail });
        };
        if self.provenance.round_id != folder.name() {
            let text = format!("is of the round {}", self.provenance.round_id);
            differs(layout::PROVENANCE, text);
        }
        if self.provenance.purpose == Purpose::Informational && sheets.1.is_some() {
            let text = "the entry sheet is informational and the exit sheet is not of its fetch; \
                        fetch both sides together";
            differs(layout::PROVENANCE, text.to_owned());
        }
        for file in layout::FETCHED {
            let stored = folder.read_optional(file)?;
            match (self.provenance.files.get(file), stored) {
                (Some(digest), Some(bytes)) if Digest::of(&bytes) != *digest => {
                    differs(file, "is not the file that was fetched".to_owned());
                }
                (Some(_), None) => differs(file, "is gone".to_owned()),
                (None, Some(_)) => differs(file, "is not of the last fetch".to_owned()),
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
                let text = format!("{} has {rows} rows of {}", answer.option_id, answer.rows);
                differs(layout::PRICE_WINDOW, text);
            }
        }
        for (side, sheet) in [(Side::Entry, sheets.0), (Side::Exit, sheets.1)] {
            if let Some(sheet) = sheet {
                problems.extend(self.sheet_problems(universe, side, sheet));
            }
        }
        let faults = self.windows.iter();
        let faults = faults.filter_map(|w| w.basis_fault(self.provenance.close_basis));
        problems.extend(faults.map(PriceProblem::Basis));
        Ok(problems)
    }

    /// Another source than the frozen one needs the operator's reason, and is told of with it.
    fn origin_problem(&self, frozen: &Origins) -> Option<PriceProblem> {
        let second = self.cross_check.as_ref().map(|(check, _)| &*check.source);
        let second = match self.provenance.purpose {
            Purpose::Final => second,
            // An entry sheet for people has no return that could be compared.
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
                detail: format!("{departure}, and no reason for it is recorded"),
            },
        })
    }

    /// Rows of a sheet that the window does not hold.
    fn sheet_problems(
        &self,
        universe: &Universe,
        side: Side,
        sheet: &PriceSheet,
    ) -> Vec<PriceProblem> {
        let (file, day) = match side {
            Side::Entry => (layout::ENTRY_PRICES, self.provenance.from),
            Side::Exit => (layout::EXIT_PRICES, self.provenance.to),
        };
        let priced = universe.options().iter().filter(|o| !o.scores_as_cash());
        let differs = priced.filter(|option| {
            let window = self.windows.iter().find(|w| w.option_id == option.id);
            let session = window.and_then(|window| window.on(day));
            match (sheet.find(option), session) {
                (None, None) => false,
                (Some(quote), Some(session)) => {
                    (quote.close, quote.adjusted, quote.date)
                        != (session.close, session.adjusted, Some(day))
                        || quote.source.as_deref() != Some(&self.provenance.stored_label)
                }
                _ => true,
            }
        });
        differs
            .map(|option| PriceProblem::RecordDiffers {
                file,
                detail: format!("the row of {} is not that of window.csv", option.id),
            })
            .collect()
    }
}

/// One fetch that is about to be stored.
#[derive(Debug)]
pub struct NewPrices<'a> {
    /// Who was asked; the digests of the files are filled in here.
    pub provenance: Provenance,
    /// What was said.
    pub windows: Vec<PriceWindow>,
    /// The comparison with another source.
    pub cross_check: Option<&'a CrossCheck>,
    /// Why final prices that are there, or that the log knows, give way to these.
    pub correction: Option<&'a Correction>,
    /// Why another source was asked than the manifest froze.
    pub exception: Option<SourceException>,
}

/// Stores a fetch in place of the one before, which is kept under a number.
pub fn store(
    folder: &RoundFolder,
    universe: &Universe,
    prices: NewPrices<'_>,
) -> Result<Provenance, FileError> {
    let NewPrices {
        mut provenance,
        windows,
        cross_check,
        correction,
        exception,
    } = prices;
    let mut files: Vec<(&'static str, String)> = vec![(
        layout::ENTRY_PRICES,
        price_sheet::render(
            universe,
            &windows,
            provenance.from,
            &provenance.stored_label,
        ),
    )];
    if provenance.purpose == Purpose::Final {
        let text = price_sheet::render(universe, &windows, provenance.to, &provenance.stored_label);
        files.push((layout::EXIT_PRICES, text));
    }
    files.push((layout::PRICE_WINDOW, price_window::render(&windows)));
    if let Some(check) = cross_check {
        files.push((layout::CROSS_CHECK, cross_check::render(check)));
    }
    if let Some(exception) = exception {
        let text = source_exception::render(&exception);
        files.push((layout::SOURCE_EXCEPTION, text));
    }
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
    // Whoever reads the record last finds the digests of the files before it.
    files.push((layout::PROVENANCE, provenance::render(&provenance)));
    let place = provenance.replaced.as_deref();
    writes.extend(corrected_lines(folder, &files, place, correction)?);
    let new = files
        .into_iter()
        .map(|(path, text)| (folder.file(path), text.into_bytes()));
    writes.extend(new);
    file_ops::replace_all(&writes)?;
    for stale in layout::FETCHED {
        if !provenance.files.contains_key(stale) {
            file_ops::remove(&folder.file(stale))?;
        }
    }
    for word in [layout::CROSS_CHECK_ACCEPTANCE, layout::UNPROVED_ACCEPTANCE] {
        file_ops::remove(&folder.file(word))?;
    }
    Ok(provenance)
}

/// The file of corrections with one line more, where final prices give way to others.
fn corrected_lines(
    folder: &RoundFolder,
    files: &[(&'static str, String)],
    place: Option<&str>,
    correction: Option<&Correction>,
) -> Result<Option<(PathBuf, Vec<u8>)>, FileError> {
    let replaced = final_prices(folder)?;
    if replaced.is_empty() {
        return Ok(None);
    }
    let Some(correction) = correction else {
        let text = "final prices give way to others only with a reason; give --correct REASON";
        return Err(FileError::folder(folder.path(), text));
    };
    let new = files
        .iter()
        .map(|(path, text)| ((*path).to_owned(), Digest::of(text.as_bytes())))
        .collect();
    let file = layout::PRICE_CORRECTIONS;
    let mut lines = folder.read_optional(file)?.unwrap_or_default();
    lines.extend(price_line(correction, place, &replaced, &new).into_bytes());
    Ok(Some((folder.file(file), lines)))
}

/// Digests of the final prices: those that the log knows, also when the files are gone, else those
/// that are there; empty where the round has none.
pub fn final_prices(folder: &RoundFolder) -> Result<Digests, FileError> {
    let signed = LogFolder::of_round(folder).signed_prices(&folder.name())?;
    if !signed.is_empty() {
        return Ok(signed);
    }
    let mut found = Digests::new();
    if folder.file(layout::EXIT_PRICES).exists() {
        for file in layout::FETCHED.into_iter().chain([layout::PROVENANCE]) {
            if let Some(bytes) = folder.read_optional(file)? {
                found.insert(file.to_owned(), Digest::of(&bytes));
            }
        }
    }
    Ok(found)
}

/// The files that are there, under the next free number.
fn kept_files(folder: &RoundFolder) -> Result<Vec<(PathBuf, Vec<u8>)>, FileError> {
    let numbers = names_in(&folder.file(layout::REPLACED_PRICES))?;
    let next = numbers
        .iter()
        .filter_map(|name| name.parse::<u32>().ok())
        .max()
        .map_or(1, |last| last.saturating_add(1));
    let place = folder
        .file(layout::REPLACED_PRICES)
        .join(format!("{next:04}"));
    let mut kept = Vec::new();
    let files = layout::FETCHED
        .into_iter()
        .chain([layout::PROVENANCE, layout::CROSS_CHECK_ACCEPTANCE])
        .chain([layout::UNPROVED_ACCEPTANCE]);
    for file in files {
        if let Some(bytes) = folder.read_optional(file)? {
            let name = file.rsplit('/').next().unwrap_or(file);
            kept.push((place.join(name), bytes));
        }
    }
    Ok(kept)
}
