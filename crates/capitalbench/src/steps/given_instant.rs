//! An instant that was given with `--now` in place of the clock's.

use capitalbench_archive::disk::error::FileError;
use capitalbench_archive::disk::file_ops;
use capitalbench_archive::disk::layout;
use capitalbench_archive::format::round::manifest;
use capitalbench_archive::round::round_folder::RoundFolder;
use capitalbench_core::round::manifest::Stream;
use jiff::Timestamp;
use serde_json::json;

use super::record::record;
use crate::error::CommandError;

/// Refuses a given instant where a command writes the record of a real round, and notes it in the
/// folder of an invented one, so that readers know which instants nobody's clock showed.
pub(crate) fn note_given_instant(
    round: &RoundFolder,
    command: &'static str,
    given: Option<Timestamp>,
) -> Result<(), CommandError> {
    let Some(given) = given else {
        return Ok(());
    };
    let stream = round.parse(layout::MANIFEST, manifest::parse)?.stream;
    if stream != Stream::Synthetic {
        let text = format!(
            "--now {given}: {} is a real round, and `{command}` writes its record",
            round.name()
        );
        return Err(CommandError::new(text).hint(
            "omit --now: records of real rounds carry the instants of the clock; `verify`, \
             `status` and --dry-run take --now",
        ));
    }
    let line = json!({"command": command, "given_utc": given.to_string()}).to_string();
    let file = layout::GIVEN_INSTANTS;
    let told = round.read_optional(file)?.unwrap_or_default();
    let told = String::from_utf8_lossy(&told).into_owned();
    if told.lines().any(|own| own == line) {
        return Ok(());
    }
    let lines = format!("{told}{line}\n");
    file_ops::replace(&round.file(file), lines.as_bytes()).map_err(FileError::from)?;
    record(round, given)?;
    Ok(())
}
