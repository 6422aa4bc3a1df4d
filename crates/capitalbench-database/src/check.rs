//! Whether a database is as it must be: schema, rights, policies, and what the public is refused.

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
    "exposures",
    "habits",
    "holdings",
    "interim_points",
    "log_files",
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

/// Something that is not as it must be.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// What kind of thing it is.
    pub code: &'static str,
    /// Where.
    pub subject: String,
    /// What is wrong.
    pub message: String,
    /// What to do.
    pub remedy: &'static str,
}

/// What was looked at, and what was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Report {
    /// The last migration of the database.
    pub schema_version: i32,
    /// The one that this program needs.
    pub needed_version: i32,
    /// Single facts that were looked at.
    pub looked_at: usize,
    /// What is wrong.
    pub findings: Vec<Finding>,
}

const MIGRATE: &str = "run `capitalbench db migrate`";
const RIGHTS: &str = "revoke it: statements are in migrations/0008_policies.sql";
const POLICIES: &str = "drop it, or make it again: statements are in migrations/";

impl Report {
    fn look(&mut self, holds: bool, finding: impl FnOnce() -> Finding) {
        self.looked_at += 1;
        if !holds {
            self.findings.push(finding());
        }
    }
}

fn finding(
    code: &'static str,
    subject: impl Into<String>,
    message: impl Into<String>,
    remedy: &'static str,
) -> Finding {
    Finding {
        code,
        subject: subject.into(),
        message: message.into(),
        remedy,
    }
}

/// Looks at everything; nothing is changed, and what probes write is rolled back.
pub async fn check(client: &mut Client) -> Result<Report, GatewayError> {
    let mut report = Report {
        schema_version: 0,
        needed_version: NEEDED,
        looked_at: 0,
        findings: Vec::new(),
    };
    // Nothing of the database may stand in for a catalogue.
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
            report.look(ours.digest() == sha256, || {
                let message = "is not the migration of this program";
                finding(
                    "migration_changed",
                    ours.name,
                    message,
                    "restore the database from its source",
                )
            });
        }
    }
    let found = report.schema_version;
    let known: BTreeSet<i32> = ledger.iter().map(|row| row.get(0)).collect();
    for ours in ALL.iter().filter(|ours| ours.version <= found) {
        report.look(known.contains(&ours.version), || {
            let message = "was never applied, though later ones were";
            let remedy = "restore the database from its source";
            finding("migration_missing", ours.name, message, remedy)
        });
    }
    report.look(found == NEEDED, || {
        let message = format!("is version {found}, this program needs {NEEDED}");
        let remedy = if found > NEEDED {
            "install the newer program"
        } else {
            MIGRATE
        };
        finding("schema_version", "schema", message, remedy)
    });
    Ok(())
}

/// What each role may do with a table, beyond what rows it sees.
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
        report.look(secured, || {
            let message = "row-level security is off";
            finding(
                "row_security",
                table.clone(),
                message,
                "alter table … enable row level security",
            )
        });
        if role == "service_role" {
            let works = rights.iter().any(|right| right == "SELECT");
            report.look(works, || {
                finding(
                    "service_right",
                    table.clone(),
                    "the service may not read it",
                    MIGRATE,
                )
            });
            continue;
        }
        for right in &rights {
            report.look(public && right == "SELECT", || {
                let message = format!("{role} may {}", right.to_lowercase());
                finding("right_too_many", table.clone(), message, RIGHTS)
            });
        }
        report.look(
            !public || rights.iter().any(|right| right == "SELECT"),
            || {
                let message = format!("{role} may not select");
                let remedy = "grant select to anon, authenticated";
                finding("right_missing", table.clone(), message, remedy)
            },
        );
    }
    for table in missing {
        report.look(false, || {
            finding("table_missing", table, "is not there", MIGRATE)
        });
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
        report.look(known && shape == right, || {
            let message = format!("the policy {name} ({shape}) is not one of ours");
            finding("policy_unknown", table.clone(), message, POLICIES)
        });
    }
    for (table, name) in expected {
        let message = format!("the policy {name} is missing");
        report.look(false, || {
            finding("policy_missing", table, message, POLICIES)
        });
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
        report.look(known, || {
            let remedy = "drop it, or name it otherwise";
            finding(
                "function_unknown",
                name.clone(),
                "is not one of ours",
                remedy,
            )
        });
        report.look(!by_public, || {
            let remedy = "revoke execute from public, anon, authenticated";
            finding(
                "function_public",
                name.clone(),
                "the public may call it",
                remedy,
            )
        });
        report.look(by_service, || {
            let remedy = "grant execute to service_role";
            finding(
                "function_service",
                name.clone(),
                "the service may not call it",
                remedy,
            )
        });
        let safe = settings.iter().any(|setting| setting == "search_path=\"\"");
        report.look(safe && !definer, || {
            let message = "runs with the rights of its owner or an open search_path";
            finding(
                "function_unsafe",
                name.clone(),
                message,
                "make it again from migrations/",
            )
        });
    }
    for name in missing {
        report.look(false, || {
            finding("function_missing", name, "is not there", MIGRATE)
        });
    }
    Ok(())
}
