//! A publication as files: tables, JSON, schema, dictionary and reports, piece by piece.
//!
//! Nothing here computes a figure, reads a disk or knows a clock: the same publication gives the same
//! bytes. A table is described once, in [`tables`]; every format is made from that description.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use capitalbench_core::publication::Publication;

pub mod catalogue;
pub mod claims;
pub mod csv;
pub mod dictionary;
pub mod inspect;
mod json_text;
mod parquet;
pub mod publication_v1;
pub mod report;
pub mod schema;
mod shelf;
pub mod table;
pub mod tables;
pub mod text;

use catalogue::Publisher;
use parquet::GROUP_ROWS;
use shelf::Writing;
pub use shelf::{Measure, Measured, Shelf};

/// Name of the list of digests.
pub const CHECKSUMS: &str = "checksums.txt";

/// Writes every file of an export piece by piece, and gives their names and sizes; `tick` is called
/// after each of [`steps`].
pub fn export<S: Shelf>(
    publication: &Publication,
    publisher: &Publisher<'_>,
    shelf: &mut S,
    tick: &dyn Fn(),
) -> Result<BTreeMap<String, u64>, S::Error> {
    let mut files = Writing::new(shelf);
    for table in tables::ALL {
        write_table(publication, table, &mut files)?;
        tick();
    }
    let mut document = files.begin("publication.json")?;
    let rounds = publication.rounds.iter().map(publication_v1::round);
    json_text::with_items(
        &publication_v1::members(publication),
        (publication_v1::ROUNDS, rounds),
        &mut |piece| files.put(&mut document, piece.as_bytes()),
    )?;
    files.end(document)?;
    tick();
    files.whole("publication.schema.json", &schema_text())?;
    files.whole("data_dictionary.md", dictionary::dictionary().as_bytes())?;
    catalogue::write(publication, publisher, &mut files)?;
    let checksums = checksums(&files.done);
    files.whole(CHECKSUMS, checksums.as_bytes())?;
    Ok(files.sizes())
}

/// One table in its three formats, from one pass over its rows.
fn write_table<S: Shelf>(
    publication: &Publication,
    table: &table::Table,
    files: &mut Writing<'_, S>,
) -> Result<(), S::Error> {
    let mut lines = files.begin(&format!("{}.csv", table.name))?;
    files.put(&mut lines, csv::head(table).as_bytes())?;
    let mut document = files.begin(&format!("{}.json", table.name))?;
    let mut objects = json_text::Rows::default();
    let name = format!("{}.parquet", table.name);
    let packed = parquet::begin(table, files.begin(&name)?);
    let mut packed = packed.map_err(|error| files.failed(&name, error))?;
    table.in_pieces(publication, GROUP_ROWS, |rows| {
        let text = csv::lines(csv::Reader::Program, rows);
        files.put(&mut lines, text.as_bytes())?;
        files.put(&mut document, objects.next(table, rows).as_bytes())?;
        let group = packed.group(&parquet::columns(table, rows));
        group.map_err(|error| files.failed(&name, error))
    })?;
    files.put(&mut document, objects.end().as_bytes())?;
    let packed = packed
        .finish()
        .map_err(|error| files.failed(&name, error))?;
    files.end(lines)?;
    files.end(document)?;
    files.end(packed)
}

/// The same tables for people with a spreadsheet: texts that it would run are marked as text.
pub fn spreadsheets<S: Shelf>(
    publication: &Publication,
    shelf: &mut S,
) -> Result<BTreeMap<String, u64>, S::Error> {
    let mut files = Writing::new(shelf);
    for table in tables::ALL {
        let mut file = files.begin(&format!("spreadsheet/{}.csv", table.name))?;
        files.put(&mut file, csv::head(table).as_bytes())?;
        table.in_pieces(publication, GROUP_ROWS, |rows| {
            let text = csv::lines(csv::Reader::Spreadsheet, rows);
            files.put(&mut file, text.as_bytes())
        })?;
        files.end(file)?;
    }
    Ok(files.sizes())
}

/// What a folder with an export needs besides to be pushed to a hub.
pub fn hub<S: Shelf>(
    publication: &Publication,
    publisher: &Publisher<'_>,
    shelf: &mut S,
) -> Result<BTreeMap<String, u64>, S::Error> {
    let mut files = Writing::new(shelf);
    catalogue::hub(publication, publisher, &mut files)?;
    Ok(files.sizes())
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
fn checksums(files: &BTreeMap<String, Measure>) -> String {
    let mut text = String::new();
    for (name, measure) in files {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "{}  {name}", measure.digest.to_hex());
    }
    text
}
