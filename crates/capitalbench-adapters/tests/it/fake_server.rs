//! A server on the loopback that says exactly what it is told, and remembers what it was asked.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// The longest a connection waits for its question, and a test for a question.
const PATIENCE: Duration = Duration::from_secs(20);

/// What the server does with one connection after it has read the question.
#[derive(Debug, Clone)]
pub(crate) struct Reply {
    bytes: Vec<u8>,
    ending: Ending,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ending {
    Close,
    /// Stay silent until the server is stopped.
    Hang,
    /// Send a space now and then until the server is stopped.
    Drip,
}

impl Reply {
    /// Exactly these bytes, then the end.
    pub(crate) fn raw(bytes: impl Into<Vec<u8>>) -> Self {
        Self {
            bytes: bytes.into(),
            ending: Ending::Close,
        }
    }

    /// A complete answer of a content type; more header lines may be given.
    pub(crate) fn new(status: &str, content_type: &str, headers: &[&str], body: &[u8]) -> Self {
        let more: String = headers.iter().flat_map(|line| [*line, "\r\n"]).collect();
        let head = format!(
            "HTTP/1.1 {status}\r\nContent-Type: {content_type}\r\n{more}\
             Content-Length: {}\r\nConnection: close\r\n\r\n",
            body.len()
        );
        Self::raw([head.as_bytes(), body].concat())
    }

    /// Success with JSON.
    pub(crate) fn json(body: &str) -> Self {
        Self::new("200 OK", "application/json", &[], body.as_bytes())
    }

    /// A status with JSON.
    pub(crate) fn status(status: &str, body: &str) -> Self {
        Self::new(status, "application/json", &[], body.as_bytes())
    }

    /// The same, without its last bytes.
    pub(crate) fn cut(mut self, missing: usize) -> Self {
        let end = self.bytes.len() - missing;
        self.bytes.truncate(end);
        self
    }

    /// The same, followed by one more byte now and then.
    pub(crate) fn then_drip(mut self) -> Self {
        self.ending = Ending::Drip;
        self
    }

    /// The same, followed by silence.
    pub(crate) fn then_hang(mut self) -> Self {
        self.ending = Ending::Hang;
        self
    }
}

/// What the server has heard, and whether it ends.
#[derive(Default)]
struct State {
    questions: Vec<String>,
    stopping: bool,
}

/// The state and the news that it changed.
#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("no panic in a server")
    }

    fn change(&self, change: impl FnOnce(&mut State)) {
        change(&mut self.lock());
        self.changed.notify_all();
    }

    /// Waits for a state, this long at most; whether it came.
    fn wait(&self, at_most: Duration, holds: impl Fn(&State) -> bool) -> bool {
        let waited = self
            .changed
            .wait_timeout_while(self.lock(), at_most, |state| !holds(state));
        !waited.expect("no panic in a server").1.timed_out()
    }
}

/// The server; it stops when dropped.
pub(crate) struct FakeServer {
    address: SocketAddr,
    shared: Arc<Shared>,
    accepting: Option<JoinHandle<()>>,
}

impl FakeServer {
    /// Gives the replies in turn, the last one again and again.
    pub(crate) fn start(replies: Vec<Reply>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = listener.local_addr().expect("its address");
        let shared = Arc::new(Shared::default());
        let accepting = thread::spawn({
            let shared = Arc::clone(&shared);
            move || accept(&listener, &replies, &shared)
        });
        Self {
            address,
            shared,
            accepting: Some(accepting),
        }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// All questions so far, head and body.
    pub(crate) fn questions(&self) -> Vec<String> {
        self.shared.lock().questions.clone()
    }

    /// Waits for the first question; a call that ran out of time may end before it is heard.
    pub(crate) fn wait_for_question(&self) {
        let heard = self
            .shared
            .wait(PATIENCE, |state| !state.questions.is_empty());
        assert!(heard, "no question came");
    }
}

impl Drop for FakeServer {
    fn drop(&mut self) {
        self.shared.change(|state| state.stopping = true);
        // A last connection wakes the listener.
        drop(TcpStream::connect(self.address));
        if let Some(accepting) = self.accepting.take() {
            drop(accepting.join());
        }
    }
}

fn accept(listener: &TcpListener, replies: &[Reply], shared: &Arc<Shared>) {
    let mut connections = Vec::new();
    for stream in listener.incoming() {
        if shared.lock().stopping {
            break;
        }
        let Ok(stream) = stream else { continue };
        let reply = replies.get(connections.len()).or(replies.last()).cloned();
        let shared = Arc::clone(shared);
        connections.push(thread::spawn(move || {
            let dripping = reply.as_ref().is_some_and(|it| it.ending == Ending::Drip);
            let open = serve(stream, reply, &shared);
            let pace = Duration::from_millis(if dripping { 2 } else { 60_000 });
            while let Some(mut stream) = open.as_ref()
                && !shared.wait(pace, |state| state.stopping)
            {
                if dripping && stream.write_all(b" ").is_err() {
                    break;
                }
            }
        }));
    }
    for connection in connections {
        drop(connection.join());
    }
}

/// Reads the question and replies; returns the connection if it must be held open.
fn serve(mut stream: TcpStream, reply: Option<Reply>, shared: &Shared) -> Option<TcpStream> {
    stream.set_read_timeout(Some(PATIENCE)).ok()?;
    let mut question = Vec::new();
    let mut buffer = [0; 4096];
    // Not every client speaks HTTP in the clear: a TLS greeting gets its reply at once.
    while !is_complete(&question) && question.first() != Some(&0x16) {
        match stream.read(&mut buffer) {
            Ok(0) | Err(_) => break,
            Ok(length) => question.extend_from_slice(&buffer[..length]),
        }
    }
    let question = String::from_utf8_lossy(&question).into_owned();
    shared.change(|state| state.questions.push(question));
    let reply = reply?;
    // A client that has seen enough may close first; what it makes of the rest is its affair.
    stream.write_all(&reply.bytes).ok()?;
    (reply.ending != Ending::Close).then_some(stream)
}

/// Whether the head of a question is there and as much of a body as it announces.
fn is_complete(question: &[u8]) -> bool {
    let Some(end) = question.windows(4).position(|four| four == b"\r\n\r\n") else {
        return false;
    };
    let head = String::from_utf8_lossy(&question[..end]).to_lowercase();
    let announced = head
        .lines()
        .find_map(|line| line.strip_prefix("content-length:"))
        .and_then(|length| length.trim().parse::<usize>().ok());
    question.len() >= end + 4 + announced.unwrap_or(0)
}
