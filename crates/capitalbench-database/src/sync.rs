//! Sends what differs, in few requests that each hold as a whole.

use capitalbench_core::values::ids::RoundId;

use crate::delta::{Delta, PartError};
use crate::gateway::{Counts, Gateway, GatewayError};
use crate::migrations::NEEDED;
use crate::requests::Requests;

/// Parts travel together up to this many bytes of JSON.
pub const REQUEST_BYTES: usize = 4 << 20;

/// What is to be brought up to date.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Scope {
    /// One round with what it needs; nothing is removed.
    Round(RoundId),
    /// Every round; nothing is removed, and boards stay as they are.
    Rounds,
    /// Everything, and what is no longer public is removed.
    Whole,
}

/// What a sync did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Synced {
    /// Requests that were sent, the question for the state among them.
    pub requests: usize,
    /// Archives of files that went into the storage.
    pub uploads: usize,
    /// What changed.
    pub counts: Counts,
}

/// Why a sync ended early; what was sent before stays, and the next one goes on from there.
#[derive(Debug, thiserror::Error)]
pub enum SyncError {
    /// The database, or the way to it.
    #[error(transparent)]
    Gateway(#[from] GatewayError),
    /// A part that cannot be made.
    #[error(transparent)]
    Part(#[from] PartError),
}

/// How often a sync looks at the database, because another one has changed it meanwhile.
const LOOKS: usize = 100;

/// Brings a database up to date with a publication in requests of about this many bytes; `tick` is
/// called before parts are made with how many were looked at so far and in all. Files that changed are in
/// the storage before the row that names them, and those before them go once no row does, as does what
/// an earlier sync left there that failed. The server works while the next request is made. When
/// another sync has changed the database meanwhile, be it one that was killed with a request under way,
/// it is looked at again.
///
/// What rounds share comes first and loses nothing, then the log with its edge last, so that what the
/// signed tree promises is there before anybody looks for it, then rounds, then boards and sets, and last
/// everything that goes away, so that no row ever names one that is not there.
pub async fn sync<G: Gateway>(
    gateway: &G,
    delta: &Delta<'_>,
    (scope, bytes): (&Scope, usize),
    tick: &(dyn Fn(usize, usize) + Sync),
) -> Result<Synced, SyncError> {
    let (mut synced, mut looks) = (Synced::default(), 1);
    loop {
        match send_all(gateway, (delta, &mut synced), (scope, bytes), tick).await {
            Err(SyncError::Gateway(error)) if error.is_overtaken() && looks < LOOKS => looks += 1,
            done => return done.map(|()| synced),
        }
    }
}

/// Looks at what is there and sends what differs; refused when somebody else changes it meanwhile.
async fn send_all<G: Gateway>(
    gateway: &G,
    (delta, synced): (&Delta<'_>, &mut Synced),
    (scope, bytes): (&Scope, usize),
    tick: &(dyn Fn(usize, usize) + Sync),
) -> Result<(), SyncError> {
    let state = gateway.state().await?;
    synced.requests += 1;
    let found = state.schema_version.unwrap_or_default();
    if state.format != 1 || found != NEEDED {
        return Err(SyncError::Gateway(GatewayError::OtherSchema {
            found,
            needed: NEEDED,
        }));
    }
    let mut there = state.publication.clone().map(|whole| whole.parts_sha256);
    let mut requests = Requests::new((delta, &state), (scope, gateway.place()), bytes);
    let mut next = requests.next(tick)?;
    while let Some(request) = next {
        synced.requests += 1;
        let sending = request.send(gateway, there.as_deref());
        let (sent, following) = tokio::join!(sending, async { requests.next(tick) });
        let sent = sent?;
        synced.counts += sent.counts;
        there = sent.parts_sha256;
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
