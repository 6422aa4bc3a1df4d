//! Passes of a league over an invented market on disk, by operations alone: no program, no network.

#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "a test that lays out its own inputs"
)]

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use capitalbench_archive::format::round::options;
use capitalbench_archive::verify::{self, Severity};
use capitalbench_core::asking::cost::Cost;
use capitalbench_core::league::settings::{Budget, Cadence, League, PriceSettings, TrackSchedule};
use capitalbench_core::market::synthetic::SyntheticMarket;
use capitalbench_core::market::universes::shipped;
use capitalbench_core::round::manifest::Track;
use capitalbench_operations::league::folder::LeagueFolder;
use capitalbench_operations::league::pass::{Pass, PassEnd, StepKind, pass};
use capitalbench_operations::operator::configuration::Configuration;
use capitalbench_operations::operator::{Operator, Silence};
use jiff::Timestamp;
use jiff::civil::{Date, date};
use tempfile::TempDir;

const UNIVERSE: &str = "v1.5";
const MODELS: &str = "models:
- {model_id: mock-amber, provider: mock, api_model_name: mock-amber}
- {model_id: mock-birch, provider: mock, api_model_name: mock-birch}
- {model_id: mock-dune, provider: mock, api_model_name: mock-dune, metadata: {mock: {faults: [rate_limit]}}}
";

/// A league in a folder of its own.
struct House {
    folder: TempDir,
    league: LeagueFolder,
}

impl House {
    fn new(change: impl FnOnce(&mut League)) -> Self {
        let folder = TempDir::new().unwrap();
        let mut league = League {
            universe: capitalbench_core::league::settings::UniverseChoice::Shipped(
                UNIVERSE.to_owned(),
            ),
            budget: Budget {
                per_round: None,
                per_month: None,
            },
            ..League::named("House League")
        };
        league.prices = PriceSettings {
            source: "csv".to_owned(),
            histories: Some("histories".to_owned()),
            ..league.prices
        };
        change(&mut league);
        let league = LeagueFolder {
            folder: folder.path().to_owned(),
            league,
        };
        let own = Self { folder, league };
        own.write("models.yaml", MODELS);
        own.write_histories();
        own
    }

    fn write_histories(&self) {
        let universe = options::parse(shipped(UNIVERSE).unwrap().as_bytes()).unwrap();
        let market =
            SyntheticMarket::new(7, universe.market(), date(2025, 6, 2), date(2027, 3, 31));
        for (symbol, bars) in market.histories(&universe) {
            let mut text = "date,close,adj_close,volume,dividend,split\n".to_owned();
            for bar in bars {
                writeln!(
                    text,
                    "{},{},{:.8},{},{},1",
                    bar.date, bar.close, bar.adjusted, bar.volume, bar.dividend
                )
                .unwrap();
            }
            self.write(&format!("histories/{symbol}.csv"), &text);
        }
    }

    fn write(&self, path: &str, text: &str) {
        let file = self.path(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }

    fn path(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    fn pass_at(&self, at: Timestamp) -> Pass {
        let operator = Operator::new(Configuration::empty(), Some(at), Box::new(Silence));
        pass(&operator, &self.league).unwrap()
    }

    fn pass(&self, at: &str) -> Pass {
        self.pass_at(at.parse().unwrap())
    }

    /// What is on the disk agrees with itself.
    fn holds(&self, at: &str) {
        let rounds = self.path("rehearsal/rounds");
        let report = verify::verify(&rounds, at.parse().unwrap(), &|| ()).unwrap();
        assert_eq!(report.count(Severity::Error), 0, "{report:?}");
    }

    /// Passes from one instant to the next at which something is due.
    fn play(&self, from: &str, until: &str) -> Vec<Pass> {
        let until: Timestamp = until.parse().unwrap();
        let mut at: Timestamp = from.parse().unwrap();
        let mut passes = Vec::new();
        while at <= until {
            let pass = self.pass_at(at);
            let next = pass.next.expect("a league always has a next instant");
            assert!(next > at, "{next} is not after {at}");
            passes.push(pass);
            // A simulated clock runs on while a pass works.
            at = next;
        }
        passes
    }
}

/// A price for every model.
fn prices() -> String {
    let mut text = "pricing:\n  mock:\n".to_owned();
    for model in ["mock-amber", "mock-birch", "mock-dune"] {
        let price = "{input_per_1m_tokens_usd: 1, output_per_1m_tokens_usd: 10}";
        writeln!(text, "    {model}: {price}").unwrap();
    }
    text
}

/// The kinds of steps in their order, with the rounds they are about.
fn steps(passes: &[Pass]) -> Vec<(StepKind, String)> {
    let steps = passes.iter().flat_map(|pass| &pass.steps);
    steps
        .map(|step| (step.kind, step.round.clone().unwrap_or_default()))
        .collect()
}

fn problems(passes: &[Pass]) -> Vec<String> {
    let problems = passes.iter().flat_map(|pass| &pass.problems);
    problems.map(|own| own.text.clone()).collect()
}

/// Every file of a folder with its bytes.
fn tree(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(tree(&path));
        } else {
            found.insert(path.clone(), fs::read(&path).unwrap());
        }
    }
    found
}

const FIRST: &str = "HOUSE-2026-12-07-1W";

#[test]
fn a_league_opens_asks_accepts_tracks_and_resolves_a_week_by_itself() {
    use StepKind::{Accepted, Asked, Briefed, Frozen, Opened, Resolved, Tabled, Tracked};
    let house = House::new(|_| ());
    let passes = house.play("2026-12-07T12:55:00Z", "2026-12-15T02:00:00Z");
    assert_eq!(problems(&passes), [""; 0]);
    let done = steps(&passes);
    let first: Vec<StepKind> = done
        .iter()
        .filter(|(_, round)| round == FIRST)
        .map(|(kind, _)| *kind)
        .collect();
    assert_eq!(
        first,
        [Opened, Tabled, Briefed, Frozen, Asked, Accepted, Resolved]
    );
    let tracked = done.iter().filter(|(kind, _)| *kind == Tracked).count();
    assert_eq!(
        tracked, 6,
        "five sessions of the first round and the entry of the second"
    );
    let last = passes.last().unwrap();
    assert_eq!(last.end, PassEnd::Whole);
    house.holds("2026-12-15T03:00:00Z");
}

#[test]
fn a_rehearsal_begins_at_once_and_goes_on_by_its_calendar() {
    let house = House::new(|_| ());
    let passes = house.play("2026-12-02T10:00:00Z", "2026-12-14T13:30:00Z");
    assert_eq!(problems(&passes), [""; 0]);
    let opened = passes.iter().flat_map(|pass| &pass.steps);
    let opened: Vec<(String, &str)> = opened
        .filter(|step| step.kind == StepKind::Opened)
        .map(|step| {
            (
                step.at.to_string(),
                step.round.as_deref().unwrap_or_default(),
            )
        })
        .collect();
    let expected = [
        ("2026-12-02T10:00:00Z".to_owned(), FIRST),
        ("2026-12-14T12:55:00Z".to_owned(), "HOUSE-2026-12-14-1W"),
    ];
    assert_eq!(opened, expected);
    let manifest = house.path(&format!("rehearsal/rounds/{FIRST}/manifest.yaml"));
    let manifest = fs::read_to_string(manifest).unwrap();
    assert!(manifest.contains("2026-12-07T14:25:00Z"), "{manifest}");
}

#[test]
fn a_pass_with_nothing_due_writes_nothing_and_a_second_one_at_the_same_time_does_nothing() {
    let house = House::new(|_| ());
    house.play("2026-12-07T12:55:00Z", "2026-12-07T14:30:00Z");
    let rounds = house.path("rehearsal");
    let before = tree(&rounds);
    let again = house.pass("2026-12-07T15:00:00Z");
    assert_eq!(steps(&[again]), []);
    assert_eq!(tree(&rounds), before);
    let lock = house.path("rehearsal/rounds/.capitalbench/league.lock");
    let hold = capitalbench_archive::disk::file_ops::hold(&lock).unwrap();
    assert!(hold.is_some());
    let other = house.pass("2026-12-14T12:55:00Z");
    assert_eq!(other.end, PassEnd::Elsewhere);
    assert_eq!(other.next, Some("2026-12-14T12:56:00Z".parse().unwrap()));
    drop(hold);
    assert!(!steps(&[house.pass("2026-12-14T12:55:00Z")]).is_empty());
}

#[test]
fn every_step_has_the_command_that_is_typed_in_the_folder_of_the_league() {
    let house = House::new(|_| ());
    let passes = house.play("2026-12-07T12:55:00Z", "2026-12-08T02:00:00Z");
    let commands: Vec<&str> = passes
        .iter()
        .flat_map(|pass| &pass.steps)
        .map(|step| step.command.as_str())
        .collect();
    let folder = house.folder.path().display().to_string();
    assert!(
        commands.iter().all(|own| !own.contains(&folder)),
        "{commands:?}"
    );
    assert_eq!(
        commands[1..],
        [
            "capitalbench init-round --round-id HOUSE-2026-12-07-1W --horizon 'one week' \
             --submission-format portfolio --methodology portfolio-v1.2 --decision-deadline \
             2026-12-07T14:25:00Z --universe-version v1.5 --models models.yaml --rounds-dir \
             rehearsal/rounds --price-source csv --largest-daily-move-bps 4000 --proof signed --synthetic",
            "capitalbench fetch-universe-performance --round rehearsal/rounds/HOUSE-2026-12-07-1W \
             --as-of-date 2026-12-04 --source csv --histories histories",
            "capitalbench make-briefing --round rehearsal/rounds/HOUSE-2026-12-07-1W \
             --research-cutoff-utc 2026-12-07T12:55:00Z",
            "capitalbench hash-round --round rehearsal/rounds/HOUSE-2026-12-07-1W",
            "capitalbench run-round --round rehearsal/rounds/HOUSE-2026-12-07-1W --models models.yaml \
             --run-type official --run-id official --mock --seed 20261207",
            "capitalbench accept-run --round rehearsal/rounds/HOUSE-2026-12-07-1W --run-id official",
            "capitalbench update-interim-performance --rounds-dir rehearsal/rounds --snapshot-date \
             2026-12-07 --track all --source csv --histories histories",
        ]
    );
    let text = fs::read_to_string(
        house.path("rehearsal/rounds/HOUSE-2026-12-07-1W/runs/official/slots.json"),
    )
    .unwrap();
    assert!(
        text.contains("\"models_config_file\": \"models.yaml\""),
        "{text}"
    );
}

#[test]
fn a_source_that_fails_is_tried_again_and_the_round_still_comes() {
    let house = House::new(|_| ());
    fs::rename(house.path("histories"), house.path("away")).unwrap();
    let first = house.pass("2026-12-07T12:55:00Z");
    assert_eq!(first.problems.len(), 1, "{first:?}");
    assert_eq!(first.problems[0].round.as_deref(), Some(FIRST));
    assert_eq!(first.next, Some("2026-12-07T12:56:00Z".parse().unwrap()));
    let held = house.pass("2026-12-07T12:55:30Z");
    assert_eq!(steps(std::slice::from_ref(&held)), []);
    assert_eq!(
        held.problems, first.problems,
        "the problem is told, and nothing is tried"
    );
    fs::rename(house.path("away"), house.path("histories")).unwrap();
    let passes = house.play("2026-12-07T12:56:00Z", "2026-12-07T14:30:00Z");
    assert_eq!(problems(&passes), [""; 0]);
    let done = steps(&passes);
    assert!(
        done.contains(&(StepKind::Accepted, FIRST.to_owned())),
        "{done:?}"
    );
}

#[test]
fn both_tracks_are_decided_on_one_day() {
    let house = House::new(|league| {
        league.tracks.push(TrackSchedule {
            track: Track::Monthly,
            cadence: Cadence::FirstSession,
        });
    });
    let passes = house.play("2027-01-04T12:55:00Z", "2027-01-04T14:30:00Z");
    assert_eq!(problems(&passes), [""; 0]);
    let accepted: Vec<String> = steps(&passes)
        .into_iter()
        .filter(|(kind, _)| *kind == StepKind::Accepted)
        .map(|(_, round)| round)
        .collect();
    assert_eq!(accepted, ["HOUSE-2027-01-04-1M", "HOUSE-2027-01-04-1W"]);
}

#[test]
fn a_budget_that_is_too_small_asks_nobody_and_says_what_is_missing() {
    let house = House::new(|league| {
        league.pricing = Some("pricing.yaml".to_owned());
        league.budget.per_month = Cost::from_usd(0.001);
    });
    house.write("pricing.yaml", &prices());
    let pass = house.pass("2026-12-07T12:55:00Z");
    let text = &pass.problems[0].text;
    assert!(
        text.contains("the budget of the month leaves $0.01"),
        "{text}"
    );
    assert!(
        !house
            .path("rehearsal/rounds/HOUSE-2026-12-07-1W/runs/official")
            .exists()
    );
}

#[test]
fn two_hundred_finished_rounds_cost_a_pass_next_to_nothing() {
    let house = House::new(|_| ());
    house.play("2026-12-07T12:55:00Z", "2026-12-15T02:00:00Z");
    let rounds = house.path("rehearsal/rounds");
    let days: Vec<Date> = (0..200)
        .map(|week| date(2020, 1, 6) + jiff::Span::new().weeks(week))
        .collect();
    for day in &days {
        copy_round(&rounds, *day);
    }
    assert_eq!(problems(&[house.pass("2026-12-15T02:01:00Z")]), [""; 0]);
    // Whoever read one of these manifests again would stumble over it.
    for day in &days {
        house.write(
            &format!("rehearsal/rounds/HOUSE-{day}-1W/manifest.yaml"),
            "{spoiled",
        );
    }
    assert_eq!(problems(&[house.pass("2026-12-15T02:02:00Z")]), [""; 0]);
}

fn copy_round(rounds: &Path, day: Date) {
    let to = rounds.join(format!("HOUSE-{day}-1W"));
    fs::create_dir_all(to.join("automation")).unwrap();
    for file in ["manifest.yaml", "automation/resolution_job.yaml"] {
        fs::copy(rounds.join(FIRST).join(file), to.join(file)).unwrap();
    }
}

#[test]
fn a_missed_deadline_is_recorded_and_never_asked_late() {
    let house = House::new(|_| ());
    fs::rename(house.path("histories"), house.path("away")).unwrap();
    let passes = house.play("2026-12-07T12:55:00Z", "2026-12-07T14:25:00Z");
    let done = steps(&passes);
    assert_eq!(done.last(), Some(&(StepKind::Abandoned, FIRST.to_owned())));
    let told = passes.last().unwrap().steps.last().unwrap();
    assert!(told.text.contains("before it was asked"), "{told:?}");
    assert!(told.text.contains("--histories"), "{told:?}");
    // The machine sleeps over the next deadline: that round is created to say so, and ends at once.
    fs::rename(house.path("away"), house.path("histories")).unwrap();
    let late = house.pass("2026-12-15T09:00:00Z");
    let second = "HOUSE-2026-12-14-1W".to_owned();
    let expected = [
        (StepKind::Opened, second.clone()),
        (StepKind::Abandoned, second),
    ];
    assert_eq!(steps(std::slice::from_ref(&late)), expected);
    assert_eq!(late.next, Some("2026-12-21T12:55:00Z".parse().unwrap()));
    assert_eq!(steps(&[house.pass("2026-12-15T09:01:00Z")]), []);
    house.holds("2026-12-15T10:00:00Z");
}

#[test]
fn one_bad_model_does_not_end_a_round_and_too_many_void_it() {
    let house = House::new(|_| ());
    let refusing = MODELS.replace("faults: [rate_limit]", "faults: [refusal]");
    house.write("models.yaml", &refusing);
    let passes = house.play("2026-12-07T12:55:00Z", "2026-12-07T14:30:00Z");
    assert!(
        steps(&passes).contains(&(StepKind::Accepted, FIRST.to_owned())),
        "{passes:?}"
    );
    let all = "metadata: {mock: {faults: [refusal]}}";
    let bad = refusing.replace(
        "api_model_name: mock-amber}",
        &format!("api_model_name: mock-amber, {all}}}"),
    );
    house.write("models.yaml", &bad);
    let passes = house.play("2026-12-14T12:55:00Z", "2026-12-14T14:30:00Z");
    let second = "HOUSE-2026-12-14-1W".to_owned();
    assert!(
        steps(&passes).contains(&(StepKind::Voided, second)),
        "{passes:?}"
    );
    house.holds("2026-12-14T15:00:00Z");
}
