//! `replay`: a resolved round is asked again, and nothing of it can become the record.

use std::fs;
use std::path::PathBuf;

use serde_json::Value;

use crate::fake_models::{Answer, FakeModels, KEY, Wire};
use crate::harness::{Ran, Test, WEEKLY, changes, copy_tree, tree_of};
use crate::signed_round::{NAME, NOW, SignedRound};
use crate::site_server::SiteServer;

const MOCK: &str = "--model amber --model dune --mock --now 2026-09-25T12:00:00Z --json";

fn run(test: &Test, line: &str) -> Ran {
    let words: Vec<&str> = line.split_whitespace().collect();
    test.run(&words)
}

fn stored(test: &Test, round: &str, number: &str) -> PathBuf {
    test.path(&format!("replays/{round}/{number}"))
}

fn frozen_input(rounds: &SignedRound) -> String {
    let hashes = fs::read_to_string(rounds.rounds().join(NAME).join("hashes.json"));
    let hashes: Value = serde_json::from_str(&hashes.expect("digests")).expect("JSON");
    let found = hashes["files"]["model_input.md"].as_str();
    let found = found.or_else(|| hashes["model_input.md"].as_str());
    found.unwrap_or_else(|| panic!("{hashes}")).to_owned()
}

#[test]
fn a_folder_a_bundle_and_a_site_give_the_same_replay_of_the_frozen_text() {
    let round = SignedRound::resolved();
    let test = round.test();
    run(test, &format!("bundle signed/{NAME} --output one.tar.zst")).code(0);
    let before = tree_of(&round.rounds());
    let server = SiteServer::of(
        test,
        &[
            "serve",
            "--rounds-dir",
            "signed",
            "--listen",
            "127.0.0.1:0",
            "--as-of",
            NOW,
        ],
    );
    let page = format!("http://{}/rounds/{NAME}/", server.address);
    let said = run(
        test,
        &format!("replay signed/{NAME} one.tar.zst {page} {MOCK}"),
    )
    .code(0);
    let told = said.json();
    assert_eq!(told["after_the_fact"], true);
    let replays = told["replays"].as_array().expect("replays");
    assert_eq!(replays.len(), 3);
    let frozen = frozen_input(&round);
    for (own, number) in replays.iter().zip(["0001", "0002", "0003"]) {
        assert_eq!(own["after_the_fact"], true);
        assert_eq!(own["input_sha256"], frozen);
        assert_eq!(own["models"], replays[0]["models"]);
        assert_eq!(own["record"], replays[0]["record"]);
        assert_eq!(own["mock"], true);
        let folder = stored(test, NAME, number);
        assert!(folder.join("replay.json").is_file());
        assert_eq!(
            fs::read_dir(folder.join("answers"))
                .expect("answers")
                .count(),
            2
        );
    }
    for model in replays[0]["models"].as_array().expect("models") {
        let figures = &model["figures"];
        let place = figures["place"].as_u64().expect("a place");
        assert!((1..=figures["of"].as_u64().expect("a count")).contains(&place));
        let share = figures["random_percentile_fraction"]
            .as_f64()
            .expect("a share");
        assert!((0.0..=1.0).contains(&share));
    }
    let controls = replays[0]["record"]["controls"]
        .as_array()
        .expect("controls");
    assert!(controls.len() >= 5, "{controls:?}");
    let mut changed = changes(&before, &tree_of(&round.rounds()));
    // The server keeps its cache there.
    changed.retain(|change| !change.starts_with(".capitalbench/cache"));
    assert_eq!(changed, [""; 0]);
}

#[test]
fn nothing_of_a_replay_can_become_the_record() {
    let round = SignedRound::resolved();
    let test = round.test();
    run(test, &format!("replay signed/{NAME} {MOCK}")).code(0);
    let replay = stored(test, NAME, "0001");
    // As a run of the round.
    let place = round.rounds().join(NAME).join("runs/better");
    copy_tree(&replay, &place);
    for line in [
        format!("accept-run --round signed/{NAME} --run-id better --now {NOW}"),
        format!("score-round --round signed/{NAME} --run-id better --now {NOW}"),
        "leaderboard --rounds-dir signed --track weekly".to_owned(),
        "export --rounds-dir signed --output export".to_owned(),
        "build-site --rounds-dir signed --output site".to_owned(),
    ] {
        run(test, &line)
            .code(2)
            .complains("is a replay, made after the fact");
    }
    let database = [("DATABASE_URL", "postgresql://nobody@127.0.0.1:1/none")];
    test.run_with(&database, &["sync-web", "--rounds-dir", "signed"])
        .code(2)
        .complains("is a replay, made after the fact");
    run(test, &format!("verify signed/{NAME} --now {NOW}"))
        .code(1)
        .says("made after the fact");
    // Under the name of a file that runs have.
    fs::rename(place.join("replay.json"), place.join("run_manifest.yaml")).expect("renamed");
    run(
        test,
        &format!("accept-run --round signed/{NAME} --run-id better --now {NOW}"),
    )
    .code(2);
    run(test, "export --rounds-dir signed --output export").code(2);
    fs::remove_dir_all(&place).expect("removed");
    // As a round.
    copy_tree(&replay, &round.rounds().join("OTHER-1W"));
    for line in [
        "leaderboard --rounds-dir signed --track weekly",
        "export --rounds-dir signed --output export",
    ] {
        run(test, line)
            .code(2)
            .complains("OTHER-1W")
            .complains("is a replay");
    }
    fs::remove_dir_all(round.rounds().join("OTHER-1W")).expect("removed");
    // Not among the rounds in the first place.
    run(
        test,
        &format!("replay signed/{NAME} {MOCK} --output signed/{NAME}/replays"),
    )
    .code(2)
    .complains("lies in a folder of its own");
    // Its answers as those of an official run.
    let answers = round
        .rounds()
        .join(NAME)
        .join("runs/official/submissions/raw");
    for answer in fs::read_dir(replay.join("answers")).expect("answers") {
        let answer = answer.expect("an answer");
        fs::copy(answer.path(), answers.join(answer.file_name())).expect("copied");
    }
    run(test, &format!("verify signed/{NAME} --now {NOW}")).code(1);
}

#[test]
fn a_round_that_does_not_hold_or_has_no_result_is_not_asked_again() {
    let round = SignedRound::resolved();
    let file = round.rounds().join(NAME).join("model_input.md");
    let text = fs::read_to_string(&file).expect("the input");
    fs::write(&file, format!("{text}More.\n")).expect("spoiled");
    run(round.test(), &format!("replay signed/{NAME} {MOCK}"))
        .code(2)
        .complains("model_input.md");
    let open = SignedRound::accepted();
    run(open.test(), &format!("replay signed/{NAME} {MOCK}"))
        .code(2)
        .complains("has no result yet");
}

#[test]
fn a_real_provider_is_sent_the_frozen_text_within_the_bound() {
    let server = FakeModels::start(Answer::decision);
    let test = Test::weekly();
    let models = format!(
        "models:\n- {{model_id: mine, provider: openai, api_model_name: m, base_url: '{}', \
         api_key_env: CANARY_KEY, max_output_tokens: 2000}}\n",
        server.base_url(Wire::ALL[0])
    );
    fs::write(test.path("models.yaml"), models).expect("models");
    let prices =
        "pricing:\n  openai:\n    m: {input_per_1m_tokens_usd: 1, output_per_1m_tokens_usd: 10}\n";
    fs::write(test.path("prices.yaml"), prices).expect("prices");
    let line = format!(
        "replay {WEEKLY} --models models.yaml --pricing prices.yaml --allow-real-api-calls"
    );
    let asked = |more: &str| {
        let line = format!("{line} {more}");
        let words: Vec<&str> = line.split_whitespace().collect();
        test.run_with(&[("CANARY_KEY", KEY)], &words)
    };
    asked("").code(2).complains("not confirmed");
    asked("--dry-run").code(0).complains("at most");
    asked("--max-cost-usd 0.000001").code(2);
    assert_eq!(server.calls().len(), 0);
    let said = asked("--max-cost-usd 5 --json").code(0).json();
    assert_eq!(server.calls().len(), 1);
    let body = server.calls()[0].body.to_string();
    let input = test.read("model_input.md");
    let first = input.lines().next().expect("a line");
    assert!(body.contains(first), "{first}");
    let own = &said["replays"][0];
    assert_eq!(own["mock"], false);
    assert!(
        own["cost_usd"].as_f64().is_some_and(|cost| cost > 0.0),
        "{own}"
    );
    assert!(own["models"][0]["figures"]["place"].is_u64(), "{own}");
    for (path, text) in test.tree() {
        assert!(!text.contains(KEY), "the key is in {path}");
    }
}
