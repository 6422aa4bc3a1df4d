//! The market table from real prices, against a calculation that shares nothing with it.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use capitalbench_archive::format::prices::trailing::{self, Provenance};
use capitalbench_archive::format::round::options;
use capitalbench_core::asking::market_context::{PriceHistory, market_context};
use capitalbench_core::market::published_prices::PublishedPrices;
use capitalbench_core::market::universe::Universe;
use capitalbench_core::values::ids::OptionId;
use jiff::civil::Date;
use serde_json::Value;

use crate::archive::archive_root;

const HISTORY: &str = "market_data/decision_context_source_history.json";
const WINDOWS: [&str; 4] = ["7d", "30d", "6m", "1y"];
const ROUNDS: usize = 4;

/// Day, as text that sorts like days, and adjusted close.
type Closes = BTreeMap<String, f64>;

/// Days since 1970-01-01, counted year by year and month by month.
fn day_number(year: i64, month: i64, day: i64) -> i64 {
    let years: i64 = (1970..year).map(|y| 365 + i64::from(is_leap(y))).sum();
    let months: i64 = (1..month).map(|m| month_length(year, m)).sum();
    years + months + day - 1
}

fn is_leap(year: i64) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

fn month_length(year: i64, month: i64) -> i64 {
    match month {
        2 => 28 + i64::from(is_leap(year)),
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

fn parts(day: &str) -> (i64, i64, i64) {
    let numbers: Vec<i64> = day
        .split('-')
        .map(|n| n.parse().expect("a number"))
        .collect();
    (numbers[0], numbers[1], numbers[2])
}

/// The first day of a window, by hand.
fn window_start(as_of: &str, window: &str) -> String {
    let (year, month, day) = parts(as_of);
    let months = |back: i64| {
        let count = year * 12 + month - 1 - back;
        let (year, month) = (count / 12, count % 12 + 1);
        (year, month, day.min(month_length(year, month)))
    };
    let days = |back: i64| {
        let wanted = day_number(year, month, day) - back;
        let (mut y, mut m) = (year, month);
        while day_number(y, m, 1) > wanted {
            (y, m) = if m == 1 { (y - 1, 12) } else { (y, m - 1) };
        }
        (y, m, wanted - day_number(y, m, 1) + 1)
    };
    let (year, month, day) = match window {
        "7d" => days(7),
        "30d" => days(30),
        "6m" => months(6),
        _ => months(12),
    };
    format!("{year:04}-{month:02}-{day:02}")
}

fn last_close(closes: &Closes, day: &str) -> f64 {
    let found = closes.range(..=day.to_owned()).next_back();
    *found.expect("a close on or before the day").1
}

/// Return of every option over a window; cash earns nothing.
fn naive_returns(
    closes: &BTreeMap<String, Closes>,
    as_of: &str,
    window: &str,
) -> BTreeMap<String, f64> {
    let start = window_start(as_of, window);
    let value = |closes: &Closes| {
        if closes.is_empty() {
            return 0.0;
        }
        last_close(closes, as_of) / last_close(closes, &start) - 1.0
    };
    closes
        .iter()
        .map(|(id, closes)| (id.clone(), value(closes)))
        .collect()
}

/// The stored closes of a round, and its as-of day.
fn stored(round: &Path) -> (String, BTreeMap<String, Closes>) {
    let bytes = fs::read(round.join(HISTORY)).expect("the history is readable");
    let document: Value = serde_json::from_slice(&bytes).expect("JSON");
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    let closes = |option: &Value| -> Closes {
        let rows = option["rows"].as_array().expect("rows").iter();
        rows.map(|row| {
            (
                text(&row["date"]),
                row["adj_close"].as_f64().expect("a close"),
            )
        })
        .collect()
    };
    let options = document["options"].as_array().expect("options").iter();
    let all = options.map(|option| (text(&option["option_id"]), closes(option)));
    (text(&document["as_of_date_requested"]), all.collect())
}

/// The CSV and the Markdown that the program makes of these closes.
fn rendered(
    universe: &Universe,
    as_of: &str,
    closes: &BTreeMap<String, Closes>,
) -> (String, String) {
    let day = |text: &str| -> Date { text.parse().expect("a day") };
    let histories: Vec<PriceHistory> = closes
        .iter()
        .filter(|(_, closes)| !closes.is_empty())
        .map(|(id, closes)| PriceHistory {
            option_id: OptionId::parse(id).expect("an id"),
            closes: closes
                .iter()
                .map(|(date, close)| (day(date), *close))
                .collect(),
        })
        .collect();
    let context = market_context(universe, &histories, day(as_of)).expect("a table");
    let provenance = Provenance {
        source: "archive".to_owned(),
        generated_at: "2026-12-01T00:00:00Z".to_owned(),
        fetched_symbols: Vec::new(),
    };
    let [(_, csv), (_, markdown), _] =
        trailing::render(universe, &context, &provenance, PublishedPrices::Full);
    (csv, markdown)
}

/// Cells of a CSV line; a quoted cell may hold commas.
fn cells(line: &str) -> Vec<String> {
    let mut cells = vec![String::new()];
    let mut quoted = false;
    for c in line.chars() {
        match c {
            '"' => quoted = !quoted,
            ',' if !quoted => cells.push(String::new()),
            other => cells.last_mut().expect("a cell").push(other),
        }
    }
    cells
}

/// Rows by column name, in order.
fn parsed(csv: &str) -> Vec<BTreeMap<String, String>> {
    let mut lines = csv.lines();
    let header = cells(lines.next().expect("a header"));
    lines
        .map(|line| header.iter().cloned().zip(cells(line)).collect())
        .collect()
}

fn check_round(round: &Path) -> usize {
    let (as_of, closes) = stored(round);
    let bytes = fs::read(round.join("options.yaml")).expect("the options are readable");
    let universe = options::parse(&bytes).expect("a universe");
    let (csv, markdown) = rendered(&universe, &as_of, &closes);
    let rows = parsed(&csv);
    let ids: Vec<&str> = universe
        .options()
        .iter()
        .map(|option| option.id.as_str())
        .collect();
    assert_eq!(
        rows.iter()
            .map(|row| &*row["option_id"])
            .collect::<Vec<_>>(),
        ids
    );
    let table: Vec<&str> = markdown
        .lines()
        .filter(|line| line.starts_with("| "))
        .collect();
    assert_eq!(table.len(), ids.len() + 2);
    for (at, window) in WINDOWS.into_iter().enumerate() {
        let expected = naive_returns(&closes, &as_of, window);
        let mut order: Vec<(&String, f64)> = expected.iter().map(|(id, v)| (id, *v)).collect();
        order.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(b.0)));
        for (row, line) in rows.iter().zip(&table[2..]) {
            let (id, value) = (&row["option_id"], expected[&row["option_id"]]);
            let cell =
                |name: &str| -> f64 { row[&format!("{name}_{window}")].parse().expect("a number") };
            assert_eq!(cell("return").to_bits(), value.to_bits(), "{id} {window}");
            let versus = value - expected["SP500"];
            assert_eq!(
                cell("return_vs_sp500").to_bits(),
                versus.to_bits(),
                "{id} {window}"
            );
            let rank = order
                .iter()
                .position(|(other, _)| *other == id)
                .expect("a place")
                + 1;
            assert_eq!(
                row[&format!("rank_{window}")],
                rank.to_string(),
                "{id} {window}"
            );
            let shown: Vec<&str> = line.split(" | ").collect();
            assert_eq!(shown[0], format!("| {id}"));
            assert_eq!(
                shown[4 + at],
                format!("{:.2}%", value * 100.0),
                "{id} {window}"
            );
        }
    }
    rows.len()
}

#[test]
fn the_table_of_real_prices_equals_an_independent_calculation() {
    let Some(root) = archive_root() else { return };
    let folders = fs::read_dir(root.join("rounds")).expect("the rounds are readable");
    let mut rounds: Vec<_> = folders
        .map(|entry| entry.expect("an entry").path())
        .collect();
    rounds.retain(|round| round.join(HISTORY).is_file());
    rounds.sort();
    // Spread over the archive, so that months of different lengths are met.
    let step = (rounds.len() / ROUNDS).max(1);
    let checked = rounds.iter().step_by(step).take(ROUNDS);
    let rows: Vec<usize> = checked.map(|round| check_round(round)).collect();
    assert_eq!(rows.len(), ROUNDS);
    assert!(rows.iter().all(|count| *count == 70), "{rows:?}");
}

#[test]
fn windows_counted_by_hand_clamp_to_the_end_of_a_month() {
    for (as_of, window, start) in [
        ("2026-03-03", "7d", "2026-02-24"),
        ("2026-01-15", "30d", "2025-12-16"),
        ("2026-08-31", "6m", "2026-02-28"),
        ("2028-02-29", "1y", "2027-02-28"),
    ] {
        assert_eq!(window_start(as_of, window), start);
    }
}
