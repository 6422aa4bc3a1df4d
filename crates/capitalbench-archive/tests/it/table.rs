//! Every CSV file of the archive is read and written again, byte for byte.

use std::fs;

use capitalbench_archive::format::text::table::{CsvText, read_table};

use crate::archive::{archive_root, files_with_extension, relative};

/// Files that came from another program, with every field in quotes.
const FULLY_QUOTED: [&str; 1] = ["rounds/CB-2026-07-16-1W/prices/entry_prices.csv"];

#[test]
fn csv_files_are_rewritten_byte_for_byte() {
    let Some(root) = archive_root() else { return };
    let mut same = 0;
    let mut different = Vec::new();
    for path in files_with_extension(&root, "csv") {
        let name = relative(&root, &path);
        let bytes = fs::read(&path).unwrap();
        let table = read_table(&bytes).unwrap_or_else(|error| panic!("{name}: {error}"));
        let mut text = CsvText::new();
        text.row(&table.header);
        for row in &table.rows {
            text.row(&row.cells);
        }
        if text.into_string().as_bytes() == bytes {
            same += 1;
        } else {
            different.push(name);
        }
    }
    eprintln!("{same} CSV files equal");
    assert!(same > 0, "the archive has CSV files");
    assert_eq!(different, FULLY_QUOTED);
}
