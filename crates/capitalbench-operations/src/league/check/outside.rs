//! What a league needs from others: clocks, a database, and somebody to tell.

use capitalbench_adapters::webhook::Webhook;
use capitalbench_archive::log::LogFolder;
use capitalbench_core::round::manifest::Proof;
use capitalbench_database::migrations::NEEDED;

use super::{Checked, FILE};
use crate::error::Error;
use crate::league::folder::LeagueFolder;
use crate::operator::{Operator, wait};
use crate::proof::clock_trial::try_clocks;
use crate::proof::clocks::Clocks;
use crate::proof::witnesses::Witnesses;
use crate::syncing::target::{NOT_CONFIGURED, Target};

pub(super) fn clocks(operator: &Operator, league: &LeagueFolder) -> Checked {
    const WHAT: &str = "clocks";
    let clocks = match Clocks::configured(&operator.configuration) {
        Ok(clocks) => clocks,
        Err(error) => return Checked::of_error(WHAT, error, "correct `clocks`"),
    };
    if clocks.has_no_clock() {
        if league.league.proof == Proof::Anchored {
            let text = "proof: anchored needs an outside clock, and none is named";
            let next = format!("name one under `clocks` in {FILE}, with the file of its root");
            return Checked::repair(WHAT, text, next);
        }
        return Checked::not_used(WHAT, "none is named");
    }
    if league.is_rehearsed() {
        return Checked::not_used(WHAT, "rehearsal: no clock was asked");
    }
    let log = LogFolder::of_rounds(&league.rounds());
    match try_clocks(operator, &log, &clocks) {
        Err(error) => Checked::of_error(WHAT, error, "correct `clocks`"),
        Ok(tried) if tried.reasons().is_empty() => {
            Checked::ready(WHAT, format!("{} would stamp a round", tried.asked.len()))
        }
        Ok(tried) => {
            let next = format!("name another clock, or its root certificate, in {FILE}");
            Checked::repair(WHAT, tried.reasons(), next)
        }
    }
}

/// Witnesses are not asked: what they cosign once they cosign for ever.
pub(super) fn witnesses(operator: &Operator) -> Option<Checked> {
    const WHAT: &str = "witnesses";
    let witnesses = match Witnesses::configured(&operator.configuration) {
        Ok(witnesses) if witnesses.is_empty() => return None,
        Ok(witnesses) => witnesses,
        Err(error) => return Some(Checked::of_error(WHAT, error, "correct `witnesses`")),
    };
    Some(match witnesses.rule() {
        Err(error) => Checked::of_error(WHAT, error, "correct `witnesses`"),
        Ok(rule) => {
            let (needed, named) = (rule.quorum().unwrap_or_default(), rule.keys().len());
            let text =
                format!("{needed} of {named} must cosign; they are asked with the first stamp");
            Checked::ready(WHAT, text)
        }
    })
}

pub(super) fn database(operator: &Operator, league: &LeagueFolder) -> Checked {
    const WHAT: &str = "database";
    if !league.league.publication.database {
        return Checked::not_used(WHAT, "publication.database: false");
    }
    let version = || -> Result<Option<i32>, Error> {
        let target = Target::configured(&operator.configuration)?;
        let target =
            target.ok_or_else(|| Error::new(NOT_CONFIGURED).hint("write the address into .env"))?;
        wait(target.schema_version())?
    };
    match version() {
        Err(error) => Checked::of_error(WHAT, error, "look at its address in .env"),
        Ok(Some(version)) if version == NEEDED => {
            Checked::ready(WHAT, format!("answers, schema version {version}"))
        }
        Ok(version) => {
            let version = version.map_or_else(|| "none".to_owned(), |version| version.to_string());
            let text = format!("its schema is version {version}, but {NEEDED} is needed");
            Checked::repair(WHAT, text, "run `capitalbench db migrate`")
        }
    }
}

pub(super) fn messages(operator: &Operator, league: &LeagueFolder) -> Checked {
    const WHAT: &str = "messages";
    let settings = &league.league.messages;
    if let Some(variable) = &settings.webhook_variable {
        let Some(address) = operator.configuration.get(variable) else {
            let text = format!("{variable} is not set");
            let next = format!("write {variable}=https://… into .env");
            return Checked::repair(WHAT, text, next);
        };
        if Webhook::new(&address).is_none() {
            let text = format!("{variable} is not the address of a web server");
            return Checked::repair(WHAT, text, "correct it in .env");
        }
    }
    match (&settings.webhook_variable, &settings.command) {
        (None, None) => Checked::not_used(WHAT, "nobody is told"),
        (Some(variable), None) => Checked::ready(WHAT, format!("to the webhook in {variable}")),
        (None, Some(command)) => Checked::ready(WHAT, format!("to `{command}`")),
        (Some(variable), Some(command)) => Checked::ready(
            WHAT,
            format!("to the webhook in {variable} and to `{command}`"),
        ),
    }
}
