use jiff::civil::date;

use super::*;

fn text(question: Result<Question<'_>, PriceFault>) -> String {
    let error = PriceError {
        origin: "source",
        symbol: "SPY".to_owned(),
        fault: question.unwrap_err(),
    };
    error.to_string()
}

#[test]
fn a_symbol_cannot_name_another_path() {
    let day = date(2026, 1, 2);
    for symbol in ["SPY", "brk-b", "7203.T", "^GSPC", "EURUSD=X", "A"] {
        assert!(Question::new(symbol, day, day).is_ok(), "{symbol}");
    }
    let long = "A".repeat(33);
    assert!(Question::new(&long[1..], day, day).is_ok());
    let refused = text(Question::new(&long, day, day));
    assert!(
        refused.contains("cannot be a symbol: it may hold letters, digits and . - _ ^ = only"),
        "{refused}"
    );
    for symbol in [
        "", ".", "..", "../SPY", "/SPY", "A/B", "A\\B", "A B", "SPY\n", "A%2FB", "A?b", "-", "ü",
        &long,
    ] {
        let fault = Question::new(symbol, day, day).unwrap_err();
        assert_eq!(fault, PriceFault::InvalidSymbol, "{symbol}");
    }
}

#[test]
fn a_range_must_not_end_before_it_begins() {
    assert_eq!(
        text(Question::new("SPY", date(2026, 1, 3), date(2026, 1, 2))),
        "the range from 2026-01-03 to 2026-01-02 ends before it begins; swap the two days"
    );
}
