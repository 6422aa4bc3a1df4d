//! `import-research`: three reports into a round, one of them for models.

use anstyle::Style;
use capitalbench_archive::disk::error::FileError;
use capitalbench_archive::disk::file_ops;
use capitalbench_archive::disk::layout;
use capitalbench_archive::format::{round::manifest, utf8};
use capitalbench_archive::round::ending;
use capitalbench_archive::round::research_import::{ImportError, Reports, import};
use capitalbench_archive::round::round_folder::RoundFolder;
use capitalbench_archive::round::status::round_status;
use capitalbench_core::asking::briefing::{BriefingProblem, Level};
use capitalbench_core::values::time::WrittenInstant;
use capitalbench_operations::operator::clock::now_or;
use serde_json::json;

use crate::cli::ImportResearch;
use crate::console::{ERROR, GOOD, WARNING, document, is_json, line, next_step, paint};
use crate::error::{Error, Exit};

pub(crate) fn run(arguments: &ImportResearch) -> Result<Exit, Error> {
    let folder = RoundFolder::open(&arguments.round.path)?;
    ending::require_open(&folder)?;
    let rules = folder.parse(layout::MANIFEST, manifest::parse)?;
    let read = |path: &std::path::Path| file_ops::read(path).map_err(FileError::from);
    let market_facts = read(&arguments.market_fact_report)?;
    let audit = read(&arguments.audit_report)?;
    let final_briefing = read(&arguments.final_briefing)?;
    // The message names the file that was given, not the one it would have become.
    utf8(&final_briefing).map_err(|fault| fault.in_file(&arguments.final_briefing))?;
    let reports = Reports {
        market_facts: &market_facts,
        audit: &audit,
        final_briefing: &final_briefing,
    };
    let cutoff = WrittenInstant::parse(&arguments.research_cutoff_utc.to_string())
        .ok_or_else(|| Error::new("--research-cutoff-utc is not an instant"))?;
    let (problems, imported) = match import(&folder, &rules, reports, &cutoff) {
        Ok(warnings) => (warnings, true),
        Err(ImportError::Briefing(problems)) => (problems, false),
        Err(error) => return Err(Error::new(error.to_string())),
    };
    if is_json() {
        let problems: Vec<_> = problems.iter().map(as_json).collect();
        document(&json!({"imported": imported, "problems": problems}));
        return Ok(Exit::of(imported));
    }
    let file = arguments.final_briefing.display();
    for problem in &problems {
        let (style, word) = level(problem);
        let place = format!("{file}:{}", problem.line);
        let (word, phrase, why) = (paint(style, word), &problem.phrase, &problem.why);
        line(format!("{word} {place}: {phrase:?} {why}"));
    }
    let round = folder.name();
    if imported {
        line(format!("{round}: {}", paint(GOOD, "research imported")));
        if let Some(next) = round_status(&folder, now_or(None))?.next {
            next_step(next);
        }
    } else {
        line(format!(
            "{round}: the briefing was refused; nothing was written"
        ));
    }
    Ok(Exit::of(imported))
}

fn level(problem: &BriefingProblem) -> (Style, &'static str) {
    match problem.level {
        Level::Error => (ERROR, "error"),
        Level::Warning => (WARNING, "warning"),
    }
}

fn as_json(problem: &BriefingProblem) -> serde_json::Value {
    json!({
        "level": level(problem).1,
        "line": problem.line,
        "phrase": problem.phrase,
        "why": problem.why,
    })
}
