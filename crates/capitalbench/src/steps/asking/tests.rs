//! What is asked again, how often and after which wait. Time is that of the runtime, which leaps.

use std::path::PathBuf;
use std::sync::Mutex;

use capitalbench_adapters::price_source::AnswerFuture;
use capitalbench_core::market::price_window::CloseBasis;
use capitalbench_core::values::ids::Digest;
use jiff::civil::date;
use tokio::time::Instant;

use super::*;

const DAY: Date = date(2026, 8, 13);

/// A source that fails in the given ways, one question after the other, and then answers.
struct Failing(Mutex<Vec<PriceError>>);

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
    let source = Failing(Mutex::new(faults));
    let asking = Asking {
        source: &source,
        counted: None,
        clock: Clock::Wall,
        at_limit: AtLimit::Stop,
    };
    let began = Instant::now();
    let bar = ProgressBar::hidden();
    let days = Days::both_ends(DAY, DAY);
    let said = match asking.turn(&bar, "fetch", "SPY", &days).await {
        Ok(Turn::Answer(answer)) => Ok(answer.requests),
        Ok(Turn::Fault(text)) => Err(text),
        Ok(Turn::Closed(at)) => Err(format!("closed until {at}")),
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
async fn what_passes_is_asked_again() {
    for fault in passing() {
        assert_eq!(ask(vec![fault; 3]).await, (Ok(4), 0, 1 + 2 + 4));
    }
}

#[tokio::test(start_paused = true)]
async fn questions_are_bounded_and_the_last_fault_is_told() {
    for fault in passing() {
        let text = fault.to_string();
        let (said, left, seconds) = ask(vec![fault; 9]).await;
        assert!(said.unwrap_err().contains(&text), "{text}");
        assert_eq!((left, seconds), (5, 1 + 2 + 4));
    }
}

#[tokio::test(start_paused = true)]
async fn what_does_not_pass_is_asked_once() {
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
