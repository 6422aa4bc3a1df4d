//! What must follow from the kept sources: the daily returns, and a briefing that nobody wrote.

use capitalbench_core::asking::mechanical_briefing::KeptSource;
use capitalbench_core::values::time::WrittenInstant;

use super::finding::{Code, Finding, Findings};
use super::{RoundState, unreadable};
use crate::disk::error::FileError;
use crate::disk::layout;
use crate::format::prices::daily_returns;
use crate::format::round::research;
use crate::format::text::json;
use crate::prices::large_moves::{self, MoveException};
use crate::round::freeze;
use crate::round::kept_sources::{KeptHistories, Remade, remake_briefing};
use crate::round::round_folder::RoundInputs;

pub(super) fn check(state: &RoundState, findings: &mut Findings) {
    let inputs = &state.inputs;
    let returns = check_returns(inputs, findings);
    let briefing = check_briefing(inputs, findings);
    for error in [returns, briefing].into_iter().filter_map(Result::err) {
        findings.push(unreadable(&inputs.folder, &error));
    }
}

/// From v1.2 on a frozen round has the returns of every option, and they follow from the histories.
fn check_returns(inputs: &RoundInputs, findings: &mut Findings) -> Result<(), FileError> {
    let folder = &inputs.folder;
    if !inputs.manifest.methodology.freezes_daily_returns() {
        return Ok(());
    }
    let file = layout::DAILY_RETURNS;
    let Some(stored) = folder.read_optional(file)? else {
        // A draft has no table yet; a file that was frozen and is gone has a finding already.
        let frozen = freeze::stored_digests(folder)?;
        if frozen.is_some_and(|frozen| !frozen.contains_key(file)) {
            let text = "is not there; from v1.2 on it is frozen with the round";
            findings.add(Code::DailyReturnsDiffer, file, text);
        }
        return Ok(());
    };
    let returns = folder.parse(file, daily_returns::parse)?;
    let deadline = inputs.manifest.decision_deadline.as_ref();
    let deadline = deadline.map(WrittenInstant::at);
    for problem in returns.problems(&inputs.universe, deadline) {
        findings.add(Code::DailyReturnsDiffer, file, problem);
    }
    let Some(kept) = KeptHistories::load(inputs)? else {
        return Ok(());
    };
    check_moves(inputs, &kept, findings)?;
    if kept.daily_returns(inputs).as_bytes() != stored && !is_changed(findings) {
        let text = format!("does not follow from {}", layout::SOURCE_HISTORIES);
        findings.add(Code::DailyReturnsDiffer, file, text);
    }
    Ok(())
}

/// Moves in the histories that one source alone tells need the operator's reason.
fn check_moves(
    inputs: &RoundInputs,
    kept: &KeptHistories,
    findings: &mut Findings,
) -> Result<(), FileError> {
    let moves = large_moves::unexplained(&inputs.manifest, &kept.histories, None);
    if moves.is_empty() {
        return Ok(());
    }
    let file = layout::TABLE_MOVE_EXCEPTION;
    let own: Option<MoveException> = inputs.folder.parse_optional(file, json::read)?;
    if let Some(own) = own.filter(|own| own.moves == moves) {
        let text = format!("{}: {}", moves.join("; "), own.reason);
        findings.add(Code::MovesAccepted, file, text);
    } else {
        let text = format!("{}, and nothing explains it", moves.join("; "));
        findings.add(Code::PriceRuleBroken, layout::SOURCE_HISTORIES, text);
    }
    Ok(())
}

/// Makes a mechanical briefing again and looks for facts that nobody can have known.
fn check_briefing(inputs: &RoundInputs, findings: &mut Findings) -> Result<(), FileError> {
    let folder = &inputs.folder;
    let record = folder.parse_optional(layout::RESEARCH_MANIFEST, research::parse)?;
    // Without a cutoff no fact is too late; then the research has a finding of its own.
    let Some(cutoff) = record.and_then(|record| record.cutoff) else {
        return Ok(());
    };
    let (text, later) = match remake_briefing(inputs, cutoff.at()) {
        Ok(Remade::Made { text, later }) => (text, later),
        Ok(Remade::NotMechanical | Remade::SourcesAbsent) => return Ok(()),
        // A frozen source that is gone has a finding already.
        Err(error) if error.is_missing() && is_changed(findings) => return Ok(()),
        Err(error) => {
            let found = unreadable(folder, &error);
            findings.add(Code::BriefingUnfounded, found.place, found.detail);
            return Ok(());
        }
    };
    for fact in later {
        let file = match fact.source {
            KeptSource::Histories => layout::SOURCE_HISTORIES,
            KeptSource::Treasury => layout::TREASURY_MONTHS[0],
        };
        findings.add(Code::FactAfterCutoff, file, fact.text);
    }
    let stored = folder.read_optional(layout::BRIEFING)?;
    if stored.as_deref() != Some(text.as_bytes()) && !is_changed(findings) {
        let text = "is not the text that its kept sources give";
        findings.add(Code::BriefingUnfounded, layout::BRIEFING, text);
    }
    Ok(())
}

/// Whether a frozen input changed: then what does not follow from it is no news.
fn is_changed(findings: &Findings) -> bool {
    let is_changed = |finding: &Finding| finding.code == Code::InputHashMismatch;
    findings.iter().any(is_changed)
}
