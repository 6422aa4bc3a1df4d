//! The signed log in the database: as it was published, sent once, and withheld with its rounds.

use std::sync::atomic::{AtomicUsize, Ordering};

use capitalbench_core::publication::{PublicRound, Publication};
use capitalbench_database::delta::Delta;
use capitalbench_database::direct::{DatabaseUrl, Direct};
use capitalbench_database::gateway::{Applied, FileLocation, Gateway, GatewayError, State};
use capitalbench_database::log_files::bundles;
use capitalbench_database::packing::Files;
use capitalbench_database::read::{StoredPublication, read};
use capitalbench_database::round_files::RoundFiles;
use capitalbench_database::sync::{REQUEST_BYTES, Scope, Synced, sync};
use serde_json::Value;

use crate::stage::{Stage, fixtures, public};

const WIDTH: u64 = 256;

/// The published files of a log of this size, as its site lays them out, and what it tells of rounds.
fn published(publication: &Publication, size: u64) -> Files {
    // Like digests, these cannot be pressed together.
    let leaf = |index: u64| {
        let mut seed = index.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (0..600).map(move |_| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            seed.to_be_bytes()[0]
        })
    };
    let leaves = |range: std::ops::Range<u64>| range.flat_map(leaf).collect::<Vec<u8>>();
    let mut files = Files::new();
    files.insert("log/checkpoint".into(), size.to_string().into_bytes());
    let last = size / WIDTH;
    for index in 0..last {
        let path = format!("log/tile/entries/{index:03}");
        files.insert(path, leaves(index * WIDTH..(index + 1) * WIDTH));
    }
    for width in 1..=size % WIDTH {
        let path = format!("log/tile/entries/{last:03}.p/{width}");
        files.insert(path, leaves(last * WIDTH..last * WIDTH + width));
    }
    for kept in 1..=size {
        files.insert(
            format!("log/checkpoints/{kept}"),
            kept.to_string().into_bytes(),
        );
    }
    for round in &publication.rounds {
        let id = round.id();
        files.insert(format!("rounds/{id}/log.json"), b"{}".to_vec());
        files.insert(format!("log/salts/{id}.json"), b"{}".to_vec());
    }
    files
}

/// Adds a log of this size to what is synced.
pub(crate) fn add_log(delta: &mut Delta<'_>, publication: &Publication, size: u64) {
    let resolved = |id: &_| {
        let round = publication.round(id);
        round.is_some_and(|round| round.resolved().is_some())
    };
    for files in bundles(published(publication, size), resolved).unwrap() {
        delta.add_log(files);
    }
}

/// A way to the database that counts the bytes that go there.
struct Scales<'a>(&'a Direct, AtomicUsize);

impl Gateway for Scales<'_> {
    async fn state(&self) -> Result<State, GatewayError> {
        self.0.state().await
    }

    async fn apply(&self, delta: &Value) -> Result<Applied, GatewayError> {
        self.1.fetch_add(delta.to_string().len(), Ordering::Relaxed);
        self.0.apply(delta).await
    }

    fn file_location(&self) -> FileLocation {
        self.0.file_location()
    }

    async fn upload(&self, files: &RoundFiles) -> Result<(), GatewayError> {
        self.0.upload(files).await
    }

    async fn discard(&self, objects: &[String]) -> Result<(), GatewayError> {
        self.0.discard(objects).await
    }
}

#[expect(
    clippy::unnecessary_wraps,
    reason = "files of a round may be unreadable"
)]
fn one_file(_: &PublicRound) -> Result<Files, String> {
    Ok([("a.txt".to_owned(), b"a".to_vec())].into())
}

/// Everything that is public, with the files of rounds and no log.
fn unsigned(publication: &Publication) -> Delta<'_> {
    Delta::of(publication).unwrap().with_files(&one_file)
}

/// The same with a log of this size.
fn delta(publication: &Publication, size: u64) -> Delta<'_> {
    let mut delta = unsigned(publication);
    add_log(&mut delta, publication, size);
    delta
}

async fn bring(stage: &Stage, delta: &Delta<'_>, scope: &Scope) -> (Synced, usize) {
    let scales = Scales(&stage.gateway, AtomicUsize::new(0));
    let synced = sync(&scales, delta, scope, REQUEST_BYTES, &|_, _| ()).await;
    (synced.unwrap(), scales.1.into_inner())
}

async fn read_back(stage: &Stage, before: Option<&StoredPublication>) -> StoredPublication {
    let url = DatabaseUrl::new(stage.server.url()).expect("an address");
    let public = Direct::connect_as_public(&url).await.unwrap();
    read(&public, before).await.unwrap()
}

fn files_of(record: &StoredPublication) -> Files {
    let files = record.log_files();
    files
        .map(|(path, bytes)| (path.clone(), bytes.clone()))
        .collect()
}

#[tokio::test]
async fn one_more_leaf_sends_little_of_the_log() {
    let Some(stage) = Stage::set().await else {
        return;
    };
    let publication = public(&fixtures(), "2030-01-01");
    let (first, whole) = bring(&stage, &delta(&publication, 2000), &Scope::Whole).await;
    assert!(whole > 1_500_000, "{whole}");
    assert!(first.requests <= 2 + whole / (1 << 20), "{first:?}");
    let mut record = read_back(&stage, None).await;
    assert_eq!(files_of(&record), published(&publication, 2000));
    let (again, bytes) = bring(&stage, &delta(&publication, 2000), &Scope::Whole).await;
    assert_eq!((again.requests, again.counts.written, bytes), (1, 0, 0));
    // Over the edge of a tile, and with the scope of one round, which is what a step of it sends.
    let one = Scope::Round(publication.rounds[0].id().clone());
    for (size, scope) in [(2001, &one), (2048, &Scope::Whole), (2049, &one)] {
        let (synced, bytes) = bring(&stage, &delta(&publication, size), scope).await;
        assert!(synced.counts.written <= 4, "{size}: {synced:?}");
        assert!(bytes < 300_000, "{size}: {bytes}");
        let next = read_back(&stage, Some(&record)).await;
        assert_eq!(files_of(&next), published(&publication, size), "{size}");
        record = next;
    }
    // A log that may not be shown any more goes away whole.
    bring(&stage, &unsigned(&publication), &Scope::Whole).await;
    assert!(read_back(&stage, None).await.log.is_empty());
    bring(&stage, &delta(&publication, 300), &Scope::Whole).await;
    let found = files_of(&read_back(&stage, None).await);
    assert_eq!(found, published(&publication, 300));
}

#[tokio::test]
async fn a_withheld_round_takes_its_part_of_the_log_along() {
    let Some(mut stage) = Stage::set().await else {
        return;
    };
    let publication = public(&fixtures(), "2030-01-01");
    bring(&stage, &delta(&publication, 5), &Scope::Whole).await;
    let hidden = publication.rounds[0].id().clone();
    let hide = format!("update public.rounds set published = false where round_id = '{hidden}'");
    stage.owner().batch_execute(&hide).await.unwrap();
    let found = files_of(&read_back(&stage, None).await);
    let mut expected = published(&publication, 5);
    expected.retain(|path, _| !path.contains(hidden.as_str()));
    assert_eq!(found, expected);
    // No row may pass off what belongs to a round as part of the tree.
    for wrong in [
        "update public.log_files set round_id = null where round_id is not null",
        "update public.log_files set holds_results = true where round_id is null",
    ] {
        let refused = stage.owner().batch_execute(wrong).await.unwrap_err();
        assert_eq!(refused.code().unwrap().code(), "23514", "{wrong}");
    }
}
