//! `league run` and `league plan`: everything that is due, nothing twice, whatever comes in between.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};

use capitalbench_archive::format::round::options;
use capitalbench_core::league::settings::League;
use capitalbench_core::market::invented::{InventedFault, InventedMarket};
use capitalbench_core::market::synthetic::SyntheticMarket;
use capitalbench_core::market::universes::shipped;
use capitalbench_operations::prices::invented;
use jiff::civil::date;
use jiff::{Timestamp, ToSpan as _};
use serde_json::Value;
use tempfile::TempDir;

use crate::fake_agent::{FakeAgent, Manner};
use crate::fake_models::{Answer, FakeModels, KEY, Wire};
use crate::faulty_layer::{FaultyLayer, still_clock};
use crate::harness::{Ran, changes, codes_of, copy_tree, program, tree_of};
use crate::waiting::wait_until;

const UNIVERSE: &str = "v1.5";
/// Variables that point the program elsewhere; whoever runs the tests may have them.
const OTHERS: [&str; 8] = [
    "TIINGO_API_KEY",
    "TIINGO_PLAN",
    "DATABASE_URL",
    "CAPITALBENCH_LOG_KEY",
    "CAPITALBENCH_STATE_DIR",
    "CAPITALBENCH_TSA_URLS",
    "CAPITALBENCH_OTS_URLS",
    "CAPITALBENCH_NO_CACHE",
];

/// A league in a folder of its own.
pub(crate) struct House {
    pub(crate) folder: TempDir,
}

impl House {
    /// A rehearsal with these lines in its file.
    pub(crate) fn rehearsed(lines: &str) -> Self {
        let house = Self {
            folder: tempfile::tempdir().expect("a folder"),
        };
        house.write(
            "league.yaml",
            &format!("name: House League\nuniverse: {UNIVERSE}\n{lines}"),
        );
        house.write(
            "models.yaml",
            "models:\n- {model_id: amber, provider: mock, api_model_name: amber}\n\
             - {model_id: dune, provider: mock, api_model_name: dune}\n",
        );
        house
    }

    /// A league that asks the fake server for these models, at one and ten dollars a million tokens.
    fn real(server: &FakeModels, wires: &[Wire], lines: &str) -> Self {
        let house = Self::rehearsed(&format!(
            "allow_real_api_calls: true\nproof: none\npricing: prices.yaml\nbriefing: {{command: cat \
             facts.md}}\nprices:\n  source: csv\n  histories: histories\npublication:\n  site: none\n  \
             interim: false\n{lines}"
        ));
        let (mut models, mut prices) = ("models:\n".to_owned(), "pricing:\n".to_owned());
        for wire in wires {
            let (provider, base) = (wire.provider(), server.base_url(*wire));
            let _ = writeln!(
                models,
                "- {{model_id: {provider}-m, provider: {provider}, api_model_name: m, base_url: \
                 '{base}', api_key_env: KEY_OF_{provider}, max_output_tokens: 2000}}"
            );
            let _ = writeln!(
                prices,
                "  {provider}:\n    m: {{input_per_1m_tokens_usd: 1, output_per_1m_tokens_usd: 10}}"
            );
        }
        house.write("models.yaml", &models);
        house.write("prices.yaml", &prices);
        house.write(
            "facts.md",
            "# Briefing\n\nThe index closed at 100 on Friday.\n",
        );
        house.set_keys(wires);
        house.write_histories();
        house
    }

    fn set_keys(&self, wires: &[Wire]) {
        let lines = wires
            .iter()
            .map(|wire| format!("KEY_OF_{}={KEY}\n", wire.provider()));
        self.write(".env", &lines.collect::<String>());
    }

    fn write_histories(&self) {
        let yaml = shipped(UNIVERSE).expect("a universe");
        let universe = options::parse(yaml.as_bytes()).expect("a universe");
        let market =
            SyntheticMarket::new(7, universe.market(), date(2025, 10, 1), date(2027, 6, 30));
        for (symbol, bars) in market.histories(&universe) {
            let mut text = "date,close,adj_close,volume,dividend,split\n".to_owned();
            for bar in bars {
                let (day, close, adjusted) = (bar.date, bar.close, bar.adjusted);
                let _ = writeln!(
                    text,
                    "{day},{close},{adjusted:.8},{},{},1",
                    bar.volume, bar.dividend
                );
            }
            self.write(&format!("histories/{symbol}.csv"), &text);
        }
    }

    pub(crate) fn write(&self, path: &str, text: &str) {
        let file = self.path(path);
        fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
        fs::write(file, text).expect("a file");
    }

    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    /// A copy of the whole league.
    fn again(&self) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        copy_tree(self.folder.path(), folder.path());
        Self { folder }
    }

    pub(crate) fn command(&self, words: &str) -> Command {
        let mut command = Command::new(program());
        for name in OTHERS {
            command.env_remove(name);
        }
        command
            .args(words.split_whitespace())
            .env("XDG_STATE_HOME", env!("CARGO_TARGET_TMPDIR"))
            .env("CAPITALBENCH_ALLOW_PRIVATE_ADDRESSES", "1")
            .current_dir(self.folder.path())
            .stdin(Stdio::null());
        command
    }

    fn run(&self, words: &str) -> Ran {
        Ran::new(
            words,
            self.command(words).output().expect("the program starts"),
        )
    }

    /// A pass by a clock that stands at an instant.
    fn begin_at(&self, at: &str) -> Child {
        let at: Timestamp = at.parse().expect("an instant");
        self.command("league run --json")
            .envs(still_clock(at))
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts")
    }

    fn pass_at(&self, at: &str) -> Ran {
        let ended = self.begin_at(at).wait_with_output();
        let ran = Ran::new(at, ended.expect("the program ends"));
        let said = ran.stdout() + &ran.stderr();
        assert!(!said.contains(KEY), "{ran}");
        ran
    }

    /// The words of its steps.
    fn steps(ran: &Ran) -> Vec<String> {
        let told = ran.json();
        let steps = told["steps"].as_array().expect("steps");
        steps
            .iter()
            .map(|step| step["step"].as_str().expect("a word").to_owned())
            .collect()
    }

    /// What is on the disk agrees with itself, and holds no key.
    fn holds(&self, rounds: &str) {
        self.run(&format!("verify {rounds} --all")).code(0);
        for (path, text) in tree_of(self.folder.path()) {
            assert!(
                path.starts_with(".env") || !text.contains(KEY),
                "the key is in {path}"
            );
        }
    }
}

/// How often each model got a decision.
fn decisions(server: &FakeModels) -> BTreeMap<(Wire, String), usize> {
    let mut found = BTreeMap::new();
    for call in server.calls().iter().filter(|call| call.answered) {
        let day = call.body.to_string();
        let at = day.find("HOUSE-").expect("a round");
        let round = day[at..at + "HOUSE-2026-12-07-1W".len()].to_owned();
        *found.entry((call.wire, round)).or_default() += 1;
    }
    found
}

const BOTH: [Wire; 2] = [Wire::OpenAi, Wire::Anthropic];

#[test]
fn two_passes_at_once_over_twenty_rounds_make_each_call_once() {
    let server = FakeModels::start(Answer::decision);
    let house = House::real(&server, &BOTH, "");
    let [from, until] = ["2026-12-01T00:00:00Z", "2027-06-30T00:00:00Z"];
    let instant = |text: &str| text.parse().expect("an instant");
    let rounds = League::named("House League").rounds_between(instant(from), instant(until));
    let (mut accepted, mut elsewhere) = (0, 0);
    for round in &rounds[..20] {
        let at = (round.opens + 5.minutes()).to_string();
        let pair = [house.begin_at(&at), house.begin_at(&at)];
        for child in pair {
            let ran = Ran::new(&at, child.wait_with_output().expect("an end"));
            elsewhere += usize::from(ran.json()["end"] == "elsewhere");
        }
        let later = (round.opens + 6.minutes()).to_string();
        // Closes of a folder of the operator's own give no real round its result.
        let steps = House::steps(&house.pass_at(&later));
        accepted += steps.iter().filter(|step| *step == "accepted").count();
    }
    let made = decisions(&server);
    assert_eq!(made.len(), 40, "{made:?}");
    assert!(made.values().all(|count| *count == 1), "{made:?}");
    assert_eq!(accepted, 20);
    assert!(elsewhere > 0, "no two passes ever met");
    let report = house.run("verify rounds --json").json();
    let rounds = report["rounds"].as_array().expect("rounds").iter();
    let findings = rounds.flat_map(|round| round["findings"].as_array().expect("findings"));
    let findings: Vec<Value> = findings.cloned().collect();
    let codes = codes_of(&findings, &["error", "warning"]);
    assert_eq!(codes, ["price-rule-broken"], "{findings:?}");
}

#[test]
fn a_wrong_and_a_missing_key_leave_slots_open_until_they_are_repaired() {
    let is_repaired = Arc::new(AtomicBool::new(false));
    let seen = Arc::clone(&is_repaired);
    let server = FakeModels::start(move |call| match call.wire {
        Wire::OpenAi if !seen.load(Ordering::SeqCst) => {
            Answer::with_status(call, "401 No", &call.wire.error(401))
        }
        _ => Answer::decision(call),
    });
    let wires = [Wire::OpenAi, Wire::Anthropic, Wire::Google];
    let house = House::real(&server, &wires, "");
    house.set_keys(&[Wire::OpenAi, Wire::Anthropic]);
    let first = house.pass_at("2026-12-07T12:55:00Z").code(1);
    let told = first.json();
    let text = told["problems"][0]["text"].as_str().expect("a sentence");
    assert!(
        text.contains("openai-m") && text.contains("google-m"),
        "{text}"
    );
    assert_eq!(told["next_utc"], "2026-12-07T12:56:00Z");
    is_repaired.store(true, Ordering::SeqCst);
    house.set_keys(&wires);
    let ran = house.pass_at("2026-12-07T12:57:00Z").code(0);
    assert_eq!(House::steps(&ran), ["asked"]);
    let ran = house.pass_at("2026-12-07T12:58:00Z").code(0);
    assert_eq!(House::steps(&ran), ["accepted"]);
    let made = decisions(&server);
    assert_eq!(
        made.values().copied().collect::<Vec<usize>>(),
        [1, 1, 1],
        "{made:?}"
    );
    let text =
        fs::read_to_string(house.path("rounds/HOUSE-2026-12-07-1W/runs/official/acceptance.json"));
    assert!(!text.expect("an acceptance").contains("missing_models"));
    house.holds("rounds");
}

#[test]
fn a_real_league_freezes_what_it_publishes_of_its_prices() {
    let server = FakeModels::start(Answer::decision);
    let house = House::real(&server, &BOTH, "publish: {prices: returns}\n");
    house.pass_at("2026-12-07T12:55:00Z").code(0);
    let round = "rounds/HOUSE-2026-12-07-1W";
    let read =
        |file: &str| fs::read_to_string(house.path(&format!("{round}/{file}"))).expect("text");
    assert!(read("manifest.yaml").contains("publish:\n  prices: returns\n  rule: index-6-v1\n"));
    assert!(read("market_data/source_histories.csv").starts_with("# salt "));
    assert!(!read("market_data/universe_trailing_returns.json").contains("as_of_adj_close"));
    house.holds("rounds");
}

#[test]
fn what_stays_open_ends_with_the_deadline_and_the_round_goes_on_without_it() {
    let server = FakeModels::start(|call| match call.wire {
        Wire::OpenAi => Answer::with_status(call, "401 No", &call.wire.error(401)),
        _ => Answer::decision(call),
    });
    let wires = [Wire::OpenAi, Wire::Anthropic, Wire::Google];
    let house = House::real(&server, &wires, "");
    house.pass_at("2026-12-07T12:55:00Z").code(1);
    let ran = house.pass_at("2026-12-07T14:25:00Z").code(0);
    assert_eq!(House::steps(&ran), ["accepted"]);
    house.holds("rounds");
}

/// Agents are asked after the models, once, by whatever pass comes first; a rehearsal asks none.
#[test]
fn registered_agents_are_asked_in_a_pass_and_shown_in_a_later_one() {
    let server = FakeModels::start(Answer::decision);
    let house = House::real(&server, &BOTH, "");
    let file = fs::read_to_string(house.path("league.yaml")).expect("a league file");
    let signed = "proof: signed\nentrants: {registrations: [admitted]}";
    house.write("league.yaml", &file.replace("proof: none", signed));
    house.pass_at("2026-12-07T12:55:00Z").code(0);
    let agent = FakeAgent::start(Manner::True);
    house.run("enter keys --name bot --key bot.key").code(0);
    let url = agent.url();
    let who = "--entrant bot --name Bot --kind agent --contact bot@example.org --method sums";
    let how = format!("--agent {url} --time-limit 5s --key bot.key --output admitted");
    house
        .run(&format!("enter register rounds {who} {how}"))
        .code(0);

    let ran = house.pass_at("2026-12-07T13:00:00Z").code(0);
    let steps = House::steps(&ran);
    assert_eq!(steps, ["collected", "accepted", "asked"], "{ran}");
    assert!(ran.stdout().contains("asked 1 agents: 1 valid"), "{ran}");
    house.pass_at("2026-12-07T13:10:00Z").code(0);
    house.pass_at("2026-12-07T14:25:00Z").code(0);
    let shown = house.path("rounds/log/agents");
    assert!(!shown.exists(), "nothing is seen before the entry close");
    let ran = house.pass_at("2026-12-07T21:01:00Z").code(0);
    assert!(
        ran.stdout().contains("the answers of 1 agents are public"),
        "{ran}"
    );
    assert!(shown.join("HOUSE-2026-12-07-1W/bot.answer").exists());
    house.pass_at("2026-12-07T22:01:00Z").code(0);
    assert_eq!(agent.heard().len(), 1, "an agent is asked once");
    assert_eq!(agent.heard()[0]["synthetic"], false);
    house
        .run("verify rounds --all --now 2026-12-08T15:00:00Z")
        .code(0);
}

#[test]
fn the_budget_of_a_month_is_never_exceeded() {
    let server = FakeModels::start(|call| match call.wire {
        Wire::OpenAi => Answer::nothing(),
        _ => Answer::decision(call),
    });
    let policy = "failure_policy: {accept_from: 50%, at_least: 1}\n";
    let house = House::real(&server, &BOTH, policy);
    let planned = |at: &str| {
        let clock = still_clock(at.parse().expect("an instant"));
        let output = house
            .command("league plan --json --weeks 3")
            .envs(clock)
            .output();
        Ran::new(at, output.expect("the program starts"))
            .code(0)
            .json()
    };
    let before = tree_of(house.folder.path());
    let plan = planned("2026-12-01T10:00:00Z");
    assert_eq!(changes(&before, &tree_of(house.folder.path())), [""; 0]);
    assert_eq!(plan["months"][0]["spent_usd"], 0.0);
    for minute in ["12:55", "12:56"] {
        house.pass_at(&format!("2026-12-07T{minute}:00Z")).code(0);
    }
    let plan = planned("2026-12-08T10:00:00Z");
    let usd = |value: &Value| value.as_f64().expect("a sum");
    let spent = usd(&plan["months"][0]["spent_usd"]);
    let once = usd(&plan["rounds"][1]["asked_once_at_most_usd"]);
    // Three attempts of one model whose answer nobody saw count at their worst case.
    assert!(spent > once, "{spent} and {once}");
    let file = fs::read_to_string(house.path("league.yaml")).expect("the league");
    let set_budget = |month: f64| {
        let line = format!("{file}budget: {{per_round: none, per_month: {month:.9}}}\n");
        house.write("league.yaml", &line);
    };
    // The text of the next round may be a little longer or shorter than that of the last one.
    set_budget(spent + once * 0.9);
    let plan = planned("2026-12-08T10:00:00Z");
    assert!(
        plan["months"][0]["rounds_beyond_budget"].as_u64() > Some(0),
        "{plan}"
    );
    let refused = house.pass_at("2026-12-14T12:55:00Z").code(1);
    refused.says("the budget of the month leaves");
    assert_eq!(server.calls().len(), 4);
    set_budget(spent + once * 1.1);
    house.pass_at("2026-12-14T13:55:00Z");
    let plan = planned("2026-12-15T10:00:00Z");
    let sum = usd(&plan["months"][0]["spent_usd"]);
    assert!(sum > spent && sum <= spent + once * 1.1, "{plan}");
}

#[test]
fn a_call_during_which_a_pass_is_killed_counts_against_the_budget_at_its_worst_case() {
    let (asked, hears) = channel();
    let (release, released) = channel();
    let (asked, released) = (Mutex::new(asked), Mutex::new(released));
    let calls = Arc::new(AtomicUsize::new(0));
    let heard = Arc::clone(&calls);
    let server = FakeModels::start(move |call| {
        if heard.fetch_add(1, Ordering::SeqCst) < BOTH.len() {
            let told = asked.lock().expect("a sender").send(());
            told.expect("a listener");
            let released = released.lock().expect("a receiver");
            released.recv().expect("a word that the pass is dead");
        }
        Answer::decision(call)
    });
    let house = House::real(&server, &BOTH, "");
    let planned = |at: &str| -> Value {
        let clock = still_clock(at.parse().expect("an instant"));
        let output = house
            .command("league plan --json --weeks 3")
            .envs(clock)
            .output();
        Ran::new(at, output.expect("the program starts"))
            .code(0)
            .json()
    };
    let usd = |value: &Value| value.as_f64().expect("a sum");
    let once = usd(&planned("2026-12-01T10:00:00Z")["rounds"][0]["asked_once_at_most_usd"]);
    let file = fs::read_to_string(house.path("league.yaml")).expect("the league");
    let budget = once * 1.05;
    let line = format!("{file}budget: {{per_round: none, per_month: {budget:.9}}}\n");
    house.write("league.yaml", &line);
    let mut pass = house.begin_at("2026-12-07T12:55:00Z");
    for _ in BOTH {
        hears.recv().expect("a first call of each model");
    }
    pass.kill().expect("a pass that runs");
    pass.wait().expect("its end");
    for _ in BOTH {
        release.send(()).expect("a server that waits");
    }
    let spent = || usd(&planned("2026-12-08T10:00:00Z")["months"][0]["spent_usd"]);
    let after_the_kill = spent();
    assert!(after_the_kill > 0.0, "the killed call counts");
    for minute in ["12:56", "12:57", "13:30", "14:24"] {
        house.pass_at(&format!("2026-12-07T{minute}:00Z"));
        let spent = spent();
        assert!(
            spent >= after_the_kill && spent <= budget,
            "{spent} of {budget} after {after_the_kill}"
        );
    }
    let heard = calls.load(Ordering::SeqCst);
    assert_eq!(heard, BOTH.len() + 1, "the rest pays for the cheaper model");
}

/// The places at which a pass is killed, among its calls of the system.
const PLACES: usize = 24;

#[test]
fn a_pass_that_is_killed_anywhere_is_taken_up_by_the_next_one() {
    let layer = FaultyLayer::build();
    let start = House::rehearsed("publication:\n  site: none\n");
    let pass = |house: &House, at: &str, told: (&str, &str)| {
        let words = format!("league run --now {at} --json");
        let output = house
            .command(&words)
            .env("LD_PRELOAD", layer.path())
            .env("NO_FLUSH", "1")
            .env("CAPITALBENCH_CLOCK", "still")
            .env(told.0, told.1)
            .output();
        Ran::new(&words, output.expect("the program starts"))
    };
    let (open, accept) = ("2026-12-07T12:55:00Z", "2026-12-07T12:58:00Z");
    let whole = start.again();
    let count = whole.path("calls");
    pass(
        &whole,
        open,
        ("FAULT_COUNT", count.to_str().expect("a name")),
    )
    .code(0);
    let calls = fs::read_to_string(&count).expect("a count");
    let calls: usize = calls.trim().parse().expect("a number");
    pass(&whole, accept, ("KILL_AT", "0")).code(0);
    let expected = picks(&whole);
    assert_eq!(expected.len(), 2, "{expected:?}");
    let mut killed = 0;
    for call in (1..calls).step_by((calls / PLACES).max(1)) {
        let house = start.again();
        let ran = pass(&house, open, ("KILL_AT", &call.to_string()));
        killed += usize::from(ran.was_killed());
        for at in ["2026-12-07T12:56:00Z", "2026-12-07T12:57:00Z", accept] {
            pass(&house, at, ("KILL_AT", "0")).code(0);
        }
        assert_eq!(picks(&house), expected, "killed at {call} of {calls}");
        house.holds("rehearsal/rounds");
    }
    assert!(killed >= PLACES / 2, "{killed} kills");
}

/// What the models of the first round decided, by file.
fn picks(house: &House) -> BTreeMap<String, String> {
    let run = house.path("rehearsal/rounds/HOUSE-2026-12-07-1W/runs/official");
    assert!(run.join("acceptance.json").is_file(), "no record");
    let mut tree = tree_of(&run.join("submissions/parsed"));
    tree.retain(|path, _| path.rsplit('.').next() == Some("json"));
    let decided = |text: String| {
        let value: Value = serde_json::from_str(&text).expect("a submission");
        value["portfolio"].to_string()
    };
    tree.into_iter()
        .map(|(path, text)| (path, decided(text)))
        .collect()
}

#[test]
fn a_used_up_plan_is_waited_for_with_an_exit_code_of_its_own() {
    let house = House::rehearsed("publication:\n  site: none\n");
    let market = InventedMarket {
        faults: vec![InventedFault::PlanUsedUp {
            from: date(2026, 12, 7),
            until: date(2026, 12, 8),
        }],
        ..InventedMarket::of_seed(7)
    };
    fs::create_dir_all(house.path("rehearsal/rounds")).expect("a folder");
    invented::settle(&house.path("rehearsal/rounds"), &market).expect("a market");
    let output = house
        .command("league run --now 2026-12-07T12:55:00Z --json")
        .env("CAPITALBENCH_CLOCK", "still")
        .output();
    let told = Ran::new("pass", output.expect("the program starts"))
        .code(3)
        .json();
    assert_eq!(
        told["problems"][0]["waits_until_utc"],
        "2026-12-08T00:00:00Z"
    );
    assert_eq!(told["next_utc"], "2026-12-07T14:25:00Z");
    house
        .run("league run --now 2026-12-07T13:00:00Z")
        .code(3)
        .complains("waits until 2026-12-08T00:00:00");
}

#[test]
fn messages_tell_what_happened_once_and_hold_no_secret() {
    let server = FakeModels::start(|call| match call.wire {
        Wire::OpenAi => Answer::with_status(call, "401 No", &call.wire.error(401)),
        _ => Answer::decision(call),
    });
    let wires = [Wire::OpenAi, Wire::Anthropic, Wire::Google];
    let house = House::real(&server, &wires, "messages:\n  command: tee -a told.jsonl\n");
    for at in ["12:55", "12:56", "13:40", "14:25", "14:30", "14:31"] {
        house.pass_at(&format!("2026-12-07T{at}:00Z"));
    }
    let told = fs::read_to_string(house.path("told.jsonl")).expect("messages");
    let told = told.replace("}{", "}\n{");
    let mut ids: Vec<String> = Vec::new();
    for line in told.lines() {
        let message: Value = serde_json::from_str(line).expect("a message");
        assert_eq!(message["league"], "House League");
        ids.push(message["id"].as_str().expect("an id").to_owned());
    }
    ids.sort();
    let round = "HOUSE-2026-12-07-1W";
    let expected = [
        format!("accepted-{round}"),
        format!("asked-{round}"),
        format!("opened-{round}"),
        format!("problem-{round}-2026-12-07"),
        format!("slot_failed-{round}-openai-m"),
    ];
    assert_eq!(ids, expected);
    house.holds("rounds");
}

#[test]
fn a_watching_league_passes_at_once_and_ends_when_it_is_asked_to() {
    let house = House::rehearsed("publication:\n  site: none\n");
    let mut child = house
        .command("league run --watch")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let rounds = house.path("rehearsal/rounds");
    let is_accepted = || {
        let found = fs::read_dir(&rounds).into_iter().flatten().flatten();
        let mut runs = found.map(|entry| entry.path().join("runs/official/acceptance.json"));
        runs.any(|file| file.is_file())
    };
    wait_until("the first round", is_accepted);
    let sent = Command::new("kill")
        .args(["-TERM", &child.id().to_string()])
        .status();
    assert!(sent.expect("kill").success());
    let status = child.wait().expect("its end");
    assert_eq!(status.code(), Some(0));
}

#[test]
fn a_plan_needs_no_key_and_names_what_comes_and_what_it_may_cost() {
    let house = House::rehearsed("tracks: {weekly: monday, monthly: first session}\n");
    let before = tree_of(house.folder.path());
    let ran = house
        .run("league plan --now 2026-12-06T10:00:00Z --weeks 5")
        .code(0);
    assert_eq!(changes(&before, &tree_of(house.folder.path())), [""; 0]);
    ran.says("rehearsal: nothing is called")
        .says("Mon 7 Dec   12:55Z  open and freeze the week Mon 7 Dec – Mon 14 Dec, signed; ask 2 models")
        .says("            14:25Z  deadline of the week Mon 7 Dec – Mon 14 Dec; entry close 21:00Z")
        .says("Tue 15 Dec  01:15Z  prices, score, boards and site of the week Mon 7 Dec – Mon 14 Dec")
        .says("open and freeze the month Mon 4 Jan – Thu 4 Feb")
        .says("Dec 2026    at most $0.00 of $30.00, $0.00 spent");
    let wrong = tempfile::tempdir().expect("a folder");
    let words = format!("league plan --league {}", wrong.path().display());
    house.run(&words).code(2).complains("has no league.yaml");
}

#[test]
fn a_real_league_takes_no_instant_but_the_clocks() {
    let server = FakeModels::start(Answer::decision);
    let house = House::real(&server, &BOTH, "");
    let before = tree_of(house.folder.path());
    house
        .run("league run --now 2026-12-07T12:55:00Z")
        .code(2)
        .complains("this league is real");
    assert_eq!(changes(&before, &tree_of(house.folder.path())), [""; 0]);
    assert_eq!(server.calls().len(), 0);
}
