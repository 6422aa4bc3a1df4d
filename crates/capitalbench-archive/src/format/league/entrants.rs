//! `entrants` of `league.yaml`: where registrations and entries lie.

use capitalbench_core::league::settings::EntrantSettings;
use serde::Deserialize;
use serde_json::Value;

use super::words::line;
use crate::disk::error::Fault;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Entrants {
    /// A folder, or a list of files.
    registrations: Option<Value>,
    entries: Option<String>,
}

pub(super) fn entrants(given: Entrants) -> Result<EntrantSettings, Fault> {
    let field = "entrants.registrations";
    let wrong = || Fault::field(field, "must be a folder, or a list of files and folders");
    let listed = match given.registrations {
        None => Vec::new(),
        Some(Value::String(folder)) => vec![line(field, &folder)?],
        Some(Value::Array(files)) => files
            .iter()
            .map(|file| line(field, file.as_str().ok_or_else(wrong)?))
            .collect::<Result<_, _>>()?,
        Some(_) => return Err(wrong()),
    };
    let entries = given.entries.as_deref();
    Ok(EntrantSettings {
        registrations: listed,
        entries: entries
            .map(|folder| line("entrants.entries", folder))
            .transpose()?,
    })
}
