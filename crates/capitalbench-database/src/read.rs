//! The publication read back with the rights of the public, and the files of its rounds.

use std::collections::BTreeMap;
use std::future::Future;
use std::sync::Arc;

use capitalbench_core::ids::{Digest, RoundId};
use capitalbench_core::publication::Publication;
use serde_json::Value;

use crate::direct::Direct;
use crate::documents::{Document, DocumentError, Header, publication};
use crate::gateway::GatewayError;
use crate::round_files::{Files, FilesError, FilesRow};

/// How often reading begins again when somebody writes meanwhile.
const TURNS: usize = 5;

/// A place where a publication can be read.
pub trait Source {
    /// The one row of `publication`; none before the first sync.
    fn header(&self) -> impl Future<Output = Result<Option<Header>, GatewayError>>;

    /// All documents.
    fn documents(&self) -> impl Future<Output = Result<Vec<Document>, GatewayError>>;

    /// Where the files of rounds lie.
    fn files(&self) -> impl Future<Output = Result<Vec<FilesRow>, GatewayError>>;

    /// The files of a round.
    fn unpacked(&self, row: &FilesRow) -> impl Future<Output = Result<Files, ReadError>>;
}

/// What was read.
#[derive(Debug, Clone, PartialEq)]
pub struct Record {
    /// Digest over all parts; another one means that something changed.
    pub parts_sha256: String,
    /// The publication.
    pub publication: Publication,
    /// The files of its rounds, with the digest of their archive.
    pub files: BTreeMap<RoundId, (Digest, Arc<Files>)>,
}

/// Why nothing could be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The database cannot be asked.
    #[error(transparent)]
    Gateway(#[from] GatewayError),
    /// What is there is no publication.
    #[error(transparent)]
    Documents(#[from] DocumentError),
    /// What is stored of files is not what was packed.
    #[error(transparent)]
    Files(#[from] FilesError),
    /// Nothing was synced yet.
    #[error("the database holds no publication yet")]
    Empty,
    /// The files of a round are not there, or not for the public.
    #[error("the files of {0} are missing or withheld")]
    FilesMissing(RoundId),
    /// The files lie where this way does not reach.
    #[error("the files of {0} lie in the storage of the project")]
    InStorage(RoundId),
    /// Every time something was written while it was read.
    #[error("the database changed {TURNS} times while it was read")]
    Changing,
}

impl ReadError {
    /// What to do about it.
    pub fn remedy(&self) -> &'static str {
        match self {
            Self::Gateway(error) => error.remedy(),
            Self::Documents(_) => "sync it again with the program that reads it",
            Self::Files(_) | Self::FilesMissing(_) => {
                "sync it again: `capitalbench sync-web --include-cumulative`"
            }
            Self::Empty => "fill it with `capitalbench sync-web --include-cumulative`",
            Self::InStorage(_) => "read it with --source supabase",
            Self::Changing => "try again once the sync under way is done",
        }
    }
}

/// Reads everything, as of one moment; files that an earlier record holds are not asked for again.
pub async fn read<S: Source>(source: &S, before: Option<&Record>) -> Result<Record, ReadError> {
    for _ in 0..TURNS {
        let header = source.header().await?.ok_or(ReadError::Empty)?;
        let found = once(source, &header, before).await;
        let after = source.header().await?;
        if after.as_ref() == Some(&header) {
            return found;
        }
    }
    Err(ReadError::Changing)
}

async fn once<S: Source>(
    source: &S,
    header: &Header,
    before: Option<&Record>,
) -> Result<Record, ReadError> {
    let publication = publication(header, &source.documents().await?)?;
    let mut rows: BTreeMap<RoundId, FilesRow> = BTreeMap::new();
    for row in source.files().await? {
        rows.insert(row.round_id.clone(), row);
    }
    let mut files = BTreeMap::new();
    for round in &publication.rounds {
        let id = round.id();
        let missing = || ReadError::FilesMissing(id.clone());
        let row = rows.get(id).ok_or_else(missing)?;
        let kept = before.and_then(|record| record.files.get(id));
        let found = match kept {
            Some((digest, found)) if *digest == row.sha256 => Arc::clone(found),
            _ => Arc::new(source.unpacked(row).await?),
        };
        files.insert(id.clone(), (row.sha256, found));
    }
    Ok(Record {
        parts_sha256: header.parts_sha256.clone(),
        publication,
        files,
    })
}

impl Source for Direct {
    async fn header(&self) -> Result<Option<Header>, GatewayError> {
        let statement = "select to_jsonb(p) - 'only_row' - 'changed_at' from public.publication p";
        Ok(self.ask_all(statement, &[]).await?.pop())
    }

    async fn documents(&self) -> Result<Vec<Document>, GatewayError> {
        let statement =
            "select to_jsonb(d) - 'part' - 'content_sha256' from public.publication_documents d";
        self.ask_all(statement, &[]).await
    }

    async fn files(&self) -> Result<Vec<FilesRow>, GatewayError> {
        let statement = "select jsonb_build_object('round_id', round_id, 'sha256', sha256, \
                         'object', object) from public.round_files";
        self.ask_all(statement, &[]).await
    }

    async fn unpacked(&self, row: &FilesRow) -> Result<Files, ReadError> {
        if row.object.is_some() {
            return Err(ReadError::InStorage(row.round_id.clone()));
        }
        let statement = "select to_jsonb(content) from public.round_files where round_id = $1";
        let id = row.round_id.as_str();
        let content: Value = self.ask(statement, &[&id]).await?;
        Ok(row.unpack_content(content.as_str().unwrap_or_default())?)
    }
}
