//! What verbs that show the public record share: load it, and find things in it by name.

use std::path::{Path, PathBuf};

use capitalbench_archive::disk::file_ops::replace_all;
use capitalbench_archive::disk::layout;
use capitalbench_archive::public::cache_key::CacheKey;
use capitalbench_archive::public::public_record::{Keeping, PublicationError, RoundSource};
use capitalbench_archive::verify::count_rounds;
use capitalbench_core::publication::Publication;
use capitalbench_core::publication::standings::Standings;
use capitalbench_core::values::similar::closest;
use capitalbench_export::text::SYNTHETIC;
use capitalbench_operations::operator::clock::now_or;
use jiff::Timestamp;
use serde_json::{Value, json};

use crate::cli::Rounds;
use crate::config::Environment;
use crate::console::{WARNING, line, paint, plural, progress, remark, show};
use crate::error::{Error, Exit};

/// Set to anything, it turns the cache of rounds off.
const NO_CACHE: &str = "CAPITALBENCH_NO_CACHE";

/// Fewest rounds for which a cache saves more than it costs.
const MANY_ROUNDS: usize = 200;

/// The publication of the instant that was asked for.
pub(crate) fn load(rounds: &Rounds) -> Result<Publication, Error> {
    let found = read(rounds, |source, at, tick| source.publication(at, tick))?;
    say_synthetic(found.synthetic);
    Ok(found)
}

/// The same for whoever was told about it when it was loaded first.
pub(crate) fn load_again(rounds: &Rounds) -> Result<Publication, Error> {
    let (source, instant, _) = asked_for(rounds)?;
    Ok(source.publication(instant, &|| ())?)
}

/// The comparison sets for whoever was told about the market before.
pub(crate) fn load_standings_again(rounds: &Rounds) -> Result<Standings, Error> {
    let (source, instant, _) = asked_for(rounds)?;
    Ok(source.standings(instant, &|| ())?)
}

/// The comparison sets of the instant that was asked for, without the words of any round.
pub(crate) fn load_standings(rounds: &Rounds) -> Result<Standings, Error> {
    let found = read(rounds, |source, at, tick| source.standings(at, tick))?;
    say_synthetic(found.synthetic);
    Ok(found)
}

/// The secret under which something may be kept beside these rounds; none where nothing may.
pub(crate) fn keeps(rounds: &Rounds, count: usize) -> Result<Option<CacheKey>, Error> {
    let environment = Environment::load()?;
    let off = rounds.no_cache || environment.get(NO_CACHE).is_some();
    // Facts are kept in a folder that has some of ours already, or many rounds.
    let pays = count >= MANY_ROUNDS || rounds.folder.join(layout::STATE).is_dir();
    if off || !pays {
        return Ok(None);
    }
    Ok(Environment::cache_key(&rounds.folder))
}

/// Rounds of the instant that was asked for, with a bar.
fn read<T>(
    rounds: &Rounds,
    load: impl Fn(RoundSource<'_>, Timestamp, &(dyn Fn() + Sync)) -> Result<T, PublicationError>,
) -> Result<T, Error> {
    let (source, instant, count) = asked_for(rounds)?;
    with_bar(count, |tick| load(source, instant, tick))
}

/// Where the rounds are read, the instant, and how many there are.
fn asked_for(rounds: &Rounds) -> Result<(RoundSource<'_>, Timestamp, usize), Error> {
    let count = count_rounds(&rounds.folder);
    let instant = now_or(rounds.as_of);
    // Whole seconds: nobody asks for what was public between two of them.
    let instant = Timestamp::from_second(instant.as_second()).unwrap_or(instant);
    let keeping = keeps(rounds, count)?.map_or(Keeping::Fresh, Keeping::Cached);
    let source = RoundSource::folder(&rounds.folder, keeping);
    Ok((source, instant, count))
}

/// Shows how many rounds were read.
pub(crate) fn with_bar<T>(
    count: usize,
    load: impl FnOnce(&(dyn Fn() + Sync)) -> Result<T, PublicationError>,
) -> Result<T, Error> {
    let bar = progress(count, "reading rounds");
    let found = load(&|| bar.inc(1));
    bar.finish_and_clear();
    Ok(found?)
}

pub(crate) fn say_synthetic(synthetic: bool) {
    if synthetic {
        remark(paint(WARNING, format!("market: {SYNTHETIC}")));
    }
}

/// An error for a name that nothing has, with the nearest one that something has.
pub(crate) fn unknown(kind: &str, name: &str, known: &[&str]) -> Error {
    let error = Error::new(format!("there is no {kind} {name}"));
    match closest(name, known.iter().copied()) {
        Some(near) => error.hint(format!("did you mean {near}?")),
        None if known.is_empty() => error.hint("nothing is public at this instant"),
        None if known.len() <= 12 => error.hint(format!("there are {}", known.join(", "))),
        None => error.hint(format!(
            "there are {} of them; the last is {}",
            known.len(),
            known[known.len() - 1]
        )),
    }
}

/// Writes files into a folder and says so.
pub(crate) fn write(
    folder: &Path,
    files: impl IntoIterator<Item = (String, Vec<u8>)>,
) -> Result<Exit, Error> {
    let files: Vec<(PathBuf, Vec<u8>)> = files
        .into_iter()
        .map(|(name, bytes)| (folder.join(name), bytes))
        .collect();
    replace_all(&files)?;
    let bytes: usize = files.iter().map(|(_, bytes)| bytes.len()).sum();
    let names: Vec<Value> = files
        .iter()
        .map(|(path, _)| json!(path.display().to_string()))
        .collect();
    say_written(folder, &names, bytes as u64);
    Ok(Exit::Success)
}

pub(crate) fn say_written(folder: &Path, names: &[Value], bytes: u64) {
    let (count, folder) = (plural(names.len(), "file"), folder.display());
    show(
        || json!({"files": names, "bytes": bytes}),
        || line(format!("wrote {count}, {bytes} bytes, to {folder}")),
    );
}
