//! One bad model does not end a round: refused, unknown to its provider, or slow at the deadline, the
//! round goes on without it and says so everywhere.

use std::fs;

use serde_json::{Value, json};

use crate::fake_models::{Answer, AskedRound, Call, FakeModels, Manner, ROUND, Said, V1_2, Wire};
use crate::faulty_layer::still_clock;
use crate::harness::{Ran, Test, codes_of, copy_tree};
use crate::page_script::{look, node};
use crate::signed_round::demo_inputs;

const OFFICIAL: &str = "--run-type official --json";
/// Just after the deadline of the round over HTTP.
const AFTER: &str = "2028-06-05T13:30:00Z";

/// Of four models the first one behaves badly.
fn round(bad: impl Fn(&Call) -> Answer + Send + Sync + 'static) -> (FakeModels, AskedRound) {
    let server = FakeModels::start(move |call| match call.model.as_str() {
        "bad" => bad(call),
        _ => Answer::decision(call),
    });
    let models = [
        (Wire::OpenAi, "bad", ""),
        (Wire::OpenAi, "b", ""),
        (Wire::Anthropic, "c", ""),
        (Wire::Google, "d", ""),
    ];
    let round = AskedRound::under(V1_2, &server, &models);
    (server, round)
}

/// Gives the round a signed log before it is asked.
fn sign(test: &Test) {
    let keys = "keys init --rounds-dir rounds --name log.example";
    let keys: Vec<&str> = keys.split_whitespace().collect();
    test.run(&keys).code(0);
    test.run(&["hash-round", "--round", ROUND]).code(0);
}

fn accept(test: &Test, now: Option<&'static str>) -> Ran {
    let words = ["accept-run", "--round", ROUND, "--run-id", "r", "--json"];
    let now = now.map_or(vec![], |now| vec!["--now", now]);
    test.run(&[&words[..], &now].concat())
}

/// The accepted round names the model with this reason, and holds for the program and the page.
fn goes_on_without(round: &AskedRound, accepted: &Ran, reason: &str) {
    let missing = json!([{"model_id": "openai-bad", "reason": reason}]);
    let acceptance = &accepted.json()["acceptance"];
    assert_eq!(acceptance["without_answer"], missing, "{accepted}");
    assert_eq!(
        acceptance["submissions"]
            .as_object()
            .map_or(0, serde_json::Map::len),
        3
    );
    let test = round.test();
    let verify = ["verify", ROUND, "--json", "--now", AFTER];
    let report = test.run(&verify).code(0).json();
    let found = report["rounds"][0]["findings"]
        .as_array()
        .expect("findings");
    assert_eq!(codes_of(found, &["error", "warning"]), [""; 0], "{report}");
    let site = ["build-site", "--rounds-dir", "rounds", "--as-of", AFTER];
    test.run(&site).code(0);
    let page = fs::read_to_string(test.path("site/rounds/OVER-HTTP-1W/index.html"));
    let page = page.expect("the page of the round");
    assert!(page.contains("no valid answer: "), "{page}");
    assert!(page.contains("openai-bad"), "{page}");
    let data = fs::read_to_string(test.path("site/data/missing_answers.csv"));
    let data = data.expect("the table of missing answers");
    assert!(
        data.contains(&format!("OVER-HTTP-1W,openai-bad,{reason},")),
        "{data}"
    );
    if !node() {
        return;
    }
    let folder = test.path(ROUND).canonicalize().expect("a round");
    let reader = json!({"now": AFTER});
    let told = look(test, &reader, &[&folder.display().to_string()]).remove(0);
    let lines = told["lines"].as_array().expect("lines");
    let broken = lines.iter().filter(|line| line["state"] == "differs");
    assert_eq!(broken.count(), 0, "{told}");
    let published = look(test, &reader, &["OVER-HTTP-1W"]).remove(0);
    let lines = published["lines"].as_array().expect("lines");
    let broken = lines.iter().filter(|line| line["state"] == "differs");
    assert_eq!(broken.count(), 0, "{published}");
}

#[test]
fn a_model_that_refuses_does_not_end_the_round() {
    let (server, round) = round(|call| Answer::json(call, &call.wire.answer("bad", Said::Refusal)));
    sign(round.test());
    let report = round.ask("r", OFFICIAL).code(0).json();
    assert_eq!(report["valid"], 3);
    assert_eq!(report["official_score_eligible"], true);
    round
        .ask("r", "--resume")
        .code(0)
        .says("r is finished, 3 of 4 valid; no model is asked again");
    assert_eq!(server.calls().len(), 4);
    let accepted = accept(round.test(), None).code(0);
    goes_on_without(&round, &accepted, "refusal");
    hidden_or_invented_reasons_are_found(round.test());
}

/// Nobody can hide a model without an answer, change its reason, or drop a model that answered.
fn hidden_or_invented_reasons_are_found(test: &Test) {
    let place = format!("{ROUND}/runs/r/acceptance.json");
    let good = fs::read_to_string(test.path(&place)).expect("an acceptance");
    for (from, to) in [
        ("\"reason\": \"refusal\"", "\"reason\": \"timeout\""),
        ("openai-bad\"", "openai-b\""),
    ] {
        assert!(good.contains(from), "{good}");
        fs::write(test.path(&place), good.replace(from, to)).expect("a spoiled file");
        let report = test
            .run(&["verify", ROUND, "--json", "--now", AFTER])
            .code(1);
        let found = report.json()["rounds"][0]["findings"].clone();
        let found = codes_of(found.as_array().expect("findings"), &["error"]);
        assert!(
            found.contains(&"missing-answers-differ".to_owned()),
            "{found:?}"
        );
    }
    fs::write(test.path(&place), good).expect("the file again");
}

#[test]
fn a_model_that_its_provider_does_not_offer_does_not_end_the_round() {
    let (server, round) =
        round(|call| Answer::with_status(call, "404 Not Found", &call.wire.error(404)));
    sign(round.test());
    let report = round.ask("r", OFFICIAL).code(1).json();
    assert_eq!(report["complete"], false);
    // Until the deadline the name can be repaired, so the run is not ended by an acceptance.
    let early = accept(round.test(), None).code(1).json();
    assert_eq!(early["refusals"][0]["code"], "not-eligible", "{early}");
    let calls = server.calls().len();
    let accepted = accept(round.test(), Some(AFTER)).code(0);
    assert_eq!(server.calls().len(), calls, "an acceptance asks nobody");
    goes_on_without(&round, &accepted, "no_model");
}

#[test]
fn a_model_that_is_slow_at_the_deadline_does_not_end_the_round() {
    let (_server, round) = round(|call| Answer::decision(call).sent(Manner::Hang));
    sign(round.test());
    let start = "2028-06-05T13:24:56Z".parse().expect("an instant");
    let mut command = round.command("r", OFFICIAL);
    command.envs(still_clock(start)).env("CLOCK_STILL", "0");
    let ran = Ran::new(
        "at the deadline",
        command.output().expect("the program starts"),
    );
    let report = ran.code(0).json();
    assert_eq!(AskedRound::ledger(&report)[0].1, "failed deadline");
    assert_eq!(report["valid"], 3);
    let accepted = accept(round.test(), Some(AFTER)).code(0);
    goes_on_without(&round, &accepted, "deadline");
}

#[test]
fn a_killed_run_is_closed_after_the_deadline_without_asking() {
    let (server, round) = round(|call| Answer::decision(call).until_released());
    sign(round.test());
    let mut child = round.begin("r", OFFICIAL);
    server.wait_for(4);
    // The other three are on disk once their ends are.
    let ended = |name: &str| {
        round
            .test()
            .file(&format!("runs/r/attempts/{name}__001.ended.json"))
    };
    crate::waiting::wait_until("three answers are on disk", || {
        ["openai-b", "anthropic-c", "google-d"]
            .iter()
            .all(|name| ended(name).exists())
    });
    child.kill().expect("a running program");
    child.wait().expect("a dead program");
    server.release();
    let second = round.ask("s", "--run-type official").code(2);
    second
        .complains("r is an official run that has not ended, so no second one begins")
        .complains("--run-id r --resume");
    let calls = server.calls().len();
    let accepted = accept(round.test(), Some(AFTER)).code(0);
    assert_eq!(server.calls().len(), calls);
    let missing = &accepted.json()["acceptance"]["without_answer"];
    assert_eq!(
        *missing,
        json!([{"model_id": "openai-bad", "reason": "unknown"}])
    );
    // Nobody saw how the call ended: a warning says so, and nothing contradicts anything.
    let verify = ["verify", ROUND, "--json", "--now", AFTER];
    let report = round.test().run(&verify).code(0).json();
    let found = report["rounds"][0]["findings"]
        .as_array()
        .expect("findings");
    assert_eq!(codes_of(found, &["error", "warning"]), ["attempt-unseen"]);
}

#[test]
fn too_few_answers_make_the_round_void() {
    let server = FakeModels::start(|call| match call.model.as_str() {
        "d" => Answer::decision(call),
        _ => Answer::json(call, &call.wire.answer(&call.model, Said::Refusal)),
    });
    let models = [
        (Wire::OpenAi, "b", ""),
        (Wire::Anthropic, "c", ""),
        (Wire::Google, "d", ""),
    ];
    let round = AskedRound::under(V1_2, &server, &models);
    round.ask("r", OFFICIAL).code(1);
    let refused = accept(round.test(), None).code(1).json();
    assert_eq!(refused["refusals"][0]["code"], "too-few-answers");
    let text = refused["refusals"][0]["text"].as_str().expect("a text");
    assert!(
        text.starts_with(
            "1 valid answers, and the frozen failure policy needs 2 (openai-b: refusal, \
             anthropic-c: refusal)"
        ),
        "{text}"
    );
    let void = [
        "void-round",
        ROUND,
        "--reason",
        "two of three models refused",
    ];
    round
        .test()
        .run(&void)
        .code(0)
        .says("OVER-HTTP-1W was voided at ");
    round
        .ask("s", "--run-type official")
        .code(2)
        .complains("was voided at ")
        .complains("two of three models refused");
}

const PLAYED: &str = "rounds/POLICY-1W";

/// An invented round of v1.2 from nothing to its score, with one model that refuses.
fn played() -> Test {
    let test = Test::operator(PLAYED);
    copy_tree(&demo_inputs(), test.folder());
    let models = fs::read_to_string(test.path("models.yaml")).expect("the models");
    let spoiled = format!(
        "{}- model_id: mock-unwilling\n  provider: mock\n  api_model_name: unwilling\n  metadata: \
         {{mock: {{faults: [refusal]}}}}\n",
        models.trim_end().to_owned() + "\n"
    );
    fs::write(test.path("models.yaml"), spoiled).expect("a written file");
    for step in [
        "init-round --round-id POLICY-1W --horizon one+week --universe-version v1.5 \
         --models models.yaml --synthetic --decision-deadline 2026-09-14T13:25:00Z \
         --now 2026-09-14T11:00:00Z --methodology portfolio-v1.2",
        "import-research --round rounds/POLICY-1W --market-fact-report research/facts.md \
         --audit-report research/audit.md --final-briefing research/briefing.md \
         --research-cutoff-utc 2026-09-14T11:10:00Z",
        "fetch-universe-performance --round rounds/POLICY-1W --as-of-date 2026-09-11 \
         --source csv --histories histories",
        "hash-round --round rounds/POLICY-1W --now 2026-09-14T11:30:00Z",
        "run-round --round rounds/POLICY-1W --models models.yaml --mock --run-type official \
         --run-id official --seed 3 --retry-pause 0 --quiet --now 2026-09-14T12:00:00Z",
        "accept-run --round rounds/POLICY-1W --run-id official --now 2026-09-14T12:30:00Z",
        "fetch-prices --round rounds/POLICY-1W --source csv --histories histories \
         --full-universe --now 2026-09-22T00:15:00Z",
        "score-round --round rounds/POLICY-1W --now 2026-09-22T00:20:00Z",
        "publish-report --round rounds/POLICY-1W --now 2026-09-22T00:30:00Z",
        "build-site --rounds-dir rounds --as-of 2026-09-25T12:00:00Z",
        "verify rounds/POLICY-1W --now 2026-09-25T12:00:00Z",
    ] {
        let words: Vec<String> = step
            .split_whitespace()
            .map(|word| word.replace('+', " "))
            .collect();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        test.run(&words).code(0);
    }
    test
}

#[test]
fn a_round_without_one_model_is_scored_ranked_and_exported() {
    let test = played();
    let board = test.read("runs/official/results/leaderboard.csv");
    assert!(!board.contains("mock-unwilling"), "{board}");
    let report = test.read("runs/official/results/report.md");
    assert!(
        report.contains("mock-unwilling") && report.contains("no valid answer: refused"),
        "{report}"
    );
    let page = fs::read_to_string(test.path("site/rounds/POLICY-1W/index.html")).expect("a page");
    assert!(page.contains("no valid answer: refused"), "{page}");
    let whole = fs::read_to_string(test.path("site/data/publication.json")).expect("a document");
    let whole: Value = serde_json::from_str(&whole).expect("JSON");
    let missing = &whole["rounds"][0]["missing_answers"][0];
    assert_eq!(missing["model_id"], "mock-unwilling");
    assert_eq!(missing["meaning"], "refused");
    assert_eq!(whole["rounds"][0]["state"], "resolved");
    let show = [
        "leaderboard",
        "--rounds-dir",
        "rounds",
        "--round",
        "POLICY-1W",
    ];
    let shown = test.run(&[&show[..], &["--as-of", "2026-09-25T12:00:00Z"]].concat());
    shown
        .code(0)
        .says("mock-unwilling: no valid answer: refused");
}
