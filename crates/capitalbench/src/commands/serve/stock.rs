//! The site in memory, with everything about each file decided once.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::sync::{Arc, OnceLock};

use capitalbench_core::ids::{Digest, RoundId};
use capitalbench_core::publication::Publication;
use capitalbench_site::machine::api::Api;
use capitalbench_site::{Family, Rendered};
use flate2::Compression;
use flate2::write::GzEncoder;
use hyper::body::Bytes;
use hyper::header::{self, HeaderMap, HeaderValue};
use rayon::prelude::*;

use super::answer::secure;

/// One file, ready to be sent.
pub(super) struct Ready {
    pub(super) body: Bytes,
    /// Everything but length and encoding.
    pub(super) headers: HeaderMap,
    is_text: bool,
    /// The same compressed, where that pays; made when somebody first asks.
    gzip: OnceLock<Option<Bytes>>,
}

impl Ready {
    /// Digest of the body, quoted.
    pub(super) fn etag(&self) -> Option<&HeaderValue> {
        self.headers.get(header::ETAG)
    }

    /// The compressed body.
    pub(super) fn gzip(&self) -> Option<&Bytes> {
        if !self.is_text || self.body.len() < LEAST_GZIP {
            return None;
        }
        let made = self.gzip.get_or_init(|| {
            let gzip = compress(&self.body)?;
            (gzip.len() < self.body.len()).then(|| gzip.into())
        });
        made.as_ref()
    }
}

/// All files by path, without a leading slash, and the publication they were made from.
pub(super) struct Stock {
    files: BTreeMap<String, Arc<Ready>>,
    /// What a later site may take over.
    pub(super) families: BTreeMap<RoundId, Family>,
    /// Rounds whose pages were taken over from the site before.
    pub(super) reused: usize,
    pub(super) bytes: usize,
    pub(super) api: Api,
}

/// Smaller bodies are sent as they are.
const LEAST_GZIP: usize = 600;

impl Stock {
    pub(super) fn new(site: Rendered, publication: Publication, before: Option<&Self>) -> Self {
        let bytes = site.files.values().map(Bytes::len).sum();
        let ready = |(path, body): (String, Bytes)| {
            let known = before.and_then(|before| before.files.get(&path));
            let file = match known {
                Some(known) if known.body == body => Arc::clone(known),
                _ => Arc::new(ready(&path, body)),
            };
            (path, file)
        };
        let files = site.files.into_par_iter().map(ready).collect();
        Self {
            files,
            families: site.families,
            reused: site.reused,
            bytes,
            api: Api::new(publication),
        }
    }

    /// What the site was made from.
    pub(super) fn publication(&self) -> &Publication {
        self.api.publication()
    }

    /// The file of a path as asked for: a folder means its index.
    pub(super) fn find(&self, path: &str) -> Option<&Ready> {
        let path = path.strip_prefix('/')?;
        if path.is_empty() || path.ends_with('/') {
            return self
                .files
                .get(&format!("{path}index.html"))
                .map(AsRef::as_ref);
        }
        self.files.get(path).map(AsRef::as_ref)
    }

    /// Whether a path without its slash is a folder with an index.
    pub(super) fn is_folder(&self, path: &str) -> bool {
        let path = path.trim_start_matches('/');
        !path.is_empty() && self.files.contains_key(&format!("{path}/index.html"))
    }

    /// Rounds whose pages were rendered for this site.
    pub(super) fn rendered(&self) -> usize {
        self.families.len() - self.reused
    }

    pub(super) fn count(&self) -> usize {
        self.files.len()
    }
}

/// Decides everything about a file.
pub(super) fn ready(path: &str, body: Bytes) -> Ready {
    let kind = kind(path);
    let etag = format!("\"{}\"", &Digest::of(&body).to_hex()[..32]);
    let caching = if path.starts_with("static/") {
        "public, max-age=3600"
    } else {
        "public, max-age=60, must-revalidate"
    };
    let mut headers = HeaderMap::with_capacity(16);
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    if let Ok(etag) = HeaderValue::from_str(&etag) {
        headers.insert(header::ETAG, etag);
    }
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static(caching));
    headers.insert(header::VARY, HeaderValue::from_static("accept-encoding"));
    secure(&mut headers, path);
    Ready {
        body,
        headers,
        is_text: is_text(kind),
        gzip: OnceLock::new(),
    }
}

fn compress(body: &[u8]) -> Option<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::new(6));
    encoder.write_all(body).ok()?;
    encoder.finish().ok()
}

fn is_text(kind: &str) -> bool {
    kind.starts_with("text/")
        || ["json", "xml", "javascript", "svg"]
            .iter()
            .any(|part| kind.contains(part))
}

fn kind(path: &str) -> &'static str {
    let end = path.rsplit_once('.').map_or("", |(_, end)| end);
    // Files of rounds are never run or rendered, whatever they hold.
    if path.contains("/files/") {
        return match end {
            "json" => "application/json",
            "csv" => "text/csv; charset=utf-8",
            "html" if path.ends_with("/files/index.html") => "text/html; charset=utf-8",
            _ => "text/plain; charset=utf-8",
        };
    }
    if let Some(path) = path.strip_prefix("log/") {
        return match end {
            _ if path.starts_with("tile/") => "application/octet-stream",
            "tsq" => "application/timestamp-query",
            "tsr" => "application/timestamp-reply",
            "ots" => "application/octet-stream",
            "json" => "application/json",
            _ => "text/plain; charset=utf-8",
        };
    }
    match end {
        "html" => "text/html; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "json" => "application/json",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "ico" => "image/x-icon",
        "csv" => "text/csv; charset=utf-8",
        "xml" => "application/xml",
        "atom" => "application/atom+xml",
        "ics" => "text/calendar; charset=utf-8",
        "parquet" => "application/vnd.apache.parquet",
        "webmanifest" => "application/manifest+json",
        "zst" | "gz" => "application/octet-stream",
        _ => "text/plain; charset=utf-8",
    }
}
