//! Who may do what, table by table and function by function, from the catalog.

use capitalbench_database::check::{PUBLIC_TABLES, SERVICE_TABLES};

use crate::round_trip::bring;
use crate::stage::{Stage, fixtures, public};

const DENIED: &str = "42501";

/// What a statement came to under a role: a count of rows, or the code of the refusal.
async fn attempt(stage: &mut Stage, role: &str, statement: &str) -> Result<usize, String> {
    let transaction = stage.owner().transaction().await.expect("a transaction");
    let claims = format!("{{\"role\":\"{role}\"}}");
    let become_role =
        format!("set local role {role}; select set_config('request.jwt.claims', '{claims}', true)");
    transaction
        .batch_execute(&become_role)
        .await
        .expect("the role is there");
    let tried = transaction.query(statement, &[]).await;
    tried.map(|rows| rows.len()).map_err(|error| {
        let code = error.code().map(tokio_postgres::error::SqlState::code);
        code.unwrap_or("no answer").to_owned()
    })
}

#[tokio::test]
async fn the_public_reads_named_tables_and_does_nothing_else() {
    let Some(mut stage) = Stage::set().await else {
        return;
    };
    bring(&stage, &public(&fixtures(), "2030-01-01")).await;
    let key = "select a.attname::text from pg_index i join pg_attribute a \
               on a.attrelid = i.indrelid and a.attnum = i.indkey[0] \
               where i.indisprimary and i.indrelid = $1::text::regclass";
    let denied = Err(DENIED.to_owned());
    for table in PUBLIC_TABLES.iter().chain(SERVICE_TABLES) {
        let row = stage
            .owner()
            .query_one(key, &[&format!("public.{table}")])
            .await;
        let key: String = row.expect("every table has a key").get(0);
        for role in ["anon", "authenticated"] {
            for statement in [
                format!("truncate public.{table} cascade"),
                format!("delete from public.{table}"),
                format!("update public.{table} set {key} = {key}"),
                format!("insert into public.{table} select where false"),
                format!(
                    "create trigger t before insert on public.{table} execute function suppress_redundant_updates_trigger()"
                ),
                format!("alter table public.{table} disable row level security"),
            ] {
                let came = attempt(&mut stage, role, &statement).await;
                assert_eq!(came, denied, "{role}: {statement}");
            }
            let select = format!("select * from public.{table}");
            let seen = attempt(&mut stage, role, &select).await;
            if SERVICE_TABLES.contains(table) {
                assert_eq!(seen, denied, "{role}: {select}");
            } else {
                let all = stage
                    .count(&format!("select count(*) from public.{table}"))
                    .await;
                // Nothing of the fixtures is withheld by rights: they differ by rows only.
                assert!(
                    seen.is_ok_and(|seen| all == 0 || seen > 0),
                    "{role}: {select}"
                );
            }
        }
        let truncate = format!("truncate public.{table} cascade");
        assert_eq!(
            attempt(&mut stage, "service_role", &truncate).await,
            denied,
            "{table}"
        );
        let select = format!("select * from public.{table}");
        assert!(
            attempt(&mut stage, "service_role", &select).await.is_ok(),
            "{table}"
        );
    }
}

#[tokio::test]
async fn functions_are_for_the_service() {
    let Some(mut stage) = Stage::set().await else {
        return;
    };
    let job = "select public.capitalbench_schedule_job('r', 'run', now() - interval '1 day')";
    stage.owner().query_one(job, &[]).await.unwrap();
    // Every function of the schema, called with nothing: whoever may call it gets past the refusal.
    let calls = "select format('select public.%I(%s)', p.proname, (select string_agg('null::' || \
                 format_type(t, null), ', ') from unnest(p.proargtypes) t)) from pg_proc p \
                 where p.pronamespace = 'public'::regnamespace";
    let calls = stage.owner().query(calls, &[]).await.unwrap();
    let mut calls: Vec<String> = calls.iter().map(|row| row.get(0)).collect();
    assert!(calls.len() >= 9);
    calls.push("select public.capitalbench_claim_job('thief', 60)".into());
    calls.push("select public.capitalbench_apply('{\"format\":1,\"parts\":[]}')".into());
    calls.push("select nextval('public.sync_events_id_seq')".into());
    for call in &calls {
        for role in ["anon", "authenticated"] {
            let came = attempt(&mut stage, role, call).await;
            assert_eq!(came, Err(DENIED.into()), "{role}: {call}");
        }
    }
    let jobs = stage
        .count("select count(*) from resolution_jobs where attempts > 0")
        .await;
    assert_eq!(jobs, 0, "a stranger burned an attempt");
    for call in ["capitalbench_state()", "capitalbench_claim_job('w', 60)"] {
        let came = attempt(&mut stage, "service_role", &format!("select public.{call}")).await;
        assert_eq!(came, Ok(1), "{call}");
    }
    let unsafe_ones = stage
        .count(
            "select count(*) from pg_proc where pronamespace = 'public'::regnamespace \
        and (prosecdef or not coalesce(proconfig::text[] @> array['search_path=\"\"'], false))",
        )
        .await;
    assert_eq!(unsafe_ones, 0);
}

#[tokio::test]
async fn a_sync_as_service_role_needs_no_more_than_its_rights() {
    let Some(mut stage) = Stage::set().await else {
        return;
    };
    stage.become_role("service_role").await;
    let publication = public(&fixtures(), "2030-01-01");
    assert!(bring(&stage, &publication).await.counts.written > 0);
    assert_eq!(bring(&stage, &publication).await.counts.written, 0);
}

#[tokio::test]
async fn a_round_that_is_not_published_is_nowhere() {
    let Some(mut stage) = Stage::set().await else {
        return;
    };
    let publication = public(&fixtures(), "2030-01-01");
    bring(&stage, &publication).await;
    let id = "weekly-portfolio-resolved";
    let hide = format!("update public.rounds set published = false where round_id = '{id}'");
    stage.owner().batch_execute(&hide).await.unwrap();
    // A later sync that changes the row does not publish it again.
    let touch = format!(
        "update public.rounds set title = 'x', content_sha256 = repeat('a', 64) where round_id = '{id}'"
    );
    stage.owner().batch_execute(&touch).await.unwrap();
    assert_eq!(bring(&stage, &publication).await.counts.written, 1);
    let tables = "select table_name::text from information_schema.columns \
                  where table_schema = 'public' and column_name = 'round_id' and table_name <> 'resolution_jobs'";
    let tables = stage.owner().query(tables, &[]).await.unwrap();
    assert!(tables.len() > 12);
    for row in tables {
        let table: String = row.get(0);
        let select = format!("select 1 from public.{table} where round_id = '{id}'");
        let seen = attempt(&mut stage, "anon", &select).await;
        assert_eq!(seen, Ok(0), "{table}");
    }
    // No other row names it either, the last one of its track included.
    for (table, column) in [
        ("boards", "latest_round_id"),
        ("models", "first_round_id"),
        ("models", "last_round_id"),
    ] {
        let select = format!("select 1 from public.{table} where {column} = '{id}'");
        let seen = attempt(&mut stage, "anon", &select).await;
        assert_eq!(seen, Ok(0), "{table}.{column}");
    }
    let there = format!("select count(*) from public.boards where latest_round_id = '{id}'");
    assert_eq!(stage.count(&there).await, 1);
    let monthly = "select 1 from public.boards where latest_round_id is not null";
    assert_eq!(attempt(&mut stage, "anon", monthly).await, Ok(1));
    for table in ["cumulative", "statistics"] {
        let select = format!("select 1 from public.{table} where track = 'weekly'");
        assert_eq!(attempt(&mut stage, "anon", &select).await, Ok(0), "{table}");
    }
}
