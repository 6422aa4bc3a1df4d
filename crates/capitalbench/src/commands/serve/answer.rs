//! Requests → answers: one lookup, fixed headers, counters.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{
    HeaderMap, HeaderName, HeaderValue, Method, Request, Response, StatusCode, header,
};

use super::stock::{Ready, Stock};

/// No script or style but our own, nothing from elsewhere, nobody frames a page but as an embed.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
                      connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";
/// The same for what is made to be embedded.
const EMBED_POLICY: &str = "default-src 'none'; style-src 'self'; img-src 'self' data:; base-uri 'none'; frame-ancestors *";

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

    fn stock(&self) -> Arc<Stock> {
        let stock = self.stock.read().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(&stock)
    }

    fn metrics(&self) -> String {
        let stock = self.stock();
        let count = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let lines = [
            (
                "requests_total{outcome=\"found\"}",
                count(&self.counts.found),
            ),
            (
                "requests_total{outcome=\"unchanged\"}",
                count(&self.counts.unchanged),
            ),
            (
                "requests_total{outcome=\"missing\"}",
                count(&self.counts.missing),
            ),
            (
                "requests_total{outcome=\"refused\"}",
                count(&self.counts.refused),
            ),
            ("rebuilds_total", count(&self.counts.rebuilds)),
            ("site_files", stock.count() as u64),
            ("site_bytes", stock.bytes as u64),
        ];
        lines
            .map(|(name, value)| format!("capitalbench_{name} {value}\n"))
            .concat()
    }
}

/// The one route.
pub(super) fn router(server: Arc<Server>) -> Router {
    Router::new().fallback(answer).with_state(server)
}

async fn answer(State(server): State<Arc<Server>>, request: Request<Body>) -> Response<Body> {
    let (method, path) = (request.method(), request.uri().path());
    if method != Method::GET && method != Method::HEAD {
        server.counts.refused.fetch_add(1, Ordering::Relaxed);
        let mut refused = plain(StatusCode::METHOD_NOT_ALLOWED, "only GET and HEAD\n");
        let allow = HeaderValue::from_static("GET, HEAD");
        refused.headers_mut().insert(header::ALLOW, allow);
        return refused;
    }
    match path {
        "/healthz" => return plain(StatusCode::OK, "ok\n"),
        "/metrics" => return plain(StatusCode::OK, server.metrics()),
        _ => {}
    }
    let stock = server.stock();
    if let Some(file) = stock.find(path) {
        return send(&server.counts, file, path, request.headers(), method);
    }
    if stock.is_folder(path) {
        let mut moved = plain(StatusCode::MOVED_PERMANENTLY, "");
        if let Ok(place) = HeaderValue::from_str(&format!("{path}/")) {
            moved.headers_mut().insert(header::LOCATION, place);
        }
        return moved;
    }
    server.counts.missing.fetch_add(1, Ordering::Relaxed);
    match stock.find("/404.html") {
        Some(page) => {
            let mut missing = whole(page, path, request.headers(), method);
            *missing.status_mut() = StatusCode::NOT_FOUND;
            missing
        }
        None => plain(StatusCode::NOT_FOUND, "not found\n"),
    }
}

fn send(
    counts: &Counts,
    file: &Ready,
    path: &str,
    asked: &HeaderMap,
    method: &Method,
) -> Response<Body> {
    if is_known(asked, &file.etag) {
        counts.unchanged.fetch_add(1, Ordering::Relaxed);
        let mut unchanged = Response::new(Body::empty());
        *unchanged.status_mut() = StatusCode::NOT_MODIFIED;
        describe(unchanged.headers_mut(), file, path);
        return unchanged;
    }
    counts.found.fetch_add(1, Ordering::Relaxed);
    whole(file, path, asked, method)
}

fn whole(file: &Ready, path: &str, asked: &HeaderMap, method: &Method) -> Response<Body> {
    let gzip = file.gzip.as_ref().filter(|_| accepts_gzip(asked));
    let body: &Bytes = gzip.unwrap_or(&file.body);
    let length = body.len();
    let mut response = Response::new(if method == Method::HEAD {
        Body::empty()
    } else {
        Body::from(body.clone())
    });
    let headers = response.headers_mut();
    describe(headers, file, path);
    headers.insert(header::CONTENT_LENGTH, HeaderValue::from(length));
    headers.insert(header::CONTENT_TYPE, file.kind.clone());
    if gzip.is_some() {
        headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    }
    response
}

fn describe(headers: &mut HeaderMap, file: &Ready, path: &str) {
    headers.insert(header::ETAG, file.etag.clone());
    headers.insert(header::CACHE_CONTROL, file.caching.clone());
    headers.insert(header::VARY, HeaderValue::from_static("accept-encoding"));
    secure(headers, path);
}

/// Headers that every answer carries.
fn secure(headers: &mut HeaderMap, path: &str) {
    let embed = path.starts_with("/embed/");
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
    if path.starts_with("/data/") || path.contains("/files/") || path.starts_with("/api/") {
        let any = HeaderValue::from_static("*");
        headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, any);
    }
}

fn plain(status: StatusCode, text: impl Into<Body>) -> Response<Body> {
    let mut response = Response::new(text.into());
    *response.status_mut() = status;
    let headers = response.headers_mut();
    let kind = HeaderValue::from_static("text/plain; charset=utf-8");
    headers.insert(header::CONTENT_TYPE, kind);
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    secure(headers, "");
    response
}

fn is_known(asked: &HeaderMap, etag: &HeaderValue) -> bool {
    let known = asked
        .get(header::IF_NONE_MATCH)
        .and_then(|value| value.to_str().ok());
    let Some((known, etag)) = known.zip(etag.to_str().ok()) else {
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
            named && !words.any(|word| word == "q=0" || word == "q=0.0")
        })
    })
}
