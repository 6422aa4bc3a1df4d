//! The chosen price source, and a way to wait for it.

use capitalbench_adapters::http::{HttpClient, HttpLimits};
use capitalbench_adapters::price_source::{CsvFolder, PriceSource, Tiingo};

use crate::cli::{Source, SourceChoice};
use crate::config::Environment;
use crate::error::CommandError;

const KEY: &str = "TIINGO_API_KEY";
const BASE_URL: &str = "TIINGO_BASE_URL";

/// Builds the source that was asked for.
pub(super) fn open(choice: &SourceChoice) -> Result<Box<dyn PriceSource>, CommandError> {
    match (choice.source, &choice.histories) {
        (Source::Csv, Some(folder)) if folder.is_dir() => Ok(Box::new(CsvFolder::new(folder))),
        (Source::Csv, folder) => {
            let folder = folder.clone().unwrap_or_default();
            let text = format!("--histories {}: there is no such folder", folder.display());
            Err(CommandError::new(text))
        }
        (Source::Tiingo, _) => {
            let environment = Environment::load()?;
            let key = environment.key(KEY).map_err(|error| {
                error.or_hint("or use --source csv --histories DIR for prices on disk")
            })?;
            let http = HttpClient::new(HttpLimits::default())
                .map_err(|error| CommandError::new(error.to_string()))?;
            let base_url = environment.get(BASE_URL);
            let base_url = base_url.as_deref().unwrap_or(Tiingo::DEFAULT_BASE_URL);
            let source = Tiingo::new(http, base_url, key)
                .map_err(|error| CommandError::new(format!("{BASE_URL}: {error}")))?;
            Ok(Box::new(source))
        }
    }
}

/// Runs one future to its end.
pub(super) fn wait<T>(future: impl Future<Output = T>) -> Result<T, CommandError> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| CommandError::new(format!("cannot start the network: {error}")))?;
    Ok(runtime.block_on(future))
}
