//! One round by area: what holds, what is broken, and what is still missing.
//!
//! An audit sorts the findings of verification by area, and names the next command for an area that
//! is not complete.

use std::path::Path;

use capitalbench_core::values::ids::RunId;
use jiff::Timestamp;

use crate::disk::error::FileError;
use crate::disk::layout;
use crate::disk::shell::shell_word;
use crate::round::round_folder::{RoundFolder, RoundInputs, Universes};
use crate::verify::{Code, Finding, Severity, verify};

/// A part of a round, in the operator's order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Area {
    /// Manifest, options, prompt and briefing are there and legal.
    Inputs,
    /// The digests hold.
    Freeze,
    /// The research is complete and its digests hold.
    Research,
    /// Starting and ending prices.
    Prices,
    /// Submissions, log and counts.
    Runs,
    /// Which run is the record, and whether it was fair.
    Record,
    /// Results and tracking follow from the rest.
    Results,
    /// The signed log holds and agrees with the files; only where there is a log.
    Log,
}

impl Area {
    /// All areas in the order of a round.
    pub const ALL: [Self; 8] = [
        Self::Inputs,
        Self::Freeze,
        Self::Research,
        Self::Prices,
        Self::Runs,
        Self::Record,
        Self::Results,
        Self::Log,
    ];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Inputs => "inputs",
            Self::Freeze => "freeze",
            Self::Research => "research",
            Self::Prices => "prices",
            Self::Runs => "runs",
            Self::Record => "record",
            Self::Results => "results",
            Self::Log => "log",
        }
    }
}

/// How an area stands, worst first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Status {
    /// Artifacts contradict each other.
    Fail,
    /// A step that is due is missing.
    Missing,
    /// Holds, with a warning.
    Warn,
    /// The step is not due yet.
    NotDue,
    /// Kept private.
    NotPublished,
    /// Holds.
    Pass,
}

impl Status {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Fail => "FAIL",
            Self::Missing => "MISSING",
            Self::Warn => "WARN",
            Self::NotDue => "NOT DUE",
            Self::NotPublished => "NOT PUBLISHED",
            Self::Pass => "PASS",
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Check {
    pub area: Area,
    pub status: Status,
    pub findings: Vec<Finding>,
    /// What to run next, where something is missing.
    pub next: Option<String>,
}

/// Audits a round; given a run, it skips the other runs.
pub fn audit(path: &Path, run_id: Option<&RunId>, now: Timestamp) -> Result<Vec<Check>, FileError> {
    let folder = RoundFolder::open(path)?;
    if let Some(run_id) = run_id {
        folder.run(run_id)?;
    }
    let report = verify(path, now, &|| {})?;
    let signed = report.log.is_some();
    let of_log = report.log.into_iter().flat_map(|log| log.findings);
    let of_rounds = report.rounds.into_iter().flat_map(|round| round.findings);
    let mut findings: Vec<Finding> = of_rounds.chain(of_log).collect();
    if let Some(run_id) = run_id {
        findings.retain(|finding| match finding.place.strip_prefix("runs/") {
            Some(place) => place.split('/').next() == Some(run_id.as_str()),
            None => true,
        });
    }
    let missing = missing_prices(&folder, now);
    let frozen = !findings.iter().any(is_unfrozen);
    let areas = Area::ALL.into_iter();
    let areas = areas.filter(|area| *area != Area::Log || signed);
    let checks = areas.map(|area| {
        let own: Vec<Finding> = findings
            .iter()
            .filter(|f| area_of(f) == area)
            .cloned()
            .collect();
        let mut status = own
            .iter()
            .map(|finding| status_of(finding, frozen))
            .min()
            .unwrap_or(Status::Pass);
        let incomplete = matches!(status, Status::Missing | Status::Fail);
        let mut next = next_step(&own, path).filter(|_| incomplete);
        if let (Area::Prices, Some((missing, command))) = (area, &missing) {
            status = status.min(*missing);
            next = next.or_else(|| command.clone());
        }
        Check {
            area,
            status,
            findings: own,
            next,
        }
    });
    Ok(checks.collect())
}

/// The first missing price sheet: is it due, and how is it fetched?
fn missing_prices(folder: &RoundFolder, now: Timestamp) -> Option<(Status, Option<String>)> {
    let inputs = RoundInputs::load(folder.clone(), &Universes::default()).ok()?;
    let window = inputs.manifest.window?;
    let sides = [
        (layout::ENTRY_PRICES, "entry", window.entry_close()),
        (layout::EXIT_PRICES, "exit", window.exit_close()),
    ];
    let (_, side, close) = sides
        .into_iter()
        .find(|(file, ..)| !folder.file(file).is_file())?;
    if close.is_some_and(|close| close < now) {
        let round = shell_word(folder.path());
        let command = format!("capitalbench fetch-prices --round {round} --side {side}");
        Some((Status::Missing, Some(command)))
    } else {
        Some((Status::NotDue, None))
    }
}

fn is_unfrozen(finding: &Finding) -> bool {
    finding.code == Code::Draft && finding.place == layout::HASHES
}

fn status_of(finding: &Finding, frozen: bool) -> Status {
    match (finding.severity(), finding.code) {
        (Severity::Error, _) => Status::Fail,
        (_, Code::Overdue) => Status::Missing,
        (_, Code::Draft) if is_unfrozen(finding) => Status::Missing,
        (_, Code::ResearchNotPublished) if !frozen => Status::Missing,
        (Severity::Warning, _) => Status::Warn,
        (_, Code::Pending | Code::Draft) => Status::NotDue,
        (_, Code::ReplyNotPublished | Code::ResearchNotPublished) => Status::NotPublished,
        (Severity::Note, _) => Status::Pass,
    }
}

fn next_step(findings: &[Finding], path: &Path) -> Option<String> {
    let round = shell_word(path);
    findings.iter().find_map(|finding| match finding.code {
        Code::Draft if finding.place == layout::HASHES => {
            Some(format!("capitalbench hash-round --round {round}"))
        }
        Code::ResearchNotPublished => Some(format!(
            "capitalbench import-research --round {round} --market-fact-report FILE \
             --audit-report FILE --final-briefing FILE --research-cutoff-utc INSTANT"
        )),
        Code::OfficialRunAmbiguous => Some(format!(
            "capitalbench accept-run --round {round} --run-id RUN"
        )),
        Code::Overdue => Some(format!("capitalbench score-round --round {round}")),
        _ => None,
    })
}

fn area_of(finding: &Finding) -> Area {
    let place = finding.place.as_str();
    let is_log = place.split('/').next() == Some(layout::LOG);
    match finding.code {
        _ if is_log => Area::Log,
        Code::InputHashMismatch | Code::FreezeTimeUnproved | Code::ModelInputNotHashed => {
            Area::Freeze
        }
        Code::Draft if place == layout::HASHES => Area::Freeze,
        Code::ResearchAfterCall
        | Code::CallAfterDeadline
        | Code::DecisionAfterEntryClose
        | Code::RosterIncomplete
        | Code::RosterFrozenLate
        | Code::ScoredBeforeExit
        | Code::AssembledRun
        | Code::AcceptanceDiffers
        | Code::MissingAnswersDiffer
        | Code::EndingDiffers
        | Code::RoundEnded
        | Code::RoundExplained
        | Code::AcceptanceWithdrawn => Area::Record,
        Code::InterimBasisDiffers | Code::JobContradictsResult | Code::ResolutionCancelled => {
            Area::Results
        }
        _ if place.starts_with(layout::RESEARCH) || finding.code == Code::BriefingDiffers => {
            Area::Research
        }
        _ if place.starts_with(layout::PRICES) => Area::Prices,
        _ if place == layout::RUNS => Area::Record,
        _ if place.contains("/results") => Area::Results,
        _ if place.starts_with(layout::RUNS) => Area::Runs,
        _ => Area::Inputs,
    }
}
