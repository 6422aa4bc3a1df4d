//! `db check` names whatever somebody added to a database, one by one, and nothing that a Supabase project
//! ships.

use capitalbench_database::check::{Finding, check};
use capitalbench_database::direct::{DatabaseUrl, Direct};

use crate::round_trip::bring;
use crate::stage::{Stage, connect, fixtures, public};
use capitalbench_testing::database_server::Server;

/// What somebody adds, the code and the subject it is named by, and how it goes away again.
const ADDITIONS: &[(&str, &str, &str, &str)] = &[
    (
        "grant service_role to anon",
        "membership_unknown",
        "service_role to anon",
        "revoke service_role from anon",
    ),
    (
        "create role mallory login; create role bridge; grant service_role to bridge; grant bridge to mallory",
        "membership_unknown",
        "bridge to mallory",
        "drop role bridge; drop role mallory",
    ),
    (
        "create role mallory login; grant pg_read_all_data to mallory",
        "membership_unknown",
        "pg_read_all_data to mallory",
        "drop role mallory",
    ),
    (
        "alter role anon bypassrls",
        "role_unknown",
        "anon",
        "alter role anon nobypassrls",
    ),
    (
        "create role mallory superuser login",
        "role_unknown",
        "mallory",
        "drop role mallory",
    ),
    (
        "alter role anon set row_security = off",
        "role_setting_unknown",
        "anon",
        "alter role anon reset row_security",
    ),
    (
        "alter database postgres set session_replication_role = replica",
        "role_setting_unknown",
        "every role",
        "alter database postgres reset session_replication_role",
    ),
    (
        "create role mallory; alter table public.outcomes owner to mallory",
        "owner_unknown",
        "public.outcomes",
        "alter table public.outcomes owner to postgres; drop role mallory",
    ),
    (
        "create role mallory; alter database postgres owner to mallory",
        "owner_unknown",
        "database postgres",
        "alter database postgres owner to postgres; drop role mallory",
    ),
    (
        "create function public.mine() returns trigger language plpgsql as 'begin return null; end'; \
         create trigger mine before update on public.outcomes execute function public.mine()",
        "trigger_unknown",
        "outcomes: mine",
        "drop function public.mine cascade",
    ),
    (
        "alter table public.outcomes disable trigger all",
        "trigger_changed",
        "outcomes: checks of references",
        "alter table public.outcomes enable trigger all",
    ),
    (
        "create rule mine as on update to public.outcomes do instead nothing",
        "rule_unknown",
        "outcomes: mine",
        "drop rule mine on public.outcomes",
    ),
    (
        "create view public.mine as select * from public.outcomes; grant select on public.mine to anon",
        "relation_unknown",
        "mine",
        "drop view public.mine",
    ),
    (
        "create schema mine; create view mine.seen as select * from public.outcomes",
        "view_of_ours",
        "mine.seen",
        "drop schema mine cascade",
    ),
    (
        "create materialized view public.mine as select * from public.outcomes",
        "relation_unknown",
        "mine",
        "drop materialized view public.mine",
    ),
    (
        "create schema mine; create materialized view mine.kept as select * from public.rounds",
        "relation_unknown",
        "mine.kept",
        "drop schema mine cascade",
    ),
    (
        "create schema mine; create function mine.all_rounds() returns setof public.rounds \
         language sql security definer as 'select * from public.rounds'",
        "definer_function",
        "mine.all_rounds()",
        "drop schema mine cascade",
    ),
    (
        "create schema auth; create function auth.helper() returns int language sql security definer as 'select 1'",
        "definer_function",
        "auth.helper()",
        "drop schema auth cascade",
    ),
    (
        "create function public.harmless() returns int language sql as 'select 1'",
        "function_unknown",
        "harmless()",
        "drop function public.harmless",
    ),
    (
        "alter default privileges in schema public grant select on tables to anon",
        "default_right_unknown",
        "postgres: new tables in public",
        "alter default privileges in schema public revoke select on tables from anon",
    ),
    (
        "create table public.mine () inherits (public.outcomes)",
        "child_table",
        "public.mine",
        "drop table public.mine",
    ),
    (
        "create schema mine; create table mine.partition () inherits (public.publication_documents)",
        "child_table",
        "mine.partition",
        "drop schema mine cascade",
    ),
    (
        "create function public.mine() returns event_trigger language plpgsql as 'begin end'; \
         create event trigger mine on ddl_command_start execute function public.mine()",
        "event_trigger_unknown",
        "mine",
        "drop event trigger mine; drop function public.mine",
    ),
    (
        "grant update (return_fraction) on public.outcomes to anon",
        "right_unknown",
        "outcomes.return_fraction: anon may update",
        "revoke update (return_fraction) on public.outcomes from anon",
    ),
    (
        "create role mallory; grant insert on public.outcomes to mallory",
        "right_unknown",
        "outcomes: mallory may insert",
        "revoke all on public.outcomes from mallory; drop role mallory",
    ),
    (
        "grant truncate on public.outcomes to service_role",
        "right_unknown",
        "outcomes: service_role may truncate",
        "revoke truncate on public.outcomes from service_role",
    ),
    (
        "grant create on schema public to anon",
        "right_to_create",
        "schema public",
        "revoke create on schema public from anon",
    ),
    (
        "grant create on database postgres to authenticated",
        "right_to_create",
        "database postgres",
        "revoke create on database postgres from authenticated",
    ),
    (
        "grant set on parameter session_replication_role to anon",
        "parameter_right_unknown",
        "session_replication_role",
        "revoke set on parameter session_replication_role from anon",
    ),
    (
        "create publication mine for table public.outcomes",
        "publication_unknown",
        "mine",
        "drop publication mine",
    ),
    (
        "create subscription mine connection 'host=localhost' publication mine with (connect = false)",
        "subscription_unknown",
        "mine",
        "alter subscription mine set (slot_name = none); drop subscription mine",
    ),
    (
        "create foreign data wrapper mine; create server mine foreign data wrapper mine",
        "foreign_server_unknown",
        "mine",
        "drop foreign data wrapper mine cascade",
    ),
    (
        "create foreign data wrapper mine; create server mine foreign data wrapper mine; \
         create foreign table public.far (a int) server mine",
        "relation_unknown",
        "far",
        "drop foreign data wrapper mine cascade",
    ),
    (
        "create table public.mine (a int); grant select on public.mine to anon",
        "relation_unknown",
        "mine",
        "drop table public.mine",
    ),
    (
        "alter table public.outcomes add column mine text",
        "column_unknown",
        "outcomes.mine",
        "alter table public.outcomes drop column mine",
    ),
    (
        "alter table public.rounds alter column published set default false",
        "column_changed",
        "rounds.published",
        "alter table public.rounds alter column published set default true",
    ),
    (
        "create index mine on public.outcomes ((upper(model_id)))",
        "index_unknown",
        "outcomes: mine",
        "drop index public.mine",
    ),
    (
        "alter table public.outcomes add constraint mine check (model_id <> 'x')",
        "constraint_unknown",
        "outcomes: mine",
        "alter table public.outcomes drop constraint mine",
    ),
    (
        "create domain public.mine as text",
        "definition_unknown",
        "public.mine",
        "drop domain public.mine",
    ),
    (
        "create operator public.=== (leftarg = text, rightarg = text, function = texteq)",
        "definition_unknown",
        "public.===(text,text)",
        "drop operator public.=== (text, text)",
    ),
    (
        "alter table public.outcomes force row level security",
        "relation_changed",
        "outcomes",
        "alter table public.outcomes no force row level security",
    ),
    (
        "create cast (text as bigint) with inout as implicit",
        "definition_unknown",
        "text as bigint",
        "drop cast (text as bigint)",
    ),
];

async fn run(stage: &mut Stage, statement: &str) {
    let done = stage.owner().batch_execute(statement).await;
    done.unwrap_or_else(|error| panic!("{statement}: {error:?}"));
}

/// With names that only one of them has.
fn numbered(text: &str, number: usize) -> String {
    text.replace("mine", &format!("mine{number}"))
        .replace("mallory", &format!("mallory{number}"))
}

#[tokio::test]
async fn every_addition_to_the_schema_is_reported_and_nothing_else() {
    let Some(mut stage) = Stage::set().await else {
        return;
    };
    bring(&stage, &public(&fixtures(), "2030-01-01")).await;
    // The last one changes what statements mean, and is alone.
    let (last, first) = ADDITIONS.split_last().unwrap();
    for additions in [first, std::slice::from_ref(last)] {
        for (number, (add, ..)) in additions.iter().enumerate() {
            run(&mut stage, &numbered(add, number)).await;
        }
        let report = check(stage.owner()).await.unwrap();
        for (number, (add, code, subject, _)) in additions.iter().enumerate() {
            let subject = numbered(subject, number);
            let named = |f: &Finding| {
                f.code == *code
                    && f.subject == subject
                    && !f.remedy.is_empty()
                    && !f.message.is_empty()
            };
            let found = report.findings.iter().any(named);
            assert!(found, "{add}: {subject}: {:#?}", report.findings);
        }
        for (number, (.., remove)) in additions.iter().enumerate().rev() {
            run(&mut stage, &numbered(remove, number)).await;
        }
        let report = check(stage.owner()).await.unwrap();
        assert_eq!(report.findings, []);
    }
}

/// A view that stands in for a catalogue does not hide anything from the check.
#[tokio::test]
async fn a_forged_catalogue_is_detected() {
    let Some(mut stage) = Stage::set().await else {
        return;
    };
    run(
        &mut stage,
        "grant service_role to anon; create schema mine; \
         create view mine.pg_auth_members as select * from pg_catalog.pg_auth_members where false; \
         alter role postgres set search_path = mine, pg_catalog",
    )
    .await;
    let mut owner = connect(&stage.server).await;
    let report = check(owner.client()).await.unwrap();
    for code in [
        "membership_unknown",
        "role_setting_unknown",
        "schema_unknown",
    ] {
        assert!(report.findings.iter().any(|f| f.code == code), "{code}");
    }
}

/// Somebody who may write to the catalogues themselves turns the comparison off for a moment.
#[tokio::test]
async fn edited_rows_are_found_even_if_the_catalogue_was_edited() {
    let Some(mut stage) = Stage::set().await else {
        return;
    };
    bring(&stage, &public(&fixtures(), "2030-01-01")).await;
    let attribute = "where attrelid = 'public.outcomes'::regclass and attname = 'content_holds'";
    run(
        &mut stage,
        &format!(
            "set allow_system_table_mods = on; \
             update pg_attribute set attgenerated = '' {attribute}; \
             update public.outcomes set return_fraction = 0.99 where round_id = 'weekly-portfolio-resolved'; \
             update pg_attribute set attgenerated = 's' {attribute}"
        ),
    )
    .await;
    let report = check(stage.owner()).await.unwrap();
    let found = report.findings.iter().find(|f| f.code == "row_changed");
    let found = found.unwrap_or_else(|| panic!("{:#?}", report.findings));
    assert_eq!(found.subject, "outcomes");
    assert!(
        found.message.contains("round/weekly-portfolio-resolved"),
        "{}",
        found.message
    );
}

/// What a project of Supabase ships, as far as it concerns the check: its superuser made the server, the
/// owner of the database is none, and API roles, services, extensions' schemas and event triggers are theirs.
const PROJECT: &str = "
create role postgres login createrole createdb replication bypassrls;
create role anon nologin; create role authenticated nologin; create role service_role nologin bypassrls;
create role authenticator login noinherit; grant anon, authenticated, service_role, supabase_admin to authenticator;
grant anon, authenticated, service_role, authenticator to postgres with admin option;
grant pg_monitor, pg_read_all_data, pg_signal_backend to postgres;
create role dashboard_user createrole createdb replication;
create role supabase_auth_admin login createrole noinherit; create role supabase_storage_admin login createrole noinherit;
create role supabase_read_only_user login bypassrls; grant pg_read_all_data to supabase_read_only_user;
create role supabase_replication_admin login replication; create role supabase_realtime_admin;
create role supabase_etl_admin login replication bypassrls; grant pg_read_all_data to supabase_etl_admin;
create role cli_login_postgres login noinherit; grant postgres to cli_login_postgres;
create role pgbouncer login; grant supabase_realtime_admin to postgres; grant authenticator to supabase_storage_admin;
alter database postgres owner to postgres;
alter role anon set statement_timeout = '3s'; alter role authenticated set statement_timeout = '8s';
alter role authenticator set statement_timeout = '8s'; alter role authenticator set lock_timeout = '8s';
alter role authenticator set session_preload_libraries = 'safeupdate';
alter role postgres set search_path = \"$user\", public, extensions;
alter role supabase_admin set search_path = \"$user\", public, auth, extensions;
alter role supabase_read_only_user set default_transaction_read_only = on;
alter database postgres set \"app.settings.jwt_exp\" = '3600';
create publication supabase_realtime;
grant usage on schema public to postgres, anon, authenticated, service_role; grant create on schema public to postgres;
alter default privileges in schema public grant all on tables to postgres, anon, authenticated, service_role;
alter default privileges in schema public grant all on functions to postgres, anon, authenticated, service_role;
alter default privileges in schema public grant all on sequences to postgres, anon, authenticated, service_role;
alter default privileges for role postgres in schema public grant all on tables to anon, authenticated, service_role;
alter default privileges for role postgres in schema public grant all on functions to anon, authenticated, service_role;
alter default privileges for role postgres in schema public grant all on sequences to anon, authenticated, service_role;
create schema extensions authorization postgres; grant usage on schema extensions to anon, authenticated, service_role;
create schema auth authorization supabase_admin; create schema storage authorization supabase_admin;
create schema graphql_public authorization supabase_admin; create schema vault authorization supabase_admin;
create schema realtime authorization supabase_admin; create schema pgbouncer authorization pgbouncer;
create function extensions.pgrst_ddl_watch() returns event_trigger language plpgsql as 'begin end';
create event trigger pgrst_ddl_watch on ddl_command_end execute function extensions.pgrst_ddl_watch();
create function pgbouncer.get_auth(name text) returns text language sql security definer as 'select name';
create function vault.create_secret(secret text) returns text language sql security definer as 'select secret';
create view vault.decrypted_secrets as select 1 as secret;
create table auth.users (id uuid primary key); alter table auth.users owner to supabase_auth_admin;
create function auth.uid() returns uuid language sql stable as 'select null::uuid';
create table realtime.messages (day date) partition by range (day);
create table realtime.messages_1 partition of realtime.messages for values from ('2026-01-01') to ('2026-01-02');
create table storage.buckets (id text primary key, name text, public boolean);
create table storage.objects (bucket_id text, name text, created_at timestamptz, updated_at timestamptz);
alter table storage.buckets enable row level security; alter table storage.objects enable row level security;
alter table storage.buckets owner to supabase_storage_admin; alter table storage.objects owner to supabase_storage_admin;
grant usage on schema storage to postgres, anon, authenticated, service_role with grant option;
grant all on storage.buckets, storage.objects to postgres, anon, authenticated, service_role with grant option;
";

async fn connect_as(server: &Server, role: &str) -> Direct {
    let url = server.url().replace("postgres@", &format!("{role}@"));
    let url = DatabaseUrl::new(url).expect("an address");
    Direct::connect(&url).await.expect("the server is there")
}

#[tokio::test]
async fn a_supabase_project_passes_the_check() {
    let Some(server) = Server::start_as("supabase_admin") else {
        return;
    };
    let mut admin = connect_as(&server, "supabase_admin").await;
    admin.client().batch_execute(PROJECT).await.unwrap();
    // Policies of the storage are made by the owner of its tables, which hosted projects allow by other means.
    let mut owner = connect_as(&server, "postgres").await;
    let storage = "grant supabase_storage_admin to postgres";
    admin.client().batch_execute(storage).await.unwrap();
    capitalbench_database::migrations::migrate(owner.client())
        .await
        .unwrap_or_else(|error| panic!("{error}"));
    let report = check(owner.client()).await.unwrap();
    assert_eq!(report.findings, []);
    // What is not shipped is named there as well.
    for (add, code) in [
        (
            "create function extensions.mine() returns int language sql security definer as 'select 1'",
            "definer_function",
        ),
        ("grant service_role to anon", "membership_unknown"),
        (
            "alter publication supabase_realtime add table public.outcomes",
            "publication_unknown",
        ),
        (
            "create policy mine on storage.objects for select to anon using (true)",
            "storage_policy_unknown",
        ),
        (
            "create extension pg_trgm schema extensions",
            "extension_unknown",
        ),
    ] {
        let by = if add.contains("pg_trgm")
            || add.contains("service_role")
            || add.contains("publication")
        {
            &mut admin
        } else {
            &mut owner
        };
        by.client()
            .batch_execute(add)
            .await
            .unwrap_or_else(|error| panic!("{add}: {error}"));
        let report = check(owner.client()).await.unwrap();
        assert!(
            report.findings.iter().any(|f| f.code == code),
            "{add}: {:#?}",
            report.findings
        );
    }
}
