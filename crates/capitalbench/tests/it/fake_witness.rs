//! A witness on the loopback that keeps its state, as C2SP tlog-witness asks for. It reads notes with
//! `signed_note` and proofs with `ct-merkle`, so that our own code does not check itself.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

use capitalbench_proof::note::{KeyKind, Note, SignerKey};
use ct_merkle::{ConsistencyProof, RootHash};
use jiff::Timestamp;
use sha2::Sha256;
use signed_note::{Note as TheirNote, StandardVerifier, VerifierList};

use crate::fake_clock::question;

/// How the witness behaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Manner {
    /// As it should.
    True,
    /// It is down.
    Away,
    /// It signs with a key that is not its own.
    OtherKey,
    /// It signs another checkpoint.
    OtherText,
    /// It signs in two hours.
    Later,
    /// It answers with a page for people.
    Page,
    /// It answers with a byte more than is read.
    Flood,
}

/// The server; its threads end with the test's process.
pub(crate) struct FakeWitness {
    address: SocketAddr,
    state: Arc<Mutex<State>>,
}

struct State {
    name: String,
    seed: u8,
    manner: Manner,
    /// The keys of the logs that it knows.
    logs: BTreeMap<String, String>,
    /// Size and root that it cosigned last, by log.
    seen: BTreeMap<String, (u64, [u8; 32])>,
    /// The first line of every question.
    heard: Vec<String>,
    now: Timestamp,
}

impl FakeWitness {
    /// A witness that knows the log of this key and shows this time.
    pub(crate) fn start(name: &str, seed: u8, vkey: &str, now: &str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = listener.local_addr().expect("its address");
        let origin = vkey.split('+').next().expect("a name").to_owned();
        let state = Arc::new(Mutex::new(State {
            name: name.to_owned(),
            seed,
            manner: Manner::True,
            logs: BTreeMap::from([(origin, vkey.trim_end().to_owned())]),
            seen: BTreeMap::new(),
            heard: Vec::new(),
            now: now.parse().expect("an instant"),
        }));
        let own = Arc::clone(&state);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                serve(stream, &own);
            }
        });
        Self { address, state }
    }

    fn with<T>(&self, work: impl FnOnce(&mut State) -> T) -> T {
        work(&mut self.state.lock().expect("no panic in a server"))
    }

    pub(crate) fn behave(&self, manner: Manner) {
        self.with(|state| state.manner = manner);
    }

    /// It gets to know these logs and no others.
    pub(crate) fn knows(&self, logs: &[(&str, &str)]) {
        let own = |(origin, key): &(&str, &str)| ((*origin).to_owned(), (*key).to_owned());
        self.with(|state| state.logs = logs.iter().map(own).collect());
    }

    /// The sizes that it was asked about, in order.
    pub(crate) fn heard(&self) -> Vec<String> {
        self.with(|state| state.heard.clone())
    }

    /// Its public key.
    pub(crate) fn key(&self) -> String {
        self.with(|state| signer(&state.name, state.seed).verifier().to_string())
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}/witness", self.address)
    }

    /// The witness as the flag names it.
    pub(crate) fn named(&self) -> String {
        format!("{}={}", self.key(), self.url())
    }
}

fn signer(name: &str, seed: u8) -> SignerKey {
    SignerKey::from_seed(name, &[seed; 32], KeyKind::Cosignature).expect("a key")
}

fn serve(mut stream: TcpStream, state: &Mutex<State>) {
    let Some((head, body)) = question(&mut stream) else {
        return;
    };
    assert!(head.starts_with("POST /witness/add-checkpoint "), "{head}");
    let (status, kind, body) = {
        let mut state = state.lock().expect("no panic in a server");
        let text = String::from_utf8(body).expect("text");
        let first = text.lines().next().expect("a line");
        state.heard.push(first.to_owned());
        answer(&mut state, &text)
    };
    let length = body.len();
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\nConnection: \
         close\r\n\r\n"
    );
    // A client that went away is no matter of the server.
    let _ = stream.write_all(&[head.as_bytes(), body.as_bytes()].concat());
}

type Answer = (&'static str, &'static str, String);

fn answer(state: &mut State, text: &str) -> Answer {
    let plain = |status, text: &str| (status, "text/plain", text.to_owned());
    match state.manner {
        Manner::Away => return plain("503 Service Unavailable", "back soon"),
        Manner::Page => return ("200 OK", "text/html", "<h1>hello</h1>\n".to_owned()),
        Manner::Flood => return plain("200 OK", &"x".repeat((64 << 10) + 1)),
        _ => {}
    }
    let (asked, note) = text.split_once("\n\n").expect("an empty line");
    let mut lines = asked.lines();
    let old = lines.next().and_then(|line| line.strip_prefix("old "));
    let old: u64 = old.and_then(|size| size.parse().ok()).expect("a size");
    let proof: Vec<u8> = lines
        .flat_map(|line| from_base64(line).expect("a hash"))
        .collect();
    let mut fields = note.lines();
    let origin = fields.next().expect("an origin").to_owned();
    let size: u64 = fields
        .next()
        .and_then(|size| size.parse().ok())
        .expect("a size");
    let root = fields.next().and_then(from_base64).expect("a root");
    let root: [u8; 32] = root.try_into().expect("32 bytes");
    let Some(key) = state.logs.get(&origin) else {
        return plain("404 Not Found", "unknown log");
    };
    let key = StandardVerifier::new(key).expect("a key that others read");
    let keys = VerifierList::new(vec![Box::new(key)]);
    let signed = TheirNote::from_bytes(note.as_bytes()).expect("a note that others read");
    if signed.verify(&keys).is_err() {
        return plain("403 Forbidden", "unknown key");
    }
    if old > size {
        return plain("400 Bad Request", "old is larger than the checkpoint");
    }
    let conflict = |size: u64| ("409 Conflict", "text/x.tlog.size", format!("{size}\n"));
    let seen = state.seen.get(&origin).copied();
    let last = seen.map_or(0, |(size, _)| size);
    if old != last {
        return conflict(last);
    }
    match seen {
        Some((seen, known)) if seen == size && known != root => return conflict(seen),
        Some((seen, known)) if seen < size && !grew((seen, known), (size, root), proof) => {
            return plain("422 Unprocessable Entity", "no growth");
        }
        _ => {}
    }
    state.seen.insert(origin, (size, root));
    ("200 OK", "text/plain", cosigned(state, note))
}

/// Whether the proof leads from one size and root to another, by other people's code.
fn grew(old: (u64, [u8; 32]), new: (u64, [u8; 32]), proof: Vec<u8>) -> bool {
    let old = RootHash::<Sha256>::new(old.1.into(), old.0);
    let new = RootHash::<Sha256>::new(new.1.into(), new.0);
    let proof = ConsistencyProof::<Sha256>::try_from_bytes(proof);
    proof.is_ok_and(|proof| new.verify_consistency(&old, &proof).is_ok())
}

/// The signature line, after one by a key that nobody asked for.
fn cosigned(state: &State, note: &str) -> String {
    let (seed, note, late) = match state.manner {
        Manner::OtherKey => (state.seed ^ 0x80, note.to_owned(), 0),
        Manner::OtherText => (state.seed, note.replacen("previous ", "previous 1", 1), 0),
        Manner::Later => (state.seed, note.to_owned(), 7200),
        _ => (state.seed, note.to_owned(), 0),
    };
    let at = u64::try_from(state.now.as_second()).expect("after 1970") + late;
    let own = Note::parse(note.as_bytes()).expect("a note");
    let line = |signer: &SignerKey| {
        let whole = own.with_signature(signer, at).expect("a note").to_string();
        whole.strip_prefix(&note).expect("one line more").to_owned()
    };
    line(&signer("other.example/w", 77)) + &line(&signer(&state.name, seed))
}

pub(crate) fn from_base64(text: &str) -> Option<Vec<u8>> {
    let mut bits = 0_u32;
    let mut held = 0;
    let mut bytes = Vec::new();
    for c in text.trim_end_matches('=').bytes() {
        let value = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
            .iter()
            .position(|known| *known == c)?;
        bits = bits << 6 | u32::try_from(value).ok()?;
        held += 6;
        if held >= 8 {
            held -= 8;
            bytes.push(u8::try_from(bits >> held & 0xff).ok()?);
        }
    }
    Some(bytes)
}
