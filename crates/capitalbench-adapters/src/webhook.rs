//! [`Webhook`]: an address that is told what happens in a league.

use std::time::Duration;

use reqwest::header::CONTENT_TYPE;
use reqwest::{Method, Url};

use crate::http::{HttpClient, HttpError, Request};
use crate::secret::ApiKey;

/// Time for one answer.
const TIME_LIMIT: Duration = Duration::from_secs(20);

/// Whoever knows the address can write to its channel, so nothing prints its path.
pub struct Webhook {
    url: Url,
    secret: Option<ApiKey>,
}

impl Webhook {
    /// None unless the text is the address of a web server.
    pub fn new(text: &str) -> Option<Self> {
        let url = Url::parse(text).ok()?;
        let fits = matches!(url.scheme(), "http" | "https") && url.has_host();
        let rest = match url.query() {
            Some(query) => format!("{}?{query}", url.path()),
            None => url.path().to_owned(),
        };
        let secret = ApiKey::new(rest.trim_matches('/').to_owned());
        fits.then_some(Self { url, secret })
    }

    /// Sends a JSON document; any status of success will do.
    pub async fn send(&self, http: &HttpClient, body: Vec<u8>) -> Result<(), HttpError> {
        let request = Request {
            method: Method::POST,
            url: self.url.clone(),
            key: self.secret.as_ref(),
            key_headers: &[],
            headers: &[(CONTENT_TYPE.as_str(), "application/json")],
            body,
            time_limit: Some(TIME_LIMIT),
        };
        let answer = http.send(&request).await?;
        if answer.is_success() {
            return Ok(());
        }
        Err(answer.status_error(self.secret.as_ref()))
    }
}

impl std::fmt::Debug for Webhook {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Webhook(…)")
    }
}

#[cfg(test)]
mod tests;
