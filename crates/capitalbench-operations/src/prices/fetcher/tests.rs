//! What is asked again, how often and after which wait. Time is that of the runtime, which leaps.

use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use capitalbench_adapters::price_source::{AnswerFuture, Limit, PriceError};
use capitalbench_core::market::price_window::CloseBasis;
use capitalbench_core::values::ids::Digest;
use jiff::SignedDuration;
use jiff::civil::date;
use tokio::time::Instant;

use super::*;
use crate::operator::Silence;
use crate::operator::configuration::Configuration;

const DAY: Date = date(2026, 8, 13);

/// A source that fails in the given ways, one question after the other, and then answers.
#[derive(Clone)]
struct Failing(Arc<Mutex<Vec<PriceError>>>);

impl PriceSource for Failing {
    fn name(&self) -> &'static str {
        "failing"
    }

    fn stored_label(&self) -> &'static str {
        "failing_eod"
    }

    fn close_basis(&self) -> CloseBasis {
        CloseBasis::Raw
    }

    fn answer<'a>(&'a self, _: &'a str, date: Date, _: Date) -> AnswerFuture<'a> {
        let fault = self.0.lock().unwrap().pop();
        let row = DailyClose {
            date,
            close: Some(1.0),
            adjusted: Some(1.0),
            volume: None,
            dividend: None,
            split: None,
        };
        let history = History {
            rows: vec![row],
            body: Digest::of(b"body"),
            address: "https://prices.example/SPY".to_owned(),
        };
        Box::pin(async { fault.map_or(Ok(history), Err) })
    }
}

/// How it ended, the faults that were not reached, and the seconds that passed.
async fn ask(mut faults: Vec<PriceError>) -> (Result<usize, String>, usize, u64) {
    faults.reverse();
    let source = Failing(Arc::new(Mutex::new(faults)));
    let operator = Operator::new(Configuration::empty(), None, Box::new(Silence));
    let fetcher = Fetcher {
        operator: &operator,
        source: Box::new(source.clone()),
        allowance: None,
        at_limit: AtLimit::Stop,
    };
    let began = Instant::now();
    let days = Days::both_ends(DAY, DAY);
    let said = match fetcher
        .turn("fetch", "SPY", &days, PublishedPrices::Full)
        .await
    {
        Ok(Turn::Answer(answer)) => Ok(answer.requests),
        Ok(Turn::Fault(text)) => Err(text),
        Ok(Turn::Closed(at, _)) => Err(format!("closed until {at}")),
        Err(error) => Err(error.to_string()),
    };
    let left = source.0.lock().unwrap().len();
    (said, left, began.elapsed().as_secs())
}

fn server_failed(wait: Option<u64>) -> PriceError {
    failing(PriceFault::ServerFailed {
        code: 503,
        retry_after: wait.map(Duration::from_secs),
        excerpt: String::new(),
    })
}

fn failing(fault: PriceFault) -> PriceError {
    PriceError {
        origin: "failing",
        symbol: "SPY".to_owned(),
        fault,
    }
}

fn passing() -> [PriceError; 4] {
    [
        failing(PriceFault::Timeout {
            after: Duration::from_secs(30),
        }),
        failing(PriceFault::CutOff),
        failing(PriceFault::Unreachable {
            reason: "no route".to_owned(),
        }),
        server_failed(None),
    ]
}

#[tokio::test(start_paused = true)]
async fn transient_faults_are_retried() {
    for fault in passing() {
        assert_eq!(ask(vec![fault; 3]).await, (Ok(4), 0, 1 + 2 + 4));
    }
}

#[tokio::test(start_paused = true)]
async fn retries_are_bounded_and_the_last_fault_is_reported() {
    for fault in passing() {
        let text = fault.to_string();
        let (said, left, seconds) = ask(vec![fault; 9]).await;
        assert!(said.unwrap_err().contains(&text), "{text}");
        assert_eq!((left, seconds), (5, 1 + 2 + 4));
    }
}

#[tokio::test(start_paused = true)]
async fn permanent_faults_are_asked_once() {
    for fault in [
        PriceFault::UnknownSymbol,
        PriceFault::KeyRefused,
        PriceFault::NoFolder {
            folder: PathBuf::from("histories"),
        },
    ] {
        let fault = failing(fault);
        let (said, left, seconds) = ask(vec![fault.clone(), fault]).await;
        assert!(said.is_err());
        assert_eq!((left, seconds), (1, 0));
    }
}

#[tokio::test(start_paused = true)]
async fn the_wait_a_failing_server_asks_for_is_kept() {
    let faults = [Some(30), Some(60), Some(0)].map(server_failed);
    assert_eq!(ask(faults.to_vec()).await, (Ok(4), 0, 30 + 60 + 4));
}

#[tokio::test(start_paused = true)]
async fn a_wait_longer_than_allowed_is_left_to_the_next_fetch() {
    let faults = [Some(1), Some(61), None].map(server_failed);
    let (said, left, seconds) = ask(faults.to_vec()).await;
    assert!(said.unwrap_err().ends_with("try again later"));
    assert_eq!((left, seconds), (1, 1));
}

#[tokio::test]
async fn a_used_up_plan_stops_the_fetch_and_keeps_its_answers() {
    let folder = tempfile::TempDir::new().unwrap();
    let source = Failing(Arc::default());
    let instant: Timestamp = "2026-08-14T12:00:00Z".parse().unwrap();
    let options: Vec<PricedOption> = ["spy", "agg", "gld"]
        .map(|id| (OptionId::parse(id).unwrap(), id.to_uppercase()))
        .into();
    let mut ended = Vec::new();
    for hours in 0..2 {
        let now = Some(instant + SignedDuration::from_hours(2 * hours));
        let operator = Operator::new(Configuration::empty(), now, Box::new(Silence));
        let plan = Plan {
            per_hour: Some(2),
            ..Plan::default()
        };
        let fetcher = Fetcher {
            operator: &operator,
            source: Box::new(source.clone()),
            allowance: Some(Allowance {
                plan,
                state: RequestState::new(folder.path(), "failing"),
            }),
            at_limit: AtLimit::Stop,
        };
        let days = Days::both_ends(DAY, DAY);
        ended.push(
            fetcher
                .fetch_all("fetch", &options, &days, PublishedPrices::Full)
                .await
                .unwrap(),
        );
    }
    let [Err(stopped), Ok(answers)] = ended.as_slice() else {
        panic!("the first fetch stops, the second one finishes");
    };
    assert_eq!((stopped.done, stopped.of), (2, 3));
    assert!(answers.iter().all(|(_, answer)| answer.is_ok()));
    let kept = |index: usize| answers[index].1.as_ref().unwrap().answer.fetched_at;
    assert!(kept(1) < kept(2), "kept answers were not asked for again");
}

/// A fetch of one symbol from a source that refuses as given, and stops at a limit.
async fn refused(plan: Plan, limits: &[Limit]) -> Result<Answers, Stopped> {
    refused_for(plan, limits, &["spy"]).await
}

/// The same for several symbols.
async fn refused_for(plan: Plan, limits: &[Limit], ids: &[&str]) -> Result<Answers, Stopped> {
    let folder = tempfile::TempDir::new().unwrap();
    let faults = limits.iter().rev().map(|limit| {
        failing(PriceFault::Limited {
            limit: *limit,
            retry_after: None,
        })
    });
    let now = Some("2026-08-14T12:00:00Z".parse().unwrap());
    let operator = Operator::new(Configuration::empty(), now, Box::new(Silence));
    let fetcher = Fetcher {
        operator: &operator,
        source: Box::new(Failing(Arc::new(Mutex::new(faults.collect())))),
        allowance: Some(Allowance {
            plan,
            state: RequestState::new(folder.path(), "failing"),
        }),
        at_limit: AtLimit::Stop,
    };
    let options = ids
        .iter()
        .map(|id| (OptionId::parse(id).unwrap(), id.to_uppercase()));
    let options: Vec<PricedOption> = options.collect();
    let days = Days::both_ends(DAY, DAY);
    fetcher
        .fetch_all("fetch", &options, &days, PublishedPrices::Full)
        .await
        .unwrap()
}

#[tokio::test(start_paused = true)]
async fn a_limit_of_the_pace_is_waited_for_and_not_left_to_the_next_day() {
    for (limit, seconds) in [(Limit::PerSecond, 1), (Limit::PerMinute, 60)] {
        let began = Instant::now();
        let ended = refused(Plan::ALPHA_VANTAGE_FREE, &[limit]).await;
        let answers = ended.expect("an answer after the wait");
        assert_eq!(answers[0].1.as_ref().unwrap().answer.requests, 2);
        // The wait counts from the refusal, which a busy machine may see some seconds earlier.
        let (elapsed, wait) = (began.elapsed(), Duration::from_secs(seconds));
        let shortest = wait.saturating_sub(Duration::from_secs(10));
        assert!((shortest..=wait).contains(&elapsed), "{limit}: {elapsed:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_source_that_never_finds_the_pace_slow_enough_is_left_alone() {
    let began = Instant::now();
    let ended = refused(Plan::ALPHA_VANTAGE_FREE, &[Limit::PerSecond; 25]).await;
    let stopped = ended.expect_err("a closed source");
    assert_eq!(stopped.cause, Cause::Plan);
    assert!(began.elapsed() < Duration::from_mins(5));
}

#[tokio::test(start_paused = true)]
async fn the_questions_of_a_minute_are_waited_for() {
    let plan = Plan::parse_alpha_vantage("1").unwrap();
    let began = Instant::now();
    let ended = refused_for(plan, &[], &["spy", "agg"]).await;
    assert_eq!(ended.expect("all answers").len(), 2);
    assert!(began.elapsed().as_secs() >= 59, "{:?}", began.elapsed());
}

#[tokio::test]
async fn a_longer_limit_stops_the_fetch_and_says_who_closed_the_source() {
    for (limit, expected) in [
        (
            Limit::Daily,
            "the plan of failing is used up after 0 of 1 options",
        ),
        (
            Limit::Anonymous,
            "failing answers no more for now after 0 of 1 options: it refused an anonymous client, \
             and gives out no API keys",
        ),
    ] {
        let ended = refused(Plan::default(), &[limit]).await;
        let stopped = ended.expect_err("a closed source");
        assert_eq!(stopped.to_string(), expected);
    }
}
