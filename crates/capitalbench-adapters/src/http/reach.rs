//! [`Reach`]: which addresses of the network may be asked.
//!
//! A configured address may be a mistake or a trap: a name that leads to this machine, to its
//! neighbours, or to the address where clouds hand out credentials. A host written as a number is
//! checked when a source is opened. A host name is checked when it is resolved, just before the
//! connection that uses the result.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, ToSocketAddrs as _};

use reqwest::Url;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};

/// Which addresses may be asked. Link-local addresses, where clouds keep credentials, are always
/// refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Reach {
    /// Only addresses of the public network.
    #[default]
    Public,
    /// Also this machine and private networks, for servers that the operator runs.
    Local,
}

impl Reach {
    pub fn allows(self, address: IpAddr) -> bool {
        match kind(address) {
            Kind::Public => true,
            Kind::Private => self == Self::Local,
            Kind::Never => false,
        }
    }

    /// Whether the host of a URL may be asked, judged by its text alone.
    pub(crate) fn allows_host(self, url: &Url) -> bool {
        let host = url.host_str().unwrap_or_default();
        let bare = host.trim_start_matches('[').trim_end_matches(']');
        match bare.parse() {
            Ok(address) => self.allows(address),
            Err(_) => self == Self::Local || !is_own_name(host),
        }
    }

    /// Whether requests to a host stay on networks of the operator, judged by its text alone: it is
    /// a private address or a name for one, and the operator allows those.
    pub(crate) fn trusts_the_way_to(self, url: &Url) -> bool {
        let host = url.host_str().unwrap_or_default();
        let bare = host.trim_start_matches('[').trim_end_matches(']');
        let host = host.trim_end_matches('.').to_ascii_lowercase();
        let own = match bare.parse() {
            Ok(address) => matches!(kind(address), Kind::Private),
            Err(_) => !host.contains('.') || OWN_ENDINGS.iter().any(|end| host.ends_with(end)),
        };
        self == Self::Local && own
    }
}

/// Endings of names that public name servers never resolve.
const OWN_ENDINGS: [&str; 5] = [".localhost", ".local", ".internal", ".lan", ".home.arpa"];

enum Kind {
    Public,
    Private,
    Never,
}

fn kind(address: IpAddr) -> Kind {
    match address.to_canonical() {
        IpAddr::V4(address) => kind_v4(address),
        IpAddr::V6(address) => kind_v6(address),
    }
}

fn kind_v4(address: Ipv4Addr) -> Kind {
    let [first, second, ..] = address.octets();
    let shared = first == 100 && second & 0xc0 == 64;
    let documentation_or_benchmark =
        address.is_documentation() || first == 198 && second & 0xfe == 18;
    if address.is_link_local() || address.is_multicast() || first == 0 || first >= 240 {
        Kind::Never
    } else if address.is_loopback() || address.is_private() || shared || documentation_or_benchmark
    {
        Kind::Private
    } else {
        Kind::Public
    }
}

fn kind_v6(address: Ipv6Addr) -> Kind {
    let [first, second, ..] = address.segments();
    if address.is_loopback() || address.is_unique_local() {
        Kind::Private
    } else if address.is_unspecified() || address.is_unicast_link_local() || address.is_multicast()
    {
        Kind::Never
    } else if (first, second) == (0x64, 0xff9b) {
        // This prefix (NAT64) wraps an IPv4 address, so the wrapped address decides.
        let octets = address.octets();
        kind_v4(Ipv4Addr::new(
            octets[12], octets[13], octets[14], octets[15],
        ))
    } else if (0x2000..0x4000).contains(&first) {
        Kind::Public
    } else {
        Kind::Never
    }
}

fn is_own_name(host: &str) -> bool {
    let host = host.trim_end_matches('.').to_ascii_lowercase();
    host == "localhost" || host.ends_with(".localhost")
}

/// Resolves a name to the addresses that may be asked, and fails if all of them are refused.
#[derive(Debug, Clone, Copy)]
pub(super) struct Resolver(pub(super) Reach);

impl Resolve for Resolver {
    fn resolve(&self, name: Name) -> Resolving {
        let reach = self.0;
        Box::pin(async move {
            let asked = name.as_str().to_owned();
            let looking = move || (asked.as_str(), 0).to_socket_addrs();
            let found = tokio::task::spawn_blocking(looking).await??;
            let found = allowed(reach, name.as_str(), found.collect())?;
            Ok(Box::new(found.into_iter()) as Addrs)
        })
    }
}

fn allowed(reach: Reach, name: &str, found: Vec<SocketAddr>) -> io::Result<Vec<SocketAddr>> {
    let some = !found.is_empty();
    let mut kept = found;
    kept.retain(|address| reach.allows(address.ip()));
    if some && kept.is_empty() {
        let text = format!("{name} leads only to private addresses; {REMEDY}");
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, text));
    }
    Ok(kept)
}

/// Tells the operator how to allow a private address.
pub(crate) const REMEDY: &str = "for a server of your own set CAPITALBENCH_ALLOW_PRIVATE_ADDRESSES=1, \
                                 or metadata: {local: true} for one model";

#[cfg(test)]
mod tests;
