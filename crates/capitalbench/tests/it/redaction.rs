//! A key in every variable, servers that repeat everything they hear, and every command that could
//! ask them: the key is in no output and in no file.

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use crate::due_rounds::{LATER, due_rounds};
use crate::fake_models::{FAR, V1_1, frozen_with};
use crate::harness::{Ran, Test, WEEKLY};
use crate::operator::{ROUND, draft};

const KEY: &str = "Sk-Echo5never8Shown2Anywhere7/+=x";
/// Parts of the key in lower case, short enough to be found in any spelling of it.
const PARTS: [&str; 3] = ["echo5never8", "shown2anywhere7", "anywhere7"];
/// Every variable that holds a key.
const VARIABLES: [&str; 13] = [
    "TIINGO_API_KEY",
    "ALPHAVANTAGE_API_KEY",
    "OPENAI_API_KEY",
    "ANTHROPIC_API_KEY",
    "GOOGLE_API_KEY",
    "XAI_API_KEY",
    "DEEPSEEK_API_KEY",
    "MISTRAL_API_KEY",
    "GROQ_API_KEY",
    "TOGETHER_API_KEY",
    "FIREWORKS_API_KEY",
    "OPENROUTER_API_KEY",
    "CANARY_KEY",
];
/// Commands that ask somebody; the others must not.
const ASKING: [&str; 7] = [
    "fetch-universe-performance",
    "validate-universe",
    "fetch-prices",
    "resolve-due",
    "update-interim-performance",
    "smoke-provider",
    "run-round",
];
/// Manners of the server: the status line and the type of its body.
const MANNERS: [(&str, &str); 7] = [
    ("200 OK", "application/json"),
    ("200 OK", "text/plain"),
    ("302 Found", "text/html"),
    ("400 Bad Request", "application/json"),
    ("401 Unauthorized", "application/json"),
    ("429 Too Many Requests", "text/plain"),
    ("500 Broken", "text/html"),
];

/// The key in every encoding, alone and at the other two places of a group of three.
fn encoded() -> Vec<String> {
    let each = |spelled: &dyn Fn(u8) -> String| KEY.bytes().map(spelled).collect::<String>();
    let named = KEY.replace('/', "&sol;").replace('+', "&plus;");
    let mut forms = vec![
        each(&|byte| format!("&#{byte};")),
        each(&|byte| format!("&#x{byte:X};")),
        each(&|byte| format!("&amp;#{byte};")),
        each(&|byte| format!("%{byte:02x}")),
        each(&|byte| format!("\\u{byte:04x}")),
        each(&|byte| format!("{byte:02x}")),
        named.replace('=', "&equals;"),
    ];
    for last in [b"+/", b"-_"] {
        for before in ["", "x", "xy"] {
            forms.push(base64(&format!("{before}{KEY}{before}"), *last));
        }
    }
    forms
}

fn base64(text: &str, last: [u8; 2]) -> String {
    let letters = (b'A'..=b'Z').chain(b'a'..=b'z').chain(b'0'..=b'9');
    let letters: Vec<u8> = letters.chain(last).collect();
    let bits: Vec<u8> = text
        .bytes()
        .flat_map(|byte| (0..8).rev().map(move |at| byte >> at & 1))
        .collect();
    let sign = |six: &[u8]| {
        let value = (0..6).fold(0, |value, at| value << 1 | six.get(at).unwrap_or(&0));
        char::from(letters[usize::from(value)])
    };
    bits.chunks(6).map(sign).collect()
}

/// Whether a text tells four characters of the key or more in any encoding.
fn tells(text: &str, forms: &[String]) -> bool {
    let piece = |form: &String| {
        // Ends may tell of a neighbour of the key; a piece that the key shares with nobody does not.
        let bytes = form.as_bytes();
        let middle = &bytes[8..bytes.len() - 8];
        middle.chunks_exact(12).any(|piece| {
            let piece = std::str::from_utf8(piece).expect("a piece in ASCII");
            text.contains(piece)
        })
    };
    forms.iter().any(piece)
}

/// Where the server stands, and how often it was asked.
struct Echo {
    address: String,
    heard: Arc<AtomicUsize>,
}

/// A server that answers with what it was asked: the address, the headers, and the key spelled out.
fn echo(status: &'static str, kind: &'static str) -> Echo {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = listener.local_addr().expect("its address");
    let heard = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&heard);
    thread::spawn(move || {
        let forms = encoded();
        for mut stream in listener.incoming().flatten() {
            let number = counter.fetch_add(1, Ordering::SeqCst);
            let _ = stream.set_read_timeout(Some(Duration::from_secs(20)));
            let mut heard = Vec::new();
            let mut chunk = [0; 4096];
            // A TLS greeting has no end that could be waited for.
            let is_whole = |heard: &[u8]| {
                heard.windows(4).any(|four| four == b"\r\n\r\n") || heard.first() == Some(&0x16)
            };
            while !is_whole(&heard) {
                match stream.read(&mut chunk) {
                    Ok(count) if count > 0 => heard.extend_from_slice(&chunk[..count]),
                    _ => break,
                }
            }
            let heard = String::from_utf8_lossy(&heard);
            let asked = heard.split("\r\n\r\n").next().unwrap_or_default();
            // Whoever was told the key tells it in every form, each of them as the first word of some
            // answer, which is what messages show.
            let told_key = heard.to_lowercase().contains(PARTS[0]);
            let words = if told_key { &forms[..] } else { &[] };
            let word = words
                .get(number % forms.len())
                .map_or("nothing", |word| word);
            let all = words.join(" ");
            let first = asked.lines().next().unwrap_or_default();
            let asked = format!("{word} {asked} {all}");
            let told = serde_json::json!({"error": {"message": asked, "code": KEY, "type": first},
                "detail": asked, "id": KEY, "model": word, "Information": asked});
            let body = match kind {
                "application/json" => told.to_string(),
                _ => format!("{asked}\n{KEY}\n"),
            };
            let _ = write!(
                stream,
                "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\n\
                 Location: http://{address}/?apikey={KEY}\r\nx-request-id: {word}\r\n\
                 x-ratelimit-reset-requests: {KEY}\r\nretry-after: {KEY}\r\nConnection: close\r\n\r\n{body}",
                body.len()
            );
        }
    });
    Echo {
        address: format!("http://{address}"),
        heard,
    }
}

/// Runs a command with the key everywhere and looks for it everywhere.
fn hides(test: &Test, echo: &Echo, arguments: &[&str]) -> Ran {
    let address = echo.address.as_str();
    let before = echo.heard.load(Ordering::SeqCst);
    let mut variables: Vec<(&str, &str)> = VARIABLES.map(|name| (name, KEY)).to_vec();
    for name in ["TIINGO_BASE_URL", "ALPHAVANTAGE_BASE_URL", "YAHOO_BASE_URL"] {
        variables.push((name, address));
    }
    variables.push(("TIINGO_PLAN", "-/-/-"));
    let ran = test.run_with(&variables, arguments);
    let asked = echo.heard.load(Ordering::SeqCst) > before;
    assert_eq!(asked, ASKING.contains(&arguments[0]), "{ran}");
    let said = ran.stdout() + &ran.stderr();
    let forms = encoded();
    assert!(!tells(&said, &forms), "{ran}");
    for (file, text) in test.tree() {
        let both = format!("{file} {text}");
        assert!(!tells(&both, &forms), "{file} after {ran}");
        for part in PARTS {
            assert!(!both.to_lowercase().contains(part), "{file} after {ran}");
        }
    }
    for part in PARTS {
        assert!(KEY.to_lowercase().contains(part));
        assert!(!said.to_lowercase().contains(part), "{ran}");
    }
    ran
}

#[test]
fn price_commands_show_no_key() {
    // A server that fails is asked again after seconds, for every option; that is left to the
    // tests of the sources.
    for (status, kind) in MANNERS
        .into_iter()
        .filter(|(status, _)| !status.starts_with('5'))
    {
        let echo = echo(status, kind);
        for source in ["tiingo", "alphavantage", "yahoo"] {
            let test = draft();
            let performance = "--as-of-date 2026-12-04 --now 2030-01-01T00:00:30Z";
            let line = format!(
                "fetch-universe-performance --round {ROUND} {performance} --source {source}"
            );
            let fetch: Vec<&str> = line.split_whitespace().collect();
            hides(&test, &echo, &fetch).fails();
        }
        let test = draft();
        let range = "--start-date 2025-12-04 --end-date 2026-12-04";
        let line = format!("validate-universe --round {ROUND} {range}");
        let validate: Vec<&str> = line.split_whitespace().collect();
        hides(&test, &echo, &validate).fails();

        let test = Test::weekly().remove("prices");
        for source in ["tiingo", "alphavantage"] {
            let line = format!(
                "fetch-prices --round {WEEKLY} --full-universe --now 2026-03-10T02:00:00Z --source {source}"
            );
            let fetch: Vec<&str> = line.split_whitespace().collect();
            hides(&test, &echo, &fetch).fails();
        }
        let test = due_rounds(1);
        let due = ["resolve-due", "--now", LATER, "--json"];
        hides(&test, &echo, &due);
        let track = "update-interim-performance --track all --snapshot-date 2026-03-04 \
                     --now 2026-03-05T02:00:00Z";
        let track: Vec<&str> = track.split_whitespace().collect();
        let test = due_rounds(1);
        hides(&test, &echo, &track).fails();
    }
}

/// Models of every provider at one address.
fn models(address: &str) -> String {
    let providers = [
        "openai",
        "anthropic",
        "google",
        "xai",
        "deepseek",
        "mistral",
        "groq",
        "together",
        "fireworks",
        "vllm",
        "llama_cpp",
        "ollama",
        "openai_compatible",
    ];
    let model = |provider: &str| {
        format!(
            "- {{model_id: m-{provider}, provider: {provider}, api_model_name: any, \
             base_url: '{address}', api_key_env: CANARY_KEY}}\n"
        )
    };
    format!("models:\n{}", providers.map(model).concat())
}

#[test]
fn model_commands_show_no_key() {
    for (status, kind) in MANNERS {
        let echo = echo(status, kind);
        let test = frozen_with(&models(&echo.address), FAR, V1_1);
        fs::write(test.path("prices.yaml"), "pricing: {}\n").expect("a written file");
        hides(&test, &echo, &["check-providers"]).code(0);
        hides(&test, &echo, &["check-providers", "--json"]).code(0);
        let smoke = [
            "smoke-provider",
            "--models",
            "models.yaml",
            "m-openai",
            "--allow-real-api-calls",
        ];
        hides(&test, &echo, &smoke);
        let line = "run-round --round rounds/OVER-HTTP-1W --models models.yaml --pricing prices.yaml \
                    --run-id echo --allow-real-api-calls --yes --retry-pause 0.005";
        let run: Vec<&str> = line.split_whitespace().collect();
        hides(&test, &echo, &run);
        let list = ["list-runs", "--round", "rounds/OVER-HTTP-1W"];
        hides(&test, &echo, &list);
    }
}

/// A private address is asked only where somebody says so, and the refusal says how.
#[test]
fn private_addresses_need_permission() {
    let echo = echo("200 OK", "application/json");
    let test = draft();
    let line = format!(
        "fetch-universe-performance --round {ROUND} --as-of-date 2026-12-04 \
         --now 2030-01-01T00:00:30Z --source tiingo"
    );
    let fetch: Vec<&str> = line.split_whitespace().collect();
    let closed = [
        ("TIINGO_API_KEY", KEY),
        ("TIINGO_BASE_URL", echo.address.as_str()),
        ("CAPITALBENCH_ALLOW_PRIVATE_ADDRESSES", "0"),
    ];
    test.run_with(&closed, &fetch)
        .code(2)
        .complains("TIINGO_BASE_URL: the base URL leads to a private address")
        .complains("CAPITALBENCH_ALLOW_PRIVATE_ADDRESSES=1");
    let metadata = [
        ("TIINGO_API_KEY", KEY),
        ("TIINGO_BASE_URL", "http://169.254.169.254/latest"),
        ("CAPITALBENCH_ALLOW_PRIVATE_ADDRESSES", "1"),
    ];
    test.run_with(&metadata, &fetch)
        .code(2)
        .complains("the base URL leads to a private address");
    fs::write(test.path("models.yaml"), models(&echo.address)).expect("a written file");
    let smoke = |model: &str| {
        let variables = [
            ("CANARY_KEY", KEY),
            ("CAPITALBENCH_ALLOW_PRIVATE_ADDRESSES", "0"),
        ];
        let asked = [
            "smoke-provider",
            "--models",
            "models.yaml",
            model,
            "--allow-real-api-calls",
        ];
        test.run_with(&variables, &asked)
    };
    smoke("m-openai").complains("m-openai: the base URL leads to a private address");
    // A server that is the operator's own by its kind is asked.
    let own = smoke("m-vllm");
    assert!(!own.stderr().contains("private address"), "{own}");
    let marked = models(&echo.address).replace(
        "provider: openai,",
        "provider: openai, metadata: {local: true},",
    );
    fs::write(test.path("models.yaml"), marked).expect("a written file");
    let marked = smoke("m-openai");
    assert!(!marked.stderr().contains("private address"), "{marked}");
}
