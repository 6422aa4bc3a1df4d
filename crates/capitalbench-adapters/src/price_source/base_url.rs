//! Addresses of sources: scheme, host, port and path, and nothing that could hold a key.

use crate::http::{AddressFault, REMEDY};

/// Why an address cannot be asked; the address itself is not repeated, it may hold a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BaseUrlError {
    /// Not an address of the web.
    #[error("the base URL must be like https://api.tiingo.com")]
    NotHttp,
    /// More than scheme, host, port and path.
    #[error(
        "the base URL must end with its host or path: no user name, no password, \
         nothing after ? or #; the key is given apart"
    )]
    HoldsMore,
    /// An address of this machine or of a private network.
    #[error("the base URL leads to a private address; {REMEDY}")]
    Private,
    /// A key would be sent for everybody to read.
    #[error("the base URL must begin with https://, or the key would be sent in clear")]
    InClear,
}

impl From<AddressFault> for BaseUrlError {
    fn from(fault: AddressFault) -> Self {
        match fault {
            AddressFault::NotHttp => Self::NotHttp,
            AddressFault::HoldsMore => Self::HoldsMore,
            AddressFault::Private => Self::Private,
            AddressFault::InClear => Self::InClear,
        }
    }
}
