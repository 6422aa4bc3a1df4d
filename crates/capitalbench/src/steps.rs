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
pub(crate) mod score;
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
