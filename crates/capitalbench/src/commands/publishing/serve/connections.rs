//! Connections: accepted up to a limit, dropped when they are slow, finished when the server stops.

use std::convert::Infallible;
use std::future::Future;
use std::io::{self, Write as _};
use std::net::Shutdown;
use std::sync::atomic::Ordering;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::Builder;
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinSet;

use super::answer::{Server, answer};
use super::first_word::{FirstWord, Read, as_bytes};
use super::peers::Peers;

/// Bytes of a request's head; more is answered with 431.
pub(super) const HEAD_BYTES: usize = 16 * 1024;
/// Headers of a request; more are answered with 431.
pub(super) const HEADERS: usize = 100;

/// Connections at a time, where the system allows as many.
const CONNECTIONS: usize = 4096;
/// Files that may be open beside connections.
const OTHER_FILES: usize = 256;
/// One peer has at most one of so many places.
pub(super) const SHARES: usize = 4;

/// What peers may take of the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Limits {
    /// Connections at a time; further ones wait in the queue of the machine.
    connections: usize,
    /// Connections of one peer at a time; further ones are closed at once.
    of_one_peer: usize,
    /// How long the head of a request may take, and a connection may wait for its next request.
    head_within: Duration,
    /// How long answers under way may take once the server stops.
    finish_within: Duration,
}

impl Limits {
    /// Limits for this process, with a share of each peer that somebody chose.
    pub(super) fn new(of_one_peer: Option<usize>) -> Self {
        let open = std::fs::read_to_string("/proc/self/limits").ok();
        let open = open.as_deref().and_then(most_open_files);
        let connections = places(open);
        Self {
            connections,
            of_one_peer: of_one_peer.unwrap_or(connections.div_ceil(SHARES)),
            head_within: Duration::from_secs(5),
            finish_within: Duration::from_secs(10),
        }
    }
}

/// How many files this process may open, as Linux tells it.
fn most_open_files(limits: &str) -> Option<usize> {
    let line = limits
        .lines()
        .find_map(|line| line.strip_prefix("Max open files"));
    line?.split_whitespace().next()?.parse().ok()
}

/// Connections for which there are files enough; one that cannot be accepted would be tried for ever.
fn places(open: Option<usize>) -> usize {
    let left = open.map_or(CONNECTIONS, |open| open.saturating_sub(OTHER_FILES));
    left.clamp(16, CONNECTIONS)
}

/// What all threads share.
struct Entrance {
    server: Arc<Server>,
    places: Arc<Semaphore>,
    peers: Arc<Peers>,
    limits: Limits,
}

/// Serves on as many threads as there are cores until asked to stop, then lets answers under way
/// finish. A connection stays on its thread: nothing is handed from core to core.
pub(super) async fn accept(
    listener: std::net::TcpListener,
    server: Arc<Server>,
    limits: Limits,
    stop: impl Future<Output = ()>,
) -> io::Result<()> {
    let entrance = Arc::new(Entrance {
        server,
        places: Arc::new(Semaphore::new(limits.connections)),
        peers: Arc::new(Peers::new(limits.of_one_peer)),
        limits,
    });
    let (stopping, stopped) = watch::channel(false);
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    for _ in 0..cores {
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let listener = listener.try_clone()?;
        let entrance = Arc::clone(&entrance);
        let stopped = stopped.clone();
        std::thread::spawn(move || {
            runtime.block_on(thread(listener, entrance, stopped));
        });
    }
    drop((listener, stopped));
    stop.await;
    // Nobody listens when every thread has failed; then there is nothing to finish.
    let _ = stopping.send(true);
    let _ = tokio::time::timeout(limits.finish_within, stopping.closed()).await;
    Ok(())
}

/// One thread: accepts until the server stops, then waits for its own connections.
async fn thread(
    listener: std::net::TcpListener,
    entrance: Arc<Entrance>,
    mut stopped: watch::Receiver<bool>,
) {
    let Ok(listener) = TcpListener::from_std(listener) else {
        return;
    };
    let mut own = JoinSet::new();
    loop {
        let next = async {
            let place = Arc::clone(&entrance.places).acquire_owned().await;
            (listener.accept().await, place)
        };
        let (accepted, place) = tokio::select! {
            _ = stopped.wait_for(|stopped| *stopped) => break,
            Some(_) = own.join_next() => continue,
            next = next => next,
        };
        match accepted {
            Ok((stream, from)) => {
                let server = Arc::clone(&entrance.server);
                let Some(seat) = entrance.peers.enter(from.ip()) else {
                    server.counts.turned_away.fetch_add(1, Ordering::Relaxed);
                    turn_away(stream);
                    continue;
                };
                let (limits, stopped) = (entrance.limits, stopped.clone());
                own.spawn(async move {
                    connection(stream, server, limits, stopped).await;
                    drop((place, seat));
                });
            }
            // Out of descriptors, or a peer that is gone already: others go on.
            Err(_) => tokio::time::sleep(Duration::from_millis(50)).await,
        }
    }
    drop(listener);
    while own.join_next().await.is_some() {}
}

/// Says why and closes, without waiting for anything.
fn turn_away(stream: TcpStream) {
    static ANSWER: LazyLock<Vec<u8>> = LazyLock::new(|| as_bytes(StatusCode::TOO_MANY_REQUESTS));
    let Ok(mut stream) = stream.into_std() else {
        return;
    };
    // A peer that does not take it learns as much from the closed connection.
    let _ = stream.write(&ANSWER);
    let _ = stream.shutdown(Shutdown::Write);
}

async fn connection(
    stream: TcpStream,
    server: Arc<Server>,
    limits: Limits,
    mut stopped: watch::Receiver<bool>,
) {
    // Without it small answers wait for the acknowledgement of the one before.
    let _ = stream.set_nodelay(true);
    let read = Read::default();
    let stream = FirstWord::new(stream, read.clone());
    let answering = service_fn(move |request: Request<Incoming>| {
        read.store(true, Ordering::Relaxed);
        let server = Arc::clone(&server);
        let (asked, _) = request.into_parts();
        async move { Ok::<_, Infallible>(answer(&server, &asked).await) }
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(limits.head_within)
        .max_buf_size(HEAD_BYTES)
        .max_headers(HEADERS)
        .serve_connection(TokioIo::new(stream), answering);
    tokio::pin!(connection);
    // Whatever ends a connection, its peer knows; there is nobody else to tell.
    tokio::select! {
        _ = connection.as_mut() => return,
        _ = stopped.wait_for(|stopped| *stopped) => {}
    }
    connection.as_mut().graceful_shutdown();
    let _ = connection.await;
}

#[cfg(test)]
mod tests;
