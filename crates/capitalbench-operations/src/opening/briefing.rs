//! Makes the briefing of a round: computed, imported from files, or printed by a command.

use std::path::{Path, PathBuf};
use std::time::Duration;

use capitalbench_archive::disk::error::FileError;
use capitalbench_archive::disk::{file_ops, layout};
use capitalbench_archive::format::utf8;
use capitalbench_archive::round::research_import::{Beside, ImportError, Reports, import_with};
use capitalbench_archive::round::round_folder::{RoundFolder, RoundInputs, Universes};
use capitalbench_archive::round::{ending, freeze};
use capitalbench_core::asking::briefing::{BriefingProblem, Level};
use capitalbench_core::league::settings::BriefingSource;
use capitalbench_core::values::ids::Digest;
use capitalbench_core::values::time::WrittenInstant;
use jiff::Timestamp;

use crate::error::Error;
use crate::operator::Operator;
use crate::operator::program::Program;

mod mechanical;

/// What the briefing is made from. The market table with its histories must be there already.
#[derive(Debug)]
pub struct BriefingRequest {
    pub round: PathBuf,
    /// Paths of files are taken as they are.
    pub source: BriefingSource,
    /// No fact may be later than this instant.
    pub cutoff: Timestamp,
}

/// What becomes of a public source that cannot be reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Gaps {
    /// It is an error until an hour before the deadline, because the next attempt may reach it. Then
    /// it is stated, because the round would be lost otherwise.
    InTheLastHour,
    /// The briefing says at once that it is missing.
    Stated,
}

/// A briefing that was written.
#[derive(Debug)]
pub struct MadeBriefing {
    pub folder: RoundFolder,
    pub cutoff: WrittenInstant,
    /// What the briefing says is missing.
    pub gap: Option<String>,
    /// What its rules only warn about.
    pub warnings: Vec<BriefingProblem>,
}

/// How long a command may work on a briefing.
const COMMAND_TIME: Duration = Duration::from_mins(5);
/// The most that it may print.
const COMMAND_BYTES: usize = 256 << 10;

/// Makes the briefing and writes it into the round.
pub fn make_briefing(operator: &Operator, request: &BriefingRequest) -> Result<RoundFolder, Error> {
    let made = make_briefing_with(operator, request, Gaps::InTheLastHour)?;
    Ok(made.folder)
}

/// The same for whoever decides about gaps and wants to know more.
pub fn make_briefing_with(
    operator: &Operator,
    request: &BriefingRequest,
    gaps: Gaps,
) -> Result<MadeBriefing, Error> {
    let folder = RoundFolder::open(&request.round)?;
    ending::require_open(&folder)?;
    freeze::refuse_frozen(&folder)?;
    let inputs = RoundInputs::load(folder.clone(), &Universes::default())?;
    let cutoff = WrittenInstant::of(request.cutoff);
    let draft = match &request.source {
        BriefingSource::Mechanical => mechanical::draft(operator, &inputs, request.cutoff, gaps)?,
        BriefingSource::Files {
            facts,
            audit,
            briefing,
        } => Draft::of_files([facts, audit, briefing].map(Path::new))?,
        BriefingSource::Command(command) => Draft::of_command(operator, command, &folder, &cutoff)?,
    };
    let reports = Reports {
        market_facts: &draft.facts,
        audit: &draft.audit,
        final_briefing: &draft.briefing,
    };
    let imported = import_with(&folder, &inputs.manifest, reports, &cutoff, draft.beside);
    Ok(MadeBriefing {
        warnings: imported.map_err(refusal)?,
        folder,
        cutoff,
        gap: draft.gap,
    })
}

/// Whether a round has its briefing: `briefing.md` is the last file that is written.
pub fn is_briefed(folder: &RoundFolder) -> Result<bool, Error> {
    let bytes = folder.read_optional(layout::BRIEFING)?.unwrap_or_default();
    Ok(!bytes.trim_ascii().is_empty())
}

/// The three reports, and what is written beside them.
struct Draft {
    facts: Vec<u8>,
    audit: Vec<u8>,
    briefing: Vec<u8>,
    beside: Beside,
    gap: Option<String>,
}

impl Draft {
    fn of_files([facts, audit, briefing]: [&Path; 3]) -> Result<Self, Error> {
        let read = |path: &Path| file_ops::read(path).map_err(FileError::from);
        let own = read(briefing)?;
        // The message names the file that was given, not the one it would have become.
        utf8(&own).map_err(|fault| fault.in_file(briefing))?;
        Ok(Self {
            facts: read(facts)?,
            audit: read(audit)?,
            briefing: own,
            beside: Vec::new(),
            gap: None,
        })
    }

    fn of_command(
        operator: &Operator,
        command: &str,
        folder: &RoundFolder,
        cutoff: &WrittenInstant,
    ) -> Result<Self, Error> {
        let round = folder.path().display().to_string();
        let program = Program {
            setting: "briefing",
            command,
            variables: &[
                ("CAPITALBENCH_ROUND", round),
                ("CAPITALBENCH_CUTOFF", cutoff.to_string()),
            ],
            input: b"",
            time_limit: COMMAND_TIME,
            most_bytes: COMMAND_BYTES,
        };
        let briefing = program.output(&operator.configuration)?;
        let facts =
            "# Facts\n\nThe command that printed the briefing delivered no list of facts.\n";
        let audit = format!(
            "# Origin of the briefing\n\nThe briefing is what this command printed, byte for byte. It \
             was given the round and the cutoff.\n\n    {}\n\n- research cutoff: {cutoff}\n- bytes: \
             {}\n- SHA-256: {}\n\nNo second reader checked it.\n",
            command.replace('\n', "\n    "),
            briefing.len(),
            Digest::of(&briefing).to_hex()
        );
        Ok(Self {
            facts: facts.as_bytes().to_vec(),
            audit: audit.into_bytes(),
            briefing,
            beside: Vec::new(),
            gap: None,
        })
    }
}

/// Why a briefing was refused, with every line.
fn refusal(error: ImportError) -> Error {
    let ImportError::Briefing(problems) = &error else {
        return match error {
            ImportError::Frozen(error) => error.into(),
            other => Error::new(other.to_string()),
        };
    };
    let lines = problems.iter().filter(|p| p.level == Level::Error);
    let lines = lines.map(|p| format!("\n  line {}: {:?} {}", p.line, p.phrase, p.why));
    Error::new(format!("{error}{}", lines.collect::<String>()))
        .hint("a briefing states facts; nothing was written")
}
