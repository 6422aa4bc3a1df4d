//! Addresses of sources: scheme, host, port and path, and nothing that could hold a key.

use reqwest::Url;

use crate::http::{HttpClient, REMEDY, is_bare};

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
}

pub(super) fn parse_base_url(http: &HttpClient, text: &str) -> Result<Url, BaseUrlError> {
    let url = Url::parse(text).map_err(|_| BaseUrlError::NotHttp)?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(BaseUrlError::NotHttp);
    }
    if !is_bare(&url) {
        return Err(BaseUrlError::HoldsMore);
    }
    if !http.reaches(&url) {
        return Err(BaseUrlError::Private);
    }
    Ok(url)
}
