//! The log of a folder of rounds: is it whole, signed, a continuation of what was seen, stamped?

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use capitalbench_core::evidence::claims::record::ClaimRecord;
use capitalbench_proof::checkpoint::Checkpoint;
use capitalbench_proof::event::Event;
use capitalbench_proof::note::VerifierKey;
use capitalbench_proof::timestamp::{Root, Stamp};
use capitalbench_proof::witness::WitnessRule;
use jiff::Timestamp;

use super::finding::{Code, Finding, RoundReport, Severity, count};
use super::witnessed::Witnessed;
use crate::disk::error::FileError;
use crate::disk::layout;
use crate::log::check::check;
use crate::log::{Believed, LogFolder, LogKey, Trust, instant};
use crate::round::round_folder::names_in;

/// What a reader expects of the log, and whom the reader trusts.
#[derive(Debug, Default)]
pub struct Reader<'a> {
    /// The public key that the log must have.
    pub key: Option<VerifierKey>,
    /// Checkpoints seen before, with the name of each.
    pub since: Vec<(String, Vec<u8>)>,
    /// Roots of the time stamp authorities that the reader vouches for; where none are given, those
    /// of public authorities.
    pub roots: Vec<Root>,
    /// The witnesses that the reader vouches for; where none are given, those that the operator names.
    pub witnesses: Option<WitnessRule>,
    /// Files that a bundle declares as withheld.
    pub withheld: BTreeSet<String>,
    /// The private key, which opens every seal.
    pub owner: Option<&'a LogKey>,
}

/// A stamp of an outside clock that holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SeenStamp {
    /// Size of the log that was stamped.
    pub size: u64,
    pub stamp: Stamp,
    /// Whether the reader vouches for the authority; otherwise only the operator does.
    pub vouched: bool,
}

/// Who vouches for time stamp authorities.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Voucher {
    /// The reader, who named their roots.
    Reader,
    /// The list of public authorities that this program ships.
    PublicList,
}

impl Voucher {
    fn of(reader: &Reader<'_>) -> Self {
        if reader.roots.is_empty() {
            Self::PublicList
        } else {
            Self::Reader
        }
    }
}

/// What verification found about the log of a folder.
#[derive(Debug, Clone, PartialEq)]
pub struct LogReport {
    /// Its present checkpoint; none when no checkpoint holds.
    pub state: Option<Checkpoint>,
    /// Kept checkpoints that hold.
    pub checkpoints: u64,
    /// Number of the reader's checkpoints that the log continues.
    pub continued: usize,
    /// Stamps of outside clocks that hold, by the size of the stamped log.
    pub stamps: Vec<SeenStamp>,
    pub voucher: Voucher,
    pub witnessed: Witnessed,
    /// Registered claims, computed again; only where a whole folder is verified.
    pub claims: Vec<ClaimRecord>,
    pub findings: Vec<Finding>,
}

impl LogReport {
    pub fn count(&self, severity: Severity) -> usize {
        count(&self.findings, severity)
    }
}

/// Names in the log that are of no round.
const OF_NO_ROUND: [&str; 2] = [layout::CLAIMS, layout::ENTRIES];

/// A checked log, and where the events of its rounds stand.
pub(super) struct LogState {
    pub(super) log: LogFolder,
    pub(super) report: LogReport,
    places: BTreeMap<String, Vec<u64>>,
    /// The latest instant of all leaves before each leaf about claims and entrants.
    before_claims: BTreeMap<u64, Timestamp>,
    /// By size, the earliest stamp of a log that is at least as large.
    covering: Vec<(u64, Timestamp)>,
}

impl LogState {
    /// Checks the log of a folder of rounds; none where there is no log and the reader expects none.
    pub(super) fn load(
        rounds: &Path,
        reader: &Reader<'_>,
        now: Timestamp,
    ) -> Result<Option<Self>, FileError> {
        let log = LogFolder::of_rounds(rounds);
        let expected = reader.key.is_some() || !reader.since.is_empty();
        let mut state = Self {
            log,
            report: LogReport {
                state: None,
                checkpoints: 0,
                continued: 0,
                stamps: Vec::new(),
                voucher: Voucher::of(reader),
                witnessed: Witnessed::default(),
                claims: Vec::new(),
                findings: Vec::new(),
            },
            places: BTreeMap::new(),
            before_claims: BTreeMap::new(),
            covering: Vec::new(),
        };
        if !rounds.join(layout::LOG).exists() {
            let text = "there is no log, although a key or a checkpoint of one was given";
            state.find(Code::LogHistoryDiffers, layout::LOG, text);
            return Ok(expected.then_some(state));
        }
        let (places, before) = (&mut state.places, &mut state.before_claims);
        let mut latest: Option<Timestamp> = None;
        let found = check(&state.log, &mut |index, event| {
            places.entry(event.round.clone()).or_default().push(index);
            if OF_NO_ROUND.contains(&event.round.as_str()) {
                before.extend(latest.map(|latest| (index, latest)));
            }
            latest = latest.max(instant(event));
        })?;
        for own in &found.problems {
            let place = format!("{}/{}", layout::LOG, own.place);
            state.find(Code::LogBroken, place, &own.problem);
        }
        if found.checkpoint.is_none() && found.problems.is_empty() && expected {
            let text = "has no leaf, although a key or a checkpoint of it was given";
            state.find(Code::LogHistoryDiffers, layout::LOG, text);
        }
        state.report.state = found.checkpoint;
        state.report.checkpoints = found.checkpoints;
        state.compare_key(reader);
        state.compare_history(reader);
        state.stamps(reader, now)?;
        state.witnesses(reader, now)?;
        Ok(Some(state))
    }

    /// The report; given all rounds of the folder, it names those that only the log has.
    pub(super) fn into_report(mut self, rounds: Option<&Vec<RoundReport>>) -> LogReport {
        if let Some(rounds) = rounds {
            let names = std::mem::take(&mut self.places).into_keys();
            let there = |name: &String| {
                OF_NO_ROUND.contains(&name.as_str())
                    || rounds.iter().any(|round| round.round_id == *name)
            };
            for name in names.filter(|name| !there(name)) {
                let text = "is in the log, but there is no such round here";
                self.find(Code::LoggedFileMissing, name, text);
            }
        }
        self.report
    }

    /// The events of a round. The check of the whole log has reported leaves that cannot be read.
    pub(super) fn events(&self, round: &str) -> Vec<(u64, Event)> {
        let (Some(state), Some(places)) = (&self.report.state, self.places.get(round)) else {
            return Vec::new();
        };
        let leaves = self.log.leaves(places, state.size).unwrap_or_default();
        let parse = |(index, leaf): (u64, Vec<u8>)| Some((index, Event::parse(&leaf).ok()?));
        leaves.into_iter().filter_map(parse).collect()
    }

    /// The latest instant of the leaves before one about a claim or an entrant.
    pub(super) fn latest_before(&self, leaf: u64) -> Option<Timestamp> {
        self.before_claims.get(&leaf).copied()
    }

    /// The earliest outside clock that saw a leaf.
    pub(super) fn seen_before(&self, leaf: u64) -> Option<Timestamp> {
        let larger = self.covering.partition_point(|(size, _)| *size <= leaf);
        self.covering.get(larger).map(|(_, before)| *before)
    }

    pub(super) fn find(&mut self, code: Code, place: impl Into<String>, text: impl Into<String>) {
        self.report.findings.push(Finding::new(code, place, text));
    }

    fn compare_key(&mut self, reader: &Reader<'_>) {
        let Some(expected) = &reader.key else {
            return;
        };
        if !matches!(self.log.verifier(), Ok(Some(own)) if own == *expected) {
            let text = format!("is not the key of {} that was given", expected.name());
            self.find(Code::LogHistoryDiffers, layout::LOG_VKEY, text);
        }
    }

    /// The log must have grown from every checkpoint that the reader kept.
    fn compare_history(&mut self, reader: &Reader<'_>) {
        let (Some(state), Ok(Some(own))) = (self.report.state.clone(), self.log.verifier()) else {
            return;
        };
        let key = reader.key.as_ref().unwrap_or(&own);
        for (name, bytes) in &reader.since {
            let problem = match Checkpoint::open(bytes, key, &[]) {
                Err(error) => Some(format!("the checkpoint that was given {error}")),
                Ok((seen, _)) => {
                    let growth = self.log.broken_growth(&seen, &state);
                    growth.unwrap_or_else(|error| Some(error.problem()))
                }
            };
            match problem {
                None => self.report.continued += 1,
                Some(text) => {
                    let place = layout::LOG_CHECKPOINT;
                    self.find(Code::LogHistoryDiffers, place, format!("{name}: {text}"));
                }
            }
        }
    }

    /// Every stamp in the log must hold for its checkpoint.
    fn stamps(&mut self, reader: &Reader<'_>, now: Timestamp) -> Result<(), FileError> {
        let own = if reader.roots.is_empty() {
            Root::public().unwrap_or_default()
        } else {
            reader.roots.clone()
        };
        let shipped = self.log.roots().unwrap_or_else(|error| {
            self.no_anchor(&error);
            Vec::new()
        });
        let trust = Trust {
            believed: Believed::Vouched { own, shipped },
            now,
        };
        for name in names_in(&self.log.rounds().join(layout::LOG_ANCHORS))? {
            let size: Option<u64> = name.parse().ok();
            let is_kept = |size: &u64| size.to_string() == name && self.log.kept(*size).is_ok();
            if let Some(size) = size.filter(is_kept) {
                self.anchors(size, &trust)?;
            } else {
                let text = "is of a checkpoint that the log does not have";
                self.find(Code::StampInvalid, format!("log/anchors/{name}"), text);
            }
        }
        let stamps = &mut self.report.stamps;
        stamps.sort_by_key(|seen| (seen.size, seen.stamp.before));
        let mut earliest = None;
        for seen in stamps.iter().rev() {
            let before = earliest.map_or(seen.stamp.before, |own| seen.stamp.before.min(own));
            earliest = Some(before);
            self.covering.push((seen.size, before));
        }
        self.covering.reverse();
        self.name_strangers();
        Ok(())
    }

    /// Names each authority for which only the operator vouches.
    fn name_strangers(&mut self) {
        let strangers = self.report.stamps.iter().filter(|seen| !seen.vouched);
        let names: BTreeSet<String> = strangers.map(|seen| seen.stamp.authority.clone()).collect();
        for name in names {
            let text = format!(
                "{name:?} stamped the log, but only the operator vouches for it; if you trust it, give \
                 its root with --tsa-root FILE"
            );
            self.find(Code::AuthorityNotVouched, layout::LOG_ANCHORS, text);
        }
    }

    fn anchors(&mut self, size: u64, trust: &Trust) -> Result<(), FileError> {
        let folder = format!("{}/{size}", layout::LOG_ANCHORS);
        let names = names_in(&self.log.rounds().join(&folder))?;
        for file in &names {
            let alone = file.strip_suffix(".tsq");
            if alone.is_some_and(|name| !names.contains(&format!("{name}.tsr"))) {
                let place = format!("{folder}/{file}");
                self.find(Code::StampInvalid, place, "has no reply");
            }
        }
        let anchors = self.log.anchors(size, trust).unwrap_or_else(|error| {
            self.no_anchor(&error);
            Vec::new()
        });
        for anchor in anchors {
            match anchor.stamp {
                Ok(stamp) => self.report.stamps.push(SeenStamp {
                    size,
                    stamp,
                    vouched: anchor.vouched,
                }),
                Err(refusal) => {
                    let place = format!("{folder}/{}.tsr", anchor.name);
                    self.find(Code::StampInvalid, place, refusal.to_string());
                }
            }
        }
        if let Err(error) = self.log.open_timestamps(size) {
            self.no_anchor(&error);
        }
        Ok(())
    }

    fn no_anchor(&mut self, error: &FileError) {
        let place = error.place_in(self.log.rounds());
        self.find(Code::StampInvalid, place, error.problem());
    }
}
