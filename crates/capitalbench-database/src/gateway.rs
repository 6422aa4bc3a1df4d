//! [`Gateway`]: what a sync needs from a database, whichever way the database is reached.

use std::collections::BTreeMap;
use std::future::Future;

use capitalbench_core::values::ids::RoundId;
use jiff::Timestamp;
use serde::Deserialize;
use serde_json::Value;

use crate::round_files::RoundFiles;

/// A way to a database: by its own protocol, or through `PostgREST`.
pub trait Gateway {
    /// The digests of the stored parts: `capitalbench_state()`.
    fn state(&self) -> impl Future<Output = Result<State, GatewayError>> + Send;

    /// Applies a delta completely or not at all: `capitalbench_apply(delta)`.
    fn apply(&self, delta: &Value) -> impl Future<Output = Result<Applied, GatewayError>> + Send;

    fn file_location(&self) -> FileLocation;

    /// Puts the files of a round into the storage.
    fn upload(&self, files: &RoundFiles) -> impl Future<Output = Result<(), GatewayError>> + Send;

    /// Removes objects from the storage that no row names any more.
    fn discard(&self, objects: &[String]) -> impl Future<Output = Result<(), GatewayError>> + Send;
}

/// Where the files of rounds lie.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileLocation {
    /// In the object storage beside the database.
    Storage,
    Rows,
}

/// What a database holds.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct State {
    /// The version of the answer's format; this program knows 1.
    pub format: u32,
    /// The last migration that was applied.
    pub schema_version: Option<i32>,
    /// Digest of each part.
    pub parts: BTreeMap<String, String>,
    /// None before the first sync.
    pub publication: Option<PublicationState>,
    /// Objects of the storage that rows name, by round.
    pub objects: BTreeMap<RoundId, String>,
    /// Objects of the storage that no row names and that are older than any running sync.
    pub leftovers: Vec<String>,
}

/// The stored publication as a whole.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct PublicationState {
    pub as_of: Timestamp,
    /// Whether every round is of an invented market.
    pub is_synthetic: bool,
    /// Digest over all parts; every change gives another one.
    pub parts_sha256: String,
    /// Whether that digest and the digest of this row are right.
    pub holds: bool,
}

/// The database's answer to a delta.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Applied {
    #[serde(flatten)]
    pub counts: Counts,
    /// Digest over all parts after the change.
    pub parts_sha256: Option<String>,
}

/// What a delta changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
pub struct Counts {
    /// Rows that were added or changed.
    pub written: u64,
    /// Rows that were removed.
    pub removed: u64,
    /// Parts in which anything changed.
    pub parts_changed: u64,
}

impl std::ops::AddAssign for Counts {
    fn add_assign(&mut self, other: Self) {
        self.written += other.written;
        self.removed += other.removed;
        self.parts_changed += other.parts_changed;
    }
}

/// Why the database gave no usable answer.
#[derive(Debug, thiserror::Error)]
pub enum GatewayError {
    #[error("the database cannot be reached: {0}")]
    Unreachable(String),
    /// A hosted project that nobody used for a while.
    #[error("the Supabase project is paused")]
    Paused,
    #[error("the database ended a statement at its time limit: {message} ({TIMEOUT})")]
    TimedOut {
        /// The database's own words.
        message: String,
    },
    #[error("the database refused: {message}{}", code.as_ref().map(|c| format!(" ({c})")).unwrap_or_default())]
    Refused {
        /// SQLSTATE, if there is one.
        code: Option<String>,
        /// The database's own words.
        message: String,
    },
    #[error("the answer of the database cannot be read: {0}")]
    Unreadable(String),
    #[error("the schema of the database is version {found}, this program needs {needed}")]
    OtherSchema {
        /// The version of the database; 0 for an empty one.
        found: i32,
        needed: i32,
    },
}

/// SQLSTATE for a statement that was ended, most often by `statement_timeout`.
const TIMEOUT: &str = "57014";

/// SQLSTATE for a delta that was made for an earlier state.
const OVERTAKEN: &str = "PT409";

impl GatewayError {
    /// A refusal in the words of the database.
    pub fn refused(code: Option<String>, message: String) -> Self {
        match code.as_deref() {
            Some(TIMEOUT) => Self::TimedOut { message },
            _ => Self::Refused { code, message },
        }
    }

    /// Whether somebody else changed the database after its state was read.
    pub(crate) fn is_overtaken(&self) -> bool {
        matches!(self, Self::Refused { code, .. } if code.as_deref() == Some(OVERTAKEN))
    }

    /// What to do about it.
    pub fn remedy(&self) -> &'static str {
        match self {
            Self::Unreachable(_) => "check the address, the port and that the server is running",
            Self::Paused => {
                "restore it in the dashboard of Supabase, wait until it runs, then try again"
            }
            Self::TimedOut { .. } => {
                "run `capitalbench db migrate`, which gives a sync a longer limit; if it has one, try \
                 again when the database is less busy, or raise statement_timeout of the role"
            }
            Self::Refused { code, .. } => match code.as_deref() {
                Some("42P01" | "42883" | "PGRST202" | "PGRST205") => {
                    "run `capitalbench db migrate`"
                }
                Some("42501" | "PGRST301") => "use the owner of the tables or the service role",
                Some("28000" | "28P01" | "3D000") => "check user, password and database name",
                Some(OVERTAKEN) => "wait until the other sync has ended, then sync again",
                _ => "run `capitalbench db check`; nothing of this request was stored",
            },
            Self::Unreadable(_) => "check that the address is that of a CapitalBench database",
            Self::OtherSchema { found, needed } if found > needed => {
                "install the newer program that made this schema"
            }
            Self::OtherSchema { .. } => "run `capitalbench db migrate`",
        }
    }
}
