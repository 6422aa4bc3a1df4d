//! An entrant holds a receipt against the log that the operator shows now.

use std::path::Path;

use capitalbench_archive::disk::error::FileError;
use capitalbench_archive::disk::file_ops;
use capitalbench_archive::entering::delivered::parts;
use capitalbench_archive::entering::receipt::Receipt;
use capitalbench_archive::log::entrants::{Broken, EntrantLog};
use capitalbench_archive::log::{Believed, LogFolder, Trust};
use capitalbench_archive::round::round_folder::RoundFolder;
use capitalbench_core::decision::entering::names::EntrantName;
use capitalbench_core::values::ids::RoundId;
use capitalbench_proof::event::{Fact, Files};
use capitalbench_proof::merkle::sha256;
use capitalbench_proof::note::VerifierKey;
use capitalbench_proof::timestamp::{Question, Refusal as Refused, Root, Stamp};

use crate::asking::replay::source;
use crate::error::Error;
use crate::operator::Operator;

/// What a receipt shows.
#[derive(Debug, Clone)]
pub struct CheckedReceipt {
    pub receipt: Receipt,
    /// What outside clocks said of the sealed entry, as far as it is here.
    pub stamps: Vec<Result<Stamp, Refused>>,
    /// What the operator did with what the receipt is about; empty where all is as it must be.
    pub broken: Vec<String>,
}

/// Checks a receipt against a folder of rounds, a round, a bundle or the address of a round, by the
/// key that the entrant kept, else by that of the log.
pub fn check_receipt(
    operator: &Operator,
    receipt: &Path,
    (from, key): (&str, Option<&VerifierKey>),
) -> Result<CheckedReceipt, Error> {
    let bytes = file_ops::read(receipt).map_err(FileError::from)?;
    let path = Path::new(from);
    let is_rounds = path.is_dir() && !RoundFolder::is_round(path);
    let source = if is_rounds {
        None
    } else {
        Some(source::open(operator, from)?)
    };
    let log = match &source {
        Some(source) => LogFolder::of_round(&source.folder),
        None => LogFolder::of_rounds(path),
    };
    let own = log.verifier()?;
    let key = key.or(own.as_ref()).ok_or_else(|| {
        let text = format!("{from} has no signed log");
        Error::new(text).hint("give the public key of the league with --key, and its log")
    })?;
    let read = Receipt::open(&bytes, key).map_err(|fault| fault.in_file(receipt))?;
    let mut broken = Vec::new();
    if own.as_ref() != Some(key) {
        broken.push("the log has another key now than the receipt's".to_owned());
    }
    broken.extend(differences(&log, &read)?);
    Ok(CheckedReceipt {
        stamps: stamps(operator, &log, &read)?,
        receipt: read,
        broken,
    })
}

fn differences(log: &LogFolder, receipt: &Receipt) -> Result<Vec<String>, Error> {
    let Some(present) = log.checkpoint()? else {
        return Ok(vec!["the log has no signed state any more".to_owned()]);
    };
    if let Some(problem) = log.broken_growth(&receipt.checkpoint, &present.checkpoint)? {
        return Ok(vec![format!(
            "the log does not continue the state that the receipt signs: {problem}"
        )]);
    }
    let leaf = log.leaf(receipt.leaf, present.checkpoint.size)?;
    if leaf.as_deref() != Some(&receipt.bytes) {
        return Ok(vec![format!(
            "leaf {} of the log is not the one of the receipt",
            receipt.leaf
        )]);
    }
    let mut broken = Vec::new();
    for (path, digest) in files(&receipt.event.fact).into_iter().flatten() {
        match file_ops::read(&log.rounds().join(path)) {
            Ok(bytes) if sha256(&bytes) == *digest => {}
            Ok(_) => broken.push(format!("{path} is not the file that was delivered")),
            Err(error) => broken.push(FileError::from(error).to_string()),
        }
    }
    broken.extend(judgement(&log.entrants()?, receipt));
    Ok(broken)
}

/// The stamps behind the sealed entry, by the roots of public authorities and those of the log.
fn stamps(
    operator: &Operator,
    log: &LogFolder,
    receipt: &Receipt,
) -> Result<Vec<Result<Stamp, Refused>>, Error> {
    let Fact::EntrySealed { files, .. } = &receipt.event.fact else {
        return Ok(Vec::new());
    };
    let paths = files.keys().map(|path| log.rounds().join(path));
    let found = paths.filter_map(|path| file_ops::read(&path).ok());
    let trust = Trust {
        believed: Believed::Vouched {
            own: Root::public().unwrap_or_default(),
            shipped: log.roots()?,
        },
        now: operator.clock.now(),
    };
    let mut stamps = Vec::new();
    for bytes in found {
        let Ok((note, kept)) = parts(&bytes) else {
            continue;
        };
        let question = Question {
            digest: *sha256(note).as_bytes(),
            nonce: None,
        };
        let judged = kept.iter().map(|own| trust.check(&own.reply, &question));
        stamps.extend(judged);
    }
    Ok(stamps)
}

fn files(fact: &Fact) -> Option<&Files> {
    match fact {
        Fact::Entrant { files, .. }
        | Fact::EntrySealed { files, .. }
        | Fact::EntryOpened { files, .. } => Some(files),
        _ => None,
    }
}

/// Why the league does not count what it gave a receipt for.
fn judgement(told: &EntrantLog, receipt: &Receipt) -> Option<String> {
    let known = told.problems.iter().find(|own| own.leaf == receipt.leaf);
    if let Some(problem) = known {
        return match &problem.why {
            // Named above, with its file.
            Broken::Missing | Broken::Edited => None,
            Broken::Refused(refusal) => Some(format!(
                "the league gave a receipt and does not count it: it {refusal}"
            )),
        };
    }
    let (Fact::EntrySealed {
        entrant,
        key,
        for_round,
        ..
    }
    | Fact::EntryOpened {
        entrant,
        key,
        for_round,
        ..
    }) = &receipt.event.fact
    else {
        return None;
    };
    let entrant = EntrantName::parse(entrant).ok();
    let own = entrant.and_then(|name| told.register.entrant(&name));
    let key = own.and_then(|own| {
        let mut keys = own.registration.keys.iter();
        keys.find(|known| known.name() == key)
    });
    let round = RoundId::parse(for_round).ok();
    let slot = key
        .zip(round)
        .and_then(|(key, round)| told.register.slot(&round, key));
    let is_there = match &receipt.event.fact {
        Fact::EntryOpened { .. } => slot.is_some_and(|slot| slot.opened.is_some()),
        _ => slot.is_some(),
    };
    (!is_there).then(|| "the league does not count the entry of this receipt".to_owned())
}
