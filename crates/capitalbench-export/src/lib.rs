//! A publication as files: tables, JSON, schema, dictionary and reports, as bytes in memory.
//!
//! Nothing here computes a figure, reads a disk or knows a clock: the same publication gives the same
//! bytes. A table is described once, in [`tables`]; every format is made from that description.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use capitalbench_core::ids::Digest;
use capitalbench_core::publication::Publication;

pub mod csv;
pub mod dictionary;
mod json_text;
pub mod parquet;
pub mod publication_v1;
pub mod report;
pub mod schema;
pub mod table;
pub mod tables;
pub mod text;

/// Name of the list of digests.
pub const CHECKSUMS: &str = "checksums.txt";

/// Every file of an export by name; `tick` is called after each of [`steps`].
pub fn export(publication: &Publication, tick: &dyn Fn()) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    for table in tables::ALL {
        let rows = (table.rows)(publication);
        files.insert(format!("{}.csv", table.name), csv::csv(table, &rows));
        files.insert(
            format!("{}.parquet", table.name),
            parquet::parquet(table, &rows),
        );
        let rows = rows.into_iter();
        let rows = rows.map(|row| publication_v1::object(table, row).into());
        files.insert(
            format!("{}.json", table.name),
            json_text::json_text(&serde_json::Value::Array(rows.collect())),
        );
        tick();
    }
    let document = publication_v1::document(publication);
    files.insert("publication.json".into(), json_text::json_text(&document));
    tick();
    files.insert("publication.schema.json".into(), schema_text());
    files.insert(
        "data_dictionary.md".into(),
        dictionary::dictionary().into_bytes(),
    );
    let checksums = checksums(&files);
    files.insert(CHECKSUMS.into(), checksums.into_bytes());
    files
}

/// The same tables for people with a spreadsheet: texts that it would run are marked as text.
pub fn spreadsheets(publication: &Publication) -> BTreeMap<String, Vec<u8>> {
    let file = |table: &&table::Table| {
        let rows = (table.rows)(publication);
        let bytes = csv::csv_for(csv::Reader::Spreadsheet, table, &rows);
        (format!("spreadsheet/{}.csv", table.name), bytes)
    };
    tables::ALL.iter().map(file).collect()
}

/// How often [`export`] ticks.
pub const fn steps() -> usize {
    tables::ALL.len() + 1
}

/// The schema as a file.
pub fn schema_text() -> Vec<u8> {
    json_text::json_text(&schema::schema())
}

/// Lines that `sha256sum --check` reads.
fn checksums(files: &BTreeMap<String, Vec<u8>>) -> String {
    let mut text = String::new();
    for (name, bytes) in files {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "{}  {name}", Digest::of(bytes).to_hex());
    }
    text
}
