//! The embedded migrations, and [`migrate`], which applies the missing ones.

use capitalbench_core::values::ids::Digest;
use tokio_postgres::{Client, Transaction};

use crate::direct::refused;
use crate::gateway::GatewayError;

/// One step of the schema; a released one is never changed.
#[derive(Debug, Clone, Copy)]
pub struct Migration {
    pub version: i32,
    pub name: &'static str,
    pub sql: &'static str,
}

macro_rules! migrations {
    ($($version:literal $file:literal),* $(,)?) => {
        /// Every migration, in order.
        pub const ALL: &[Migration] = &[$(Migration {
            version: $version,
            name: $file,
            sql: include_str!(concat!("../../../migrations/", $file, ".sql")),
        }),*];
    };
}

migrations! {
    1 "0001_roles",
    2 "0002_rounds",
    3 "0003_decisions_and_results",
    4 "0004_boards",
    5 "0005_documents",
    6 "0006_jobs",
    7 "0007_apply",
    8 "0008_policies",
    9 "0009_storage",
    10 "0010_log",
    11 "0011_option_keys",
    12 "0012_leftovers",
    13 "0013_apply_in_bulk",
    14 "0014_content_holds",
    15 "0015_named_rounds",
    16 "0016_statement_timeouts",
    17 "0017_how_models_were_asked",
    18 "0018_rounds_without_an_answer",
    19 "0019_inference_v2",
    21 "0021_sensitivity",
    22 "0022_outside_funds",
}

/// The schema version that this program needs.
pub const NEEDED: i32 = ALL[ALL.len() - 1].version;

/// Creates the ledger of applied migrations. If two programs do so at once, the second one waits and then
/// finds the table.
pub(crate) const LEDGER: &str = "
do $$
begin
  create table if not exists public.capitalbench_migrations (
    version int primary key,
    name text not null,
    sha256 text not null,
    applied_at timestamptz not null default now()
  );
exception when unique_violation or duplicate_table then
  null;
end
$$";

/// Makes two programs that migrate at once wait for each other. The lock is on a table that readers have no
/// rights to, because anybody could hold an advisory lock.
const LOCK: &str = "lock table public.capitalbench_migrations in share row exclusive mode";

/// Why a database was not migrated.
#[derive(Debug, thiserror::Error)]
pub enum MigrateError {
    #[error("migration {name}: {error}")]
    Refused {
        name: &'static str,
        error: GatewayError,
    },
    #[error(
        "migration {name} of the database has other statements than the one of this program; use the \
         program that migrated it, or start with an empty database"
    )]
    Changed { name: String },
    #[error(transparent)]
    Ahead(GatewayError),
}

impl Migration {
    pub fn digest(&self) -> String {
        Digest::of(self.sql.as_bytes()).to_hex()
    }
}

fn at(name: &'static str) -> impl Fn(tokio_postgres::Error) -> MigrateError {
    move |error| MigrateError::Refused {
        name,
        error: refused(&error),
    }
}

/// The last applied migration; all applied ones must be those of this program.
async fn last_applied(transaction: &Transaction<'_>) -> Result<i32, MigrateError> {
    let rows = transaction
        .query(
            "select version, name, sha256 from public.capitalbench_migrations order by version",
            &[],
        )
        .await
        .map_err(at("ledger"))?;
    let mut there = 0;
    for row in rows {
        let (version, name, sha256): (i32, String, String) = (row.get(0), row.get(1), row.get(2));
        let Some(ours) = ALL.iter().find(|ours| ours.version == version) else {
            return Err(MigrateError::Ahead(GatewayError::OtherSchema {
                found: version,
                needed: NEEDED,
            }));
        };
        if ours.digest() != sha256 {
            return Err(MigrateError::Changed { name });
        }
        there = version;
    }
    Ok(there)
}

/// Applies all missing migrations or none, and returns their names.
pub async fn migrate(client: &mut Client) -> Result<Vec<&'static str>, MigrateError> {
    let transaction = client.transaction().await.map_err(at("start"))?;
    // PostgreSQL would print a notice for every table that exists already.
    transaction
        .batch_execute("set local client_min_messages = warning")
        .await
        .map_err(at("settings"))?;
    transaction
        .batch_execute(LEDGER)
        .await
        .map_err(at("ledger"))?;
    transaction.batch_execute(LOCK).await.map_err(at("lock"))?;
    let there = last_applied(&transaction).await?;
    let mut applied = Vec::new();
    for migration in ALL.iter().filter(|migration| migration.version > there) {
        let name = migration.name;
        transaction
            .batch_execute(migration.sql)
            .await
            .map_err(at(name))?;
        transaction
            .execute(
                "insert into public.capitalbench_migrations (version, name, sha256) values ($1, $2, $3)",
                &[&migration.version, &name, &migration.digest()],
            )
            .await
            .map_err(at(name))?;
        applied.push(name);
    }
    if !applied.is_empty() {
        // A running PostgREST learns of new functions this way.
        let tell = "notify pgrst, 'reload schema'";
        transaction
            .batch_execute(tell)
            .await
            .map_err(at("notify"))?;
    }
    transaction.commit().await.map_err(at("commit"))?;
    Ok(applied)
}
