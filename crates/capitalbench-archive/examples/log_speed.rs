//! How the log grows: `log_speed grow FOLDER LEAVES` and `log_speed check FOLDER`, a line of JSON each.
//!
//! `grow` makes a log of so many invented events, or lets one grow to it, and then measures single
//! appends and the tiles that a proof reads. `check` goes through the whole log once.

use std::collections::BTreeMap;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::time::Instant as Watch;

use capitalbench_archive::disk::file_ops;
use capitalbench_archive::disk::layout;
use capitalbench_archive::log::check::check;
use capitalbench_archive::log::{LogFolder, LogKey};
use capitalbench_proof::event::{Event, Fact, Instant};
use capitalbench_proof::merkle;

/// Leaves of one batch; a whole bundle is filled one by one, because cost follows its fill.
const BATCH: u64 = 2048;
const SINGLE: u64 = 256;

fn event(number: u64) -> Option<Event> {
    Some(Event {
        round: format!("round-{}", number / 512),
        at: Instant::parse("2026-01-02T12:00:00Z")?,
        fact: Fact::Claim {
            statement: format!("statement {number}"),
            files: BTreeMap::from([("file".to_owned(), merkle::leaf_hash(&number.to_be_bytes()))]),
        },
    })
}

fn key(log: &LogFolder, folder: &Path) -> Result<LogKey, Box<dyn Error>> {
    let file = folder.join(layout::LOG_KEY);
    match LogKey::load(&file)? {
        Some(key) => Ok(key),
        None => Ok(LogKey::create(log, &file, "bench.example", &[1; 32])?),
    }
}

fn grow(folder: &Path, leaves: u64) -> Result<String, Box<dyn Error>> {
    file_ops::stop_flushing();
    file_ops::create_folder(folder)?;
    let log = LogFolder::of_rounds(folder);
    let key = key(&log, folder)?;
    let mut size = log.checkpoint()?.map_or(0, |signed| signed.checkpoint.size);
    let begun = Watch::now();
    let from = size;
    while size < leaves {
        let next = (size + BATCH).min(leaves);
        let events: Vec<Event> = (size..next).filter_map(event).collect();
        size = log.append(&key, &events)?.size;
    }
    let bulk = begun.elapsed().as_secs_f64();
    let begun = Watch::now();
    for _ in 0..SINGLE {
        let events: Vec<Event> = event(size).into_iter().collect();
        size = log.append(&key, &events)?.size;
    }
    let single = begun.elapsed().as_secs_f64() / f64::from(u32::try_from(SINGLE)?);
    let signed = log.checkpoint()?.ok_or("nothing was appended")?;
    let begun = Watch::now();
    let mut hashes = 0;
    let mut tiles = 0;
    for step in 0..SINGLE {
        let index = size / SINGLE * step;
        let proof = log.prove(index, &signed)?.ok_or("no such leaf")?;
        hashes = hashes.max(proof.path.len());
        let reader = log.reader(size);
        merkle::prove_inclusion(&reader, index, size)?;
        tiles = tiles.max(reader.tiles_read());
    }
    let prove = begun.elapsed().as_secs_f64() / f64::from(u32::try_from(2 * SINGLE)?);
    Ok(format!(
        "{{\"leaves\": {size}, \"made\": {}, \"bulk_seconds\": {bulk:.3}, \
         \"append_ms\": {:.3}, \"prove_ms\": {:.3}, \"hashes\": {hashes}, \"tiles\": {tiles}}}",
        size - from,
        1e3 * single,
        1e3 * prove
    ))
}

fn whole(folder: &Path) -> Result<String, Box<dyn Error>> {
    let begun = Watch::now();
    let mut events = 0_u64;
    let found = check(&LogFolder::of_rounds(folder), &mut |_, _| events += 1)?;
    let seconds = begun.elapsed().as_secs_f64();
    Ok(format!(
        "{{\"leaves\": {events}, \"holds\": {}, \"seconds\": {seconds:.3}, \"peak_kb\": {}}}",
        found.holds(),
        peak_kilobytes()?
    ))
}

/// The most memory that this process ever held, as the kernel tells.
fn peak_kilobytes() -> Result<u64, Box<dyn Error>> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let number = line.and_then(|line| line.split_whitespace().next());
    Ok(number.ok_or("the kernel tells no peak memory")?.parse()?)
}

#[expect(clippy::print_stdout, reason = "the figures are the output")]
fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let line = match words[..] {
        ["grow", folder, leaves] => grow(&PathBuf::from(folder), leaves.parse()?)?,
        ["check", folder] => whole(&PathBuf::from(folder))?,
        _ => return Err("use: log_speed grow FOLDER LEAVES | log_speed check FOLDER".into()),
    };
    println!("{line}");
    Ok(())
}
