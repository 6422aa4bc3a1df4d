//! The calendar against every trading date that stands in the archive.
#![expect(clippy::disallowed_methods, reason = "tests read the archive in place")]

mod archive;

use std::collections::BTreeSet;
use std::fs;

use capitalbench_core::market::calendar::Market;
use capitalbench_core::values::time::parse_day;
use jiff::civil::Date;

/// Days in the columns of this table that hold the date of a price.
fn days_of_csv(text: &str) -> Vec<Date> {
    let mut lines = text.lines();
    let header = lines.next().unwrap_or_default().replace('"', "");
    let is_day = |name: &str| name == "date" || name.starts_with("price_date");
    let columns: Vec<usize> = (0..)
        .zip(header.split(','))
        .filter(|(_, name)| is_day(name))
        .map(|(index, _)| index)
        .collect();
    // Texts with commas come after the dates in every price table, so a plain split is enough.
    lines
        .flat_map(|line| {
            let cells: Vec<&str> = line.split(',').collect();
            let days = columns
                .iter()
                .filter_map(|&index| cells.get(index).copied());
            days.filter_map(|cell| parse_day(cell.trim_matches('"')))
                .collect::<Vec<_>>()
        })
        .collect()
}

fn days_of_history(text: &str) -> BTreeSet<Date> {
    text.lines()
        .filter_map(|line| line.trim().strip_prefix("\"date\": \""))
        .filter_map(|rest| parse_day(rest.get(..10)?))
        .collect()
}

#[test]
fn every_priced_day_of_the_archive_is_a_session() {
    let Some(root) = archive::root() else { return };
    let mut days = BTreeSet::new();
    for path in archive::files_below(&root) {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let snapshot = path
            .parent()
            .is_some_and(|p| p.ends_with("daily_price_snapshots"));
        if snapshot || name.ends_with("_prices.csv") {
            days.extend(days_of_csv(&fs::read_to_string(&path).unwrap()));
        }
    }
    for day in &days {
        assert_eq!(Market::default().closure_reason(*day), None, "{day}");
    }
    assert!(days.len() >= 60, "only {} trading days found", days.len());
}

#[test]
fn price_histories_hold_exactly_the_sessions_between_their_ends() {
    let Some(root) = archive::root() else { return };
    let mut histories = 0;
    for path in archive::files_below(&root.join("rounds")) {
        if !path.ends_with("decision_context_source_history.json") {
            continue;
        }
        let text = fs::read_to_string(&path).unwrap();
        histories += 1;
        let days = days_of_history(&text);
        let (first, last) = (*days.first().unwrap(), *days.last().unwrap());
        let mut expected = BTreeSet::from([first]);
        let mut day = first;
        while day < last {
            day = Market::default().next_session(day).unwrap();
            expected.insert(day);
        }
        assert_eq!(days, expected, "{}", path.display());
    }
    assert!(histories > 0, "the archive holds no price history");
}
