//! When the steps of a round happened: by place in the log, by instant and by outside clocks.

use std::collections::{BTreeMap, BTreeSet};

use capitalbench_core::round::manifest::{Manifest, Window};
use capitalbench_proof::event::{Event, Fact};
use capitalbench_proof::order::{
    CLOCK_SLACK, Contradiction, History, Judged, Line, Mark, Step, Verdict, judge,
};
use jiff::Timestamp;

use super::finding::{Code, Findings};
use super::log_state::{LogState, Reader, SeenStamp};
use super::round_proof::{Moment, RoundProof};
use super::slots::{Missing, count};
use crate::disk::layout;
use crate::log::{Kind, contradictions, instant, mark_of, marks, steps};

/// The events of one round, and the log in which they stand.
#[derive(Clone, Copy)]
pub(super) struct RoundEvents<'a> {
    pub(super) state: &'a LogState,
    pub(super) events: &'a [(u64, Event)],
    pub(super) manifest: Option<&'a Manifest>,
}

impl RoundEvents<'_> {
    /// Fills in when every step happened, and reports an impossible order.
    pub(super) fn check(
        self,
        reader: &Reader<'_>,
        proof: &mut RoundProof,
        findings: &mut Findings,
    ) {
        self.contradictions(findings);
        self.claims(findings);
        self.early_prices(findings);
        self.freezes(findings);
        let record = self.facts().rev().find_map(|fact| match fact {
            Fact::Accepted { run, .. } => Some(run.clone()),
            _ => None,
        });
        self.counts(proof);
        let rehearsals = self.rehearsals();
        let of_record = |run: &str| match &record {
            Some(record) => record == run,
            None => !rehearsals.contains(run),
        };
        let events = self.events.iter().map(|(index, event)| (*index, event));
        let window = self.manifest.and_then(|own| own.window);
        let mut told = steps(events, window, of_record);
        let judged = |told: &mut History, before: fn(&Moment) -> Option<Timestamp>| {
            for mark in marks(told) {
                mark.before = before(&self.moment(*mark));
            }
            judge(told).to_vec()
        };
        proof.vouched = judged(&mut told, Moment::vouched_before);
        proof.order = judged(&mut told, Moment::before);
        proof.promised = if reader.roots.is_empty() {
            proof.order.clone()
        } else {
            proof.vouched.clone()
        };
        let moment = |mark: Option<Mark>| mark.map(|mark| self.moment(mark));
        proof.freeze = moment(told.freeze);
        proof.first_call = moment(told.first_attempt);
        proof.last_call = moment(told.last_attempt);
        proof.picks = moment(told.picks);
        proof.score = moment(self.last_score(of_record));
        let last = proof.score.as_ref().map(|last| last.leaf);
        proof.earlier_score = moment(told.score).filter(|first| last != Some(first.leaf));
        (proof.entry_close, proof.exit_close) = (told.entry, told.exit);
        self.order(&told, &proof.order, findings);
        if let Some(record) = &record {
            let rules = self.manifest.map(Manifest::record_rules);
            let goes_on = rules.is_some_and(|own| own.enough.is_some());
            let missing = if goes_on {
                Missing::Listed
            } else {
                Missing::Refused
            };
            proof.slots = count(record, self.events, missing, findings);
        }
    }

    fn facts(&self) -> impl DoubleEndedIterator<Item = &Fact> {
        self.events.iter().map(|(_, event)| &event.fact)
    }

    fn counts(&self, proof: &mut RoundProof) {
        let asked = self.facts().filter_map(|fact| match fact {
            Fact::Slots { run, .. } => Some(run),
            _ => None,
        });
        proof.runs = asked.collect::<BTreeSet<_>>().len();
        let corrections = self.facts();
        let corrections = corrections.filter(|fact| matches!(fact, Fact::Correction { .. }));
        proof.corrections = corrections.count();
    }

    /// Runs whose answers were invented.
    fn rehearsals(&self) -> BTreeSet<String> {
        let runs = self.facts().filter_map(|fact| match fact {
            Fact::Slots { run, calls, .. } if calls == "mock" => Some(run.clone()),
            _ => None,
        });
        runs.collect()
    }

    fn last_score(&self, of_record: impl Fn(&str) -> bool) -> Option<Mark> {
        let of_record = |fact: &Fact| matches!(fact, Fact::Score { run, .. } if of_record(run));
        let mut scores = self.events.iter().rev();
        scores.find_map(|(leaf, event)| mark_of(*leaf, event).filter(|_| of_record(&event.fact)))
    }

    fn moment(&self, mark: Mark) -> Moment {
        let mut earliest: BTreeMap<(&str, bool), &SeenStamp> = BTreeMap::new();
        let covering = self.state.report.stamps.iter();
        for seen in covering.filter(|seen| seen.size > mark.last) {
            let authority = (seen.stamp.authority.as_str(), seen.vouched);
            let known = earliest.entry(authority).or_insert(seen);
            if seen.stamp.before < known.stamp.before {
                *known = seen;
            }
        }
        Moment {
            leaf: mark.last,
            at: mark.at,
            stamps: earliest.into_values().cloned().collect(),
        }
    }

    /// Events that contradict each other.
    fn contradictions(&self, findings: &mut Findings) {
        for found in contradictions(self.events) {
            let leaf = format!("log/leaf {}", found.leaf);
            let code = match found.kind {
                Kind::FileChanged => {
                    let text = format!("{leaf}: {}", found.text);
                    findings.add(Code::FixedFileChanged, found.about, text);
                    continue;
                }
                Kind::Unexplained => Code::ReplacedUnexplained,
                Kind::ClaimReplaced => Code::ReportReplaced,
                Kind::Place => Code::LogOrderBroken,
            };
            findings.add(code, leaf, format!("{} {}", found.about, found.text));
        }
    }

    /// An event must not be later than the outside stamp that covers it.
    fn claims(&self, findings: &mut Findings) {
        for (leaf, event) in self.events {
            let (Some(before), Some(at)) = (self.state.seen_before(*leaf), instant(event)) else {
                continue;
            };
            if at.duration_since(before) > CLOCK_SLACK {
                let text = format!(
                    "{} says {at}, but an outside clock stamped it before {before}",
                    event.fact.name()
                );
                let place = format!("log/leaf {leaf}");
                findings.add(Code::LogOrderBroken, place, text);
            }
        }
    }

    /// A round that was made again under its old id has another freeze in the log.
    fn freezes(&self, findings: &mut Findings) {
        let freezes = self.events.iter();
        let freezes = freezes.filter(|(_, event)| matches!(event.fact, Fact::Freeze { .. }));
        let leaves: Vec<String> = freezes.map(|(leaf, _)| leaf.to_string()).collect();
        if leaves.len() > 1 {
            let text = format!("the round was frozen by the leaves {}", leaves.join(", "));
            findings.add(Code::FrozenAgain, layout::LOG, text);
        }
    }

    /// Exit prices cannot exist before the exit close.
    fn early_prices(&self, findings: &mut Findings) {
        let window = self.manifest.and_then(|own| own.window);
        let Some(close) = window.and_then(Window::exit_close) else {
            return;
        };
        for (leaf, event) in self.events {
            let is_exit = matches!(event.fact, Fact::ExitPrices { .. });
            if let Some(at) = instant(event).filter(|at| is_exit && *at < close) {
                let text = format!("prices.exit says {at}, before the exit close {close}");
                let place = format!("log/leaf {leaf}");
                findings.add(Code::LogOrderBroken, place, text);
            }
        }
    }

    fn order(&self, told: &History, order: &[Judged], findings: &mut Findings) {
        for judged in order {
            let Verdict::Broken(why) = &judged.verdict else {
                continue;
            };
            let mark = match judged.line {
                Line::FreezeBeforeAttempts => told.freeze,
                Line::AttemptsInOrder => told.first_attempt,
                Line::AttemptsBeforePicks => told.last_attempt,
                Line::PicksBeforeEntry => told.picks,
                Line::EntryBeforeExit => None,
                Line::ExitBeforeScore => told.score,
            };
            let place = mark.map_or_else(
                || layout::MANIFEST.to_owned(),
                |mark| format!("log/leaf {}", mark.last),
            );
            findings.add(self.code_of(why), place, why.to_string());
        }
    }

    /// Events in the wrong order in the log are an error. A missed window only breaks the rules of the
    /// round. A freeze that was added to the log after the calls is honest where the manifest
    /// promises no log.
    fn code_of(&self, why: &Contradiction) -> Code {
        let promised = self.manifest.is_some_and(|own| !own.proof.is_none());
        let closes = |step: Step| matches!(step, Step::Entry | Step::Exit);
        match why {
            Contradiction::Places(..) | Contradiction::ClaimedLate { .. } => Code::LogOrderBroken,
            Contradiction::Instants { earlier, later } => {
                let late_log = earlier.0 == Step::Freeze && !promised;
                if late_log || closes(earlier.0) || closes(later.0) {
                    Code::OrderUnproved
                } else {
                    Code::LogOrderBroken
                }
            }
        }
    }
}
