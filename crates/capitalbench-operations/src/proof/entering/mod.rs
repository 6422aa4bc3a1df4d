//! How outsiders take part, from both sides: the entrant makes a key, registers, seals, opens and
//! checks receipts; the league collects what arrives.

pub mod checking;
pub mod collecting;
pub mod delivery;
pub mod registering;
pub mod sealing;

use std::path::Path;

use capitalbench_archive::log::LogFolder;
use capitalbench_archive::log::key::load_signer;
use capitalbench_proof::note::SignerKey;

use crate::error::Error;

/// The key of an entrant, which must be there.
fn signer(file: &Path) -> Result<SignerKey, Error> {
    load_signer(file)?.ok_or_else(|| {
        let text = format!("{}: there is no such key", file.display());
        Error::new(text).hint("make one with `capitalbench enter keys --name NAME`")
    })
}

/// The name of the league whose log this is.
fn league_of(log: &LogFolder) -> Result<String, Error> {
    let key = log.verifier()?.ok_or_else(|| {
        let text = format!("{} has no signed log", log.rounds().display());
        Error::new(text).hint("only a league that signs its log can take entries")
    })?;
    Ok(key.name().to_owned())
}
