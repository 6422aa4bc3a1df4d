//! Answers of model providers, written as status, headers, a blank line and the body.

use std::sync::LazyLock;

use capitalbench_adapters::provider::{
    Anthropic, Family, Google, Host, Ollama, OpenAi, Provider, RawAnswer, RemoteModel, Settings,
    XAi,
};

use crate::is_in_proportion;
use crate::samples::{KEY, http, key};

fn settings(family: Family) -> Settings {
    Settings::new(family, "fuzzed-model")
}

/// The parts of an answer as they stand in the bytes.
fn parts(bytes: &[u8]) -> RawAnswer {
    let blank = bytes.windows(2).position(|two| two == b"\n\n");
    let (head, body) = match blank {
        Some(place) => (&bytes[..place], &bytes[place + 2..]),
        None => (&[][..], bytes),
    };
    let head = String::from_utf8_lossy(head);
    let mut lines = head.lines();
    let status = lines.next().and_then(|line| line.trim().parse().ok());
    let headers = lines.filter_map(|line| {
        let (name, value) = line.split_once(':')?;
        Some((name.to_ascii_lowercase(), value.trim().to_owned()))
    });
    RawAnswer {
        status: status.unwrap_or(200),
        headers: headers.collect(),
        body: body.to_vec(),
    }
}

fn reads(provider: &dyn Provider, bytes: &[u8]) {
    let answer = parts(bytes);
    let _ = answer.used_up_for();
    match provider.read(&answer) {
        Ok(reply) => assert!(reply.text.len() <= 4 * answer.body.len()),
        Err(failure) => {
            let message = failure.to_string();
            is_in_proportion(&message, bytes);
            assert!(!message.contains(KEY), "{message}");
            let _ = failure.retry_after();
        }
    }
}

macro_rules! provider {
    ($(#[$doc:meta])* $name:ident, $open:expr) => {
        $(#[$doc])*
        pub fn $name(bytes: &[u8]) {
            static PROVIDER: LazyLock<Box<dyn Provider>> =
                LazyLock::new(|| Box::new($open.expect("a provider")));
            reads(&**PROVIDER, bytes);
        }
    };
}

provider!(
    /// The Responses format.
    openai,
    RemoteModel::new(
        OpenAi,
        http(),
        OpenAi::DEFAULT_BASE_URL,
        Some(key()),
        settings(Family::OpenAi)
    )
);
provider!(
    /// The Messages format.
    anthropic,
    RemoteModel::new(
        Anthropic,
        http(),
        Anthropic::DEFAULT_BASE_URL,
        Some(key()),
        settings(Family::Anthropic)
    )
);
provider!(
    /// The generateContent format.
    google,
    RemoteModel::new(
        Google,
        http(),
        Google::DEFAULT_BASE_URL,
        Some(key()),
        settings(Family::Google)
    )
);
provider!(
    /// xAI's chat completions.
    xai,
    RemoteModel::new(
        XAi,
        http(),
        XAi::DEFAULT_BASE_URL,
        Some(key()),
        settings(Family::XAi)
    )
);
provider!(
    /// Chat completions of other hosts.
    chat,
    RemoteModel::new(
        Host::Other,
        http(),
        "https://host.example/v1",
        Some(key()),
        settings(Family::Compatible)
    )
);
provider!(
    /// Ollama's chat.
    ollama,
    RemoteModel::new(
        Ollama,
        http(),
        "https://host.example",
        Some(key()),
        settings(Family::Compatible)
    )
);
