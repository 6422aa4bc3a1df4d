//! Every answer of `fixtures/answers`, read by its provider's adapter.

use std::collections::{BTreeMap, BTreeSet};

use capitalbench_adapters::provider::{CallFailure, Provider, RawAnswer, Reply};
use capitalbench_core::asking::call_settings::CallSettings;
use capitalbench_core::asking::cost::Cost;
use capitalbench_core::decision::submission::reply::{Ending, read_reply};
use capitalbench_testing::answers::{Filling, Recorded, recorded};

#[path = "../../examples/shared/by_name.rs"]
mod by_name;

const DECISION: &str = r#"{"round_id": "R", "model_id": "m", "portfolio": [{"option_id": "SP500", "allocation_pct": 100, "rationale": "a \"broad\" one"}], "confidence": 0.5}"#;

/// What every provider's file must show, by the beginnings of names, and the files in which a case
/// cannot come up.
const CASES: [(&[&str], &[&str]); 14] = [
    (&["plain_success"], &[]),
    (&["success_with_thinking"], &[]),
    // They answer with the requested name, or with one that only the operator can know.
    (
        &["dated_name"],
        &["bedrock", "llama_cpp", "minimax", "ollama", "vllm"],
    ),
    // The operator's own server limits nobody.
    (&["per_minute_limit"], &["llama_cpp"]),
    (
        &["used_up_allowance", "daily_limit"],
        &["llama_cpp", "vllm"],
    ),
    (&["overload"], &[]),
    (&["refusal"], &[]),
    // There is no filter behind it.
    (&["content_filter"], &["ollama"]),
    (&["truncation"], &[]),
    (&["tool_"], &[]),
    (&["wrong_key"], &[]),
    (&["unknown_model", "retired_model"], &[]),
    (&["html_error_page"], &[]),
    (&["cut_body"], &[]),
];

/// The adapter that reads a provider's answers; none for a provider that does not exist.
fn adapter(recorded: &Recorded) -> Option<Box<dyn Provider>> {
    let line = &recorded.line;
    let calls = CallSettings {
        served_models: line.settings.served_models.clone(),
        routing: line.settings.routing.clone(),
        ..CallSettings::default()
    };
    let url = "http://127.0.0.1:1";
    let opened = by_name::provider(&recorded.provider, &line.model, &calls, url)?;
    Some(opened.unwrap_or_else(|error| panic!("{}: {error}", recorded.id())))
}

fn filling(recorded: &Recorded) -> Filling<'static> {
    Filling {
        decision: DECISION,
        wait: recorded.line.expect.wait_seconds.unwrap_or(0.0),
    }
}

/// The ledger's word for what was read. Whether a served name fits is not the adapter's to say.
fn outcome(read: &Result<Reply, CallFailure>) -> String {
    let word = match read {
        Ok(reply) => of_reply(reply),
        Err(failure) => of_failure(failure),
    };
    word.to_owned()
}

fn of_failure(failure: &CallFailure) -> &'static str {
    match failure {
        CallFailure::Transport(_) => "transport",
        CallFailure::Unreachable(_) => "unreachable",
        CallFailure::Timeout(_) => "timeout",
        CallFailure::RateLimited { .. } => "rate_limit",
        CallFailure::Server { .. } => "server",
        CallFailure::Overloaded { .. } => "overloaded",
        CallFailure::Quota { .. } => "quota",
        CallFailure::NoModel { .. } => "no_model",
        CallFailure::Filtered { .. } => "filter",
        CallFailure::FailedGeneration { .. } => "malformed",
        CallFailure::Key { .. } => "key",
        CallFailure::Request { .. } => "request",
        CallFailure::Unreadable(_) => "unreadable",
    }
}

fn of_reply(reply: &Reply) -> &'static str {
    let stop = format!("{:?}", reply.stop);
    let ending = match stop.as_str() {
        "Complete" => Ending::Complete,
        "Other" => Ending::Unsure,
        "Length" => return "truncated",
        "Refusal" => return "refusal",
        "Filter" => return "filter",
        "Tool" => return "tool",
        "Failed" => return "malformed",
        "Unknown" => return "unreadable",
        other => panic!("an ending without a word: {other}"),
    };
    match read_reply(&reply.text, ending) {
        Ok(_) => "valid",
        Err(fault) => match format!("{fault:?}").as_str() {
            "Empty" => "empty",
            "NothingBegun" => "refusal",
            _ => "malformed",
        },
    }
}

/// Everything that differs from what is expected.
fn differences(recorded: &Recorded, adapter: &dyn Provider) -> Vec<String> {
    let filling = filling(recorded);
    let answer = RawAnswer {
        status: recorded.line.status,
        headers: recorded.headers(&filling),
        body: recorded.body(&filling),
    };
    let read = adapter.read(&answer);
    let expect = &recorded.line.expect;
    // The adapter reads the reply of another model like any other.
    let expected = match expect.outcome.as_str() {
        "other_model" => "valid",
        word => word,
    };
    let mut found = Vec::new();
    let mut compare = |what: &str, is: String, should: String| {
        if is != should {
            let id = recorded.id();
            found.push(format!("{id}: {what} is {is}, expected {should}"));
        }
    };
    compare("the outcome", outcome(&read), expected.to_owned());
    match &read {
        Err(failure) => {
            let wait = failure.retry_after().map(|wait| wait.as_secs_f64());
            compare(
                "the wait",
                format!("{wait:?}"),
                format!("{:?}", expect.wait_seconds),
            );
        }
        Ok(reply) => compare_reply(recorded, reply, &mut compare),
    }
    found
}

fn compare_reply(
    recorded: &Recorded,
    reply: &Reply,
    compare: &mut impl FnMut(&str, String, String),
) {
    let expect = &recorded.line.expect;
    if let Some(tokens) = expect.tokens {
        let read = reply.tokens;
        // A part that is not named is a part of nothing.
        let parts =
            [read.cached, read.cache_written, read.reasoning].map(Option::unwrap_or_default);
        let should = [tokens.cached, tokens.cache_written, tokens.reasoning];
        let should = should.map(Option::unwrap_or_default);
        compare(
            "the input",
            format!("{:?}", read.input),
            format!("{:?}", tokens.input),
        );
        compare(
            "the output",
            format!("{:?}", read.output),
            format!("{:?}", tokens.output),
        );
        compare(
            "cached, cache written and reasoning",
            format!("{parts:?}"),
            format!("{should:?}"),
        );
    }
    let billed = reply.billed.map(Cost::usd);
    compare(
        "billed",
        format!("{billed:?}"),
        format!("{:?}", expect.billed_usd),
    );
    let said = [
        ("the served name", &reply.served_model, &expect.served_model),
        ("the tier", &reply.service_tier, &expect.service_tier),
        ("the host", &reply.answered_by, &expect.answered_by),
    ];
    for (what, is, should) in said {
        if should.is_some() {
            compare(what, format!("{is:?}"), format!("{should:?}"));
        }
    }
    if expect.outcome == "valid" {
        let kept = reply.text.contains(DECISION);
        compare("the text", kept.to_string(), true.to_string());
    }
}

#[test]
fn every_recorded_answer_is_read_as_its_line_expects() {
    let mut wrong = Vec::new();
    let mut read = 0;
    for recorded in recorded() {
        let Some(adapter) = adapter(&recorded) else {
            continue;
        };
        read += 1;
        wrong.extend(differences(&recorded, &*adapter));
    }
    assert!(read >= 200, "only {read} answers were read");
    assert!(
        wrong.is_empty(),
        "{} of {read}:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

#[test]
fn good_answers_and_faults_are_many_enough() {
    let all = recorded();
    let good = all.iter().filter(|one| one.line.expect.outcome == "valid");
    assert!(good.count() >= 150);
    assert!(all.len() >= 200);
    let ids: BTreeSet<String> = all.iter().map(Recorded::id).collect();
    assert_eq!(ids.len(), all.len(), "a name stands twice in a file");
    assert!(all.iter().all(|one| !one.line.source.is_empty()));
}

#[test]
fn every_provider_shows_every_case() {
    let mut names: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for one in recorded() {
        names.entry(one.provider).or_default().push(one.line.name);
    }
    assert_eq!(names.len(), 24);
    for (provider, names) in names {
        for (starts, without) in CASES {
            let shown = |name: &String| starts.iter().any(|start| name.starts_with(start));
            let exempt = without.contains(&provider.as_str());
            assert!(
                exempt || names.iter().any(shown),
                "{provider} has no answer of the case {}",
                starts.join(" or ")
            );
        }
    }
}

#[test]
fn no_provider_of_the_corpus_is_unknown() {
    let unknown: BTreeSet<String> = recorded()
        .into_iter()
        .filter(|recorded| adapter(recorded).is_none())
        .map(|recorded| recorded.provider)
        .collect();
    assert_eq!(unknown, BTreeSet::new());
}
