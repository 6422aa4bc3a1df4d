//! Steps from "the window has closed" to a result, for commands and whatever runs them unattended.

pub(crate) mod anchor;
pub(crate) mod asking;
pub(crate) mod boards;
pub(crate) mod fetch_prices;
pub(crate) mod given_instant;
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

use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::error::CommandError;

/// Runs one future to its end; connections are served while it computes.
pub(crate) fn wait<T>(future: impl Future<Output = T>) -> Result<T, CommandError> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .map_err(|error| CommandError::new(format!("cannot start the network: {error}")))?;
    Ok(runtime.block_on(future))
}

/// Requests to stop: of the operator by Ctrl-C, of the machine by SIGTERM.
pub(crate) struct Stops {
    interrupt: Signal,
    terminate: Signal,
}

impl Stops {
    pub(crate) fn listen() -> Result<Self, CommandError> {
        let listen = |kind: SignalKind| {
            signal(kind).map_err(|error| {
                CommandError::new(format!("cannot listen for a request to stop: {error}"))
            })
        };
        Ok(Self {
            interrupt: listen(SignalKind::interrupt())?,
            terminate: listen(SignalKind::terminate())?,
        })
    }

    /// Ends at the next request.
    pub(crate) async fn next(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
        }
    }
}

/// Ends when the operator or the machine asks to stop.
pub(crate) fn stopped() -> Result<impl Future<Output = ()> + Send + 'static, CommandError> {
    let mut stops = Stops::listen()?;
    Ok(async move { stops.next().await })
}
