//! `init-round`: a new round with dates from the exchange calendar.

use capitalbench_archive::round::status::round_status;
use capitalbench_core::decision::control::own::OwnControl;
use capitalbench_core::market::calendar::WindowRule;
use capitalbench_core::round::failure_policy::FailurePolicy;
use capitalbench_core::round::manifest::{Origins, Stream, SubmissionFormat};
use capitalbench_core::round::methodology::Methodology;
use capitalbench_core::values::ids::RoundId;
use capitalbench_operations::opening::new_round::{OpenedRound, RoundRequest, open_round};
use serde_json::json;

use crate::cli::{Format, InitRound, Source};
use crate::config::{operator, working_league};
use crate::console::{
    BOLD, DIM, WARNING, document, is_json, line, next_step, paint, plural, remark,
};
use crate::error::{Error, Exit};

pub(crate) fn run(arguments: &InitRound) -> Result<Exit, Error> {
    let operator = operator(arguments.now.instant)?;
    let opened = open_round(&operator, &request(arguments)?)?;
    let next = round_status(&opened.folder, operator.now())?.next;
    let next = next.unwrap_or_default();
    if is_json() {
        let (plan, manifest) = (&opened.window, &opened.manifest);
        document(&json!({
            "round_id": opened.folder.name(),
            "folder": opened.folder.path().display().to_string(),
            "decision_deadline": opened.deadline.to_string(),
            "entry_date": plan.window.entry.to_string(),
            "entry_reason": plan.entry_reason,
            "exit_date": plan.window.exit.to_string(),
            "exit_reason": plan.exit_reason,
            "cautions": cautions(&opened),
            "proof": manifest.proof.as_str(),
            "options": opened.options,
            "models": manifest.roster.as_ref().map_or(0, |roster| roster.model_ids.len()),
            "next": next,
        }));
    } else {
        print(&opened, &next);
    }
    Ok(Exit::Success)
}

fn request(arguments: &InitRound) -> Result<RoundRequest, Error> {
    let round_id = RoundId::parse(&arguments.round_id)
        .map_err(|error| Error::new(format!("--round-id: {error}")))?;
    // An invented market has no vendor.
    let usual = (!arguments.synthetic).then_some(Source::Tiingo);
    Ok(RoundRequest {
        rounds: arguments.rounds.folder.clone(),
        round_id,
        track: arguments.horizon,
        format: match arguments.submission_format {
            Format::SinglePick => SubmissionFormat::SinglePick,
            Format::Portfolio => SubmissionFormat::Portfolio,
        },
        methodology: arguments.methodology.clone(),
        deadline: arguments.decision_deadline,
        rule: WindowRule {
            entry: arguments.entry_rule,
            roll: arguments.roll,
        },
        universe: arguments.universe.clone(),
        universe_version: arguments.universe_version.clone(),
        models: arguments.models.clone(),
        stream: if arguments.synthetic {
            Stream::Synthetic
        } else {
            Stream::Primary
        },
        proof: arguments.proof,
        origins: Origins {
            price_source: arguments.price_source.or(usual).map(Source::name),
            second_price_source: arguments.second_price_source.map(Source::name),
            provider_hosts: Vec::new(),
            largest_daily_move_bps: arguments.largest_daily_move_bps,
        },
        failure_policy: FailurePolicy::default(),
        controls: controls(arguments)?,
        lanes: arguments.lanes.clone(),
        publish: arguments.publish_prices,
    })
}

/// In the folder of a league its controls stand in every round whose rules know such controls.
fn controls(arguments: &InitRound) -> Result<Vec<OwnControl>, Error> {
    let label = arguments.methodology.as_deref();
    let knows = Methodology::from_label(label).has_own_controls();
    let league = working_league()?.filter(|_| knows);
    Ok(league.map_or_else(Vec::new, |own| own.league.own_controls))
}

/// What the dates and the plan of the price source make an operator think of.
fn cautions(opened: &OpenedRound) -> Vec<String> {
    let plan = opened.plan_time.as_ref();
    let plan = plan.map(|time| format!("{time}; begin `fetch-universe-performance` early"));
    opened.window.cautions.iter().cloned().chain(plan).collect()
}

fn print(opened: &OpenedRound, next: &str) {
    let (manifest, plan, options) = (&opened.manifest, &opened.window, opened.options);
    line(format!("{} created", paint(BOLD, &manifest.round_id)));
    if let Some(deadline) = &manifest.decision_deadline {
        line(format!("  deadline  {deadline}"));
    }
    let reasons = [&plan.entry_reason, &plan.exit_reason].map(|reason| paint(DIM, reason));
    line(format!("  entry     {}  {}", plan.window.entry, reasons[0]));
    line(format!("  exit      {}  {}", plan.window.exit, reasons[1]));
    let version = manifest.universe_version.as_deref().unwrap_or("own");
    line(format!("  universe  {version}, {options} options"));
    let roster = manifest.roster.as_ref();
    let roster = roster.map(|roster| plural(roster.model_ids.len(), "model"));
    let roster = roster.unwrap_or_else(|| "not frozen; give --models to freeze one".to_owned());
    line(format!("  roster    {roster}"));
    if !manifest.proof.is_none() {
        line(format!("  proof     {}", manifest.proof.as_str()));
    }
    for caution in cautions(opened) {
        remark(format!("{} {caution}", paint(WARNING, "caution:")));
    }
    next_step(next);
}
