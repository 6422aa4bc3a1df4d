//! A new round with dates from the exchange calendar.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use capitalbench_archive::disk::layout;
use capitalbench_archive::format::round::manifest;
use capitalbench_archive::format::round::models::{self, ModelSettings};
use capitalbench_archive::format::{round::options, utf8};
use capitalbench_archive::round::cast::RoundCast;
use capitalbench_archive::round::new_round::{NewRound, create};
use capitalbench_archive::round::round_folder::{RoundFolder, list_rounds};
use capitalbench_core::asking::lanes::Lanes;
use capitalbench_core::decision::control::own::OwnControl;
use capitalbench_core::decision::portfolio::Constraints;
use capitalbench_core::market::calendar::{Market, WindowPlan, WindowRule, plan_window};
use capitalbench_core::market::published_prices::PublishedPrices;
use capitalbench_core::market::universe::Universe;
use capitalbench_core::market::universes::{DEFAULT_VERSION, shipped, versions};
use capitalbench_core::round::failure_policy::FailurePolicy;
use capitalbench_core::round::manifest::{
    Manifest, Origins, Proof, Stream, SubmissionFormat, Track, host_of,
};
use capitalbench_core::round::methodology::Methodology;
use capitalbench_core::round::roster::Roster;
use capitalbench_core::values::ids::RoundId;
use capitalbench_core::values::time::WrittenInstant;
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan as _};

use super::continued::require_continuable;
use crate::asking::providers::{base_url, check_model};
use crate::error::Error;
use crate::operator::Operator;
use crate::operator::files::read;
use crate::prices::plan::priced_options;
use crate::prices::plan_time::PlanTime;
use crate::prices::sources::Vendor;

/// What an operator wants opened.
#[derive(Debug, Clone)]
pub struct RoundRequest {
    pub rounds: PathBuf,
    pub round_id: RoundId,
    pub track: Track,
    pub format: SubmissionFormat,
    /// The label of the rules; by default the usual one of the format.
    pub methodology: Option<String>,
    /// By default a little before the exchange opens next.
    pub deadline: Option<Timestamp>,
    pub rule: WindowRule,
    /// An own universe; by default the shipped one of the version.
    pub universe: Option<PathBuf>,
    pub universe_version: Option<String>,
    /// The models to freeze as the roster.
    pub models: Option<PathBuf>,
    pub stream: Stream,
    pub proof: Proof,
    /// Where prices will come from.
    pub origins: Origins,
    /// When a run without every model's valid answer may be the record; from v1.2 on.
    pub failure_policy: FailurePolicy,
    /// Funds and fixed portfolios that stand beside the models; from v1.2 on.
    pub controls: Vec<OwnControl>,
    /// What is asked beside the record; from v1.2 on.
    pub lanes: Option<Lanes>,
    /// Whether closes will be public, or returns only; the latter from v1.2 on.
    pub publish: PublishedPrices,
}

#[derive(Debug)]
pub struct OpenedRound {
    pub folder: RoundFolder,
    pub manifest: Manifest,
    pub deadline: Timestamp,
    pub window: WindowPlan,
    pub options: usize,
    /// How long the plan of the price source makes a fetch of all options last.
    pub plan_time: Option<PlanTime>,
}

/// Opens a round: plans its window, freezes its rules and roster into a manifest.
pub fn open_round(operator: &Operator, request: &RoundRequest) -> Result<OpenedRound, Error> {
    let now = operator.now();
    let (version, yaml, universe) = universe(request)?;
    let market = universe.market();
    refuse_other_market(&request.rounds, market)?;
    let deadline = match request.deadline {
        Some(deadline) => deadline,
        None => next_opening(market, now)?,
    };
    if deadline <= now {
        let text = format!("--decision-deadline {deadline} has passed");
        return Err(Error::new(text).hint("choose an instant in the future"));
    }
    let opened = create_round(request, (version, yaml, universe), deadline, now)?;
    Ok(OpenedRound {
        plan_time: plan_time(operator, request, now),
        ..opened
    })
}

/// Creates a round whose deadline has passed, so that it can be recorded that nobody opened it: it has
/// no roster, and nothing but its end follows.
pub fn record_missed(operator: &Operator, request: &RoundRequest) -> Result<RoundFolder, Error> {
    let deadline = request
        .deadline
        .ok_or_else(|| Error::new("a missed round needs the deadline that was missed"))?;
    let request = RoundRequest {
        models: None,
        ..request.clone()
    };
    let chosen = universe(&request)?;
    refuse_other_market(&request.rounds, chosen.2.market())?;
    Ok(create_round(&request, chosen, deadline, operator.now())?.folder)
}

fn create_round(
    request: &RoundRequest,
    (version, yaml, universe): (String, String, Universe),
    deadline: Timestamp,
    now: Timestamp,
) -> Result<OpenedRound, Error> {
    let window = plan_window(universe.market(), deadline, request.track, request.rule)
        .map_err(|error| Error::new(error.to_string()))?;
    let manifest = Manifest {
        universe_version: Some(version),
        ..rules(request, &window, deadline, now)?
    };
    refuse_controls(&manifest, &universe)?;
    let description = format!(
        "Which allocation does a model choose for the next {}?",
        &request.track.horizon()["one ".len()..]
    );
    let notes = format!("{}; {}", window.entry_reason, window.exit_reason);
    let folder = create(
        &request.rounds,
        &NewRound {
            manifest: &manifest,
            track: request.track,
            description: &description,
            notes: &notes,
            universe: &universe,
            options_yaml: &yaml,
        },
    )?;
    Ok(OpenedRound {
        folder,
        manifest,
        deadline,
        window,
        options: universe.options().len(),
        plan_time: None,
    })
}

/// A control that cannot stand in its round would be without figures for ever.
fn refuse_controls(manifest: &Manifest, universe: &Universe) -> Result<(), Error> {
    let Some(first) = manifest.controls.first() else {
        return Ok(());
    };
    if !manifest.methodology.has_own_controls() {
        let label = manifest.methodology.label().unwrap_or_default();
        let newest = Methodology::labels_of_new_rounds(manifest.format)[1];
        let text = format!(
            "{label} has no configured controls, and {} is one",
            first.name()
        );
        return Err(Error::new(text).hint(format!("use --methodology {newest}")));
    }
    let mut controls = manifest.controls.iter();
    match controls.find_map(|own| own.problem(universe, manifest.format)) {
        None => Ok(()),
        Some(problem) => Err(Error::new(format!("controls: {problem}"))
            .hint("correct `controls` in league.yaml; no round was created")),
    }
}

/// None where it can be asked for everything at once. A plan that cannot be read is refused by the
/// commands that need it.
fn plan_time(operator: &Operator, request: &RoundRequest, now: Timestamp) -> Option<PlanTime> {
    let vendor = match request.origins.price_source.as_deref()? {
        "tiingo" => Vendor::Tiingo,
        "alphavantage" => Vendor::AlphaVantage,
        _ => return None,
    };
    let (.., universe) = universe(request).ok()?;
    let options = priced_options(&universe, TimeZone::UTC.to_datetime(now).date());
    let time = PlanTime::expected(operator, &vendor, &request.rounds, &options);
    time.ok().flatten()
}

/// Minutes before the opening by which everybody must have decided.
const BEFORE_OPENING: i64 = 5;

/// A little before the next time the market opens.
fn next_opening(market: Market, now: Timestamp) -> Result<Timestamp, Error> {
    let far = || {
        Error::new(format!(
            "the calendar of {market} ends before the next session"
        ))
    };
    let mut day = market.day_at(now);
    loop {
        let deadline = market
            .open_at(day)
            .map(|open| open - BEFORE_OPENING.minutes());
        if let Some(deadline) = deadline.filter(|deadline| *deadline > now) {
            return Ok(deadline);
        }
        day = market.next_session(day).ok_or_else(far)?;
    }
}

/// A folder has the rounds of one market: its tracks, boards and daily closes are shared, and returns
/// between other closes cannot be compared.
fn refuse_other_market(rounds: &Path, market: Market) -> Result<(), Error> {
    // The first round of a folder finds none beside it.
    for folder in list_rounds(rounds).unwrap_or_default() {
        // A round that cannot be read is a matter of `verify`.
        let Ok(other) = folder.parse(layout::MANIFEST, manifest::parse) else {
            continue;
        };
        if other.market != market {
            let (rounds, name) = (rounds.display(), folder.name());
            let text = format!(
                "{rounds} holds {name} of {}; a round of {market} cannot lie beside it",
                other.market
            );
            return Err(Error::new(text).hint("give --rounds-dir another folder for each market"));
        }
    }
    Ok(())
}

/// Version, bytes and options of the chosen universe.
fn universe(request: &RoundRequest) -> Result<(String, String, Universe), Error> {
    let version = request.universe_version.clone();
    if let Some(file) = &request.universe {
        let (universe, yaml) = read(file, |bytes| {
            Ok((options::parse(bytes)?, utf8(bytes)?.to_owned()))
        })?;
        let stem = file.file_stem().unwrap_or_default().to_string_lossy();
        return Ok((version.unwrap_or_else(|| stem.into_owned()), yaml, universe));
    }
    let version = version.unwrap_or_else(|| DEFAULT_VERSION.to_owned());
    let Some(yaml) = shipped(&version) else {
        let known = versions().join(", ");
        let text = format!("--universe-version {version}: the shipped universes are {known}");
        return Err(Error::new(text).hint("give your own with --universe FILE"));
    };
    let universe = options::parse(yaml.as_bytes())
        .map_err(|fault| Error::new(format!("shipped universe {version}: {fault}")))?;
    Ok((version, yaml.to_owned(), universe))
}

fn rules(
    request: &RoundRequest,
    plan: &WindowPlan,
    deadline: Timestamp,
    now: Timestamp,
) -> Result<Manifest, Error> {
    let methodology = methodology(request)?;
    if plan.window.market != Market::default() && !methodology.names_market() {
        let (market, label) = (plan.window.market, methodology.label().unwrap_or_default());
        let text =
            format!("--methodology {label}: its rounds are of New York, and this one of {market}");
        let newest = Methodology::labels_of_new_rounds(request.format)[1];
        return Err(Error::new(text).hint(format!("use --methodology {newest}")));
    }
    let created = stamp(now)?;
    let active = active_models(request, deadline)?;
    let hosts = active.iter().filter_map(base_url);
    let hosts: BTreeSet<String> = hosts.filter_map(host_of).collect();
    let ids = active.iter().map(|model| model.contestant.model_id.clone());
    let roster = request
        .models
        .as_ref()
        .map(|_| Roster::new(ids.collect(), created.clone(), &methodology));
    let (round_id, window) = (&request.round_id, plan.window);
    let methodology_policy = methodology
        .has_failure_policy()
        .then_some(request.failure_policy);
    let lanes = lanes(request, &methodology)?;
    refuse_withholding(request, &methodology)?;
    let manifest = Manifest {
        title: format!("CapitalBench {round_id}"),
        round_id: round_id.clone(),
        horizon: request.track.horizon().to_owned(),
        decision_date: Some(TimeZone::UTC.to_datetime(deadline).date()),
        decision_deadline: Some(stamp(deadline)?),
        market: window.market,
        window: Some(window),
        window_rule: Some(plan.rule),
        entry_rule: format!("Adjusted close of {}", window.entry),
        exit_rule: format!("Adjusted close of {}", window.exit),
        created_at: Some(created),
        methodology,
        universe_version: None,
        format: request.format,
        constraints: Constraints::default(),
        roster,
        stream: request.stream,
        proof: request.proof,
        origins: Origins {
            provider_hosts: hosts.into_iter().collect(),
            ..request.origins.clone()
        },
        failure_policy: methodology_policy,
        controls: request.controls.clone(),
        lanes,
        publish: request.publish,
    };
    let models = active.iter();
    let models = models.map(|own| (&own.contestant.model_id, own.continues.as_ref()));
    require_continuable(&request.rounds, &RoundCast::new(&manifest, models))?;
    Ok(manifest)
}

/// Returns alone need rules that know them.
fn refuse_withholding(request: &RoundRequest, methodology: &Methodology) -> Result<(), Error> {
    if request.publish.is_full() || methodology.may_withhold_closes() {
        return Ok(());
    }
    let label = methodology.label().unwrap_or_default();
    let newest = Methodology::labels_of_new_rounds(request.format)[1];
    let text = format!("--publish-prices returns: rounds of {label} publish their closes");
    Err(Error::new(text).hint(format!("use --methodology {newest}")))
}

/// The lanes, where the rules of the round know them.
fn lanes(request: &RoundRequest, methodology: &Methodology) -> Result<Option<Lanes>, Error> {
    let Some(lanes) = &request.lanes else {
        return Ok(None);
    };
    if !methodology.may_have_lanes() {
        let label = methodology.label().unwrap_or_default();
        let newest = Methodology::labels_of_new_rounds(request.format)[1];
        let text = format!("--lanes: {label} asks every model once");
        return Err(Error::new(text).hint(format!("use --methodology {newest}")));
    }
    Ok(Some(lanes.clone()))
}

/// The chosen rules, or the usual ones of the format.
fn methodology(request: &RoundRequest) -> Result<Methodology, Error> {
    let Some(label) = &request.methodology else {
        return Ok(Methodology::of_new_round(request.format));
    };
    let known = Methodology::labels_of_new_rounds(request.format);
    if !known.contains(&label.as_str()) {
        let (format, known) = (request.format.as_str(), known.join(" or "));
        let text = format!("--methodology {label}: a new {format} round has {known}");
        return Err(Error::new(text));
    }
    Ok(Methodology::from_label(Some(label)))
}

/// The models that are active at the deadline; empty where no roster is frozen.
fn active_models(request: &RoundRequest, deadline: Timestamp) -> Result<Vec<ModelSettings>, Error> {
    let Some(file) = &request.models else {
        return Ok(Vec::new());
    };
    let mut active = read(file, models::parse_settings)?;
    active.retain(|model| model.contestant.is_active(&request.round_id, deadline));
    if active.is_empty() {
        let file = file.display();
        let text = format!("{file} has no model that is active at {deadline}");
        return Err(Error::new(text));
    }
    for model in &active {
        check_model(model)?;
    }
    Ok(active)
}

/// An instant as operators write it, to the second.
fn stamp(at: Timestamp) -> Result<WrittenInstant, Error> {
    let whole =
        Timestamp::from_second(at.as_second()).map_err(|error| Error::new(error.to_string()))?;
    Ok(WrittenInstant::of(whole))
}
