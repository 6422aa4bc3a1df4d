use std::io::{ErrorKind, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener as StdListener, TcpStream as StdStream};
use std::path::Path;

use capitalbench_archive::public::public_record::publication;
use tokio::sync::oneshot;
use tokio::task::{JoinHandle, spawn_blocking};

use super::*;
use crate::commands::publishing::serve::stock::Stock;

/// Long enough that no test waits for it.
const NEVER: Duration = Duration::from_hours(1);
const REQUEST: &[u8] = b"GET /healthz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n";

/// A site without pages under these limits: where it is, what stops it, and its end.
fn start(limits: Limits) -> (SocketAddr, oneshot::Sender<()>, JoinHandle<io::Result<()>>) {
    let rounds = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/rounds");
    let as_of = "2030-01-01T00:00:00Z".parse().unwrap();
    let publication = publication(&rounds, as_of, &|| ()).unwrap();
    let stock = Stock::of_pages(&[], publication);
    let listener = StdListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let address = listener.local_addr().unwrap();
    let (stop, stopped) = oneshot::channel();
    let stopped = async move {
        let _ = stopped.await;
    };
    let server = Arc::new(Server::new(stock));
    let serving = tokio::spawn(accept(listener, server, limits, stopped));
    (address, stop, serving)
}

fn whole(mut stream: StdStream) -> String {
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

#[test]
fn limits_match_the_documentation() {
    let limits = Limits {
        connections: places(None),
        ..Limits::new(None)
    };
    let document = include_str!("../../../../../../../docs/limits.md");
    for line in [
        format!(
            "| connections at a time | {},{:03} |",
            limits.connections / 1000,
            limits.connections % 1000
        ),
        format!("| connections of one address at a time | 1 of {SHARES} |"),
        format!("between requests | {} s |", limits.head_within.as_secs()),
        format!("when it stops | {} s |", limits.finish_within.as_secs()),
        format!("| head of a request | {} KiB |", HEAD_BYTES / 1024),
        format!("| headers of a request | {HEADERS} |"),
    ] {
        assert!(document.contains(&line), "no {line:?} in docs/limits.md");
    }
}

#[tokio::test]
async fn a_connection_beyond_the_limit_waits() {
    let limits = Limits {
        connections: 2,
        of_one_peer: 9,
        head_within: NEVER,
        finish_within: NEVER,
    };
    let (address, _stop, _serving) = start(limits);
    spawn_blocking(move || {
        let mut held = [
            StdStream::connect(address).unwrap(),
            StdStream::connect(address).unwrap(),
        ];
        for stream in &mut held {
            stream.write_all(b"GET /healthz HTTP/1.1\r\n").unwrap();
        }
        // Both were heard once both could answer; then nobody is left for a third.
        for stream in &mut held {
            stream.write_all(b"host: x\r\n\r\n").unwrap();
            let mut first = [0; 12];
            stream.read_exact(&mut first).unwrap();
            assert_eq!(&first, b"HTTP/1.1 200");
        }
        let mut third = StdStream::connect(address).unwrap();
        third.write_all(REQUEST).unwrap();
        third
            .set_read_timeout(Some(Duration::from_millis(200)))
            .unwrap();
        let nothing = third.read(&mut [0]).unwrap_err().kind();
        assert!(matches!(
            nothing,
            ErrorKind::WouldBlock | ErrorKind::TimedOut
        ));
        third.set_read_timeout(None).unwrap();
        drop(held);
        assert!(whole(third).starts_with("HTTP/1.1 200"));
    })
    .await
    .unwrap();
}

#[tokio::test]
async fn an_unfinished_request_head_times_out() {
    let limits = Limits {
        head_within: Duration::from_millis(50),
        ..Limits::new(None)
    };
    let (address, _stop, _serving) = start(limits);
    spawn_blocking(move || {
        let mut stream = StdStream::connect(address).unwrap();
        stream.write_all(b"GET / HTTP/1.1\r\nhost: ").unwrap();
        let told = whole(stream);
        assert!(
            told.is_empty() || told.starts_with("HTTP/1.1 408"),
            "{told}"
        );
        let mut silent = StdStream::connect(address).unwrap();
        silent
            .write_all(b"GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n")
            .unwrap();
        // Answered, kept open for a next request, and closed when none came.
        assert!(whole(silent).starts_with("HTTP/1.1 200"));
    })
    .await
    .unwrap();
}

#[tokio::test]
async fn a_stopping_server_cuts_off_connections_that_do_not_end() {
    let limits = Limits {
        head_within: NEVER,
        finish_within: Duration::from_millis(50),
        ..Limits::new(None)
    };
    let (address, stop, serving) = start(limits);
    let mut stream = StdStream::connect(address).unwrap();
    stream.write_all(b"GET / HTTP/1.1\r\nhost: ").unwrap();
    stop.send(()).unwrap();
    serving.await.unwrap().unwrap();
}

/// A connection that comes from an address of this machine of our choice.
async fn connect_from(source: [u8; 4], to: SocketAddr) -> StdStream {
    let socket = tokio::net::TcpSocket::new_v4().unwrap();
    socket.bind(SocketAddr::from((source, 0))).unwrap();
    let stream = socket.connect(to).await.unwrap();
    let stream = stream.into_std().unwrap();
    stream.set_nonblocking(false).unwrap();
    stream
}

#[tokio::test]
async fn one_peer_cannot_take_all_places() {
    let limits = Limits {
        connections: 40,
        of_one_peer: 10,
        head_within: NEVER,
        finish_within: NEVER,
    };
    let (address, _stop, _serving) = start(limits);
    let mut held = Vec::new();
    for _ in 0..200 {
        let mut stream = connect_from([127, 0, 0, 1], address).await;
        // Those that are turned away may be closed already.
        let _ = stream.write_all(b"GET /healthz HTTP/1.1\r\nhost: ");
        held.push(stream);
    }
    let mut other = connect_from([127, 0, 0, 2], address).await;
    spawn_blocking(move || {
        other.write_all(REQUEST).unwrap();
        assert!(whole(other).starts_with("HTTP/1.1 200"));
        // Ten are held; all others were told why they were closed, or only closed.
        let mut waiting = 0;
        for mut stream in held {
            stream
                .set_read_timeout(Some(Duration::from_millis(20)))
                .unwrap();
            let mut told = [0; 12];
            match stream.read(&mut told) {
                Ok(0) => {}
                Ok(_) => assert_eq!(&told, b"HTTP/1.1 429"),
                Err(error) if error.kind() == ErrorKind::ConnectionReset => {}
                Err(_) => waiting += 1,
            }
        }
        assert_eq!(waiting, 10);
    })
    .await
    .unwrap();
}

#[test]
fn places_follow_the_files_that_may_be_open() {
    let told = "Limit   Soft Limit  Hard Limit  Units\nMax open files            1024                 524288               files\n";
    assert_eq!(most_open_files(told), Some(1024));
    assert_eq!(
        most_open_files("Max open files   unlimited unlimited files"),
        None
    );
    for (open, expected) in [
        (None, 4096),
        (Some(100_000), 4096),
        (Some(1024), 768),
        (Some(20), 16),
    ] {
        assert_eq!(places(open), expected, "{open:?}");
    }
}
