use super::*;
use crate::market::calendar::Market;
use crate::values::time::parse_day;

#[test]
fn a_window_knows_early_and_unknown_closes() {
    let close = |day: &str| {
        let day = parse_day(day).unwrap();
        let window = Window {
            entry: day,
            exit: day,
            market: Market::default(),
        };
        assert_eq!(window.entry_close(), window.exit_close());
        window.exit_close().unwrap().to_string()
    };
    assert_eq!(close("2026-11-25"), "2026-11-25T21:00:00Z");
    assert_eq!(close("2026-11-27"), "2026-11-27T18:00:00Z");
    assert_eq!(close("2026-11-28"), "2026-11-28T21:00:00Z");
}
