//! An agent on the loopback, as it should be and with one fault each.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use crate::fake_clock::question;

/// How the agent behaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Manner {
    /// As it should.
    True,
    /// It never answers.
    Late,
    /// It begins an answer and sends a byte now and then.
    Drip,
    /// Its answer is larger than is read.
    Flood,
    /// It promises more bytes than it sends.
    Cut,
    /// It redirects to where clouds keep credentials.
    Redirect,
    /// It answers 500.
    Broken,
    /// It answers as text/html.
    OtherType,
    /// It answers with a sentence.
    NoJson,
    /// It answers with bytes that are no text.
    NoText,
    /// It names its portfolio twice.
    Twice,
    /// It sends a member that nobody knows.
    OtherMember,
    /// Percentages with fractions.
    Fractions,
    /// Another version of the protocol.
    OtherFormat,
    /// The answer to another round.
    OtherRound,
    /// The answer to other inputs.
    OtherInputs,
    /// No transcript at all.
    NoTranscript,
    /// A transcript with an empty step.
    EmptyStep,
    /// An option that is none.
    UnknownOption,
    /// 90 % in all.
    WrongSum,
    /// More holdings than the round allows.
    TooMany,
}

/// The server; its threads end with the test's process.
pub(crate) struct FakeAgent {
    address: SocketAddr,
    state: Arc<Mutex<State>>,
}

struct State {
    manner: Manner,
    heard: Vec<Value>,
}

impl FakeAgent {
    pub(crate) fn start(manner: Manner) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = listener.local_addr().expect("its address");
        let heard = Vec::new();
        let state = Arc::new(Mutex::new(State { manner, heard }));
        let own = Arc::clone(&state);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let own = Arc::clone(&own);
                thread::spawn(move || serve(stream, &own));
            }
        });
        Self { address, state }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}/decide", self.address)
    }

    /// The questions so far.
    pub(crate) fn heard(&self) -> Vec<Value> {
        let state = self.state.lock().expect("no panic in a server");
        state.heard.clone()
    }
}

fn serve(mut stream: TcpStream, state: &Mutex<State>) {
    let Some((head, body)) = question(&mut stream) else {
        return;
    };
    assert!(head.starts_with("POST /decide "), "{head}");
    let asked: Value = serde_json::from_slice(&body).expect("a question in JSON");
    let manner = {
        let mut state = state.lock().expect("no panic in a server");
        state.heard.push(asked.clone());
        state.manner
    };
    if manner == Manner::Late {
        return until_gone(&mut stream);
    }
    let (status, kind, more) = match manner {
        Manner::Redirect => (
            "307 Temporary Redirect",
            "text/plain",
            "Location: http://169.254.169.254/latest/meta-data\r\n",
        ),
        Manner::Broken => ("500 Internal Server Error", "text/plain", ""),
        Manner::OtherType => ("200 OK", "text/html; charset=utf-8", ""),
        _ => ("200 OK", "application/json; charset=utf-8", ""),
    };
    let bytes = answer(&asked, manner);
    let promised = match manner {
        Manner::Cut | Manner::Drip => bytes.len() + 100,
        _ => bytes.len(),
    };
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {promised}\r\n{more}Connection: \
         close\r\n\r\n"
    );
    // A client that went away is no matter of the server.
    let _ = stream.write_all(&[head.as_bytes(), &bytes].concat());
    if manner == Manner::Drip {
        drip(&mut stream);
    }
}

/// Waits until the client has gone.
fn until_gone(stream: &mut TcpStream) {
    let _ = stream.set_read_timeout(Some(Duration::from_mins(1)));
    let _ = stream.read(&mut [0]);
}

/// A blank now and then, until the client has gone.
fn drip(stream: &mut TcpStream) {
    let _ = stream.set_read_timeout(Some(Duration::from_millis(100)));
    for _ in 0..100 {
        match stream.read(&mut [0]) {
            Ok(0) => return,
            _ if stream.write_all(b" ").is_err() => return,
            _ => {}
        }
    }
}

fn answer(asked: &Value, manner: Manner) -> Vec<u8> {
    let options = asked["options"].as_array().expect("options");
    let id = |place: usize| options[place]["option_id"].clone();
    let held = |parts: &[(Value, Value)]| -> Value {
        let one =
            |(id, percent): &(Value, Value)| json!({"option_id": id, "allocation_pct": percent});
        parts.iter().map(one).collect()
    };
    let mut told = json!({
        "format": "capitalbench-agent-answer-v1",
        "round_id": asked["round_id"],
        "inputs_sha256": asked["inputs_sha256"],
        "portfolio": held(&[(id(0), json!(60)), (id(1), json!(40))]),
        "transcript": [
            {"kind": "said", "name": "a model", "text": "I look at the options."},
            {"kind": "tool", "name": "calculator", "text": "60 + 40 = 100"},
        ],
    });
    match manner {
        Manner::Flood => told["transcript"][0]["text"] = json!("x".repeat(4 << 20)),
        Manner::OtherMember => told["reasoning"] = json!("because"),
        Manner::Fractions => told["portfolio"][0]["allocation_pct"] = json!(59.5),
        Manner::OtherFormat => told["format"] = json!("capitalbench-agent-answer-v2"),
        Manner::OtherRound => told["round_id"] = json!("LAST-WEEK-1W"),
        Manner::OtherInputs => told["inputs_sha256"] = json!("00".repeat(32)),
        Manner::NoTranscript => {
            told.as_object_mut()
                .expect("an object")
                .remove("transcript");
        }
        Manner::EmptyStep => told["transcript"][1]["text"] = json!(" "),
        Manner::UnknownOption => told["portfolio"][1]["option_id"] = json!("MOON"),
        Manner::WrongSum => told["portfolio"][1]["allocation_pct"] = json!(30),
        Manner::TooMany => {
            let parts: Vec<(Value, Value)> = (0..10).map(|place| (id(place), json!(10))).collect();
            told["portfolio"] = held(&parts);
        }
        Manner::NoJson => return b"I would hold the first option.".to_vec(),
        Manner::NoText => return b"{\"format\": \"\xff\"}".to_vec(),
        Manner::Twice => {
            let text = told.to_string();
            let again = text.replacen("\"portfolio\"", "\"portfolio\":[],\"portfolio\"", 1);
            return again.into_bytes();
        }
        _ => {}
    }
    told.to_string().into_bytes()
}
