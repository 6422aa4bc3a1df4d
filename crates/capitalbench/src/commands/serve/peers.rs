//! How many connections each peer has: whoever takes many leaves places for all others.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};

/// A network address as far as one person usually has it: an address of version 4, or the first half
/// of one of version 6.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Peer {
    Four(u32),
    Six(u64),
}

impl Peer {
    fn of(address: IpAddr) -> Self {
        match address.to_canonical() {
            IpAddr::V4(address) => Self::Four(address.to_bits()),
            IpAddr::V6(address) => {
                let network = address.to_bits() >> 64;
                Self::Six(u64::try_from(network).unwrap_or(u64::MAX))
            }
        }
    }
}

/// All peers that have a connection.
#[derive(Debug)]
pub(super) struct Peers {
    most: usize,
    open: Mutex<BTreeMap<Peer, usize>>,
}

/// The place of one connection; dropping it gives it back.
#[derive(Debug)]
pub(super) struct Seat {
    peers: Arc<Peers>,
    peer: Peer,
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
        let peer = Peer::of(address);
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
mod tests {
    use super::*;

    #[test]
    fn a_peer_has_its_share_and_no_more() {
        let peers = Arc::new(Peers::new(2));
        let enter = |text: &str| peers.enter(text.parse().unwrap());
        let first = enter("192.0.2.1").unwrap();
        let _second = enter("::ffff:192.0.2.1").unwrap();
        assert!(enter("192.0.2.1").is_none());
        assert!(enter("192.0.2.2").is_some());
        drop(first);
        let _third = enter("192.0.2.1").unwrap();
        assert!(enter("192.0.2.1").is_none());
        // One network of version 6 is one peer, however many addresses it has.
        let _six = [
            enter("2001:db8:1:2::1").unwrap(),
            enter("2001:db8:1:2:ffff::9").unwrap(),
        ];
        assert!(enter("2001:db8:1:2:3:4:5:6").is_none());
        assert!(enter("2001:db8:1:3::1").is_some());
        // Who is gone takes no memory.
        assert_eq!(peers.open.lock().unwrap().len(), 2);
    }
}
