//! Everything in a database that is not on the list of what may be there.
//!
//! What the migrations make is compared word for word elsewhere; here is the rest of the catalogue: roles and
//! what they belong to, their settings, owners, and whatever else somebody may have added in any schema. A
//! Supabase project ships schemas, roles and extensions of its own; they are allowed by name, and only where
//! the server is one of theirs. Catalogues are asked with an empty search path, so that nothing of the
//! database can stand in for them.

use tokio_postgres::Client;

use super::{PUBLIC_TABLES, Report, SERVICE_TABLES, finding};
use crate::direct::refused;
use crate::gateway::GatewayError;

mod objects;
mod roles;
mod surroundings;

/// One kind of thing that may be there, and the question that answers with what is not allowed: a subject
/// and a sentence for each. `$1` are our tables; [`ALLOWED`] stands before it.
pub(super) struct Question {
    code: &'static str,
    remedy: &'static str,
    sql: &'static str,
}

/// What questions share:
/// - `hosted`: whether the server is one of Supabase, whose superuser is not the owner of the database,
/// - `their_schema`, `their_role`: what a project of theirs ships,
/// - `keeper`: who asks, the role that the server was made with, and the owner of database and ledger,
/// - `public_role`: the three that rights are given to,
/// - `member_of_extension`: what an extension brought; extensions are looked at themselves,
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

/// Asks everything.
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
        report.look(found.is_empty(), || {
            // Counted once; each is named below.
            let row = &found[0];
            named(question, row)
        });
        for row in found.iter().skip(1) {
            report.findings.push(named(question, row));
        }
    }
    Ok(())
}

fn named(question: &Question, row: &tokio_postgres::Row) -> super::Finding {
    let (subject, message): (String, String) = (row.get(0), row.get(1));
    finding(question.code, subject, message, question.remedy)
}
