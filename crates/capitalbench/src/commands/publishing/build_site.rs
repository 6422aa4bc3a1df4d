//! `build-site`: the website as a folder for any host.
//!
//! Rounds are rendered and written one after the other, so memory holds few of them at a time; pages
//! that list rounds are written after the rounds they link to. With the cache of the rounds folder,
//! a round whose pages in the output are those that its inputs gave before is not rendered again.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use capitalbench_archive::disk::file_ops;
use capitalbench_archive::verify::count_rounds;
use capitalbench_core::publication::PublicRound;
use capitalbench_core::values::ids::{Digest, RoundId};
use capitalbench_site::machine::{DATA_ARCHIVE, Told, corrections_file, data_path};
use capitalbench_site::{Files, Images, Input, Renderer, files_digest, served, served_at};
use rayon::prelude::*;
use serde_json::{Value, json};

use super::appearance::publisher;
use super::data_folder::DataFolder;
use super::league_sites::{LeagueSite, league_sites};
use super::origin::{Loaded, Origin};
use super::published::keeps;
use crate::cli::{BuildSite, ImageChoice, RecordSource};
use crate::console::{document, is_json, line, plural, progress};
use crate::error::{Error, Exit};

mod drawn;
mod kept;
mod output;

use drawn::Drawn;
use kept::{Kept, KeptOwn, KeptRound};
use output::{Counts, LIST, Output, note_marks};

pub(crate) fn run(arguments: &BuildSite) -> Result<Exit, Error> {
    file_ops::stop_flushing();
    let mut built = Vec::new();
    for site in league_sites(&arguments.source, &arguments.rounds, &arguments.appearance)? {
        let done = build(arguments, &site)?;
        if !is_json() {
            line(told(&site.folder(&arguments.output), &done));
        }
        built.push((site.place, done));
    }
    if is_json() {
        document(&as_json(&built));
    }
    Ok(Exit::Success)
}

/// The pages of one league.
fn build(arguments: &BuildSite, site: &LeagueSite) -> Result<Done, Error> {
    let record = Origin::open(&site.source, &site.rounds)?.load(None)?;
    let publication = &record.publication;
    let folder = &site.rounds.folder;
    let is_folder = matches!(site.source, RecordSource::Folder);
    let place = site.folder(&arguments.output);
    let output = Output::begin(&place)?;
    let base_url = site.base_url(&arguments.base_url);
    let publisher = publisher(&site.identity, &base_url);
    let in_data = output.folder().join("data");
    let mut data = DataFolder::write(&in_data, publication, &publisher, &|| ())?;
    let sizes = data.sizes.clone();
    let key = if is_folder {
        keeps(&site.rounds, count_rounds(folder))?
    } else {
        None
    };
    let mut kept = key.and_then(|key| Kept::open(folder, key));
    let before = kept.as_mut().map(|kept| std::mem::take(&mut kept.images));
    let drawn = Drawn::after(before.unwrap_or_default(), &place);
    let input = Input {
        publication,
        data: &sizes,
        base_url: &base_url,
        identity: &site.identity,
        images: match arguments.images {
            ImageChoice::Changed => Images::From(&drawn),
            ImageChoice::None => Images::Without,
        },
    };
    let build = Build {
        renderer: Renderer::new(&input),
        drawn: &drawn,
        record: &record,
        output,
        kept,
        done: Mutex::default(),
    };
    let bar = progress(publication.rounds.len(), "rendering rounds");
    let rounds = || -> Result<Vec<Told>, Error> {
        let rounds = publication.rounds.par_iter().inspect(|_| bar.inc(1));
        rounds.map(|round| build.round(round)).collect()
    };
    let (archive, told) = rayon::join(|| data.add_archive(), rounds);
    bar.finish_and_clear();
    build.finish(&told?, (data, archive?), &place)
}

/// A build under way.
struct Build<'a> {
    renderer: Renderer<'a>,
    drawn: &'a Drawn,
    record: &'a Loaded,
    output: Output,
    kept: Option<Kept>,
    done: Mutex<Done>,
}

impl Build<'_> {
    /// Writes what belongs to one round alone, unless it is there.
    fn round(&self, round: &PublicRound) -> Result<Told, Error> {
        let listing = match &self.kept {
            Some(kept) => self
                .record
                .listing(round)?
                .and_then(|own| kept.settled(&own)),
            None => None,
        };
        if let Some(before) = listing.and_then(|own| self.untouched(round, own)) {
            self.note(round, before.clone(), Counts::default(), true);
            return self.told(round, before);
        }
        let own = self.record.files_of(round)?;
        let raw = served(round.id(), &own);
        let mut counts = self.output.put(&raw)?;
        let digest = files_digest(&own);
        let inputs = self.renderer.inputs(round, digest);
        let served = KeptOwn::of(listing, digest, &raw);
        let before = self
            .kept
            .as_ref()
            .and_then(|kept| kept.of(round.id(), inputs));
        let before = before.filter(|before| self.output.holds(before));
        let now = if let Some(before) = before {
            before.with(served)
        } else {
            let pages = self.renderer.round(round, &own);
            counts.written += self.output.put(&pages)?.written;
            KeptRound::of(inputs, &pages, served)
        };
        self.note(round, now, counts, before.is_some());
        Ok(Told::of(round, &own))
    }

    /// What an earlier build made of a round whose files are those they were, where the output has it.
    fn untouched(&self, round: &PublicRound, listing: Digest) -> Option<&KeptRound> {
        let before = self.kept.as_ref()?.unread(round.id(), listing)?;
        let inputs = self.renderer.inputs(round, before.own.digest);
        (before.inputs == inputs && self.output.is_untouched(before)).then_some(before)
    }

    /// What the files of a round that were not read tell the feeds.
    fn told(&self, round: &PublicRound, before: &KeptRound) -> Result<Told, Error> {
        let mut words = Files::new();
        if let Some(path) = round.resolved().map(corrections_file) {
            let place = served_at(round.id(), &path);
            if before.own.paths.contains(&place) {
                words.insert(path, self.output.read(&place)?);
            }
        }
        Ok(Told::of(round, &words))
    }

    fn note(&self, round: &PublicRound, now: KeptRound, counts: Counts, reused: bool) {
        let mut done = self.done.lock().unwrap_or_else(PoisonError::into_inner);
        done.paths.extend(now.places().cloned());
        done.counts.bytes += now.bytes + now.own.bytes;
        done.counts.written += counts.written;
        done.reused += usize::from(reused);
        if self.kept.is_some() {
            done.kept.insert(round.id().clone(), now);
        }
    }

    /// Writes the rest and removes what an earlier build left.
    fn finish(
        self,
        told: &[Told],
        (data, archive): (DataFolder, u64),
        place: &Path,
    ) -> Result<Done, Error> {
        let done = self.done.into_inner();
        let mut done = done.unwrap_or_else(PoisonError::into_inner);
        let (paths, counts) = (&mut done.paths, &mut done.counts);
        let mut rest = self.renderer.rest(told, paths);
        let shows =
            |round: &str, path: &str| paths.contains(&format!("rounds/{round}/files/{path}"));
        rest.extend(self.record.log(shows)?);
        paths.extend(rest.keys().cloned());
        paths.extend(data.sizes.keys().map(|name| data_path(name)));
        paths.insert(data_path(DATA_ARCHIVE));
        counts.bytes +=
            usize::try_from(data.sizes.values().sum::<u64>() + archive).unwrap_or(usize::MAX);
        let list: Vec<&str> = paths.iter().map(String::as_str).collect();
        rest.insert(LIST.to_owned(), (list.join("\n") + "\n").into());
        paths.insert(LIST.to_owned());
        counts.written += data.finish()?;
        counts.add(&self.output.put(&rest)?);
        done.removed = self.output.finish(paths)?;
        done.rendered = told.len() - done.reused;
        done.drawn = self.drawn.count();
        if let Some(kept) = self.kept {
            note_marks(place, &mut done.kept);
            kept.finish(&done.kept, &self.drawn.finish(&done.paths));
        }
        Ok(done)
    }
}

/// What was built of the league whose site it is, and of the others.
fn as_json(built: &[(String, Done)]) -> Value {
    let figures = |done: &Done| {
        json!({
            "files": done.paths.len(),
            "bytes": done.counts.bytes,
            "written": done.counts.written,
            "removed": done.removed,
            "rounds_rendered": done.rendered,
            "rounds_reused": done.reused,
            "images_drawn": done.drawn,
        })
    };
    let mut own = built.first().map_or(Value::Null, |(_, done)| figures(done));
    let others = built.iter().skip(1);
    let others: serde_json::Map<String, Value> = others
        .map(|(place, done)| (place.clone(), figures(done)))
        .collect();
    if !others.is_empty() {
        own["leagues"] = Value::Object(others);
    }
    own
}

fn told(folder: &Path, done: &Done) -> String {
    let (bytes, written) = (done.counts.bytes, done.counts.written);
    let again = match done.reused {
        0 => String::new(),
        reused => format!(", {} as before", plural(reused, "round")),
    };
    format!(
        "{}, {bytes} bytes, in {}: {written} written, {} removed{again}",
        plural(done.paths.len(), "file"),
        folder.display(),
        done.removed
    )
}

/// What a build did so far.
#[derive(Default)]
struct Done {
    paths: BTreeSet<String>,
    counts: Counts,
    removed: usize,
    rendered: usize,
    reused: usize,
    drawn: usize,
    kept: BTreeMap<RoundId, KeptRound>,
}
