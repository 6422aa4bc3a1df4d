//! Requests → answers: one lookup, headers decided beforehand, counters.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use capitalbench_core::values::ids::Digest;
use hyper::body::Bytes;
use hyper::header::{self, HeaderMap, HeaderValue};
use hyper::http::request::Parts;
use hyper::{Method, Response, StatusCode, Version};
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;

use super::bodies::{Bodies, compressed};
use super::body::Sent;
use super::connections::{HEAD_BYTES, HEADERS};
use super::headers::{is_for_programs, is_text, of_file, secure};
use super::hot::Coding;
use super::stock::{Found, Stock};

pub(super) type Answer = Response<Sent>;

/// What all requests share.
pub(super) struct Server {
    /// Where its pages stand: empty, or a path such as `/leagues/europe`.
    place: String,
    /// The sites of other leagues on this host.
    others: Vec<Server>,
    stock: RwLock<Arc<Stock>>,
    bodies: Bodies,
    /// Questions to the API at a time.
    scans: Semaphore,
    pub(super) counts: Counts,
}

#[derive(Default)]
pub(super) struct Counts {
    found: AtomicU64,
    unchanged: AtomicU64,
    missing: AtomicU64,
    refused: AtomicU64,
    rebuilds: AtomicU64,
    /// Looks at the record.
    pub(super) looks: AtomicU64,
    /// Connections that were closed because their peer has enough of them.
    pub(super) turned_away: AtomicU64,
}

impl Server {
    pub(super) fn new(stock: Stock) -> Self {
        Self {
            place: String::new(),
            others: Vec::new(),
            stock: RwLock::new(Arc::new(stock)),
            bodies: Bodies::default(),
            scans: Semaphore::new(std::thread::available_parallelism().map_or(1, usize::from)),
            counts: Counts::default(),
        }
    }

    /// The same with the sites of other leagues below paths such as `/leagues/europe`.
    pub(super) fn beside(mut self, others: Vec<(String, Stock)>) -> Self {
        let others = others.into_iter().map(|(place, stock)| Self {
            place,
            ..Self::new(stock)
        });
        self.others = others.collect();
        self
    }

    /// All sites: its own, then those of other leagues.
    pub(super) fn sites(&self) -> impl Iterator<Item = &Self> {
        std::iter::once(self).chain(&self.others)
    }

    /// The site that a path asks for, and the path inside it.
    fn site_of<'a>(&self, path: &'a str) -> (&Self, &'a str) {
        let inside = |other: &Self| {
            let rest = path.strip_prefix(other.place.as_str())?;
            rest.starts_with('/').then_some(rest)
        };
        let mut others = self.others.iter();
        let found = others.find_map(|other| Some((other, inside(other)?)));
        found.unwrap_or((self, path))
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
        let counts = &self.counts;
        let metric = |name: &str, kind: &str, values: &[(&str, u64)]| {
            let line =
                |(label, value): &(&str, u64)| format!("capitalbench_{name}{label} {value}\n");
            let lines: String = values.iter().map(line).collect();
            format!("# TYPE capitalbench_{name} {kind}\n{lines}")
        };
        let requests = [
            ("{outcome=\"found\"}", count(&counts.found)),
            ("{outcome=\"unchanged\"}", count(&counts.unchanged)),
            ("{outcome=\"missing\"}", count(&counts.missing)),
            ("{outcome=\"refused\"}", count(&counts.refused)),
        ];
        let rounds = [
            ("{pages=\"rendered\"}", stock.rendered() as u64),
            ("{pages=\"reused\"}", stock.reused as u64),
        ];
        let turned_away = [("", count(&counts.turned_away))];
        [
            metric("requests_total", "counter", &requests),
            metric(
                "rebuilds_total",
                "counter",
                &[("", count(&counts.rebuilds))],
            ),
            metric("looks_total", "counter", &[("", count(&counts.looks))]),
            metric("site_files", "gauge", &[("", stock.count() as u64)]),
            metric("site_rounds", "gauge", &rounds),
            metric("site_bytes", "gauge", &[("", stock.bytes())]),
            metric("connections_refused_total", "counter", &turned_away),
        ]
        .concat()
    }
}

/// The answer to a request.
pub(super) async fn answer(server: &Server, asked: &Parts) -> Answer {
    let (method, path) = (&asked.method, asked.uri.path());
    if !has_host(asked) {
        server.counts.refused.fetch_add(1, Ordering::Relaxed);
        let text = "a request of HTTP/1.1 names one host, in one Host header\n";
        return plain(StatusCode::BAD_REQUEST, text, path);
    }
    let (site, inside) = server.site_of(path);
    if method == Method::OPTIONS && is_for_programs(inside) {
        return preflight(inside);
    }
    if method != Method::GET && method != Method::HEAD {
        server.counts.refused.fetch_add(1, Ordering::Relaxed);
        let mut refused = plain(StatusCode::METHOD_NOT_ALLOWED, "only GET and HEAD\n", path);
        let allow = HeaderValue::from_static("GET, HEAD");
        refused.headers_mut().insert(header::ALLOW, allow);
        return refused;
    }
    let mut answer = found(site, asked, inside).await;
    if *method == Method::HEAD {
        *answer.body_mut() = Sent::Whole(Bytes::new());
    }
    answer
}

/// Whether a request names its host as the protocol wants it: once, and never in two ways that a
/// proxy and this server could read differently.
fn has_host(asked: &Parts) -> bool {
    let mut named = asked.headers.get_all(header::HOST).iter();
    let Some(host) = named.next() else {
        return asked.version < Version::HTTP_11;
    };
    let is_plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"-._~%:[]!$&'()*+;=".contains(byte);
    named.next().is_none() && host.as_bytes().iter().all(is_plain)
}

async fn found(server: &Server, asked: &Parts, path: &str) -> Answer {
    match path {
        "/healthz" => return plain(StatusCode::OK, "ok\n", path),
        "/metrics" => return plain(StatusCode::OK, server.metrics(), path),
        _ => {}
    }
    let stock = server.stock();
    if let Some(file) = stock.find(path) {
        return send(server, &file, asked).await;
    }
    if let Some(rest) = path.strip_prefix("/api/v1")
        && (rest.is_empty() || rest.starts_with('/'))
    {
        let query = asked.uri.query().unwrap_or_default();
        let (status, body) = reply(server, stock, (rest, query)).await;
        let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        return send_made(&server.counts, body.into(), status, &asked.headers);
    }
    if stock.is_folder(path) {
        let mut moved = plain(StatusCode::MOVED_PERMANENTLY, "", path);
        // One slash only: two would name another host.
        let place = format!("{}/{}/", server.place, path.trim_matches('/'));
        if let Ok(place) = HeaderValue::from_str(&place) {
            moved.headers_mut().insert(header::LOCATION, place);
        }
        return moved;
    }
    server.counts.missing.fetch_add(1, Ordering::Relaxed);
    match stock.find("/404.html") {
        Some(page) => {
            let headers = of_file(&page.path, page.kept.digest);
            let head = (StatusCode::NOT_FOUND, headers);
            whole(server, &page, asked, head).await
        }
        None => plain(StatusCode::NOT_FOUND, "not found\n", path),
    }
}

/// What the API says, beside the threads that answer: a question may look through every round.
async fn reply(server: &Server, stock: Arc<Stock>, (rest, query): (&str, &str)) -> (u16, Vec<u8>) {
    let _turn = server.scans.acquire().await;
    let (rest, query) = (rest.to_owned(), query.to_owned());
    let replied = spawn_blocking(move || stock.api.reply(&rest, &query)).await;
    replied.unwrap_or_else(|_| (500, Vec::new()))
}

/// A file of the site, unless the reader has it.
async fn send(server: &Server, file: &Found, asked: &Parts) -> Answer {
    let headers = of_file(&file.path, file.kept.digest);
    if is_known(&asked.headers, headers.get(header::ETAG)) {
        return unchanged(&server.counts, headers);
    }
    server.counts.found.fetch_add(1, Ordering::Relaxed);
    let head = (StatusCode::OK, headers);
    whole(server, file, asked, head).await
}

fn unchanged(counts: &Counts, headers: HeaderMap) -> Answer {
    counts.unchanged.fetch_add(1, Ordering::Relaxed);
    let mut unchanged = Response::new(Sent::Whole(Bytes::new()));
    *unchanged.status_mut() = StatusCode::NOT_MODIFIED;
    *unchanged.headers_mut() = headers;
    unchanged.headers_mut().remove(header::CONTENT_TYPE);
    unchanged
}

async fn whole(
    server: &Server,
    file: &Found,
    asked: &Parts,
    (status, headers): (StatusCode, HeaderMap),
) -> Answer {
    let packed = accepts_gzip(&asked.headers) && is_text(&file.path);
    if let Some((body, coding)) = server.bodies.of(file, packed).await {
        return complete(status, headers, body, coding);
    }
    // Somebody changed it after the site was made; the next look at the rounds shows what it is.
    let text = "this file has just changed; ask again in a few seconds\n";
    let path = format!("/{}", file.path);
    let mut changed = plain(StatusCode::SERVICE_UNAVAILABLE, text, &path);
    let soon = HeaderValue::from_static("5");
    changed.headers_mut().insert(header::RETRY_AFTER, soon);
    changed
}

/// An answer of the API, which is made for every request.
fn send_made(counts: &Counts, body: Bytes, status: StatusCode, asked: &HeaderMap) -> Answer {
    let headers = of_file("api/v1.json", Digest::of(&body));
    match status {
        StatusCode::OK if is_known(asked, headers.get(header::ETAG)) => {
            return unchanged(counts, headers);
        }
        StatusCode::OK => counts.found.fetch_add(1, Ordering::Relaxed),
        StatusCode::NOT_FOUND => counts.missing.fetch_add(1, Ordering::Relaxed),
        _ => counts.refused.fetch_add(1, Ordering::Relaxed),
    };
    let packed = accepts_gzip(asked).then(|| compressed(&body)).flatten();
    match packed {
        Some(packed) => complete(status, headers, Sent::Whole(packed), Coding::Gzip),
        None => complete(status, headers, Sent::Whole(body), Coding::Plain),
    }
}

fn complete(status: StatusCode, mut headers: HeaderMap, body: Sent, coding: Coding) -> Answer {
    headers.insert(header::CONTENT_LENGTH, HeaderValue::from(body.length()));
    if coding == Coding::Gzip {
        headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    }
    let mut response = Response::new(body);
    *response.status_mut() = status;
    *response.headers_mut() = headers;
    response
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
        StatusCode::TOO_MANY_REQUESTS => {
            "your address has too many connections open; close some and ask again\n".to_owned()
        }
        _ => "this is no HTTP/1 request\n".to_owned(),
    };
    let text = Bytes::from(text);
    plain(status, text.clone(), "/").map(|_| text)
}

fn plain(status: StatusCode, text: impl Into<Bytes>, path: &str) -> Answer {
    let text: Bytes = text.into();
    let length = text.len();
    let mut response = Response::new(Sent::Whole(text));
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
    let known = asked.get(header::IF_NONE_MATCH).zip(etag);
    let Some((Ok(known), Ok(etag))) = known.map(|(known, etag)| (known.to_str(), etag.to_str()))
    else {
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
mod tests;
