//! A record → the site that is served: rendered round by round, set aside, and found again by path.
//!
//! Memory holds the publication, where each file lies, and few rounds at a time while they are
//! rendered. Files of rounds stay in their folders.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, BufWriter};
use std::sync::Arc;

use capitalbench_archive::disk::file_ops::spool::{Slice, Spool};
use capitalbench_core::publication::PublicRound;
use capitalbench_core::values::ids::{Digest, RoundId};
use capitalbench_export::{Measure, Measured, Shelf, export};
use capitalbench_site::machine::api::Api;
use capitalbench_site::machine::{DATA_ARCHIVE, Told, data_path, pack};
use capitalbench_site::{Files, Identity, Images, Input, Renderer, files_digest};
use rayon::prelude::*;

use super::drawn::Drawn;
use super::stock::{Family, Kept, Own, Place, Stock};
use crate::commands::publishing::appearance::publisher;
use crate::commands::publishing::origin::{Loaded, OwnFile};
use crate::error::Error;

/// Files without a name that pages of rounds may be spread over before they are put together.
const MOST_SPOOLS: usize = 16;

/// Whose site it is and where it stands.
#[derive(Debug)]
pub(super) struct Appearing {
    pub(super) identity: Identity,
    pub(super) base_url: String,
}

/// The site of a record; rounds that are as they were are taken over from the one before.
pub(super) fn stock(
    loaded: &Loaded,
    of: &Appearing,
    before: Option<&Stock>,
) -> Result<Stock, Error> {
    let publication = &loaded.publication;
    let mut data = DataFiles::default();
    let publisher = publisher(&of.identity, &of.base_url);
    export(publication, &publisher, &mut data, &|| ())?;
    let sizes = data.sizes();
    data.add_archive()?;
    let album = Drawn::after(before);
    let input = Input {
        publication,
        data: &sizes,
        base_url: &of.base_url,
        identity: &of.identity,
        images: Images::From(&album),
    };
    let making = Making {
        loaded,
        renderer: Renderer::new(&input),
        spool: Spool::new().map_err(unspooled)?,
        before,
        // Spools live as long as one page in them; too many are copied into a new one.
        gathering: before.is_some_and(|before| before.spools >= MOST_SPOOLS),
    };
    let rounds: Result<Vec<Made>, Error> = publication
        .rounds
        .par_iter()
        .map(|round| making.round(round))
        .collect();
    let rounds = rounds?;
    let changed = rounds.iter().any(|made| !made.reused);
    let spools = match before {
        Some(before) if !making.gathering => before.spools + usize::from(changed),
        _ => 1,
    };
    let mut pages: BTreeMap<Arc<str>, Kept> = BTreeMap::new();
    for made in &rounds {
        pages.extend(made.family.pages.iter().cloned());
    }
    making.rest(&rounds, &mut pages)?;
    pages.extend(data.files);
    let images = album.finish(&pages);
    let reused = rounds.iter().filter(|made| made.reused).count();
    let mut own = BTreeMap::new();
    let mut families = BTreeMap::new();
    for made in rounds {
        own.insert(made.id.as_str().to_owned(), made.own);
        families.insert(made.id, made.family);
    }
    Ok(Stock {
        pages,
        own,
        folder: loaded.folder().map(ToOwned::to_owned),
        families,
        reused,
        spools,
        images,
        api: Api::new(Arc::clone(publication)),
    })
}

/// A site under way.
struct Making<'a> {
    loaded: &'a Loaded,
    renderer: Renderer<'a>,
    /// Takes what is rendered of rounds.
    spool: Spool,
    before: Option<&'a Stock>,
    gathering: bool,
}

/// One round of it.
struct Made {
    id: RoundId,
    family: Arc<Family>,
    own: Arc<Own>,
    reused: bool,
}

impl Making<'_> {
    fn round(&self, round: &PublicRound) -> Result<Made, Error> {
        let found = self.loaded.own_files(round)?;
        let bytes = found
            .iter()
            .map(|file| (file.path.clone(), file.bytes.clone()));
        let bytes: Files = bytes.collect();
        let earlier = |inputs| {
            let before = self.before?.families.get(round.id())?;
            (before.inputs == inputs).then_some(before)
        };
        let earlier = |inputs| match earlier(inputs) {
            Some(before) if self.gathering => self.gathered(before).map(Arc::new).map(Some),
            before => Ok(before.map(Arc::clone)),
        };
        let put = |inputs, pages| -> Result<_, Error> {
            Ok(Arc::new(Family {
                inputs,
                pages: put_all(&self.spool, pages)?,
                told: Told::of(round, &bytes),
            }))
        };
        let inputs = self.renderer.inputs(round, files_digest(&bytes));
        let (family, reused) = match earlier(inputs)? {
            Some(before) => (before, true),
            None => (put(inputs, self.renderer.round(round, &bytes))?, false),
        };
        let own = found.into_iter().map(|file| self.own(file));
        let own: Own = own.collect::<Result<_, Error>>()?;
        let known = self
            .before
            .and_then(|before| before.own.get(round.id().as_str()));
        let known = known.filter(|known| is_same(known, &own));
        Ok(Made {
            id: round.id().clone(),
            family,
            own: known.map_or_else(|| Arc::new(own), Arc::clone),
            reused,
        })
    }

    /// A file of a round stays where it is; one that came from a database is set aside.
    fn own(&self, file: OwnFile) -> Result<(Box<str>, Kept), Error> {
        let (digest, length) = (file.digest, file.bytes.len() as u64);
        let place = match file.mark {
            Some(mark) => Place::Folder(mark),
            None => Place::Spooled(self.spool.put(&file.bytes).map_err(unspooled)?),
        };
        Ok((
            file.path.into(),
            Kept {
                digest,
                length,
                place,
            },
        ))
    }

    /// The same pages in our own spool.
    fn gathered(&self, before: &Family) -> Result<Family, Error> {
        let moved = |(path, kept): &(Arc<str>, Kept)| {
            let Place::Spooled(slice) = &kept.place else {
                return Ok((Arc::clone(path), kept.clone()));
            };
            let bytes = slice.bytes().map_err(unspooled)?;
            let slice = self.spool.put(&bytes).map_err(unspooled)?;
            Ok((Arc::clone(path), Kept::spooled(kept.digest, slice)))
        };
        let pages: Result<Vec<_>, Error> = before.pages.iter().map(moved).collect();
        Ok(Family {
            inputs: before.inputs,
            pages: pages?,
            told: before.told.clone(),
        })
    }

    /// Everything that is told of all rounds together, and the log.
    fn rest(&self, rounds: &[Made], pages: &mut BTreeMap<Arc<str>, Kept>) -> Result<(), Error> {
        let told: Vec<Told> = rounds.iter().map(|made| made.family.told.clone()).collect();
        let mut paths: BTreeSet<String> = pages.keys().map(|path| (**path).to_owned()).collect();
        let own = |made: &Made, path: &str| format!("rounds/{}/files/{path}", made.id);
        for made in rounds {
            // Of the files of rounds the site lists none but those that look like pages.
            let listed = made.own.iter().filter(|(path, _)| path.ends_with(".html"));
            paths.extend(listed.map(|(path, _)| own(made, path)));
        }
        let spool = Spool::new().map_err(unspooled)?;
        let rest = self.renderer.rest(&told, &paths);
        drop(paths);
        pages.extend(put_all(&spool, rest)?);
        let by_round: BTreeMap<&str, &Own> = rounds
            .iter()
            .map(|made| (made.id.as_str(), &*made.own))
            .collect();
        let shows = |round: &str, path: &str| {
            let own = by_round.get(round);
            own.is_some_and(|own| own.binary_search_by(|(own, _)| (**own).cmp(path)).is_ok())
        };
        pages.extend(put_all(&spool, self.loaded.log(shows)?)?);
        Ok(())
    }
}

/// Whether a round has the files that it had before; then two sites share the list of them.
fn is_same(before: &Own, now: &Own) -> bool {
    let mut pairs = before.iter().zip(now);
    before.len() == now.len()
        && pairs.all(|(before, now)| before.0 == now.0 && before.1.is_same_file(&now.1))
}

fn put_all(spool: &Spool, files: Files) -> Result<Vec<(Arc<str>, Kept)>, Error> {
    let put = |(path, bytes): (String, bytes::Bytes)| {
        let slice = spool.put(&bytes).map_err(unspooled)?;
        Ok((Arc::from(path), Kept::spooled(Digest::of(&bytes), slice)))
    };
    files.into_iter().map(put).collect()
}

/// Why nothing could be set aside.
#[expect(
    clippy::needless_pass_by_value,
    reason = "it stands where an error is turned into another"
)]
fn unspooled(error: io::Error) -> Error {
    let folder = std::env::temp_dir();
    Error::new(format!(
        "cannot write a temporary file in {}: {error}",
        folder.display()
    ))
    .hint("make room there, or name another folder with TMPDIR")
}

/// The export, each file in one without a name.
#[derive(Default)]
struct DataFiles {
    files: BTreeMap<Arc<str>, Kept>,
}

impl DataFiles {
    /// Sizes by name.
    fn sizes(&self) -> BTreeMap<String, u64> {
        let name = |path: &str| path.strip_prefix("data/").unwrap_or(path).to_owned();
        let sizes = self.files.iter();
        sizes
            .map(|(path, kept)| (name(path), kept.length))
            .collect()
    }

    /// Adds one file with all of them.
    fn add_archive(&mut self) -> Result<(), Error> {
        let out = Measured::new(DATA_ARCHIVE, self.begin(DATA_ARCHIVE)?);
        let sizes = self.sizes();
        let files = sizes.iter().map(|(name, size)| {
            let kept = self.files.get(data_path(name).as_str());
            let slice = kept.and_then(|kept| match &kept.place {
                Place::Spooled(slice) => Some(slice),
                Place::Folder(_) => None,
            });
            let slice: &Slice = slice.ok_or(io::ErrorKind::NotFound)?;
            Ok((name.as_str(), *size, slice.reader()))
        });
        let packed = pack(files, out).map_err(unspooled)?;
        packed.end(self)?;
        Ok(())
    }
}

impl Shelf for DataFiles {
    type File = BufWriter<Spool>;
    type Error = Error;

    fn begin(&mut self, _name: &str) -> Result<Self::File, Error> {
        Ok(BufWriter::new(Spool::new().map_err(unspooled)?))
    }

    fn end(&mut self, name: &str, file: Self::File, measure: Measure) -> Result<(), Error> {
        let out = file.into_inner();
        let slice = out.map_err(|error| unspooled(error.into_error()))?.whole();
        let kept = Kept::spooled(measure.digest, slice);
        self.files.insert(data_path(name).into(), kept);
        Ok(())
    }

    fn failed(&self, _name: &str, error: io::Error) -> Error {
        unspooled(error)
    }
}
