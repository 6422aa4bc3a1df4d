//! What the migrations make, word for word, against what is there.
//!
//! Every migration is run once more into a schema of its own, in a transaction that is rolled back, and
//! the server is asked to write out policies, functions and constraints of both. So the text is compared
//! as this very server understands it, whatever its version. The tables in use are not locked for it.

use std::collections::BTreeMap;

use tokio_postgres::Client;

use super::{MIGRATE, POLICIES, Report, finding};
use crate::direct::refused;
use crate::gateway::GatewayError;
use crate::migrations::{ALL, LEDGER};

/// The schema that never stays.
const SCHEMA: &str = "capitalbench_expected";

/// The storage is outside of the schema.
const ELSEWHERE: &str = "0009_storage";

const FUNCTION: &str = "make it again from migrations/, and find out who changed it";

/// What is compared: the code of a difference, what to do, and a question that answers with a subject and
/// its text. `$1` is the schema.
const ASPECTS: [(&str, &str, &str); 3] = [
    (
        "policy_changed",
        POLICIES,
        "select tablename || ': ' || policyname, format('%s for %s to %s using (%s) with check (%s)',
           permissive, cmd, array(select unnest(roles) order by 1), qual, with_check)
         from pg_catalog.pg_policies where schemaname = $1",
    ),
    (
        "function_changed",
        FUNCTION,
        "select p.proname || '(' || pg_catalog.pg_get_function_identity_arguments(p.oid) || ')',
           pg_catalog.pg_get_functiondef(p.oid)
         from pg_catalog.pg_proc p join pg_catalog.pg_namespace n on n.oid = p.pronamespace
         where n.nspname = $1 and p.proname like 'capitalbench\\_%'",
    ),
    (
        "constraint_changed",
        MIGRATE,
        "select c.relname || ': ' || k.conname, pg_catalog.pg_get_constraintdef(k.oid)
         from pg_catalog.pg_constraint k join pg_catalog.pg_class c on c.oid = k.conrelid
         join pg_catalog.pg_namespace n on n.oid = c.relnamespace where n.nspname = $1",
    ),
];

/// Texts by subject, one map per aspect.
type Texts = [BTreeMap<String, String>; 3];

/// Compares; what is missing or not ours is told by the other checks.
pub(super) async fn run(client: &mut Client, report: &mut Report) -> Result<(), GatewayError> {
    let there = match texts(client).await {
        Ok(texts) => texts,
        Err(error) => {
            let message = format!("could not be compared with the migrations: {error}");
            let remedy = "run it as the owner of the tables, with the right to create a schema";
            report.look(false, || {
                finding("text_skipped", "policies and functions", message, remedy)
            });
            return Ok(());
        }
    };
    let (expected, found) = there;
    for ((code, remedy, _), (expected, found)) in
        ASPECTS.iter().zip(expected.into_iter().zip(found))
    {
        for (subject, text) in expected {
            let Some(now) = found.get(&subject) else {
                // Tables, policies and functions are looked for elsewhere; a constraint only here.
                report.look(*code != "constraint_changed", || {
                    finding(code, subject.as_str(), "is missing", remedy)
                });
                continue;
            };
            report.look(*now == text, || {
                let message = format!("is {}; it must be {}", short(now), short(&text));
                finding(code, subject.as_str(), message, remedy)
            });
        }
    }
    Ok(())
}

/// Two texts of many lines say enough with their beginnings.
fn short(text: &str) -> String {
    const MOST: usize = 160;
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match text.char_indices().nth(MOST) {
        Some((end, _)) => format!("`{}…`", &text[..end]),
        None => format!("`{text}`"),
    }
}

/// What the migrations make, and what is there.
async fn texts(client: &mut Client) -> Result<(Texts, Texts), GatewayError> {
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
    let mut both: (Texts, Texts) = Default::default();
    for (place, (.., question)) in ASPECTS.iter().enumerate() {
        for (schema, texts) in [(SCHEMA, &mut both.0), ("public", &mut both.1)] {
            let rows = transaction.query(*question, &[&schema]).await;
            for row in rows.map_err(failed)? {
                let (subject, text): (String, String) = (row.get(0), row.get(1));
                let text = text.replace(&format!("{SCHEMA}."), "public.");
                let text = text.replace(&format!("'{SCHEMA}'"), "'public'");
                texts[place].insert(subject, text);
            }
        }
    }
    transaction.rollback().await.map_err(failed)?;
    Ok(both)
}

/// A migration for the other schema.
fn elsewhere(sql: &str) -> String {
    sql.replace("public.", &format!("{SCHEMA}."))
        .replace("'public'", &format!("'{SCHEMA}'"))
        .replace("schema public", &format!("schema {SCHEMA}"))
}
