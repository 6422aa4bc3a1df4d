//! Compares the schema word for word with what the migrations make, in both directions.
//!
//! Every migration runs once more into a schema of its own, in a transaction that is rolled back, and the
//! server writes out what both schemas hold. So the texts are compared as this server version writes them.
//! The tables in use are not locked.

use std::collections::BTreeMap;

use tokio_postgres::{Client, Transaction};

use super::{FindingKind, Report};
use crate::direct::refused;
use crate::gateway::GatewayError;
use crate::migrations::{ALL, LEDGER};

mod aspects;

use aspects::{ASPECTS, Aspect, COMPARED};

/// The schema of the comparison; it is always rolled back.
const SCHEMA: &str = "capitalbench_expected";

/// This migration changes the storage, which lies outside the schema.
const ELSEWHERE: &str = "0009_storage";

/// Texts by subject.
type Texts = BTreeMap<String, String>;

/// Compares both schemas, and every row with its digest.
pub(super) async fn run(client: &mut Client, report: &mut Report) -> Result<(), GatewayError> {
    let (both, changed) = match texts(client).await {
        Ok(found) => found,
        Err(error) => {
            let message = format!("could not be compared with the migrations: {error}");
            let remedy = "run it as the owner of the tables, with the right to create a schema";
            let kind = FindingKind("text_skipped", remedy);
            report.require(false, kind, "policies and functions", message);
            return Ok(());
        }
    };
    let tables: Vec<String> = both
        .first()
        .map_or_else(Vec::new, |(_, found)| found.keys().cloned().collect());
    for (aspect, (expected, found)) in ASPECTS.iter().zip(&both) {
        compare(aspect, expected, found, &tables, report);
    }
    let remedy = "run `capitalbench sync-web --include-cumulative`, and find out who wrote there";
    for (subject, message) in changed {
        report.require(false, FindingKind("row_changed", remedy), subject, message);
    }
    Ok(())
}

fn compare(
    aspect: &Aspect,
    expected: &Texts,
    found: &Texts,
    tables: &[String],
    report: &mut Report,
) {
    let kind = FindingKind(aspect.changed, aspect.remedy);
    for (subject, text) in expected {
        if let Some(now) = found.get(subject) {
            let message = format!("is {}; it must be {}", short(now), short(text));
            report.require(now == text, kind, subject, message);
            continue;
        }
        // Other checks report missing tables, policies and functions, and whatever belongs to a missing
        // table is missing with it.
        let table = subject.split([':', '.']).next().unwrap_or_default();
        let told = aspect.missing_is_told || !tables.iter().any(|there| there == table);
        report.require(told, kind, subject, "is missing");
    }
    for (subject, text) in found {
        if !expected.contains_key(subject) {
            let text = if text.is_empty() { subject } else { text };
            let message = format!("is not on the list: {}", short(text));
            let kind = FindingKind(aspect.unknown, aspect.remedy);
            report.require(false, kind, subject, message);
        }
    }
}

/// The start of a text on one line.
fn short(text: &str) -> String {
    const MOST: usize = 160;
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match text.char_indices().nth(MOST) {
        Some((end, _)) => format!("`{}…`", &text[..end]),
        None => format!("`{text}`"),
    }
}

/// The expected and the found texts of each aspect, and the rows that do not match their digests.
type Found = (Vec<(Texts, Texts)>, Vec<(String, String)>);

async fn texts(client: &mut Client) -> Result<Found, GatewayError> {
    let failed = |error: tokio_postgres::Error| refused(&error);
    let transaction = client.transaction().await.map_err(failed)?;
    let begin = format!(
        "set local client_min_messages = warning; create schema {SCHEMA}; set local search_path = ''"
    );
    transaction.batch_execute(&begin).await.map_err(failed)?;
    let ledger = elsewhere(LEDGER);
    transaction.batch_execute(&ledger).await.map_err(failed)?;
    for migration in ALL.iter().filter(|migration| migration.name != ELSEWHERE) {
        let sql = elsewhere(migration.sql);
        transaction.batch_execute(&sql).await.map_err(failed)?;
    }
    let mut both = Vec::new();
    for aspect in ASPECTS {
        let expected = of_schema(&transaction, aspect, SCHEMA).await?;
        let found = of_schema(&transaction, aspect, "public").await?;
        both.push((expected, found));
    }
    let changed = changed_rows(&transaction).await?;
    transaction.rollback().await.map_err(failed)?;
    Ok((both, changed))
}

async fn of_schema(
    transaction: &Transaction<'_>,
    aspect: &Aspect,
    schema: &str,
) -> Result<Texts, GatewayError> {
    let rows = transaction.query(aspect.question, &[&schema]).await;
    let rows = rows.map_err(|error| refused(&error))?;
    let texts = rows.iter().map(|row| {
        let (subject, text): (String, String) = (row.get(0), row.get(1));
        let text = text.replace(&format!("{SCHEMA}."), "public.");
        (subject, text.replace(&format!("'{SCHEMA}'"), "'public'"))
    });
    Ok(texts.collect())
}

/// Computes the digest of every row with the expressions of the migrations, not with those of the tables.
async fn changed_rows(
    transaction: &Transaction<'_>,
) -> Result<Vec<(String, String)>, GatewayError> {
    let failed = |error: tokio_postgres::Error| refused(&error);
    let tables = transaction.query(COMPARED, &[&SCHEMA]).await;
    let mut changed = Vec::new();
    for row in tables.map_err(failed)? {
        let (table, holds): (String, String) = (row.get(0), row.get(1));
        let question = format!(
            "select part, count(*) from public.\"{table}\" where ({holds}) is not true \
             group by part order by part limit 20"
        );
        // A table with other columns already has a finding for that.
        transaction
            .batch_execute("savepoint rows")
            .await
            .map_err(failed)?;
        let Ok(rows) = transaction.query(&question, &[]).await else {
            transaction
                .batch_execute("rollback to rows")
                .await
                .map_err(failed)?;
            continue;
        };
        for row in rows {
            let (part, count): (String, i64) = (row.get(0), row.get(1));
            let message = format!("{count} rows of part {part} do not match their digests");
            changed.push((table.clone(), message));
        }
    }
    Ok(changed)
}

/// Rewrites a migration for the schema of the comparison.
fn elsewhere(sql: &str) -> String {
    sql.replace("public.", &format!("{SCHEMA}."))
        .replace("'public'", &format!("'{SCHEMA}'"))
        .replace("schema public", &format!("schema {SCHEMA}"))
}
