use jiff::civil::date;

use super::*;

#[test]
fn a_symbol_cannot_name_another_path() {
    let day = date(2026, 1, 2);
    for symbol in ["SPY", "brk-b", "7203.T", "^GSPC", "EURUSD=X", "A"] {
        assert_eq!(check_question(symbol, day, day), Ok(()), "{symbol}");
    }
    let long = "A".repeat(33);
    assert_eq!(check_question(&long[1..], day, day), Ok(()));
    let refused = check_question(&long, day, day).unwrap_err().to_string();
    assert!(
        refused.contains("cannot be a symbol: it may hold letters, digits and . - _ ^ = only"),
        "{refused}"
    );
    for symbol in [
        "", ".", "..", "../SPY", "/SPY", "A/B", "A\\B", "A B", "SPY\n", "A%2FB", "A?b", "-", "ü",
        &long,
    ] {
        let error = check_question(symbol, day, day).unwrap_err();
        assert!(
            matches!(error, PriceError::InvalidSymbol { .. }),
            "{symbol}"
        );
    }
}

#[test]
fn a_range_must_not_end_before_it_begins() {
    let error = check_question("SPY", date(2026, 1, 3), date(2026, 1, 2)).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the range from 2026-01-03 to 2026-01-02 ends before it begins; swap the two days"
    );
}
