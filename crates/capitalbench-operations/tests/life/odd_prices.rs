//! Prices that could fool a round: jumps, splits, renamed and delisted options.

use capitalbench_archive::format::prices::provenance::{Coverage, Purpose};
use capitalbench_archive::prices::price_record::PriceRecord;
use capitalbench_archive::verify;
use capitalbench_archive::verify::{Code, Severity};
use capitalbench_core::market::universe::ListingChange;
use capitalbench_core::values::ids::OptionId;
use capitalbench_operations::prices::fetch::{FetchReport, FetchRequest, Fetched, fetch_round};
use capitalbench_operations::prices::listing::{ListingRequest, record_listing};
use capitalbench_operations::publishing::interim::{
    Fetching, InterimRequest, Tracked, update_interim,
};

use super::*;

/// The first close after the round's exit is final.
fn after_exit(opened: &OpenedRound) -> Operator {
    at_instant(
        Exchange::default()
            .rows_final_at(opened.window.window.exit)
            .unwrap(),
    )
}

fn fetch(
    market: &Market,
    opened: &OpenedRound,
    accept: Option<&str>,
) -> Result<FetchReport, Error> {
    let request = FetchRequest {
        round: opened.folder.path().to_owned(),
        entry: None,
        exit: None,
        purpose: Purpose::Final,
        coverage: Coverage::FullUniverse,
        run_id: None,
        correct: None,
        other_source: None,
        accept_moves: accept.map(str::to_owned),
        prices: market.due_request().prices,
        at_limit: AtLimit::Stop,
        dry_run: false,
    };
    fetch_round(&after_exit(opened), &request)
}

fn failure(report: &DueReport) -> &str {
    match report.rounds.as_slice() {
        [(_, Resolution::Failed { error, .. })] => error,
        other => panic!("{other:?}"),
    }
}

/// Codes of findings that are not notes.
fn findings(market: &Market, opened: &OpenedRound) -> Vec<Code> {
    let now = Exchange::default()
        .rows_final_at(opened.window.window.exit)
        .unwrap();
    let report = verify::verify(&market.path("rounds"), now, &|| ()).unwrap();
    let rounds = report.rounds.iter();
    let found = rounds.flat_map(|round| round.findings.iter().map(|own| own.code));
    found
        .filter(|code| code.severity() != Severity::Note)
        .collect()
}

fn track(market: &Market, day: Date) -> String {
    let request = InterimRequest {
        rounds: market.path("rounds"),
        day,
        track: None,
        snapshots: None,
        fetching: Fetching::IfMissing,
        vendor: Vendor::Invented,
        universe_round: None,
        soft_fail: false,
        at_limit: AtLimit::Stop,
        dry_run: false,
    };
    let done = update_interim(
        &at_instant(Exchange::default().rows_final_at(day).unwrap()),
        &request,
    )
    .unwrap();
    assert!(done.failed.is_empty(), "{done:?}");
    assert_eq!(done.rounds[0].1, Tracked::Until(day));
    fs::read_to_string(market.path("rounds/LIFE-1W/runs/official/results/weekly_performance.csv"))
        .unwrap()
}

fn listing(opened: &OpenedRound, change: ListingChange) -> ListingRequest {
    ListingRequest {
        round: opened.folder.path().to_owned(),
        option_id: OptionId::parse("TECHNOLOGY").unwrap(),
        change,
        reason: "the fund's notice".to_owned(),
    }
}

#[test]
fn a_jump_stops_the_job_until_somebody_gives_a_reason() {
    let market = Market::with(&["jump=XLK,2026-09-17,0.5"]);
    let opened = market.accepted();
    let resolved = market.resolve(&opened);
    let said = failure(&resolved);
    assert!(said.contains("TECHNOLOGY moved -"), "{said}");
    assert!(said.contains("on 2026-09-17"), "{said}");
    assert!(said.contains("at most 40 % in a day"), "{said}");
    assert!(PriceRecord::load(&opened.folder).unwrap().is_none());
    assert!(fetch(&market, &opened, None).is_err());
    let fetched = fetch(&market, &opened, Some("two papers print it")).unwrap();
    assert!(matches!(fetched.fetched, Some(Fetched::Stored { .. })));
    let again = at_instant(
        Exchange::default()
            .rows_final_at(opened.window.window.exit)
            .unwrap(),
    );
    let again = at_instant(
        again
            .now()
            .checked_add(jiff::SignedDuration::from_hours(48))
            .unwrap(),
    );
    let resolved = resolve_due(&again, &market.due_request()).unwrap();
    assert!(!resolved.is_failed(), "{resolved:?}");
    assert_eq!(findings(&market, &opened), [Code::MovesAccepted]);
}

#[test]
fn an_accepted_jump_is_no_reason_for_another_one() {
    let market = Market::with(&["jump=XLK,2026-09-17,0.5"]);
    let opened = market.accepted();
    fetch(&market, &opened, Some("two papers print it")).unwrap();
    let file = market.path("rounds/LIFE-1W/prices/move_exception.json");
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, text.replace("2026-09-17", "2026-09-18")).unwrap();
    assert!(market.resolve(&opened).is_failed() || !findings(&market, &opened).is_empty());
    let found = findings(&market, &opened);
    assert!(
        found.contains(&Code::PriceRuleBroken) || found.contains(&Code::PriceRecordDiffers),
        "{found:?}"
    );
}

#[test]
fn a_jump_in_the_history_is_shown_to_no_model_without_a_reason() {
    let market = Market::with(&["jump=XLK,2026-06-17,1.5"]);
    let opened = market.open();
    let round = opened.folder.path();
    let refused = table(round, &TableManner::default()).unwrap_err();
    assert!(refused.message.contains("TECHNOLOGY moved +"), "{refused}");
    let manner = TableManner {
        accept_moves: Some("the index did the same".to_owned()),
        ..TableManner::default()
    };
    table(round, &manner).unwrap();
    freeze_round(&at("2026-09-15T11:40:00Z"), round).unwrap();
    let hashes = fs::read_to_string(round.join("hashes.json")).unwrap();
    assert!(
        hashes.contains("market_data/move_exception.json"),
        "{hashes}"
    );
}

#[test]
fn a_split_in_the_window_moves_no_interim_figure() {
    let day = date(2026, 9, 18);
    let figures = |faults: &[&str]| {
        let market = Market::with(faults);
        let opened = market.accepted();
        track(&market, opened.window.window.entry);
        track(&market, day)
    };
    let plain = figures(&[]);
    let symbols = [
        "XLK", "SPY", "QQQ", "XLE", "GLD", "TLT", "XLF", "EFA", "XLV", "XLI",
    ];
    let splits: Vec<String> = symbols
        .map(|own| format!("split={own},2026-09-17,4"))
        .into();
    let splits: Vec<&str> = splits.iter().map(String::as_str).collect();
    let split = figures(&splits);
    for (plain, split) in plain.lines().skip(1).zip(split.lines().skip(1)) {
        let numbers = |line: &str| -> Vec<f64> {
            line.split(',')
                .filter_map(|cell| cell.parse().ok())
                .collect()
        };
        for (a, b) in numbers(plain).iter().zip(numbers(split)) {
            assert!((a - b).abs() < 1e-9, "{plain}\n{split}");
        }
    }
}

#[test]
fn a_split_in_the_window_is_scored_like_none() {
    let returns = |faults: &[&str]| {
        let market = Market::with(faults);
        let opened = market.accepted();
        assert!(!market.resolve(&opened).is_failed());
        assert_eq!(findings(&market, &opened), []);
        let scored = score_round(
            &after_exit(&opened),
            opened.folder.path(),
            None,
            &Writing::DryRun,
        );
        let id = OptionId::parse("TECHNOLOGY").unwrap();
        scored.unwrap().result.returns.get(&id).unwrap().value.get()
    };
    let apart = returns(&[]) - returns(&["split=XLK,2026-09-17,4"]);
    assert!(apart.abs() < 1e-12, "{apart}");
}

#[test]
fn a_renamed_option_is_priced_by_its_new_symbol_once_somebody_records_it() {
    let market = Market::with(&["renamed=XLK,XLKN,2026-09-17"]);
    let opened = market.accepted();
    let resolved = market.resolve(&opened);
    assert!(failure(&resolved).contains("XLK has no row on 2026-09-22"));
    let change = ListingChange::Renamed {
        to: "XLKN".to_owned(),
        on: date(2026, 9, 17),
    };
    let operator = after_exit(&opened);
    let request = listing(&opened, change);
    record_listing(&operator, &request).unwrap();
    let again = record_listing(&operator, &request).unwrap_err();
    assert!(again.message.contains("knows already"), "{again}");
    fetch(&market, &opened, None).unwrap();
    let after = record_listing(
        &operator,
        &listing(
            &opened,
            ListingChange::Delisted {
                on: date(2026, 9, 16),
            },
        ),
    );
    assert!(after.unwrap_err().message.contains("final prices already"));
    assert_eq!(findings(&market, &opened), [Code::ListingChanged]);
}

#[test]
fn a_delisted_option_keeps_its_last_close() {
    let market = Market::with(&["delisted=XLK,2026-09-17"]);
    let opened = market.accepted();
    assert!(market.resolve(&opened).is_failed());
    let change = ListingChange::Delisted {
        on: date(2026, 9, 17),
    };
    record_listing(&after_exit(&opened), &listing(&opened, change)).unwrap();
    fetch(&market, &opened, None).unwrap();
    let record = PriceRecord::load(&opened.folder).unwrap().unwrap();
    let own = record
        .windows
        .iter()
        .find(|own| own.symbol == "XLK")
        .unwrap();
    let last = own.sessions.last().unwrap();
    assert_eq!(last.date, date(2026, 9, 17));
    let exit = fs::read_to_string(market.path("rounds/LIFE-1W/prices/exit_prices.csv")).unwrap();
    let row = exit
        .lines()
        .find(|line| line.starts_with("TECHNOLOGY,"))
        .unwrap();
    assert!(row.contains("2026-09-17"), "{row}");
    assert_eq!(findings(&market, &opened), [Code::ListingChanged]);
}

#[test]
fn a_delisting_that_the_source_refutes_chooses_no_close() {
    let market = Market::new();
    let opened = market.accepted();
    let change = ListingChange::Delisted {
        on: date(2026, 9, 17),
    };
    record_listing(&after_exit(&opened), &listing(&opened, change)).unwrap();
    let refused = fetch(&market, &opened, None).unwrap_err();
    assert!(
        refused.message.contains("has a close of 2026-09-22"),
        "{refused}"
    );
}

#[test]
fn a_listing_that_nobody_can_know_yet_is_not_recorded() {
    let market = Market::new();
    let opened = market.accepted();
    let change = ListingChange::Delisted {
        on: date(2026, 9, 17),
    };
    let early = at("2026-09-17T12:00:00Z");
    let refused = record_listing(&early, &listing(&opened, change)).unwrap_err();
    assert!(refused.message.contains("not final yet"), "{refused}");
}
