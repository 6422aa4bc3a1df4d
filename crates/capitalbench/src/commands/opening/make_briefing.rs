//! `make-briefing`: the facts of a round, computed by rule, from files or by a command.

use std::path::Path;

use capitalbench_core::league::settings::BriefingSource;
use capitalbench_operations::opening::briefing::{
    BriefingRequest, Gaps, MadeBriefing, make_briefing_with,
};
use jiff::{Timestamp, Unit};
use serde_json::json;

use crate::cli::MakeBriefing;
use crate::config::operator;
use crate::console::{GOOD, WARNING, document, is_json, line, next_step, paint};
use crate::error::{Error, Exit};
use capitalbench_archive::round::status::round_status;

pub(crate) fn run(arguments: &MakeBriefing) -> Result<Exit, Error> {
    let operator = operator(arguments.now.instant)?;
    let now = operator.now();
    let request = BriefingRequest {
        round: arguments.round.path.clone(),
        source: source(arguments)?,
        cutoff: arguments
            .research_cutoff_utc
            .unwrap_or_else(|| whole_second(now)),
    };
    let gaps = if arguments.allow_gaps {
        Gaps::Stated
    } else {
        Gaps::InTheLastHour
    };
    let made = make_briefing_with(&operator, &request, gaps)?;
    report(&made, &request.source, now)?;
    Ok(Exit::Success)
}

fn source(arguments: &MakeBriefing) -> Result<BriefingSource, Error> {
    if let Some(command) = &arguments.command {
        return Ok(BriefingSource::Command(command.clone()));
    }
    let files = [
        &arguments.market_fact_report,
        &arguments.audit_report,
        &arguments.final_briefing,
    ];
    let [Some(facts), Some(audit), Some(briefing)] = files else {
        return Ok(BriefingSource::Mechanical);
    };
    let text = |path: &Path| {
        let text = path.to_str().map(str::to_owned);
        text.ok_or_else(|| Error::new(format!("{}: the name is not UTF-8", path.display())))
    };
    Ok(BriefingSource::Files {
        facts: text(facts)?,
        audit: text(audit)?,
        briefing: text(briefing)?,
    })
}

/// An instant that people read needs no fraction of a second.
fn whole_second(now: Timestamp) -> Timestamp {
    let floor = jiff::TimestampRound::new()
        .smallest(Unit::Second)
        .mode(jiff::RoundMode::Floor);
    now.round(floor).unwrap_or(now)
}

fn report(made: &MadeBriefing, source: &BriefingSource, now: Timestamp) -> Result<(), Error> {
    let kind = match source {
        BriefingSource::Mechanical => "by rule",
        BriefingSource::Files { .. } => "from files",
        BriefingSource::Command(_) => "by a command",
    };
    let (round, cutoff) = (made.folder.name(), &made.cutoff);
    if is_json() {
        let warnings = made.warnings.iter();
        let warnings: Vec<_> = warnings
            .map(|own| json!({"line": own.line, "phrase": own.phrase, "why": own.why}))
            .collect();
        document(&json!({
            "round_id": round,
            "made": kind,
            "research_cutoff_utc": cutoff.to_string(),
            "gap": made.gap,
            "warnings": warnings,
        }));
        return Ok(());
    }
    for own in &made.warnings {
        let word = paint(WARNING, "warning");
        line(format!(
            "{word} line {}: {:?} {}",
            own.line, own.phrase, own.why
        ));
    }
    if let Some(gap) = &made.gap {
        line(format!(
            "{} {gap}; the briefing says so",
            paint(WARNING, "gap")
        ));
    }
    let text = format!("briefing made {kind}");
    line(format!("{round}: {}, cutoff {cutoff}", paint(GOOD, text)));
    if let Some(next) = round_status(&made.folder, now)?.next {
        next_step(next);
    }
    Ok(())
}
