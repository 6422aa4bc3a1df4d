//! `export`: the publication as files for machines.

use capitalbench_export::steps;
use capitalbench_operations::proof::promise::require_orders;
use serde_json::{Value, json};

use super::data_folder::DataFolder;
use super::published::{load, say_written};
use crate::cli::Export;
use crate::console::progress;
use crate::error::{Error, Exit};

pub(crate) fn run(arguments: &Export) -> Result<Exit, Error> {
    let publication = load(&arguments.rounds)?;
    require_orders(&arguments.rounds.folder, &publication)?;
    let bar = progress(steps(), "rendering tables");
    let written = DataFolder::write(&arguments.output, &publication, &|| bar.inc(1));
    bar.finish_and_clear();
    let mut files = written?;
    if arguments.spreadsheet {
        files.add_spreadsheets(&publication)?;
    }
    let sizes = std::mem::take(&mut files.sizes);
    files.finish()?;
    let paths = sizes.keys().map(|name| arguments.output.join(name));
    let names: Vec<Value> = paths
        .map(|path| json!(path.display().to_string()))
        .collect();
    let bytes: u64 = sizes.values().sum();
    say_written(&arguments.output, &names, bytes);
    Ok(Exit::Success)
}
