//! Changes of listings that became known after the freeze: one numbered file each, never rewritten.

use capitalbench_core::market::universe::{ListingChange, Universe};
use capitalbench_core::values::ids::OptionId;
use capitalbench_core::values::time::WrittenInstant;
use jiff::Timestamp;
use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use crate::disk::error::{Fault, FileError};
use crate::disk::file_ops;
use crate::disk::layout;
use crate::format::stored::{FormatVersion, day};
use crate::format::text::json;
use crate::round::round_folder::{RoundFolder, names_in};

/// One change, as the operator recorded it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordedChange {
    pub option_id: OptionId,
    pub change: ListingChange,
    pub reason: String,
    pub recorded_at: WrittenInstant,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Stored {
    format_version: FormatVersion<1>,
    option_id: OptionId,
    /// The new symbol; none where the option was delisted.
    renamed_to: Option<String>,
    #[serde(with = "day")]
    on: Date,
    reason: String,
    recorded_at_utc: WrittenInstant,
}

impl RecordedChange {
    fn parse(bytes: &[u8]) -> Result<Self, Fault> {
        let stored: Stored = json::read(bytes)?;
        Ok(Self {
            change: match stored.renamed_to {
                Some(to) => ListingChange::Renamed { to, on: stored.on },
                None => ListingChange::Delisted { on: stored.on },
            },
            option_id: stored.option_id,
            reason: stored.reason,
            recorded_at: stored.recorded_at_utc,
        })
    }

    fn render(&self) -> String {
        let (renamed_to, on) = match &self.change {
            ListingChange::Renamed { to, on } => (Some(to.clone()), *on),
            ListingChange::Delisted { on } => (None, *on),
        };
        json::render(&Stored {
            format_version: FormatVersion,
            option_id: self.option_id.clone(),
            renamed_to,
            on,
            reason: self.reason.clone(),
            recorded_at_utc: self.recorded_at.clone(),
        })
    }

    /// What the operator says, for people.
    pub fn text(&self) -> String {
        format!("{} {}: {}", self.option_id, self.change, self.reason)
    }
}

/// All changes of a round in the order in which they were recorded.
pub fn load(folder: &RoundFolder) -> Result<Vec<RecordedChange>, FileError> {
    let place = folder.file(layout::LISTING_CHANGES);
    let mut names = names_in(&place)?;
    names.retain(|name| !name.starts_with(file_ops::TEMPORARY_PREFIX));
    let mut found = Vec::with_capacity(names.len());
    for (number, name) in (1..).zip(&names) {
        let path = file_name(number);
        if *name != path {
            let text = format!("is not the next change, which would be {path}");
            return Err(Fault::new(text).in_file(&place.join(name)));
        }
        let file = format!("{}/{path}", layout::LISTING_CHANGES);
        found.push(folder.parse(&file, RecordedChange::parse)?);
    }
    Ok(found)
}

fn file_name(number: usize) -> String {
    format!("{number:03}.json")
}

/// The universe of a round with what became known since the freeze.
pub(crate) fn applied(
    folder: &RoundFolder,
    universe: &Universe,
) -> Result<Option<Universe>, FileError> {
    let mut current: Option<Universe> = None;
    for (number, own) in (1..).zip(load(folder)?) {
        let file = format!("{}/{}", layout::LISTING_CHANGES, file_name(number));
        let fault = |text: String| Fault::field("option_id", text).in_file(&folder.file(&file));
        let known = current.as_ref().unwrap_or(universe);
        if known.get(&own.option_id).is_none() {
            return Err(fault(format!(
                "{} is not an option of the round",
                own.option_id
            )));
        }
        let (ListingChange::Renamed { on, .. } | ListingChange::Delisted { on }) = &own.change;
        if !universe.market().is_session(*on) {
            let fault = Fault::field("on", "is not a session's day");
            return Err(fault.in_file(&folder.file(&file)));
        }
        let changed = known.with_change(&own.option_id, &own.change);
        current = Some(changed.map_err(|error| fault(error.to_string()))?);
    }
    Ok(current)
}

/// Adds a change under the next number.
pub fn add(folder: &RoundFolder, change: &RecordedChange) -> Result<(), FileError> {
    let number = load(folder)?.len() + 1;
    let place = folder.file(layout::LISTING_CHANGES);
    let file = place.join(file_name(number));
    Ok(file_ops::replace_all(&[(file, change.render())])?)
}

/// A change as it is about to be recorded.
pub fn new_change(
    option_id: OptionId,
    change: ListingChange,
    reason: &str,
    now: Timestamp,
) -> RecordedChange {
    RecordedChange {
        option_id,
        change,
        reason: reason.to_owned(),
        recorded_at: WrittenInstant::of(now),
    }
}
