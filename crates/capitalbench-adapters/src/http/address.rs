//! Base URLs from a configuration, checked once where they are read.

use reqwest::Url;

use super::{HttpClient, REMEDY};

/// Whether a key goes with the requests to an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Secrecy {
    /// A key goes with them, so nobody on the way may read them.
    Keyed,
    Open,
}

/// Why a base URL is refused. The message never repeats the URL, because it may hold a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BaseUrlError {
    #[error("the base URL must look like https://host or https://host/path")]
    NotHttp,
    #[error(
        "the base URL must end with its host or path: no user name, no password, nothing after ? \
         or #; set the key in its own variable"
    )]
    HoldsMore,
    #[error("the base URL leads to a private address; {REMEDY}")]
    Private,
    #[error("the base URL must begin with https://, or the key would be sent unencrypted")]
    InClear,
}

/// Refuses a text that no machine could use as a base URL; whether it may be asked depends on the
/// machine that asks.
pub fn check_base_url(text: &str) -> Result<(), BaseUrlError> {
    parsed(text).map(drop)
}

fn parsed(text: &str) -> Result<Url, BaseUrlError> {
    let url = Url::parse(text).map_err(|_| BaseUrlError::NotHttp)?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(BaseUrlError::NotHttp);
    }
    if !is_bare(&url) {
        return Err(BaseUrlError::HoldsMore);
    }
    Ok(url)
}

impl HttpClient {
    /// Parses a base URL of scheme, host, port and path that this client may ask.
    pub(crate) fn base_url(&self, text: &str, secrecy: Secrecy) -> Result<Url, BaseUrlError> {
        let url = parsed(text)?;
        let reach = self.limits.reach;
        if !reach.allows_host(&url) {
            return Err(BaseUrlError::Private);
        }
        let in_clear = url.scheme() == "http" && !reach.trusts_the_way_to(&url);
        if secrecy == Secrecy::Keyed && in_clear {
            return Err(BaseUrlError::InClear);
        }
        Ok(url)
    }
}

/// Whether a URL has only scheme, host, port and path, so that it cannot hold a key.
pub(crate) fn is_bare(url: &Url) -> bool {
    url.username().is_empty()
        && url.password().is_none()
        && url.query().is_none()
        && url.fragment().is_none()
}

/// A base URL with more path segments, each of them escaped.
pub(crate) fn with_path<S: AsRef<str>>(base: &Url, segments: &[S]) -> Url {
    let mut url = base.clone();
    // The path of an http URL can always be extended.
    if let Ok(mut path) = url.path_segments_mut() {
        path.pop_if_empty().extend(segments);
    }
    url
}
