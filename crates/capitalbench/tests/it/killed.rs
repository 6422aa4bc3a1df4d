//! kill -9 before any of a run's file calls: nothing paid for is lost, nothing answered is asked again, and the money
//! that the ledger counts is the money that the server counts.

use std::collections::BTreeMap;
use std::path::Path;
use std::thread;

use serde_json::{Value, json};

use crate::fake_models::{Answer, AskedRound, Call, FakeModels, Manner, TOKENS, Wire};
use crate::faulty_layer::FaultyLayer;
use crate::harness::{Ran, tree_of};

/// Kills in all; each run dies several times before it may end.
const KILLS: u64 = 200;
const KILLS_PER_RUN: u64 = 4;
/// Rounds that are worked on side by side.
const LANES: u64 = 4;
const MORE: &str = "--run-type retrospective --max-retries 20 --json";

/// Numbers that look like chance and are the same each time.
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (self.0 >> 33) % limit
    }
}

/// Faults before every third answer or so, of a different kind each time.
fn script(call: &Call) -> Answer {
    let wait = "Content-Type: application/json\r\nretry-after-ms: 3\r\n";
    let error = |status: u16, text: &str| {
        let body = call.wire.error(status).to_string();
        Answer::new(call, text, wait, body.as_bytes())
    };
    let turn = call
        .id
        .bytes()
        .fold(0_u64, |sum, byte| sum * 7 + u64::from(byte));
    match Dice(turn).below(9) {
        0 => error(429, "429 Too Many Requests"),
        1 => error(500, "500 Internal Server Error"),
        2 | 3 => Answer::decision(call).sent(Manner::Half),
        _ => Answer::decision(call),
    }
}

/// Asks above a layer that is told something; flushing to the disk is for power cuts.
fn ask_above(round: &AskedRound, run: &str, more: &str, told: (&str, &str)) -> Ran {
    let mut command = round.command(run, more);
    command
        .env("LD_PRELOAD", FaultyLayer::build().path())
        .env("NO_FLUSH", "1")
        .env(told.0, told.1);
    Ran::new(run, command.output().expect("the program starts"))
}

/// How many file calls a run makes that is not killed.
fn calls_of_a_run(round: &AskedRound) -> u64 {
    let file = round.test().path("calls");
    let told = ("FAULT_COUNT", file.to_str().expect("a name"));
    ask_above(round, "whole", MORE, told).code(0);
    let count = std::fs::read_to_string(&file).expect("a count");
    count.trim().parse().expect("a number")
}

/// What one answer costs at one dollar and ten dollars a million tokens, in millionths of a cent.
fn price() -> u64 {
    TOKENS.0 * 100 + TOKENS.1 * 1000
}

fn millionths(usd: &Value) -> u64 {
    let usd = usd.as_f64().expect("a sum of money");
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a few cents"
    )]
    let whole = (usd * 1e8).round() as u64;
    whole
}

/// One attempt as the files tell it.
struct Attempt {
    begun: jiff::Timestamp,
    head: Option<Value>,
    has_answer: bool,
    ended: Option<Value>,
}

impl Attempt {
    fn request_id(&self) -> Option<&str> {
        let headers = self.head.as_ref()?["headers"].as_array()?;
        let found = headers.iter().find(|pair| {
            ["x-request-id", "request-id"].contains(&pair[0].as_str().unwrap_or_default())
        });
        found?[1].as_str()
    }

    fn is(&self, status: &str) -> bool {
        self.ended
            .as_ref()
            .is_some_and(|ended| ended["status"] == status)
    }
}

/// The attempts of every model, in order; every file must be whole.
fn ledger(files: &BTreeMap<String, String>) -> BTreeMap<String, Vec<Attempt>> {
    let mut models: BTreeMap<String, Vec<Attempt>> = BTreeMap::new();
    for (name, text) in files {
        assert!(!name.starts_with('.'), "{name} was left behind");
        let Some(stem) = name.strip_suffix(".begun.json") else {
            continue;
        };
        let whole = |text: &String| serde_json::from_str::<Value>(text).expect("a whole file");
        let begun = whole(text);
        let at = |ending: &str| files.get(&format!("{stem}.{ending}"));
        let (model, number) = stem.split_once("__").expect("a number");
        let attempts = models.entry(model.to_owned()).or_default();
        assert_eq!(number, format!("{:03}", attempts.len() + 1));
        let head = at("head.json").map(whole);
        if let (Some(head), Some(answer)) = (&head, at("answer")) {
            let digest = capitalbench_core::values::ids::Digest::of(answer.as_bytes()).to_hex();
            assert_eq!(head["sha256"], json!(digest), "{stem}: a torn answer");
        }
        let started = begun["started_at_utc"].as_str().expect("an instant");
        attempts.push(Attempt {
            begun: started.parse().expect("an instant"),
            head,
            has_answer: at("answer").is_some(),
            ended: at("ended.json").map(whole),
        });
    }
    models
}

/// What became of the money: recorded, and sent by the server but lost.
fn compare(model: &str, attempts: &[Attempt], calls: &[&Call]) -> (u64, u64) {
    let mut lost = 0;
    let mut recorded = 0;
    for (index, attempt) in attempts.iter().enumerate() {
        let next = attempts.get(index + 1).map(|next| next.begun);
        let heard: Vec<&&Call> = calls
            .iter()
            .filter(|call| call.at >= attempt.begun && next.is_none_or(|next| call.at < next))
            .collect();
        assert!(heard.len() <= 1, "{model}: one attempt asked twice");
        let sent = heard.first().is_some_and(|call| call.answered);
        let is_final = index + 1 == attempts.len();
        assert!(
            !attempt.is("valid") || is_final,
            "{model}: asked again after a valid answer"
        );
        if attempt.has_answer {
            // On disk means read, and belongs to the very request that the server heard.
            assert!(attempt.ended.is_some(), "{model}: an answer nobody read");
            let id = heard.first().map(|call| call.id.as_str());
            assert_eq!(attempt.request_id(), id, "{model}");
            assert_eq!(attempt.is("valid"), sent, "{model}");
            recorded += u64::from(sent);
        } else if sent {
            assert!(
                attempt.ended.is_none(),
                "{model}: a lost answer is not unknown"
            );
            lost += 1;
        }
    }
    let within = |call: &&&Call| attempts.first().is_some_and(|first| call.at >= first.begun);
    assert_eq!(
        calls.iter().filter(within).count(),
        calls.len(),
        "{model}: asked unseen"
    );
    (recorded, lost)
}

/// What the runs of a lane came to.
#[derive(Default)]
struct Sum {
    kills: u64,
    lost: u64,
}

/// One run that dies several times while it works, each time before one of its first `file_calls`
/// file calls, and is then finished.
fn one_run(
    server: &FakeModels,
    round: &AskedRound,
    (dice, file_calls): (&mut Dice, u64),
    number: u64,
) -> Sum {
    let run = format!("r{number}");
    let folder = round
        .test()
        .path(&format!("rounds/OVER-HTTP-1W/runs/{run}"));
    let already = server.calls().len();
    let course = || {
        let begun = folder.join("slots.json").is_file();
        format!("{MORE}{}", if begun { " --resume" } else { "" })
    };
    let mut sum = Sum::default();
    let mut before = BTreeMap::new();
    let mut last = None;
    while sum.kills < KILLS_PER_RUN && last.is_none() {
        let at = (1 + dice.below(file_calls)).to_string();
        let ran = ask_above(round, &run, &course(), ("KILL_AT", &at));
        if ran.was_killed() {
            sum.kills += 1;
        } else {
            last = Some(ran);
        }
        server.come_to_rest();
        let after = tree_of_attempts(&folder);
        for (name, text) in &before {
            assert_eq!(
                after.get(name),
                Some(text),
                "{name} changed after it was written"
            );
        }
        before = after;
    }
    let ran = last.unwrap_or_else(|| round.ask(&run, &course()));
    server.come_to_rest();
    let calls = server.calls();
    let calls = &calls[already..];
    sum.lost = settle(&folder, calls, &ran);
    sum
}

/// Compares the ledger of a finished run with the log of the server; how many answers were lost.
fn settle(folder: &Path, calls: &[Call], ran: &Ran) -> u64 {
    let models = ledger(&tree_of(&folder.join("attempts")));
    assert_eq!(models.len(), Wire::ALL.len(), "{ran}");
    let (mut recorded, mut lost) = (0, 0);
    for (model, attempts) in &models {
        let own = |call: &&Call| format!("{}-m", call.wire.provider()) == *model;
        let own: Vec<&Call> = calls.iter().filter(own).collect();
        let (paid, gone) = compare(model, attempts, &own);
        assert_eq!(paid, 1, "{model} has one answer: {ran}");
        recorded += paid;
        lost += gone;
    }
    let answered = calls.iter().filter(|call| call.answered).count() as u64;
    assert_eq!(recorded + lost, answered, "{ran}");
    // The last kill may have come after the run was finished and before it was said.
    if ran.stdout().contains("is finished") {
        return lost;
    }
    let report = ran.json();
    let slots = report["slots"].as_array().expect("slots");
    assert!(
        slots.iter().all(|slot| slot["state"] == "valid"),
        "{report}"
    );
    assert_eq!(
        millionths(&report["cost_usd"]),
        recorded * price(),
        "{report}"
    );
    let unrecorded = report["unknown_cost_attempts"].as_u64().expect("a count");
    assert!(unrecorded >= lost, "{report}");
    let at_most = millionths(&report["unknown_cost_at_most_usd"]);
    assert!(at_most >= lost * price(), "{report}");
    lost
}

fn tree_of_attempts(folder: &Path) -> BTreeMap<String, String> {
    let attempts = folder.join("attempts");
    if !attempts.is_dir() {
        return BTreeMap::new();
    }
    let mut files = tree_of(&attempts);
    // A file that was being written when the program died has no name yet.
    files.retain(|name, _| !name.starts_with(".capitalbench-"));
    files
}

#[test]
fn a_run_killed_before_any_file_call_can_be_finished() {
    let lanes: Vec<_> = (0..LANES)
        .map(|lane| {
            thread::spawn(move || {
                let server = FakeModels::start(script);
                let models = Wire::ALL.map(|wire| (wire, "m", ""));
                let round = AskedRound::new(&server, &models);
                let file_calls = calls_of_a_run(&round);
                let mut dice = Dice(lane + 1);
                let mut sum = Sum::default();
                for number in 0.. {
                    let run = one_run(&server, &round, (&mut dice, file_calls), number);
                    sum.kills += run.kills;
                    sum.lost += run.lost;
                    if sum.kills >= KILLS / LANES {
                        break;
                    }
                }
                round.verify();
                sum
            })
        })
        .collect();
    let sums = lanes
        .into_iter()
        .map(|lane| lane.join().expect("a lane that holds"));
    let (kills, lost) = sums.fold((0, 0), |(kills, lost), sum| {
        (kills + sum.kills, lost + sum.lost)
    });
    assert!(kills >= KILLS);
    // Otherwise no kill ever came between an answer and the disk, and nothing was shown.
    assert!(lost > 0);
    eprintln!("{kills} kills, {lost} answers sent and lost");
}
