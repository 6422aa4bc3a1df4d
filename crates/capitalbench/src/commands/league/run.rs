//! `league run`: does everything that is due, once or for as long as it is let.

use std::path::{Path, PathBuf};
use std::time::Duration;

use capitalbench_archive::disk::file_ops;
use capitalbench_operations::league::folder::LeagueFolder;
use capitalbench_operations::league::pass::{Pass, PassEnd, Problem, SiteBuilt, Step, pass_with};
use capitalbench_operations::operator::clock::now_or;
use capitalbench_operations::operator::stops::Stops;
use capitalbench_operations::syncing::store::whole::work_on;
use jiff::Timestamp;
use serde_json::{Value, json};
use tokio::runtime::Runtime;
use tokio::sync::watch;

use crate::cli::{
    Appearance, BuildSite, ImageChoice, LeagueRun, RecordSource, Rounds, RoundsDir, StoreChoice,
};
use crate::commands::publishing::build_site;
use crate::config::{enter_league, league_operator};
use crate::console::{DIM, WARNING, document, is_json, line, muted, paint, warn};
use crate::error::{Error, Exit, report};

/// The longest nap: a clock that was set, or a machine that slept, is noticed within it.
const LONGEST_NAP: Duration = Duration::from_mins(1);
/// Where feeds of a league without an address point to.
const NO_ADDRESS: &str = "http://127.0.0.1:8400";

pub(crate) fn run(arguments: &LeagueRun) -> Result<Exit, Error> {
    let league = enter_league(&arguments.league.folder)?;
    say_whether_it_rehearses(&league);
    if arguments.watch {
        return watch_league(arguments.store.as_deref());
    }
    let pass = one_pass(&league, arguments.now.instant, arguments.store.as_deref())?;
    show(&league, &pass, &[]);
    Ok(exit_of(&pass))
}

fn say_whether_it_rehearses(league: &LeagueFolder) {
    if league.is_rehearsed() && !is_json() {
        let name = &league.league.name;
        line(format!(
            "{name} {}: mock models answer about an invented market, and no provider is called \
             (allow_real_api_calls: false in league.yaml)",
            paint(WARNING, "rehearses")
        ));
    }
}

/// The environment is read anew, because a key may have been repaired since the last pass.
fn one_pass(
    league: &LeagueFolder,
    given: Option<Timestamp>,
    store: Option<&str>,
) -> Result<Pass, Error> {
    let operator = league_operator(league, given)?;
    let site = || build(league, given);
    let pass = || pass_with(&operator, league, Some(&site));
    match store {
        Some(store) => work_on(&operator, store, Path::new(league.league.rounds()), pass),
        None => pass(),
    }
}

/// Builds the site of the league; that of a rehearsal lies beside its rounds.
fn build(league: &LeagueFolder, given: Option<Timestamp>) -> Result<SiteBuilt, Error> {
    let settings = &league.league;
    let named = settings.publication.site.as_deref().unwrap_or("site");
    let output = if league.is_rehearsed() {
        PathBuf::from("rehearsal").join("site")
    } else {
        PathBuf::from(named)
    };
    let rounds = settings.rounds();
    let base_url = settings.address.as_deref().unwrap_or(NO_ADDRESS);
    let built = SiteBuilt {
        command: format!(
            "capitalbench build-site --rounds-dir {rounds} --output {} --base-url {base_url}",
            output.display()
        ),
        text: format!("the site in {} shows it", output.display()),
    };
    let request = BuildSite {
        rounds: Rounds {
            dir: RoundsDir {
                folder: PathBuf::from(rounds),
            },
            as_of: given,
            no_cache: false,
        },
        store: StoreChoice::default(),
        source: RecordSource::Folder,
        output,
        base_url: base_url.to_owned(),
        appearance: appearance(league),
        images: ImageChoice::Changed,
    };
    let done = muted(|| build_site::run(&request));
    // A site can be made again, and what the league writes next cannot.
    file_ops::flush_again();
    done.map(|_| built)
}

/// How the league wants its site to look.
fn appearance(league: &LeagueFolder) -> Appearance {
    let settings = &league.league;
    Appearance {
        site_name: Some(settings.name.clone()),
        accent: settings.accent,
        logo: settings.logo.as_ref().map(PathBuf::from),
        licence: settings.publication.licence.clone(),
        with_league: Vec::new(),
    }
}

/// Passes whenever something is due, until somebody asks to stop.
fn watch_league(store: Option<&str>) -> Result<Exit, Error> {
    let runtime = Runtime::new().map_err(|error| Error::new(error.to_string()))?;
    let (tell, mut stop) = watch::channel(false);
    let mut stops = {
        let _entered = runtime.enter();
        Stops::listen()?
    };
    runtime.spawn(async move {
        stops.next().await;
        tell.send(true)
    });
    let mut told = Vec::new();
    while !*stop.borrow() {
        let league = enter_league(Path::new("."));
        let passed = league.and_then(|league| Ok((one_pass(&league, None, store)?, league)));
        let next = match passed {
            Ok((pass, league)) => {
                show(&league, &pass, &told);
                told.clone_from(&pass.problems);
                pass.next
            }
            Err(error) => {
                report(&error);
                None
            }
        };
        let next = next.unwrap_or_else(|| now_or(None) + LONGEST_NAP);
        sleep_until(&runtime, &mut stop, next);
    }
    runtime.shutdown_timeout(Duration::from_secs(1));
    Ok(Exit::Success)
}

/// Naps until an instant comes or somebody asks to stop.
fn sleep_until(runtime: &Runtime, stop: &mut watch::Receiver<bool>, until: Timestamp) {
    loop {
        let left = until.duration_since(now_or(None));
        let left = Duration::try_from(left).unwrap_or_default();
        if left.is_zero() || *stop.borrow() {
            return;
        }
        runtime.block_on(async {
            let asked = stop.wait_for(|stop| *stop);
            let _ = tokio::time::timeout(left.min(LONGEST_NAP), asked).await;
        });
    }
}

fn exit_of(pass: &Pass) -> Exit {
    let mut problems = pass.problems.iter();
    match pass.end {
        PassEnd::Stopped => Exit::DoesNotHold,
        _ if pass.problems.is_empty() => Exit::Success,
        _ if problems.all(|own| own.waits_until.is_some()) => Exit::Waits,
        _ => Exit::DoesNotHold,
    }
}

/// What a pass came to; its steps were printed as they happened, and problems that were told by the last
/// pass are not told again.
fn show(league: &LeagueFolder, pass: &Pass, told: &[Problem]) {
    if is_json() {
        document(&as_json(league, pass));
        return;
    }
    for problem in pass.problems.iter().filter(|own| !told.contains(own)) {
        warn(problem_text(problem));
    }
    match pass.end {
        PassEnd::Elsewhere => line("another pass of this league is at work; this one did nothing"),
        PassEnd::Stopped => line("stopped; the next pass goes on"),
        PassEnd::Whole if pass.steps.is_empty() && pass.problems.is_empty() => {
            line("nothing is due");
        }
        PassEnd::Whole => {}
    }
    if let Some(next) = pass.next.filter(|_| pass.end == PassEnd::Whole) {
        let at = next.strftime("%a %-d %b %Y %H:%MZ");
        line(format!("{} {at}", paint(DIM, "next:")));
    }
}

fn problem_text(problem: &Problem) -> String {
    let about = problem.round.as_ref();
    let about = about.map_or_else(String::new, |round| format!("{round}: "));
    match problem.waits_until {
        Some(until) => format!("{about}waits until {until}: {}", problem.text),
        None => format!("{about}{}", problem.text),
    }
}

fn as_json(league: &LeagueFolder, pass: &Pass) -> Value {
    let step = |own: &Step| {
        json!({
            "at_utc": own.at.to_string(),
            "round_id": own.round,
            "step": own.kind.as_str(),
            "text": own.text,
            "command": own.command,
        })
    };
    let problem = |own: &Problem| {
        json!({
            "round_id": own.round,
            "text": own.text,
            "waits_until_utc": own.waits_until.map(|at| at.to_string()),
        })
    };
    let end = match pass.end {
        PassEnd::Whole => "whole",
        PassEnd::Stopped => "stopped",
        PassEnd::Elsewhere => "elsewhere",
    };
    json!({
        "league": league.league.name,
        "rehearsal": league.is_rehearsed(),
        "end": end,
        "steps": pass.steps.iter().map(step).collect::<Vec<_>>(),
        "problems": pass.problems.iter().map(problem).collect::<Vec<_>>(),
        "next_utc": pass.next.map(|at| at.to_string()),
    })
}
