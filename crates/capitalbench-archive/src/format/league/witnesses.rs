//! The witnesses of a league: `witnesses: {quorum: 2, of: [{key: …, address: …}]}`.

use capitalbench_core::league::settings::{WitnessSetting, WitnessSettings};
use capitalbench_proof::note::VerifierKey;
use capitalbench_proof::witness::WitnessRule;
use serde::Deserialize;

use super::words::line;
use crate::disk::error::Fault;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct StoredWitnesses {
    quorum: Option<u32>,
    of: Option<Vec<StoredWitness>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredWitness {
    key: String,
    address: String,
}

pub(super) fn witnesses(given: Option<StoredWitnesses>) -> Result<WitnessSettings, Fault> {
    let Some(given) = given else {
        return Ok(WitnessSettings::default());
    };
    let mut of = Vec::new();
    let mut keys = Vec::new();
    for one in given.of.unwrap_or_default() {
        let key = line("witnesses.of.key", &one.key)?;
        let read = VerifierKey::parse(&key);
        keys.push(read.map_err(|error| Fault::field("witnesses.of.key", error))?);
        let address = line("witnesses.of.address", &one.address)?;
        if !address.starts_with("https://") && !address.starts_with("http://") {
            let problem = "must be the address of a witness, such as https://witness.example";
            return Err(Fault::field("witnesses.of.address", problem));
        }
        of.push(WitnessSetting { key, address });
    }
    if given.quorum.is_some() && of.is_empty() {
        let problem = "names nobody who could cosign; name them under `of`, or remove the line";
        return Err(Fault::field("witnesses.quorum", problem));
    }
    let quorum = given.quorum;
    let needed = quorum.map(|own| usize::try_from(own).unwrap_or(usize::MAX));
    WitnessRule::new(keys, needed).map_err(|error| Fault::field("witnesses", error))?;
    Ok(WitnessSettings { quorum, of })
}
