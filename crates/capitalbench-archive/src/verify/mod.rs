//! Re-derives everything from the artifacts and reports where they disagree.
//!
//! Digests, verdicts, portfolios, scores and interim rows are computed again and compared with the
//! stored ones. A rule finds every defect, never the name of a round.

use std::path::Path;

use jiff::Timestamp;
use rayon::prelude::*;

use crate::disk::error::FileError;
use crate::disk::file_ops::TEMPORARY_PREFIX;
use crate::format::run::run_log::RunLogLine;
use crate::format::run::run_manifest::RunRecord;
use crate::log::LogFolder;
use crate::round::round_folder::{RoundFolder, RoundInputs, Universes, entries_in, found_rounds};
use crate::run::run_controls::RunControls;
use crate::run::run_folder::RunFolder;
use crate::run::validation::{Checked, validate_run};
use finding::Findings;
use log_state::LogState;

mod acceptance;
mod across;
mod agents;
mod asked;
pub mod audit;
mod claims;
mod controls;
pub mod derivation;
mod ending;
mod entrants;
mod fairness;
mod finding;
mod hosts;
mod inputs;
mod interim;
mod lanes;
mod log_state;
mod moments;
mod prices;
mod promise;
mod replies;
pub(crate) mod results;
mod round_proof;
mod runs;
mod signed;
mod slots;
mod sources;
mod state;
mod witnessed;

pub use finding::{Code, Finding, RoundReport, Severity, Verdict};
pub use log_state::{LogReport, Reader, SeenStamp, Voucher};
pub use round_proof::{Moment, RoundProof};
pub use slots::SlotCount;
pub use witnessed::{SeenCosignature, Witnessed};

/// What verification of one round or a folder of rounds found.
#[derive(Debug, Clone, PartialEq)]
pub struct Report {
    /// One report per round, in order of name.
    pub rounds: Vec<RoundReport>,
    /// The log beside them; none where the rounds are unsigned.
    pub log: Option<LogReport>,
}

impl Report {
    pub fn count(&self, severity: Severity) -> usize {
        let of_log = self.log.as_ref().map_or(0, |log| log.count(severity));
        let of_rounds = self.rounds.iter().map(|round| round.count(severity));
        of_rounds.sum::<usize>() + of_log
    }

    /// Number of files in all rounds.
    pub fn files(&self) -> usize {
        self.rounds.iter().map(|round| round.files).sum()
    }
}

/// One run with everything that checks need of it.
pub(crate) struct RunState {
    pub(crate) folder: RunFolder,
    pub(crate) record: RunRecord,
    pub(crate) run_log: Vec<RunLogLine>,
    pub(crate) checked: Vec<Checked>,
    /// Control entrants, computed again; none where the run has none.
    pub(crate) controls: Option<RunControls>,
}

impl RunState {
    /// The place of a file of this run, inside the round.
    pub(crate) fn place(&self, relative: &str) -> String {
        self.folder.place(relative)
    }
}

/// One round with everything that checks need of it.
pub(crate) struct RoundState {
    pub(crate) inputs: RoundInputs,
    pub(crate) runs: Vec<RunState>,
    /// Whether runs could not be read; each has a finding of its own.
    pub(crate) unreadable_runs: bool,
    pub(crate) sheets: prices::Sheets,
    pub(crate) now: Timestamp,
}

/// Verifies a round or every round below a folder; `tick` is called after each round.
pub fn verify(path: &Path, now: Timestamp, tick: &(dyn Fn() + Sync)) -> Result<Report, FileError> {
    verify_for(&Reader::default(), path, now, tick)
}

/// The same for a reader who expects a key, checkpoints or roots.
pub fn verify_for(
    reader: &Reader<'_>,
    path: &Path,
    now: Timestamp,
    tick: &(dyn Fn() + Sync),
) -> Result<Report, FileError> {
    let folders = if RoundFolder::is_round(path) {
        vec![RoundFolder::unchecked(path)]
    } else {
        found_rounds(path)?
    };
    let beside = match folders.as_slice() {
        [only] if RoundFolder::is_round(path) => LogFolder::of_round(only),
        _ => LogFolder::of_rounds(path),
    };
    let log = LogState::load(beside.rounds(), reader, now)?;
    let checks = Checks {
        universes: Universes::default(),
        log: log.as_ref(),
        reader,
        now,
    };
    let checked: Vec<(RoundReport, Option<across::Evidence>)> = folders
        .par_iter()
        .map(|folder| {
            let report = checks.round(folder);
            tick();
            report
        })
        .collect();
    let (mut rounds, evidence): (Vec<_>, Vec<_>) = checked.into_iter().unzip();
    let snapshots = across::snapshots(beside.rounds());
    let compared = across::compare(&evidence, &snapshots);
    for (round, found) in rounds.iter_mut().zip(compared) {
        round.findings.extend(found);
        round.findings.sort();
    }
    let whole = !RoundFolder::is_round(path);
    let log = log.map(|mut log| {
        claims::check(&mut log, whole.then_some(now));
        if whole {
            entrants::check(&mut log);
            agents::check(&mut log, now);
        }
        log.into_report(whole.then_some(&rounds))
    });
    Ok(Report { rounds, log })
}

/// How many rounds a path holds, for a progress bar.
pub fn count_rounds(path: &Path) -> usize {
    if RoundFolder::is_round(path) {
        1
    } else {
        found_rounds(path).map_or(0, |rounds| rounds.len())
    }
}

/// What the checks of all rounds share.
struct Checks<'a> {
    universes: Universes,
    log: Option<&'a LogState>,
    reader: &'a Reader<'a>,
    now: Timestamp,
}

impl Checks<'_> {
    fn round(&self, folder: &RoundFolder) -> (RoundReport, Option<across::Evidence>) {
        // A link, or a round without a readable manifest.
        if let Err(error) = folder.require_plain() {
            let report = RoundReport {
                round_id: folder.name(),
                findings: vec![unreadable(folder, &error)],
                files: 0,
                proof: None,
            };
            return (report, None);
        }
        let mut findings = Findings::default();
        let (files, faults) = walk_all(folder.path());
        findings.extend(faults.iter().map(|fault| unreadable(folder, fault)));
        for file in &files {
            let name = file.rsplit('/').next().unwrap_or_default();
            if name.starts_with(TEMPORARY_PREFIX) {
                findings.add(Code::UnfinishedWrite, file, "can be deleted");
            }
        }
        inputs::check_hashes(folder, &mut findings);
        inputs::check_given_instants(folder, &mut findings);
        inputs::check_research(folder, &mut findings);
        let state = match RoundInputs::load(folder.clone(), &self.universes) {
            Ok(loaded) => Some(load_state(loaded, self.now, &mut findings)),
            Err(error) => {
                findings.push(unreadable(folder, &error));
                None
            }
        };
        if let Some(state) = &state {
            check_state(state, &mut findings);
        }
        let manifest = state.as_ref().map(|state| &state.inputs.manifest);
        let proof = self
            .log
            .and_then(|log| signed::check_round(folder, log, self.reader, manifest, &mut findings));
        let is_asked = state.as_ref().is_some_and(promise::is_asked)
            || proof.as_ref().is_some_and(|own| own.first_call.is_some());
        if let Some(manifest) = manifest.filter(|_| is_asked) {
            promise::check(manifest, proof.as_ref(), self.now, &mut findings);
            promise::check_prices(manifest, folder, &mut findings);
        }
        if proof.as_ref().is_some_and(RoundProof::is_stamped) {
            findings.retain(|finding| finding.code != Code::FreezeTimeUnproved);
        }
        findings.sort();
        findings.dedup();
        let report = RoundReport {
            round_id: folder.name(),
            findings: findings.0,
            files: files.len(),
            proof,
        };
        (report, state.as_ref().map(across::Evidence::new))
    }
}

fn check_state(state: &RoundState, findings: &mut Findings) {
    inputs::check_manifest(state, findings);
    inputs::check_model_input(state, findings);
    inputs::check_reply_form(state, findings);
    inputs::check_prompt(state, findings);
    sources::check(state, findings);
    for run in &state.runs {
        runs::check(run, &state.inputs, findings);
    }
    lanes::check(state, findings);
    prices::check(state, findings);
    let official = state::check(state, findings);
    if let Some(official) = official {
        fairness::check(state, official, findings);
    }
    fairness::check_repeated_calls(state, findings);
    results::check(state, official, findings);
    interim::check(state, findings);
}

fn load_state(inputs: RoundInputs, now: Timestamp, findings: &mut Findings) -> RoundState {
    let folder = inputs.folder.clone();
    let before = findings.len();
    let ids = folder.run_ids().unwrap_or_else(|error| {
        findings.push(unreadable(&folder, &error));
        Vec::new()
    });
    let mut runs = Vec::new();
    for run_id in ids {
        match folder.run(&run_id).and_then(|run| load_run(&inputs, run)) {
            Ok(run) => runs.push(run),
            Err(error) => findings.push(unreadable(&folder, &error)),
        }
    }
    let unreadable_runs = findings.len() > before;
    let mut sheets = prices::load(&folder, findings);
    prices::compare_record(&inputs, &mut sheets, findings);
    RoundState {
        inputs,
        runs,
        unreadable_runs,
        sheets,
        now,
    }
}

fn load_run(inputs: &RoundInputs, folder: RunFolder) -> Result<RunState, FileError> {
    let record = folder.record()?;
    let run_log = folder.run_log()?.unwrap_or_default();
    let checked = validate_run(inputs, &folder, record.run.rules)?;
    let controls = RunControls::of_run(inputs, &folder, &checked)?;
    Ok(RunState {
        folder,
        record,
        run_log,
        checked,
        controls,
    })
}

/// An unreadable file as a finding, with its path inside the round.
pub(crate) fn unreadable(folder: &RoundFolder, error: &FileError) -> Finding {
    let place = match error.place_in(folder.path()) {
        own if own.is_empty() => ".".to_owned(),
        inside => inside,
    };
    Finding::new(Code::UnreadableFile, place, error.problem())
}

/// The path of a name in a folder; the root is the empty path.
pub(crate) fn below(folder: &str, name: &str) -> String {
    let slash = if folder.is_empty() { "" } else { "/" };
    format!("{folder}{slash}{name}")
}

/// Every file below a folder, relative to it, in order; links are not followed; an absent folder is
/// empty.
pub fn walk(root: &Path) -> Result<Vec<String>, FileError> {
    let (files, faults) = walk_all(root);
    faults.into_iter().next().map_or(Ok(files), Err)
}

/// The same with the folders that could not be read; their files are not in the list.
pub(crate) fn walk_all(root: &Path) -> (Vec<String>, Vec<FileError>) {
    let mut files = Vec::new();
    let mut faults = Vec::new();
    let mut folders = vec![String::new()];
    while let Some(folder) = folders.pop() {
        let entries = entries_in(&root.join(&folder)).unwrap_or_else(|fault| {
            faults.push(fault);
            Vec::new()
        });
        for (name, kind) in entries {
            let relative = below(&folder, &name);
            if kind.is_dir() {
                folders.push(relative);
            } else {
                files.push(relative);
            }
        }
    }
    files.sort_unstable();
    (files, faults)
}
