//! How many calls are under way together, as the server counts them.

use std::time::Duration;

use crate::fake_models::{Answer, AskedRound, FakeModels, Wire};

const FIFTY: &str = "--run-type stability --replicates 50";

#[test]
fn two_hundred_calls_never_exceed_the_limit_of_their_provider() {
    let server = FakeModels::start(|call| Answer::decision(call).after(Duration::from_millis(15)));
    let models = ["a", "b", "c", "d"].map(|name| (Wire::OpenAi, name, ""));
    let round = AskedRound::new(&server, &models);
    let ran = round.ask("r", &format!("{FIFTY} --max-concurrent 5"));
    ran.code(0).says("200 valid");
    assert_eq!(server.calls().len(), 200);
    assert_eq!(server.most_at_once(Wire::OpenAi), 5);
    round.verify();
}

#[test]
fn a_rate_limit_halves_the_calls_and_holds_up_everybody() {
    // The tenth question is turned away once; by then five are under way together.
    let server = FakeModels::start(|call| {
        let delay = Duration::from_millis(60);
        if call.id == "req_00009" {
            let wait = "Content-Type: application/json\r\nretry-after-ms: 1000\r\n";
            let body = call.wire.error(429).to_string();
            return Answer::new(call, "429 Too Many Requests", wait, body.as_bytes());
        }
        Answer::decision(call).after(delay)
    });
    let models = ["a", "b"].map(|name| (Wire::Anthropic, name, ""));
    let round = AskedRound::new(&server, &models);
    let more = "--run-type stability --replicates 15 --max-concurrent 5";
    let ran = round.ask("r", more).code(0);
    let events = ran.stderr();
    let waiting: Vec<&str> = events
        .lines()
        .filter(|line| line.contains("\"waiting\""))
        .collect();
    assert_eq!(waiting.len(), 1, "{events}");
    assert!(waiting[0].contains("\"reason\":\"rate_limit\""), "{events}");
    let calls = server.calls();
    assert_eq!(calls.len(), 31);
    assert_eq!(server.most_at_once(Wire::Anthropic), 5);
    // Those under way at that moment end; nobody else asks before the time is up.
    let after = |at: jiff::Timestamp| at.as_millisecond() - calls[9].at.as_millisecond();
    let early = calls
        .iter()
        .filter(|call| (400..1000).contains(&after(call.at)));
    assert_eq!(early.count(), 0);
    // Then two at once: a third begins only when one of them was answered.
    let later = calls.iter().filter(|call| after(call.at) >= 1000);
    let later: Vec<i64> = later.map(|call| after(call.at)).collect();
    assert!(later[2] - later[0] >= 60, "{later:?}");
}

#[test]
fn eight_slow_models_are_all_asked_at_once() {
    let server = FakeModels::start(|call| Answer::decision(call).after(Duration::from_secs(2)));
    let models = [
        (Wire::OpenAi, "a", ""),
        (Wire::Anthropic, "b", ""),
        (Wire::Google, "c", ""),
        (Wire::XAi, "d", ""),
        (Wire::Compatible, "e", ""),
        (Wire::Ollama, "f", ""),
        (Wire::OpenAi, "g", ""),
        (Wire::Anthropic, "h", ""),
    ];
    let round = AskedRound::new(&server, &models);
    round
        .ask("r", "--run-type official")
        .code(0)
        .says("8 valid");
    assert_eq!(server.most_in_all(), 8);
}
