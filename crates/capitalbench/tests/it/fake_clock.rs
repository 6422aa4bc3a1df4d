//! Outside clocks on the loopback: a real time stamp authority, a calendar, and ones that err.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use capitalbench_proof::timestamp::Question;
use jiff::Timestamp;

use capitalbench_testing::authority::{Authority, digest_of};

/// How the clock behaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Manner {
    /// As it should.
    True,
    /// It stamps something else.
    OtherHash,
    /// It answers another question.
    OtherNonce,
    /// It says this instant.
    At(Timestamp),
    /// It is busy at first, for so many questions.
    Busy(usize),
    /// It answers with a page for people.
    NoClock,
    /// A calendar of OpenTimestamps.
    Calendar,
}

/// The server; its threads end with the test's process.
pub(crate) struct FakeClock {
    address: SocketAddr,
    authority: Arc<Mutex<Authority>>,
    state: Arc<Mutex<State>>,
}

struct State {
    manner: Manner,
    heard: usize,
}

impl FakeClock {
    pub(crate) fn start(manner: Manner) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = listener.local_addr().expect("its address");
        let authority = Arc::new(Mutex::new(Authority::usual()));
        let state = Arc::new(Mutex::new(State { manner, heard: 0 }));
        let (signing, told) = (Arc::clone(&authority), Arc::clone(&state));
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                serve(stream, &signing, &told);
            }
        });
        Self {
            address,
            authority,
            state,
        }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}/tsr", self.address)
    }

    /// The name of its files.
    pub(crate) fn name(&self) -> String {
        format!("127.0.0.1_{}", self.address.port())
    }

    pub(crate) fn behave(&self, manner: Manner) {
        self.state.lock().expect("no panic in a server").manner = manner;
    }

    /// How many questions it heard.
    pub(crate) fn heard(&self) -> usize {
        self.state.lock().expect("no panic in a server").heard
    }

    pub(crate) fn with_authority<T>(&self, work: impl FnOnce(&Authority) -> T) -> T {
        work(&self.authority.lock().expect("no panic in a server"))
    }

    /// The file of its root certificate.
    pub(crate) fn root_file(&self) -> String {
        self.with_authority(|authority| authority.path("root.pem").display().to_string())
    }
}

fn serve(mut stream: TcpStream, authority: &Mutex<Authority>, state: &Mutex<State>) {
    let Some((head, body)) = question(&mut stream) else {
        return;
    };
    let manner = {
        let mut state = state.lock().expect("no panic in a server");
        state.heard += 1;
        match state.manner {
            Manner::Busy(0) => Manner::True,
            Manner::Busy(left) => {
                state.manner = Manner::Busy(left - 1);
                Manner::Busy(left)
            }
            other => other,
        }
    };
    let (status, kind, bytes) = match manner {
        Manner::Busy(_) => ("503 Service Unavailable", "text/plain", b"busy".to_vec()),
        Manner::NoClock => ("200 OK", "text/html", b"<h1>hello</h1>".to_vec()),
        Manner::Calendar => {
            assert!(head.starts_with("POST /tsr/digest "), "{head}");
            assert_eq!(body.len(), 32);
            let kind = "application/vnd.opentimestamps.v1";
            ("200 OK", kind, promise(b"https://calendar.example"))
        }
        _ => {
            assert!(
                head.to_lowercase().contains("application/timestamp-query"),
                "{head}"
            );
            let authority = authority.lock().expect("no panic in a server");
            let reply = stamped(&authority, manner, &body);
            ("200 OK", "application/timestamp-reply", reply)
        }
    };
    let length = bytes.len();
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\nConnection: \
         close\r\n\r\n"
    );
    // A client that went away is no matter of the server.
    let _ = stream.write_all(&[head.as_bytes(), &bytes].concat());
}

fn stamped(authority: &Authority, manner: Manner, query: &[u8]) -> Vec<u8> {
    let asked = Question::from_query(query).expect("a question");
    let other = match manner {
        Manner::OtherHash => Question {
            digest: digest_of(b"another document"),
            ..asked
        },
        Manner::OtherNonce => Question {
            nonce: Some(7),
            ..asked
        },
        Manner::At(at) => {
            let nonce = asked.nonce.expect("a nonce");
            return authority.answer_at(&asked.digest, nonce, at);
        }
        _ => return authority.answer(query),
    };
    authority.answer(&other.to_query())
}

/// What a calendar says at once: it will write the digest into the chain.
fn promise(calendar: &[u8]) -> Vec<u8> {
    let length = u8::try_from(calendar.len()).expect("a short address");
    let mut bytes = vec![0xf0, 2, 1, 2, 0x08, 0x00];
    bytes.extend([
        0x83,
        0xdf,
        0xe3,
        0x0d,
        0x2e,
        0xf9,
        0x0c,
        0x8e,
        length + 1,
        length,
    ]);
    bytes.extend(calendar);
    bytes
}

pub(crate) fn question(stream: &mut TcpStream) -> Option<(String, Vec<u8>)> {
    stream.set_read_timeout(Some(Duration::from_secs(5))).ok()?;
    let mut bytes = Vec::new();
    let mut chunk = [0; 4096];
    loop {
        if let Some(end) = bytes.windows(4).position(|four| four == b"\r\n\r\n") {
            let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
            let mut lines = head.lines().map(str::to_lowercase);
            let length =
                lines.find_map(|line| line.strip_prefix("content-length:")?.trim().parse().ok());
            let wanted = end + 4 + length.unwrap_or(0);
            if bytes.len() >= wanted {
                return Some((head, bytes[end + 4..wanted].to_vec()));
            }
        }
        let count = stream.read(&mut chunk).ok().filter(|count| *count > 0)?;
        bytes.extend_from_slice(&chunk[..count]);
    }
}
