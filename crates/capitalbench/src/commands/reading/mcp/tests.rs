use std::path::{Path, PathBuf};

use super::*;
use crate::cli::{Rounds, RoundsDir};

fn over_fixtures() -> Mcp {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/rounds");
    let folder: PathBuf = root;
    Mcp {
        rounds: Rounds {
            dir: RoundsDir { folder },
            as_of: None,
            no_cache: true,
        },
    }
}

fn said(message: &Value) -> Value {
    let text = message.to_string();
    answer(text.as_bytes(), &over_fixtures()).expect("an answer")
}

fn call(name: &str, arguments: &Value) -> (bool, String) {
    let parameters = json!({"name": name, "arguments": arguments});
    let told =
        said(&json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": parameters}));
    let result = &told["result"];
    let text = result["content"][0]["text"].as_str().expect("a text");
    (result["isError"] == true, text.to_owned())
}

#[test]
fn a_client_is_welcomed_in_its_own_version_or_in_ours() {
    let welcome = |version: &str| {
        let parameters = json!({"protocolVersion": version});
        said(&json!({"id": "a", "method": "initialize", "params": parameters}))
    };
    let known = welcome("2025-03-26");
    assert_eq!(known["result"]["protocolVersion"], "2025-03-26");
    assert_eq!(known["id"], "a");
    assert_eq!(
        welcome("1999-01-01")["result"]["protocolVersion"],
        VERSIONS[0]
    );
}

#[test]
fn a_notification_and_an_empty_line_are_not_answered() {
    let message = json!({"jsonrpc": "2.0", "method": "notifications/initialized"}).to_string();
    assert_eq!(answer(message.as_bytes(), &over_fixtures()), None);
    assert_eq!(answer(b"\n", &over_fixtures()), None);
}

#[test]
fn what_cannot_be_answered_has_the_code_of_the_protocol() {
    let broken = answer(b"{", &over_fixtures()).expect("an answer");
    assert_eq!(broken["error"]["code"], code::NO_JSON);
    assert_eq!(said(&json!([1]))["error"]["code"], code::NO_REQUEST);
    let unknown = said(&json!({"id": 1, "method": "tools/steal"}));
    assert_eq!(unknown["error"]["code"], code::NO_METHOD);
    let no_tool = json!({"id": 1, "method": "tools/call", "params": {"name": "run-round"}});
    assert_eq!(said(&no_tool)["error"]["code"], code::NO_ARGUMENTS);
}

#[test]
fn a_message_that_is_too_long_is_refused_and_the_next_one_is_read() {
    let long = usize::try_from(LONGEST_MESSAGE).expect("a size") + 7;
    let mut input = vec![b'['; long];
    input.extend(b"\n{}\n");
    let mut input = input.as_slice();
    let first = next_message(&mut input).expect("readable").expect("a line");
    assert_eq!(first.len() as u64, LONGEST_MESSAGE);
    assert_eq!(
        next_message(&mut input).expect("readable"),
        Some(b"{}\n".to_vec())
    );
    assert_eq!(next_message(&mut input).expect("readable"), None);
}

#[test]
fn every_tool_only_reads() {
    for tool in tools::list() {
        assert_eq!(tool["annotations"]["readOnlyHint"], true, "{tool}");
        assert_eq!(tool["inputSchema"]["additionalProperties"], false, "{tool}");
    }
}

#[test]
fn a_pending_round_has_decisions_and_no_result() {
    let (refused, text) = call("round", &json!({"round_id": "weekly-portfolio-pending"}));
    assert!(!refused, "{text}");
    let told: Value = serde_json::from_str(&text).expect("JSON");
    assert!(told["round"]["submissions"].is_array(), "{text}");
    assert_eq!(told["round"].get("result"), None);
    let (_, text) = call("round", &json!({"round_id": "weekly-portfolio-resolved"}));
    assert!(text.contains("\"result\":{"), "{text}");
    assert!(
        !text.contains("\"entry_prices\"") && !text.contains("exit_prices"),
        "{text}"
    );
}

#[test]
fn every_tool_answers_about_the_fixtures() {
    let model = json!({"model_id": "openai-fixture-a"});
    let calls = [
        ("boards", json!({"track": "weekly"})),
        ("rounds", json!({"limit": 1})),
        ("models", json!({})),
        ("model", model.clone()),
        ("explain", model),
        ("verify", json!({"round_id": "weekly-portfolio-resolved"})),
    ];
    for (name, arguments) in calls {
        let (refused, text) = call(name, &arguments);
        assert!(!refused, "{name}: {text}");
    }
}

#[test]
fn what_a_tool_refuses_says_what_to_ask_instead() {
    let (refused, text) = call("round", &json!({"round_id": "weekly-portfolio-resolvd"}));
    assert!(
        refused && text.contains("did you mean weekly-portfolio-resolved?"),
        "{text}"
    );
    let (refused, text) = call("verify", &json!({"round_id": "../../../etc"}));
    assert!(refused && text.contains("round_id"), "{text}");
    let (refused, text) = call("rounds", &json!({"limits": 1}));
    assert!(refused && text.contains("limits"), "{text}");
}

#[test]
fn an_answer_of_exactly_the_limit_is_the_longest() {
    assert!(short_enough("x".repeat(LONGEST_ANSWER)).is_ok());
    let refused = short_enough("x".repeat(LONGEST_ANSWER + 1));
    let error = refused.expect_err("one byte too many");
    assert!(
        error.message.contains("has 200001 bytes"),
        "{}",
        error.message
    );
}

#[test]
fn an_answer_lists_as_many_rounds_as_were_asked_for() {
    let listed = |arguments: &Value| {
        let (_, text) = call("rounds", arguments);
        let told: Value = serde_json::from_str(&text).expect("JSON");
        assert_eq!(told["count"], 3);
        told["rounds"].as_array().map(Vec::len)
    };
    assert_eq!(listed(&json!({})), Some(3));
    assert_eq!(listed(&json!({"limit": 2})), Some(2));
    assert_eq!(listed(&json!({"limit": 1_000_000, "skip": 1})), Some(2));
}
