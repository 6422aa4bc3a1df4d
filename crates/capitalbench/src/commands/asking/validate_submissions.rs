//! `validate-submissions`: raw files → parsed files and a summary.

use std::collections::BTreeSet;

use capitalbench_archive::disk::file_ops;
use capitalbench_archive::disk::layout::run;
use capitalbench_archive::round::round_folder::{RoundFolder, RoundInputs, Universes};
use capitalbench_archive::round::{ending, freeze};
use capitalbench_archive::run::run_folder::RunFolder;
use capitalbench_archive::run::validation::{Checked, validate_run, validation_files};
use capitalbench_operations::proof::record::record;
use serde_json::json;

use crate::cli::ValidateSubmissions;
use crate::commands::run_id;
use crate::config::operator;
use crate::console::{ERROR, GOOD, document, is_json, line, paint};
use crate::error::{Error, Exit};

pub(crate) fn run(arguments: &ValidateSubmissions) -> Result<Exit, Error> {
    let run_id = run_id(arguments.run_id.as_deref())?;
    let round = RoundFolder::open(&arguments.round.path)?;
    if !arguments.dry_run {
        ending::require_open(&round)?;
    }
    freeze::require_unchanged(&round)?;
    let folder = round.run_or_only(run_id.as_ref())?;
    let inputs = RoundInputs::load(round, &Universes::default())?;
    let rules = folder.record()?.run.rules;
    let checked = validate_run(&inputs, &folder, rules)?;
    let files = validation_files(&folder, rules, &checked);
    if !arguments.dry_run {
        write(&folder, &files)?;
        let operator = operator(None)?;
        record(&operator, &inputs.folder, operator.now())?;
    }
    let valid = checked.iter().filter(|file| file.verdict.is_ok()).count();
    let invalid = checked.len() - valid;
    if is_json() {
        let files: Vec<_> = checked.iter().map(as_json).collect();
        document(&json!({
            "run_id": folder.run_id().as_str(),
            "valid": valid,
            "invalid": invalid,
            "submissions": files,
        }));
        return Ok(Exit::of(invalid == 0));
    }
    for file in &checked {
        match &file.verdict {
            Ok(_) => line(format!("{}  {}", paint(GOOD, "valid  "), file.name)),
            Err(problems) => {
                line(format!("{}  {}", paint(ERROR, "invalid"), file.name));
                for problem in problems {
                    line(format!("         {problem}"));
                }
            }
        }
    }
    line(format!(
        "{}: {valid} valid, {invalid} invalid",
        folder.run_id()
    ));
    Ok(Exit::of(invalid == 0))
}

fn as_json(file: &Checked) -> serde_json::Value {
    let problems = file.verdict.as_ref().err().into_iter().flatten();
    json!({
        "file": file.name,
        "valid": file.verdict.is_ok(),
        "problems": problems.map(ToString::to_string).collect::<Vec<_>>(),
    })
}

/// Parsed files and the summary that counts them together, then the stale ones go.
fn write(folder: &RunFolder, files: &[(String, String)]) -> Result<(), Error> {
    let rendered: Vec<_> = files
        .iter()
        .map(|(path, text)| (folder.file(path), text.clone().into_bytes()))
        .collect();
    file_ops::replace_all(&rendered)?;
    let kept: BTreeSet<&str> = files.iter().map(|(path, _)| path.as_str()).collect();
    for name in folder.submission_names(run::PARSED)? {
        let path = format!("{}/{name}", run::PARSED);
        if !kept.contains(path.as_str()) {
            file_ops::remove(&folder.file(&path))?;
        }
    }
    Ok(())
}
