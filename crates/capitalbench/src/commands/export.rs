//! `export`: the publication as files for machines.

use capitalbench_export::{export, spreadsheets, steps};

use super::Outcome;
use super::published::{load, write};
use crate::cli::Export;
use crate::console::progress;
use crate::error::CommandError;
use crate::steps::promise::require_orders;

pub(crate) fn run(arguments: &Export) -> Result<Outcome, CommandError> {
    let publication = load(&arguments.rounds)?;
    require_orders(&arguments.rounds.folder, &publication)?;
    let bar = progress(steps(), "rendering tables");
    let mut files = export(&publication, &|| bar.inc(1));
    bar.finish_and_clear();
    if arguments.spreadsheet {
        files.extend(spreadsheets(&publication));
    }
    write(&arguments.output, files, arguments.printed.json)
}
