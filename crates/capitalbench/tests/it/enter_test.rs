//! `enter test`: the kit finds what is wrong with an agent, in words for its author.

use std::io::{BufRead as _, BufReader};
use std::net::TcpListener;
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::fake_agent::{FakeAgent, Manner};
use crate::harness::{Ran, Test, changes};

/// Plays a frozen round of the fixtures to an agent.
fn play(agent: &FakeAgent, more: &[&str]) -> Ran {
    let test = Test::weekly();
    let before = test.tree();
    let url = agent.url();
    let own = ["enter", "test", &url, "--time-limit", "2s"];
    let ran = test.run(&[&own[..], more].concat());
    assert_eq!(
        changes(&before, &test.tree()),
        [""; 0],
        "the kit keeps nothing"
    );
    ran
}

/// The one fault that the kit finds, and how its sentence begins.
fn finds(manner: Manner, code: &str, words: &str) {
    let agent = FakeAgent::start(manner);
    let said = play(&agent, &["--json"]).code(1).json();
    assert_eq!(said["holds"], false, "{said}");
    let faults = said["faults"].as_array().expect("faults");
    assert_eq!(faults.len(), 1, "{said}");
    assert_eq!(faults[0]["code"], code, "{said}");
    let text = faults[0]["text"].as_str().expect("a sentence");
    assert!(text.starts_with(&format!("the agent {words}")), "{text}");
    assert_eq!(agent.heard().len(), 1, "an agent is asked once");
}

#[test]
fn an_agent_that_answers_as_it_should_is_ready() {
    let agent = FakeAgent::start(Manner::True);
    play(&agent, &[])
        .code(0)
        .says("ok  answered in")
        .says("60, ")
        .says("a transcript of 2 steps");
    let asked = agent.heard().remove(0);
    assert_eq!(asked["format"], "capitalbench-agent-question-v1");
    assert_eq!(asked["synthetic"], true);
    assert_eq!(asked["time_limit_seconds"], 2);
    assert_eq!(asked["inputs_sha256"].as_str().map(str::len), Some(64));
    let text = asked["model_input"].as_str().expect("the frozen text");
    let options = asked["options"].as_array().expect("options");
    for option in options {
        let id = option["option_id"].as_str().expect("an id");
        assert!(text.contains(id), "{id} stands in the text");
    }
    let round = asked["round_id"].as_str().expect("an id");
    assert!(round.starts_with("KIT-") && text.contains(round), "{round}");
}

#[test]
fn a_late_agent_is_found() {
    finds(
        Manner::Late,
        "late",
        "gave no complete answer within 2 seconds",
    );
}

#[test]
fn a_slow_drip_is_found() {
    finds(
        Manner::Drip,
        "slow-drip",
        "began to answer and was not done 1 seconds later",
    );
}

#[test]
fn an_oversized_answer_is_found() {
    finds(
        Manner::Flood,
        "oversized",
        "answered with more than 4194304 bytes",
    );
}

#[test]
fn an_answer_that_breaks_off_is_found() {
    finds(
        Manner::Cut,
        "truncated",
        "broke the answer off in the middle",
    );
}

#[test]
fn a_redirect_to_a_private_address_is_found_and_not_followed() {
    let words = "redirects to http://169.254.169.254/latest/meta-data, an address of a private network; \
                 redirects are not followed";
    finds(Manner::Redirect, "redirect", words);
}

#[test]
fn another_status_is_found() {
    finds(Manner::Broken, "status", "answered with status 500 (");
}

#[test]
fn a_wrong_content_type_is_found() {
    let words = "answered with the content type \"text/html; charset=utf-8\"";
    finds(Manner::OtherType, "content-type", words);
}

#[test]
fn an_answer_that_is_not_json_is_found() {
    finds(
        Manner::NoJson,
        "not-json",
        "answered with text that is not one JSON object",
    );
}

#[test]
fn an_answer_that_is_no_text_is_found() {
    finds(
        Manner::NoText,
        "not-text",
        "answered with bytes that are not UTF-8",
    );
}

#[test]
fn a_repeated_member_is_found() {
    finds(
        Manner::Twice,
        "repeated-member",
        "repeats a member, so that two readers",
    );
}

#[test]
fn an_unknown_member_is_found() {
    finds(
        Manner::OtherMember,
        "form",
        "answered in another form: unknown field `reasoning`",
    );
}

#[test]
fn percentages_with_fractions_are_found() {
    finds(Manner::Fractions, "form", "answered in another form: ");
}

#[test]
fn another_version_of_the_protocol_is_found() {
    finds(
        Manner::OtherFormat,
        "format",
        "names the format \"capitalbench-agent-answer-v2\"",
    );
}

#[test]
fn an_answer_to_another_round_is_found() {
    finds(
        Manner::OtherRound,
        "wrong-round",
        "answers the round LAST-WEEK-1W, and was asked about KIT-",
    );
}

#[test]
fn an_answer_to_other_inputs_is_found() {
    finds(
        Manner::OtherInputs,
        "other-inputs",
        "answers other inputs of the round",
    );
}

#[test]
fn a_missing_transcript_is_found() {
    finds(Manner::NoTranscript, "no-transcript", "sends no transcript");
}

#[test]
fn an_empty_step_is_found() {
    finds(
        Manner::EmptyStep,
        "empty-step",
        "sends a step without text in the transcript: the 2. one",
    );
}

#[test]
fn an_unknown_option_is_found() {
    finds(
        Manner::UnknownOption,
        "unknown-option",
        "holds MOON, which is no option of this round",
    );
}

#[test]
fn a_wrong_sum_is_found() {
    finds(
        Manner::WrongSum,
        "wrong-sum",
        "holds 90 % in all; the percentages must add up to 100",
    );
}

#[test]
fn too_many_holdings_are_found() {
    finds(
        Manner::TooMany,
        "rule",
        "breaks a rule of the round: portfolio: has 10 holdings",
    );
}

#[test]
fn an_agent_that_is_not_there_or_may_not_be_asked_is_found() {
    let test = Test::weekly();
    let url = "http://127.0.0.1:1/decide";
    let nobody = ["enter", "test", url, "--time-limit", "2s"];
    let said = test.run(&nobody).code(1);
    said.says("unreachable: the agent cannot be reached: no connection");
    let private = [("CAPITALBENCH_ALLOW_PRIVATE_ADDRESSES", "0")];
    let said = test.run_with(&private, &nobody).code(1);
    said.says("its address is private; for a server of your own set");
    test.run_with(&private, &["enter", "test", "http://169.254.169.254/x"])
        .code(1)
        .says("its address is private");
    for (url, words) in [
        ("agent.example", "is not the address of an agent"),
        (
            "https://u:p@agent.example/",
            "is not the address of an agent",
        ),
    ] {
        test.run(&["enter", "test", url]).code(2).complains(words);
    }
    test.run(&["enter", "test", url, "--time-limit", "2h"])
        .code(2)
        .complains("from one second to one hour");
}

#[test]
fn a_frozen_round_is_played_as_it_is() {
    let agent = FakeAgent::start(Manner::True);
    let test = Test::weekly();
    let round = crate::harness::WEEKLY;
    test.run(&["hash-round", "--round", round]).code(0);
    let url = agent.url();
    let typed = [
        "enter",
        "test",
        &url,
        "--time-limit",
        "5s",
        "--round",
        round,
    ];
    let ran = test.run(&typed);
    let asked = agent.heard().remove(0);
    assert_eq!(asked["round_id"], round, "{ran}");
    let input = std::fs::read_to_string(test.path(round).join("model_input.md"));
    assert_eq!(
        asked["model_input"],
        Value::from(input.expect("the frozen text"))
    );
}

/// The agent of the documentation, word for word but for its port.
#[test]
fn the_documented_agent_is_ready() {
    let file = crate::harness::fixtures().join("../docs/agent-protocol.md");
    let page = std::fs::read_to_string(file).expect("the documentation");
    let source = page
        .split("```python\n")
        .nth(1)
        .and_then(|rest| rest.split("```").next());
    let free = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let port = free.local_addr().expect("its address").port().to_string();
    drop(free);
    let source = source.expect("an agent").replace("8000", &port);
    let mut agent = Command::new("python3")
        .args(["-c", &source])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("python3 is on the machine");
    let mut said = BufReader::new(agent.stdout.take().expect("its output"));
    let mut line = String::new();
    said.read_line(&mut line).expect("a line");
    assert_eq!(line, "listening\n");
    let url = format!("http://127.0.0.1:{port}/decide");
    let ran = Test::weekly().run(&["enter", "test", &url]);
    agent.kill().expect("its end");
    agent.wait().expect("its end");
    ran.code(0).says("50, ").says("a transcript of 1 step");
}

/// The schema of the documentation has the members that are sent, and no others.
#[test]
fn the_schema_names_what_is_sent() {
    let agent = FakeAgent::start(Manner::True);
    play(&agent, &[]).code(0);
    let asked = agent.heard().remove(0);
    let file = crate::harness::fixtures().join("../docs/agent-protocol.schema.json");
    let schema = std::fs::read(file).expect("the schema");
    let schema: Value = serde_json::from_slice(&schema).expect("JSON");
    let question = &schema["$defs"]["question"];
    let names = |value: &Value| -> Vec<String> {
        let mut names: Vec<String> = value
            .as_object()
            .expect("an object")
            .keys()
            .cloned()
            .collect();
        names.sort();
        names
    };
    assert_eq!(names(&question["properties"]), names(&asked));
    let rules = &question["properties"]["rules"]["properties"];
    assert_eq!(names(rules), names(&asked["rules"]));
    let option = &question["properties"]["options"]["items"]["properties"];
    assert_eq!(names(option), names(&asked["options"][0]));
}
