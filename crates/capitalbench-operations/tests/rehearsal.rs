//! A league played for weeks against a clock that jumps, by operations alone.

#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "a test that lays out its own inputs"
)]

use std::fmt::Write as _;
use std::fs;

use capitalbench_core::league::settings::{Cadence, League, TrackSchedule, UniverseChoice};
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
            universe: UniverseChoice::Shipped("v1.5".to_owned()),
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
