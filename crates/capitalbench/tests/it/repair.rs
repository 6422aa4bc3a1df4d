//! A run that was turned away before anything was generated: the cause is repaired, `--resume` asks what
//! is open, and the record holds without a warning.

use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::Value;

use crate::fake_models::{Answer, AskedRound, Call, FakeModels, ROUND, V1_1, V1_2, Wire};
use crate::faulty_layer::still_clock;
use crate::harness::{Ran, Test, codes_of};
use crate::page_script::{look, node};

const OFFICIAL: &str = "--run-type official --json";
const RESUME: &str = "--resume --json";

/// A cause that the test repairs.
#[derive(Clone, Default)]
struct Repaired(Arc<AtomicBool>);

impl Repaired {
    fn now(&self) {
        self.0.store(true, Ordering::SeqCst);
    }

    fn is(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }
}

fn refused(call: &Call, status: u16) -> Answer {
    Answer::with_status(call, &format!("{status} No"), &call.wire.error(status))
}

/// Two models answer; the others are refused with this status until the cause is repaired.
fn refusing(status: u16) -> (FakeModels, Repaired) {
    let repaired = Repaired::default();
    let seen = repaired.clone();
    let server = FakeModels::start(move |call| match call.wire {
        Wire::OpenAi if !seen.is() => refused(call, status),
        _ => Answer::decision(call),
    });
    (server, repaired)
}

fn four() -> [(Wire, &'static str, &'static str); 4] {
    [
        (Wire::OpenAi, "a", ""),
        (Wire::OpenAi, "b", ""),
        (Wire::Anthropic, "c", ""),
        (Wire::Google, "d", ""),
    ]
}

/// How often each model got a decision.
fn decisions(server: &FakeModels) -> Vec<(String, usize)> {
    let calls = server.calls();
    let mut found: Vec<(String, usize)> = Vec::new();
    for call in calls.iter().filter(|call| call.answered) {
        let name = format!("{}-{}", call.wire.provider(), call.model);
        match found.iter_mut().find(|(known, _)| *known == name) {
            Some((_, count)) => *count += 1,
            None => found.push((name, 1)),
        }
    }
    found.sort();
    found
}

fn accept(test: &Test) {
    let words = ["accept-run", "--round", ROUND, "--run-id", "r"];
    test.run(&words).code(0);
}

fn edit(test: &Test, from: &str, to: &str) {
    let file = test.path("models.yaml");
    let models = fs::read_to_string(&file).expect("the models");
    assert!(models.contains(from), "{models}");
    fs::write(file, models.replace(from, to)).expect("a written file");
}

/// The price of one name becomes that of another.
fn price_as(test: &Test, from: &str, to: &str) {
    let file = test.path("prices.yaml");
    let card = fs::read_to_string(&file).expect("the prices");
    let renamed = card.replace(&format!("    {from}:"), &format!("    {to}:"));
    fs::write(file, renamed).expect("a written file");
}

/// The round gets a log before it is asked.
fn sign(test: &Test) {
    let keys = [
        "keys",
        "init",
        "--rounds-dir",
        "rounds",
        "--name",
        "log.example",
    ];
    test.run(&keys).code(0);
    test.run(&["hash-round", "--round", ROUND]).code(0);
}

fn a_wrong_key_is_repaired(signed: bool, label: &str) {
    let (server, repaired) = refusing(401);
    let round = AskedRound::under(label, &server, &four());
    if signed {
        sign(round.test());
    }
    let report = round.ask("r", OFFICIAL).code(1).json();
    let found = AskedRound::ledger(&report);
    let said: Vec<(&str, &str)> = found.iter().map(|row| (&*row.1, &*row.2)).collect();
    let open = ("failed key", "open");
    assert_eq!(said, [open, open, ("valid", "valid"), ("valid", "valid")]);
    assert_eq!(report["complete"], false);
    let advice = &report["waiting_for_repair"][0];
    assert_eq!(advice["model_id"], "openai-a");
    let text = advice["repair"].as_str().expect("a sentence");
    assert_eq!(text, "CANARY_KEY was refused; put the right key into .env");
    let command = report["next_command"].as_str().expect("a command");
    assert_eq!(
        command,
        format!(
            "capitalbench run-round --round {ROUND} --models models.yaml --run-id r --resume \
             --allow-real-api-calls"
        )
    );
    // Whoever resumes too early is told the same again, as often as they like.
    for _ in 0..3 {
        round.ask("r", RESUME).code(1);
    }
    repaired.now();
    let report = round.ask("r", RESUME).code(0).json();
    assert_eq!(report["valid"], 4);
    let once = ["anthropic-c", "google-d", "openai-a", "openai-b"];
    assert_eq!(decisions(&server), once.map(|name| (name.to_owned(), 1)));
    round.ask("r", "--resume").code(0).says("is finished");
    accept(round.test());
    round.verify();
    let verified = round.test().run(&["verify", ROUND, "--strict", "--json"]);
    assert_eq!(
        codes_of(&findings(&verified.code(0).json()), &["error", "warning"]),
        [""; 0]
    );
}

fn findings(report: &Value) -> Vec<Value> {
    let found = report["rounds"][0]["findings"].as_array();
    found.expect("findings").clone()
}

#[test]
fn a_wrong_key_is_repaired_and_every_model_answers_once() {
    a_wrong_key_is_repaired(false, V1_1);
    a_wrong_key_is_repaired(false, V1_2);
}

#[test]
fn a_wrong_key_is_repaired_in_a_signed_round() {
    a_wrong_key_is_repaired(true, V1_1);
    a_wrong_key_is_repaired(true, V1_2);
}

#[test]
fn what_is_open_is_said_with_its_repair_and_the_next_command() {
    let (server, _) = refusing(401);
    let round = AskedRound::new(&server, &four());
    let ran = round.ask("r", "--run-type official").code(1);
    ran.says("openai-a: CANARY_KEY was refused; put the right key into .env")
        .says("not finished")
        .says("before 2028-06-05 13:25 UTC with `capitalbench run-round")
        .says("--run-id r --resume --allow-real-api-calls`");
}

#[test]
fn a_run_without_a_deadline_ends_at_a_refused_key() {
    let (server, _) = refusing(401);
    let round = AskedRound::new(&server, &four());
    let report = round
        .ask("r", "--run-type retrospective --json")
        .code(1)
        .json();
    assert_eq!(
        (&report["complete"], &report["invalid"]),
        (&true.into(), &2.into())
    );
    assert_eq!(server.calls().len(), 4);
}

#[test]
fn an_open_slot_ends_with_the_deadline() {
    let (server, repaired) = refusing(401);
    let round = AskedRound::new(&server, &four());
    round.ask("r", OFFICIAL).code(1);
    repaired.now();
    let calls = server.calls().len();
    let clock = still_clock("2028-06-05T13:25:00Z".parse().expect("an instant"));
    let output = round.command("r", RESUME).envs(clock).output();
    let ran = Ran::new("after the deadline", output.expect("the program starts"));
    let report = ran.code(1).json();
    assert_eq!(
        (&report["complete"], &report["invalid"]),
        (&true.into(), &2.into())
    );
    assert_eq!(report["slots"][0]["state"], "failed");
    assert_eq!(server.calls().len(), calls);
}

#[test]
fn a_rate_limit_uses_up_no_retry_and_does_not_last_for_ever() {
    let server = FakeModels::start(|call| match (call.wire, call.before) {
        (Wire::OpenAi, 0..4) | (Wire::Anthropic, _) => {
            let wait = "Content-Type: application/json\r\nretry-after-ms: 2\r\n";
            let body = call.wire.error(429).to_string();
            Answer::new(call, "429 Too Many Requests", wait, body.as_bytes())
        }
        _ => Answer::decision(call),
    });
    let models = [(Wire::OpenAi, "a", ""), (Wire::Anthropic, "c", "")];
    let round = AskedRound::new(&server, &models);
    let more = format!("{OFFICIAL} --max-retries 0");
    let report = round.ask("r", &more).code(1).json();
    let found = AskedRound::ledger(&report);
    let four = ["failed rate_limit"; 4].join(", ");
    assert_eq!(found[0].1, format!("{four}, valid"));
    assert_eq!(found[1].1, ["failed rate_limit"; 6].join(", "));
    assert_eq!(found[1].2, "open");
}

#[test]
fn a_wait_of_hours_leaves_the_slot_open_at_once() {
    let server = FakeModels::start(|call| {
        let wait = "Content-Type: application/json\r\nretry-after: 7200\r\n";
        let body = call.wire.error(429).to_string();
        Answer::new(call, "429 Too Many Requests", wait, body.as_bytes())
    });
    let round = AskedRound::new(&server, &[(Wire::OpenAi, "a", "")]);
    let report = round.ask("r", OFFICIAL).code(1).json();
    assert_eq!(AskedRound::ledger(&report)[0].2, "open");
    assert_eq!(server.calls().len(), 1);
}

#[test]
fn an_unseen_attempt_counts_across_repairs() {
    let server = FakeModels::start(|call| match call.before {
        0 => refused(call, 401),
        1 => Answer::nothing(),
        _ => Answer::decision(call),
    });
    let round = AskedRound::new(&server, &[(Wire::OpenAi, "a", "")]);
    round
        .ask("r", &format!("{OFFICIAL} --max-retries 0"))
        .code(1);
    let report = round.ask("r", RESUME).code(1).json();
    let slot = &report["slots"][0];
    assert_eq!(
        (&slot["state"], &slot["unseen_attempts"]),
        (&"failed".into(), &1.into())
    );
    // One attempt may have been answered, and no retry is allowed: the run is finished.
    round.ask("r", "--resume").code(1).says("is finished");
    assert_eq!(server.calls().len(), 2);
}

#[test]
fn only_key_and_address_within_the_frozen_hosts_may_change() {
    let (server, repaired) = refusing(401);
    let round = AskedRound::new(&server, &four());
    let test = round.test();
    round.ask("r", OFFICIAL).code(1);
    repaired.now();
    let before = server.calls().len();
    let good = fs::read_to_string(test.path("models.yaml")).expect("the models");
    let base = server.base_url(Wire::OpenAi);
    let elsewhere = FakeModels::start(Answer::decision);
    let moved = elsewhere.base_url(Wire::OpenAi);
    let changes = [
        (
            base.as_str(),
            moved.as_str(),
            "openai-a: base_url: leads to",
        ),
        (
            "api_model_name: a",
            "api_model_name: z",
            "openai-a: api_model_name: was a",
        ),
        (
            "api_model_name: b\n",
            "api_model_name: b\n  temperature: 0.5\n",
            "openai-b: temperature: was null when the run began and is now 0.5",
        ),
    ];
    for (from, to, why) in changes {
        edit(test, from, to);
        round.ask("r", RESUME).code(2).complains(why);
        fs::write(test.path("models.yaml"), &good).expect("a written file");
    }
    assert_eq!((server.calls().len(), elsewhere.calls().len()), (before, 0));
    // Another way to the same host, and the same key under another variable.
    edit(test, &base, &format!("{base}/"));
    edit(test, "CANARY_KEY", "OTHER_KEY");
    let mut command = round.command("r", RESUME);
    let output = command.env("OTHER_KEY", crate::fake_models::KEY).output();
    let ran = Ran::new("another variable", output.expect("the program starts"));
    assert_eq!(ran.code(0).json()["valid"], 4);
    accept(test);
    round.verify();
}

#[test]
fn another_name_needs_a_signed_repair_before_the_next_attempt() {
    let server = FakeModels::start(|call| match call.model.as_str() {
        "old" => refused(call, 401),
        _ => Answer::decision(call),
    });
    let models = [(Wire::OpenAi, "old", ""), (Wire::Anthropic, "c", "")];
    let round = AskedRound::new(&server, &models);
    let test = round.test();
    sign(test);
    round.ask("r", OFFICIAL).code(1);
    for (more, why) in [
        ("--rename-model openai-old=new", "--reason"),
        (
            "--rename-model anthropic-c=new --reason retired",
            "an attempt under its present name may have been answered",
        ),
        (
            "--rename-model nobody=new --reason retired",
            "r has no such model",
        ),
        (
            "--rename-model openai-old=old --reason retired",
            "its name is old already",
        ),
    ] {
        let more = format!("--resume {more}");
        round.ask("r", &more).code(2).complains(why);
    }
    assert!(!test.file("runs/r/repairs").exists());
    price_as(test, "old", "new");
    let rename = "--rename-model openai-old=new --reason retired";
    // A look ahead writes nothing.
    round
        .ask("r", &format!("--resume {rename} --dry-run"))
        .code(0);
    assert!(!test.file("runs/r/repairs").exists());
    let report = round.ask("r", &format!("{RESUME} {rename}")).code(0).json();
    assert_eq!(report["valid"], 2);
    let cost = report["slots"][0]["attempts"][1]["cost_usd"].as_f64();
    assert!(cost.is_some_and(|cost| cost > 0.0), "{report}");
    let repair: Value = serde_json::from_str(&test.read("runs/r/repairs/001.json")).expect("JSON");
    let said = ["model_id", "from", "to", "reason"].map(|name| repair[name].as_str());
    let expected = ["openai-old", "old", "new", "retired"];
    assert_eq!(said, expected.map(Some));
    let log = test.read("runs/r/run_log.jsonl");
    let names: Vec<Value> = log
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).expect("JSON"))
        .filter(|line| line["model_id"] == "openai-old")
        .map(|line| line["api_model_name"].clone())
        .collect();
    assert_eq!(names, ["old", "new"]);
    accept(test);
    round.verify();
    page_agrees(test);
    changed_repairs_are_found(test);
}

fn changed_repairs_are_found(test: &Test) {
    // A repair that somebody edits, or that the attempts do not bear out, is found.
    let file = test.file("runs/r/repairs/001.json");
    let good = fs::read_to_string(&file).expect("a repair");
    fs::write(&file, good.replace("retired", "bought")).expect("a spoiled repair");
    let found = test.run(&["verify", ROUND, "--json"]).code(1).json();
    let found = codes_of(&findings(&found), &["error"]);
    assert!(
        found.contains(&"logged-file-differs".to_owned()),
        "{found:?}"
    );
    assert!(
        found.contains(&"event-contradicts-files".to_owned()),
        "{found:?}"
    );
    fs::remove_file(&file).expect("a removed repair");
    let found = test.run(&["verify", ROUND, "--json"]).code(1).json();
    let found = codes_of(&findings(&found), &["error"]);
    assert!(
        found.contains(&"logged-file-missing".to_owned()),
        "{found:?}"
    );
}

/// The verify page reads the log of a repaired round as the program does.
fn page_agrees(test: &Test) {
    test.run(&["build-site", "--rounds-dir", "rounds"]).code(0);
    if !node() {
        return;
    }
    let round = test.path(ROUND).canonicalize().expect("a round");
    let round = round.display().to_string();
    let found = look(test, &serde_json::json!({}), &[&round]).remove(0);
    assert_eq!(found["level"], "SIGNED", "{found}");
    let lines = found["lines"].as_array().expect("lines");
    let broken = lines.iter().filter(|line| line["state"] == "differs");
    assert_eq!(broken.count(), 0, "{found}");
}

#[test]
fn a_model_without_a_price_has_no_cost_of_zero() {
    let server = FakeModels::start(Answer::decision);
    let models = [(Wire::OpenAi, "a", ""), (Wire::Compatible, "b", "")];
    let round = AskedRound::new(&server, &models);
    price_as(round.test(), "b", "z");
    let dry = round.ask("r", "--dry-run --json").code(0).json();
    assert_eq!(dry["worst_case_usd"], Value::Null);
    assert_eq!(dry["unpriced_models"], serde_json::json!(["vllm-b"]));
    let why = "Cost unknown: 1 of 2 models has no price: vllm-b; write it into";
    round.ask("r", "--dry-run").code(0).complains(why);
    let ran = round.ask("r", "--run-type official").code(0);
    ran.complains(why).says("0.0046 USD recorded");
    let report = round
        .ask("s", "--run-type retrospective --json")
        .code(0)
        .json();
    assert_eq!(report["cost_usd"], Value::Null);
    assert_eq!(report["unpriced_models"], serde_json::json!(["vllm-b"]));
}

#[test]
fn an_answer_under_another_name_is_kept_paid_and_shown() {
    let server = FakeModels::start(|call| {
        let text = crate::fake_models::decision(&call.body);
        Answer::json(
            call,
            &call
                .wire
                .answer("gpt-mini", crate::fake_models::Said::Text(&text)),
        )
    });
    let round = AskedRound::new(&server, &[(Wire::OpenAi, "a", "")]);
    round
        .ask("r", "--run-type official")
        .code(1)
        .says("served as gpt-mini, not accepted")
        .says("0.0046 USD recorded");
    let ended = round
        .test()
        .read("runs/r/attempts/openai-a__001.ended.json");
    assert!(ended.contains("\"served_model\": \"gpt-mini\""), "{ended}");
}
