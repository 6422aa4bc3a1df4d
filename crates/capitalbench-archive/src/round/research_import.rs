//! Imports research into a round: two reports for the audit, and the briefing that models see.

use capitalbench_core::asking::briefing::{self, BriefingProblem, Level};
use capitalbench_core::round::manifest::Manifest;
use capitalbench_core::values::ids::Digest;
use capitalbench_core::values::time::WrittenInstant;

use crate::disk::error::FileError;
use crate::disk::file_ops;
use crate::disk::layout;
use crate::format::round::hashes;
use crate::format::text::scalar::yaml_text;
use crate::round::freeze::{self, FreezeError};
use crate::round::round_folder::RoundFolder;

/// The three reports, as bytes.
#[derive(Debug, Clone, Copy)]
pub struct Reports<'a> {
    /// Facts with their sources; audit only.
    pub market_facts: &'a [u8],
    /// The findings of a second reader; audit only.
    pub audit: &'a [u8],
    /// The text that models see.
    pub final_briefing: &'a [u8],
}

/// Why research was not imported.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    #[error(transparent)]
    File(#[from] FileError),
    #[error(transparent)]
    Frozen(#[from] FreezeError),
    #[error("the briefing breaks {} rules", .0.iter().filter(|p| p.level == Level::Error).count())]
    Briefing(Vec<BriefingProblem>),
    #[error("the research cutoff {cutoff} must not be after the decision deadline {deadline}")]
    CutoffAfterDeadline { cutoff: String, deadline: String },
}

/// Files of a round that are written together with its research: path and bytes.
pub type Beside = Vec<(&'static str, Vec<u8>)>;

/// Checks the briefing, then writes all files together; returns warnings about the briefing.
pub fn import(
    folder: &RoundFolder,
    manifest: &Manifest,
    reports: Reports<'_>,
    cutoff: &WrittenInstant,
) -> Result<Vec<BriefingProblem>, ImportError> {
    import_with(folder, manifest, reports, cutoff, Vec::new())
}

/// The same with more files, which come first: `briefing.md` is the last one, so that a round with a
/// briefing has everything that belongs to it. What an earlier briefing was made from is removed.
pub fn import_with(
    folder: &RoundFolder,
    manifest: &Manifest,
    reports: Reports<'_>,
    cutoff: &WrittenInstant,
    beside: Beside,
) -> Result<Vec<BriefingProblem>, ImportError> {
    freeze::refuse_frozen(folder)?;
    if let Some(deadline) = &manifest.decision_deadline
        && cutoff.at() > deadline.at()
    {
        return Err(ImportError::CutoffAfterDeadline {
            cutoff: cutoff.to_string(),
            deadline: deadline.to_string(),
        });
    }
    let text = crate::format::utf8(reports.final_briefing)
        .map_err(|fault| fault.in_file(&folder.file(layout::FINAL_BRIEFING)))?;
    let problems = briefing::check(text, manifest.methodology.enforcement());
    if problems.iter().any(|problem| problem.level == Level::Error) {
        return Err(ImportError::Briefing(problems));
    }
    let record = research_manifest(manifest, cutoff);
    let research: [(&str, &[u8]); 4] = [
        ("research/market_fact_report.md", reports.market_facts),
        ("research/briefing_audit_report.md", reports.audit),
        (layout::FINAL_BRIEFING, reports.final_briefing),
        (layout::RESEARCH_MANIFEST, record.as_bytes()),
    ];
    let digests = research
        .iter()
        .map(|(path, bytes)| ((*path).to_owned(), Digest::of(bytes)))
        .collect();
    let digests = hashes::render(&digests);
    for stale in layout::MADE_FROM {
        if beside.iter().all(|(path, _)| *path != stale) {
            file_ops::remove(&folder.file(stale)).map_err(FileError::from)?;
        }
    }
    let beside = beside.into_iter();
    let mut files: Vec<(std::path::PathBuf, Vec<u8>)> = beside
        .map(|(path, bytes)| (folder.file(path), bytes))
        .collect();
    let research = research.iter();
    files.extend(research.map(|(path, bytes)| (folder.file(path), bytes.to_vec())));
    files.push((folder.file(layout::RESEARCH_HASHES), digests.into_bytes()));
    files.push((
        folder.file(layout::BRIEFING),
        reports.final_briefing.to_vec(),
    ));
    file_ops::replace_all(&files).map_err(FileError::from)?;
    Ok(problems)
}

fn research_manifest(manifest: &Manifest, cutoff: &WrittenInstant) -> String {
    let deadline = manifest
        .decision_deadline
        .as_ref()
        .map_or_else(|| "null".to_owned(), |deadline| format!("'{deadline}'"));
    let entry = |file: &str, kind: &str, facing: &str, description: &str| {
        format!(
            "- filename: {file}\n  artifact_type: {kind}\n  model_facing: {facing}\n  description: {description}\n"
        )
    };
    [
        format!("round_id: {}\n", yaml_text(manifest.round_id.as_str())),
        format!("research_cutoff_utc: '{cutoff}'\n"),
        format!("decision_deadline_utc: {deadline}\n"),
        "research_files:\n".to_owned(),
        entry(
            "market_fact_report.md",
            "market_fact_report",
            "false",
            "Facts with their sources, kept for the audit.",
        ),
        entry(
            "briefing_audit_report.md",
            "audit_report",
            "false",
            "A second reader's check of the briefing, kept for the audit.",
        ),
        entry(
            "final_briefing.md",
            "final_briefing",
            "true",
            "The text that every model is shown, equal to briefing.md.",
        ),
    ]
    .concat()
}
