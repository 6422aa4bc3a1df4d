//! The site in memory, with everything about each file decided once.

use std::collections::BTreeMap;
use std::io::Write as _;

use axum::body::Bytes;
use axum::http::HeaderValue;
use capitalbench_core::ids::Digest;
use capitalbench_site::Files;
use flate2::Compression;
use flate2::write::GzEncoder;
use rayon::prelude::*;

/// One file, ready to be sent.
pub(super) struct Ready {
    pub(super) body: Bytes,
    /// The same compressed, where that pays.
    pub(super) gzip: Option<Bytes>,
    /// Digest of the body, quoted.
    pub(super) etag: HeaderValue,
    pub(super) kind: HeaderValue,
    pub(super) caching: HeaderValue,
}

/// All files by path, without a leading slash.
pub(super) struct Stock {
    files: BTreeMap<String, Ready>,
    pub(super) bytes: usize,
}

/// Smaller bodies are sent as they are.
const LEAST_GZIP: usize = 600;

impl Stock {
    pub(super) fn new(files: Files) -> Self {
        let bytes = files.values().map(Vec::len).sum();
        let ready = |(path, body): (String, Vec<u8>)| {
            let file = ready(&path, body);
            (path, file)
        };
        let files = files.into_par_iter().map(ready).collect();
        Self { files, bytes }
    }

    /// The file of a path as asked for: a folder means its index.
    pub(super) fn find(&self, path: &str) -> Option<&Ready> {
        let path = path.trim_start_matches('/');
        if path.is_empty() || path.ends_with('/') {
            return self.files.get(&format!("{path}index.html"));
        }
        self.files.get(path)
    }

    /// Whether a path without its slash is a folder with an index.
    pub(super) fn is_folder(&self, path: &str) -> bool {
        let path = path.trim_start_matches('/');
        self.files.contains_key(&format!("{path}/index.html"))
    }

    pub(super) fn count(&self) -> usize {
        self.files.len()
    }
}

fn ready(path: &str, body: Vec<u8>) -> Ready {
    let kind = kind(path);
    let etag = format!("\"{}\"", &Digest::of(&body).to_hex()[..32]);
    let compressed = (is_text(kind) && body.len() >= LEAST_GZIP)
        .then(|| compress(&body))
        .flatten();
    let gzip = compressed.filter(|gzip| gzip.len() < body.len());
    let caching = if path.starts_with("static/") {
        "public, max-age=31536000, immutable"
    } else {
        "public, max-age=60, must-revalidate"
    };
    Ready {
        body: body.into(),
        gzip: gzip.map(Into::into),
        etag: HeaderValue::from_str(&etag).unwrap_or(HeaderValue::from_static("\"\"")),
        kind: HeaderValue::from_static(kind),
        caching: HeaderValue::from_static(caching),
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
