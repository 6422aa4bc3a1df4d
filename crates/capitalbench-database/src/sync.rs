//! Sends the differences in few requests, each applied completely or not at all.

use capitalbench_core::values::ids::RoundId;

use crate::delta::{Delta, PartError};
use crate::gateway::{Counts, Gateway, GatewayError};
use crate::migrations::NEEDED;
use crate::requests::Requests;

/// Parts share a request up to this many bytes of JSON.
pub const REQUEST_BYTES: usize = 4 << 20;

/// What a sync brings up to date.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Scope {
    /// One round and the rows it refers to; nothing is removed.
    Round(RoundId),
    /// Every round; nothing is removed, and boards stay as they are.
    Rounds,
    /// Everything; rows that are no longer public are removed.
    Whole,
}

/// What a sync did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Synced {
    /// The number of requests, including those that read the state.
    pub requests: usize,
    /// The number of uploaded archives.
    pub uploads: usize,
    pub counts: Counts,
}

/// Why a sync ended early. What was sent stays, and the next sync continues from there.
#[derive(Debug, thiserror::Error)]
pub enum SyncError {
    #[error(transparent)]
    Gateway(#[from] GatewayError),
    #[error(transparent)]
    Part(#[from] PartError),
}

/// How often a sync reads the state of the database, because another sync has changed it meanwhile.
const MOST_STARTS: usize = 100;

/// Brings a database up to date with a publication in requests of about `bytes` bytes. `tick` is called
/// with the number of parts compared so far and in all.
///
/// Changed files are in the storage before the row that names them. The files they replace, and those
/// that a failed sync left behind, are removed once no row names them. The server applies one request
/// while the next is made. If another sync changes the database meanwhile, even one that was killed
/// with a request on its way, the state is read again.
///
/// Shared rows come first and remove nothing. The log follows with its edge last, so that everything the
/// signed tree promises is there before a reader looks for it. Then come rounds, boards and sets, and last
/// all removals, so that no row ever refers to a missing one.
pub async fn sync<G: Gateway>(
    gateway: &G,
    delta: &Delta<'_>,
    scope: &Scope,
    bytes: usize,
    tick: &(dyn Fn(usize, usize) + Sync),
) -> Result<Synced, SyncError> {
    let sync = Sending {
        gateway,
        delta,
        scope,
        bytes,
        tick,
    };
    let mut synced = Synced::default();
    for _ in 1..MOST_STARTS {
        match sync.send_all(&mut synced).await {
            Err(SyncError::Gateway(error)) if error.is_overtaken() => {}
            done => return done.map(|()| synced),
        }
    }
    sync.send_all(&mut synced).await.map(|()| synced)
}

/// The arguments of [`sync`].
struct Sending<'a, G> {
    gateway: &'a G,
    delta: &'a Delta<'a>,
    scope: &'a Scope,
    bytes: usize,
    tick: &'a (dyn Fn(usize, usize) + Sync),
}

impl<G: Gateway> Sending<'_, G> {
    /// Reads the state and sends the differences; fails as overtaken if somebody else writes meanwhile.
    async fn send_all(&self, synced: &mut Synced) -> Result<(), SyncError> {
        let gateway = self.gateway;
        let state = gateway.state().await?;
        synced.requests += 1;
        let found = state.schema_version.unwrap_or_default();
        if state.format != 1 || found != NEEDED {
            return Err(SyncError::Gateway(GatewayError::OtherSchema {
                found,
                needed: NEEDED,
            }));
        }
        let mut parts = state.publication.clone().map(|whole| whole.parts_sha256);
        let location = gateway.file_location();
        let mut requests = Requests::new(self.delta, &state, self.scope, location, self.bytes);
        let mut next = requests.next(self.tick)?;
        while let Some(request) = next {
            synced.requests += 1;
            let sending = request.send(gateway, parts.as_deref());
            let (sent, following) = tokio::join!(sending, async { requests.next(self.tick) });
            let sent = sent?;
            synced.counts += sent.counts;
            parts = sent.parts_sha256;
            next = following?;
        }
        synced.uploads += requests.uploads();
        let unnamed = requests.into_unnamed();
        if !unnamed.is_empty() {
            gateway.discard(&unnamed).await?;
            synced.requests += 1;
        }
        Ok(())
    }
}
