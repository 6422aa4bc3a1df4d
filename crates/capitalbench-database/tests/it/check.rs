//! `db check` finds nothing in a fresh database, and each thing that somebody loosened.

use capitalbench_database::check::check;

use crate::stage::{Stage, connect};
use capitalbench_testing::database_server::Server;

#[tokio::test]
async fn a_fresh_database_passes_the_check() {
    let Some(mut stage) = Stage::set().await else {
        return;
    };
    let report = check(stage.owner()).await.unwrap();
    assert_eq!(report.findings, []);
    assert!(report.looked_at > 400, "{}", report.looked_at);
    let rounds = stage.count("select count(*) from public.rounds").await;
    assert_eq!(rounds, 0, "a probe was left behind");
}

#[tokio::test]
async fn a_database_without_schema_says_so() {
    let Some(server) = Server::start() else {
        return;
    };
    let mut gateway = connect(&server).await;
    let report = check(gateway.client()).await.unwrap();
    let codes: Vec<&str> = report.findings.iter().map(|finding| finding.code).collect();
    assert_eq!(codes, ["schema_version"]);
}

/// What somebody may have done, and what is found then.
const LOOSENED: [(&str, &str, &str); 19] = [
    (
        "alter table public.habits disable row level security",
        "row_security",
        "habits",
    ),
    (
        "grant truncate on public.rounds to anon",
        "right_too_many",
        "rounds",
    ),
    (
        "grant insert on public.holdings to public",
        "probe_not_refused",
        "insert into public.holdings",
    ),
    (
        "grant select on public.resolution_jobs to anon",
        "probe_not_refused",
        "select 1 from public.resolution_jobs",
    ),
    (
        "revoke select on public.models from anon",
        "right_missing",
        "models",
    ),
    (
        "create policy mine on public.outcomes for select to anon using (true)",
        "policy_unknown",
        "outcomes",
    ),
    ("select", "result_readable", "outcomes"),
    (
        "alter policy readable on public.prices to anon",
        "policy_unknown",
        "prices",
    ),
    (
        "drop policy readable on public.exposures",
        "policy_missing",
        "exposures",
    ),
    (
        "alter policy readable on public.publication_documents using (true)",
        "result_readable",
        "publication_documents",
    ),
    (
        "alter policy readable on public.interim_points using (true)",
        "result_readable",
        "interim_points",
    ),
    (
        "alter policy readable on public.set_rows using (true)",
        "result_readable",
        "set_rows",
    ),
    (
        "grant execute on function public.capitalbench_claim_job(text, int) to anon",
        "function_public",
        "capitalbench_claim_job",
    ),
    (
        "alter function public.capitalbench_finish_job(text, bigint, jsonb) security definer",
        "function_unsafe",
        "capitalbench_finish_job",
    ),
    (
        "alter function public.capitalbench_apply(jsonb) reset search_path",
        "function_unsafe",
        "capitalbench_apply",
    ),
    (
        "revoke execute on function public.capitalbench_state(text) from service_role",
        "function_service",
        "capitalbench_state",
    ),
    (
        "create function public.capitalbench_new() returns int language sql as 'select 1'",
        "function_unknown",
        "capitalbench_new",
    ),
    (
        "drop function public.capitalbench_defer_job",
        "function_missing",
        "capitalbench_defer_job",
    ),
    ("drop table public.pairs", "table_missing", "pairs"),
];

#[tokio::test]
async fn every_loosened_permission_is_found() {
    let Some(mut stage) = Stage::set().await else {
        return;
    };
    for (statement, ..) in LOOSENED {
        stage
            .owner()
            .batch_execute(statement)
            .await
            .expect(statement);
    }
    let report = check(stage.owner()).await.unwrap();
    for (statement, code, subject) in LOOSENED {
        let mut findings = report.findings.iter();
        let found = findings
            .any(|f| f.code == code && f.subject.starts_with(subject) && !f.remedy.is_empty());
        assert!(found, "{statement}: {:#?}", report.findings);
    }
    for (statement, code) in [
        (
            "update public.capitalbench_migrations set sha256 = 'x' where version = 8",
            "migration_changed",
        ),
        (
            "delete from public.capitalbench_migrations where version = 9",
            "migration_missing",
        ),
        (
            "delete from public.capitalbench_migrations where version >= 9",
            "schema_version",
        ),
    ] {
        stage
            .owner()
            .batch_execute(statement)
            .await
            .expect(statement);
        let report = check(stage.owner()).await.unwrap();
        assert!(
            report.findings.iter().any(|f| f.code == code),
            "{statement}"
        );
    }
}

/// Every policy of the public that was loosened to say yes is named.
#[tokio::test]
async fn a_policy_with_another_text_is_named() {
    let Some(mut stage) = Stage::set().await else {
        return;
    };
    let policies = "select tablename::text from pg_policies \
                    where policyname = 'readable' and qual <> 'true' order by 1";
    let rows = stage.owner().query(policies, &[]).await.unwrap();
    let tables: Vec<String> = rows.iter().map(|row| row.get(0)).collect();
    assert!(tables.len() > 20, "{tables:?}");
    for table in &tables {
        let loosen = format!("alter policy readable on public.{table} using (true)");
        stage.owner().batch_execute(&loosen).await.unwrap();
    }
    let report = check(stage.owner()).await.unwrap();
    let changed = report.findings.iter();
    let changed: Vec<&str> = changed
        .filter(|finding| finding.code == "policy_changed")
        .map(|finding| finding.subject.as_str())
        .collect();
    let expected: Vec<String> = tables.iter().map(|t| format!("{t}: readable")).collect();
    assert_eq!(changed, expected);
}

/// Changes of words that no probe can feel, and what is named.
const REWORDED: [(&str, &str, &str); 6] = [
    (
        "alter policy readable on public.habits using (track in ('weekly', 'monthly'))",
        "policy_changed",
        "habits: readable",
    ),
    (
        "alter policy service on public.rounds with check (round_id <> 'x')",
        "policy_changed",
        "rounds: service",
    ),
    (
        "alter function public.capitalbench_state(text) security definer",
        "function_changed",
        "capitalbench_state(scope text)",
    ),
    (
        "alter function public.capitalbench_apply(jsonb) set search_path = public",
        "function_changed",
        "capitalbench_apply(delta jsonb)",
    ),
    (
        "create or replace function public.capitalbench_heartbeat_job(\
         round_id text, lease_number bigint, lease_seconds int) returns boolean \
         language plpgsql security invoker set search_path = '' as 'begin return true; end'",
        "function_changed",
        "capitalbench_heartbeat_job(",
    ),
    (
        "alter table public.holdings drop constraint holdings_option",
        "constraint_changed",
        "holdings: holdings_option",
    ),
];

#[tokio::test]
async fn every_reworded_definition_is_found_and_nothing_is_left_behind() {
    let Some(mut stage) = Stage::set().await else {
        return;
    };
    for (statement, code, subject) in REWORDED {
        stage
            .owner()
            .batch_execute(statement)
            .await
            .expect(statement);
        let report = check(stage.owner()).await.unwrap();
        let mut findings = report.findings.iter();
        let found = findings.any(|f| f.code == code && f.subject.starts_with(subject));
        assert!(found, "{statement}: {:#?}", report.findings);
    }
    let schemas = "select count(*) from pg_namespace where nspname like 'capitalbench%'";
    assert_eq!(stage.count(schemas).await, 0);
}
