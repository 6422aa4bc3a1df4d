//! [`Error`]: why an operation could not be done, and what to do about it.

use capitalbench_archive::disk::error::FileError;
use capitalbench_archive::disk::file_ops::WriteError;
use capitalbench_archive::public::public_record::PublicationError;
use capitalbench_archive::results::scoring::ScoringError;
use capitalbench_archive::round::freeze::FreezeError;
use capitalbench_database::gateway::GatewayError;
use jiff::Timestamp;

/// A message for the operator, and the next step where there is one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    pub message: String,
    pub hint: Option<String>,
    /// When the same step can go on, where a price plan is used up until then.
    pub waits_until: Option<Timestamp>,
}

impl Error {
    pub fn new(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            hint: None,
            waits_until: None,
        }
    }

    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Adds to the hint that is there.
    #[must_use]
    pub fn or_hint(mut self, other: &str) -> Self {
        self.hint = Some(match self.hint {
            Some(hint) => format!("{hint}, {other}"),
            None => other.to_owned(),
        });
        self
    }
}

impl std::error::Error for Error {}

impl std::fmt::Display for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl From<FileError> for Error {
    fn from(error: FileError) -> Self {
        Self::new(error.to_string())
    }
}

impl From<WriteError> for Error {
    fn from(error: WriteError) -> Self {
        Self::new(error.to_string())
    }
}

impl From<GatewayError> for Error {
    fn from(error: GatewayError) -> Self {
        Self::new(error.to_string()).hint(error.remedy())
    }
}

impl From<PublicationError> for Error {
    fn from(error: PublicationError) -> Self {
        match error {
            PublicationError::File(error) => error.into(),
            PublicationError::Scoring(error) => error.into(),
            PublicationError::Publish(error) => Self::new(error.to_string())
                .hint("check the prices of that round with `capitalbench verify`"),
        }
    }
}

impl From<FreezeError> for Error {
    fn from(error: FreezeError) -> Self {
        let plain = Self::new(error.to_string());
        match error {
            FreezeError::File(_) => plain,
            FreezeError::NotReady { remedy, .. } => plain.hint(remedy),
            FreezeError::Sealed(_) => plain.hint("start another round with `init-round`"),
            FreezeError::Changed { .. } => {
                plain.hint("restore the frozen files and run again; nothing was written")
            }
        }
    }
}

impl From<ScoringError> for Error {
    fn from(error: ScoringError) -> Self {
        let plain = Self::new(error.to_string());
        let hint = match error {
            ScoringError::Submission { .. } => {
                "run `capitalbench validate-submissions` on this run; no result was written"
            }
            ScoringError::NotDerived { .. } => {
                "restore the original file; `capitalbench validate-submissions` makes a parsed file \
                 again; `capitalbench verify` on the round lists every difference; nothing was \
                 written"
            }
            ScoringError::OtherResult { .. } => {
                "restore the original file, or score the run again with `capitalbench score-round \
                 --correct REASON`; nothing was published"
            }
            ScoringError::Score { .. } | ScoringError::Prices { .. } => {
                "complete the price sheets and score again; no result was written"
            }
            ScoringError::CrossCheck { .. } => {
                "look at prices/cross_check.json; to score despite the difference, use \
                 --accept-cross-check REASON"
            }
            ScoringError::WouldChange { .. } => {
                "no result was written; if the new prices or submissions are right, use \
                 --correct REASON, which keeps the old results"
            }
            _ => return plain,
        };
        plain.hint(hint)
    }
}
