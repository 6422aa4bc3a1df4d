//! Syncs that are cut off anywhere, and syncs at the same time.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use capitalbench_core::publication::Publication;
use capitalbench_database::delta::Delta;
use capitalbench_database::direct::Direct;
use capitalbench_database::documents;
use capitalbench_database::gateway::{Applied, FileLocation, Gateway, GatewayError, State};
use capitalbench_database::round_files::RoundFiles;
use capitalbench_database::sync::{Scope, SyncError, Synced, sync};

use serde_json::Value;

use crate::log::add_log;
use crate::stage::{Stage, connect, fixtures, public};

const WHOLE: &Scope = &Scope::Whole;

async fn cut_off(stage: &mut Stage, delta: &Delta<'static>, after: Duration) -> Option<Synced> {
    let mut other = connect(&stage.server).await;
    let pid: i32 = other
        .client()
        .query_one("select pg_backend_pid()", &[])
        .await
        .unwrap()
        .get(0);
    let delta = delta.clone();
    let running = tokio::spawn(async move { sync(&other, &delta, WHOLE, 1, &|_, _| ()).await });
    tokio::time::sleep(after).await;
    let kill = format!("select pg_terminate_backend({pid})");
    stage.owner().query_one(&kill, &[]).await.unwrap();
    match running.await.expect("the task ends") {
        Ok(synced) => Some(synced),
        Err(SyncError::Gateway(GatewayError::Unreachable(_) | GatewayError::Refused { .. })) => {
            None
        }
        Err(error) => panic!("{error}"),
    }
}

fn digest(delta: &Delta<'_>, name: &str) -> Option<String> {
    delta.part(name).unwrap().map(|part| part.digest())
}

async fn equals(stage: &mut Stage, publication: &Publication, delta: &Delta<'_>) {
    let there = stage.gateway.state().await.unwrap();
    let expected = delta
        .names()
        .map(|name| (name.to_owned(), digest(delta, name).unwrap()));
    assert_eq!(there.parts, expected.collect());
    let (header, found) = stage.read_as("anon").await;
    let found = documents::publication(&header, &found).unwrap();
    assert_eq!(found, *publication);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hundred_kills_and_the_database_equals_the_folder() {
    let Some(mut stage) = Stage::set().await else {
        return;
    };
    let days = ["2026-02-10", "2026-03-05", "2030-01-01"];
    // Tasks that are cut off outlive what they borrow.
    let publications = days.map(|day| &*Box::leak(Box::new(public(&fixtures(), day))));
    let mut deltas = publications.map(|found| Delta::of(found).unwrap());
    // Two tiles, then fewer, then more, so that parts of the log come and go as well.
    for (place, size) in [257, 3, 300].into_iter().enumerate() {
        add_log(&mut deltas[place], publications[place], size);
    }
    let (mut cut, mut seed) = (0, 17_u64);
    let mut round = 0;
    while cut < 100 {
        assert!(round < 2000, "syncs end before they can be cut off");
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let after = Duration::from_micros((seed >> 33) % 60_000);
        let delta = &deltas[round % deltas.len()];
        if cut_off(&mut stage, delta, after).await.is_none() {
            cut += 1;
        }
        // Every part is one of the publications' or not there: none is half.
        let found = stage.gateway.state().await.unwrap();
        for (name, digest) in &found.parts {
            let whole = name == "catalog"
                || deltas
                    .iter()
                    .any(|d| self::digest(d, name).as_ref() == Some(digest));
            assert!(whole, "{name} is half of something");
        }
        round += 1;
    }
    for (publication, delta) in publications.iter().zip(&deltas) {
        sync(&stage.gateway, delta, WHOLE, 1, &|_, _| ())
            .await
            .unwrap();
        equals(&mut stage, publication, delta).await;
    }
}

/// What is public on a day with an open round, and when all is over.
fn two_days() -> [Publication; 2] {
    ["2026-03-05", "2030-01-01"].map(|day| public(&fixtures(), day))
}

#[tokio::test(flavor = "multi_thread")]
async fn two_at_once_end_alike() {
    let Some(mut stage) = Stage::set().await else {
        return;
    };
    let publications = two_days();
    let deltas = publications
        .each_ref()
        .map(|found| Delta::of(found).unwrap());
    for turn in 0..10 {
        let one = connect(&stage.server).await;
        let two = connect(&stage.server).await;
        let now = turn % 2;
        let same = &deltas[now];
        let bytes = if turn < 5 { 1 } else { 1 << 22 };
        let (first, second) = tokio::join!(
            sync(&one, same, WHOLE, bytes, &|_, _| ()),
            sync(&two, same, WHOLE, bytes, &|_, _| ()),
        );
        first.unwrap();
        second.unwrap();
        equals(&mut stage, &publications[now], same).await;
    }
}

/// A way to the database on which another sync is quicker, once.
struct Slow<'a> {
    own: Direct,
    other: Direct,
    quicker: &'a Delta<'a>,
    overtaken: AtomicBool,
}

impl Gateway for Slow<'_> {
    async fn state(&self) -> Result<State, GatewayError> {
        self.own.state().await
    }

    async fn apply(&self, delta: &Value) -> Result<Applied, GatewayError> {
        if !self.overtaken.swap(true, Ordering::Relaxed) {
            let done = sync(&self.other, self.quicker, WHOLE, 1, &|_, _| ()).await;
            done.expect("the other sync ends");
        }
        self.own.apply(delta).await
    }

    fn file_location(&self) -> FileLocation {
        self.own.file_location()
    }

    async fn upload(&self, files: &RoundFiles) -> Result<(), GatewayError> {
        self.own.upload(files).await
    }

    async fn discard(&self, objects: &[String]) -> Result<(), GatewayError> {
        self.own.discard(objects).await
    }
}

#[tokio::test]
async fn a_sync_that_was_overtaken_looks_again_and_leaves_nothing_of_the_other() {
    let Some(mut stage) = Stage::set().await else {
        return;
    };
    let publications = two_days();
    let deltas = publications
        .each_ref()
        .map(|found| Delta::of(found).unwrap());
    for (now, other) in [(0, 1), (1, 0), (0, 1)] {
        let slow = Slow {
            own: connect(&stage.server).await,
            other: connect(&stage.server).await,
            quicker: &deltas[other],
            overtaken: AtomicBool::new(false),
        };
        let synced = sync(&slow, &deltas[now], WHOLE, 1, &|_, _| ()).await;
        synced.unwrap();
        equals(&mut stage, &publications[now], &deltas[now]).await;
    }
}

#[tokio::test]
async fn a_round_alone_brings_what_it_needs() {
    let Some(mut stage) = Stage::set().await else {
        return;
    };
    let publication = public(&fixtures(), "2030-01-01");
    let delta = Delta::of(&publication).unwrap();
    let id = publication.rounds[0].id().clone();
    let synced = sync(&stage.gateway, &delta, &Scope::Round(id), 1, &|_, _| ())
        .await
        .unwrap();
    assert!(synced.requests <= 3, "{synced:?}");
    assert_eq!(stage.count("select count(*) from public.rounds").await, 1);
    assert_eq!(
        stage.count("select count(*) from public.cumulative").await,
        0
    );
    // A row that went missing is noticed and comes back.
    sync(&stage.gateway, &delta, WHOLE, 1, &|_, _| ())
        .await
        .unwrap();
    stage
        .owner()
        .batch_execute("delete from public.option_returns where rank = 1")
        .await
        .unwrap();
    let synced = sync(&stage.gateway, &delta, WHOLE, 1, &|_, _| ())
        .await
        .unwrap();
    assert_eq!(synced.counts.written, 2, "{synced:?}");
    equals(&mut stage, &publication, &delta).await;
}
