//! [`Commands`]: the single commands with the effects of a pass.

use std::path::Path;

use capitalbench_archive::disk::shell::shell_word;
use capitalbench_core::asking::run::RunKind;
use capitalbench_core::league::schedule::ScheduledRound;
use capitalbench_core::league::settings::{BriefingSource, UniverseChoice};
use capitalbench_core::round::manifest::{Proof, SubmissionFormat};
use capitalbench_core::values::ids::RunId;
use jiff::Timestamp;
use jiff::civil::Date;

use super::folder::LeagueFolder;
use super::terms::RUN;
use crate::asking::run::{AskRequest, Permission, Start};

/// As they are typed in the folder of the league.
#[derive(Clone, Copy)]
pub(super) struct Commands<'a>(pub(super) &'a LeagueFolder);

impl Commands<'_> {
    fn rounds(self) -> &'static str {
        self.0.league.rounds()
    }

    fn round(self, round: &str) -> String {
        shell_word(&Path::new(self.rounds()).join(round))
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
        let text = format!(
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
        let second = self.0.second_source();
        let most = self.0.largest_daily_move();
        let proof = Some(settings.proof.as_str()).filter(|_| settings.proof != Proof::None);
        let publish = Some(self.0.publish()).filter(|publish| !publish.is_full());
        let synthetic = self.0.is_rehearsed().then(|| " --synthetic".to_owned());
        let lanes = settings.lanes_of(round);
        let further = [
            lanes.map(|lanes| format!(" --lanes {}", lanes.text())),
            second.map(|second| format!(" --second-price-source {second}")),
            most.map(|bps| format!(" --largest-daily-move-bps {bps}")),
            proof.map(|proof| format!(" --proof {proof}")),
            publish.map(|publish| format!(" --publish-prices {}", publish.as_str())),
            synthetic,
        ];
        text + &further.into_iter().flatten().collect::<String>()
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
        let text = format!(
            "capitalbench run-round --round {} --models {} --run-type {} --run-id {}",
            self.round(round),
            quoted(&settings.models),
            request.kind.map_or("official", RunKind::as_str),
            request.run_id.as_ref().map_or(RUN, RunId::as_str),
        );
        let pricing = settings.pricing.as_deref();
        let permission = match request.permission {
            Permission::RealCalls => " --allow-real-api-calls --yes".to_owned(),
            Permission::Mock | Permission::Offline => format!(" --mock --seed {}", request.seed),
        };
        let cost = request.max_cost_usd;
        let is_bare = !request.controls && request.kind == Some(RunKind::Official);
        let is_resumed = request.start == Start::Resume;
        let further = [
            pricing.map(|file| format!(" --pricing {}", quoted(file))),
            Some(permission),
            cost.map(|usd| format!(" --max-cost-usd {usd}")),
            is_bare.then(|| " --no-controls".to_owned()),
            is_resumed.then(|| " --resume".to_owned()),
        ];
        text + &further.into_iter().flatten().collect::<String>()
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
        let text = format!(
            "capitalbench resolve-due --rounds-dir {} {}",
            self.rounds(),
            self.source()
        );
        let bps = self.0.league.prices.tolerance_bps;
        match self.0.second_source() {
            Some(second) => format!("{text} --cross-check {second} --tolerance-bps {bps}"),
            None => text,
        }
    }

    pub(super) fn agents(self, round: &str) -> String {
        format!("capitalbench enter ask --round {}", self.round(round))
    }

    pub(super) fn database(self) -> String {
        format!("capitalbench sync-web --rounds-dir {}", self.rounds())
    }
}

fn quoted(text: &str) -> String {
    shell_word(Path::new(text))
}
