use capitalbench_core::market::calendar::Market;

use super::*;

#[test]
fn a_span_repeats_neither_month_nor_year() {
    let of = |entry: &str, exit: &str| {
        let day = |text: &str| text.parse().expect("a day");
        span(Window {
            entry: day(entry),
            exit: day(exit),
            market: Market::default(),
        })
    };
    assert_eq!(of("2026-08-05", "2026-08-12"), "5–12 August 2026");
    assert_eq!(of("2026-07-29", "2026-08-05"), "29 July–5 August 2026");
    assert_eq!(
        of("2026-12-29", "2027-01-05"),
        "29 December 2026–5 January 2027"
    );
}
