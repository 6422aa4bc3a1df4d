//! `build-site`: the website as a folder for any host.
//!
//! Rounds are rendered and written one after the other, so memory holds few of them at a time; pages
//! that list rounds are written after the rounds they link to. With the cache of the rounds folder,
//! a round whose pages in the output are those that its inputs gave before is not rendered again.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use capitalbench_archive::file_ops;
use capitalbench_core::publication::PublicRound;
use capitalbench_site::machine::Told;
use capitalbench_site::{Files, Input, Renderer, served};
use rayon::prelude::*;
use serde_json::json;

use super::Outcome;
use super::origin::Origin;
use super::published::keeps;
use super::site::data_of;
use crate::cli::{BuildSite, RecordSource};
use crate::console::{document, line, plural, progress};
use crate::error::CommandError;
use crate::steps::promise::require_orders;

mod kept;
mod output;

use kept::{Kept, KeptRound};
use output::{LIST, Output};

pub(crate) fn run(arguments: &BuildSite) -> Result<Outcome, CommandError> {
    let record = Origin::open(arguments.source, &arguments.rounds)?.load(None)?;
    let publication = &record.publication;
    let is_folder = matches!(arguments.source, RecordSource::Folder);
    if is_folder {
        require_orders(&arguments.rounds.folder, publication)?;
    }
    let output = Output::begin(&arguments.output)?;
    file_ops::stop_flushing();
    let data = data_of(publication);
    let input = Input {
        publication,
        data: &data,
        base_url: arguments.base_url.trim_end_matches('/'),
    };
    let renderer = Renderer::new(&input);
    let folder = &arguments.rounds.folder;
    let kept = if is_folder && keeps(&arguments.rounds)? {
        Kept::open(folder)
    } else {
        None
    };
    let bar = progress(publication.rounds.len(), "rendering rounds");
    let done = Mutex::new(Done::default());
    let one = |round: &PublicRound| -> Result<Told, CommandError> {
        let own = record.files_of(round)?;
        let inputs = renderer.inputs(round, &own);
        let mut counts = output.put(&served(round.id(), &own))?;
        let before = kept.as_ref().and_then(|kept| kept.of(round.id(), inputs));
        let there = before.filter(|before| output.holds(before));
        let reused = there.is_some();
        let now = if let Some(before) = there {
            counts.bytes += before.bytes;
            before.clone()
        } else {
            let files = renderer.round(round, &own);
            counts.add(&output.put(&files)?);
            KeptRound::of(inputs, &files)
        };
        let paths = served_paths(round, &own).chain(now.paths.iter().cloned());
        let mut done = done.lock().unwrap_or_else(PoisonError::into_inner);
        done.paths.extend(paths);
        done.counts.add(&counts);
        done.reused += usize::from(reused);
        done.kept.push((round.id().clone(), now));
        bar.inc(1);
        Ok(Told::of(round, &own))
    };
    let told: Result<Vec<Told>, CommandError> = publication.rounds.par_iter().map(one).collect();
    bar.finish_and_clear();
    let told = told?;
    let Done {
        mut paths,
        mut counts,
        reused,
        kept: rounds,
    } = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    let mut rest = renderer.rest(&told, &paths);
    paths.extend(rest.keys().cloned());
    let list: String = paths.iter().map(|path| format!("{path}\n")).collect();
    paths.insert(LIST.to_owned());
    rest.insert(LIST.to_owned(), list.into());
    counts.add(&output.put(&rest)?);
    let removed = output.finish(&paths)?;
    if let Some(kept) = kept {
        kept.finish(rounds);
    }
    let (files, bytes, written) = (paths.len(), counts.bytes, counts.written);
    if arguments.printed.json {
        document(&json!({
            "files": files,
            "bytes": bytes,
            "written": written,
            "removed": removed,
            "rounds_rendered": told.len() - reused,
            "rounds_reused": reused,
        }));
    } else {
        let again = match reused {
            0 => String::new(),
            reused => format!(", {} as before", plural(reused, "round")),
        };
        line(format!(
            "{}, {bytes} bytes, in {}: {written} written, {removed} removed{again}",
            plural(files, "file"),
            arguments.output.display()
        ));
    }
    Ok(Outcome::Holds)
}

/// What became of the rounds so far.
#[derive(Default)]
struct Done {
    paths: BTreeSet<String>,
    counts: output::Counts,
    reused: usize,
    kept: Vec<(capitalbench_core::ids::RoundId, KeptRound)>,
}

fn served_paths<'a>(round: &'a PublicRound, own: &'a Files) -> impl Iterator<Item = String> + 'a {
    own.keys()
        .map(|path| format!("rounds/{}/files/{path}", round.id()))
}
