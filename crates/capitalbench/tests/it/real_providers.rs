//! `run-round` over HTTP: six wire formats on one local server, a fault on the way, one record.

use std::fs;

use crate::fake_models::{Answer, AskedRound, FakeModels, KEY, Wire};

const ROUND: &str = "rounds/OVER-HTTP-1W";

fn six() -> [(Wire, &'static str, &'static str); 6] {
    Wire::ALL.map(|wire| (wire, "test", ""))
}

#[test]
fn six_wire_formats_make_one_record() {
    let server = FakeModels::start(|call| match (call.wire, call.before) {
        (Wire::Anthropic, 0) => Answer::with_status(call, "529 Overloaded", &call.wire.error(529)),
        _ => Answer::decision(call),
    });
    let round = AskedRound::new(&server, &six());
    let test = round.test();
    let ask = "run-round --round rounds/OVER-HTTP-1W --models models.yaml --run-id first \
               --run-type official --yes";
    let ask: Vec<&str> = ask.split_whitespace().collect();
    // Nothing leaves the machine without the operator's word.
    test.run_with(&[("CANARY_KEY", KEY)], &ask).code(2);
    assert!(server.calls().is_empty());
    let ran = round.ask("first", "--run-type official").code(0);
    let ran = ran.says("6 valid").says("0.0276 USD recorded");
    assert!(!ran.stdout().contains("may add"), "{ran}");
    let asked = server.calls();
    assert_eq!(asked.len(), 7, "six models and one retry");
    let shown = fs::read_to_string(test.path(ROUND).join("model_input.md"));
    let shown = serde_json::to_string(shown.expect("the input").trim_end()).expect("text");
    for call in &asked {
        let body = call.body.to_string();
        assert!(
            body.contains(shown.trim_matches('"')),
            "{:?}: another text was sent",
            call.wire
        );
    }
    test.run(&["accept-run", "--round", ROUND, "--run-id", "first"])
        .code(0);
    round.verify();
}

#[test]
fn an_unknown_provider_is_answered_with_the_known_ones() {
    let server = FakeModels::start(Answer::decision);
    let round = AskedRound::new(&server, &six());
    let file = round.test().path("models.yaml");
    let models = fs::read_to_string(&file).expect("the models");
    let wrong = models.replace("provider: vllm", "provider: vlm");
    fs::write(file, wrong).expect("a written file");
    round
        .ask("first", "--run-type official")
        .code(2)
        .complains("vllm-test: the provider vlm is not known");
    assert!(server.calls().is_empty());
}
