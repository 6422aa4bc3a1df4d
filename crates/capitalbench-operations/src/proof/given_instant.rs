//! An instant that was given with `--now` in place of the clock's is noted in the round.

use capitalbench_archive::disk::file_ops;
use capitalbench_archive::disk::layout;
use capitalbench_archive::format::round::manifest;
use capitalbench_archive::round::round_folder::RoundFolder;
use capitalbench_core::round::manifest::Stream;
use serde_json::json;

use super::record::record;
use crate::error::Error;
use crate::operator::Operator;

/// Refuses a given instant where a command writes the record of a real round.
pub fn refuse_given_instant(
    operator: &Operator,
    round: &RoundFolder,
    command: &'static str,
) -> Result<(), Error> {
    let Some(given) = operator.given else {
        return Ok(());
    };
    let stream = round.parse(layout::MANIFEST, manifest::parse)?.stream;
    if stream != Stream::Synthetic {
        let text = format!(
            "--now {given}: {} is a real round, and `{command}` writes its record",
            round.name()
        );
        return Err(Error::new(text).hint(
            "omit --now: records of real rounds carry the instants of the clock; `verify`, \
             `status` and --dry-run take --now",
        ));
    }
    Ok(())
}

/// Does the same, and notes the instant in the folder of an invented round, so that readers know
/// which instants no clock showed.
pub fn note_given_instant(
    operator: &Operator,
    round: &RoundFolder,
    command: &'static str,
) -> Result<(), Error> {
    refuse_given_instant(operator, round, command)?;
    let Some(given) = operator.given else {
        return Ok(());
    };
    let line = json!({"command": command, "given_utc": given.to_string()}).to_string();
    let file = layout::GIVEN_INSTANTS;
    let told = round.read_optional(file)?.unwrap_or_default();
    let told = String::from_utf8_lossy(&told).into_owned();
    if told.lines().any(|own| own == line) {
        return Ok(());
    }
    let lines = format!("{told}{line}\n");
    file_ops::replace(&round.file(file), lines.as_bytes())?;
    record(operator, round, given).map(drop)
}
