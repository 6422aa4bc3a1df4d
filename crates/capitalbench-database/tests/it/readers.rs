//! What a reader can do to others: nothing that keeps a sync or a migration from going on.

use capitalbench_database::migrations::migrate;

use crate::round_trip::bring;
use crate::stage::{Stage, connect, fixtures, public};

/// Names that locks of a program like this could have.
const NAMES: [&str; 8] = [
    "capitalbench",
    "capitalbench_apply",
    "capitalbench_migrate",
    "capitalbench_state",
    "capitalbench_sync",
    "sync-web",
    "sync_events",
    "publication",
];

/// Holds every advisory lock that somebody could wait for, and every table it can name.
async fn hold(reader: &tokio_postgres::Client, role: &str) {
    reader
        .batch_execute(&format!("set role {role}; begin"))
        .await
        .unwrap();
    for name in NAMES {
        for key in [
            format!("hashtextextended('{name}', 0)"),
            format!("hashtext('{name}')::bigint"),
            format!("coalesce(to_regclass('public.{name}')::oid::bigint, 0)"),
        ] {
            let lock = format!(
                "select pg_advisory_lock_shared({key}), pg_advisory_xact_lock_shared({key})"
            );
            reader.batch_execute(&lock).await.unwrap();
        }
    }
    let small = "select pg_advisory_lock_shared(n) from generate_series(-1000, 1000) n";
    reader.batch_execute(small).await.unwrap();
    let tables = "select format('lock table %s in access share mode', c.oid::regclass) from pg_class c \
                  where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' \
                  and has_table_privilege(c.oid, 'select')";
    for row in reader.query(tables, &[]).await.unwrap() {
        reader.batch_execute(row.get(0)).await.unwrap();
    }
}

#[tokio::test]
async fn a_reader_that_holds_locks_does_not_block_publishing() {
    let Some(mut stage) = Stage::set().await else {
        return;
    };
    let mut readers = [connect(&stage.server).await, connect(&stage.server).await];
    hold(readers[0].client(), "anon").await;
    hold(readers[1].client(), "authenticated").await;
    let patience = "set statement_timeout = '20s'; set lock_timeout = '10s'";
    stage.owner().batch_execute(patience).await.unwrap();
    stage.become_role("service_role").await;
    let publication = public(&fixtures(), "2030-01-01");
    assert!(bring(&stage, &publication).await.counts.written > 0);
    stage.become_role("postgres").await;
    assert!(migrate(stage.owner()).await.unwrap().is_empty());
    // The tables that syncs and migrations wait at cannot even be looked at.
    for table in ["sync_events", "capitalbench_migrations"] {
        let mut other = connect(&stage.server).await;
        let lock = format!("set role anon; begin; lock table public.{table} in access share mode");
        let refused = other.client().batch_execute(&lock).await.unwrap_err();
        assert_eq!(refused.code().unwrap().code(), "42501", "{table}");
    }
}
