//! The witnesses of a log: does every cosignature hold, and did as many sign as the rule asks for?

use std::collections::BTreeSet;

use capitalbench_proof::witness::{Cosignature, WitnessError, WitnessRule};
use jiff::Timestamp;

use super::finding::Code;
use super::log_state::{LogState, Reader};
use crate::disk::error::FileError;
use crate::disk::layout;

/// A cosignature that holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SeenCosignature {
    /// Size of the log that was cosigned.
    pub size: u64,
    pub name: String,
    pub at: Timestamp,
}

/// What the witnesses of a log signed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Witnessed {
    /// Whose cosignatures count, and how many are needed.
    pub rule: WitnessRule,
    /// Whether the reader named the witnesses; otherwise only the operator did.
    pub vouched: bool,
    /// Every cosignature that holds and counts, by size and name.
    pub seen: Vec<SeenCosignature>,
}

impl Witnessed {
    /// The witnesses that signed the log at a size.
    pub fn at(&self, size: u64) -> impl Iterator<Item = &SeenCosignature> {
        self.seen.iter().filter(move |seen| seen.size == size)
    }

    /// The largest size that as many witnesses signed as the rule asks for.
    pub fn quorum_at(&self) -> Option<u64> {
        let needed = self.rule.quorum()?;
        let sizes: BTreeSet<u64> = self.seen.iter().map(|seen| seen.size).collect();
        let mut sizes = sizes.into_iter().rev();
        sizes.find(|size| self.at(*size).count() >= needed)
    }

    /// The last cosignature of each witness, in the order of the rule; none for one that never signed.
    pub fn newest(&self) -> Vec<(&str, Option<&SeenCosignature>)> {
        let last = |name: &str| {
            let own = self.seen.iter().filter(|seen| seen.name == name);
            own.max_by_key(|seen| (seen.size, seen.at))
        };
        let keys = self.rule.keys().iter();
        keys.map(|key| (key.name(), last(key.name()))).collect()
    }

    fn add(&mut self, size: u64, own: Cosignature) {
        let Cosignature { name, at, .. } = own;
        if !self.at(size).any(|seen| seen.name == name) {
            self.seen.push(SeenCosignature { size, name, at });
        }
    }
}

impl LogState {
    /// Every cosignature must hold for its checkpoint. The reader's rule decides where one is given.
    pub(super) fn witnesses(
        &mut self,
        reader: &Reader<'_>,
        now: Timestamp,
    ) -> Result<(), FileError> {
        let named = self.log.witnesses().unwrap_or_else(|error| {
            let place = error.place_in(self.log.rounds());
            self.find(Code::CosignatureInvalid, place, error.problem());
            WitnessRule::default()
        });
        let rule = reader.witnesses.clone().unwrap_or_else(|| named.clone());
        // What the operator says of other witnesses is checked too, and does not count.
        let all = rule.after(&named).unwrap_or_else(|_| rule.clone());
        self.report.witnessed = Witnessed {
            vouched: reader.witnesses.is_some(),
            rule,
            seen: Vec::new(),
        };
        let sizes = self.log.anchored_sizes()?;
        for size in &sizes {
            // A stamp or a cosignature of another checkpoint has a finding of its own already.
            if self.log.kept(*size).is_ok() {
                self.cosigned(*size, &all, now)?;
            }
        }
        self.carried(&all, now)?;
        let seen = &mut self.report.witnessed.seen;
        seen.sort_by(|a, b| (a.size, &a.name).cmp(&(b.size, &b.name)));
        self.require_quorum(sizes.last().copied());
        Ok(())
    }

    fn cosigned(&mut self, size: u64, all: &WitnessRule, now: Timestamp) -> Result<(), FileError> {
        for kept in self.log.cosigned(size, all, now)? {
            if let Some(seen) = kept.seen {
                self.count(size, &kept.place, seen);
            } else {
                let text = "is by a key that nobody names as a witness, so it counts for nothing";
                self.find(Code::WitnessUnknown, kept.place, text);
            }
        }
        Ok(())
    }

    /// The lines that the present checkpoint itself carries.
    fn carried(&mut self, all: &WitnessRule, now: Timestamp) -> Result<(), FileError> {
        let Ok(Some(signed)) = self.log.checkpoint() else {
            return Ok(());
        };
        for seen in self.log.carried(&signed, all, now)? {
            self.count(signed.checkpoint.size, layout::LOG_CHECKPOINT, seen);
        }
        Ok(())
    }

    fn count(&mut self, size: u64, place: &str, seen: Result<Cosignature, WitnessError>) {
        let witnessed = &mut self.report.witnessed;
        match seen {
            Err(error) => self.find(Code::CosignatureInvalid, place, error.to_string()),
            Ok(own) => {
                let mut keys = witnessed.rule.keys().iter();
                if keys.any(|key| key.name() == own.name) {
                    witnessed.add(size, own);
                }
            }
        }
    }

    /// The newest checkpoint that was shown to others must have its cosignatures; entries after it
    /// were shown to nobody yet.
    fn require_quorum(&mut self, shown: Option<u64>) {
        let witnessed = &self.report.witnessed;
        let Some(needed) = witnessed.rule.quorum() else {
            return;
        };
        let state = self.report.state.as_ref().map(|state| state.size);
        let Some(size) = shown.or(state) else {
            return;
        };
        let names: Vec<&str> = witnessed.at(size).map(|seen| seen.name.as_str()).collect();
        if names.len() >= needed {
            return;
        }
        let by = match names.as_slice() {
            [] => "none of them did".to_owned(),
            some => format!("only {} did", some.join(" and ")),
        };
        let text = format!(
            "{needed} of {} witnesses must cosign the log at size {size}, and {by}; ask them again with \
             `capitalbench anchor`",
            witnessed.rule.keys().len()
        );
        self.find(Code::QuorumMissing, layout::LOG_WITNESSES, text);
    }
}
