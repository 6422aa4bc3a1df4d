//! What an operator does by hand when an exchange renames or delists an option: record it in the
//! rounds that are under way, and give later rounds another universe.

use std::path::PathBuf;

use capitalbench_archive::disk::{file_ops, shell::shell_word};
use capitalbench_archive::format::round::options;
use capitalbench_archive::prices::price_record::final_prices;
use capitalbench_archive::round::round_folder::{RoundFolder, list_rounds};
use capitalbench_archive::round::{ending, freeze};
use capitalbench_core::league::settings::UniverseChoice;
use capitalbench_core::market::invented::InventedFault;
use capitalbench_core::market::universe::{ListingChange, MarketOption, Universe};
use capitalbench_core::market::universes::shipped;
use capitalbench_core::values::ids::OptionId;
use jiff::Timestamp;

use super::{RehearsalRequest, scratch};
use crate::error::Error;
use crate::league::folder::LeagueFolder;
use crate::league::pass::{Step, StepKind};
use crate::operator::Operator;
use crate::operator::files::{open_inputs, read};
use crate::prices::listing::{ListingRequest, record_listing};

/// Why the operator knows it.
const REASON: &str = "the notice of the exchange";

/// The acts of a rehearsal that are still to come.
pub(super) struct Acts(Vec<Act>);

struct Act {
    at: Timestamp,
    symbol: String,
    change: ListingChange,
}

impl Acts {
    /// One act for every change of a listing, when its day is over.
    pub(super) fn of(request: &RehearsalRequest) -> Result<Self, Error> {
        let mut acts = Vec::new();
        let market = request.league.league.market;
        for fault in &request.faults {
            let (symbol, change, on) = match fault {
                InventedFault::Renamed { symbol, to, on } => {
                    let change = ListingChange::Renamed {
                        to: to.clone(),
                        on: *on,
                    };
                    (symbol, change, *on)
                }
                InventedFault::Delisted { symbol, on } => {
                    (symbol, ListingChange::Delisted { on: *on }, *on)
                }
                _ => continue,
            };
            let at = market
                .rows_final_at(on)
                .ok_or_else(|| Error::new(format!("{fault}: no such day")))?;
            acts.push(Act {
                at,
                symbol: symbol.clone(),
                change,
            });
        }
        acts.sort_by_key(|act| act.at);
        Ok(Self(acts))
    }

    pub(super) fn next(&self) -> Option<Timestamp> {
        self.0.first().map(|act| act.at)
    }

    /// Does what is due.
    pub(super) fn due(
        &mut self,
        operator: &Operator,
        league: &mut LeagueFolder,
    ) -> Result<Vec<Step>, Error> {
        let mut steps = Vec::new();
        while self.next().is_some_and(|at| at <= operator.now()) {
            let act = self.0.remove(0);
            for folder in list_rounds(&league.rounds()).unwrap_or_default() {
                steps.extend(act.record(operator, league, &folder)?);
            }
            act.change_universe(league)?;
        }
        Ok(steps)
    }
}

impl Act {
    fn concerns(&self, option: &MarketOption) -> bool {
        option.data_symbol.as_deref() == Some(&self.symbol) && option.change.is_none()
    }

    fn option(&self, universe: &Universe) -> Option<OptionId> {
        let mut own = universe.options().iter().filter(|own| self.concerns(own));
        own.next().map(|option| option.id.clone())
    }

    /// Records the change in a round whose prices are still to come.
    fn record(
        &self,
        operator: &Operator,
        league: &LeagueFolder,
        folder: &RoundFolder,
    ) -> Result<Option<Step>, Error> {
        let is_over = ending::tombstone(folder)?.is_some() || !final_prices(folder)?.is_empty();
        if is_over || freeze::stored_digests(folder)?.is_none() {
            return Ok(None);
        }
        let inputs = open_inputs(folder.path())?;
        let Some(option_id) = self.option(&inputs.universe) else {
            return Ok(None);
        };
        let request = ListingRequest {
            round: folder.path().to_owned(),
            option_id: option_id.clone(),
            change: self.change.clone(),
            reason: REASON.to_owned(),
        };
        record_listing(operator, &request)?;
        let round = PathBuf::from(league.league.rounds()).join(folder.name());
        let how = match &self.change {
            ListingChange::Renamed { to, on } => format!("--renamed-to {to} --on {on}"),
            ListingChange::Delisted { on } => format!("--delisted --on {on}"),
        };
        Ok(Some(Step {
            at: operator.now(),
            round: Some(folder.name()),
            kind: StepKind::Listed,
            command: format!(
                "capitalbench record-listing --round {} --option {option_id} {how} --reason '{REASON}'",
                shell_word(&round)
            ),
            text: format!("{option_id} {}", self.change),
        }))
    }

    /// Rounds that are opened later have the option under its new symbol, or not at all.
    fn change_universe(&self, league: &mut LeagueFolder) -> Result<(), Error> {
        let text = match &league.league.universe {
            UniverseChoice::Shipped(version) => {
                let found = shipped(version);
                let text = found.ok_or_else(|| Error::new(format!("no universe {version}")))?;
                text.to_owned()
            }
            UniverseChoice::File(file) => read(&league.file(file), |bytes| {
                Ok(String::from_utf8_lossy(bytes).into_owned())
            })?,
        };
        let universe =
            options::parse(text.as_bytes()).map_err(|fault| Error::new(fault.to_string()))?;
        let Some(id) = self.option(&universe) else {
            return Ok(());
        };
        let changed = with_change(&text, &id, &self.change);
        let name = format!("universe-{}.yaml", self.symbol.to_ascii_lowercase());
        file_ops::replace(&league.file(&name), changed.as_bytes())?;
        league.league.universe = UniverseChoice::File(name);
        scratch::store(league)
    }
}

/// The text of a universe with an option renamed or left out.
fn with_change(text: &str, id: &OptionId, change: &ListingChange) -> String {
    let mut lines: Vec<String> = Vec::new();
    let mut is_own = false;
    for line in text.lines() {
        if let Some(item) = line.trim_start().strip_prefix("- ") {
            is_own = [format!("id: {id}"), format!("option_id: {id}")].contains(&item.to_owned());
        }
        match change {
            ListingChange::Delisted { .. } if is_own => {}
            ListingChange::Renamed { to, on } if is_own && line.trim_start().starts_with("- ") => {
                let indent = " ".repeat(line.len() - line.trim_start().len() + 2);
                lines.push(line.to_owned());
                lines.push(format!("{indent}renamed: {{to: {to}, on: \"{on}\"}}"));
            }
            _ => lines.push(line.to_owned()),
        }
    }
    lines.join("\n") + "\n"
}
