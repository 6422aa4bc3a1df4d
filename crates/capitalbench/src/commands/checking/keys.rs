//! `keys`: the key that signs the log of a folder of rounds.

use std::path::Path;

use capitalbench_archive::log::LogFolder;
use capitalbench_operations::proof::log_key::{LogKeyRequest, MadeLogKey, make_log_key};
use serde_json::json;

use crate::cli::{Keys, KeysInit, KeysShow, KeysVerb};
use crate::config::operator;
use crate::console::{document, is_json, line, next_step};
use crate::error::{Error, Exit};

pub(crate) fn run(arguments: &Keys) -> Result<Exit, Error> {
    match &arguments.verb {
        KeysVerb::Init(arguments) => init(arguments),
        KeysVerb::Show(arguments) => show(arguments),
    }
}

/// The log of a folder of rounds.
pub(in crate::commands) fn log_of(folder: &Path) -> Result<LogFolder, Error> {
    if folder.is_dir() {
        return Ok(LogFolder::of_rounds(folder));
    }
    let text = format!("{} is not a folder", folder.display());
    Err(Error::new(text).hint("name a folder of rounds with --rounds-dir DIR"))
}

fn init(arguments: &KeysInit) -> Result<Exit, Error> {
    log_of(&arguments.rounds.folder)?;
    let request = LogKeyRequest {
        rounds: &arguments.rounds.folder,
        name: arguments.name.as_deref(),
    };
    let MadeLogKey { public, file } = make_log_key(&operator(None)?, &request)?;
    if is_json() {
        document(&json!({
            "name": public.name(),
            "vkey": public.to_string(),
            "private_key_file": file.display().to_string(),
        }));
        return Ok(Exit::Success);
    }
    line(&public);
    line(format!(
        "the private half is in {}; keep a copy where nobody else reads it",
        file.display()
    ));
    next_step("publish the line above; from now on commands sign what they do");
    Ok(Exit::Success)
}

fn show(arguments: &KeysShow) -> Result<Exit, Error> {
    let log = log_of(&arguments.rounds.folder)?;
    let Some(key) = log.verifier()? else {
        let text = format!(
            "{} is unsigned: it has no log",
            arguments.rounds.folder.display()
        );
        return Err(Error::new(text).hint("make a key with `capitalbench keys init`"));
    };
    if is_json() {
        let size = log.checkpoint()?.map_or(0, |signed| signed.checkpoint.size);
        document(&json!({"name": key.name(), "vkey": key.to_string(), "size": size}));
    } else {
        line(&key);
    }
    Ok(Exit::Success)
}
