//! `show-controls`: what control entrants hold in a frozen round.

use capitalbench_archive::round::freeze;
use capitalbench_archive::round::round_folder::{RoundFolder, RoundInputs, Universes};
use capitalbench_archive::run::control_sources::ControlSources;
use capitalbench_core::decision::control::Control;
use serde_json::{Value, json};

use crate::cli::ShowControls;
use crate::commands::{holdings_json, holdings_text};
use crate::console::{NONE, document, is_json, line, table};
use crate::error::{Error, Exit};

pub(crate) fn run(arguments: &ShowControls) -> Result<Exit, Error> {
    let folder = RoundFolder::open(&arguments.round.path)?;
    freeze::require_unchanged(&folder)?;
    if freeze::stored_digests(&folder)?.is_none() {
        let next = format!(
            "capitalbench hash-round --round {}",
            folder.path().display()
        );
        let text = format!("{} is not frozen", folder.name());
        return Err(Error::new(text).hint(format!("freeze it with `{next}`")));
    }
    let inputs = RoundInputs::load(folder.clone(), &Universes::default())?;
    let controls = ControlSources::load(&inputs)?.controls(&inputs);
    if is_json() {
        let controls: Vec<Value> = controls.iter().map(as_json).collect();
        document(&json!({"round_id": folder.name(), "controls": controls}));
        return Ok(Exit::Success);
    }
    let rows = controls.iter().map(|control| {
        let held = match &control.holdings {
            Ok(holdings) => holdings_text(holdings),
            Err(reason) => format!("{NONE} ({reason})"),
        };
        vec![control.rule.name().to_owned(), held]
    });
    line(table("control | holdings in percent", rows.collect()));
    Ok(Exit::Success)
}

fn as_json(control: &Control) -> Value {
    let held = control.holdings.as_ref().ok();
    json!({
        "name": control.rule.name(),
        "meaning": control.rule.meaning(),
        "holdings": held.map(|holdings| holdings_json(holdings)),
        "unavailable": control.holdings.as_ref().err().map(ToString::to_string),
    })
}
