//! The exact text that a round sends to every model; it is stored once, then only read.

use capitalbench_core::asking::prompt::{ModelInputParts, assemble};

use crate::disk::error::{Fault, FileError};
use crate::disk::layout;
use crate::format::{prices::trailing, round::research, utf8};
use crate::round::round_folder::{RoundInputs, optional};

/// Assembles the model input from the round's files as they are now.
pub fn assembled(inputs: &RoundInputs) -> Result<String, FileError> {
    let folder = &inputs.folder;
    let text = |relative: &str| -> Result<String, FileError> {
        folder.parse(relative, |bytes| Ok(utf8(bytes)?.to_owned()))
    };
    let (prompt, briefing) = (text(layout::PROMPT)?, text(layout::BRIEFING)?);
    if briefing.trim().is_empty() {
        let fault = Fault::new("is empty; import the research first");
        return Err(fault.in_file(&folder.file(layout::BRIEFING)));
    }
    let table = optional(text(trailing::MARKDOWN))?;
    let record = folder.parse_optional(layout::RESEARCH_MANIFEST, research::parse)?;
    let cutoff = record.and_then(|record| record.cutoff);
    Ok(assemble(&ModelInputParts {
        prompt: &prompt,
        manifest: &inputs.manifest,
        research_cutoff: cutoff.as_ref(),
        briefing: &briefing,
        context_table: table.as_deref(),
        universe: &inputs.universe,
    }))
}
