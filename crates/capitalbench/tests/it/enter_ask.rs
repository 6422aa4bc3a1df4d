//! Agents of a league: asked once before the deadline, sealed until the entry close, on a board of
//! their own.

use std::fs;
use std::process::Stdio;

use serde_json::Value;

use crate::fake_agent::{FakeAgent, Manner};
use crate::harness::{Ran, Test, codes_of, command};
use crate::waiting::wait_until;

const NAME: &str = "HOUSE-2026-12-07-1W";
const ROUND: &str = "rehearsal/rounds/HOUSE-2026-12-07-1W";
const ROUNDS: &str = "rehearsal/rounds";
const BEFORE: &str = "2026-12-07T13:00:00Z";
const CLOSED: &str = "2026-12-07T21:05:00Z";
const LEAGUE: &str = "name: House\nentrants: {registrations: [admitted]}\n";
const MODELS: &str = "models:\n- {model_id: amber, provider: mock, api_model_name: amber}\n\
                      - {model_id: dune, provider: mock, api_model_name: dune}\n";

/// A league whose first round is frozen and asked, with these agents in its log.
struct House {
    test: Test,
    agents: Vec<FakeAgent>,
}

impl House {
    fn with(agents: &[(&str, Manner)]) -> Self {
        let test = Test::operator("");
        fs::write(test.path("league.yaml"), LEAGUE).expect("a league file");
        fs::write(test.path("models.yaml"), MODELS).expect("a models file");
        test.run(&["league", "run", "--now", "2026-12-07T12:55:00Z"])
            .code(0);
        let mut house = Self {
            test,
            agents: Vec::new(),
        };
        for (name, manner) in agents {
            let agent = FakeAgent::start(*manner);
            house.register(name, &agent);
            house.agents.push(agent);
        }
        house.run("enter collect", BEFORE).code(0);
        house
    }

    fn register(&self, name: &str, agent: &FakeAgent) {
        let key = format!("{name}.key");
        let contact = format!("{name}@example.org");
        self.test
            .run(&["enter", "keys", "--name", name, "--key", &key])
            .code(0);
        let who = [
            "--entrant",
            name,
            "--name",
            name,
            "--kind",
            "agent",
            "--key",
            &key,
        ];
        let how = [
            "--contact",
            &contact,
            "--method",
            "It adds up.",
            "--model",
            "amber",
        ];
        let url = agent.url();
        let asked = [
            "--agent",
            &url,
            "--time-limit",
            "2s",
            "--output",
            "admitted",
        ];
        let typed = [&["enter", "register", ROUNDS][..], &who, &how, &asked].concat();
        self.test.run(&typed).code(0);
    }

    fn run(&self, words: &str, now: &str) -> Ran {
        let typed: Vec<&str> = words.split(' ').chain(["--now", now]).collect();
        self.test.run(&typed)
    }

    fn ask(&self, now: &str) -> Ran {
        self.run(&format!("enter ask --json --round {ROUND}"), now)
    }

    /// The findings of the log.
    fn codes(&self, now: &str) -> Vec<String> {
        let report = self.run(&format!("verify {ROUNDS} --json"), now).json();
        let found = report["log"]["findings"].as_array().expect("findings");
        codes_of(found, &["error", "warning"])
    }
}

/// Where a public file about an agent lies.
fn shown(name: &str) -> String {
    format!("{ROUNDS}/log/agents/{NAME}/{name}")
}

fn outcomes(said: &Value) -> Vec<(String, String)> {
    let asked = said["asked"].as_array().expect("who was asked").iter();
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    asked
        .map(|own| (text(&own["entrant"]), text(&own["outcome"])))
        .collect()
}

#[test]
fn an_agent_is_asked_once_sealed_and_shown_after_the_entry_close() {
    let house = House::with(&[("good", Manner::True), ("wrong", Manner::WrongSum)]);
    let said = house.ask(BEFORE).code(1).json();
    let told: Vec<(String, String)> = [("good", "valid"), ("wrong", "wrong-sum")]
        .map(|(who, what)| (who.to_owned(), what.to_owned()))
        .to_vec();
    assert_eq!(outcomes(&said), told);
    let asked = house.agents[0].heard().remove(0);
    assert_eq!(asked["round_id"], NAME);
    assert_eq!(asked["league"], "capitalbench/HOUSE");
    assert_eq!(asked["time_limit_seconds"], 2);

    // Nobody is asked twice, and before the entry close nothing of an answer is public.
    house
        .run(&format!("enter ask --round {ROUND}"), BEFORE)
        .code(0)
        .says("no agent is to be asked or shown now");
    assert!(house.agents.iter().all(|agent| agent.heard().len() == 1));
    assert!(!house.test.path(&format!("{ROUNDS}/log/agents")).exists());
    house.run("league run", "2026-12-07T14:30:00Z").code(0);
    assert_eq!(house.codes("2026-12-07T15:00:00Z"), [""; 0]);

    let said = house.ask(CLOSED).code(0).json();
    assert_eq!(said["shown"], serde_json::json!(["good", "wrong"]));
    let answer = fs::read_to_string(house.test.path(&shown("good.answer")));
    assert!(answer.expect("an answer").contains("60 + 40 = 100"));
    assert_eq!(house.codes("2026-12-08T15:00:00Z"), [""; 0]);

    // One bit of what is public, a question, or nothing at all.
    for (name, code) in [
        ("good.answer", "entry-edited"),
        ("good.question", "entry-edited"),
    ] {
        let path = house.test.path(&shown(name));
        let before = fs::read(&path).expect("a file");
        let mut bytes = before.clone();
        bytes[40] ^= 1;
        fs::write(&path, bytes).expect("a changed file");
        assert_eq!(house.codes("2026-12-08T15:00:00Z"), [code], "{name}");
        fs::write(&path, before).expect("a mended file");
    }
    let path = house.test.path(&shown("wrong.answer"));
    let before = fs::read(&path).expect("a file");
    fs::remove_file(&path).expect("a removed file");
    assert_eq!(house.codes("2026-12-08T15:00:00Z"), ["entry-missing"]);
    fs::write(&path, before).expect("a mended file");

    resolved(&house);
}

/// The board of the open lane, and the same model with and without tools.
fn resolved(house: &House) {
    const LATER: &str = "2026-12-15T01:20:00Z";
    house.run("league run", LATER).code(0);
    let board = house.test.run(&[
        "leaderboard",
        "--rounds-dir",
        ROUNDS,
        "--as-of",
        LATER,
        "--json",
    ]);
    let told = board.json();
    let lanes = told["entrants"].as_array().expect("boards");
    assert_eq!(lanes.len(), 1, "{told}");
    assert_eq!(lanes[0]["lane"], "open");
    assert_eq!(lanes[0]["rows"].as_array().map(Vec::len), Some(2));
    let wrong = lanes[0]["rows"].as_array().expect("rows").iter();
    let wrong: Vec<&Value> = wrong.filter(|row| row["entrant"] == "wrong").collect();
    assert_eq!(wrong[0]["as_cash"], 1, "{told}");
    house
        .test
        .run(&[
            "build-site",
            "--rounds-dir",
            ROUNDS,
            "--as-of",
            LATER,
            "--images",
            "none",
            "--output",
            "late",
        ])
        .code(0);
    let page = fs::read_to_string(house.test.path(&format!("late/rounds/{NAME}/index.html")));
    let page = page.expect("the page of the round");
    assert!(page.contains("The same model with and without tools"));
    let page = fs::read_to_string(house.test.path("late/entrants/index.html"));
    let page = page.expect("the page of entrants");
    assert!(page.contains("Open lane") && page.contains("wrong-sum"));
    // Among the models no agent stands anywhere.
    let models = told["boards"].to_string() + &told["rows"].to_string();
    assert!(!models.contains("\"good\""), "{models}");
}

#[test]
fn after_the_deadline_nobody_is_asked() {
    let house = House::with(&[("late", Manner::True)]);
    let said = house.ask("2026-12-07T14:26:00Z").code(0).json();
    assert_eq!(outcomes(&said), []);
    assert_eq!(house.agents[0].heard(), [Value::Null; 0]);
}

#[test]
fn an_agent_that_never_answers_counts_as_cash() {
    let house = House::with(&[("slow", Manner::Late), ("moved", Manner::Redirect)]);
    let said = house.ask(BEFORE).code(1).json();
    let told = [("moved", "redirect"), ("slow", "late")];
    assert_eq!(
        outcomes(&said),
        told.map(|(who, what)| (who.to_owned(), what.to_owned()))
    );
    house.ask(CLOSED).code(0);
    assert_eq!(house.codes("2026-12-08T15:00:00Z"), [""; 0]);
}

#[test]
fn a_question_whose_answer_a_kill_lost_is_named_and_then_closed() {
    let house = House::with(&[("slow", Manner::Late)]);
    let words = format!("enter ask --round {ROUND} --now {BEFORE}");
    let words: Vec<&str> = words.split(' ').collect();
    let mut asking = command(&words)
        .current_dir(house.test.folder())
        .env("CAPITALBENCH_ALLOW_PRIVATE_ADDRESSES", "1")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the program starts");
    wait_until("the question", || !house.agents[0].heard().is_empty());
    asking.kill().expect("a killed process");
    asking.wait().expect("its end");
    let later = "2026-12-07T15:00:00Z";
    assert_eq!(house.codes(later), ["agent-unanswered"]);
    // The next one asks nobody again; what nobody saw counts as cash.
    house.ask(later);
    assert_eq!(house.agents[0].heard().len(), 1);
    assert_eq!(house.codes(later), [""; 0]);
}
