//! The scratch folder of a rehearsal: the league's settings without anything that reaches the outside.

use std::path::Path;

use capitalbench_archive::disk::file_ops;
use capitalbench_archive::format::league::render;
use capitalbench_core::league::settings::{
    BriefingSource, ClockSettings, League, LeagueCalls, MessageSettings, PriceSettings,
    PublicationSettings, UniverseChoice,
};
use capitalbench_core::market::invented::InventedMarket;
use capitalbench_core::round::manifest::Proof;
use jiff::tz::TimeZone;
use jiff::{Span, Timestamp};

use super::RehearsalRequest;
use crate::error::Error;
use crate::league::folder::{LEAGUE_FILE, LeagueFolder};
use crate::operator::files::read;
use crate::prices::invented::settle;

const MODELS: &str = "models.yaml";
const PRICING: &str = "pricing.yaml";
const UNIVERSE: &str = "universe.yaml";

/// Writes the league into the scratch folder and settles its market.
pub(super) fn set_up(request: &RehearsalRequest) -> Result<LeagueFolder, Error> {
    let RehearsalRequest { scratch, .. } = request;
    refuse_used(scratch)?;
    let league = LeagueFolder {
        folder: scratch.clone(),
        league: rehearsed(&request.league.league),
    };
    file_ops::create_folder(&league.rounds())?;
    let own = &request.league;
    copy(own, &own.league.models, &scratch.join(MODELS))?;
    if let Some(pricing) = &own.league.pricing {
        copy(own, pricing, &scratch.join(PRICING))?;
    }
    if let UniverseChoice::File(universe) = &own.league.universe {
        copy(own, universe, &scratch.join(UNIVERSE))?;
    }
    let market = InventedMarket {
        seed: request.seed,
        market: league.league.market,
        first: first_day(request.from)?,
        faults: request.faults.clone(),
    };
    settle(&league.rounds(), &market)?;
    store(&league)?;
    Ok(league)
}

/// Writes the league file, which passes of other processes read.
pub(super) fn store(league: &LeagueFolder) -> Result<(), Error> {
    let text = render(&league.league);
    Ok(file_ops::replace(
        &league.folder.join(LEAGUE_FILE),
        text.as_bytes(),
    )?)
}

/// The same league with mock models, an invented market and nobody who is told.
fn rehearsed(league: &League) -> League {
    League {
        calls: LeagueCalls::Rehearsed,
        models: MODELS.to_owned(),
        pricing: league.pricing.as_ref().map(|_| PRICING.to_owned()),
        universe: match &league.universe {
            UniverseChoice::Shipped(version) => UniverseChoice::Shipped(version.clone()),
            UniverseChoice::File(_) => UniverseChoice::File(UNIVERSE.to_owned()),
        },
        briefing: BriefingSource::Mechanical,
        prices: PriceSettings {
            histories: None,
            plan: None,
            second: None,
            ..PriceSettings {
                source: League::named("").prices.source,
                ..league.prices.clone()
            }
        },
        // No outside clock stamps an invented instant.
        proof: league.proof.min(Proof::Signed),
        clocks: ClockSettings::default(),
        publication: PublicationSettings {
            site: None,
            database: false,
            interim: league.publication.interim,
            licence: None,
        },
        messages: MessageSettings::default(),
        ..league.clone()
    }
}

fn copy(league: &LeagueFolder, name: &str, to: &Path) -> Result<(), Error> {
    let bytes = read(&league.file(name), |bytes| Ok(bytes.to_vec()))?;
    Ok(file_ops::replace(to, &bytes)?)
}

fn refuse_used(scratch: &Path) -> Result<(), Error> {
    let Ok(mut entries) = std::fs::read_dir(scratch) else {
        return Ok(file_ops::create_folder(scratch)?);
    };
    if entries.next().is_none() {
        return Ok(());
    }
    let text = format!("{} is not empty", scratch.display());
    Err(Error::new(text).hint("name a folder that is new or empty; nothing was written"))
}

/// A history that is long enough for every table.
fn first_day(from: Timestamp) -> Result<jiff::civil::Date, Error> {
    let day = TimeZone::UTC.to_datetime(from).date();
    day.checked_sub(Span::new().days(600))
        .map_err(|error| Error::new(format!("{from}: {error}")))
}
