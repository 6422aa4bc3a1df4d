//! Reads the publication, the files of its rounds and its log with the rights of the public.

use std::collections::BTreeMap;
use std::future::Future;
use std::sync::Arc;

use capitalbench_core::publication::Publication;
use capitalbench_core::values::ids::{Digest, RoundId};
use serde_json::Value;

use crate::direct::Direct;
use crate::documents::{Document, DocumentError, Header, publication};
use crate::gateway::GatewayError;
use crate::log_files::{EDGE, LogContent, LogRow};
use crate::round_files::{Files, FilesError, FilesRow};
use crate::stored::{ChangedRow, StoredDocument, check_header};

/// How often reading starts over because somebody writes meanwhile.
const MOST_STARTS: usize = 5;

/// One request asks for at most this many bundles of the log, and for about this many bytes.
const BUNDLES: usize = 50;
const BUNDLE_BYTES: u64 = 4 << 20;

/// A database from which a publication can be read.
pub trait Source {
    /// The row of the table `publication`; none before the first sync.
    fn header(&self) -> impl Future<Output = Result<Option<Header>, GatewayError>>;

    fn documents(&self) -> impl Future<Output = Result<Vec<StoredDocument>, GatewayError>>;

    /// The rows about the files of rounds.
    fn files(&self) -> impl Future<Output = Result<Vec<FilesRow>, GatewayError>>;

    fn unpacked(&self, row: &FilesRow) -> impl Future<Output = Result<Files, ReadError>>;

    fn log(&self) -> impl Future<Output = Result<Vec<LogRow>, GatewayError>>;

    /// The contents of these bundles.
    fn log_contents(
        &self,
        parts: &[&str],
    ) -> impl Future<Output = Result<Vec<LogContent>, GatewayError>>;
}

/// Bundles of the log by part, each with the digest of its archive.
pub type Bundles = BTreeMap<String, (Digest, Arc<Files>)>;

/// A publication as it was read, with its files.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredPublication {
    /// Digest over all parts; another one means that the publication changed.
    pub parts_sha256: String,
    pub publication: Publication,
    /// The files of the rounds, with the digest of their archive.
    pub files: BTreeMap<RoundId, (Digest, Arc<Files>)>,
    /// The signed log; empty if nothing is signed.
    pub log: Bundles,
}

impl StoredPublication {
    /// The files of the log by their paths in the site, except the list of signed rounds.
    pub fn log_files(&self) -> impl Iterator<Item = (&String, &Vec<u8>)> {
        self.log.values().flat_map(|(_, files)| files.iter())
    }
}

/// Why the publication could not be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    #[error(transparent)]
    Gateway(#[from] GatewayError),
    #[error(transparent)]
    Documents(#[from] DocumentError),
    #[error(transparent)]
    Changed(#[from] ChangedRow),
    #[error(transparent)]
    Files(#[from] FilesError),
    #[error("the database holds no publication yet")]
    Empty,
    #[error("the files of {0} are missing or withheld")]
    FilesMissing(RoundId),
    #[error(
        "the files of {0} are in the storage of the project, which a database connection cannot read"
    )]
    InStorage(RoundId),
    #[error("the part {0} of the log is missing")]
    LogMissing(String),
    #[error("the database changed {MOST_STARTS} times while it was being read")]
    Changing,
}

impl ReadError {
    /// What to do about it.
    pub fn remedy(&self) -> &'static str {
        match self {
            Self::Gateway(error) => error.remedy(),
            Self::Documents(_) => "sync it again with this version of the program",
            Self::Changed(_) | Self::FilesMissing(_) | Self::LogMissing(_) => {
                "sync it again: `capitalbench sync-web --include-cumulative`, and find out who wrote there"
            }
            Self::Files(_) => {
                "sync that round again: `capitalbench sync-web --round rounds/ROUND`, and find out who wrote there"
            }
            Self::Empty => "fill it with `capitalbench sync-web --include-cumulative`",
            Self::InStorage(_) => "read it with --source supabase",
            Self::Changing => "try again when the running sync has ended",
        }
    }
}

/// Reads everything as of one moment. Files that `before` already holds are not fetched again.
pub async fn read<S: Source>(
    source: &S,
    before: Option<&StoredPublication>,
) -> Result<StoredPublication, ReadError> {
    for _ in 0..MOST_STARTS {
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
    before: Option<&StoredPublication>,
) -> Result<StoredPublication, ReadError> {
    check_header(header)?;
    let documents = source.documents().await?.into_iter();
    let documents: Vec<Document> = documents
        .map(StoredDocument::checked)
        .collect::<Result<_, _>>()?;
    let publication = publication(header, &documents)?;
    let mut rows: BTreeMap<RoundId, FilesRow> = BTreeMap::new();
    for row in source.files().await? {
        row.check()?;
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
    let before = before.map(|record| &record.log);
    let log = bundles(source, before).await?;
    Ok(StoredPublication {
        parts_sha256: header.parts_sha256.clone(),
        publication,
        files,
        log,
    })
}

/// The log; empty if its checkpoint is missing, because nothing else counts without it.
async fn bundles<S: Source>(source: &S, before: Option<&Bundles>) -> Result<Bundles, ReadError> {
    let mut found = Bundles::new();
    let mut missing: Vec<LogRow> = Vec::new();
    for row in source.log().await? {
        row.check()?;
        match before.and_then(|before| before.get(&row.part)) {
            Some((digest, files)) if *digest == row.sha256 => {
                found.insert(row.part, (*digest, Arc::clone(files)));
            }
            _ => missing.push(row),
        }
    }
    let mut left = missing.as_slice();
    while !left.is_empty() {
        let mut bytes = 0;
        let fits = |row: &&LogRow| {
            bytes += row.byte_count;
            bytes <= BUNDLE_BYTES
        };
        let count = left.iter().take(BUNDLES).take_while(fits).count().max(1);
        let (these, rest) = left.split_at(count);
        left = rest;
        let parts: Vec<&str> = these.iter().map(|row| row.part.as_str()).collect();
        let contents = source.log_contents(&parts).await?;
        for row in these {
            let content = contents.iter().find(|content| content.part == row.part);
            let content = content.ok_or_else(|| ReadError::LogMissing(row.part.clone()))?;
            let files = Arc::new(row.unpack(content)?);
            found.insert(row.part.clone(), (row.sha256, files));
        }
    }
    if !found.contains_key(EDGE) {
        found.clear();
    }
    Ok(found)
}

impl Source for Direct {
    async fn header(&self) -> Result<Option<Header>, GatewayError> {
        let statement = "select to_jsonb(p) - 'only_row' - 'changed_at' from public.publication p";
        Ok(self.ask_all(statement, &[]).await?.pop())
    }

    async fn documents(&self) -> Result<Vec<StoredDocument>, GatewayError> {
        let statement = "select to_jsonb(d) - 'content_holds' from public.publication_documents d";
        let rows = self.ask_all(statement, &[]).await?.into_iter();
        let documents =
            rows.map(|row| StoredDocument::of_row(row).map_err(GatewayError::Unreadable));
        documents.collect()
    }

    async fn files(&self) -> Result<Vec<FilesRow>, GatewayError> {
        let statement = "select to_jsonb(f) from (select round_id, sha256, file_count, byte_count, \
                         holds_results, object, content_sha256 from public.round_files) f";
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

    async fn log(&self) -> Result<Vec<LogRow>, GatewayError> {
        let statement = "select to_jsonb(f) from (select part, round_id, sha256, file_count, \
                         byte_count, holds_results, packed_sha256, content_sha256 \
                         from public.log_files) f";
        self.ask_all(statement, &[]).await
    }

    async fn log_contents(&self, parts: &[&str]) -> Result<Vec<LogContent>, GatewayError> {
        let statement = "select jsonb_build_object('part', part, 'content', content) \
                         from public.log_files where part = any ($1)";
        self.ask_all(statement, &[&parts]).await
    }
}
