//! `clocks` of `league.yaml` names the outside clocks that stamp the log, because the operator's
//! own clock proves nothing to others.

use capitalbench_core::league::settings::ClockSettings;
use serde::Deserialize;

use super::words::line;
use crate::disk::error::Fault;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Clocks {
    authorities: Option<Vec<String>>,
    calendars: Option<Vec<String>>,
    roots: Option<Vec<String>>,
}

pub(super) fn clocks(given: Option<Clocks>) -> Result<ClockSettings, Fault> {
    let Some(given) = given else {
        return Ok(ClockSettings::default());
    };
    let list = |field: &str, given: Option<Vec<String>>| -> Result<Vec<String>, Fault> {
        let given = given.unwrap_or_default();
        given.iter().map(|text| line(field, text)).collect()
    };
    let addresses = |field: &str, given| -> Result<Vec<String>, Fault> {
        let list = list(field, given)?;
        let is_address =
            |text: &String| text.starts_with("https://") || text.starts_with("http://");
        if list.iter().all(is_address) {
            return Ok(list);
        }
        Err(Fault::field(
            field,
            "must be a list of addresses such as https://tsa.example/tsr",
        ))
    };
    Ok(ClockSettings {
        authorities: addresses("clocks.authorities", given.authorities)?,
        calendars: addresses("clocks.calendars", given.calendars)?,
        roots: list("clocks.roots", given.roots)?,
    })
}
