//! How many calls are under way together, as the server counts them.

use std::time::Duration;

use crate::fake_models::{Answer, AskedRound, FakeModels, Wire};
use crate::waiting::{PATIENCE, Speaking};

const FIFTY: &str = "--run-type stability --replicates 50";

#[test]
fn two_hundred_calls_never_exceed_the_limit_of_their_provider() {
    // Five at a time are held until the fifth has come.
    let server = FakeModels::start(|call| {
        let fifth = (call.index / 5 + 1) * 5;
        Answer::decision(call).once_heard(fifth, PATIENCE)
    });
    let models = ["a", "b", "c", "d"].map(|name| (Wire::OpenAi, name, ""));
    let round = AskedRound::new(&server, &models);
    let ran = round.ask("r", &format!("{FIFTY} --max-concurrent 5"));
    ran.code(0).says("200 valid");
    assert_eq!(server.calls().len(), 200);
    assert_eq!(server.most_at_once(Wire::OpenAi), 5);
    round.verify();
}

#[test]
fn a_rate_limit_halves_the_calls_and_pauses_the_provider() {
    // The tenth question is refused while four others are under way; those are answered when the
    // program has read the refusal.
    let server = FakeModels::start(|call| match call.index {
        0..5 => Answer::decision(call).once_heard(5, PATIENCE),
        5..9 => Answer::decision(call).until_released(),
        9 => {
            let wait = "Content-Type: application/json\r\nretry-after-ms: 1000\r\n";
            let body = call.wire.error(429).to_string();
            Answer::new(call, "429 Too Many Requests", wait, body.as_bytes())
        }
        // A third question that is not held back has a moment to show itself.
        10..12 => Answer::decision(call).once_heard(13, Duration::from_millis(300)),
        _ => Answer::decision(call),
    });
    let models = ["a", "b"].map(|name| (Wire::Anthropic, name, ""));
    let round = AskedRound::new(&server, &models);
    let more = "--run-type stability --replicates 15 --max-concurrent 5";
    let mut running = Speaking::new(round.begin("r", more));
    running.until(1, "\"waiting\"");
    assert_eq!(server.calls().len(), 10);
    server.release();
    let events = running.ended().code(0).stderr();
    let waiting: Vec<&str> = events
        .lines()
        .filter(|line| line.contains("\"waiting\""))
        .collect();
    assert_eq!(waiting.len(), 1, "{events}");
    assert!(waiting[0].contains("\"reason\":\"rate_limit\""), "{events}");
    let calls = server.calls();
    assert_eq!(calls.len(), 31);
    assert_eq!(server.most_at_once(Wire::Anthropic), 5);
    // No other question leaves before the time is up.
    let after = |at: jiff::Timestamp| at.as_millisecond() - calls[9].at.as_millisecond();
    let next = after(calls[10].at);
    assert!(next >= 1000, "asked again after {next} ms");
    // Then two at once: a third begins only when one of them was answered.
    let at_once = [10, 11, 12].map(|index: usize| calls[index].under_way);
    assert!(at_once.iter().all(|count| *count <= 2), "{at_once:?}");
}

#[test]
fn eight_slow_models_are_all_asked_at_once() {
    let server = FakeModels::start(|call| Answer::decision(call).once_heard(8, PATIENCE));
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
