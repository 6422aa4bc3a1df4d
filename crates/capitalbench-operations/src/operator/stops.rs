//! Requests to stop a long operation.

use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::error::Error;

/// Ctrl-C of the operator and SIGTERM of the machine.
#[derive(Debug)]
pub struct Stops {
    interrupt: Signal,
    terminate: Signal,
}

impl Stops {
    pub fn listen() -> Result<Self, Error> {
        let listen = |kind: SignalKind| {
            signal(kind).map_err(|error| {
                Error::new(format!("cannot listen for a request to stop: {error}"))
            })
        };
        Ok(Self {
            interrupt: listen(SignalKind::interrupt())?,
            terminate: listen(SignalKind::terminate())?,
        })
    }

    /// Returns at the next request.
    pub async fn next(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
        }
    }
}
