//! Connections: accepted up to a limit, dropped when they are slow, finished when the server stops.

use std::convert::Infallible;
use std::future::Future;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::Builder;
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinSet;

use super::answer::{Server, answer};
use super::first_word::{FirstWord, Read};
use super::patience::Patient;

/// Bytes of a request's head; more is answered with 431.
pub(super) const HEAD_BYTES: usize = 16 * 1024;
/// Headers of a request; more are answered with 431.
pub(super) const HEADERS: usize = 100;

/// What peers may take of the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Limits {
    /// Connections at a time; further ones wait in the queue of the machine.
    connections: usize,
    /// How long the head of a request may take, and a connection may wait for its next request.
    head_within: Duration,
    /// How long answers under way may take once the server stops.
    finish_within: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connections: 4096,
            head_within: Duration::from_secs(15),
            finish_within: Duration::from_secs(10),
        }
    }
}

/// Serves on as many threads as there are cores until asked to stop, then lets answers under way
/// finish. A connection stays on its thread: nothing is handed from core to core.
pub(super) async fn accept(
    listener: std::net::TcpListener,
    server: Arc<Server>,
    limits: Limits,
    stop: impl Future<Output = ()>,
) -> io::Result<()> {
    let places = Arc::new(Semaphore::new(limits.connections));
    let (stopping, stopped) = watch::channel(false);
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    for _ in 0..cores {
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let listener = listener.try_clone()?;
        let (server, places) = (Arc::clone(&server), Arc::clone(&places));
        let stopped = stopped.clone();
        std::thread::spawn(move || {
            runtime.block_on(thread(listener, server, (places, limits), stopped));
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
    server: Arc<Server>,
    (places, limits): (Arc<Semaphore>, Limits),
    mut stopped: watch::Receiver<bool>,
) {
    let Ok(listener) = TcpListener::from_std(listener) else {
        return;
    };
    let mut own = JoinSet::new();
    loop {
        let next = async {
            let place = Arc::clone(&places).acquire_owned().await;
            (listener.accept().await, place)
        };
        let (accepted, place) = tokio::select! {
            _ = stopped.wait_for(|stopped| *stopped) => break,
            Some(_) = own.join_next() => continue,
            next = next => next,
        };
        match accepted {
            Ok((stream, _)) => {
                let (server, stopped) = (Arc::clone(&server), stopped.clone());
                own.spawn(async move {
                    connection(stream, server, limits, stopped).await;
                    drop(place);
                });
            }
            // Out of descriptors, or a peer that is gone already: others go on.
            Err(_) => tokio::time::sleep(Duration::from_millis(50)).await,
        }
    }
    drop(listener);
    while own.join_next().await.is_some() {}
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
    let stream = FirstWord::new(Patient::new(stream), read.clone());
    let answering = service_fn(move |request| {
        read.set();
        let server = Arc::clone(&server);
        async move { Ok::<_, Infallible>(answer(&server, &request)) }
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
#[path = "connections_tests.rs"]
mod tests;
