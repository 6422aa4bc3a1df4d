//! Finds everything in a database that is not on the list of allowed things.
//!
//! `expected` compares what the migrations make, word for word. This module covers the rest of the catalogue:
//! roles and their memberships, settings and owners, and whatever else somebody may have added in any schema.
//! A Supabase project ships schemas, roles and extensions of its own; they are allowed by name, and only if
//! the server is one of theirs. The catalogues are queried with an empty search path, so that no table of
//! the database can stand in for them.

use tokio_postgres::Client;

use super::{FindingKind, PUBLIC_TABLES, Report, SERVICE_TABLES};
use crate::direct::refused;
use crate::gateway::GatewayError;

mod objects;
mod roles;
mod surroundings;

/// A query that returns what is not allowed of one kind: a subject and a message per row. `$1` holds our
/// tables, and [`ALLOWED`] is put before the query.
pub(super) struct Question {
    code: &'static str,
    remedy: &'static str,
    sql: &'static str,
}

/// The common table expressions that the queries share:
/// - `hosted`: whether the server belongs to Supabase, where the superuser does not own the database,
/// - `their_schema`, `their_role`: schemas and roles that Supabase ships,
/// - `keeper`: the current role, the role that the server was made with, and the owner of database and ledger,
/// - `public_role`: the three roles that the migrations give rights to,
/// - `member_of_extension`: what an extension brought; the extensions themselves are checked,
/// - `ours`: our tables.
const ALLOWED: &str = "
with recursive hosted(yes) as (
  select exists (select from pg_roles where rolname = 'supabase_admin' and rolsuper)
    and not exists (select from pg_roles where rolname = 'postgres' and rolsuper)),
their_schema(oid) as (
  select n.oid from pg_namespace n where n.nspname in (
    'auth', 'storage', 'supabase_migrations') or (select yes from hosted) and n.nspname in (
    '_analytics', '_realtime', '_supavisor', 'extensions', 'graphql', 'graphql_public', 'net', 'pgbouncer',
    'pgsodium', 'pgsodium_masks', 'pgtle', 'realtime', 'supabase_functions', 'vault')),
their_role(oid) as (
  select r.oid from pg_roles r where (select yes from hosted) and r.rolname in (
    'cli_login_postgres', 'dashboard_user', 'pgbouncer', 'pgsodium_keyholder', 'pgsodium_keyiduser',
    'pgsodium_keymaker', 'pgtle_admin', 'postgres', 'supabase_admin', 'supabase_auth_admin',
    'supabase_etl_admin', 'supabase_functions_admin', 'supabase_privileged_role',
    'supabase_read_only_user', 'supabase_realtime_admin', 'supabase_replication_admin',
    'supabase_storage_admin', 'supabase_superuser')),
keeper(oid) as (
  select r.oid from pg_roles r where r.rolname = current_user or r.oid = 10
  union select d.datdba from pg_database d join pg_class c on c.relowner = d.datdba
    where d.datname = current_database() and c.oid = to_regclass('public.capitalbench_migrations')),
public_role(oid) as (
  select r.oid from pg_roles r where r.rolname in ('anon', 'authenticated', 'service_role')),
member_of_extension(classid, objid) as (
  select d.classid, d.objid from pg_depend d where d.deptype = 'e'),
ours(oid) as (
  select c.oid from pg_class c where c.relnamespace = 'public'::regnamespace and c.relname = any ($1::text[]))
";

pub(super) async fn run(client: &Client, report: &mut Report) -> Result<(), GatewayError> {
    let ours: Vec<&str> = PUBLIC_TABLES
        .iter()
        .chain(SERVICE_TABLES)
        .copied()
        .collect();
    let questions = roles::QUESTIONS.iter().chain(objects::QUESTIONS);
    for question in questions.chain(surroundings::QUESTIONS) {
        let statement = format!("{ALLOWED}{}", question.sql);
        let found = client.query(&statement, &[&ours]).await;
        let found = found.map_err(|error| refused(&error))?;
        report.looked_at += usize::from(found.is_empty());
        for row in found {
            let (subject, message): (String, String) = (row.get(0), row.get(1));
            let kind = FindingKind(question.code, question.remedy);
            report.require(false, kind, subject, message);
        }
    }
    Ok(())
}
