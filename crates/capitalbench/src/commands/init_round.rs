//! `init-round`: a new round with dates from the exchange calendar.

use std::collections::BTreeSet;

use capitalbench_archive::disk::error::FileError;
use capitalbench_archive::disk::file_ops;
use capitalbench_archive::disk::shell::shell_word;
use capitalbench_archive::format::round::models::{self, ModelSettings};
use capitalbench_archive::format::{round::options, utf8};
use capitalbench_archive::round::new_round::{NewRound, create};
use capitalbench_core::decision::portfolio::Constraints;
use capitalbench_core::market::calendar::{
    WindowPlan, WindowRule, next_session, open_at, plan_window,
};
use capitalbench_core::market::universe::Universe;
use capitalbench_core::market::universes::{DEFAULT_VERSION, shipped, versions};
use capitalbench_core::round::manifest::{Manifest, Origins, Stream, SubmissionFormat, host_of};
use capitalbench_core::round::methodology::Methodology;
use capitalbench_core::round::roster::Roster;
use capitalbench_core::values::ids::RoundId;
use capitalbench_core::values::time::Stamp;
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan as _};
use serde_json::json;

use super::Exit;
use super::providers::base_url;
use crate::cli::{Format, InitRound, Source};
use crate::clock::now_or;
use crate::console::{BOLD, DIM, WARNING, document, line, paint, plural, remark};
use crate::error::CommandError;

pub(crate) fn run(arguments: &InitRound) -> Result<Exit, CommandError> {
    let now = now_or(arguments.now.instant);
    let round_id = RoundId::parse(&arguments.round_id)
        .map_err(|error| CommandError::new(format!("--round-id: {error}")))?;
    let deadline = match arguments.window.decision_deadline {
        Some(deadline) => deadline,
        None => next_opening(now)?,
    };
    if deadline <= now {
        let text = format!("--decision-deadline {deadline} has passed");
        return Err(CommandError::new(text).hint("choose an instant in the future"));
    }
    let rule = WindowRule {
        entry: arguments.window.entry_rule,
        roll: arguments.window.roll,
    };
    let plan = plan_window(deadline, arguments.horizon, rule)
        .map_err(|error| CommandError::new(error.to_string()))?;
    let (version, yaml, universe) = universe(arguments)?;
    let manifest = manifest(arguments, round_id, &plan, version, (deadline, now))?;
    let description = format!(
        "Which allocation does a model choose for the next {}?",
        &arguments.horizon.horizon()["one ".len()..]
    );
    let notes = format!("{}; {}", plan.entry_reason, plan.exit_reason);
    let folder = create(
        &arguments.rounds.folder,
        &NewRound {
            manifest: &manifest,
            track: arguments.horizon,
            description: &description,
            notes: &notes,
            universe: &universe,
            options_yaml: &yaml,
        },
    )?;
    let next = format!(
        "capitalbench import-research --round {} --market-fact-report FILE --audit-report FILE \
         --final-briefing FILE --research-cutoff-utc INSTANT",
        shell_word(folder.path())
    );
    if arguments.output.json {
        document(&json!({
            "round_id": folder.name(),
            "folder": folder.path().display().to_string(),
            "decision_deadline": deadline.to_string(),
            "entry_date": plan.window.entry.to_string(),
            "entry_reason": plan.entry_reason,
            "exit_date": plan.window.exit.to_string(),
            "exit_reason": plan.exit_reason,
            "cautions": plan.cautions,
            "proof": manifest.proof.as_str(),
            "options": universe.options().len(),
            "models": manifest.roster.as_ref().map_or(0, |roster| roster.model_ids.len()),
            "next": next,
        }));
    } else {
        print(&manifest, &plan, universe.options().len(), &next);
    }
    Ok(Exit::Success)
}

fn print(manifest: &Manifest, plan: &WindowPlan, options: usize, next: &str) {
    line(format!("{} created", paint(BOLD, &manifest.round_id)));
    if let Some(deadline) = &manifest.decision_deadline {
        line(format!("  deadline  {deadline}"));
    }
    line(format!(
        "  entry     {}  {}",
        plan.window.entry,
        paint(DIM, &plan.entry_reason)
    ));
    line(format!(
        "  exit      {}  {}",
        plan.window.exit,
        paint(DIM, &plan.exit_reason)
    ));
    let version = manifest.universe_version.as_deref().unwrap_or("own");
    line(format!("  universe  {version}, {options} options"));
    match &manifest.roster {
        Some(roster) => line(format!(
            "  roster    {}",
            plural(roster.model_ids.len(), "model")
        )),
        None => line("  roster    not frozen; give --models to freeze one"),
    }
    if !manifest.proof.is_none() {
        line(format!("  proof     {}", manifest.proof.as_str()));
    }
    for caution in &plan.cautions {
        remark(format!("{} {caution}", paint(WARNING, "caution:")));
    }
    line(format!("{} {next}", paint(DIM, "next:")));
}

/// Minutes before the opening by which everybody must have decided.
const BEFORE_OPENING: i64 = 5;

/// A little before the next time the exchange opens.
fn next_opening(now: Timestamp) -> Result<Timestamp, CommandError> {
    let far = || CommandError::new("the exchange calendar ends before the next session");
    let mut day = TimeZone::UTC.to_datetime(now).date();
    loop {
        let deadline = open_at(day).map(|open| open - BEFORE_OPENING.minutes());
        if let Some(deadline) = deadline.filter(|deadline| *deadline > now) {
            return Ok(deadline);
        }
        day = next_session(day).ok_or_else(far)?;
    }
}

/// Version, bytes and options of the chosen universe.
fn universe(arguments: &InitRound) -> Result<(String, String, Universe), CommandError> {
    let choice = &arguments.universe;
    if let Some(file) = &choice.universe {
        let bytes = file_ops::read(file).map_err(FileError::from)?;
        let in_file = |fault: capitalbench_archive::disk::error::Fault| fault.in_file(file);
        let universe = options::parse(&bytes).map_err(in_file)?;
        let yaml = utf8(&bytes).map_err(in_file)?.to_owned();
        let stem = file
            .file_stem()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        return Ok((
            choice.universe_version.clone().unwrap_or(stem),
            yaml,
            universe,
        ));
    }
    let version = choice
        .universe_version
        .as_deref()
        .unwrap_or(DEFAULT_VERSION);
    let Some(yaml) = shipped(version) else {
        let known = versions().join(", ");
        let text = format!("--universe-version {version}: the shipped universes are {known}");
        return Err(CommandError::new(text).hint("give your own with --universe FILE"));
    };
    let universe = options::parse(yaml.as_bytes())
        .map_err(|fault| CommandError::new(format!("shipped universe {version}: {fault}")))?;
    Ok((version.to_owned(), yaml.to_owned(), universe))
}

fn manifest(
    arguments: &InitRound,
    round_id: RoundId,
    plan: &WindowPlan,
    universe_version: String,
    (deadline, now): (Timestamp, Timestamp),
) -> Result<Manifest, CommandError> {
    let format = match arguments.submission_format {
        Format::SinglePick => SubmissionFormat::SinglePick,
        Format::Portfolio => SubmissionFormat::Portfolio,
    };
    let methodology = Methodology::of_new_round(format);
    let created = stamp(now)?;
    let rules = (&methodology, &created);
    let (roster, provider_hosts) = roster(arguments, &round_id, deadline, rules)?;
    let origins = Origins {
        provider_hosts,
        ..price_origins(arguments)
    };
    let (entry, exit) = (plan.window.entry, plan.window.exit);
    Ok(Manifest {
        title: format!("CapitalBench {round_id}"),
        round_id,
        horizon: arguments.horizon.horizon().to_owned(),
        decision_date: Some(TimeZone::UTC.to_datetime(deadline).date()),
        decision_deadline: Some(stamp(deadline)?),
        window: Some(plan.window),
        window_rule: Some(plan.rule),
        entry_rule: format!("Adjusted close of {entry}"),
        exit_rule: format!("Adjusted close of {exit}"),
        created_at: Some(created),
        methodology,
        universe_version: Some(universe_version),
        format,
        constraints: Constraints::default(),
        roster,
        stream: if arguments.synthetic {
            Stream::Synthetic
        } else {
            Stream::Primary
        },
        proof: arguments.proof,
        origins,
    })
}

/// The frozen roster, and the hosts its models are asked at.
fn roster(
    arguments: &InitRound,
    round_id: &RoundId,
    deadline: Timestamp,
    (methodology, created): (&Methodology, &Stamp),
) -> Result<(Option<Roster>, Vec<String>), CommandError> {
    let Some(file) = &arguments.models else {
        return Ok((None, Vec::new()));
    };
    let bytes = file_ops::read(file).map_err(FileError::from)?;
    let settings = models::parse_settings(&bytes).map_err(|fault| fault.in_file(file))?;
    let active: Vec<&ModelSettings> = settings
        .iter()
        .filter(|model| model.contestant.is_active(round_id, deadline))
        .collect();
    if active.is_empty() {
        let file = file.display();
        let text = format!("{file} has no model that is active at {deadline}");
        return Err(CommandError::new(text));
    }
    let ids = active.iter().map(|model| model.contestant.model_id.clone());
    let roster = Roster::new(ids.collect(), created.clone(), methodology);
    let hosts = active.iter().filter_map(|model| base_url(model));
    let hosts: BTreeSet<String> = hosts.filter_map(host_of).collect();
    Ok((Some(roster), hosts.into_iter().collect()))
}

/// Where prices will come from; an invented market has no vendor.
fn price_origins(arguments: &InitRound) -> Origins {
    let usual = (!arguments.synthetic).then_some(Source::Tiingo);
    let chosen = &arguments.prices;
    Origins {
        price_source: chosen.price_source.or(usual).map(Source::name),
        second_price_source: chosen.second_price_source.map(Source::name),
        provider_hosts: Vec::new(),
    }
}

/// An instant as operators write it, to the second.
fn stamp(at: Timestamp) -> Result<Stamp, CommandError> {
    let whole = Timestamp::from_second(at.as_second())
        .map_err(|error| CommandError::new(error.to_string()))?;
    Stamp::parse(&whole.to_string()).ok_or_else(|| CommandError::new(format!("{at} is no instant")))
}
