//! What must be there before a round is frozen, because nothing can be added later.

use capitalbench_core::asking::prompt::{CONTEXT_TITLES, promises_table};
use capitalbench_core::round::methodology::Methodology;
use capitalbench_core::values::time::WrittenInstant;
use jiff::Timestamp;

use super::FreezeError;
use crate::disk::error::FileError;
use crate::disk::layout;
use crate::disk::shell::shell_word;
use crate::format::prices::{daily_returns, trailing};
use crate::format::round::research;
use crate::format::utf8;
use crate::round::kept_sources::{KeptHistories, Remade, remake_briefing};
use crate::round::round_folder::RoundInputs;

/// Refuses a draft whose prompt promises a market table that is not there, and one whose daily
/// returns or mechanical briefing do not follow from the kept sources.
pub(super) fn require(inputs: &RoundInputs) -> Result<(), FreezeError> {
    let round = shell_word(inputs.folder.path());
    let refused = |problem: String, remedy: String| FreezeError::NotReady {
        round: inputs.folder.name(),
        problem,
        remedy,
    };
    let fetch = format!(
        "make the table with `capitalbench fetch-universe-performance --round {round} --as-of-date DAY`"
    );
    if lacks_table(inputs)? {
        let problem = format!(
            "the prompt promises a market table, and {} is not there",
            trailing::MARKDOWN
        );
        return Err(refused(problem, fetch));
    }
    if let Some(problem) = returns_problem(inputs)? {
        let remedy = format!(
            "{fetch} again (with --overwrite-performance) once the source has every history, or take \
             the option out of the universe"
        );
        return Err(refused(problem, remedy));
    }
    if let Some(problem) = briefing_problem(inputs)? {
        let remedy = format!("make it again with `capitalbench make-briefing --round {round}`");
        return Err(refused(problem, remedy));
    }
    Ok(())
}

/// A briefing may bring the table itself.
fn lacks_table(inputs: &RoundInputs) -> Result<bool, FileError> {
    let folder = &inputs.folder;
    let text = |file: &str| folder.parse(file, |bytes| Ok(utf8(bytes)?.to_owned()));
    let briefing = text(layout::BRIEFING)?;
    let brought = CONTEXT_TITLES.iter().any(|title| briefing.contains(title));
    let is_there = folder.file(trailing::MARKDOWN).is_file();
    Ok(!brought && !is_there && promises_table(&text(layout::PROMPT)?))
}

fn returns_problem(inputs: &RoundInputs) -> Result<Option<String>, FileError> {
    let folder = &inputs.folder;
    if !inputs.manifest.methodology.freezes_daily_returns() {
        return Ok(None);
    }
    let label = label(&inputs.manifest.methodology);
    let file = layout::DAILY_RETURNS;
    let Some(stored) = folder.read_optional(file)? else {
        let text = format!(
            "{label} freezes at least 60 daily returns of every option, and {file} is not there"
        );
        return Ok(Some(text));
    };
    let returns = folder.parse(file, daily_returns::parse)?;
    let deadline = inputs.manifest.decision_deadline.as_ref();
    let deadline = deadline.map(WrittenInstant::at);
    if let Some(problem) = returns.problems(&inputs.universe, deadline).first() {
        return Ok(Some(format!(
            "{file} {problem}; {label} freezes them for every option"
        )));
    }
    let Some(kept) = KeptHistories::load(inputs)? else {
        let text = format!(
            "{}, from which {file} follows, is not there",
            layout::SOURCE_HISTORIES
        );
        return Ok(Some(text));
    };
    let made = kept.daily_returns(inputs);
    let differs = made.as_bytes() != stored;
    Ok(differs.then(|| format!("{file} does not follow from {}", layout::SOURCE_HISTORIES)))
}

fn briefing_problem(inputs: &RoundInputs) -> Result<Option<String>, FileError> {
    let folder = &inputs.folder;
    let record = folder.parse_optional(layout::RESEARCH_MANIFEST, research::parse)?;
    let cutoff = record.and_then(|record| record.cutoff);
    let cutoff = cutoff.map_or(Timestamp::MIN, |cutoff| cutoff.at());
    Ok(match remake_briefing(inputs, cutoff)? {
        Remade::NotMechanical => None,
        Remade::SourcesAbsent => Some(format!(
            "{}, from which the briefing follows, is not there",
            layout::SOURCE_HISTORIES
        )),
        Remade::Made { text, later } => match later.first() {
            Some(fact) => Some(fact.text.clone()),
            None if text.as_bytes() == folder.read(layout::BRIEFING)? => None,
            None => Some("the briefing does not follow from its kept sources".to_owned()),
        },
    })
}

fn label(methodology: &Methodology) -> &str {
    methodology.label().unwrap_or_default()
}
