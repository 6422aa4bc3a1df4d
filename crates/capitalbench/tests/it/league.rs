//! `league new` and `league check`: a folder that works at once, and what it still needs.

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::fake_models::KEY;
use crate::harness::{Ran, command};
use crate::scripted_models::{Answer, responses, serve};

/// A league in a folder of its own.
struct House {
    place: TempDir,
}

impl House {
    fn new() -> Self {
        let place = tempfile::tempdir().expect("a folder");
        let house = Self { place };
        house.outside(&["league", "new", "house"]).code(0);
        house
    }

    fn run_in(&self, folder: &str, arguments: &[&str]) -> Ran {
        let output = command(arguments)
            .current_dir(self.place.path().join(folder))
            .output()
            .expect("the program runs");
        Ran::new(&arguments.join(" "), output)
    }

    fn outside(&self, arguments: &[&str]) -> Ran {
        self.run_in(".", arguments)
    }

    fn run(&self, arguments: &[&str]) -> Ran {
        self.run_in("house", arguments)
    }

    /// Changes a file of the league.
    fn edit(&self, file: &str, old: &str, new: &str) {
        let path = self.place.path().join("house").join(file);
        let text = std::fs::read_to_string(&path).expect("the file");
        assert!(text.contains(old), "no {old:?} in {file}");
        std::fs::write(path, text.replacen(old, new, 1)).expect("the changed file");
    }

    fn write(&self, file: &str, text: &str) {
        let path = self.place.path().join("house").join(file);
        std::fs::write(path, text).expect("the written file");
    }
}

#[test]
fn a_new_league_ends_with_the_next_command() {
    let place = tempfile::tempdir().expect("a folder");
    let house = House { place };
    let ran = house.outside(&["league", "new", "house"]).code(0);
    ran.says("house: weekly on monday; portfolio of the universe v2.1")
        .says("wrote models.yaml, .env.example, .gitignore, README.md, .github/workflows/league.yml, .github/workflows/verify.yml, league.yaml")
        .says("cd house && capitalbench league run");
    house
        .outside(&["league", "new", "house"])
        .code(2)
        .complains("house is a league already");
}

#[test]
fn a_new_league_is_told_as_json_too() {
    let place = tempfile::tempdir().expect("a folder");
    let house = House { place };
    let told: Value = house
        .outside(&["league", "new", "a house", "--json"])
        .code(0)
        .json();
    assert_eq!(told["name"], "a house");
    assert_eq!(told["next"], "cd 'a house' && capitalbench league run");
    assert_eq!(told["files"].as_array().map(Vec::len), Some(7));
}

#[test]
fn a_new_league_keeps_the_closes_of_its_vendor_to_itself() {
    let house = House::new();
    let file = |name: &str| {
        let path = house.place.path().join("house").join(name);
        std::fs::read_to_string(path).expect("a file")
    };
    assert!(file("league.yaml").contains("\npublish:\n  prices: returns\n"));
    let ignored = file(".gitignore");
    for private in [
        "**/prices/**/vendor/",
        "source_histories.csv",
        "daily_price_snapshots/",
    ] {
        assert!(ignored.contains(private), "{ignored}");
    }
    // Everybody who may restore a cache reads what is in it.
    let workflow = file(".github/workflows/league.yml");
    let cached = workflow.lines().map(str::trim);
    let cached: Vec<&str> = cached.filter(|line| line.starts_with("rounds/")).collect();
    assert_eq!(
        cached,
        [
            "rounds/.capitalbench/*_requests.json",
            "rounds/.capitalbench/league.json",
            "rounds/.capitalbench/messages",
        ]
    );
    assert!(!house.run(&["league", "check"]).stdout().contains("warning"));
    house.edit("league.yaml", "  prices: returns", "  prices: full");
    house
        .run(&["league", "check"])
        .code(0)
        .says("publish.prices: full passes the closes of tiingo on to everybody")
        .says("write publish.prices: returns into league.yaml")
        .says("nothing to repair");
    house.edit(
        "league.yaml",
        "  source: tiingo",
        "  source: csv\n  histories: closes",
    );
    assert!(
        !house
            .run(&["league", "check"])
            .stdout()
            .contains("passes the closes")
    );
}

/// The words of a check's line, with their number of spaces made one.
fn flat(ran: &Ran) -> String {
    ran.stdout()
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
}

#[test]
fn a_new_league_needs_no_repair() {
    let house = House::new();
    let ran = house.run(&["league", "check"]).code(0);
    let said = flat(&ran);
    for expected in [
        "ok league weekly on monday; portfolio of the universe v2.1",
        "ok models 6 known: gpt-5-5, claude-opus-5,",
        "not used keys rehearsal: mock models answer, so no key is needed",
        "ok universe 70 options",
        "the plan of tiingo allows 50 of 69 symbols at once; all of them take 1 h; `league run` waits",
        "ok log the first pass makes the key that signs",
        "not used database publication.database: false",
        "nothing to repair",
    ] {
        assert!(said.contains(expected), "no {expected:?} in {ran}");
    }
    let told = house
        .outside(&["league", "check", "--league", "house", "--json"])
        .code(0)
        .json();
    assert_eq!(told["repairs"], 0);
    assert_eq!(told["league"], "house");
}

#[test]
fn each_thing_to_repair_comes_with_what_to_do() {
    let house = House::new();
    house.edit("models.yaml", "provider: anthropic", "provider: antropic");
    house.edit(
        "league.yaml",
        "opens_before_deadline: 90m",
        "opens_before_deadline: 45m",
    );
    house.edit("league.yaml", "proof: signed", "proof: anchored");
    house.edit(
        "league.yaml",
        "briefing: mechanical",
        "briefing: {facts: f.md, audit: a.md, briefing: b.md}",
    );
    house.edit("league.yaml", "  database: false", "  database: true");
    house.edit(
        "league.yaml",
        "  # webhook: LEAGUE_WEBHOOK",
        "  webhook: LEAGUE_WEBHOOK",
    );
    let ran = house.run(&["league", "check"]).code(1);
    let said = flat(&ran);
    for expected in [
        "repair models claude-opus-5: the provider antropic is not known; did you mean anthropic?",
        "all of them take 1 h, but a round is opened 45m before its deadline next: get a larger plan",
        "repair clocks proof: anchored needs an outside clock, and none is named next: name one",
        "repair briefing ./f.md does not exist next: write it before the round is opened",
        "repair database neither SUPABASE_URL with SUPABASE_SERVICE_ROLE_KEY nor DATABASE_URL is set next: write",
        "repair messages LEAGUE_WEBHOOK is not set next: write LEAGUE_WEBHOOK=https://… into .env",
        "6 things to repair",
    ] {
        assert!(said.contains(expected), "no {expected:?} in {ran}");
    }
}

#[test]
fn a_mistake_in_the_league_file_is_named_with_its_line() {
    let house = House::new();
    house.edit("league.yaml", "universe: v2.1", "univers: v2.1");
    house
        .run(&["league", "check"])
        .code(2)
        .complains("league.yaml: line ")
        .complains("unknown field `univers`; did you mean `universe`?");
}

#[test]
fn keys_are_tried_only_where_real_calls_are_allowed() {
    let address = serve(|_, body| match body["model"].as_str() {
        Some("good") => Answer::ok(&responses("good", "{\"status\": \"ok\"}")),
        Some("moved") => Answer::ok(&responses("newer", "{\"status\": \"ok\"}")),
        _ => {
            let message = format!("the key {KEY} is not known here");
            Answer::status(401, &json!({"error": {"message": message, "type": "x"}}))
        }
    });
    let models = ["good", "moved", "locked", "keyless"].map(|model| {
        let key = if model == "keyless" { "NO_SUCH_KEY" } else { "CANARY_KEY" };
        format!(
            "- model_id: {model}\n  provider: openai\n  api_model_name: {model}\n  base_url: {address}\n  \
             api_key_env: {key}\n"
        )
    });
    let house = House::new();
    house.write("models.yaml", &format!("models:\n{}", models.concat()));
    house.write(
        "card.yaml",
        &format!(
            "pricing:\n  openai:\n{}",
            ["good", "moved", "locked"]
                .map(|model| format!(
                    "    {model}: {{input_per_1m_tokens_usd: 1, output_per_1m_tokens_usd: 1}}\n"
                ))
                .concat()
        ),
    );
    house.edit(
        "league.yaml",
        "# pricing: pricing.yaml",
        "pricing: card.yaml",
    );
    house.write(
        ".env",
        &format!(
            "CANARY_KEY={KEY}\nTIINGO_API_KEY=canary\nCAPITALBENCH_ALLOW_PRIVATE_ADDRESSES=1\n"
        ),
    );
    house.run(&["league", "check"]).code(0);
    house.edit(
        "league.yaml",
        "allow_real_api_calls: false",
        "allow_real_api_calls: true",
    );
    let ran = house.run(&["league", "check"]).code(1);
    let said = flat(&ran);
    for expected in [
        "keys 1 of 4 models answered a short question",
        "repair keys locked: key refused with HTTP 401",
        "next: get another key, write it as CANARY_KEY into .env",
        "repair keys keyless: NO_SUCH_KEY is not set next: export NO_SUCH_KEY=… or write it into .env",
        "add to its entry: served_models: [newer]",
        "repair budget cannot be kept: no price of keyless",
        "4 things to repair",
    ] {
        assert!(said.contains(expected), "no {expected:?} in {ran}");
    }
    assert!(!said.contains(KEY), "a key is shown: {said}");
}

#[test]
#[expect(clippy::too_many_lines, reason = "one folder, command by command")]
fn commands_in_the_folder_of_a_league_take_its_settings() {
    let house = House::new();
    house.edit("league.yaml", "universe: v2.1", "universe: v2.0");
    house.edit("league.yaml", "controls: true", "controls: false");
    let opened = house
        .run(&[
            "init-round",
            "--round-id",
            "HOUSE-1",
            "--decision-deadline",
            "2026-12-07T14:25:00Z",
            "--now",
            "2026-12-06T10:00:00Z",
        ])
        .code(0);
    let told = opened.stdout();
    for expected in [
        "universe  v2.0, 65 options",
        "roster    6 models",
        "proof     signed",
        "exit      2026-12-14",
    ] {
        assert!(told.contains(expected), "no {expected:?} in {opened}");
    }
    assert!(
        house
            .place
            .path()
            .join("house/rehearsal/rounds/HOUSE-1/manifest.yaml")
            .is_file()
    );
    // A flag wins.
    let typed = house
        .run(&[
            "init-round",
            "--round-id",
            "HOUSE-2",
            "--decision-deadline",
            "2026-12-07T14:25:00Z",
            "--now",
            "2026-12-06T10:00:00Z",
            "--horizon",
            "one month",
            "--universe-version",
            "v1.5",
            "--proof",
            "none",
            "--rounds-dir",
            "mine",
        ])
        .code(0);
    let told = typed.stdout();
    assert!(
        told.contains("universe  v1.5, 40 options") && told.contains("exit      2027-01-07"),
        "{typed}"
    );
    assert!(!told.contains("proof"), "{typed}");
    assert!(house.place.path().join("house/mine/HOUSE-2").is_dir());
    house
        .run(&["status", "--now", "2026-12-06T10:00:00Z"])
        .code(0)
        .says("HOUSE-1");
    house
        .run(&["init-round", "--help"])
        .code(0)
        .says("[default: rehearsal/rounds]");
    let plain = house.outside(&["init-round", "--help"]).code(0);
    assert!(plain.stdout().contains("[default: rounds]"), "{plain}");
}

#[test]
fn a_league_with_one_track_shows_one_board() {
    let house = House::new();
    house.edit(
        "league.yaml",
        "allow_real_api_calls: false",
        "allow_real_api_calls: true",
    );
    let from = crate::harness::fixtures().join("rounds");
    crate::harness::copy_tree(&from, &house.place.path().join("house/rounds"));
    let now = ["--as-of", "2030-01-01"];
    let tracks = |ran: &Ran| {
        let told = ran.json();
        let rounds = told["rounds"].as_array().cloned().unwrap_or_default();
        let mut tracks: Vec<String> = rounds
            .iter()
            .map(|round| round["track"].to_string())
            .collect();
        tracks.dedup();
        tracks
    };
    let arguments = [&["cumulative-status", "--json"][..], &now].concat();
    assert_eq!(tracks(&house.run(&arguments).code(0)), ["\"weekly\""]);
    let both = [
        &[
            "cumulative-status",
            "--json",
            "--rounds-dir",
            "house/rounds",
        ][..],
        &now,
    ]
    .concat();
    assert_eq!(tracks(&house.outside(&both).code(0)).len(), 2);
    let monthly = [
        &["cumulative-status", "--json", "--track", "monthly"][..],
        &now,
    ]
    .concat();
    assert_eq!(tracks(&house.run(&monthly).code(0)), ["\"monthly\""]);
}

#[test]
fn a_broken_league_file_stops_other_commands_with_its_line() {
    let house = House::new();
    house.edit("league.yaml", "controls: true", "controls: perhaps");
    house
        .run(&["status"])
        .code(2)
        .complains("league.yaml: line ")
        .complains("controls: ");
    house.run(&["--help"]).code(0);
}
