//! Requests → answers: one lookup, headers decided beforehand, counters.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use http_body_util::Full;
use hyper::body::Bytes;
use hyper::header::{self, HeaderMap, HeaderName, HeaderValue};
use hyper::{Method, Request, Response, StatusCode};

use super::connections::{HEAD_BYTES, HEADERS};
use super::stock::{Ready, Stock, ready};

/// No script or style but our own, nothing from elsewhere, nobody frames a page but as an embed.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
                      connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";
/// The same for what is made to be embedded.
const EMBED_POLICY: &str = "default-src 'none'; style-src 'self'; img-src 'self' data:; base-uri 'none'; frame-ancestors *";

pub(super) type Answer = Response<Full<Bytes>>;

/// What all requests share.
pub(super) struct Server {
    stock: RwLock<Arc<Stock>>,
    counts: Counts,
}

#[derive(Default)]
struct Counts {
    found: AtomicU64,
    unchanged: AtomicU64,
    missing: AtomicU64,
    refused: AtomicU64,
    rebuilds: AtomicU64,
}

impl Server {
    pub(super) fn new(stock: Stock) -> Self {
        Self {
            stock: RwLock::new(Arc::new(stock)),
            counts: Counts::default(),
        }
    }

    /// Puts a new site in the place of the old one; requests under way finish with the old one.
    pub(super) fn replace(&self, stock: Stock) {
        let mut current = self.stock.write().unwrap_or_else(PoisonError::into_inner);
        *current = Arc::new(stock);
        self.counts.rebuilds.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn stock(&self) -> Arc<Stock> {
        let stock = self.stock.read().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(&stock)
    }

    fn metrics(&self) -> String {
        let stock = self.stock();
        let count = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let outcome = |word: &str, counter: &AtomicU64| {
            let value = count(counter);
            format!("capitalbench_requests_total{{outcome=\"{word}\"}} {value}\n")
        };
        [
            "# TYPE capitalbench_requests_total counter\n".to_owned(),
            outcome("found", &self.counts.found),
            outcome("unchanged", &self.counts.unchanged),
            outcome("missing", &self.counts.missing),
            outcome("refused", &self.counts.refused),
            format!(
                "# TYPE capitalbench_rebuilds_total counter\ncapitalbench_rebuilds_total {}\n",
                count(&self.counts.rebuilds)
            ),
            format!(
                "# TYPE capitalbench_site_files gauge\ncapitalbench_site_files {}\n",
                stock.count()
            ),
            format!(
                "# TYPE capitalbench_site_rounds gauge\n\
                 capitalbench_site_rounds{{pages=\"rendered\"}} {}\n\
                 capitalbench_site_rounds{{pages=\"reused\"}} {}\n",
                stock.rendered(),
                stock.reused
            ),
            format!(
                "# TYPE capitalbench_site_bytes gauge\ncapitalbench_site_bytes {}\n",
                stock.bytes
            ),
        ]
        .concat()
    }
}

/// The answer to a request.
pub(super) fn answer<B>(server: &Server, request: &Request<B>) -> Answer {
    let (method, path) = (request.method(), request.uri().path());
    let for_programs = is_for_programs(path);
    if method == Method::OPTIONS && for_programs {
        return preflight(path);
    }
    if method != Method::GET && method != Method::HEAD {
        server.counts.refused.fetch_add(1, Ordering::Relaxed);
        let mut refused = plain(StatusCode::METHOD_NOT_ALLOWED, "only GET and HEAD\n", path);
        let allow = HeaderValue::from_static("GET, HEAD");
        refused.headers_mut().insert(header::ALLOW, allow);
        return refused;
    }
    let mut answer = found(server, request, path);
    if *method == Method::HEAD {
        *answer.body_mut() = Full::default();
    }
    answer
}

fn found<B>(server: &Server, request: &Request<B>, path: &str) -> Answer {
    match path {
        "/healthz" => return plain(StatusCode::OK, "ok\n", path),
        "/metrics" => return plain(StatusCode::OK, server.metrics(), path),
        _ => {}
    }
    let stock = server.stock();
    if let Some(file) = stock.find(path) {
        return send(&server.counts, file, request.headers());
    }
    if let Some(rest) = path.strip_prefix("/api/v1")
        && (rest.is_empty() || rest.starts_with('/'))
    {
        let query = request.uri().query().unwrap_or_default();
        let (status, body) = stock.api.reply(rest, query);
        let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let file = ready("api/v1.json", body.into());
        if status == StatusCode::OK {
            return send(&server.counts, &file, request.headers());
        }
        let counter = match status {
            StatusCode::NOT_FOUND => &server.counts.missing,
            _ => &server.counts.refused,
        };
        counter.fetch_add(1, Ordering::Relaxed);
        return whole(&file, request.headers(), status);
    }
    if stock.is_folder(path) {
        let mut moved = plain(StatusCode::MOVED_PERMANENTLY, "", path);
        // One slash only: two would name another host.
        let place = format!("/{}/", path.trim_matches('/'));
        if let Ok(place) = HeaderValue::from_str(&place) {
            moved.headers_mut().insert(header::LOCATION, place);
        }
        return moved;
    }
    server.counts.missing.fetch_add(1, Ordering::Relaxed);
    match stock.find("/404.html") {
        Some(page) => whole(page, request.headers(), StatusCode::NOT_FOUND),
        None => plain(StatusCode::NOT_FOUND, "not found\n", path),
    }
}

fn send(counts: &Counts, file: &Ready, asked: &HeaderMap) -> Answer {
    if is_known(asked, file.etag()) {
        counts.unchanged.fetch_add(1, Ordering::Relaxed);
        let mut unchanged = Response::new(Full::default());
        *unchanged.status_mut() = StatusCode::NOT_MODIFIED;
        *unchanged.headers_mut() = file.headers.clone();
        unchanged.headers_mut().remove(header::CONTENT_TYPE);
        return unchanged;
    }
    counts.found.fetch_add(1, Ordering::Relaxed);
    whole(file, asked, StatusCode::OK)
}

fn whole(file: &Ready, asked: &HeaderMap, status: StatusCode) -> Answer {
    let gzip = accepts_gzip(asked).then(|| file.gzip()).flatten();
    let body: &Bytes = gzip.unwrap_or(&file.body);
    let mut response = Response::new(Full::new(body.clone()));
    *response.status_mut() = status;
    *response.headers_mut() = file.headers.clone();
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_LENGTH, HeaderValue::from(body.len()));
    if gzip.is_some() {
        headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    }
    response
}

fn is_for_programs(path: &str) -> bool {
    let path = path.trim_start_matches('/');
    path.starts_with("data/") || path.contains("/files/") || path.starts_with("api/")
}

/// Headers that every answer carries.
pub(super) fn secure(headers: &mut HeaderMap, path: &str) {
    let embed = path.trim_start_matches('/').starts_with("embed/");
    let policy = if embed { EMBED_POLICY } else { POLICY };
    let fixed: [(HeaderName, &'static str); 5] = [
        (header::CONTENT_SECURITY_POLICY, policy),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (
            HeaderName::from_static("cross-origin-opener-policy"),
            "same-origin",
        ),
        (
            HeaderName::from_static("permissions-policy"),
            "camera=(), geolocation=(), microphone=()",
        ),
    ];
    for (name, value) in fixed {
        headers.insert(name, HeaderValue::from_static(value));
    }
    // Data is for everybody's programs.
    if is_for_programs(path) {
        let any = HeaderValue::from_static("*");
        headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, any);
        let seen = HeaderValue::from_static("etag");
        headers.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, seen);
    }
}

fn preflight(path: &str) -> Answer {
    let mut allowed = plain(StatusCode::NO_CONTENT, "", path);
    let headers = allowed.headers_mut();
    headers.remove(header::CONTENT_TYPE);
    let methods = HeaderValue::from_static("GET, HEAD");
    headers.insert(header::ACCESS_CONTROL_ALLOW_METHODS, methods);
    let asked = HeaderValue::from_static("if-none-match");
    headers.insert(header::ACCESS_CONTROL_ALLOW_HEADERS, asked);
    allowed
}

/// The answer to bytes that are no request.
pub(super) fn refusal(status: StatusCode) -> Response<Bytes> {
    let text = match status {
        StatusCode::URI_TOO_LONG => "the address is too long\n".to_owned(),
        StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE => format!(
            "the head of the request is too large; at most {HEAD_BYTES} bytes and {HEADERS} headers\n"
        ),
        _ => "this is no HTTP/1 request\n".to_owned(),
    };
    let text = Bytes::from(text);
    plain(status, text.clone(), "/").map(|_| text)
}

fn plain(status: StatusCode, text: impl Into<Bytes>, path: &str) -> Answer {
    let text: Bytes = text.into();
    let length = text.len();
    let mut response = Response::new(Full::new(text));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    let kind = HeaderValue::from_static("text/plain; charset=utf-8");
    headers.insert(header::CONTENT_TYPE, kind);
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    if status != StatusCode::NO_CONTENT {
        headers.insert(header::CONTENT_LENGTH, HeaderValue::from(length));
    }
    secure(headers, path);
    response
}

fn is_known(asked: &HeaderMap, etag: Option<&HeaderValue>) -> bool {
    let known = asked
        .get(header::IF_NONE_MATCH)
        .and_then(|value| value.to_str().ok());
    let etag = etag.and_then(|etag| etag.to_str().ok());
    let Some((known, etag)) = known.zip(etag) else {
        return false;
    };
    known.split(',').any(|tag| {
        let tag = tag.trim().trim_start_matches("W/");
        tag == etag || tag == "*"
    })
}

fn accepts_gzip(asked: &HeaderMap) -> bool {
    let accepted = asked
        .get(header::ACCEPT_ENCODING)
        .and_then(|value| value.to_str().ok());
    accepted.is_some_and(|accepted| {
        accepted.split(',').any(|part| {
            let mut words = part.split(';').map(str::trim);
            let named = words
                .next()
                .is_some_and(|name| name.eq_ignore_ascii_case("gzip"));
            let refused = |word: &str| {
                let share = word.strip_prefix("q=").and_then(|q| q.parse::<f64>().ok());
                share.is_some_and(|share| share <= 0.0)
            };
            named && !words.any(refused)
        })
    })
}

#[cfg(test)]
#[path = "answer_tests.rs"]
mod tests;
