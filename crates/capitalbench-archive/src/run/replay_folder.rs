//! Replays on the disk: a folder of their own for each, which is neither a round nor a run.

use std::path::{Path, PathBuf};

use crate::disk::error::FileError;
use crate::disk::file_ops;
use crate::disk::layout;
use crate::format::run::replay::{self, Replay};
use crate::round::round_folder::{RoundFolder, next_number};
use crate::run::run_folder::RunFolder;

/// Stores a replay with the exact answers, under the next number of its round; its folder.
pub fn store(output: &Path, replay: &Replay, run: &RunFolder) -> Result<PathBuf, FileError> {
    let place = output.join(replay.round_id.as_str());
    refuse_among_rounds(output)?;
    refuse_among_rounds(&place)?;
    file_ops::create_folder(&place)?;
    let folder = place.join(next_number(&place)?);
    file_ops::create_folder(&folder.join(layout::REPLAY_ANSWERS))?;
    let mut files = Vec::new();
    for name in run.submission_names(layout::run::RAW)? {
        let bytes = file_ops::read(&run.file(&format!("{}/{name}", layout::run::RAW)))?;
        files.push((folder.join(layout::REPLAY_ANSWERS).join(name), bytes));
    }
    // The file that says what the folder is comes last, so that it never names a missing answer.
    let text = replay::render(replay);
    files.push((folder.join(layout::REPLAY), text.into_bytes()));
    file_ops::replace_all(&files)?;
    Ok(folder)
}

/// Reads a replay.
pub fn load(folder: &Path) -> Result<Replay, FileError> {
    let file = folder.join(layout::REPLAY);
    let bytes = file_ops::read(&file)?;
    replay::parse(&bytes).map_err(|fault| fault.in_file(&file))
}

/// Replays never lie where rounds or runs are looked for.
fn refuse_among_rounds(folder: &Path) -> Result<(), FileError> {
    let above = folder.ancestors().take(3);
    let is_round = |path: &&Path| RoundFolder::is_round(path);
    match above.chain([folder]).find(is_round) {
        None => Ok(()),
        Some(round) => {
            let text = "is a round; a replay is made after the fact and lies in a folder of its own: \
                        give --output another one";
            Err(FileError::folder(round, text))
        }
    }
}

/// Refuses a folder that is a replay where a round or a run is expected.
pub(crate) fn refuse_replay(folder: &Path) -> Result<(), FileError> {
    if folder.join(layout::REPLAY).symlink_metadata().is_err() {
        return Ok(());
    }
    let text = "is a replay, made after the fact; it can be no round and no run: move it back into \
                its own folder";
    Err(FileError::folder(folder, text))
}
