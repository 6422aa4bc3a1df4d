//! The cache of facts: never another publication than without it, whatever happens to files.
#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "tests spoil files on purpose, and a test that cannot must stop"
)]

use std::fs::{self, File, FileTimes};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use capitalbench_archive::public::cache_key::CacheKey;
use capitalbench_archive::public::fact_cache::FOLDER;
use capitalbench_archive::public::public_record::{Keeping, PublicationError, RoundSource};
use capitalbench_core::evidence::inference::random::Random;
use capitalbench_core::evidence::statistics::SetStatistics;
use capitalbench_core::publication::Publication;
use capitalbench_core::publication::boards::comparison_set::ComparisonSet;
use capitalbench_core::publication::boards::index::IndexRow;
use capitalbench_core::publication::standings::Standings;
use capitalbench_core::round::manifest::Track;
use capitalbench_core::values::ids::{Digest, RoundId};
use capitalbench_testing::bench_archive::{BenchPlan, make};
use jiff::Timestamp;

const ROUNDS: usize = 24;
/// The secret of the machine that the tests run on, and that of somebody else.
const OWN: CacheKey = CacheKey::new([1; 32]);
const FOREIGN: CacheKey = CacheKey::new([2; 32]);
const CACHED: Keeping = Keeping::Cached(OWN);

fn archive() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let plan = BenchPlan {
        rounds: ROUNDS,
        models: 3,
        seed: 5,
        track: None,
    };
    assert_eq!(
        make(&folder.path().join("rounds"), plan, &|| ()).unwrap(),
        ROUNDS
    );
    folder
}

fn as_of() -> Timestamp {
    "2026-11-01T00:00:00Z".parse().unwrap()
}

fn published(rounds: &Path, keeping: Keeping) -> Result<Publication, PublicationError> {
    RoundSource::folder(rounds, keeping).publication(as_of(), &|| ())
}

fn standings(rounds: &Path, keeping: Keeping) -> Result<Standings, PublicationError> {
    RoundSource::folder(rounds, keeping).standings(as_of(), &|| ())
}

/// The publication; its sets and their statistics are the same when only figures are read.
fn both(rounds: &Path, keeping: Keeping) -> Publication {
    let standings = standings(rounds, keeping).unwrap();
    let publication = published(rounds, keeping).unwrap();
    assert_eq!(standings.comparison_sets, publication.comparison_sets);
    assert_eq!(standings.names, publication.names);
    for set in &publication.comparison_sets {
        let found = publication.statistics.sets.get(&set.definition.set_id);
        assert_eq!(standings.statistics(set).as_ref(), found);
    }
    publication
}

fn plain(rounds: &Path) -> Publication {
    both(rounds, Keeping::Fresh)
}

fn cached(rounds: &Path) -> Publication {
    both(rounds, CACHED)
}

/// Waits until the file system's clock shows more than two seconds after the last change of a round:
/// facts of younger files are not kept. No call sets the time of a change, and nothing announces it.
fn settle(rounds: &Path) {
    let changed = |path: &Path| {
        let found = fs::metadata(path).unwrap();
        i128::from(found.ctime()) * 1_000_000_000 + i128::from(found.ctime_nsec())
    };
    let all = files(rounds);
    let newest = all.iter().map(|path| changed(path)).max().unwrap();
    let probe = rounds.parent().unwrap().join("probe");
    let last = Instant::now() + Duration::from_mins(1);
    loop {
        fs::write(&probe, "").unwrap();
        if changed(&probe) > newest + 2_000_000_000 {
            break;
        }
        assert!(Instant::now() < last, "the file system's clock stands");
        thread::sleep(Duration::from_millis(50));
    }
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path));
        } else {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// Kept facts with their inodes: one that is written again gets another.
fn kept(rounds: &Path) -> Vec<(PathBuf, u64)> {
    let mut found = files(&rounds.join(FOLDER));
    found.retain(|path| path.file_name().is_some_and(|name| name.len() == 64));
    let inode = |path: PathBuf| {
        let number = fs::metadata(&path).unwrap().ino();
        (path, number)
    };
    found.into_iter().map(inode).collect()
}

/// Writes a file and sets its time of modification back to what it was.
fn write_unnoticed(path: &Path, bytes: &[u8]) {
    let before = fs::metadata(path).unwrap().modified().unwrap();
    fs::write(path, bytes).unwrap();
    let times = FileTimes::new().set_modified(before);
    File::options()
        .write(true)
        .open(path)
        .unwrap()
        .set_times(times)
        .unwrap();
}

#[test]
fn unchanged_rounds_are_taken_from_the_cache_and_changed_ones_never() {
    let folder = archive();
    let rounds = folder.path().join("rounds");
    settle(&rounds);
    let expected = plain(&rounds);
    assert_eq!(cached(&rounds), expected);
    let first = kept(&rounds);
    assert_eq!(first.len(), ROUNDS);
    assert_eq!(cached(&rounds), expected);
    assert_eq!(kept(&rounds), first, "nothing was computed again");

    // The same size and the same time of modification, other words: only the change time tells.
    let mut random = Random::of(Digest::of(b"edits"), "fact cache");
    let parsed: Vec<PathBuf> = files(&rounds)
        .into_iter()
        .filter(|path| path.to_string_lossy().contains("submissions/parsed/"))
        .collect();
    for _ in 0..12 {
        // Results repeat what a submission says, so both change.
        let run = parsed[random.index(parsed.len())]
            .ancestors()
            .nth(3)
            .unwrap();
        for path in files(run) {
            let text = fs::read_to_string(&path).unwrap();
            let other = text.replace("Drawn by lot.", "Drawn by hat.");
            if other != text {
                write_unnoticed(&path, other.as_bytes());
            }
        }
    }
    let edited = plain(&rounds);
    assert_ne!(edited, expected);
    assert_eq!(cached(&rounds), edited);
    settle(&rounds);
    assert_eq!(cached(&rounds), edited);
    assert_eq!(
        kept(&rounds).len(),
        ROUNDS,
        "facts that no round has are gone"
    );
    assert_eq!(cached(&rounds), edited);

    // A round less, then the same round again under other inodes.
    let (gone, away) = (rounds.join("SYN-000007-1W"), folder.path().join("away"));
    fs::rename(&gone, &away).unwrap();
    assert_eq!(cached(&rounds), plain(&rounds));
    fs::rename(&away, &gone).unwrap();
    assert_eq!(cached(&rounds), edited);
}

/// What commands show of standings: sets, their statistics, and the index of each track.
type Shown = (
    Vec<ComparisonSet>,
    Vec<Option<SetStatistics>>,
    Vec<(RoundId, &'static str, bool, Vec<String>)>,
);

fn shown(standings: &Standings) -> Shown {
    let sets = standings.comparison_sets.clone();
    let statistics = sets.iter().map(|set| standings.statistics(set)).collect();
    let tracks = [Track::Weekly, Track::Monthly].into_iter();
    let rows = tracks.flat_map(|track| standings.index(track));
    let row = |row: IndexRow<'_>| {
        let (id, state) = (row.round_id.clone(), row.stage.as_str());
        (id, state, row.latest, row.warnings)
    };
    (sets, statistics, rows.map(row).collect())
}

type Told = Result<(Shown, Publication), (Option<String>, Option<String>)>;

/// What a folder tells, or why it tells nothing.
fn told(rounds: &Path, keeping: Keeping) -> Told {
    let sets = standings(rounds, keeping);
    let whole = published(rounds, keeping);
    match (sets, whole) {
        (Ok(sets), Ok(whole)) => Ok((shown(&sets), whole)),
        (sets, whole) => Err((
            sets.err().map(|error| error.to_string()),
            whole.err().map(|error| error.to_string()),
        )),
    }
}

/// A new round, a round less, or any file of a round in any state: the cache never tells.
#[test]
fn every_change_of_a_round_invalidates_its_cached_facts() {
    let folder = archive();
    let rounds = folder.path().join("rounds");
    settle(&rounds);
    cached(&rounds);
    let mut random = Random::of(Digest::of(b"changes"), "fact cache");
    let mut made = ROUNDS;
    let (mut changed, mut refused) = (0, 0);
    for _ in 0..16 {
        let all: Vec<PathBuf> = files(&rounds)
            .into_iter()
            .filter(|path| path.to_string_lossy().contains("SYN-"))
            .collect();
        let path = &all[random.index(all.len())];
        let before = fs::read(path).unwrap();
        match random.index(4) {
            0 => {
                made += 1;
                let plan = BenchPlan {
                    rounds: made,
                    models: 3,
                    seed: 5,
                    track: None,
                };
                make(&rounds, plan, &|| ()).unwrap();
            }
            1 => {
                let names = fs::read_dir(&rounds).unwrap().map(|e| e.unwrap().path());
                let mut names: Vec<PathBuf> = names
                    .filter(|path| path.to_string_lossy().contains("SYN-"))
                    .collect();
                names.sort();
                fs::remove_dir_all(&names[random.index(names.len())]).unwrap();
            }
            2 => {
                let mut bytes = before.clone();
                let place = random.index(bytes.len());
                bytes[place] = if bytes[place] == b'1' { b'2' } else { b'1' };
                write_unnoticed(path, &bytes);
            }
            _ => fs::remove_file(path).unwrap(),
        }
        let fresh = told(&rounds, Keeping::Fresh);
        assert_eq!(told(&rounds, CACHED), fresh, "{}", path.display());
        changed += 1;
        if fresh.is_err() {
            refused += 1;
            fs::write(path, before).unwrap();
        }
    }
    assert!(changed > refused, "some changes still make a publication");
}

#[test]
fn a_damaged_foreign_or_missing_cache_changes_no_result() {
    let folder = archive();
    let rounds = folder.path().join("rounds");
    settle(&rounds);
    let expected = cached(&rounds);
    assert_eq!(expected, plain(&rounds));
    let cache = rounds.join(FOLDER);
    let mut random = Random::of(Digest::of(b"damage"), "fact cache");
    for _ in 0..12 {
        let all = files(&cache);
        let path = &all[random.index(all.len())];
        let mut bytes = fs::read(path).unwrap();
        match random.index(4) {
            0 => fs::remove_file(path).unwrap(),
            1 => fs::write(path, &bytes[..bytes.len() / 2]).unwrap(),
            2 if !bytes.is_empty() => {
                let place = random.index(bytes.len());
                bytes[place] ^= 1 << random.index(8);
                fs::write(path, bytes).unwrap();
            }
            // The facts of another round, whole and sealed, under this name.
            _ => drop(fs::copy(&all[random.index(all.len())], path).unwrap_or_default()),
        }
        assert_eq!(cached(&rounds), expected);
    }
    fs::remove_dir_all(&cache).unwrap();
    assert_eq!(cached(&rounds), expected);
}

/// Writes another figure into everything that is kept, under a secret.
fn poison(rounds: &Path, (from, to): (f64, f64), (open, seal): (CacheKey, CacheKey)) -> usize {
    let (from, to) = (from.to_le_bytes(), to.to_le_bytes());
    let mut poisoned = 0;
    for path in files(&rounds.join(FOLDER)) {
        let name = path.file_name().unwrap().to_str().unwrap();
        let sealed = fs::read(&path).unwrap();
        let Some(bytes) = open.open(name, &sealed) else {
            continue;
        };
        let mut bytes = bytes.to_vec();
        for place in 0..bytes.len().saturating_sub(8) {
            if bytes[place..place + 8] == from {
                bytes[place..place + 8].copy_from_slice(&to);
                poisoned += 1;
            }
        }
        fs::write(&path, seal.seal(name, bytes)).unwrap();
    }
    poisoned
}

#[test]
fn a_cache_sealed_with_another_key_is_ignored() {
    let folder = archive();
    let rounds = folder.path().join("rounds");
    settle(&rounds);
    let honest = both(&rounds, Keeping::Cached(FOREIGN));
    let resolved = honest.rounds.iter().find_map(|round| round.resolved());
    let figure = resolved.unwrap().models[0].scored.outcome.decision_return;
    let change = (figure.get(), figure.get() + 0.0455);
    assert!(poison(&rounds, change, (FOREIGN, FOREIGN)) > 0);
    // Whoever has the secret is shown what was put there, so the figures were the right ones.
    let poisoned = published(&rounds, Keeping::Cached(FOREIGN));
    assert_ne!(poisoned.ok(), Some(honest.clone()));
    assert_eq!(cached(&rounds), honest);
    // The same folder with entries of its own, poisoned by somebody who does not have the secret.
    assert!(poison(&rounds, change, (OWN, FOREIGN)) > 0);
    assert_eq!(cached(&rounds), honest);
}

#[test]
fn concurrent_readers_and_read_only_folders_get_the_same_publication() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = archive();
    let rounds = folder.path().join("rounds");
    let expected = plain(&rounds);
    fs::set_permissions(&rounds, fs::Permissions::from_mode(0o555)).unwrap();
    assert_eq!(cached(&rounds), expected);
    assert!(!rounds.join(".capitalbench").exists(), "left as it was");
    fs::set_permissions(&rounds, fs::Permissions::from_mode(0o755)).unwrap();
    settle(&rounds);
    thread::scope(|scope| {
        let both = [(); 2].map(|()| scope.spawn(|| cached(&rounds)));
        for one in both {
            assert_eq!(one.join().unwrap(), expected);
        }
    });
    assert_eq!(cached(&rounds), expected);
}
