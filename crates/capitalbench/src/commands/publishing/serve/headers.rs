//! The headers of an answer, by the path that was asked for.

use capitalbench_core::values::ids::Digest;
use hyper::header::{self, HeaderMap, HeaderValue};

/// No script or style but our own, nothing from elsewhere, nobody frames a page but as an embed.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
                      connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";
/// The same for what is made to be embedded.
const EMBED_POLICY: &str = "default-src 'none'; style-src 'self'; img-src 'self' data:; base-uri 'none'; frame-ancestors *";
/// What a browser offers to pages; ours copy a block of code to the clipboard and use nothing else. A
/// name that a browser does not know is a complaint on its console, so those that only some know are
/// left out.
const PERMISSIONS: &str = "accelerometer=(), autoplay=(), camera=(), clipboard-read=(), clipboard-write=(self), \
     compute-pressure=(), cross-origin-isolated=(), display-capture=(), encrypted-media=(), fullscreen=(), \
     gamepad=(), geolocation=(), gyroscope=(), hid=(), identity-credentials-get=(), idle-detection=(), \
     keyboard-map=(), local-fonts=(), magnetometer=(), microphone=(), midi=(), otp-credentials=(), payment=(), \
     picture-in-picture=(), publickey-credentials-create=(), publickey-credentials-get=(), screen-wake-lock=(), \
     serial=(), storage-access=(), sync-xhr=(), usb=(), window-management=(), xr-spatial-tracking=()";

/// What readers of feeds and calendars fetch from pages of their own.
const FEEDS: [&str; 4] = ["feed.atom", "feed.json", "calendar.ics", "openapi.json"];

/// Data, files of rounds, feeds and the API: for everybody's programs.
pub(super) fn is_for_programs(path: &str) -> bool {
    let path = path.trim_start_matches('/');
    path.starts_with("data/")
        || path.contains("/files/")
        || path.starts_with("api/")
        || FEEDS.contains(&path)
}

/// What stands on other people's pages or is read by their programs.
fn is_for_others(path: &str) -> bool {
    let inside = path.trim_start_matches('/');
    let shown = ["embed/", "badge/", "share/", "log/"];
    is_for_programs(path) || shown.iter().any(|folder| inside.starts_with(folder))
}

/// Headers that every answer carries.
pub(super) fn secure(headers: &mut HeaderMap, path: &str) {
    let embed = path.trim_start_matches('/').starts_with("embed/");
    let policy = if embed { EMBED_POLICY } else { POLICY };
    let readers = if is_for_others(path) {
        "cross-origin"
    } else {
        "same-origin"
    };
    let fixed = [
        ("content-security-policy", policy),
        ("x-content-type-options", "nosniff"),
        ("referrer-policy", "no-referrer"),
        ("cross-origin-opener-policy", "same-origin"),
        ("cross-origin-embedder-policy", "require-corp"),
        ("cross-origin-resource-policy", readers),
        ("permissions-policy", PERMISSIONS),
    ];
    for (name, value) in fixed {
        headers.insert(name, HeaderValue::from_static(value));
    }
    if is_for_programs(path) {
        let any = HeaderValue::from_static("*");
        headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, any);
        let seen = HeaderValue::from_static("etag");
        headers.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, seen);
    }
}

/// Everything about a file but length and encoding.
pub(super) fn of_file(path: &str, digest: Digest) -> HeaderMap {
    let caching = if path.starts_with("static/") {
        "public, max-age=3600"
    } else {
        "public, max-age=60, must-revalidate"
    };
    let mut headers = HeaderMap::with_capacity(20);
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(kind(path)));
    let etag = format!("\"{}\"", &digest.to_hex()[..32]);
    if let Ok(etag) = HeaderValue::from_str(&etag) {
        headers.insert(header::ETAG, etag);
    }
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static(caching));
    headers.insert(header::VARY, HeaderValue::from_static("accept-encoding"));
    secure(&mut headers, path);
    headers
}

/// Whether compressing what lies at a path can pay.
pub(super) fn is_text(path: &str) -> bool {
    let kind = kind(path);
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
