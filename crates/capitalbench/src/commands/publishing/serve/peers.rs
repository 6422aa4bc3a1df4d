//! How many connections each peer has: whoever takes many leaves places for all others.

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Arc, Mutex, PoisonError};

/// A network address as far as one person usually has it: an address of version 4, or the first half
/// of one of version 6.
fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V4(address) => address.into(),
        IpAddr::V6(address) => Ipv6Addr::from_bits(address.to_bits() >> 64 << 64).into(),
    }
}

/// All peers that have a connection.
#[derive(Debug)]
pub(super) struct Peers {
    most: usize,
    open: Mutex<BTreeMap<IpAddr, usize>>,
}

/// The place of one connection; dropping it gives it back.
#[derive(Debug)]
pub(super) struct Seat {
    peers: Arc<Peers>,
    peer: IpAddr,
}

impl Peers {
    pub(super) fn new(most: usize) -> Self {
        Self {
            most,
            open: Mutex::default(),
        }
    }

    /// A place for one connection more; none when the peer has its share.
    pub(super) fn enter(self: &Arc<Self>, address: IpAddr) -> Option<Seat> {
        let peer = network(address);
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let count = open.entry(peer).or_default();
        if *count >= self.most {
            return None;
        }
        *count += 1;
        Some(Seat {
            peers: Arc::clone(self),
            peer,
        })
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        let mut open = self
            .peers
            .open
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = open.get_mut(&self.peer) {
            *count -= 1;
            if *count == 0 {
                open.remove(&self.peer);
            }
        }
    }
}

#[cfg(test)]
mod tests;
