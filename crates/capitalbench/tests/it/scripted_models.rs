//! A local server that answers questions to models as a test wants it.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

/// Status, headers and body of an answer.
pub(crate) struct Answer {
    status: u16,
    headers: String,
    body: Vec<u8>,
    /// Nothing is sent before the client gives up.
    silent: bool,
}

impl Answer {
    pub(crate) fn ok(body: &Value) -> Self {
        Self::status(200, body)
    }

    pub(crate) fn status(status: u16, body: &Value) -> Self {
        let json = "Content-Type: application/json\r\n".to_owned();
        Self::raw(status, json, body.to_string().into_bytes())
    }

    /// The same with more header lines.
    pub(crate) fn with_headers(mut self, more: &str) -> Self {
        self.headers.push_str(more);
        self
    }

    /// Any status with these header lines and bytes.
    pub(crate) fn raw(status: u16, headers: String, body: Vec<u8>) -> Self {
        Self {
            status,
            headers,
            body,
            silent: false,
        }
    }

    /// No answer at all, until the client gives up.
    pub(crate) fn silence() -> Self {
        Self {
            silent: true,
            ..Self::ok(&Value::Null)
        }
    }
}

/// Serves until the test's process ends; the address.
pub(crate) fn serve(answer: impl Fn(&str, &Value) -> Answer + Send + Sync + 'static) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = listener.local_addr().expect("its address");
    let answer = Arc::new(answer);
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let answer = Arc::clone(&answer);
            thread::spawn(move || reply(stream, &*answer));
        }
    });
    format!("http://{address}")
}

fn reply(mut stream: TcpStream, answer: &dyn Fn(&str, &Value) -> Answer) {
    let patience = Some(Duration::from_secs(20));
    stream.set_read_timeout(patience).expect("a timeout");
    let Some((path, body)) = read_request(&mut stream) else {
        return;
    };
    let given = answer(&path, &body);
    if given.silent {
        stream.set_read_timeout(None).expect("no timeout");
        drop(stream.read(&mut [0]));
        return;
    }
    let length = given.body.len();
    let mut bytes = format!(
        "HTTP/1.1 {} X\r\n{}Content-Length: {length}\r\nConnection: close\r\n\r\n",
        given.status, given.headers
    )
    .into_bytes();
    bytes.extend_from_slice(&given.body);
    // Whoever gave up waiting reads no more.
    let _ = stream.write_all(&bytes);
}

/// A good answer in the form of the Responses API.
pub(crate) fn responses(model: &str, text: &str) -> Value {
    json!({"id": "resp_1", "object": "response", "status": "completed", "model": model,
        "output": [{"type": "message", "role": "assistant", "status": "completed",
            "content": [{"type": "output_text", "text": text, "annotations": []}]}],
        "usage": {"input_tokens": 80, "input_tokens_details": {"cached_tokens": 30},
            "output_tokens": 40, "total_tokens": 120}})
}

fn read_request(stream: &mut TcpStream) -> Option<(String, Value)> {
    let mut bytes = Vec::new();
    let mut chunk = [0; 16 * 1024];
    loop {
        let count = stream.read(&mut chunk).ok().filter(|count| *count > 0)?;
        bytes.extend_from_slice(&chunk[..count]);
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let Some((head, body)) = text.split_once("\r\n\r\n") else {
            continue;
        };
        let length = head.lines().find_map(|line| {
            let (name, value) = line.split_once(": ")?;
            name.eq_ignore_ascii_case("content-length")
                .then(|| value.parse::<usize>())
        });
        if body.len() >= length?.ok()? {
            let path = head.split_whitespace().nth(1)?.to_owned();
            return Some((path, serde_json::from_str(body).ok()?));
        }
    }
}
