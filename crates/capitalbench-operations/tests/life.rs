//! A round of an invented market from nothing to its boards, by operations alone: no program, no
//! environment, no network.

#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "a test that lays out its own inputs"
)]

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use capitalbench_archive::format::round::options;
use capitalbench_archive::round::research_import::{Reports, import};
use capitalbench_core::asking::acceptance::Choice;
use capitalbench_core::asking::run::RunKind;
use capitalbench_core::market::calendar::{EntryRule, Roll, WindowRule, rows_final_at};
use capitalbench_core::market::synthetic::SyntheticMarket;
use capitalbench_core::market::universes::shipped;
use capitalbench_core::round::ending::Ending;
use capitalbench_core::round::failure_policy::FailurePolicy;
use capitalbench_core::round::manifest::{Origins, Proof, Stream, SubmissionFormat, Track};
use capitalbench_core::values::ids::{RoundId, RunId};
use capitalbench_core::values::time::WrittenInstant;
use capitalbench_operations::accepting::{AcceptRequest, Accepting, Scheduling, accept_run};
use capitalbench_operations::asking::events;
use capitalbench_operations::asking::run::{AskRequest, Permission, Prepared, Start, prepare_run};
use capitalbench_operations::opening::freezing::{changes, freeze_round};
use capitalbench_operations::opening::market_table::fetch_table;
use capitalbench_operations::opening::new_round::{OpenedRound, RoundRequest, open_round};
use capitalbench_operations::opening::void::{VoidRequest, void_round};
use capitalbench_operations::operator::configuration::Configuration;
use capitalbench_operations::operator::{Operator, Silence};
use capitalbench_operations::prices::sources::{PriceChoice, Vendor};
use capitalbench_operations::proof::record::Recorded;
use capitalbench_operations::resolving::due::{DueRequest, resolve_due};
use capitalbench_operations::resolving::resolve::Resolution;
use capitalbench_operations::resolving::score::Writing;
use capitalbench_operations::resolving::scoring::score_round;
use jiff::Timestamp;
use jiff::civil::{Date, date};
use tempfile::TempDir;

const UNIVERSE: &str = "v1.5";
const KNOWN: Date = date(2026, 9, 14);
const MODELS: &str = "models:
- {model_id: mock-amber, provider: mock, api_model_name: mock-amber}
- {model_id: mock-dune, provider: mock, api_model_name: mock-dune, metadata: {mock: {faults: [rate_limit]}}}
";

fn at(instant: &str) -> Operator {
    at_instant(instant.parse().unwrap())
}

fn at_instant(instant: Timestamp) -> Operator {
    Operator::new(Configuration::empty(), Some(instant), Box::new(Silence))
}

/// A folder with histories, models and a place for rounds.
struct Market {
    folder: TempDir,
}

impl Market {
    fn new() -> Self {
        let folder = TempDir::new().unwrap();
        for part in ["rounds", "histories"] {
            fs::create_dir(folder.path().join(part)).unwrap();
        }
        let own = Self { folder };
        own.write("models.yaml", MODELS);
        let universe = options::parse(shipped(UNIVERSE).unwrap().as_bytes()).unwrap();
        let market = SyntheticMarket::new(7, date(2025, 1, 2), date(2026, 10, 28));
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
            own.write(&format!("histories/{symbol}.csv"), &text);
        }
        own
    }

    fn write(&self, path: &str, text: &str) {
        fs::write(self.path(path), text).unwrap();
    }

    fn path(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    fn vendor(&self) -> Vendor {
        Vendor::Csv(self.path("histories"))
    }

    /// A weekly round that is decided on the morning of 15 September 2026.
    fn open(&self) -> OpenedRound {
        let request = RoundRequest {
            rounds: self.path("rounds"),
            round_id: RoundId::parse("LIFE-1W").unwrap(),
            track: Track::Weekly,
            format: SubmissionFormat::Portfolio,
            methodology: None,
            deadline: Some("2026-09-15T13:25:00Z".parse().unwrap()),
            rule: WindowRule {
                entry: EntryRule::parse("first_close_after_deadline").unwrap(),
                roll: Roll::parse("previous").unwrap(),
            },
            universe: None,
            universe_version: Some(UNIVERSE.to_owned()),
            models: Some(self.path("models.yaml")),
            stream: Stream::Synthetic,
            proof: Proof::None,
            origins: Origins::default(),
            failure_policy: FailurePolicy::default(),
        };
        let opened = open_round(&at("2026-09-15T11:00:00Z"), &request).unwrap();
        let reports = Reports {
            market_facts: b"# Facts\n\nInvented.\n",
            audit: b"# Audit\n\nEvery figure was found in the facts.\n",
            final_briefing: b"# Briefing\n\nThis market is invented.\n",
        };
        let cutoff = WrittenInstant::parse("2026-09-15T11:30:00Z").unwrap();
        import(&opened.folder, &opened.manifest, reports, &cutoff).unwrap();
        opened
    }

    fn ask_request(&self, round: &Path) -> AskRequest {
        AskRequest {
            round: round.to_owned(),
            models: self.path("models.yaml"),
            pricing: None,
            run_id: Some(RunId::parse("official").unwrap()),
            start: Start::New,
            kind: Some(RunKind::Official),
            replicates: None,
            permission: Permission::Mock,
            seed: 3,
            max_retries: 2,
            max_cost_usd: None,
            concurrent: 2,
            pause: Some(Duration::ZERO),
            controls: true,
            renames: Vec::new(),
            dry_run: false,
        }
    }

    fn due_request(&self) -> DueRequest {
        DueRequest {
            rounds: self.path("rounds"),
            prices: PriceChoice {
                vendor: self.vendor(),
                cross_check: None,
            },
            worker: None,
            lease: Duration::from_mins(5),
            max: None,
            boards: Some(self.path("boards")),
        }
    }
}

#[test]
fn a_round_lives_from_nothing_to_its_boards() {
    let market = Market::new();
    let opened = market.open();
    let round = opened.folder.path();
    let vendor = market.vendor();
    let operator = at("2026-09-15T11:40:00Z");
    let (_, table) = fetch_table(&operator, round, KNOWN, &vendor, false).unwrap();
    assert!(table.failed().is_empty());
    let frozen = freeze_round(&operator, round).unwrap();
    assert_eq!(frozen.recorded, Recorded::Unsigned);
    assert!(changes(&frozen.folder).unwrap().is_empty());

    let operator = at("2026-09-15T12:25:00Z");
    let request = market.ask_request(round);
    let Prepared::Ready(ready) = prepare_run(&operator, &request).unwrap() else {
        panic!("a new run is not finished");
    };
    assert_eq!(ready.seats.len(), 2);
    let done = ready
        .ask(&operator, &request, Box::new(events::Silence))
        .unwrap();
    assert!(done.is_valid());
    let attempts: Vec<usize> = done.slots.iter().map(|(_, own)| own.len()).collect();
    assert_eq!(
        attempts,
        [1, 2],
        "a rate limit is asked again, an answer is not"
    );

    let accept = AcceptRequest {
        round: opened.folder.clone(),
        run_id: RunId::parse("official").unwrap(),
        choice: Choice::First,
        reason: None,
        scheduling: Scheduling::WhenDue,
    };
    let operator = at("2026-09-15T12:55:00Z");
    let accepted = accept_run(&operator, &accept).unwrap();
    assert!(matches!(accepted, Accepting::Accepted(own) if own.is_scheduled));
    let again = accept_run(&operator, &accept).unwrap();
    assert!(matches!(again, Accepting::Before { .. }));

    let exit = opened.window.window.exit;
    let operator = at_instant(rows_final_at(exit).unwrap());
    let resolved = resolve_due(&operator, &market.due_request()).unwrap();
    assert!(!resolved.is_failed(), "{resolved:?}");
    let [(name, Resolution::Resolved { .. })] = resolved.rounds.as_slice() else {
        panic!("one round is due: {resolved:?}");
    };
    assert_eq!(name, "LIFE-1W");
    assert!(matches!(&resolved.boards, Some(Ok(boards)) if boards.resolved == 1));
    let scored = score_round(&operator, round, None, &Writing::DryRun).unwrap();
    assert_eq!(scored.result.outcomes.len(), 2);
    assert!(scored.stored.is_none());
}

#[test]
fn a_round_that_is_not_frozen_is_not_asked() {
    let market = Market::new();
    let opened = market.open();
    let request = market.ask_request(opened.folder.path());
    let refused = prepare_run(&at("2026-09-15T12:25:00Z"), &request).err();
    let refused = refused.expect("an error");
    assert_eq!(refused.message, "LIFE-1W is not frozen");
    assert!(refused.hint.unwrap().contains("hash-round"));
}

#[test]
fn a_round_that_nobody_asked_before_its_deadline_is_abandoned_and_never_late() {
    let market = Market::new();
    let opened = market.open();
    let request = VoidRequest {
        round: opened.folder.path().to_owned(),
        ending: Ending::Abandoned,
        reason: "the machine was off".to_owned(),
    };
    let early = void_round(&at("2026-09-15T13:00:00Z"), &request).unwrap_err();
    assert!(
        early.message.contains("its deadline has not passed"),
        "{early}"
    );
    let late = at("2026-09-16T08:00:00Z");
    let stone = void_round(&late, &request).unwrap();
    assert_eq!(
        stone.sentence(),
        "was abandoned at 2026-09-16T08:00:00Z: the machine was off"
    );
    // A later pass changes nothing, and says nothing else.
    let again = at("2026-09-17T08:00:00Z");
    assert_eq!(void_round(&again, &request).unwrap(), stone);
    let voided = VoidRequest {
        ending: Ending::Voided,
        ..request
    };
    let other = void_round(&again, &voided).unwrap_err();
    assert!(other.message.contains("was abandoned at"), "{other}");
    let freeze = freeze_round(&again, opened.folder.path()).unwrap_err();
    assert!(freeze.message.contains("was abandoned at"), "{freeze}");
}
