use super::*;

fn mock(format: SubmissionFormat, script: Script) -> Mock {
    let id = |text: &&str| OptionId::parse(text).unwrap();
    let model = MockModel {
        model_id: ModelId::parse("m").unwrap(),
        provider: "p".into(),
        round_id: RoundId::parse("R").unwrap(),
        options: ["A", "B", "C", "D"].iter().map(id).collect(),
        format,
        constraints: Constraints::default(),
        seed: 0,
    };
    Mock::new(model, script)
}

const QUESTION: Question<'static> = Question {
    input: "What would you hold?",
    schema: None,
    max_output_tokens: 100,
    time_limit: Duration::from_secs(1),
};

#[tokio::test]
async fn answers_are_the_same_every_time_and_add_up() {
    let one = mock(SubmissionFormat::Portfolio, Script::default());
    let answer = one.send(QUESTION).await.unwrap();
    let reply = one.read(&answer).unwrap();
    assert_eq!(
        reply.text,
        mock(SubmissionFormat::Portfolio, Script::default()).text()
    );
    let value: Value = serde_json::from_str(&reply.text).unwrap();
    let weights = value["portfolio"].as_array().unwrap().iter();
    let total: u64 = weights.filter_map(|h| h["allocation_pct"].as_u64()).sum();
    assert_eq!(total, 100);
    let pick: Value =
        serde_json::from_str(&mock(SubmissionFormat::SinglePick, Script::default()).text())
            .unwrap();
    assert!(pick["selected_option_id"].is_string());
}

#[tokio::test]
async fn faults_come_first_and_in_order() {
    let words = [
        "transport",
        "timeout",
        "rate_limit",
        "server",
        "key",
        "truncated",
        "invalid_json",
        "invalid_decision",
        "refusal",
    ];
    let script = Script {
        faults: words.iter().filter_map(|word| Fault::parse(word)).collect(),
        ..Script::default()
    };
    let mock = mock(SubmissionFormat::Portfolio, script);
    let mut said = Vec::new();
    for _ in 0..=words.len() {
        said.push(match mock.send(QUESTION).await {
            Err(failure) => failure.to_string(),
            Ok(answer) => format!("{:?}", mock.read(&answer).unwrap().stop),
        });
    }
    let expected = [
        "transport: connection reset",
        "no complete answer within 1s",
        "rate limit; wait 0 s",
        "server failed with HTTP 503: overloaded",
        "key refused with HTTP 401: the key is unknown",
        "Length",
        "Complete",
        "Complete",
        "Refusal",
        "Complete",
    ];
    assert_eq!(said, expected);
    assert_eq!(Fault::parse("good luck"), None);
}
