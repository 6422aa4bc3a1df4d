//! Steps from "the window has closed" to a result, for commands and whatever runs them unattended.

pub(crate) mod anchor;
pub(crate) mod asking;
pub(crate) mod boards;
pub(crate) mod fetch_prices;
pub(crate) mod held_round;
pub(crate) mod promise;
pub(crate) mod public_store;
pub(crate) mod record;
pub(crate) mod report;
pub(crate) mod resolve;
pub(crate) mod rest;
pub(crate) mod score;
pub(crate) mod shared_jobs;
pub(crate) mod stamped_picks;

use crate::error::CommandError;

/// Runs one future to its end.
pub(crate) fn wait<T>(future: impl Future<Output = T>) -> Result<T, CommandError> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| CommandError::new(format!("cannot start the network: {error}")))?;
    Ok(runtime.block_on(future))
}

/// Ends when the operator or the machine asks to stop.
pub(crate) fn stopped() -> Result<impl Future<Output = ()> + Send + 'static, CommandError> {
    use tokio::signal::unix::{SignalKind, signal};
    let fault = |error: std::io::Error| CommandError::new(error.to_string());
    let mut interrupt = signal(SignalKind::interrupt()).map_err(fault)?;
    let mut terminate = signal(SignalKind::terminate()).map_err(fault)?;
    Ok(async move {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
    })
}
