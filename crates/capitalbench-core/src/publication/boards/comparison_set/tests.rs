use super::*;
use crate::market::calendar::Market;
use crate::values::time::parse_day;

fn window(entry: &str, exit: &str) -> Window {
    Window {
        entry: parse_day(entry).unwrap(),
        exit: parse_day(exit).unwrap(),
        market: Market::default(),
    }
}

#[test]
fn windows_that_touch_are_separate_and_overlapping_ones_are_not() {
    let june = |entry: u8, exit: u8| {
        window(
            &format!("2026-06-{entry:02}"),
            &format!("2026-06-{exit:02}"),
        )
    };
    assert_eq!(separate_windows(vec![]), 0);
    assert_eq!(separate_windows(vec![june(1, 8), june(8, 15)]), 2);
    assert_eq!(
        separate_windows(vec![june(1, 8), june(2, 9), june(8, 15)]),
        2
    );
    assert_eq!(
        separate_windows(vec![june(1, 30), june(2, 9), june(9, 16)]),
        2
    );
}

#[test]
fn a_taken_name_gets_a_number() {
    let taken = |id: &str| ["a", "a-2"].contains(&id);
    assert_eq!(free_name("a", taken), "a-3");
    assert_eq!(free_name("b", taken), "b");
    assert_eq!(capitalised("weekly"), "Weekly");
}
