//! Checks a database: schema, rights, policies, and that the public is refused what it must not see.

use std::collections::BTreeSet;

use serde::Serialize;
use tokio_postgres::Client;

use crate::direct::refused;
use crate::gateway::GatewayError;
use crate::migrations::{ALL, NEEDED};

mod census;
mod expected;
mod probes;

/// Tables that the public may read, row by row.
pub const PUBLIC_TABLES: &[&str] = &[
    "artifact_hashes",
    "behaviour",
    "board_rounds",
    "boards",
    "comparison_sets",
    "consistency",
    "control_holdings",
    "control_outcomes",
    "controls",
    "cumulative",
    "explanations",
    "exposures",
    "habits",
    "holdings",
    "interim_points",
    "lane_answers",
    "log_files",
    "missing_answers",
    "models",
    "option_returns",
    "options",
    "outcomes",
    "pairs",
    "prices",
    "providers",
    "publication",
    "publication_documents",
    "publication_parts",
    "reliability",
    "repeated_calls",
    "round_files",
    "round_results",
    "rounds",
    "runs",
    "sensitivity",
    "set_models",
    "set_rounds",
    "set_rows",
    "statistics",
    "submissions",
    "universes",
];

/// Tables that only the service may touch.
pub const SERVICE_TABLES: &[&str] = &["capitalbench_migrations", "resolution_jobs", "sync_events"];

/// Functions that only the service may call.
pub const FUNCTIONS: &[&str] = &[
    "capitalbench_apply",
    "capitalbench_cancel_job",
    "capitalbench_claim_job",
    "capitalbench_defer_job",
    "capitalbench_fail_job",
    "capitalbench_finish_job",
    "capitalbench_header_digest",
    "capitalbench_heartbeat_job",
    "capitalbench_retry_job",
    "capitalbench_schedule_job",
    "capitalbench_state",
    "capitalbench_tables",
];

/// One defect of the database.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    pub code: &'static str,
    /// The table, function or role.
    pub subject: String,
    pub message: String,
    pub remedy: &'static str,
}

/// The result of a check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Report {
    /// The last applied migration.
    pub schema_version: i32,
    pub needed_version: i32,
    /// The number of single checks.
    pub looked_at: usize,
    pub findings: Vec<Finding>,
}

const MIGRATE: &str = "run `capitalbench db migrate`";
const RIGHTS: &str = "revoke it: the statements are in migrations/0008_policies.sql";
const POLICIES: &str = "drop it, or create it again: the statements are in migrations/";
const RESTORE: &str = "restore the database from its source";

/// The code of a finding, and what to do about it.
#[derive(Clone, Copy)]
struct FindingKind(&'static str, &'static str);

impl Report {
    /// Counts one check and reports a finding if it fails.
    fn require(
        &mut self,
        holds: bool,
        kind: FindingKind,
        subject: impl Into<String>,
        message: impl Into<String>,
    ) {
        self.looked_at += 1;
        if !holds {
            let FindingKind(code, remedy) = kind;
            self.findings.push(Finding {
                code,
                subject: subject.into(),
                message: message.into(),
                remedy,
            });
        }
    }
}

/// Checks everything and changes nothing: whatever the probes write is rolled back.
pub async fn check(client: &mut Client) -> Result<Report, GatewayError> {
    let mut report = Report {
        schema_version: 0,
        needed_version: NEEDED,
        looked_at: 0,
        findings: Vec::new(),
    };
    // With an empty search path no table of the database can stand in for a system catalogue.
    let path = client.batch_execute("set search_path = ''").await;
    path.map_err(|error| refused(&error))?;
    let done = look_at(client, &mut report).await;
    let path = client.batch_execute("reset search_path").await;
    path.map_err(|error| refused(&error))?;
    done.map(|()| report)
}

async fn look_at(client: &mut Client, report: &mut Report) -> Result<(), GatewayError> {
    schema(client, report).await?;
    if report.schema_version != NEEDED {
        return Ok(());
    }
    tables(client, report).await?;
    policies(client, report).await?;
    functions(client, report).await?;
    census::run(client, report).await?;
    expected::run(client, report).await?;
    probes::run(client, report).await?;
    Ok(())
}

async fn rows(client: &Client, statement: &str) -> Result<Vec<tokio_postgres::Row>, GatewayError> {
    let rows = client.query(statement, &[]).await;
    rows.map_err(|error| refused(&error))
}

async fn schema(client: &Client, report: &mut Report) -> Result<(), GatewayError> {
    let there = "select to_regclass('public.capitalbench_migrations') is not null";
    let there = rows(client, there).await?;
    let ledger = if there.first().is_some_and(|row| row.get(0)) {
        rows(
            client,
            "select version, sha256 from public.capitalbench_migrations order by 1",
        )
        .await?
    } else {
        Vec::new()
    };
    for row in &ledger {
        let (version, sha256): (i32, String) = (row.get(0), row.get(1));
        report.schema_version = version;
        if let Some(ours) = ALL.iter().find(|ours| ours.version == version) {
            let kind = FindingKind("migration_changed", RESTORE);
            let message = "has other statements than the migration of this program";
            report.require(ours.digest() == sha256, kind, ours.name, message);
        }
    }
    let found = report.schema_version;
    let known: BTreeSet<i32> = ledger.iter().map(|row| row.get(0)).collect();
    for ours in ALL.iter().filter(|ours| ours.version <= found) {
        let kind = FindingKind("migration_missing", RESTORE);
        let message = "was never applied, though later ones were";
        report.require(known.contains(&ours.version), kind, ours.name, message);
    }
    let remedy = if found > NEEDED {
        "install the newer program"
    } else {
        MIGRATE
    };
    let message = format!("is version {found}, this program needs {NEEDED}");
    report.require(
        found == NEEDED,
        FindingKind("schema_version", remedy),
        "schema",
        message,
    );
    Ok(())
}

/// The rights of each role on each table.
const TABLE_RIGHTS: &str = "
select c.relname::text, c.relrowsecurity, r.role, array(
  select p from unnest(array['SELECT','INSERT','UPDATE','DELETE','TRUNCATE','REFERENCES','TRIGGER']) p
  where has_table_privilege(r.role, c.oid, p))
from pg_catalog.pg_class c, unnest(array['anon', 'authenticated', 'service_role']) r(role)
where c.relnamespace = 'public'::regnamespace and c.relkind = 'r'
order by 1, 3";

async fn tables(client: &Client, report: &mut Report) -> Result<(), GatewayError> {
    let mut missing: BTreeSet<&str> = PUBLIC_TABLES
        .iter()
        .chain(SERVICE_TABLES)
        .copied()
        .collect();
    for row in rows(client, TABLE_RIGHTS).await? {
        let (table, secured, role): (String, bool, String) = (row.get(0), row.get(1), row.get(2));
        let rights: Vec<String> = row.get(3);
        let public = PUBLIC_TABLES.contains(&table.as_str());
        if !public && !SERVICE_TABLES.contains(&table.as_str()) {
            continue;
        }
        missing.remove(table.as_str());
        let kind = FindingKind("row_security", "alter table … enable row level security");
        report.require(secured, kind, &table, "row-level security is off");
        let reads = rights.iter().any(|right| right == "SELECT");
        if role == "service_role" {
            let kind = FindingKind("service_right", MIGRATE);
            report.require(reads, kind, &table, "the service may not read it");
            continue;
        }
        for right in &rights {
            let message = format!("{role} may {}", right.to_lowercase());
            let allowed = public && right == "SELECT";
            report.require(
                allowed,
                FindingKind("right_too_many", RIGHTS),
                &table,
                message,
            );
        }
        let kind = FindingKind("right_missing", "grant select to anon, authenticated");
        let message = format!("{role} may not select");
        report.require(!public || reads, kind, &table, message);
    }
    for table in missing {
        report.require(
            false,
            FindingKind("table_missing", MIGRATE),
            table,
            "is missing",
        );
    }
    Ok(())
}

async fn policies(client: &Client, report: &mut Report) -> Result<(), GatewayError> {
    let found = rows(
        client,
        "select tablename::text, policyname::text, permissive, roles::text[], cmd \
         from pg_catalog.pg_policies where schemaname = 'public' order by 1, 2",
    )
    .await?;
    let mut expected: BTreeSet<(String, String)> = BTreeSet::new();
    for table in PUBLIC_TABLES {
        expected.insert(((*table).into(), "readable".into()));
    }
    for table in PUBLIC_TABLES.iter().chain(SERVICE_TABLES) {
        expected.insert(((*table).into(), "service".into()));
    }
    let ours: BTreeSet<String> = expected.iter().map(|(table, _)| table.clone()).collect();
    for row in found {
        let (table, name): (String, String) = (row.get(0), row.get(1));
        if !ours.contains(&table) {
            continue;
        }
        let mut roles: Vec<String> = row.get(3);
        roles.sort();
        let (permissive, command): (String, String) = (row.get(2), row.get(4));
        let shape = format!("{permissive} {command} {}", roles.join(","));
        let known = expected.remove(&(table.clone(), name.clone()));
        let right = match name.as_str() {
            "readable" => "PERMISSIVE SELECT anon,authenticated",
            "service" => "PERMISSIVE ALL service_role",
            _ => "",
        };
        let message = format!("the policy {name} ({shape}) is not one of ours");
        let kind = FindingKind("policy_unknown", POLICIES);
        report.require(known && shape == right, kind, &table, message);
    }
    for (table, name) in expected {
        let message = format!("the policy {name} is missing");
        report.require(
            false,
            FindingKind("policy_missing", POLICIES),
            table,
            message,
        );
    }
    Ok(())
}

const FUNCTION_RIGHTS: &str = "
select p.proname::text, p.prosecdef, coalesce(p.proconfig::text[], '{}'),
  has_function_privilege('anon', p.oid, 'EXECUTE') or has_function_privilege('authenticated', p.oid, 'EXECUTE'),
  has_function_privilege('service_role', p.oid, 'EXECUTE')
from pg_catalog.pg_proc p
where p.pronamespace = 'public'::regnamespace and p.proname like 'capitalbench\\_%'
order by 1";

async fn functions(client: &Client, report: &mut Report) -> Result<(), GatewayError> {
    let mut missing: BTreeSet<&str> = FUNCTIONS.iter().copied().collect();
    for row in rows(client, FUNCTION_RIGHTS).await? {
        let (name, definer, settings): (String, bool, Vec<String>) =
            (row.get(0), row.get(1), row.get(2));
        let (by_public, by_service): (bool, bool) = (row.get(3), row.get(4));
        let known = missing.remove(name.as_str());
        let kind = FindingKind("function_unknown", "drop it, or give it another name");
        report.require(known, kind, &name, "is not one of ours");
        let remedy = "revoke execute from public, anon, authenticated";
        let kind = FindingKind("function_public", remedy);
        report.require(!by_public, kind, &name, "the public may call it");
        let kind = FindingKind("function_service", "grant execute to service_role");
        report.require(by_service, kind, &name, "the service may not call it");
        let safe = settings.iter().any(|setting| setting == "search_path=\"\"");
        let kind = FindingKind("function_unsafe", "create it again from migrations/");
        let message = "runs with the rights of its owner or with an open search_path";
        report.require(safe && !definer, kind, &name, message);
    }
    for name in missing {
        report.require(
            false,
            FindingKind("function_missing", MIGRATE),
            name,
            "is missing",
        );
    }
    Ok(())
}
