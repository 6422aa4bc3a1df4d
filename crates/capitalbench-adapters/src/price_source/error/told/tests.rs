use jiff::civil::date;

use super::*;
use crate::price_source::{Field, Place};

/// What a vendor may say, in every fault that quotes it.
const SAID: &str = "448 448,401524 448.401524 % 448.401524..448.5";

#[test]
fn a_round_that_publishes_returns_quotes_nothing_of_an_answer() {
    let said = || SAID.to_owned();
    let row = |fault| PriceFault::Row {
        place: Place::Answer { row: 1 },
        fault,
    };
    let (date, field) = (date(2026, 9, 16), Field::Volume);
    for fault in [
        PriceFault::AccountNotice { excerpt: said() },
        PriceFault::PlainText { excerpt: said() },
        PriceFault::WrongContentType { found: said() },
        PriceFault::Malformed { reason: said() },
        PriceFault::Garbled { reason: said() },
        PriceFault::ServerFailed {
            code: 500,
            retry_after: None,
            excerpt: said(),
        },
        PriceFault::Refused {
            code: 400,
            excerpt: said(),
        },
        row(RowFault::BadDate { found: said() }),
        row(RowFault::NotANumber { found: said() }),
        row(RowFault::UncertainDay { found: 448_401_524 }),
        row(RowFault::NotAPrice {
            date,
            field,
            found: said(),
        }),
        row(RowFault::Negative {
            date,
            field,
            found: said(),
        }),
        row(RowFault::UnknownColumn {
            found: said(),
            nearest: None,
        }),
        row(RowFault::RepeatedColumn { found: said() }),
    ] {
        let error = PriceError {
            origin: "vendor",
            symbol: "SPY".to_owned(),
            fault,
        };
        let full = error.told(PublishedPrices::Full);
        assert!(full.contains("448"), "{full}");
        assert_eq!(full, error.to_string());
        let told = error.told(PublishedPrices::Returns);
        assert!(told.starts_with("vendor ") || told.starts_with("the answer of vendor "));
        assert!(!told.contains("448"), "{told}");
        assert!(told.contains("SPY"), "{told}");
    }
}
