//! Addresses that somebody configured: looked at once, where they are read.

use reqwest::Url;

use super::HttpClient;

/// Whether a key goes with the questions to an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Secrecy {
    /// A key, which nobody on the way may read.
    Keyed,
    /// Nothing secret.
    Open,
}

/// Why an address cannot be asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AddressFault {
    /// Not an address of the web.
    NotHttp,
    /// More than scheme, host, port and path.
    HoldsMore,
    /// An address of this machine or of a private network, or one that is never asked.
    Private,
    /// A key would be sent for everybody to read.
    InClear,
}

impl HttpClient {
    /// Reads an address: scheme, host, port and path, and nothing that could hold a key.
    pub(crate) fn address(&self, text: &str, secrecy: Secrecy) -> Result<Url, AddressFault> {
        let url = Url::parse(text).map_err(|_| AddressFault::NotHttp)?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(AddressFault::NotHttp);
        }
        if !is_bare(&url) {
            return Err(AddressFault::HoldsMore);
        }
        let reach = self.limits.reach;
        if !reach.allows_host(&url) {
            return Err(AddressFault::Private);
        }
        let in_clear = url.scheme() == "http" && !reach.trusts_the_way_to(&url);
        if secrecy == Secrecy::Keyed && in_clear {
            return Err(AddressFault::InClear);
        }
        Ok(url)
    }
}

/// Whether an address is only scheme, host, port and path, so that it cannot hold a key.
pub(crate) fn is_bare(url: &Url) -> bool {
    url.username().is_empty()
        && url.password().is_none()
        && url.query().is_none()
        && url.fragment().is_none()
}
