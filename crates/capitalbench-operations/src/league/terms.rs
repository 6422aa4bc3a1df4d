//! What the settings of a league mean for each step, and the single command that is typed for it.

use std::path::Path;
use std::time::Duration;

use capitalbench_core::asking::run::RunKind;
use capitalbench_core::league::schedule::ScheduledRound;
use capitalbench_core::league::settings::{BriefingSource, LeagueCalls, UniverseChoice};
use capitalbench_core::market::calendar::WindowRule;
use capitalbench_core::market::invented::InventedMarket;
use capitalbench_core::market::published_prices::PublishedPrices;
use capitalbench_core::round::manifest::{Origins, Stream};
use capitalbench_core::values::ids::RunId;
use jiff::civil::Date;

use super::folder::LeagueFolder;
use crate::asking::run::{AskRequest, MissingKeys, Permission, Start};
use crate::error::Error;
use crate::opening::new_round::RoundRequest;
use crate::operator::configuration::Configuration;
use crate::prices::sources::{
    ALPHA_VANTAGE_PLAN, CrossCheckChoice, PriceChoice, TIINGO_PLAN, Vendor,
};
use crate::proof::clocks::{AUTHORITIES, CALENDARS, ROOTS};
use crate::proof::entering::delivery::Delivery;
use crate::proof::witnesses::{QUORUM, WITNESSES};
use crate::resolving::held_round::LEASE;

/// The one run of a round that a league asks for.
pub(super) const RUN: &str = "official";
pub(super) const MAX_RETRIES: u32 = 2;
const CONCURRENT: usize = 8;

/// A league's settings beside those of the environment, which win.
pub fn configured(league: &LeagueFolder, environment: Configuration) -> Configuration {
    let settings = &league.league;
    let plan = match settings.prices.source.as_str() {
        "tiingo" => Some(TIINGO_PLAN),
        "alphavantage" => Some(ALPHA_VANTAGE_PLAN),
        _ => None,
    };
    let roots = settings.clocks.roots.iter();
    let roots: Vec<String> = roots
        .map(|file| league.file(file).display().to_string())
        .collect();
    let witnesses = settings.witnesses.of.iter();
    let witnesses: Vec<String> = witnesses
        .map(|own| format!("{}={}", own.key, own.address))
        .collect();
    let own = [
        (plan, settings.prices.plan.clone()),
        (Some(AUTHORITIES), listed(&settings.clocks.authorities, " ")),
        (Some(CALENDARS), listed(&settings.clocks.calendars, " ")),
        (Some(ROOTS), listed(&roots, "\n")),
        (Some(WITNESSES), listed(&witnesses, " ")),
        (
            Some(QUORUM),
            settings.witnesses.quorum.map(|own| own.to_string()),
        ),
    ];
    Configuration::new(move |name| {
        environment.get(name).or_else(|| {
            let found = own.iter().find(|(known, _)| *known == Some(name))?;
            found.1.clone()
        })
    })
}

fn listed(words: &[String], between: &str) -> Option<String> {
    (!words.is_empty()).then(|| words.join(between))
}

impl LeagueFolder {
    /// Where entrants deliver; a league that names nothing admits nobody.
    pub fn delivery(&self) -> Result<Delivery, Error> {
        let settings = self.league.entrants.as_ref().ok_or_else(|| {
            let text = "league.yaml admits no entrants";
            Error::new(text).hint("add `entrants: {registrations: entrants, entries: entries}`")
        })?;
        let registrations = settings.registrations.iter();
        Ok(Delivery {
            registrations: registrations.map(|name| self.file(name)).collect(),
            entries: settings.entries.as_deref().map(|name| self.file(name)),
        })
    }

    /// Whether no provider is called and the market is invented.
    pub fn is_rehearsed(&self) -> bool {
        self.league.calls == LeagueCalls::Rehearsed
    }

    /// The sources that the rounds are priced from.
    pub fn price_choice(&self) -> Result<PriceChoice, Error> {
        let prices = &self.league.prices;
        let second = self.second_source();
        let second = second.map(|name| self.vendor(name)).transpose()?;
        Ok(PriceChoice {
            vendor: self.vendor(self.source())?,
            cross_check: second.map(|vendor| CrossCheckChoice {
                vendor,
                tolerance_bps: prices.tolerance_bps,
            }),
        })
    }

    /// The name of the source: an invented market has no vendor, unless its closes lie on the disk.
    pub(super) fn source(&self) -> &str {
        match self.league.prices.source.as_str() {
            "csv" => "csv",
            _ if self.is_rehearsed() => InventedMarket::SOURCE,
            vendor => vendor,
        }
    }

    pub(super) fn second_source(&self) -> Option<&str> {
        let second = self.league.prices.second.as_deref();
        second.filter(|_| !self.is_rehearsed())
    }

    pub(super) fn vendor(&self, name: &str) -> Result<Vendor, Error> {
        match name {
            "tiingo" => Ok(Vendor::Tiingo),
            "yahoo" => Ok(Vendor::Yahoo),
            "alphavantage" => Ok(Vendor::AlphaVantage),
            InventedMarket::SOURCE => Ok(Vendor::Invented),
            "csv" => {
                let histories = self.league.prices.histories.as_deref();
                let folder = histories.ok_or_else(|| {
                    Error::new("league.yaml: prices: the source csv needs a folder of histories")
                        .hint("write `histories: DIR` below prices")
                })?;
                Ok(Vendor::Csv(self.file(folder)))
            }
            other => {
                let text = format!("league.yaml: prices: the source {other} is not known");
                Err(Error::new(text).hint("use tiingo, yahoo, alphavantage or csv"))
            }
        }
    }

    /// In basis points, as rounds freeze it.
    pub(super) fn largest_daily_move(&self) -> Option<u32> {
        let text = format!("{:.0}", self.league.prices.largest_daily_move * 10_000.0);
        text.parse().ok().filter(|bps| *bps > 0)
    }

    pub(super) fn stream(&self) -> Stream {
        if self.is_rehearsed() {
            Stream::Synthetic
        } else {
            Stream::Primary
        }
    }

    pub(super) fn round_request(&self, round: &ScheduledRound) -> RoundRequest {
        let settings = &self.league;
        let (universe, version) = match &settings.universe {
            UniverseChoice::Shipped(version) => (None, Some(version.clone())),
            UniverseChoice::File(file) => (Some(self.file(file)), None),
        };
        RoundRequest {
            rounds: self.rounds(),
            round_id: round.round_id.clone(),
            track: round.track,
            format: settings.format,
            methodology: Some(settings.methodology().to_owned()),
            deadline: Some(round.deadline),
            rule: WindowRule::default(),
            universe,
            universe_version: version,
            models: Some(self.file(&settings.models)),
            stream: self.stream(),
            proof: settings.proof,
            origins: Origins {
                price_source: Some(self.source().to_owned()),
                second_price_source: self.second_source().map(str::to_owned),
                provider_hosts: Vec::new(),
                largest_daily_move_bps: self.largest_daily_move(),
            },
            failure_policy: settings.failure_policy,
            controls: settings.own_controls.clone(),
            lanes: settings.lanes_of(round),
            publish: self.publish(),
        }
    }

    /// What its rounds publish of their prices: an invented market has no vendor, and a random salt would
    /// make two plays of one rehearsal differ.
    pub(super) fn publish(&self) -> PublishedPrices {
        if self.is_rehearsed() {
            PublishedPrices::Full
        } else {
            self.league.publish
        }
    }

    /// What the briefing is made from, with files where they lie.
    pub(super) fn briefing(&self) -> BriefingSource {
        let place = |file: &String| self.file(file).display().to_string();
        match &self.league.briefing {
            BriefingSource::Files {
                facts,
                audit,
                briefing,
            } => BriefingSource::Files {
                facts: place(facts),
                audit: place(audit),
                briefing: place(briefing),
            },
            other => other.clone(),
        }
    }

    /// What is asked of a round that is decided on a day.
    pub(super) fn ask_request(&self, round: &Path, decided: Date, start: Start) -> AskRequest {
        let settings = &self.league;
        AskRequest {
            round: round.to_owned(),
            models: self.file(&settings.models),
            pricing: settings.pricing.as_deref().map(|file| self.file(file)),
            home: Some(self.folder.clone()),
            run_id: RunId::parse(RUN).ok(),
            start,
            kind: Some(RunKind::Official),
            replicates: None,
            permission: if self.is_rehearsed() {
                Permission::Mock
            } else {
                Permission::RealCalls
            },
            seed: seed(decided),
            missing_keys: MissingKeys::LeaveOpen,
            max_retries: MAX_RETRIES,
            max_cost_usd: None,
            concurrent: CONCURRENT,
            pause: None,
            controls: settings.controls,
            renames: Vec::new(),
            only: Vec::new(),
            dry_run: false,
        }
    }
}

/// The mock answers every round otherwise.
fn seed(decided: Date) -> u64 {
    let text = decided.strftime("%Y%m%d").to_string();
    text.parse().unwrap_or(0)
}

/// How long a round stays with a pass that does not renew its lease.
pub(super) const RESOLVING: Duration = LEASE;

#[cfg(test)]
mod tests;
