use super::*;
use std::time::Duration;

#[tokio::test]
async fn stored_replies_come_back_in_order() {
    let replay = Replay::new("p", vec!["one".into(), "{\"a\": \"ü\"}".into()], 0);
    let question = Question {
        input: "x",
        schema: None,
        max_output_tokens: 1,
        time_limit: Duration::from_secs(1),
    };
    for expected in ["one", "{\"a\": \"ü\"}"] {
        let answer = replay.send(question).await.unwrap();
        assert_eq!(replay.read(&answer).unwrap().text, expected);
    }
    let failure = replay.send(question).await.unwrap_err();
    assert!(matches!(failure, CallFailure::Request { .. }), "{failure}");
}
