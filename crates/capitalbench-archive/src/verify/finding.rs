//! What verification reports: a stable code, a severity, a place and a sentence.

use std::ops::{Deref, DerefMut};

use super::round_proof::RoundProof;

mod code;

pub use code::Code;

/// How bad a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Artifacts contradict each other.
    Error,
    /// They agree, but a fairness rule was broken or cannot be proved.
    Warning,
    /// Withheld, not published or not due yet.
    Note,
}

impl Severity {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Note => "note",
        }
    }
}

/// One thing that was found.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Finding {
    pub code: Code,
    /// File or folder inside the round.
    pub place: String,
    pub detail: String,
}

impl Finding {
    /// A finding about a file or folder inside the round.
    pub fn new(code: Code, place: impl Into<String>, detail: impl Into<String>) -> Self {
        Self {
            code,
            place: place.into(),
            detail: detail.into(),
        }
    }

    pub fn severity(&self) -> Severity {
        self.code.severity()
    }
}

/// The findings of one round, to which every check adds its own.
#[derive(Default)]
pub(crate) struct Findings(pub(crate) Vec<Finding>);

impl Findings {
    pub(crate) fn add(&mut self, code: Code, place: impl Into<String>, detail: impl Into<String>) {
        self.0.push(Finding::new(code, place, detail));
    }
}

impl Deref for Findings {
    type Target = Vec<Finding>;

    fn deref(&self) -> &Vec<Finding> {
        &self.0
    }
}

impl DerefMut for Findings {
    fn deref_mut(&mut self) -> &mut Vec<Finding> {
        &mut self.0
    }
}

/// What a round came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// No error and no warning.
    Holds,
    HoldsWithWarnings,
    /// At least one error.
    DoesNotHold,
}

impl Verdict {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Holds => "holds",
            Self::HoldsWithWarnings => "holds-with-warnings",
            Self::DoesNotHold => "does-not-hold",
        }
    }
}

/// Everything found about one round.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RoundReport {
    pub round_id: String,
    /// Findings, worst first.
    pub findings: Vec<Finding>,
    /// Files in the folder.
    pub files: usize,
    /// What the log proves; none where the round is unsigned.
    pub proof: Option<RoundProof>,
}

pub(super) fn count(findings: &[Finding], severity: Severity) -> usize {
    let own = |finding: &&Finding| finding.severity() == severity;
    findings.iter().filter(own).count()
}

impl RoundReport {
    pub fn count(&self, severity: Severity) -> usize {
        count(&self.findings, severity)
    }

    pub fn verdict(&self) -> Verdict {
        if self.count(Severity::Error) > 0 {
            Verdict::DoesNotHold
        } else if self.count(Severity::Warning) > 0 {
            Verdict::HoldsWithWarnings
        } else {
            Verdict::Holds
        }
    }
}

#[cfg(test)]
mod tests;
