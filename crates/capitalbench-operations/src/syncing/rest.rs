//! A Supabase project as a gateway to write through and a source to read from.

use std::fmt::Debug;

use capitalbench_adapters::supabase::{Supabase, SupabaseError};
use capitalbench_database::documents::Header;
use capitalbench_database::gateway::{Applied, FileLocation, Gateway, GatewayError, State};
use capitalbench_database::log_files::{LogContent, LogRow};
use capitalbench_database::read::{ReadError, Source};
use capitalbench_database::round_files::{Files, FilesRow, RoundFiles};
use capitalbench_database::stored::StoredDocument;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

/// Where the files of rounds lie.
const BUCKET: &str = "capitalbench-public-artifacts";

/// Rows with contents per request. On a hosted project the statements of everybody end after three
/// seconds, and the database checks the rights to every row and reads its whole content.
const CONTENT_PAGE: usize = 20;

/// A project with the rights of a key.
#[derive(Debug)]
pub struct Rest(pub Supabase);

fn told(error: SupabaseError) -> GatewayError {
    match error {
        SupabaseError::Http(error) => GatewayError::Unreachable(error.to_string()),
        SupabaseError::Refused { code, message, .. } => GatewayError::refused(code, message),
        SupabaseError::Paused => GatewayError::Paused,
        SupabaseError::Unreadable(reason) => GatewayError::Unreadable(reason),
    }
}

fn parsed<T: DeserializeOwned>(value: Value) -> Result<T, GatewayError> {
    serde_json::from_value(value).map_err(|error| GatewayError::Unreadable(error.to_string()))
}

impl Rest {
    async fn rows<T: DeserializeOwned>(
        &self,
        table: &str,
        query: &[(&str, &str)],
    ) -> Result<Vec<T>, GatewayError> {
        let rows = self.0.rows(table, query).await.map_err(told)?;
        rows.into_iter().map(parsed).collect()
    }

    async fn contents<T: DeserializeOwned>(
        &self,
        table: &str,
        query: &[(&str, &str)],
    ) -> Result<Vec<T>, GatewayError> {
        let rows = self.0.rows_in_pages(table, query, CONTENT_PAGE).await;
        rows.map_err(told)?.into_iter().map(parsed).collect()
    }
}

impl Gateway for Rest {
    async fn state(&self) -> Result<State, GatewayError> {
        let answer = self.0.call("capitalbench_state", &json!({})).await;
        parsed(answer.map_err(told)?)
    }

    async fn apply(&self, delta: &Value) -> Result<Applied, GatewayError> {
        let arguments = json!({"delta": delta});
        let answer = self.0.call("capitalbench_apply", &arguments).await;
        parsed(answer.map_err(told)?)
    }

    fn file_location(&self) -> FileLocation {
        FileLocation::Storage
    }

    async fn upload(&self, files: &RoundFiles) -> Result<(), GatewayError> {
        let (object, packed) = (files.object(), files.packed());
        let done = self.0.upload(BUCKET, &object, &packed).await;
        done.map_err(told)
    }

    async fn discard(&self, objects: &[String]) -> Result<(), GatewayError> {
        self.0.remove(BUCKET, objects).await.map_err(told)
    }
}

impl Source for Rest {
    async fn header(&self) -> Result<Option<Header>, GatewayError> {
        let columns = [("select", "as_of,is_synthetic,parts_sha256,header_sha256")];
        Ok(self.rows("publication", &columns).await?.pop())
    }

    async fn documents(&self) -> Result<Vec<StoredDocument>, GatewayError> {
        let query = [
            (
                "select",
                "part,content_sha256,kind,name,round_id,day,track,set_id,document",
            ),
            ("order", "kind,name"),
        ];
        let rows = self
            .contents("publication_documents", &query)
            .await?
            .into_iter();
        let documents =
            rows.map(|row| StoredDocument::of_row(row).map_err(GatewayError::Unreadable));
        documents.collect()
    }

    async fn files(&self) -> Result<Vec<FilesRow>, GatewayError> {
        let columns = "round_id,sha256,file_count,byte_count,holds_results,object,content_sha256";
        let query = [("select", columns), ("order", "round_id")];
        self.rows("round_files", &query).await
    }

    async fn unpacked(&self, row: &FilesRow) -> Result<Files, ReadError> {
        if let Some(object) = &row.object {
            let packed = self.0.download(BUCKET, object).await.map_err(told)?;
            return Ok(row.unpack(&packed)?);
        }
        let wanted = format!("eq.{}", row.round_id);
        let query = [("select", "content"), ("round_id", wanted.as_str())];
        let rows: Vec<Value> = self.contents("round_files", &query).await?;
        let content = rows.first().and_then(|row| row["content"].as_str());
        let missing = || ReadError::FilesMissing(row.round_id.clone());
        Ok(row.unpack_content(content.ok_or_else(missing)?)?)
    }

    async fn log(&self) -> Result<Vec<LogRow>, GatewayError> {
        let columns = "part,round_id,sha256,file_count,byte_count,holds_results,packed_sha256,\
                       content_sha256";
        let query = [("select", columns), ("order", "part")];
        self.rows("log_files", &query).await
    }

    async fn log_contents(&self, parts: &[&str]) -> Result<Vec<LogContent>, GatewayError> {
        let names: Vec<String> = parts.iter().map(|part| format!("\"{part}\"")).collect();
        let wanted = format!("in.({})", names.join(","));
        let query = [
            ("select", "part,content"),
            ("part", wanted.as_str()),
            ("order", "part"),
        ];
        self.contents("log_files", &query).await
    }
}
