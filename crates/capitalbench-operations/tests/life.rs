//! A round of an invented market from nothing to its boards, by operations alone: no program, no
//! environment, no network.

#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "a test that lays out its own inputs"
)]

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use capitalbench_archive::round::research_import::{Reports, import};
use capitalbench_core::asking::acceptance::Choice;
use capitalbench_core::asking::market_context::MarketContext;
use capitalbench_core::asking::run::RunKind;
use capitalbench_core::market::calendar::{EntryRule, Market as Exchange, Roll, WindowRule};
use capitalbench_core::market::invented::{InventedFault, InventedMarket};
use capitalbench_core::market::published_prices::PublishedPrices;
use capitalbench_core::round::ending::Ending;
use capitalbench_core::round::failure_policy::FailurePolicy;
use capitalbench_core::round::manifest::{Origins, Proof, Stream, SubmissionFormat, Track};
use capitalbench_core::values::ids::{RoundId, RunId};
use capitalbench_core::values::time::WrittenInstant;
use capitalbench_operations::accepting::{AcceptRequest, Accepting, Scheduling, accept_run};
use capitalbench_operations::asking::events;
use capitalbench_operations::asking::run::{
    AskRequest, MissingKeys, Permission, Prepared, RunReport, Start, prepare_run,
};
use capitalbench_operations::error::Error;
use capitalbench_operations::opening::freezing::{changes, freeze_round};
use capitalbench_operations::opening::market_table::{TableManner, fetch_table};
use capitalbench_operations::opening::new_round::{OpenedRound, RoundRequest, open_round};
use capitalbench_operations::opening::void::{VoidRequest, void_round};
use capitalbench_operations::operator::configuration::Configuration;
use capitalbench_operations::operator::{Operator, Silence};
use capitalbench_operations::prices::fetcher::AtLimit;
use capitalbench_operations::prices::invented;
use capitalbench_operations::prices::sources::{PriceChoice, Vendor};
use capitalbench_operations::proof::record::Recorded;
use capitalbench_operations::resolving::due::{DueReport, DueRequest, resolve_due};
use capitalbench_operations::resolving::resolve::Resolution;
use capitalbench_operations::resolving::score::Writing;
use capitalbench_operations::resolving::scoring::score_round;
use jiff::Timestamp;
use jiff::civil::{Date, date};
use tempfile::TempDir;

#[path = "life/odd_prices.rs"]
mod odd_prices;

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

/// A folder with models and a place for rounds, and the market beside it.
struct Market {
    folder: TempDir,
}

impl Market {
    fn new() -> Self {
        Self::with(&[])
    }

    /// A market in which something goes wrong.
    fn with(faults: &[&str]) -> Self {
        let folder = TempDir::new().unwrap();
        fs::create_dir(folder.path().join("rounds")).unwrap();
        let own = Self { folder };
        own.write("models.yaml", MODELS);
        let faults = faults
            .iter()
            .map(|text| InventedFault::parse(text).unwrap());
        let market = InventedMarket {
            faults: faults.collect(),
            ..InventedMarket::of_seed(7)
        };
        invented::settle(&own.path("rounds"), &market).unwrap();
        own
    }

    fn write(&self, path: &str, text: &str) {
        fs::write(self.path(path), text).unwrap();
    }

    fn path(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    /// A weekly round that is decided on the morning of 15 September 2026.
    fn open(&self) -> OpenedRound {
        let request = RoundRequest {
            rounds: self.path("rounds"),
            round_id: RoundId::parse("LIFE-1W").unwrap(),
            track: Track::Weekly,
            format: SubmissionFormat::Portfolio,
            methodology: Some("portfolio-v1.2".to_owned()),
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
            controls: Vec::new(),
            lanes: None,
            publish: PublishedPrices::Full,
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
            home: None,
            run_id: Some(RunId::parse("official").unwrap()),
            start: Start::New,
            kind: Some(RunKind::Official),
            replicates: None,
            permission: Permission::Mock,
            seed: 3,
            missing_keys: MissingKeys::Refuse,
            max_retries: 2,
            max_cost_usd: None,
            concurrent: 2,
            pause: Some(Duration::ZERO),
            controls: true,
            renames: Vec::new(),
            only: Vec::new(),
            dry_run: false,
        }
    }

    fn due_request(&self) -> DueRequest {
        DueRequest {
            rounds: self.path("rounds"),
            prices: PriceChoice {
                vendor: Vendor::Invented,
                cross_check: None,
            },
            worker: None,
            lease: Duration::from_mins(5),
            max: None,
            boards: Some(self.path("boards")),
            at_limit: AtLimit::Stop,
        }
    }
}

fn table(round: &Path, manner: &TableManner) -> Result<MarketContext, Error> {
    let operator = at("2026-09-15T11:40:00Z");
    let fetched = fetch_table(&operator, round, KNOWN, &Vendor::Invented, manner);
    Ok(fetched?.1)
}

impl Market {
    /// A round that is frozen.
    fn frozen(&self) -> OpenedRound {
        let opened = self.open();
        let round = opened.folder.path();
        let table = table(round, &TableManner::default()).unwrap();
        assert!(table.failed().is_empty());
        let frozen = freeze_round(&at("2026-09-15T11:40:00Z"), round).unwrap();
        assert_eq!(frozen.recorded, Recorded::Unsigned);
        assert!(changes(&frozen.folder).unwrap().is_empty());
        opened
    }

    fn asked(&self) -> (OpenedRound, RunReport) {
        let opened = self.frozen();
        let operator = at("2026-09-15T12:25:00Z");
        let request = self.ask_request(opened.folder.path());
        let Prepared::Ready(ready) = prepare_run(&operator, &request).unwrap() else {
            panic!("a new run is not finished");
        };
        assert_eq!(ready.seats.len(), 2);
        let done = ready.ask(&operator, &request, Box::new(events::Silence));
        (opened, done.unwrap())
    }

    fn accepted(&self) -> OpenedRound {
        let (opened, done) = self.asked();
        assert!(done.is_valid());
        let operator = at("2026-09-15T12:55:00Z");
        let accepted = accept_run(&operator, &accept_request(&opened)).unwrap();
        assert!(matches!(accepted, Accepting::Accepted(own) if own.is_scheduled));
        opened
    }

    /// Everything that is due when the rows of the exit are final.
    fn resolve(&self, opened: &OpenedRound) -> DueReport {
        let at = Exchange::default()
            .rows_final_at(opened.window.window.exit)
            .unwrap();
        resolve_due(&at_instant(at), &self.due_request()).unwrap()
    }
}

fn accept_request(opened: &OpenedRound) -> AcceptRequest {
    AcceptRequest {
        round: opened.folder.clone(),
        run_id: RunId::parse("official").unwrap(),
        choice: Choice::First,
        reason: None,
        scheduling: Scheduling::WhenDue,
    }
}

#[test]
fn a_round_lives_from_nothing_to_its_boards() {
    let market = Market::new();
    let (opened, done) = market.asked();
    assert!(done.is_valid());
    let attempts: Vec<usize> = done.slots.iter().map(|(_, own)| own.len()).collect();
    assert_eq!(
        attempts,
        [1, 2],
        "a rate limit is asked again, an answer is not"
    );

    let operator = at("2026-09-15T12:55:00Z");
    let accept = accept_request(&opened);
    let accepted = accept_run(&operator, &accept).unwrap();
    assert!(matches!(accepted, Accepting::Accepted(own) if own.is_scheduled));
    let again = accept_run(&operator, &accept).unwrap();
    assert!(matches!(again, Accepting::Before { .. }));

    let resolved = market.resolve(&opened);
    assert!(!resolved.is_failed(), "{resolved:?}");
    let [(name, Resolution::Resolved { .. })] = resolved.rounds.as_slice() else {
        panic!("one round is due: {resolved:?}");
    };
    assert_eq!(name, "LIFE-1W");
    assert!(matches!(&resolved.boards, Some(Ok(boards)) if boards.resolved == 1));
    let exit = Exchange::default()
        .rows_final_at(opened.window.window.exit)
        .unwrap();
    let round = opened.folder.path();
    let scored = score_round(&at_instant(exit), round, None, &Writing::DryRun).unwrap();
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
