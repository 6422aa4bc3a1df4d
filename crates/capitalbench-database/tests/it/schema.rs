//! The tables are those of the export, and no table or function is forgotten anywhere.

use std::collections::{BTreeMap, BTreeSet};

use capitalbench_database::check::{FUNCTIONS, PUBLIC_TABLES, SERVICE_TABLES, check};
use capitalbench_database::gateway::Gateway as _;
use capitalbench_database::migrations::{MigrateError, NEEDED, migrate};
use capitalbench_export::table::{Kind, Presence};
use capitalbench_export::tables::in_database;

use crate::round_trip::bring;
use crate::stage::{Stage, connect, fixtures, public};

/// Columns of a table that the export has not.
const OURS: [&str; 7] = [
    "part",
    "content_sha256",
    "content_holds",
    "is_synthetic",
    "published",
    "entrant_id",
    "universe_key",
];

#[tokio::test]
async fn columns_are_those_of_the_export() {
    let Some(mut stage) = Stage::set().await else {
        return;
    };
    let columns = "select table_name::text, column_name::text, data_type::text, is_nullable::text \
                   from information_schema.columns where table_schema = 'public' order by ordinal_position";
    let mut found: BTreeMap<String, Vec<(String, String, bool)>> = BTreeMap::new();
    for row in stage.owner().query(columns, &[]).await.unwrap() {
        let (table, name): (String, String) = (row.get(0), row.get(1));
        let nullable = row.get::<_, String>(3) == "YES";
        let column = (name, row.get(2), nullable);
        found.entry(table).or_default().push(column);
    }
    for table in in_database() {
        let stored = found
            .get(table.name)
            .unwrap_or_else(|| panic!("no table {}", table.name));
        let has = |name: &str| table.columns.iter().any(|column| column.name == name);
        let stored = stored
            .iter()
            .filter(|(name, ..)| has(name) || !OURS.contains(&name.as_str()));
        let stored: Vec<_> = stored.cloned().collect();
        let described = table.columns.iter().map(|column| {
            let kind = match column.kind {
                Kind::Text => "text",
                Kind::Integer => "bigint",
                Kind::Real => "double precision",
                Kind::Flag => "boolean",
                Kind::Day => "date",
                Kind::Instant => "timestamp with time zone",
            };
            let nullable = column.presence == Presence::Maybe;
            (column.name.to_owned(), kind.to_owned(), nullable)
        });
        assert_eq!(stored, described.collect::<Vec<_>>(), "{}", table.name);
    }
    let known: BTreeSet<&str> = PUBLIC_TABLES
        .iter()
        .chain(SERVICE_TABLES)
        .copied()
        .collect();
    let there: BTreeSet<&str> = found.keys().map(String::as_str).collect();
    assert_eq!(there, known, "tables that `db check` does not know");
    let names =
        "select distinct proname::text from pg_proc where pronamespace = 'public'::regnamespace";
    let names = stage.owner().query(names, &[]).await.unwrap();
    let names: BTreeSet<String> = names.iter().map(|row| row.get(0)).collect();
    let known: BTreeSet<String> = FUNCTIONS.iter().map(|name| (*name).to_owned()).collect();
    assert_eq!(names, known, "functions that `db check` does not know");
}

#[tokio::test]
async fn a_database_is_migrated_once_and_never_backwards() {
    let Some(mut stage) = Stage::set().await else {
        return;
    };
    let mut other = connect(&stage.server).await;
    let (one, two) = tokio::join!(migrate(stage.owner()), migrate(other.client()));
    assert!(one.unwrap().is_empty() && two.unwrap().is_empty());
    let newer = "insert into public.capitalbench_migrations values (999, 'later', '')";
    stage.owner().batch_execute(newer).await.unwrap();
    let refused = migrate(stage.owner()).await.unwrap_err();
    assert!(matches!(refused, MigrateError::Ahead(_)), "{refused}");
    let changed = "delete from public.capitalbench_migrations where version = 999; \
                   update public.capitalbench_migrations set sha256 = 'x' where version = 3";
    stage.owner().batch_execute(changed).await.unwrap();
    let refused = migrate(stage.owner()).await.unwrap_err();
    assert!(matches!(refused, MigrateError::Changed { .. }), "{refused}");
}

#[tokio::test]
async fn an_option_outside_the_universe_of_the_round_is_refused() {
    let Some(mut stage) = Stage::set().await else {
        return;
    };
    bring(&stage, &public(&fixtures(), "2030-01-01")).await;
    for table in ["holdings", "prices", "option_returns"] {
        let one =
            format!("from public.{table} t where t.ctid = (select min(ctid) from public.{table})");
        let there = stage.count(&format!("select count(*) {one}")).await;
        assert_eq!(there, 1, "the fixtures have a row of {table}");
        for wrong in [
            "option_id = 'unknown'",
            "universe_key = 'unknown'",
            // One that exists, but not of this round.
            "universe_key = (select max(u.universe_key) from public.universes u \
             where u.universe_key <> t.universe_key)",
        ] {
            let update = format!(
                "update public.{table} t set {wrong} \
                 where t.ctid = (select min(ctid) from public.{table})"
            );
            let refused = stage.owner().batch_execute(&update).await;
            let refused = refused.expect_err(&update);
            let code = refused.code().expect("a code").code();
            assert!(["23502", "23503"].contains(&code), "{update}: {refused}");
        }
    }
}

/// A database of the release before learns the universes of its rows, and the next sync is whole.
#[tokio::test]
async fn existing_rows_get_their_universe() {
    let Some(mut stage) = Stage::set().await else {
        return;
    };
    let publication = public(&fixtures(), "2030-01-01");
    bring(&stage, &publication).await;
    let back = "delete from public.capitalbench_migrations where version >= 11; \
                alter table public.holdings drop column universe_key cascade; \
                alter table public.control_holdings drop column universe_key cascade; \
                alter table public.prices drop column universe_key cascade; \
                alter table public.option_returns drop column universe_key cascade; \
                alter table public.rounds drop constraint rounds_universe";
    stage.owner().batch_execute(back).await.unwrap();
    let applied = migrate(stage.owner()).await.unwrap();
    assert_eq!(applied.first(), Some(&"0011_option_keys"));
    assert_eq!(bring(&stage, &publication).await.counts.written, 0);
    let report = check(stage.owner()).await.unwrap();
    assert_eq!(report.findings, []);
}

/// `PostgREST` reads the settings of a function and puts them in force before it calls the function.
#[tokio::test]
async fn a_sync_has_a_time_limit_of_its_own_instead_of_that_of_its_role() {
    let Some(mut stage) = Stage::set().await else {
        return;
    };
    bring(&stage, &public(&fixtures(), "2030-01-01")).await;
    let settings = "select p.proname::text, s from pg_proc p, unnest(p.proconfig) s \
                    where p.pronamespace = 'public'::regnamespace and s like 'statement_timeout=%' \
                    order by 1";
    let settings = stage.owner().query(settings, &[]).await.unwrap();
    let settings: Vec<(String, String)> = settings.iter().map(|r| (r.get(0), r.get(1))).collect();
    let expected = [
        ("capitalbench_apply", "statement_timeout=100s"),
        ("capitalbench_state", "statement_timeout=60s"),
    ];
    assert_eq!(
        settings,
        expected.map(|(name, setting)| (name.to_owned(), setting.to_owned()))
    );
    // A limit that no state can keep stands for the eight seconds of a hosted project.
    let mut hasty = connect(&stage.server).await;
    let limit = "set statement_timeout = '1ms'";
    hasty.client().batch_execute(limit).await.unwrap();
    let refused = hasty.state().await.expect_err("no time at all");
    let text = refused.to_string();
    assert!(
        text.starts_with("the database ended a statement at its time limit: ")
            && text.ends_with("(57014)"),
        "{text}"
    );
    let remedy = refused.remedy();
    assert!(remedy.contains("db migrate"), "{remedy}");
    let (_, own) = settings[1].1.split_once('=').unwrap();
    let hoisted = format!("reset statement_timeout; set statement_timeout = '{own}'");
    hasty.client().batch_execute(&hoisted).await.unwrap();
    let read = hasty.state().await.expect("time enough");
    assert_eq!(read.schema_version, Some(NEEDED));
}
