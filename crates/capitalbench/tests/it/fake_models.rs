//! A server on the loopback that speaks all six wire formats, keeps its own log of what it was
//! asked and what it sent, and finds fault with requests that no real server would like.

use std::collections::BTreeMap;
use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use crate::waiting::{PATIENCE, Watched};

mod round;
mod wire;

pub(crate) use round::{AskedRound, FAR, KEY, ROUND, V1_1, V1_2, frozen_with};
pub(crate) use wire::{Said, TOKENS, Wire};

/// One question as the server heard it.
#[derive(Debug, Clone)]
pub(crate) struct Call {
    /// The name that the server gave it.
    pub(crate) id: String,
    pub(crate) wire: Wire,
    /// The model by the provider's name.
    pub(crate) model: String,
    /// How many questions about this model came before.
    pub(crate) before: usize,
    /// How many questions came before, about any model.
    pub(crate) index: usize,
    /// Questions of this provider that were under way when it was heard, itself included.
    pub(crate) under_way: usize,
    /// When it was heard whole.
    pub(crate) at: jiff::Timestamp,
    pub(crate) body: Value,
    /// Whether a whole decision, with a bill, has left.
    pub(crate) answered: bool,
}

/// How bytes leave.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Manner {
    Whole,
    /// Half the bytes, then the connection ends.
    Half,
    /// A few bytes, then more after each short while, without end.
    Drip,
    /// Nothing, without end.
    Hang,
}

/// What the server sends.
#[derive(Debug, Clone)]
pub(crate) struct Answer {
    bytes: Vec<u8>,
    manner: Manner,
    hold: Hold,
    bills: bool,
}

/// Until when an answer stays with the server.
#[derive(Debug, Clone, Copy)]
enum Hold {
    Not,
    /// Until so many questions were heard, or this long.
    Heard(usize, Duration),
    /// Until the test says `release`.
    Released,
}

impl Answer {
    /// Any status with any body.
    pub(crate) fn new(call: &Call, status: &str, headers: &str, body: &[u8]) -> Self {
        let own = call.wire.headers(&call.id);
        let length = body.len();
        let mut bytes = format!(
            "HTTP/1.1 {status}\r\n{own}{headers}Content-Length: {length}\r\nConnection: close\r\n\r\n"
        )
        .into_bytes();
        bytes.extend_from_slice(body);
        Self {
            bytes,
            manner: Manner::Whole,
            hold: Hold::Not,
            bills: false,
        }
    }

    /// The connection ends without a byte.
    pub(crate) fn nothing() -> Self {
        Self {
            bytes: Vec::new(),
            manner: Manner::Whole,
            hold: Hold::Not,
            bills: false,
        }
    }

    /// A good status with JSON.
    pub(crate) fn json(call: &Call, body: &Value) -> Self {
        Self::with_status(call, "200 OK", body)
    }

    /// A status with JSON.
    pub(crate) fn with_status(call: &Call, status: &str, body: &Value) -> Self {
        let kind = "Content-Type: application/json; charset=utf-8\r\n";
        Self::new(call, status, kind, body.to_string().as_bytes())
    }

    /// A valid decision, for which the provider bills.
    pub(crate) fn decision(call: &Call) -> Self {
        let body = call
            .wire
            .answer(&call.model, Said::Text(&decision(&call.body)));
        Self {
            bills: true,
            ..Self::json(call, &body)
        }
    }

    pub(crate) fn sent(self, manner: Manner) -> Self {
        Self { manner, ..self }
    }

    /// Leaves when so many questions were heard, or after this long if they never come.
    pub(crate) fn once_heard(self, count: usize, at_most: Duration) -> Self {
        let hold = Hold::Heard(count, at_most);
        Self { hold, ..self }
    }

    /// Leaves when the test says `release`.
    pub(crate) fn until_released(self) -> Self {
        let hold = Hold::Released;
        Self { hold, ..self }
    }
}

type Script = dyn Fn(&Call) -> Answer + Send + Sync;

#[derive(Default)]
struct State {
    calls: Vec<Call>,
    complaints: Vec<String>,
    /// Questions under way and the most there ever were, by provider.
    at_once: BTreeMap<Wire, (usize, usize)>,
    all_at_once: (usize, usize),
    /// Connections whose question is not heard yet.
    unheard: usize,
    released: bool,
}

/// The server; its threads end with the test's process.
pub(crate) struct FakeModels {
    address: SocketAddr,
    shared: Arc<Watched<State>>,
}

impl FakeModels {
    pub(crate) fn start(script: impl Fn(&Call) -> Answer + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = listener.local_addr().expect("its address");
        let shared = Arc::new(Watched::<State>::default());
        let script: Arc<Script> = Arc::new(script);
        let kept = Arc::clone(&shared);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (shared, script) = (Arc::clone(&kept), Arc::clone(&script));
                shared.change(|state| state.unheard += 1);
                thread::spawn(move || serve(stream, &shared, &*script));
            }
        });
        Self { address, shared }
    }

    /// Where a provider answers.
    pub(crate) fn base_url(&self, wire: Wire) -> String {
        format!("http://{}/{}", self.address, wire.provider())
    }

    /// Everything it was asked so far; it must have liked all of it.
    pub(crate) fn calls(&self) -> Vec<Call> {
        let state = self.shared.lock();
        assert_eq!(state.complaints, [""; 0]);
        state.calls.clone()
    }

    /// The most questions of a provider that were ever under way together.
    pub(crate) fn most_at_once(&self, wire: Wire) -> usize {
        self.shared.lock().at_once.get(&wire).map_or(0, |at| at.1)
    }

    /// The same for all providers together.
    pub(crate) fn most_in_all(&self) -> usize {
        self.shared.lock().all_at_once.1
    }

    /// Waits until everything that was ever sent to it is heard and answered, even where the
    /// sender is dead.
    pub(crate) fn come_to_rest(&self) {
        // Connections are taken in order: when this one is seen to end, all before it were taken.
        let mut last = TcpStream::connect(self.address).expect("a connection");
        last.shutdown(std::net::Shutdown::Write)
            .expect("an open socket");
        drop(last.read(&mut [0]));
        let at_rest = |state: &State| state.unheard == 0 && state.all_at_once.0 == 0;
        assert!(self.shared.wait(PATIENCE, at_rest), "answers never leave");
    }

    /// Waits until so many questions were heard.
    pub(crate) fn wait_for(&self, count: usize) {
        let heard = self
            .shared
            .wait(PATIENCE, |state| state.calls.len() >= count);
        assert!(heard, "fewer than {count} questions came");
    }

    /// Lets all answers go that are held until this.
    pub(crate) fn release(&self) {
        self.shared.change(|state| state.released = true);
    }
}

fn serve(mut stream: TcpStream, shared: &Watched<State>, script: &Script) {
    let patience = Some(Duration::from_secs(20));
    stream.set_read_timeout(patience).expect("a timeout");
    let request = read_request(&mut stream);
    let heard = shared.change(|state| {
        state.unheard -= 1;
        request.and_then(|(head, body)| hear(state, &head, &body))
    });
    let Some((index, call)) = heard else {
        return;
    };
    let answer = script(&call);
    match answer.hold {
        Hold::Not => {}
        Hold::Heard(count, at_most) => {
            shared.wait(at_most, |state| state.calls.len() >= count);
        }
        Hold::Released => {
            shared.wait(PATIENCE, |state| state.released);
        }
    }
    // The place is free before the answer is: whoever sees it may ask again at once.
    shared.change(|state| {
        let at = state.at_once.entry(call.wire).or_default();
        at.0 -= 1;
        state.all_at_once.0 -= 1;
        state.calls[index].answered = answer.bills && answer.manner == Manner::Whole;
    });
    let bytes = &answer.bytes;
    match answer.manner {
        Manner::Whole => drop(stream.write_all(bytes)),
        Manner::Half => drop(stream.write_all(&bytes[..bytes.len() - bytes.len() / 4])),
        Manner::Drip => {
            let pace = Some(Duration::from_millis(100));
            stream.set_read_timeout(pace).expect("a timeout");
            for byte in bytes.chunks(8) {
                // A client that has left ends the pause at once.
                if stream.write_all(byte).is_err() || matches!(stream.read(&mut [0]), Ok(0)) {
                    return;
                }
            }
        }
        Manner::Hang => {
            let mut end = [0];
            drop(stream.read(&mut end));
        }
    }
}

/// Notes a question; one that no real server takes is a complaint.
fn hear(state: &mut State, head: &str, body: &[u8]) -> Option<(usize, Call)> {
    let path = head.split_whitespace().nth(1).unwrap_or_default();
    let wire = Wire::ALL.into_iter().find(|wire| {
        let rest = path
            .strip_prefix('/')
            .and_then(|path| path.strip_prefix(wire.provider()));
        rest.is_some_and(|rest| rest.starts_with('/'))
    });
    let parsed = serde_json::from_slice::<Value>(body);
    let (Some(wire), Ok(body)) = (wire, parsed) else {
        state.complaints.push(format!("no question: {head}"));
        return None;
    };
    let in_path = path
        .rsplit('/')
        .next()
        .and_then(|last| last.strip_suffix(":generateContent"));
    let model = body["model"]
        .as_str()
        .or(in_path)
        .unwrap_or_default()
        .to_owned();
    state
        .complaints
        .extend(complaints(wire, &model, head, &body));
    let before = state
        .calls
        .iter()
        .filter(|call| (call.wire, &call.model) == (wire, &model))
        .count();
    let index = state.calls.len();
    let under_way = state.at_once.get(&wire).map_or(0, |at| at.0) + 1;
    let call = Call {
        id: format!("req_{index:05}"),
        wire,
        model,
        before,
        index,
        under_way,
        at: jiff::Timestamp::now(),
        body,
        answered: false,
    };
    state.calls.push(call.clone());
    for (now, most) in [
        state.at_once.entry(wire).or_default(),
        &mut state.all_at_once,
    ] {
        *now += 1;
        *most = (*most).max(*now);
    }
    Some((index, call))
}

/// What a real server would refuse, or an auditor.
fn complaints(wire: Wire, model: &str, head: &str, body: &Value) -> Vec<String> {
    let mut found = Vec::new();
    let first = head.lines().next().unwrap_or_default();
    let expected = format!("POST /{}{} HTTP/1.1", wire.provider(), wire.path(model));
    if first != expected {
        found.push(format!("{first} is not {expected}"));
    }
    let (name, prefix) = wire.key_header();
    let has = |name: &str, value: &str| {
        head.lines().any(|line| {
            let pair = line.split_once(": ");
            pair.is_some_and(|(found, given)| found.eq_ignore_ascii_case(name) && given == value)
        })
    };
    if !has(name, &format!("{prefix}{KEY}")) {
        found.push(format!("{first}: no key in {name}"));
    }
    if first.contains(KEY) || body.to_string().contains(KEY) {
        found.push(format!("{first}: the key is where it does not belong"));
    }
    if wire == Wire::Anthropic && !has("anthropic-version", "2023-06-01") {
        found.push(format!("{first}: no anthropic-version"));
    }
    let offered = body.get("tools").is_some_and(|tools| *tools != json!([]));
    let searched = [
        "search_parameters",
        "web_search_options",
        "plugins",
        "functions",
    ];
    if offered || searched.iter().any(|name| body.get(name).is_some()) {
        found.push(format!("{first}: tools or search are offered"));
    }
    found
}

fn read_request(stream: &mut TcpStream) -> Option<(String, Vec<u8>)> {
    let mut bytes = Vec::new();
    let mut chunk = vec![0; 64 * 1024];
    let end = loop {
        let count = stream.read(&mut chunk).ok().filter(|count| *count > 0)?;
        bytes.extend_from_slice(&chunk[..count]);
        if let Some(end) = bytes.windows(4).position(|four| four == b"\r\n\r\n") {
            break end;
        }
    };
    let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
    let length = head.lines().find_map(|line| {
        let (name, value) = line.split_once(": ")?;
        let named = name.eq_ignore_ascii_case("content-length");
        named.then(|| value.parse::<usize>().ok())?
    })?;
    let mut body = bytes.split_off(end + 4);
    while body.len() < length {
        let count = stream.read(&mut chunk).ok().filter(|count| *count > 0)?;
        body.extend_from_slice(&chunk[..count]);
    }
    Some((head, body))
}

/// The text after a label in the question, which every wire format holds unaltered.
fn identifier(question: &str, label: &str) -> String {
    let after = question.rsplit(&format!("- {label}: ")).next();
    let value = after.unwrap_or_default().split(['\\', '"']).next();
    value.unwrap_or_default().to_owned()
}

/// A valid decision about the round and the model that a question names.
pub(crate) fn decision(body: &Value) -> String {
    let question = body.to_string();
    json!({
        "round_id": identifier(&question, "round_id"),
        "model_id": identifier(&question, "model_id"),
        "provider": identifier(&question, "provider"),
        "mode": "closed_capability",
        "portfolio": [{"option_id": "SP500", "allocation_pct": 100, "rationale": "broad"}],
        "confidence": 0.5,
        "rationale_summary": "The reference itself.",
        "portfolio_rationale": "One holding.",
        "key_risks": ["a fall", "a rise elsewhere"],
    })
    .to_string()
}
