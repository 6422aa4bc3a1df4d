//! [`Direct`]: a database reached by its own protocol.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use rustls::{ClientConfig, RootCertStore, crypto::ring};
use secrecy::{ExposeSecret as _, SecretString};
use serde::de::DeserializeOwned;
use serde_json::Value;
use tokio_postgres::config::SslMode;
use tokio_postgres::types::{ToSql, Type};
use tokio_postgres::{Client, Config, NoTls, Row};
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::gateway::{Applied, FileLocation, Gateway, GatewayError, State};
use crate::round_files::RoundFiles;

/// How long a server may be silent before the connection is tested.
const PATIENCE: Duration = Duration::from_secs(10);

/// An address with user and password; it cannot be printed or serialised.
#[derive(Clone)]
pub struct DatabaseUrl(SecretString);

impl DatabaseUrl {
    /// Reads an address like `postgresql://user:password@host/database`.
    pub fn new(text: String) -> Option<Self> {
        let url = SecretString::from(text);
        url.expose_secret().parse::<Config>().ok()?;
        Some(Self(url))
    }
}

impl fmt::Debug for DatabaseUrl {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("DatabaseUrl(…)")
    }
}

/// An open connection.
pub struct Direct {
    client: Client,
}

impl fmt::Debug for Direct {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Direct")
    }
}

impl Direct {
    /// Connects, encrypted if the server can; `sslmode=require` in the address makes encryption a must.
    pub async fn connect(url: &DatabaseUrl) -> Result<Self, GatewayError> {
        let unreachable = |error: tokio_postgres::Error| match error.as_db_error() {
            Some(_) => refused(&error),
            None => GatewayError::Unreachable(in_words(&error)),
        };
        let mut config: Config = url.0.expose_secret().parse().map_err(unreachable)?;
        config
            .application_name("capitalbench")
            .connect_timeout(PATIENCE)
            .keepalives_idle(PATIENCE)
            .tcp_user_timeout(PATIENCE * 3);
        let client = if config.get_ssl_mode() == SslMode::Disable {
            let (client, connection) = config.connect(NoTls).await.map_err(unreachable)?;
            tokio::spawn(connection);
            client
        } else {
            let tls = tls_config().map_err(|e| GatewayError::Unreachable(e.to_string()))?;
            let tls = MakeRustlsConnect::new(tls);
            let (client, connection) = config.connect(tls).await.map_err(unreachable)?;
            tokio::spawn(connection);
            client
        };
        Ok(Self { client })
    }

    /// Connects with the rights of `anon`, whatever rights the address has.
    pub async fn connect_as_public(url: &DatabaseUrl) -> Result<Self, GatewayError> {
        let direct = Self::connect(url).await?;
        let statement = "set default_transaction_read_only = on; set role anon";
        let done = direct.client.batch_execute(statement).await;
        done.map_err(|error| refused(&error))?;
        Ok(direct)
    }

    /// The connection itself, for migrations and checks.
    pub fn client(&mut self) -> &mut Client {
        &mut self.client
    }

    /// Runs a statement that returns one JSON value.
    pub(crate) async fn ask<T: DeserializeOwned>(
        &self,
        statement: &str,
        values: &[&(dyn ToSql + Sync)],
    ) -> Result<T, GatewayError> {
        one(self.ask_all(statement, values).await?)
    }

    /// Runs a statement that returns JSON values.
    pub(crate) async fn ask_all<T: DeserializeOwned>(
        &self,
        statement: &str,
        values: &[&(dyn ToSql + Sync)],
    ) -> Result<Vec<T>, GatewayError> {
        answers(self.client.query(statement, values).await)
    }
}

fn answers<T: DeserializeOwned>(
    rows: Result<Vec<Row>, tokio_postgres::Error>,
) -> Result<Vec<T>, GatewayError> {
    let read = |row: &Row| {
        let answer: Option<Value> = row
            .try_get(0)
            .map_err(|error| GatewayError::Unreadable(in_words(&error)))?;
        serde_json::from_value(answer.unwrap_or_default())
            .map_err(|error| GatewayError::Unreadable(error.to_string()))
    };
    rows.map_err(|error| refused(&error))?
        .iter()
        .map(read)
        .collect()
}

fn one<T>(mut answers: Vec<T>) -> Result<T, GatewayError> {
    let answer = answers.pop();
    answer.ok_or_else(|| GatewayError::Unreadable("it has no row".into()))
}

impl Gateway for Direct {
    async fn state(&self) -> Result<State, GatewayError> {
        self.ask("select public.capitalbench_state()", &[]).await
    }

    async fn apply(&self, delta: &Value) -> Result<Applied, GatewayError> {
        // Naming the value's type saves a round trip in which the driver would ask for it, and the request
        // is on its way while the next one is made.
        let statement = "select public.capitalbench_apply($1)";
        let values: &[(&(dyn ToSql + Sync), Type)] = &[(delta, Type::JSONB)];
        let rows = self.client.query_typed(statement, values).await;
        one(answers(rows)?)
    }

    fn file_location(&self) -> FileLocation {
        FileLocation::Rows
    }

    async fn upload(&self, _files: &RoundFiles) -> Result<(), GatewayError> {
        Ok(())
    }

    async fn discard(&self, _objects: &[String]) -> Result<(), GatewayError> {
        Ok(())
    }
}

/// The server's refusal, without the statement that was sent.
pub(crate) fn refused(error: &tokio_postgres::Error) -> GatewayError {
    match error.as_db_error() {
        Some(said) => {
            let message = match said.detail() {
                Some(detail) => format!("{}: {detail}", said.message()),
                None => said.message().to_owned(),
            };
            GatewayError::refused(Some(said.code().code().to_owned()), message)
        }
        None => GatewayError::Unreachable(in_words(error)),
    }
}

/// An error with its causes.
fn in_words(error: &tokio_postgres::Error) -> String {
    let mut text = error.to_string();
    let mut cause = std::error::Error::source(error);
    while let Some(inner) = cause {
        text = format!("{text}: {inner}");
        cause = inner.source();
    }
    text
}

fn tls_config() -> Result<ClientConfig, rustls::Error> {
    let roots: RootCertStore = webpki_roots::TLS_SERVER_ROOTS.iter().cloned().collect();
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()?
        .with_root_certificates(roots)
        .with_no_client_auth();
    Ok(config)
}

#[cfg(test)]
mod tests;
