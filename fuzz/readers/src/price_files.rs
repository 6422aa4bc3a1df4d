//! Prices on disk.

use std::path::Path;

use capitalbench_adapters::price_source::CsvFolder;
use capitalbench_archive::format::text::table::{CsvText, Row, read_table};
use capitalbench_archive::format::{
    figures::interim, prices::cross_check as check_file, prices::price_sheet as sheet_file,
    prices::price_window, prices::provenance, prices::trailing, prices::vendor_sheet,
};
use capitalbench_archive::prices::request_state as state;
use capitalbench_core::market::prices::Quote;

use crate::is_in_proportion;
use crate::vendor_bodies::{in_order, message};

/// Any CSV of the archive: written again it reads the same.
fn table(bytes: &[u8]) {
    match read_table(bytes) {
        Ok(table) => {
            let mut text = CsvText::new();
            text.row(table.header.iter());
            for row in &table.rows {
                assert_eq!(row.cells.len(), table.header.len());
                text.row(row.cells.iter());
            }
            let text = text.into_string();
            let again = read_table(text.as_bytes()).expect("our own table");
            assert_eq!(again.header, table.header);
            let cells = |row: &Row<'_>| -> Vec<String> {
                row.cells.iter().map(ToString::to_string).collect()
            };
            let before: Vec<_> = table.rows.iter().map(cells).collect();
            let after: Vec<_> = again.rows.iter().map(cells).collect();
            assert_eq!(after, before);
        }
        Err(fault) => is_in_proportion(&fault.to_string(), bytes),
    }
}

/// A sheet of entry or exit prices.
pub fn price_sheet(bytes: &[u8]) {
    table(bytes);
    match sheet_file::parse(bytes) {
        Ok(sheet) => {
            let prices = sheet.quotes().iter().filter_map(Quote::used);
            for (price, _) in prices {
                assert!(price.get().is_finite() && price.get() > 0.0);
            }
        }
        Err(fault) => is_in_proportion(&fault.to_string(), bytes),
    }
}

/// Weekly snapshots, daily windows, private ones behind a salt, and trailing returns.
pub fn market_table(bytes: &[u8]) {
    if let Err(fault) = interim::parse_prices(bytes) {
        is_in_proportion(&fault.to_string(), bytes);
    }
    match price_window::parse(bytes) {
        Ok(windows) => {
            let text = price_window::render(&windows);
            let again = price_window::parse(text.as_bytes()).expect("our own windows");
            assert_eq!(again, windows);
        }
        Err(fault) => is_in_proportion(&fault.to_string(), bytes),
    }
    match vendor_sheet::parse_salted(bytes) {
        Ok(windows) => {
            let text = vendor_sheet::render(&[7; 32], &windows);
            let again = vendor_sheet::parse_salted(text.as_bytes()).expect("our own sheet");
            assert_eq!(again, windows);
        }
        Err(fault) => is_in_proportion(&fault.to_string(), bytes),
    }
    if let Err(fault) = trailing::parse_figures(bytes) {
        is_in_proportion(&fault.to_string(), bytes);
    }
}

/// The history of a symbol in a folder of the operator.
pub fn history_csv(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return;
    };
    match CsvFolder::rows(Path::new("SPY.csv"), text) {
        Ok(rows) => in_order(&rows),
        Err(fault) => is_in_proportion(&message(fault), bytes),
    }
}

/// `provenance.json` of a fetch.
pub fn price_record(bytes: &[u8]) {
    match provenance::parse(bytes) {
        Ok(read) => {
            let text = provenance::render(&read);
            assert_eq!(provenance::parse(text.as_bytes()).ok(), Some(read));
        }
        Err(fault) => is_in_proportion(&fault.to_string(), bytes),
    }
}

/// `cross_check.json` and the word of the operator about it.
pub fn cross_check(bytes: &[u8]) {
    match check_file::parse(bytes) {
        Ok(read) => {
            let text = check_file::render(&read);
            assert_eq!(check_file::parse(text.as_bytes()).ok(), Some(read));
        }
        Err(fault) => is_in_proportion(&fault.to_string(), bytes),
    }
    if let Ok(read) = check_file::parse_acceptance(bytes) {
        let text = check_file::render_acceptance(&read);
        assert!(check_file::parse_acceptance(text.as_bytes()).is_ok());
    }
}

/// What was asked of a source, and the answers that were kept.
pub fn request_state(bytes: &[u8]) {
    if let Ok(read) = state::parse_usage(bytes) {
        let text = state::render_usage(&read);
        assert_eq!(state::parse_usage(text.as_bytes()).ok(), Some(read));
    }
    match state::parse_answer(bytes) {
        Ok(read) => {
            let text = state::render_answer(&read);
            assert_eq!(state::parse_answer(text.as_bytes()).ok(), Some(read));
        }
        Err(fault) => is_in_proportion(&fault.to_string(), bytes),
    }
}
