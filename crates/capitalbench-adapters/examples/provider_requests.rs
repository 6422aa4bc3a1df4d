//! Prints the requests that leave for every provider, as JSON lines, for
//! `tests/requests/validate.py` to compare with the types of the official SDKs.
//!
//! Each request is really sent, to a listener of this machine, and printed as it arrived.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use capitalbench_adapters::provider::Question;
use capitalbench_core::asking::call_settings::{
    CallSettings, OmitWord, ReasoningSetting, SchemaMode, TemperatureSetting,
};
use capitalbench_core::decision::portfolio::Constraints;
use capitalbench_core::decision::submission::schema::schema;
use capitalbench_core::round::manifest::SubmissionFormat;
use capitalbench_core::round::methodology::ReplyOrder;
use capitalbench_core::values::ids::OptionId;
use serde_json::{Value, json};

#[path = "shared/by_name.rs"]
mod by_name;

/// Providers and models of every family of the capability table.
const MODELS: [(&str, &[&str]); 24] = [
    (
        "openai",
        &[
            "gpt-6-astra",
            "gpt-5.6-sol",
            "gpt-5.5-pro",
            "gpt-5.4",
            "gpt-5.3-codex",
            "gpt-5.2",
            "gpt-5-pro",
            "gpt-5",
            "gpt-4.1",
            "o3",
        ],
    ),
    ("azure_openai", &["gpt-5.2", "gpt-4.1"]),
    (
        "anthropic",
        &[
            "claude-opus-5",
            "claude-sonnet-5",
            "claude-fable-5",
            "claude-opus-4-8",
            "claude-opus-4-6",
            "claude-opus-4-5",
            "claude-sonnet-4-6",
            "claude-haiku-4-5",
            "claude-mythos-5",
        ],
    ),
    (
        "google",
        &[
            "gemini-3.8-flash",
            "gemini-3.5-flash",
            "gemini-3.1-pro-preview",
            "gemini-2.5-pro",
            "gemini-2.5-flash",
        ],
    ),
    ("xai", &["grok-4.7", "grok-4.6", "grok-4.3", "grok-4"]),
    (
        "deepseek",
        &["deepseek-v4-pro", "deepseek-flash", "deepseek-chat"],
    ),
    (
        "mistral",
        &[
            "mistral-large-2512",
            "mistral-small-2603",
            "magistral-medium-2509",
        ],
    ),
    (
        "groq",
        &[
            "openai/gpt-oss-120b",
            "llama-3.3-70b-versatile",
            "qwen/qwen3-32b",
        ],
    ),
    ("together", &["deepseek-ai/DeepSeek-V3.1"]),
    ("fireworks", &["accounts/fireworks/models/gpt-oss-120b"]),
    (
        "openrouter",
        &[
            "openai/gpt-5.2",
            "anthropic/claude-opus-5",
            "google/gemini-2.5-pro",
            "moonshotai/kimi-k2.5",
            "deepseek/deepseek-v4-pro",
        ],
    ),
    (
        "cohere",
        &["command-a-03-2025", "command-a-reasoning-08-2025"],
    ),
    ("moonshot", &["kimi-k2.5", "kimi-k2.6"]),
    ("qwen", &["qwen3-max", "qwen-plus"]),
    ("zhipu", &["glm-4.6", "glm-5"]),
    ("minimax", &["MiniMax-M2"]),
    (
        "cerebras",
        &["gpt-oss-120b", "qwen-3-235b-a22b-instruct-2507"],
    ),
    ("huggingface", &["openai/gpt-oss-120b:cerebras"]),
    ("bedrock", &["openai.gpt-oss-120b-1:0"]),
    ("vertex", &["google/gemini-2.5-flash"]),
    ("ollama", &["gpt-oss:20b", "qwen3:32b", "gemma3:27b"]),
    ("vllm", &["Qwen/Qwen3-32B"]),
    ("llama_cpp", &["gpt-oss-20b"]),
    ("openai_compatible", &["acme/house-model"]),
];

/// The efforts that the service's API knows, whatever a model of it takes. A word that the table does
/// not list for a model is the operator's to answer for.
fn efforts(provider: &str) -> &'static [&'static str] {
    match provider {
        "anthropic" => &["low", "medium", "high", "xhigh", "max"],
        "groq" => &["none", "default", "low", "medium", "high"],
        _ => &["none", "minimal", "low", "medium", "high", "xhigh", "max"],
    }
}

/// Every kind of setting alone, and none.
fn variants(provider: &str) -> Vec<CallSettings> {
    let plain = CallSettings::default;
    let mut all = vec![plain()];
    for mode in [SchemaMode::Full, SchemaMode::Json, SchemaMode::None] {
        let schema_mode = Some(mode);
        all.push(CallSettings {
            schema_mode,
            ..plain()
        });
    }
    let temperatures = [
        TemperatureSetting::Value(0.0),
        TemperatureSetting::Value(0.7),
        TemperatureSetting::Value(1.0),
        TemperatureSetting::Omit(OmitWord::Omit),
    ];
    for temperature in temperatures.map(Some) {
        all.push(CallSettings {
            temperature,
            ..plain()
        });
    }
    let words = efforts(provider).iter();
    let efforts = words.map(|word| ReasoningSetting::Effort((*word).to_owned()));
    let others = [
        ReasoningSetting::Omit,
        ReasoningSetting::Off,
        ReasoningSetting::On,
        ReasoningSetting::Budget(1024),
    ];
    for reasoning in efforts.chain(others).map(Some) {
        all.push(CallSettings {
            reasoning,
            ..plain()
        });
    }
    all
}

/// The body of a request; the sender gets an empty object.
fn body_of(stream: &mut TcpStream) -> std::io::Result<Vec<u8>> {
    let mut reader = BufReader::new(stream.try_clone()?);
    let mut length = 0;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        let line = line.trim_end().to_ascii_lowercase();
        if line.is_empty() {
            break;
        }
        if let Some(count) = line.strip_prefix("content-length: ") {
            length = count.parse().unwrap_or(0);
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    stream.write_all(
        b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\
          Connection: close\r\n\r\n{}",
    )?;
    Ok(body)
}

/// An address of this machine, and the bodies that arrive there.
fn listen() -> std::io::Result<(String, Receiver<Vec<u8>>)> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let address = format!("http://{}", listener.local_addr()?);
    let (sender, bodies) = channel();
    thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            if let Ok(body) = body_of(&mut stream)
                && sender.send(body).is_err()
            {
                return;
            }
        }
    });
    Ok((address, bodies))
}

fn question(schema: &Value) -> Question<'_> {
    Question {
        input: "Answer with one JSON object.",
        schema: Some(schema),
        max_output_tokens: 3000,
        time_limit: Duration::from_secs(20),
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let options = ["SP500", "CASH"].map(OptionId::parse);
    let options = options.into_iter().collect::<Result<Vec<_>, _>>()?;
    let schema = schema(
        ReplyOrder::DecisionFirst,
        SubmissionFormat::Portfolio,
        &Constraints::default(),
        &options,
    );
    let (address, bodies) = listen()?;
    let mut out = std::io::stdout().lock();
    for (name, models) in MODELS {
        for (model, mut calls) in models
            .iter()
            .flat_map(|model| variants(name).into_iter().map(move |calls| (*model, calls)))
        {
            if name == "openrouter" {
                calls.routing = vec!["anthropic".to_owned()];
            }
            let Some(opened) = by_name::provider(name, model, &calls, &address) else {
                break;
            };
            let mut line = json!({"provider": name, "model": model, "settings": calls});
            match opened {
                Err(error) => line["refused"] = json!(error.to_string()),
                Ok(provider) => {
                    provider.send(question(&schema)).await?;
                    line["body"] = serde_json::from_slice(&bodies.recv()?)?;
                }
            }
            writeln!(out, "{line}")?;
        }
    }
    Ok(())
}
