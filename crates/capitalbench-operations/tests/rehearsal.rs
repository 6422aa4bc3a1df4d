//! A league played for weeks against a clock that jumps, by operations alone.

#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "a test that lays out its own inputs"
)]

use std::fmt::Write as _;
use std::fs;

use capitalbench_archive::format::round::manifest;
use capitalbench_archive::round::round_folder::list_rounds;

use capitalbench_core::league::settings::{Cadence, League, TrackSchedule, UniverseChoice};
use capitalbench_core::market::calendar::Market;
use capitalbench_core::market::invented::InventedFault;
use capitalbench_core::round::manifest::Track;
use capitalbench_operations::league::folder::LeagueFolder;
use capitalbench_operations::league::rehearsal::{
    Rehearsal, RehearsalRequest, RoundEnd, differences, rehearse,
};
use tempfile::TempDir;

const MODELS: [&str; 8] = [
    "amber", "birch", "cedar", "dune", "ember", "flint", "grove", "heath",
];

/// A league of eight models and both tracks.
struct House {
    folder: TempDir,
    league: LeagueFolder,
}

impl House {
    fn new() -> Self {
        Self::with(
            UniverseChoice::Shipped("v1.5".to_owned()),
            Market::default(),
        )
    }

    /// A house whose options trade elsewhere.
    fn with(universe: UniverseChoice, market: Market) -> Self {
        let folder = TempDir::new().unwrap();
        let mut models = "models:\n".to_owned();
        for model in MODELS {
            let name = format!("mock-{model}");
            writeln!(
                models,
                "- {{model_id: {name}, provider: mock, api_model_name: {name}}}"
            )
            .unwrap();
        }
        fs::write(folder.path().join("models.yaml"), models).unwrap();
        let mut league = League {
            universe,
            market,
            ..League::named("House League")
        };
        league.tracks.push(TrackSchedule {
            track: Track::Monthly,
            cadence: Cadence::FirstSession,
        });
        let league = LeagueFolder {
            folder: folder.path().to_owned(),
            league,
        };
        Self { folder, league }
    }

    fn rehearse(&self, name: &str, days: u16, faults: &[&str]) -> Rehearsal {
        let request = RehearsalRequest {
            league: self.league.clone(),
            scratch: self.folder.path().join(name),
            from: "2026-11-16T00:00:00Z".parse().unwrap(),
            days,
            seed: 7,
            faults: faults
                .iter()
                .map(|text| InventedFault::parse(text).unwrap())
                .collect(),
        };
        let nothing = &mut |_: &LeagueFolder, _| Ok(());
        rehearse(&request, nothing).unwrap()
    }
}

fn ends(rehearsal: &Rehearsal) -> Vec<(&str, &'static str)> {
    let rounds = rehearsal.summary.rounds.iter();
    rounds
        .map(|(name, end)| (name.as_str(), end.word()))
        .collect()
}

fn told(rehearsal: &Rehearsal) -> Vec<String> {
    let problems = rehearsal.problems.iter();
    problems
        .map(|(at, own)| format!("{at} {:?} {}", own.round, own.text))
        .collect()
}

#[test]
fn three_calm_weeks_with_a_holiday_and_an_early_close_resolve_every_round() {
    let house = House::new();
    let done = house.rehearse("calm", 21, &[]);
    assert_eq!(told(&done), [""; 0]);
    assert_eq!(
        ends(&done),
        [
            ("HOUSE-2026-11-16-1W", "resolved"),
            ("HOUSE-2026-11-23-1W", "resolved"),
            ("HOUSE-2026-11-30-1W", "open"),
            ("HOUSE-2026-12-01-1M", "open"),
        ]
    );
    assert!(done.summary.is_sound(), "{:?}", done.summary);
    assert_eq!(done.summary.calls, 4 * MODELS.len());
    assert_eq!(done.summary.unseen, 0);
}

#[test]
fn the_same_rehearsal_has_the_same_calendar_and_results() {
    let house = House::new();
    let (one, other) = (house.rehearse("one", 9, &[]), house.rehearse("two", 9, &[]));
    // The first step makes a key and says where it lies.
    assert_eq!(one.steps[1..], other.steps[1..]);
    let rounds = |own: &Rehearsal| own.league.rounds();
    let apart = differences(&rounds(&one), &rounds(&other)).unwrap();
    assert_eq!(apart, [""; 0]);
}

#[test]
fn every_fault_ends_in_a_result_or_in_a_reason() {
    let house = House::new();
    let done = house.rehearse(
        "faults",
        35,
        &[
            "split=XLK,2026-11-18,4",
            "renamed=QQQ,QQQN,2026-11-19",
            "delisted=GLD,2026-11-20",
            "model-down=mock-dune,2026-11-22,2026-11-25",
            "model-retired=mock-ember,2026-11-28",
            "source-down=2026-11-24,2026-11-25",
            "plan-used-up=2026-12-07,2026-12-08",
        ],
    );
    let summary = &done.summary;
    assert!(summary.is_sound(), "{summary:?}\n{:#?}", told(&done));
    for (name, end) in &summary.rounds {
        match end {
            RoundEnd::Abandoned(reason) => {
                assert_eq!(name, "HOUSE-2026-12-07-1W");
                assert!(reason.contains("used up"), "{reason}");
            }
            RoundEnd::Resolved | RoundEnd::Open => {}
            other => panic!("{name}: {other:?}"),
        }
    }
    let told = told(&done).join("\n");
    for text in [
        "the invented source is down",
        "the plan of invented is used up",
    ] {
        assert!(told.contains(text), "{told}");
    }
    assert!(summary.findings.contains_key("listing-changed"));
}

/// A universe of the test's own.
const INDIA: &str = "market: XNSE
options:
- {id: CASH, name: Cash, is_cash: true, asset_class: cash, risk_bucket: cash, exposure_description: Rupees held uninvested.}
- {id: NIFTY50, name: Nifty 50, symbol: NIFTYBEES, tiingo_symbol: NIFTYBEES.NS, is_benchmark: true}
- {id: NEXT50, name: Nifty Next 50, symbol: JUNIORBEES, tiingo_symbol: JUNIORBEES.NS, risk_bucket: high}
- {id: BANKS, name: Nifty Bank, symbol: BANKBEES, tiingo_symbol: BANKBEES.NS, risk_bucket: high}
- {id: GOLD, name: Gold, symbol: GOLDBEES, tiingo_symbol: GOLDBEES.NS}
- {id: IT, name: Nifty IT, symbol: ITBEES, tiingo_symbol: ITBEES.NS, risk_bucket: high}
";

/// What no prompt of a league outside New York may say.
const FOREIGN: [&str; 4] = ["S&P 500", "$", "New York", "USD"];

#[test]
fn leagues_of_other_markets_run_for_a_month_and_enter_after_their_deadlines() {
    for (universe, id) in [
        ("europe-v1", "XETR"),
        ("india", "XNSE"),
        ("crypto-v1", "24/7"),
    ] {
        let market = Market::shipped(id).unwrap();
        let choice = match universe {
            "india" => UniverseChoice::File("india.yaml".to_owned()),
            version => UniverseChoice::Shipped(version.to_owned()),
        };
        let house = House::with(choice, market);
        fs::write(house.folder.path().join("india.yaml"), INDIA).unwrap();
        let done = house.rehearse("month", 30, &[]);
        assert_eq!(told(&done), [""; 0], "{id}");
        assert!(done.summary.is_sound(), "{id}: {:?}", done.summary);
        let resolved = ends(&done)
            .iter()
            .filter(|(_, end)| *end == "resolved")
            .count();
        assert!(resolved >= 3, "{id}: {:?}", ends(&done));
        for folder in list_rounds(&done.league.rounds()).unwrap() {
            let rules = folder.parse("manifest.yaml", manifest::parse).unwrap();
            let window = rules.window.unwrap();
            assert_eq!(window.market, market);
            let deadline = rules.decision_deadline.unwrap().at();
            assert!(
                window.entry_close().unwrap() > deadline,
                "{}",
                folder.name()
            );
            let input = fs::read_to_string(folder.path().join("model_input.md")).unwrap();
            for word in FOREIGN
                .iter()
                .filter(|word| id != "24/7" || **word != "USD")
            {
                assert!(!input.contains(word), "{word} in {input}");
            }
        }
    }
}
