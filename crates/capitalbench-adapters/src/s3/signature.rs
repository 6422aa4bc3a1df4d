//! The signature of a request (AWS Signature Version 4, in headers, with the digest of the body).

use std::fmt::Write as _;

use hmac::{Hmac, KeyInit as _, Mac as _};
use reqwest::Url;
use sha2::{Digest as _, Sha256};

use super::S3Settings;
use crate::secret::Wiped;

/// Headers that carry the signature.
pub(super) struct Signed {
    pub(super) headers: Vec<(&'static str, Wiped<String>)>,
}

pub(super) fn sign(settings: &S3Settings, method: &str, url: &Url, body: &[u8]) -> Signed {
    let now = (settings.now)().strftime("%Y%m%dT%H%M%SZ").to_string();
    let day = &now[..8];
    let digest = hex(&Sha256::digest(body));
    let host = url.host_str().unwrap_or_default();
    let host = url
        .port()
        .map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"));
    let token = settings
        .session_token
        .as_ref()
        .map(crate::secret::ApiKey::expose);
    let mut told = vec![
        ("host", host.as_str()),
        ("x-amz-content-sha256", digest.as_str()),
        ("x-amz-date", now.as_str()),
    ];
    told.extend(token.map(|token| ("x-amz-security-token", token)));
    let names: Vec<&str> = told.iter().map(|(name, _)| *name).collect();
    let names = names.join(";");
    let mut request = Wiped::new(format!(
        "{method}\n{}\n{}\n",
        url.path(),
        url.query().unwrap_or_default()
    ));
    for (name, value) in &told {
        let _ = writeln!(request, "{name}:{value}");
    }
    let _ = write!(request, "\n{names}\n{digest}");
    let scope = format!("{day}/{}/s3/aws4_request", settings.region);
    let asked = hex(&Sha256::digest(request.as_bytes()));
    let text = format!("AWS4-HMAC-SHA256\n{now}\n{scope}\n{asked}");
    let secret = Wiped::new(format!("AWS4{}", settings.secret_key.expose()));
    let mut key = Wiped::new(mac(secret.as_bytes(), day));
    for part in [settings.region.as_str(), "s3", "aws4_request"] {
        key = Wiped::new(mac(&key, part));
    }
    let signature = hex(&mac(&key, &text));
    let access = &settings.access_key;
    let authorization = format!(
        "AWS4-HMAC-SHA256 Credential={access}/{scope}, SignedHeaders={names}, Signature={signature}"
    );
    let mut headers = vec![
        ("authorization", Wiped::new(authorization)),
        ("x-amz-content-sha256", Wiped::new(digest.clone())),
        ("x-amz-date", Wiped::new(now.clone())),
    ];
    headers.extend(token.map(|token| ("x-amz-security-token", Wiped::new(token.to_owned()))));
    Signed { headers }
}

fn mac(key: &[u8], text: &str) -> Vec<u8> {
    // This code takes a key of any length.
    let mut mac = Hmac::<Sha256>::new_from_slice(key).expect("a key of any length");
    mac.update(text.as_bytes());
    mac.finalize().into_bytes().to_vec()
}

fn hex(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len() * 2);
    for byte in bytes {
        // Writing to a String cannot fail.
        let _ = write!(text, "{byte:02x}");
    }
    text
}

/// A part of a path, or a value of a query, as the signature wants it.
pub(super) fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            escaped.push(char::from(byte));
        } else {
            let _ = write!(escaped, "%{byte:02X}");
        }
    }
    escaped
}

/// A key as the path of a request.
pub(super) fn escaped_path(key: &str) -> String {
    let parts: Vec<String> = key.split('/').map(escaped).collect();
    parts.join("/")
}

#[cfg(test)]
mod tests;
