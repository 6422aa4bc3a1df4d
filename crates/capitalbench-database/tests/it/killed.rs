//! Syncs that are cut off at any row that they write, and syncs at the same time.

use std::sync::atomic::{AtomicBool, Ordering};

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

/// How many syncs are cut off, at rows spread over everything that they write.
const CUT_OFF: usize = 9;

/// Every change of a row in the public tables is counted, and the connection that makes the change
/// with the number in `cut_at` ends right there.
const CUTS: &str = "
create table public.cut_at (number bigint);
insert into public.cut_at values (0);
create sequence public.changes;
create function public.cut() returns trigger language plpgsql security definer as $$
begin
  if nextval('public.changes') = (select number from public.cut_at) then
    perform pg_terminate_backend(pg_backend_pid());
  end if;
  return null;
end $$;
do $$ declare name text; begin
  for name in select tablename from pg_tables where schemaname = 'public' and tablename <> 'cut_at' loop
    execute format('create trigger cut after insert or update or delete on public.%I
      for each row execute function public.cut()', name);
  end loop;
end $$;";

/// A sync whose connection ends at the change of a row with this number.
async fn cut_off(stage: &mut Stage, delta: &Delta<'_>, number: u64) -> Option<Synced> {
    let set = format!(
        "update public.cut_at set number = {number}; alter sequence public.changes restart"
    );
    stage.owner().batch_execute(&set).await.unwrap();
    let other = connect(&stage.server).await;
    match sync(&other, delta, WHOLE, 1, &|_, _| ()).await {
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
async fn a_sync_repairs_what_cut_off_syncs_left() {
    let Some(mut stage) = Stage::set().await else {
        return;
    };
    stage.owner().batch_execute(CUTS).await.unwrap();
    let days = ["2026-02-10", "2026-03-05", "2030-01-01"];
    let publications = days.map(|day| public(&fixtures(), day));
    let mut deltas = publications
        .each_ref()
        .map(|found| Delta::of(found).unwrap());
    // Two tiles, then fewer, then more, so that parts of the log come and go as well.
    for (place, size) in [257, 3, 300].into_iter().enumerate() {
        add_log(&mut deltas[place], &publications[place], size);
    }
    // How many rows a sync changes that comes from the publication before.
    let mut changes = Vec::new();
    for delta in deltas.iter().chain(&deltas[..1]) {
        assert!(cut_off(&mut stage, delta, 0).await.is_some());
        let count = stage.count("select last_value from public.changes").await;
        changes.push(u64::try_from(count).unwrap());
    }
    changes.swap_remove(0);
    let (mut cut, mut seed) = (0, 17_u64);
    let mut round = 0_usize;
    while cut < CUT_OFF {
        assert!(
            round < 300,
            "syncs end before they can be cut off: {changes:?}"
        );
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let number = 1 + (seed >> 33) % changes[round % deltas.len()];
        let delta = &deltas[round % deltas.len()];
        if cut_off(&mut stage, delta, number).await.is_none() {
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
    let never = "update public.cut_at set number = 0";
    stage.owner().batch_execute(never).await.unwrap();
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
async fn concurrent_syncs_converge() {
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
async fn an_overtaken_sync_looks_again_and_replaces_the_other() {
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
async fn syncing_one_round_brings_the_rows_it_refers_to() {
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
