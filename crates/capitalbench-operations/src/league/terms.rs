//! What the settings of a league mean for each step, and the single command that is typed for it.

use std::path::{Path, PathBuf};
use std::time::Duration;

use capitalbench_archive::disk::shell::shell_word;
use capitalbench_core::asking::run::RunKind;
use capitalbench_core::league::schedule::ScheduledRound;
use capitalbench_core::league::settings::{BriefingSource, LeagueCalls, UniverseChoice};
use capitalbench_core::market::calendar::WindowRule;
use capitalbench_core::market::invented::InventedMarket;
use capitalbench_core::round::manifest::{Origins, Proof, Stream, SubmissionFormat};
use capitalbench_core::values::ids::RunId;
use jiff::Timestamp;
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
    let own = [
        (plan, settings.prices.plan.clone()),
        (Some(AUTHORITIES), listed(&settings.clocks.authorities, " ")),
        (Some(CALENDARS), listed(&settings.clocks.calendars, " ")),
        (Some(ROOTS), listed(&roots, "\n")),
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
    fn source(&self) -> &str {
        match self.league.prices.source.as_str() {
            "csv" => "csv",
            _ if self.is_rehearsed() => InventedMarket::SOURCE,
            vendor => vendor,
        }
    }

    fn second_source(&self) -> Option<&str> {
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
    fn largest_daily_move(&self) -> Option<u32> {
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

/// The single commands, as they are typed in the folder of the league.
#[derive(Clone, Copy)]
pub(super) struct Commands<'a>(pub(super) &'a LeagueFolder);

impl Commands<'_> {
    fn rounds(self) -> &'static str {
        self.0.league.rounds()
    }

    fn round(self, round: &str) -> String {
        word(&PathBuf::from(self.rounds()).join(round))
    }

    fn source(self) -> String {
        let source = self.0.source();
        match (source, &self.0.league.prices.histories) {
            ("csv", Some(folder)) => format!("--source csv --histories {}", quoted(folder)),
            _ => format!("--source {source}"),
        }
    }

    pub(super) fn key(self, name: &str) -> String {
        format!(
            "capitalbench keys init --rounds-dir {} --name {}",
            self.rounds(),
            quoted(name)
        )
    }

    pub(super) fn open(self, round: &ScheduledRound) -> String {
        let settings = &self.0.league;
        let universe = match &settings.universe {
            UniverseChoice::Shipped(version) => format!("--universe-version {version}"),
            UniverseChoice::File(file) => format!("--universe {}", quoted(file)),
        };
        let format = match settings.format {
            SubmissionFormat::SinglePick => "single_pick",
            SubmissionFormat::Portfolio => "portfolio",
        };
        let mut text = format!(
            "capitalbench init-round --round-id {} --horizon '{}' --submission-format {format} \
             --methodology {} --decision-deadline {} {universe} --models {} --rounds-dir {} \
             --price-source {}",
            round.round_id,
            round.track.horizon(),
            settings.methodology(),
            round.deadline,
            quoted(&settings.models),
            self.rounds(),
            self.0.source(),
        );
        if let Some(second) = self.0.second_source() {
            text += &format!(" --second-price-source {second}");
        }
        if let Some(bps) = self.0.largest_daily_move() {
            text += &format!(" --largest-daily-move-bps {bps}");
        }
        if settings.proof != Proof::None {
            text += &format!(" --proof {}", settings.proof.as_str());
        }
        if self.0.is_rehearsed() {
            text += " --synthetic";
        }
        text
    }

    pub(super) fn table(self, round: &str, as_of: Date, again: bool) -> String {
        let again = if again {
            " --overwrite-performance"
        } else {
            ""
        };
        format!(
            "capitalbench fetch-universe-performance --round {} --as-of-date {as_of} {}{again}",
            self.round(round),
            self.source()
        )
    }

    pub(super) fn briefing(self, round: &str, cutoff: Timestamp) -> String {
        let text = format!(
            "capitalbench make-briefing --round {} --research-cutoff-utc {cutoff}",
            self.round(round)
        );
        match &self.0.league.briefing {
            BriefingSource::Mechanical => text,
            BriefingSource::Command(command) => format!("{text} --command {}", quoted(command)),
            BriefingSource::Files {
                facts,
                audit,
                briefing,
            } => format!(
                "{text} --market-fact-report {} --audit-report {} --final-briefing {}",
                quoted(facts),
                quoted(audit),
                quoted(briefing)
            ),
        }
    }

    pub(super) fn freeze(self, round: &str) -> String {
        format!("capitalbench hash-round --round {}", self.round(round))
    }

    pub(super) fn stamp(self) -> String {
        format!("capitalbench anchor --rounds-dir {}", self.rounds())
    }

    pub(super) fn ask(self, round: &str, request: &AskRequest) -> String {
        let settings = &self.0.league;
        let mut text = format!(
            "capitalbench run-round --round {} --models {} --run-type official --run-id {RUN}",
            self.round(round),
            quoted(&settings.models)
        );
        if let Some(file) = &settings.pricing {
            text += &format!(" --pricing {}", quoted(file));
        }
        text += &match request.permission {
            Permission::RealCalls => " --allow-real-api-calls --yes".to_owned(),
            Permission::Mock | Permission::Offline => format!(" --mock --seed {}", request.seed),
        };
        if let Some(usd) = request.max_cost_usd {
            text += &format!(" --max-cost-usd {usd}");
        }
        if !request.controls {
            text += " --no-controls";
        }
        if request.start == Start::Resume {
            text += " --resume";
        }
        text
    }

    pub(super) fn accept(self, round: &str, run: &RunId) -> String {
        format!(
            "capitalbench accept-run --round {} --run-id {run}",
            self.round(round)
        )
    }

    pub(super) fn void(self, round: &str, reason: &str) -> String {
        format!(
            "capitalbench void-round {} --reason {}",
            self.round(round),
            quoted(reason)
        )
    }

    pub(super) fn track(self, day: Date) -> String {
        format!(
            "capitalbench update-interim-performance --rounds-dir {} --snapshot-date {day} --track all {}",
            self.rounds(),
            self.source()
        )
    }

    pub(super) fn resolve(self) -> String {
        let mut text = format!(
            "capitalbench resolve-due --rounds-dir {} {}",
            self.rounds(),
            self.source()
        );
        if let Some(second) = self.0.second_source() {
            let bps = self.0.league.prices.tolerance_bps;
            text += &format!(" --cross-check {second} --tolerance-bps {bps}");
        }
        text
    }

    pub(super) fn database(self) -> String {
        format!("capitalbench sync-web --rounds-dir {}", self.rounds())
    }
}

fn word(path: &Path) -> String {
    shell_word(path)
}

fn quoted(text: &str) -> String {
    shell_word(Path::new(text))
}

#[cfg(test)]
mod tests;
