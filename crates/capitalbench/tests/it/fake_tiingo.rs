//! A server on the loopback that speaks as Tiingo does, from the histories of the fixtures.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use crate::harness::{Ran, Test, fixtures};
use crate::waiting::{PATIENCE, Watched};

/// The key that must never be seen anywhere.
pub(crate) const KEY: &str = "recognisable5key7must3never9show";

/// The longest a connection waits for its question.
const QUIET: Duration = Duration::from_secs(20);

/// What the server says about a symbol; none for the true rows.
pub(crate) type Script = fn(&str) -> Option<String>;

/// A complete answer.
pub(crate) fn reply(status: &str, kind: &str, headers: &str, body: &str) -> String {
    let length = body.len();
    format!(
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\n{headers}Content-Length: {length}\r\n\
         Connection: close\r\n\r\n{body}"
    )
}

/// Success with JSON.
pub(crate) fn json(body: &str) -> String {
    reply("200 OK", "application/json", "", body)
}

/// What the server has heard, and whether it may go on.
#[derive(Default)]
struct State {
    questions: Vec<String>,
    /// From this number on, questions are not answered.
    held_from: Option<usize>,
    stopping: bool,
}

/// The server; it stops when dropped.
pub(crate) struct FakeTiingo {
    address: SocketAddr,
    shared: Arc<Watched<State>>,
    serving: Option<JoinHandle<()>>,
}

impl FakeTiingo {
    pub(crate) fn start(script: impl Fn(&str) -> Option<String> + Send + Sync + 'static) -> Self {
        Self::start_by_days(move |symbol, _| script(symbol))
    }

    /// The same for a script that looks at the days asked for too.
    pub(crate) fn start_by_days(
        script: impl Fn(&str, (&str, &str)) -> Option<String> + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = listener.local_addr().expect("its address");
        let shared = Arc::new(Watched::<State>::default());
        let kept = Arc::clone(&shared);
        let serving = thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                if kept.lock().stopping {
                    break;
                }
                serve(stream, &script, &kept);
            }
        });
        Self {
            address,
            shared,
            serving: Some(serving),
        }
    }

    /// Answers only so many questions from now on; the next one waits for `release`.
    pub(crate) fn hold_after(&self, count: usize) {
        self.shared
            .change(|state| state.held_from = Some(state.questions.len() + count));
    }

    /// Waits until a question is held; the number of questions then.
    pub(crate) fn wait_until_held(&self) -> usize {
        let is_held = |state: &State| {
            let from = state.held_from;
            from.is_some_and(|from| state.questions.len() > from)
        };
        assert!(self.shared.wait(PATIENCE, is_held), "no question is held");
        self.shared.lock().questions.len()
    }

    /// Answers again.
    pub(crate) fn release(&self) {
        self.shared.change(|state| state.held_from = None);
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The heads of all questions so far.
    pub(crate) fn questions(&self) -> Vec<String> {
        self.shared.lock().questions.clone()
    }

    /// Runs the program against this server, with the key; then looks for the key everywhere.
    #[track_caller]
    pub(crate) fn run(&self, test: &Test, arguments: &[&str]) -> Ran {
        self.run_with_plan(test, "50/1000/500", arguments)
    }

    /// The same with a plan of the operator's own.
    #[track_caller]
    pub(crate) fn run_with_plan(&self, test: &Test, plan: &str, arguments: &[&str]) -> Ran {
        self.run_with(test, &[("TIINGO_PLAN", plan)], arguments)
    }

    /// The same with the given variables beside key and address.
    pub(crate) fn run_with(
        &self,
        test: &Test,
        variables: &[(&str, &str)],
        arguments: &[&str],
    ) -> Ran {
        let url = self.url();
        let home = test.path("home").display().to_string();
        let own = [
            ("TIINGO_API_KEY", KEY),
            ("TIINGO_BASE_URL", url.as_str()),
            ("XDG_CACHE_HOME", home.as_str()),
        ];
        let ran = test.run_with(&[&own, variables].concat(), arguments);
        assert_hidden(test, &ran);
        ran
    }
}

/// The tree of a test without what is remembered about questions.
pub(crate) fn tree_without_state(test: &Test) -> std::collections::BTreeMap<String, String> {
    let mut tree = test.tree();
    tree.retain(|path, _| !path.contains(".capitalbench"));
    tree
}

/// The key, or a large part of it, is in no output and in no file.
#[track_caller]
pub(crate) fn assert_hidden(test: &Test, ran: &Ran) {
    let said = (ran.stdout() + &ran.stderr()).to_lowercase();
    for part in ["recognisable5", "must3never9"] {
        assert!(KEY.contains(part));
        assert!(!said.contains(part), "{ran}");
        for (file, text) in test.tree() {
            assert!(file.starts_with(".env") || !text.contains(part), "{file}");
        }
    }
}

impl Drop for FakeTiingo {
    fn drop(&mut self) {
        self.shared.change(|state| state.stopping = true);
        // A last connection wakes the listener.
        drop(TcpStream::connect(self.address));
        if let Some(serving) = self.serving.take() {
            drop(serving.join());
        }
    }
}

fn serve(
    mut stream: TcpStream,
    script: &impl Fn(&str, (&str, &str)) -> Option<String>,
    shared: &Watched<State>,
) {
    drop(stream.set_read_timeout(Some(QUIET)));
    drop(stream.set_write_timeout(Some(QUIET)));
    let mut question = Vec::new();
    let mut buffer = [0; 4096];
    while !question.ends_with(b"\r\n\r\n") && question.len() < 65_536 {
        match stream.read(&mut buffer) {
            Ok(0) | Err(_) => return,
            Ok(length) => question.extend_from_slice(&buffer[..length]),
        }
    }
    let question = String::from_utf8_lossy(&question).into_owned();
    let symbol = between(&question, "/tiingo/daily/", "/prices");
    let days = (
        between(&question, "startDate=", "&"),
        between(&question, "endDate=", " "),
    );
    let answer = script(symbol, days).unwrap_or_else(|| json(&rows(symbol, days)));
    shared.change(|state| state.questions.push(question.clone()));
    shared.wait(PATIENCE, |state| {
        let is_free = |from: usize| state.questions.len() <= from;
        state.stopping || state.held_from.is_none_or(is_free)
    });
    drop(stream.write_all(answer.as_bytes()));
}

fn between<'a>(text: &'a str, before: &str, after: &str) -> &'a str {
    let rest = text.split_once(before).map_or("", |(_, rest)| rest);
    rest.split_once(after).map_or("", |(found, _)| found)
}

/// The rows of a history between the days asked for, as Tiingo writes them.
fn rows(symbol: &str, (start, end): (&str, &str)) -> String {
    let file = fixtures().join(format!("operate/histories/{symbol}.csv"));
    let text = std::fs::read_to_string(file).unwrap_or_default();
    let rows = text.lines().skip(1).filter_map(|line| {
        let mut cells = line.split(',');
        let (day, close, adjusted) = (cells.next()?, cells.next()?, cells.next()?);
        (start <= day && day <= end).then(|| {
            format!(
                r#"{{"date":"{day}T00:00:00.000Z","close":{close},"high":{close},"low":{close},"open":{close},"volume":100,"adjClose":{adjusted},"adjHigh":{adjusted},"adjLow":{adjusted},"adjOpen":{adjusted},"adjVolume":100,"divCash":0.0,"splitFactor":1.0}}"#
            )
        })
    });
    format!("[{}]", rows.collect::<Vec<_>>().join(","))
}
