//! The two questions a database is asked, whichever way it is reached.

use std::collections::BTreeMap;
use std::future::Future;

use capitalbench_core::values::ids::RoundId;
use jiff::Timestamp;
use serde::Deserialize;
use serde_json::Value;

use crate::round_files::RoundFiles;

/// A way to a database: by its own protocol, or through `PostgREST`.
pub trait Gateway {
    /// The digests of what is there: `capitalbench_state()`.
    fn state(&self) -> impl Future<Output = Result<State, GatewayError>> + Send;

    /// Brings a delta in, whole or not at all: `capitalbench_apply(delta)`.
    fn apply(&self, delta: &Value) -> impl Future<Output = Result<Applied, GatewayError>> + Send;

    /// Where the files of rounds lie.
    fn place(&self) -> Place;

    /// Puts the files of a round into the storage.
    fn upload(&self, files: &RoundFiles) -> impl Future<Output = Result<(), GatewayError>> + Send;

    /// Takes objects out of the storage that no row names any more.
    fn discard(&self, objects: &[String]) -> impl Future<Output = Result<(), GatewayError>> + Send;
}

/// Where the files of rounds lie.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// In a storage beside the database.
    Storage,
    /// In rows.
    Rows,
}

/// What is in a database.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct State {
    /// Version of the answer; this program knows 1.
    pub format: u32,
    /// The last migration that was applied.
    pub schema_version: Option<i32>,
    /// Digest of each part.
    pub parts: BTreeMap<String, String>,
    /// What is there as a whole; none before the first sync.
    pub publication: Option<Whole>,
    /// Objects of the storage that rows name, by round.
    pub objects: BTreeMap<RoundId, String>,
    /// Objects of the storage that no row names, though they are older than any sync under way.
    pub leftovers: Vec<String>,
}

/// Everything in a database.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Whole {
    /// The instant.
    pub as_of: Timestamp,
    /// Every round is of an invented market.
    pub is_synthetic: bool,
    /// Another one after every change.
    pub parts_sha256: String,
    /// Whether it is the digest of all parts, and the digest of this row its own.
    pub holds: bool,
}

/// What a delta did.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Applied {
    /// What it changed.
    #[serde(flatten)]
    pub counts: Counts,
    /// Of everything that is there now.
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

/// Why a database could not be asked.
#[derive(Debug, thiserror::Error)]
pub enum GatewayError {
    /// It is not there, or refused the connection.
    #[error("the database cannot be reached: {0}")]
    Unreachable(String),
    /// It refused what was asked.
    #[error("the database refused: {message}{}", code.as_ref().map(|c| format!(" ({c})")).unwrap_or_default())]
    Refused {
        /// SQLSTATE, where one was given.
        code: Option<String>,
        /// In its own words.
        message: String,
    },
    /// It answered something else than expected.
    #[error("the database gave an answer that cannot be read: {0}")]
    Unreadable(String),
    /// It has another schema than this program.
    #[error("the schema of the database is version {found}, this program needs {needed}")]
    OtherSchema {
        /// The version that is there; 0 for none.
        found: i32,
        /// The version of this program.
        needed: i32,
    },
}

/// A delta that was made for another state.
const OVERTAKEN: &str = "PT409";

impl GatewayError {
    /// Somebody else has changed the database since it was looked at.
    pub(crate) fn is_overtaken(&self) -> bool {
        matches!(self, Self::Refused { code, .. } if code.as_deref() == Some(OVERTAKEN))
    }

    /// What to do about it.
    pub fn remedy(&self) -> &'static str {
        match self {
            Self::Unreachable(_) => "check the address, the port and that the server is running",
            Self::Refused { code, .. } => match code.as_deref() {
                Some("42P01" | "42883" | "PGRST202" | "PGRST205") => {
                    "run `capitalbench db migrate`"
                }
                Some("42501" | "PGRST301") => "use the owner of the tables or the service role",
                Some("28000" | "28P01" | "3D000") => "check user, password and database name",
                Some(OVERTAKEN) => "wait until the other sync has ended, and sync again",
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
