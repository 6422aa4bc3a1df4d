//! `db migrate` and `db check`.

use capitalbench_database::check::{Report, check};
use capitalbench_database::direct::Direct;
use capitalbench_database::migrations::{MigrateError, NEEDED, migrate};
use capitalbench_operations::operator::wait;
use serde_json::json;

use crate::cli::{Db, DbVerb};
use crate::config::operator;
use crate::console::{ERROR, GOOD, document, is_json, line, paint, plural, show, table};
use crate::error::{Error, Exit};

pub(crate) fn run(arguments: &Db) -> Result<Exit, Error> {
    match &arguments.verb {
        DbVerb::Migrate => run_migrate(),
        DbVerb::Check => run_check(),
    }
}

fn run_migrate() -> Result<Exit, Error> {
    let url = operator(None)?.configuration.required_database()?;
    let applied = wait(async {
        let mut direct = Direct::connect(&url).await?;
        let migrated = migrate(direct.client()).await;
        migrated.map_err(|error| not_migrated(&error))
    })??;
    if is_json() {
        document(&json!({"applied": applied, "schema_version": NEEDED}));
        return Ok(Exit::Success);
    }
    for name in &applied {
        line(format!("applied {name}"));
    }
    line(match applied.len() {
        0 => format!("the schema is version {NEEDED}; nothing to do"),
        _ => format!("the schema is now version {NEEDED}"),
    });
    Ok(Exit::Success)
}

fn not_migrated(error: &MigrateError) -> Error {
    let hint = match error {
        MigrateError::Refused { error, .. } => match error.remedy() {
            remedy if remedy.contains("db migrate") => "nothing was changed",
            remedy => remedy,
        },
        MigrateError::Changed { .. } => {
            "use the program that made this schema, or a fresh database and `sync-web`"
        }
        MigrateError::Ahead(error) => error.remedy(),
    };
    Error::new(error.to_string()).hint(hint)
}

fn run_check() -> Result<Exit, Error> {
    let url = operator(None)?.configuration.required_database()?;
    let report = wait(async {
        let mut direct = Direct::connect(&url).await?;
        check(direct.client()).await
    })??;
    show(|| json!(report), || print(&report));
    Ok(Exit::of(report.findings.is_empty()))
}

fn print(report: &Report) {
    let looked_at = format!(
        "schema version {}, {} looked at",
        report.schema_version,
        plural(report.looked_at, "fact")
    );
    if report.findings.is_empty() {
        line(format!("{looked_at}: {}", paint(GOOD, "all as it must be")));
        return;
    }
    let rows = report.findings.iter().map(|found| {
        vec![
            found.code.to_owned(),
            found.subject.clone(),
            found.message.clone(),
            found.remedy.to_owned(),
        ]
    });
    line(table("finding | where | what | remedy", rows.collect()));
    let count = plural(report.findings.len(), "finding");
    line(format!("{looked_at}: {}", paint(ERROR, count)));
}
