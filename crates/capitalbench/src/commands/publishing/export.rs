//! `export`: the publication as files for machines.

use std::collections::BTreeMap;
use std::path::Path;

use capitalbench_core::publication::Publication;
use capitalbench_export::catalogue::Publisher;
use capitalbench_export::steps;
use capitalbench_operations::proof::promise::require_orders;
use serde_json::{Value, json};

use super::data_folder::DataFolder;
use super::inspect_logs::{self, RawReplies};
use super::published::load;
use crate::cli::Export;
use crate::console::{line, plural, progress, show};
use crate::error::{Error, Exit};

pub(crate) fn run(arguments: &Export) -> Result<Exit, Error> {
    let publication = load(&arguments.rounds)?;
    require_orders(&arguments.rounds.folder, &publication)?;
    let publisher = Publisher {
        name: &arguments.site_name,
        address: arguments.base_url.as_deref(),
        licence: arguments.licence.as_ref(),
    };
    let mut written = Vec::new();
    if let Some(folder) = &arguments.output {
        let mut files = rendered(folder, &publication, &publisher)?;
        if arguments.spreadsheet {
            files.add_spreadsheets(&publication)?;
        }
        written.push(named(folder, files)?);
    }
    if let Some(folder) = &arguments.hub {
        let mut files = rendered(folder, &publication, &publisher)?;
        files.add_hub(&publication, &publisher)?;
        written.push(named(folder, files)?);
    }
    if let Some(folder) = &arguments.inspect {
        let raw = if arguments.raw {
            RawReplies::Included
        } else {
            RawReplies::LeftOut
        };
        let sizes = inspect_logs::write(folder, &arguments.rounds.folder, &publication, raw)?;
        written.push(Written { folder, sizes });
    }
    say(&written);
    Ok(Exit::Success)
}

/// The files of one folder, with their sizes.
struct Written<'a> {
    folder: &'a Path,
    sizes: BTreeMap<String, u64>,
}

/// Renders every table beside its place.
fn rendered(
    folder: &Path,
    publication: &Publication,
    publisher: &Publisher<'_>,
) -> Result<DataFolder, Error> {
    let bar = progress(steps(), "rendering tables");
    let files = DataFolder::write(folder, publication, publisher, &|| bar.inc(1));
    bar.finish_and_clear();
    files
}

/// Gives the files their names.
fn named(folder: &Path, mut files: DataFolder) -> Result<Written<'_>, Error> {
    let sizes = std::mem::take(&mut files.sizes);
    files.finish()?;
    Ok(Written { folder, sizes })
}

fn say(written: &[Written<'_>]) {
    let bytes = |one: &Written<'_>| one.sizes.values().sum::<u64>();
    let names = written.iter().flat_map(|one| {
        let paths = one.sizes.keys().map(|name| one.folder.join(name));
        paths.map(|path| Value::from(path.display().to_string()))
    });
    let names = || names.clone().collect::<Vec<Value>>();
    show(
        || json!({"files": names(), "bytes": written.iter().map(bytes).sum::<u64>()}),
        || {
            for one in written {
                let (count, folder) = (plural(one.sizes.len(), "file"), one.folder.display());
                line(format!("wrote {count}, {} bytes, to {folder}", bytes(one)));
            }
        },
    );
}
