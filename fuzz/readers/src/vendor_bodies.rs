//! Bodies of price vendors.

use std::sync::LazyLock;

use capitalbench_adapters::price_source::{
    AlphaVantage, DailyClose, PriceError, PriceFault, Tiingo, YahooChart,
};
use jiff::civil::{Date, date};

use crate::is_in_proportion;
use crate::samples::{KEY, http, key};

const FROM: Date = date(2000, 1, 1);
const TO: Date = date(2100, 1, 1);

static TIINGO: LazyLock<Tiingo> =
    LazyLock::new(|| Tiingo::new(http(), Tiingo::DEFAULT_BASE_URL, key()).expect("a source"));
static ALPHA_VANTAGE: LazyLock<AlphaVantage> = LazyLock::new(|| {
    AlphaVantage::new(http(), AlphaVantage::DEFAULT_BASE_URL, key()).expect("a source")
});

/// Each day once, oldest first, numbers that can be reckoned with.
pub(crate) fn in_order(rows: &[DailyClose]) {
    assert!(rows.windows(2).all(|two| two[0].date < two[1].date));
    for row in rows {
        let prices = [row.close, row.adjusted];
        let prices = prices.into_iter().flatten();
        assert!(
            prices
                .into_iter()
                .all(|price| price.is_finite() && price > 0.0)
        );
        let others = [row.volume, row.dividend, row.split];
        let mut others = others.into_iter().flatten();
        assert!(others.all(|number| number.is_finite() && number >= 0.0));
    }
}

/// The message of a fault, as an operator would see it.
pub(crate) fn message(fault: PriceFault) -> String {
    let error = PriceError {
        origin: "vendor",
        symbol: "SPY".to_owned(),
        fault,
    };
    error.to_string()
}

fn answered(bytes: &[u8], rows: Result<Vec<DailyClose>, PriceFault>) {
    match rows {
        Ok(rows) => in_order(&rows),
        Err(fault) => {
            let message = message(fault);
            is_in_proportion(&message, bytes);
            assert!(message.len() < 2000, "{message}");
            assert!(!message.contains(KEY), "{message}");
        }
    }
}

/// Tiingo's array of days.
pub fn tiingo(bytes: &[u8]) {
    if let Ok(text) = String::from_utf8(bytes.to_vec()) {
        answered(bytes, TIINGO.rows("SPY", FROM, TO, text));
    }
}

/// Yahoo's chart.
pub fn yahoo(bytes: &[u8]) {
    if let Ok(text) = std::str::from_utf8(bytes) {
        answered(bytes, YahooChart::rows("SPY", FROM, TO, text));
    }
}

/// Alpha Vantage's series.
pub fn alpha_vantage(bytes: &[u8]) {
    if let Ok(text) = std::str::from_utf8(bytes) {
        answered(bytes, ALPHA_VANTAGE.rows(text));
    }
}
