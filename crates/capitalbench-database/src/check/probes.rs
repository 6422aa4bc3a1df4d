//! Tries as the public what must be refused: uses rights it must not have, and looks for results of an
//! unresolved round that the probe has written. Everything is rolled back.

use serde_json::{Map, Value};
use tokio_postgres::{Client, Transaction};

use super::{FindingKind, POLICIES, PUBLIC_TABLES, RIGHTS, Report, SERVICE_TABLES};
use crate::direct::refused;
use crate::gateway::GatewayError;

const PERMISSION_DENIED: &str = "42501";

/// The round of the probes; it never exists outside a transaction that is rolled back.
const PROBE: &str = "capitalbench-check-probe";

/// Rows about an unresolved round that the public must not see.
const WITHHELD: [(&str, &str); 12] = [
    (
        "prices",
        r#"{"side": "exit", "universe_key": "u", "option_id": "A", "price_usd": 1.5, "price_field": "close"}"#,
    ),
    (
        "interim_points",
        r#"{"snapshot_date": "2020-01-10", "model_id": "m", "interim_return_fraction": 0.5,
        "interim_reference_fraction": 0.25, "interim_alpha_fraction": 0.25}"#,
    ),
    (
        "round_results",
        r#"{"reference_return_fraction": 0.5, "cash_return_fraction": 0, "oracle_return_fraction": 0.5}"#,
    ),
    (
        "option_returns",
        r#"{"universe_key": "u", "option_id": "A", "return_fraction": 0.5, "rank": 1}"#,
    ),
    (
        "outcomes",
        r#"{"model_id": "m", "rank": 1, "return_fraction": 0.5, "alpha_fraction": 0.25, "score": 50,
        "beats_reference": true, "beats_cash": true, "primary_option_id": "A", "primary_return_fraction": 0.5, "hhi": 1}"#,
    ),
    (
        "control_outcomes",
        r#"{"model_id": "m", "return_fraction": 0.5, "alpha_fraction": 0.25, "score": 50,
        "beats_reference": true, "beats_cash": true, "primary_option_id": "A", "primary_return_fraction": 0.5, "hhi": 1}"#,
    ),
    (
        "repeated_calls",
        r#"{"run_id": "r", "model_id": "m", "valid_replicates": 1, "invalid_replicates": 0}"#,
    ),
    (
        "round_files",
        r#"{"sha256": "0000000000000000000000000000000000000000000000000000000000000000", "file_count": 1,
        "byte_count": 1, "holds_results": true, "content": "x"}"#,
    ),
    (
        "log_files",
        r#"{"sha256": "0000000000000000000000000000000000000000000000000000000000000000", "file_count": 1,
        "byte_count": 1, "holds_results": true, "content": "x"}"#,
    ),
    (
        "publication_documents",
        r#"{"kind": "result", "name": "capitalbench-check-probe", "document": "{\"score\":1}"}"#,
    ),
    (
        "publication_documents",
        r#"{"kind": "interim", "name": "capitalbench-check-probe/2020-01-10", "day": "2020-01-10", "document": "[]"}"#,
    ),
    (
        "set_rows",
        r#"{"set_id": "capitalbench-check-probe", "entrant": "oracle", "entrant_id": "oracle", "score": 100}"#,
    ),
];

/// Inserts a round that has not ended, and a set that counts it.
const SETTING: &str = "
set constraints all deferred;
insert into public.rounds (part, content_sha256, round_id, state, title, horizon, entry_date, exit_date,
  universe_key, reference_option_id, submission_format, official_run_id, model_count, control_count,
  has_entry_prices, is_synthetic, missing_count)
values ('round/capitalbench-check-probe', repeat('0', 64), 'capitalbench-check-probe', 'pending', '', '',
  '2020-01-03', '2020-01-10', 'u', 'A', 'portfolio', 'r', 1, 0, true, false, 0);
insert into public.comparison_sets (part, content_sha256, set_id, track, label, status, origin, roster_rule,
  started_round_id, model_count, included_round_count, excluded_round_count, separate_windows)
values ('set/capitalbench-check-probe', repeat('0', 64), 'capitalbench-check-probe', 'weekly', '', 'current',
  'policy', 'contains', 'capitalbench-check-probe', 1, 1, 0, 1);
insert into public.set_rounds (part, content_sha256, set_id, round_id, role)
values ('set/capitalbench-check-probe', repeat('0', 64), 'capitalbench-check-probe', 'capitalbench-check-probe', 'included');
";

pub(super) async fn run(client: &mut Client, report: &mut Report) -> Result<(), GatewayError> {
    for role in ["anon", "authenticated"] {
        let transaction = client.transaction().await.map_err(|e| refused(&e))?;
        let statement = format!("set local role {role}");
        let became = transaction.batch_execute(&statement).await;
        if let Err(error) = became {
            let message = format!("could not be tried: {}", refused(&error));
            let remedy = "grant the roles anon and authenticated to the user of DATABASE_URL";
            report.require(false, FindingKind("probe_skipped", remedy), role, message);
            continue;
        }
        drop(transaction);
        rights(client, role, report).await?;
        withheld(client, role, report).await?;
    }
    Ok(())
}

/// Statements that must be refused with "permission denied".
async fn rights(client: &mut Client, role: &str, report: &mut Report) -> Result<(), GatewayError> {
    let mut statements = Vec::new();
    for table in PUBLIC_TABLES.iter().chain(SERVICE_TABLES) {
        statements.push(format!("delete from public.{table} where false"));
        statements.push(format!("insert into public.{table} select where false"));
    }
    for table in SERVICE_TABLES {
        statements.push(format!("select 1 from public.{table}"));
    }
    for call in [
        "capitalbench_apply('{}')",
        "capitalbench_state()",
        "capitalbench_claim_job('probe', 60)",
        "capitalbench_finish_job('probe', 0)",
    ] {
        statements.push(format!("select public.{call}"));
    }
    for statement in statements {
        let transaction = client.transaction().await.map_err(|e| refused(&e))?;
        become_role(&transaction, role).await?;
        let tried = transaction.batch_execute(&statement).await;
        let denied = tried.is_err_and(|error| {
            let code = error.code().map(tokio_postgres::error::SqlState::code);
            code == Some(PERMISSION_DENIED)
        });
        let message = format!("{role} was not refused");
        report.require(
            denied,
            FindingKind("probe_not_refused", RIGHTS),
            statement,
            message,
        );
    }
    Ok(())
}

async fn become_role(transaction: &Transaction<'_>, role: &str) -> Result<(), GatewayError> {
    let statement = format!("set local role {role}");
    let became = transaction.batch_execute(&statement).await;
    became.map_err(|error| refused(&error))
}

/// Writes results of an unresolved round and looks for them as the public.
async fn withheld(
    client: &mut Client,
    role: &str,
    report: &mut Report,
) -> Result<(), GatewayError> {
    let transaction = client.transaction().await.map_err(|e| refused(&e))?;
    let failed = |error: tokio_postgres::Error| refused(&error);
    transaction.batch_execute(SETTING).await.map_err(failed)?;
    for (place, (table, values)) in WITHHELD.iter().enumerate() {
        let digest = format!("{:064x}", place + 1);
        let own: Map<String, Value> = serde_json::from_str(values).unwrap_or_default();
        let names: Vec<&str> = own.keys().map(String::as_str).collect();
        let packed = if own.contains_key("content") {
            ("packed_sha256, ", "repeat('0', 64), ")
        } else {
            ("", "")
        };
        // Rows of a set belong to no round, so they have no such column.
        let round = (*table != "set_rows").then_some("round_id, ");
        let columns = format!("{}{}", round.unwrap_or_default(), names.join(", "));
        let statement = format!(
            "insert into public.{table} ({}part, content_sha256, {columns}) \
             select {}'round/{PROBE}', '{digest}', {columns} from jsonb_populate_record(\
             null::public.{table}, '{values}'::jsonb || jsonb_build_object('round_id', '{PROBE}'))",
            packed.0, packed.1
        );
        transaction
            .batch_execute(&statement)
            .await
            .map_err(failed)?;
    }
    become_role(&transaction, role).await?;
    for (place, (table, _)) in WITHHELD.iter().enumerate() {
        let digest = format!("{:064x}", place + 1);
        let statement = format!("select 1 from public.{table} where content_sha256 = '{digest}'");
        let seen = transaction.query(&statement, &[]).await.map_err(failed)?;
        let message = format!("{role} sees the result of a round that is not resolved");
        let kind = FindingKind("result_readable", POLICIES);
        report.require(seen.is_empty(), kind, *table, message);
    }
    Ok(())
}
