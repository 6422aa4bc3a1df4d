//! Ends a round that has no record: a signed tombstone in place of a deleted folder. A round that has
//! one keeps it, and the operator can only explain.

use std::path::{Path, PathBuf};

use capitalbench_archive::disk::file_ops::{self, Hold};
use capitalbench_archive::disk::layout::{self, run};
use capitalbench_archive::disk::shell::shell_word;
use capitalbench_archive::format::round::manifest;
use capitalbench_archive::round::ending;
use capitalbench_archive::round::round_folder::RoundFolder;
use capitalbench_core::asking::run::Selection;
use capitalbench_core::round::ending::{Ending, ExceptionNote, Tombstone};
use capitalbench_core::round::manifest::Manifest;
use capitalbench_core::values::ids::RunId;
use capitalbench_core::values::time::WrittenInstant;

use crate::asking::closing::is_over;
use crate::error::Error;
use crate::operator::Operator;
use crate::proof::anchor::follow_step;
use crate::proof::given_instant::note_given_instant;
use crate::proof::record::record;

/// The verb that both operations belong to.
const VERB: &str = "void-round";

/// What an operator wants ended.
#[derive(Debug)]
pub struct VoidRequest {
    pub round: PathBuf,
    pub ending: Ending,
    pub reason: String,
}

/// Ends a round before its acceptance; refused afterwards. A round that ended so before stays as it
/// is, with the reason of then.
pub fn void_round(operator: &Operator, request: &VoidRequest) -> Result<Tombstone, Error> {
    let folder = RoundFolder::open(&request.round)?;
    let manifest = folder.parse(layout::MANIFEST, manifest::parse)?;
    let reason = filled(&request.reason)?;
    if let Some(known) = ending::tombstone(&folder)? {
        if known.ending != request.ending {
            return Err(Error::new(format!(
                "{} {}",
                folder.name(),
                known.sentence()
            )));
        }
        // A process that was killed may not have signed it.
        signed(operator, &folder, &manifest)?;
        return Ok(known);
    }
    if request.ending == Ending::Abandoned && !is_over(&manifest, operator.now()) {
        let text = format!(
            "{}: its deadline has not passed, so models can be asked",
            folder.name()
        );
        return Err(Error::new(text).hint("end it with `capitalbench void-round`"));
    }
    refuse_accepted(&folder)?;
    note_given_instant(operator, &folder, VERB)?;
    // What a killed process left out of the log happened before the end.
    record(operator, &folder, operator.clock.now())?;
    let tombstone = Tombstone {
        round_id: manifest.round_id.clone(),
        ending: request.ending,
        ended_at: WrittenInstant::of(operator.now()),
        reason,
    };
    {
        let _turn = ending::hold_decision(&folder)?;
        let _runs = hold_runs(&folder)?;
        // Another process may have accepted a run meanwhile.
        refuse_accepted(&folder)?;
        ending::bury(&folder, &tombstone)?;
    }
    signed(operator, &folder, &manifest)?;
    Ok(tombstone)
}

/// Explains something about a round with a record: picks and results stay and count.
pub fn explain_round(
    operator: &Operator,
    round: &Path,
    reason: &str,
) -> Result<ExceptionNote, Error> {
    let folder = RoundFolder::open(round)?;
    let manifest = folder.parse(layout::MANIFEST, manifest::parse)?;
    let reason = filled(reason)?;
    ending::require_open(&folder)?;
    if accepted(&folder)?.is_none() {
        let text = format!("{} has no record that could be explained", folder.name());
        let hint = "end the round with `capitalbench void-round`, without --exception";
        return Err(Error::new(text).hint(hint));
    }
    note_given_instant(operator, &folder, VERB)?;
    let _turn = ending::hold_decision(&folder)?;
    let known = ending::exceptions(&folder)?;
    // The same command again, after a kill, writes nothing twice.
    let same = known.last().filter(|last| last.reason == reason).cloned();
    let note = if let Some(note) = same {
        note
    } else {
        let note = ExceptionNote {
            round_id: manifest.round_id.clone(),
            number: known.len() as u64 + 1,
            noted_at: WrittenInstant::of(operator.now()),
            reason,
        };
        ending::explain(&folder, &note)?;
        note
    };
    signed(operator, &folder, &manifest)?;
    Ok(note)
}

fn signed(operator: &Operator, folder: &RoundFolder, manifest: &Manifest) -> Result<(), Error> {
    record(operator, folder, operator.now())?;
    follow_step(operator, folder, manifest)
}

fn filled(reason: &str) -> Result<String, Error> {
    let reason = reason.trim();
    if reason.is_empty() {
        return Err(Error::new("--reason is blank").hint("say why, for readers of the record"));
    }
    Ok(reason.to_owned())
}

/// The run that the operator accepted, by its file or by an older manifest.
fn accepted(folder: &RoundFolder) -> Result<Option<RunId>, Error> {
    for id in folder.run_ids()? {
        let own = folder.run(&id)?;
        let by_manifest = || -> Result<bool, Error> {
            let has_manifest = own.has(run::MANIFEST);
            Ok(has_manifest && own.record()?.run.selection == Selection::Selected)
        };
        if own.has(run::ACCEPTANCE) || by_manifest()? {
            return Ok(Some(id));
        }
    }
    Ok(None)
}

fn refuse_accepted(folder: &RoundFolder) -> Result<(), Error> {
    let Some(id) = accepted(folder)? else {
        return Ok(());
    };
    let text = format!(
        "{}: {id} was accepted, so the round cannot be voided: no result may be taken away",
        folder.name()
    );
    Err(Error::new(text).hint(format!(
        "explain what is wrong with `capitalbench void-round {} --exception --reason TEXT`; picks and \
         result stay and count",
        shell_word(folder.path())
    )))
}

/// Holds every run of the round; refuses while another process asks models.
fn hold_runs(folder: &RoundFolder) -> Result<Vec<Hold>, Error> {
    let mut holds = Vec::new();
    for id in folder.run_ids()? {
        let lock = folder.run(&id)?.file(run::LOCK);
        if !lock.exists() {
            continue;
        }
        let hold = file_ops::hold(&lock)?;
        let asked = || {
            let text = format!(
                "{}: another process is running {id} right now",
                folder.name()
            );
            Error::new(text).hint("stop it first")
        };
        holds.push(hold.ok_or_else(asked)?);
    }
    Ok(holds)
}
