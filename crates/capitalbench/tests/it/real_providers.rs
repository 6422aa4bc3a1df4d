//! `run-round` over HTTP: three wire formats on one local server, a fault on the way, one record.

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use crate::harness::Test;

pub(crate) const KEY: &str = "canary4key8that2nobody6may1see";
pub(crate) const ROUND: &str = "rounds/OVER-HTTP-1W";

/// Path and body of every question, in order.
type Questions = Arc<Mutex<Vec<(String, Value)>>>;

/// Answers as the three providers do; the first question to the messages path fails once.
fn serve() -> (String, Questions) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = listener.local_addr().expect("its address");
    let questions = Questions::default();
    let heard = Arc::clone(&questions);
    // The thread ends with the test's process.
    thread::spawn(move || {
        for stream in listener.incoming().flatten().take(50) {
            let heard = Arc::clone(&heard);
            thread::spawn(move || answer(stream, &heard));
        }
    });
    (format!("http://{address}"), questions)
}

fn answer(mut stream: TcpStream, heard: &Questions) {
    let patience = Some(Duration::from_secs(5));
    stream.set_read_timeout(patience).expect("a timeout");
    let Some((path, body)) = read_request(&mut stream) else {
        return;
    };
    let mut questions = heard.lock().expect("no panic in a server");
    let first = !questions.iter().any(|(asked, _)| *asked == path);
    questions.push((path.clone(), body.clone()));
    drop(questions);
    let (status, text) = if first && path.contains("messages") {
        let busy =
            json!({"type": "error", "error": {"type": "overloaded_error", "message": "busy"}});
        ("529 Overloaded", busy.to_string())
    } else {
        ("200 OK", reply(&path, &body).to_string())
    };
    let length = text.len();
    let _ = write!(
        stream,
        "HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\
         Connection: close\r\n\r\n{text}"
    );
}

pub(crate) fn read_request(stream: &mut TcpStream) -> Option<(String, Value)> {
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

/// The text after a label in the question, which every wire format holds unaltered.
fn identifier(body: &Value, label: &str) -> String {
    let text = body.to_string();
    let after = text
        .rsplit(&format!("- {label}: "))
        .next()
        .unwrap_or_default();
    after
        .split(['\\', '"'])
        .next()
        .unwrap_or_default()
        .to_owned()
}

fn reply(path: &str, body: &Value) -> Value {
    let decision = json!({
        "round_id": identifier(body, "round_id"),
        "model_id": identifier(body, "model_id"),
        "provider": identifier(body, "provider"),
        "mode": "closed_capability",
        "portfolio": [{"option_id": "SP500", "allocation_pct": 100, "rationale": "broad"}],
        "confidence": 0.5,
        "rationale_summary": "The reference itself.",
        "portfolio_rationale": "One holding.",
        "key_risks": ["a fall", "a rise elsewhere"],
    })
    .to_string();
    let model = &body["model"];
    if path.contains("messages") {
        json!({"id": "msg_1", "type": "message", "role": "assistant", "model": model,
            "content": [{"type": "text", "text": decision}], "stop_reason": "end_turn",
            "usage": {"input_tokens": 100, "output_tokens": 20}})
    } else if path.contains("chat/completions") {
        json!({"id": "c1", "object": "chat.completion", "model": model,
            "choices": [{"index": 0, "finish_reason": "stop",
                "message": {"role": "assistant", "content": decision}}],
            "usage": {"prompt_tokens": 90, "completion_tokens": 30, "total_tokens": 120}})
    } else {
        json!({"id": "resp_1", "object": "response", "status": "completed", "model": model,
            "output": [{"type": "message", "role": "assistant", "status": "completed",
                "content": [{"type": "output_text", "text": decision, "annotations": []}]}],
            "usage": {"input_tokens": 80, "output_tokens": 40, "total_tokens": 120}})
    }
}

fn models(address: &str) -> String {
    let model = |id: &str, provider: &str, base: &str| {
        format!(
            "- model_id: {id}\n  provider: {provider}\n  api_model_name: {id}\n  \
             base_url: {base}\n  api_key_env: CANARY_KEY\n"
        )
    };
    format!(
        "models:\n{}{}{}",
        model("gpt-test", "openai", address),
        model("claude-test", "anthropic", address),
        model("local-test", "vllm", &format!("{address}/v1")),
    )
}

/// A frozen round with these models; its deadline is far ahead of any clock that runs the test.
fn frozen(address: &str) -> Test {
    frozen_with(&models(address))
}

/// The same with the models of this file.
pub(crate) fn frozen_with(models: &str) -> Test {
    let test = Test::operator(ROUND);
    fs::write(test.folder().join("models.yaml"), models).expect("a written file");
    let arguments = "init-round --now 2026-01-05T10:00:00Z --round-id OVER-HTTP-1W --universe options.yaml --models models.yaml \
                     --decision-deadline 2030-06-03T13:25:00Z --horizon";
    let mut arguments: Vec<&str> = arguments.split_whitespace().collect();
    arguments.push("one week");
    test.run(&arguments).code(0);
    let research = "import-research --round rounds/OVER-HTTP-1W --market-fact-report facts.md \
                    --audit-report audit.md --final-briefing briefing.md \
                    --research-cutoff-utc 2026-01-05T09:00:00Z";
    let research: Vec<&str> = research.split_whitespace().collect();
    test.run(&research).code(0);
    test.run(&["hash-round", "--round", ROUND]).code(0);
    test
}

#[test]
fn three_wire_formats_make_one_record() {
    let (address, questions) = serve();
    let test = frozen(&address);
    let ask = "run-round --round rounds/OVER-HTTP-1W --models models.yaml --run-id first \
               --run-type official --yes";
    let mut ask: Vec<&str> = ask.split_whitespace().collect();
    let key = [("CANARY_KEY", KEY)];
    // Nothing leaves the machine without the operator's word.
    test.run_with(&key, &ask).code(2);
    assert!(questions.lock().expect("no panic").is_empty());
    ask.push("--allow-real-api-calls");
    let ran = test.run_with(&key, &ask).code(0);
    ran.says("3 valid");
    let asked = questions.lock().expect("no panic in a server").clone();
    assert_eq!(asked.len(), 4, "three models and one retry");
    let shown = fs::read_to_string(test.folder().join(ROUND).join("model_input.md"));
    let shown = serde_json::to_string(shown.expect("the input").trim_end()).expect("text");
    for (path, body) in &asked {
        let body = body.to_string();
        assert!(
            body.contains(shown.trim_matches('"')),
            "{path}: another text was sent"
        );
        assert!(!body.contains("\"tools\":[{"), "{path}: tools were offered");
    }
    test.run(&["accept-run", "--round", ROUND, "--run-id", "first"])
        .code(0);
    test.run(&["verify", ROUND])
        .code(0)
        .says("0 errors, 0 warnings");
    for (path, text) in test.tree() {
        assert!(!text.contains(KEY), "the key is in {path}");
    }
}

#[test]
fn an_unknown_provider_is_answered_with_the_known_ones() {
    let test = frozen("http://127.0.0.1:9");
    let wrong = models("http://127.0.0.1:9").replace("provider: vllm", "provider: vlm");
    fs::write(test.folder().join("models.yaml"), wrong).expect("a written file");
    let ask = "run-round --round rounds/OVER-HTTP-1W --models models.yaml --run-id first \
               --run-type official --yes --allow-real-api-calls";
    let ask: Vec<&str> = ask.split_whitespace().collect();
    test.run_with(&[("CANARY_KEY", KEY)], &ask)
        .code(2)
        .complains("local-test: the provider vlm is not known");
}
