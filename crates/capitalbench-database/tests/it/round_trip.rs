//! What is synced is what is read back, field by field, and a second time nothing is written.

use capitalbench_core::decision::entering::admission::Place;
use capitalbench_core::decision::entering::names::{EntrantKind, EntrantName};
use capitalbench_core::publication::entrants::{EntryLane, EntryState, PublicEntry, figures};
use capitalbench_core::publication::{Publication, RoundState};
use capitalbench_database::delta::Delta;
use capitalbench_database::documents;
use capitalbench_database::sync::{REQUEST_BYTES, Scope, Synced, sync};

use crate::log::add_log;
use crate::stage::{Stage, archive, fixtures, public};

pub(crate) async fn bring(stage: &Stage, publication: &Publication) -> Synced {
    let mut delta = Delta::of(publication).expect("every figure can be stored");
    add_log(&mut delta, publication, 1);
    let synced = sync(
        &stage.gateway,
        &delta,
        &Scope::Whole,
        REQUEST_BYTES,
        &|_, _| (),
    )
    .await;
    synced.unwrap_or_else(|error| panic!("{error}"))
}

/// Rows that were ever written, as the server counts them.
const WRITES: &str = "select coalesce(sum(n_tup_ins + n_tup_upd + n_tup_del), 0)::bigint \
                      from pg_stat_user_tables";

async fn writes(stage: &mut Stage) -> i64 {
    let flush = "select pg_stat_force_next_flush()";
    stage.owner().batch_execute(flush).await.expect("counters");
    stage.count(WRITES).await
}

async fn comes_back(stage: &mut Stage, expected: &Publication) {
    for role in ["anon", "authenticated", "service_role"] {
        let (header, found) = stage.read_as(role).await;
        let found = documents::publication(&header, &found);
        let found = found.unwrap_or_else(|error| panic!("{role}: {error}"));
        assert!(found == *expected, "{role} reads another publication");
        assert_eq!(format!("{found:?}"), format!("{expected:?}"), "{role}");
    }
}

#[tokio::test]
async fn fixtures_come_back() {
    let Some(mut stage) = Stage::set().await else {
        return;
    };
    // Before any result, between results, after all: each over what was there before.
    for day in [
        "2026-02-10",
        "2026-03-05",
        "2026-03-20",
        "2026-03-05",
        "2030-01-01",
    ] {
        let mut publication = public(&fixtures(), day);
        let synced = bring(&stage, &publication).await;
        if synced.counts.written == 0 {
            // Only time has passed: the record is still that of the day of its last change.
            publication.as_of = stage.read_as("anon").await.0.as_of;
        }
        comes_back(&mut stage, &publication).await;
    }
}

#[tokio::test]
async fn entries_from_outside_come_back_with_their_league() {
    let Some(mut stage) = Stage::set().await else {
        return;
    };
    let mut publication = public(&fixtures(), "2030-01-01");
    let resolved = publication.rounds.iter();
    let entries = resolved.filter(|round| round.resolved().is_some());
    let entries = entries.zip(0..).map(|(round, leaf)| {
        let state = EntryState::Unopened;
        PublicEntry {
            round_id: round.id().clone(),
            track: round.track.expect("a track"),
            entrant: EntrantName::parse("ada").expect("a name"),
            name: "Ada Lovelace".to_owned(),
            kind: EntrantKind::Person,
            key: "ada".to_owned(),
            keys: 1,
            lane: EntryLane::Sealed,
            sealed: Place {
                leaf,
                at: publication.as_of,
            },
            figures: figures(round, &state).expect("figures"),
            state,
        }
    });
    publication.entries = entries.collect();
    publication.league = Some("league.example".to_owned());
    assert!(publication.entries.iter().all(|own| own.figures.is_some()));
    assert!(publication.entries.len() > 1);
    bring(&stage, &publication).await;
    comes_back(&mut stage, &publication).await;
}

#[tokio::test]
async fn the_archive_comes_back_and_is_written_once() {
    let (Some(rounds), Some(mut stage)) = (archive(), Stage::set().await) else {
        return;
    };
    let publication = public(&rounds, "2026-08-21");
    let open = publication.rounds.iter();
    let open = open.filter(|round| matches!(round.state, RoundState::Open(_)));
    assert!(open.count() > 0, "the archive has open rounds on that day");
    let first = bring(&stage, &publication).await;
    assert!(first.requests <= publication.rounds.len() + 3, "{first:?}");
    assert!(first.counts.written > 10_000, "{first:?}");
    comes_back(&mut stage, &publication).await;

    let before = writes(&mut stage).await;
    let again = bring(&stage, &publication).await;
    assert_eq!((again.requests, again.counts.written), (1, 0));
    assert_eq!(
        writes(&mut stage).await,
        before,
        "nothing changed, yet rows were written"
    );
    let events = stage.count("select count(*) from public.sync_events").await;
    assert_eq!(events, i64::try_from(first.requests).unwrap() - 1);
}
