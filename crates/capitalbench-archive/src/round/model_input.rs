//! The exact text that a round sends to every model; it is stored once, then only read.

use capitalbench_core::asking::option_order::{OptionOrder, order_seed};
use capitalbench_core::asking::prompt::{ModelInputParts, assemble};
use capitalbench_core::market::universe::Universe;
use capitalbench_core::round::manifest::Manifest;
use capitalbench_core::values::time::WrittenInstant;

use crate::disk::error::{Fault, FileError};
use crate::disk::layout;
use crate::format::{prices::trailing, round::research, utf8};
use crate::round::freeze;
use crate::round::round_folder::{RoundInputs, optional};

/// Assembles the model input from the round's files as they are now.
pub fn assembled(inputs: &RoundInputs) -> Result<String, FileError> {
    let texts = InputTexts::of(inputs)?;
    Ok(texts.assemble(&inputs.manifest, &inputs.universe))
}

/// The texts of a model input, apart from rules and options.
#[derive(Debug, Clone)]
pub(super) struct InputTexts {
    prompt: String,
    pub(super) briefing: String,
    pub(super) table: Option<String>,
    cutoff: Option<WrittenInstant>,
    pub(super) order: Option<OptionOrder>,
}

impl InputTexts {
    pub(super) fn of(inputs: &RoundInputs) -> Result<Self, FileError> {
        let folder = &inputs.folder;
        let text = |relative: &str| -> Result<String, FileError> {
            folder.parse(relative, |bytes| Ok(utf8(bytes)?.to_owned()))
        };
        let (prompt, briefing) = (text(layout::PROMPT)?, text(layout::BRIEFING)?);
        if briefing.trim().is_empty() {
            let fault = Fault::new("is empty; import the research first");
            return Err(fault.in_file(&folder.file(layout::BRIEFING)));
        }
        let record = folder.parse_optional(layout::RESEARCH_MANIFEST, research::parse)?;
        Ok(Self {
            prompt,
            briefing,
            table: optional(text(trailing::MARKDOWN))?,
            cutoff: record.and_then(|record| record.cutoff),
            order: option_order(inputs)?,
        })
    }

    pub(super) fn assemble(&self, manifest: &Manifest, universe: &Universe) -> String {
        assemble(&ModelInputParts {
            prompt: &self.prompt,
            manifest,
            research_cutoff: self.cutoff.as_ref(),
            briefing: &self.briefing,
            context_table: self.table.as_deref(),
            universe,
            order: self.order.as_ref(),
        })
    }
}

/// The order of the options, drawn from the frozen files, or from those of a draft as they are now;
/// none where the methodology draws none.
pub fn option_order(inputs: &RoundInputs) -> Result<Option<OptionOrder>, FileError> {
    let (folder, methodology) = (&inputs.folder, &inputs.manifest.methodology);
    if !methodology.draws_option_order() {
        return Ok(None);
    }
    let files = match freeze::stored_digests(folder)? {
        Some(stored) => stored,
        None => freeze::digests_now(folder, methodology)?,
    };
    let order = OptionOrder::draw(order_seed(&files), &inputs.universe);
    Ok(Some(order))
}
