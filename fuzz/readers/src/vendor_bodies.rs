//! Bodies of price vendors.

use std::sync::LazyLock;

use capitalbench_adapters::price_source::{
    AlphaVantage, DailyClose, PriceError, Tiingo, YahooChart,
};
use jiff::civil::{Date, date};

use crate::is_in_proportion;
use crate::samples::{KEY, http, key};

const RANGE: (Date, Date) = (date(2000, 1, 1), date(2100, 1, 1));

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

fn answered(bytes: &[u8], rows: Result<Vec<DailyClose>, PriceError>) {
    match rows {
        Ok(rows) => in_order(&rows),
        Err(error) => {
            let message = error.to_string();
            is_in_proportion(&message, bytes);
            assert!(message.len() < 2000, "{message}");
            assert!(!message.contains(KEY), "{message}");
        }
    }
}

/// Tiingo's array of days.
pub fn tiingo(bytes: &[u8]) {
    if let Ok(text) = String::from_utf8(bytes.to_vec()) {
        answered(bytes, TIINGO.rows("SPY", RANGE, text));
    }
}

/// Yahoo's chart.
pub fn yahoo(bytes: &[u8]) {
    if let Ok(text) = std::str::from_utf8(bytes) {
        answered(bytes, YahooChart::rows("SPY", RANGE, text));
    }
}

/// Alpha Vantage's series.
pub fn alpha_vantage(bytes: &[u8]) {
    if let Ok(text) = std::str::from_utf8(bytes) {
        answered(bytes, ALPHA_VANTAGE.rows("SPY", text));
    }
}
