//! What everybody may read: [`SiteRound`], the pages of a round on a published site, and [`PublicPlace`].

use reqwest::{Method, Url};

use crate::http::{HttpClient, HttpError, HttpLimits, Request, Secrecy, with_path};

/// The address of a round on a site.
#[derive(Debug, Clone)]
pub struct SiteRound {
    http: HttpClient,
    base: Url,
    round: String,
}

impl SiteRound {
    /// Reads an address such as `https://league.example/rounds/HOUSE-2026-12-07-1W/`; the error says
    /// what is wrong with it.
    pub fn new(http: HttpClient, address: &str) -> Result<Self, String> {
        let wrong = || {
            "must be the address of a round, such as https://league.example/rounds/NAME/".to_owned()
        };
        let (base, rest) = address.rsplit_once("/rounds/").ok_or_else(wrong)?;
        let round = rest.split('/').next().unwrap_or_default().to_owned();
        if round.is_empty() {
            return Err(wrong());
        }
        let base = http.base_url(base, Secrecy::Open);
        let base = base.map_err(|error| error.to_string())?;
        Ok(Self { http, base, round })
    }

    /// The name of the round.
    pub fn round(&self) -> &str {
        &self.round
    }

    /// Fetches a file of the site.
    pub async fn get(&self, path: &str) -> Result<Vec<u8>, HttpError> {
        let segments: Vec<&str> = path.split('/').collect();
        let request = get(with_path(&self.base, &segments));
        let answer = self.http.send(&request).await?;
        if answer.is_success() {
            return Ok(answer.body);
        }
        Err(answer.status_error(None))
    }
}

/// An address below which everybody may read.
#[derive(Debug, Clone)]
pub struct PublicPlace {
    http: HttpClient,
    base: Url,
}

impl PublicPlace {
    /// The error says what is wrong with the address.
    pub fn new(http: HttpClient, address: &str) -> Result<Self, String> {
        let base = http.base_url(address.trim_end_matches('/'), Secrecy::Open);
        let base = base.map_err(|error| error.to_string())?;
        Ok(Self { http, base })
    }

    /// Fetches a file; none where the server has no such file.
    pub async fn get(&self, path: &str) -> Result<Option<Vec<u8>>, HttpError> {
        let segments: Vec<&str> = path.split('/').collect();
        let answer = self
            .http
            .send(&get(with_path(&self.base, &segments)))
            .await?;
        match answer.status {
            404 => Ok(None),
            200 => Ok(Some(answer.body)),
            _ => Err(answer.status_error(None)),
        }
    }
}

/// A request that anybody may make.
fn get(url: Url) -> Request<'static> {
    Request {
        method: Method::GET,
        url,
        key: None,
        key_headers: &[],
        headers: &[],
        body: Vec::new(),
        time_limit: None,
    }
}

/// Fetches a small file below an address that an outsider named, within these limits; none where the
/// server has no such file. Redirects are not followed, and private addresses only where the reach
/// allows them.
pub async fn fetch_small(
    limits: HttpLimits,
    address: &str,
    name: &str,
) -> Result<Option<Vec<u8>>, String> {
    let http = HttpClient::new(limits).map_err(|error| error.to_string())?;
    let place = PublicPlace::new(http, address)?;
    place.get(name).await.map_err(|error| error.to_string())
}
