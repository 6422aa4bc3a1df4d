//! Messages of a league reach a webhook and a command once each, and never hold a secret.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpListener;
use std::path::Path;
use std::sync::mpsc::{Receiver, channel};
use std::thread;

use capitalbench_core::league::message::{MessageKind, Subject};
use capitalbench_core::league::settings::{League, MessageSettings};
use capitalbench_operations::league::folder::LeagueFolder;
use capitalbench_operations::league::messages::{deliver, post};
use capitalbench_operations::operator::configuration::Configuration;
use capitalbench_operations::operator::{Operator, Silence};

const ROUND: &str = "HOUSE-2026-12-07-1W";

/// A webhook that answers with these statuses in turn; what it was sent arrives in the channel.
fn webhook(statuses: &'static [u16]) -> (String, Receiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = listener.local_addr().expect("its address");
    let (heard, arriving) = channel();
    thread::spawn(move || {
        for (stream, status) in listener.incoming().zip(statuses) {
            let mut stream = stream.expect("a connection");
            let mut reader = BufReader::new(stream.try_clone().expect("a second end"));
            let mut length = 0;
            loop {
                let mut line = String::new();
                reader.read_line(&mut line).expect("a line");
                if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
                    length = value.trim().parse().expect("a length");
                }
                if line.trim().is_empty() {
                    break;
                }
            }
            let mut body = vec![0; length];
            reader.read_exact(&mut body).expect("a body");
            heard
                .send(String::from_utf8(body).expect("text"))
                .expect("a listener");
            let answer =
                format!("HTTP/1.1 {status} X\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
            stream.write_all(answer.as_bytes()).expect("an answer");
        }
    });
    (format!("http://{address}/services/T0/SECRETPATH"), arriving)
}

fn operator(hook: &str) -> Operator {
    let hook = hook.to_owned();
    let configuration = Configuration::new(move |name| match name {
        "LEAGUE_WEBHOOK" => Some(hook.clone()),
        "CAPITALBENCH_ALLOW_PRIVATE_ADDRESSES" => Some("1".to_owned()),
        "PATH" => Some("/usr/bin:/bin".to_owned()),
        "OPENAI_API_KEY" => Some("sk-secret".to_owned()),
        _ => None,
    });
    Operator::new(configuration, None, Box::new(Silence))
}

fn league(folder: &Path, messages: MessageSettings) -> LeagueFolder {
    let league = League {
        messages,
        ..League::named("House League")
    };
    LeagueFolder {
        folder: folder.to_owned(),
        league,
    }
}

fn opened() -> Subject {
    Subject {
        kind: MessageKind::Opened,
        round: Some(ROUND.to_owned()),
        model: None,
        at: "2026-12-07T13:05:00Z".parse().expect("an instant"),
        text: format!("{ROUND} is open."),
    }
}

fn to_webhook() -> MessageSettings {
    MessageSettings {
        webhook_variable: Some("LEAGUE_WEBHOOK".to_owned()),
        command: None,
    }
}

#[test]
fn a_message_waits_until_the_webhook_takes_it_and_is_sent_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let (url, arriving) = webhook(&[500, 204]);
    let (operator, league) = (operator(&url), league(folder.path(), to_webhook()));
    post(&operator, &league, &[opened()]).expect("an outbox");
    let problems = deliver(&operator, &league).expect("a delivery");
    assert_eq!(problems.len(), 1);
    let text = format!("{:?}", problems[0]);
    assert!(text.contains("status 500"), "{text}");
    assert!(!text.contains("SECRETPATH"), "{text}");
    let first = arriving.recv().expect("a body");
    for _ in 0..2 {
        post(&operator, &league, &[opened()]).expect("an outbox");
        assert_eq!(deliver(&operator, &league).expect("a delivery"), []);
    }
    let second = arriving.recv().expect("a body");
    assert_eq!(first, second);
    let body: serde_json::Value = serde_json::from_str(&second).expect("JSON");
    assert_eq!(body["id"], format!("opened-{ROUND}"));
    assert_eq!(body["format"], "capitalbench-message-v1");
    assert_eq!(body["league"], "House League");
    assert_eq!(body["rehearsal"], true);
    assert_eq!(body["text"], format!("{ROUND} is open."));
}

#[test]
fn a_missing_or_wrong_address_is_named_by_its_variable_only() {
    let folder = tempfile::tempdir().expect("a folder");
    let league = league(folder.path(), to_webhook());
    for (value, words) in [("", "is not set"), ("SECRETPATH", "is not an address")] {
        let value = value.to_owned();
        let lookup = move |name: &str| {
            let known = name == "LEAGUE_WEBHOOK" && !value.is_empty();
            known.then(|| value.clone())
        };
        let operator = Operator::new(Configuration::new(lookup), None, Box::new(Silence));
        post(&operator, &league, &[opened()]).expect("an outbox");
        let problems = deliver(&operator, &league).expect("a delivery");
        let text = problems[0].to_string();
        assert!(
            text.contains("LEAGUE_WEBHOOK") && text.contains(words),
            "{text}"
        );
        assert!(!text.contains("SECRETPATH"), "{text}");
    }
}

#[test]
fn a_command_gets_the_message_on_its_input_and_no_key_in_its_environment() {
    let folder = tempfile::tempdir().expect("a folder");
    let got = folder.path().join("got");
    let settings = MessageSettings {
        webhook_variable: None,
        command: Some(format!("sh -c '(cat; env) > {}'", got.display())),
    };
    let (operator, league) = (operator("unused"), league(folder.path(), settings));
    post(&operator, &league, &[opened()]).expect("an outbox");
    assert_eq!(deliver(&operator, &league).expect("a delivery"), []);
    let text = fs::read_to_string(&got).expect("what it got");
    assert!(
        text.starts_with("{\"format\":\"capitalbench-message-v1\""),
        "{text}"
    );
    assert!(
        !text.contains("API_KEY") && !text.contains("sk-secret"),
        "{text}"
    );
    let failing = LeagueFolder {
        league: League {
            messages: MessageSettings {
                webhook_variable: None,
                command: Some("sh -c 'exit 3'".to_owned()),
            },
            ..league.league.clone()
        },
        ..league
    };
    let mut other = opened();
    other.kind = MessageKind::Accepted;
    post(&operator, &failing, &[other]).expect("an outbox");
    let problems = deliver(&operator, &failing).expect("a delivery");
    assert!(
        problems[0].to_string().contains("exit status: 3"),
        "{problems:?}"
    );
}

#[test]
fn nothing_is_kept_where_nobody_is_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let league = league(folder.path(), MessageSettings::default());
    post(&operator("unused"), &league, &[opened()]).expect("nothing");
    assert!(!folder.path().join("rehearsal").exists());
}
