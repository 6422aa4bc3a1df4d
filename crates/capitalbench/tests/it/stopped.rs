//! Runs that end early: at the deadline, at the operator's word, and at the second word.

use std::path::PathBuf;
use std::process::{Child, Command};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use serde_json::Value;

use crate::fake_models::{Answer, AskedRound, FAR, FakeModels, Manner, ROUND, Wire};
use crate::faulty_layer::still_clock;
use crate::harness::Ran;
use crate::waiting::Speaking;

const SIX: [(Wire, &str, &str); 6] = [
    (Wire::OpenAi, "m", ""),
    (Wire::Anthropic, "m", ""),
    (Wire::Google, "m", ""),
    (Wire::XAi, "m", ""),
    (Wire::Compatible, "m", ""),
    (Wire::Ollama, "m", ""),
];

fn signal(child: &Child, name: &str) {
    let id = child.id().to_string();
    let sent = Command::new("kill").args([name, &id]).status();
    assert!(sent.expect("kill").success());
}

#[test]
fn calls_under_way_end_at_the_deadline() {
    let server = FakeModels::start(|call| match call.wire {
        Wire::OpenAi => Answer::decision(call),
        Wire::Anthropic => Answer::decision(call).sent(Manner::Drip),
        _ => Answer::decision(call).sent(Manner::Hang),
    });
    let round = AskedRound::new(&server, &SIX);
    // The clock stands six seconds before the deadline, so each call has exactly these six.
    let deadline: jiff::Timestamp = FAR.parse().expect("an instant");
    let clock = still_clock(deadline - Duration::from_secs(6));
    let asked = |more: &str| {
        let output = round.command("r", more).envs(clock.clone()).output();
        Ran::new(more, output.expect("the program starts"))
    };
    let report = asked("--run-type official --json").code(1).json();
    for (model, said, state) in AskedRound::ledger(&report) {
        let expected = match model.as_str() {
            "openai-m" => ("valid", "valid"),
            _ => ("failed deadline", "failed"),
        };
        assert_eq!((said.as_str(), state.as_str()), expected, "{model}");
    }
    // Nobody is asked again, not even by a later process.
    assert_eq!(server.calls().len(), 6);
    asked("--resume").says("no model is asked again");
    assert_eq!(server.calls().len(), 6);
}

/// What the program says when the first signal has arrived.
const STOPPING: &str = "\"event\":\"stopping\"";

#[test]
fn the_first_interrupt_begins_nothing_and_keeps_what_arrives() {
    begins_nothing_after("-INT");
}

#[test]
fn a_machine_that_shuts_down_loses_no_call_under_way() {
    begins_nothing_after("-TERM");
}

#[track_caller]
fn begins_nothing_after(name: &str) {
    let server = FakeModels::start(|call| Answer::decision(call).until_released());
    let round = AskedRound::new(&server, &[(Wire::OpenAi, "a", ""), (Wire::OpenAi, "b", "")]);
    let more = "--run-type stability --replicates 3 --max-concurrent 2";
    let mut running = Speaking::new(round.begin("r", more));
    server.wait_for(2);
    signal(running.child(), name);
    running.until(1, STOPPING);
    server.release();
    let ran = running.ended().code(1);
    let ran = ran
        .says("r: not finished")
        .says("finish the run")
        .says("--run-id r --resume");
    assert!(ran.stderr().contains("\"open\":4"), "{ran}");
    assert_eq!(
        server.calls().len(),
        2,
        "two were under way, none came after"
    );
    let more = "--resume --max-concurrent 6 --json";
    let report = round.ask("r", more).code(0).json();
    assert_eq!(report["valid"], 6);
    assert_eq!(
        server.calls().len(),
        6,
        "what had arrived was not asked again"
    );
    round.verify();
}

#[test]
fn the_second_interrupt_leaves_at_once() {
    let server = FakeModels::start(|call| match call.before {
        0 => Answer::decision(call).sent(Manner::Hang),
        _ => Answer::decision(call),
    });
    let round = AskedRound::new(&server, &SIX);
    let mut running = Speaking::new(round.begin("r", "--run-type retrospective"));
    server.wait_for(6);
    signal(running.child(), "-INT");
    // Two signals at the same moment may arrive as one.
    running.until(1, STOPPING);
    signal(running.child(), "-INT");
    let ran = running.ended().code(2);
    let ran = ran.complains("calls under way were cut off");
    let ran = ran.complains("finish the run with --resume");
    assert!(!ran.stderr().contains("panicked"), "{ran}");
    let report = round.ask("r", "--resume --json").code(0).json();
    for (model, said, state) in AskedRound::ledger(&report) {
        assert_eq!(
            (said.as_str(), state.as_str()),
            ("unknown, valid", "valid"),
            "{model}"
        );
    }
    assert_eq!(report["unknown_cost_attempts"], 6);
    assert!(report["unknown_cost_at_most_usd"].as_f64() > Some(0.0));
    round.verify();
}

#[test]
fn a_slot_that_breaks_costs_no_answer_under_way() {
    let place: Arc<OnceLock<PathBuf>> = Arc::default();
    let attempts = Arc::clone(&place);
    let server = FakeModels::start(move |call| {
        if call.wire == Wire::OpenAi && call.before == 0 {
            // A folder stands where the answer is to be written.
            let attempts = attempts.get().expect("a place");
            std::fs::create_dir(attempts.join("openai-m__001.head.json")).expect("a folder");
            return Answer::decision(call);
        }
        // The others end after that slot broke; a seventh question must not come meanwhile.
        Answer::decision(call).once_heard(7, Duration::from_millis(500))
    });
    let round = AskedRound::new(&server, &SIX);
    let attempts = round.test().path(&format!("{ROUND}/runs/r/attempts"));
    place.set(attempts.clone()).expect("a place");
    let ran = round.ask("r", "--run-type retrospective").code(2);
    ran.complains("openai-m__001.head.json")
        .complains("finish the run with --resume");
    assert_eq!(server.calls().len(), 6);
    std::fs::remove_dir(attempts.join("openai-m__001.head.json")).expect("a removed folder");
    let report = round.ask("r", "--resume --json").code(0).json();
    for (model, said, _) in AskedRound::ledger(&report) {
        let expected = match model.as_str() {
            "openai-m" => "unknown, valid",
            _ => "valid",
        };
        assert_eq!(said, expected, "{model}");
    }
    assert_eq!(server.calls().len(), 7);
}

#[test]
fn progress_is_one_object_per_line_with_the_promised_names() {
    let server = FakeModels::start(|call| match call.before {
        0 => Answer::with_status(call, "500 Oh", &call.wire.error(500)),
        _ => Answer::decision(call),
    });
    let round = AskedRound::new(&server, &[(Wire::Google, "m", "")]);
    let ran = round.ask("r", "--json").code(0);
    let lines: Vec<Value> = ran
        .stderr()
        .lines()
        .map(|line| serde_json::from_str(line).expect("an object per line"))
        .collect();
    let names = |line: &Value| -> String {
        let members = line.as_object().expect("an object").keys();
        let names: Vec<&str> = members.map(String::as_str).collect();
        format!(
            "{}: {}",
            line["event"].as_str().expect("a word"),
            names.join(" ")
        )
    };
    let said: Vec<String> = lines.iter().map(names).collect();
    let slot = "event at_utc model_id replicate_index provider";
    let ended = "attempt status reason latency_seconds input_tokens output_tokens cost_usd";
    let expected = [
        format!("slot_started: {slot}"),
        format!("attempt_begun: {slot} attempt"),
        format!("attempt_ended: {slot} {ended}"),
        format!("waiting: {slot} reason until_utc"),
        format!("attempt_begun: {slot} attempt"),
        format!("attempt_ended: {slot} {ended}"),
        format!("slot_ended: {slot} state attempts"),
        "run_ended: event at_utc valid invalid open cost_usd".to_owned(),
    ];
    assert_eq!(said, expected);
    assert_eq!(
        (&lines[2]["reason"], &lines[5]["cost_usd"]),
        (&"server".into(), &0.0046.into())
    );
    let page = std::fs::read_to_string(crate::harness::fixtures().join("../docs/operate.md"));
    let page = page.expect("the page");
    for line in &lines {
        for name in line.as_object().expect("an object").keys() {
            assert!(
                page.contains(&format!("`{name}`")),
                "docs/operate.md does not explain {name}"
            );
        }
        let event = line["event"].as_str().expect("a word");
        assert!(
            page.contains(&format!("`{event}`")),
            "docs/operate.md does not explain {event}"
        );
    }
    let quiet = round.ask("s", "--json --quiet").code(0);
    assert_eq!(quiet.stderr(), "");
}
