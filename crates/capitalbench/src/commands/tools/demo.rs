//! Several rounds of an invented market, played by the real commands from nothing to the boards.

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::Path;
use std::time::Instant;

use capitalbench_archive::disk::{file_ops, layout};
use capitalbench_archive::format::round::manifest;
use capitalbench_archive::public::public_record;
use capitalbench_archive::round::round_folder::RoundFolder;
use capitalbench_archive::verify::{self, Severity};
use capitalbench_core::publication::{Publication, RoundState};
use capitalbench_core::round::manifest::{Track, Window};
use clap::Parser as _;
use jiff::Timestamp;

use crate::cli::{
    Appearance, Arguments, Demo, OtherLeague, RecordSource, Rounds, RoundsDir, Serve,
};
use crate::console::{BOLD, DIM, ERROR, GOOD, line, muted, paint, progress, table};
use crate::error::{Error, Exit};

mod calendar;
mod demo_folder;

use calendar::{DemoLeague, LEAGUES, PlannedRound};
use demo_folder::DemoFolder;

/// Plays the demo.
pub(crate) fn run(arguments: &Demo) -> Result<Exit, Error> {
    let seed = arguments.seed;
    line(format!(
        "{} · synthetic market, seed {seed} · nothing leaves this machine",
        paint(BOLD, "CapitalBench demo")
    ));
    file_ops::stop_flushing();
    demo_folder::empty(&arguments.output)?;
    let now = calendar::now()?;
    let mut verified = Exit::Success;
    let mut leagues = Vec::new();
    for league in &LEAGUES {
        let demo = DemoFolder::new(&arguments.output, league, seed)?;
        line(format!("\n{}", paint(BOLD, league.name)));
        if played(&demo, league, now)? != Exit::Success {
            verified = Exit::of(false);
        }
        leagues.push(OtherLeague {
            name: league.name.to_owned(),
            rounds: demo.folder.join("rounds"),
        });
    }
    if arguments.no_serve {
        return Ok(verified);
    }
    let first = leagues.remove(0);
    let site = Serve {
        store: crate::cli::StoreChoice::default(),
        rounds: Rounds {
            dir: RoundsDir {
                folder: first.rounds,
            },
            as_of: Some(now),
            no_cache: false,
        },
        source: RecordSource::Folder,
        listen: SERVED_AT,
        base_url: None,
        appearance: Appearance {
            site_name: Some(first.name),
            with_league: leagues,
            ..Appearance::default()
        },
        peer_connections: None,
        open: arguments.open,
    };
    line("");
    crate::commands::publishing::serve::run(&site, NEAR)?;
    Ok(verified)
}

/// One league: its rounds, its boards, and whether everything verifies.
fn played(demo: &DemoFolder, league: &DemoLeague, now: Timestamp) -> Result<Exit, Error> {
    let rounds = calendar::rounds(league, demo.market)?;
    let bar = progress(rounds.len(), "rounds");
    for (number, round) in rounds.iter().enumerate() {
        muted(|| play(demo, league, (round, number)))?;
        bar.inc(1);
    }
    bar.finish_and_clear();
    muted(|| track(demo, &rounds, now))?;
    let folder = demo.folder.join("rounds");
    let published = public_record::publication(&folder, now, &|| ())
        .map_err(|error| Error::new(error.to_string()))?;
    summary(&published);
    line("");
    step(BOARDS, &folders(demo, now))?;
    verified(&folder, now)
}

/// How many ports after a taken one are tried.
const NEAR: u16 = 50;
/// Where the site of the demo stands, or at the next free port.
const SERVED_AT: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 8400);

/// The steps of every round; words in braces stand for values.
const STEPS: [&str; 6] = [
    "init-round --round-id {name} --horizon {horizon} --universe-version {universe} \
     --models {models} --rounds-dir {rounds} --synthetic --decision-deadline {deadline} \
     --now {created}",
    "import-research --round {round} --market-fact-report {facts} --audit-report {audit} \
     --final-briefing {briefing} --research-cutoff-utc {cutoff}",
    "fetch-universe-performance --round {round} --as-of-date {known} --source csv \
     --histories {histories} --now {tabled}",
    "hash-round --round {round} --now {frozen}",
    "run-round --round {round} --models {models} --mock --run-type official --run-id official \
     --seed {seed} --retry-pause 0 --quiet --now {asked}",
    "accept-run --round {round} --run-id official --now {accepted}",
];
/// The step of a round whose window has closed.
const RESOLUTION: &str =
    "resolve-due --rounds-dir {rounds} --source csv --histories {histories} --now {final}";
/// The step of every day on which a round is open.
const TRACKING: &str = "update-interim-performance --rounds-dir {rounds} --snapshot-date {day} \
                        --track all --source csv --histories {histories} --now {now}";
/// What the reader came for.
const BOARDS: &str = "leaderboard --rounds-dir {rounds} --as-of {now}";

/// One round, from nothing as far as the demo's last day lets it come.
fn play(
    demo: &DemoFolder,
    league: &DemoLeague,
    (round, seed): (&PlannedRound, usize),
) -> Result<(), Error> {
    demo.write_research(round)?;
    let horizon = match round.track {
        Track::Weekly => "one week",
        Track::Monthly => "one month",
    };
    let folder = demo.path(&format!("rounds/{}", round.name));
    let mut values: BTreeMap<&str, String> = BTreeMap::from([
        ("name", round.name.clone()),
        ("horizon", horizon.to_owned()),
        ("universe", league.universe.to_owned()),
        ("models", demo.path("models.yaml")),
        ("rounds", demo.path("rounds")),
        ("round", folder.clone()),
        ("histories", demo.path("histories")),
        ("facts", demo.path("research/facts.md")),
        ("audit", demo.path("research/audit.md")),
        ("briefing", demo.path("research/briefing.md")),
        ("deadline", round.deadline.to_string()),
        ("known", round.known.to_string()),
        ("created", round.before(120)),
        ("cutoff", round.before(110)),
        ("tabled", round.before(100)),
        ("frozen", round.before(90)),
        ("asked", round.before(60)),
        ("accepted", round.before(30)),
        ("seed", seed.to_string()),
    ]);
    for words in STEPS {
        let rules = league
            .methodology
            .filter(|_| words.starts_with("init-round"));
        let rules = rules.map_or_else(String::new, |label| format!(" --methodology {label}"));
        step(&format!("{words}{rules}"), &values)?;
    }
    let exit = window_of(Path::new(&folder))?.exit;
    if let Some(at) = calendar::resolvable(demo.market, exit)? {
        values.insert("final", at.to_string());
        step(RESOLUTION, &values)?;
    }
    Ok(())
}

/// Daily closes for the rounds that are still open, from the first of them to the last known day.
fn track(demo: &DemoFolder, rounds: &[PlannedRound], now: Timestamp) -> Result<(), Error> {
    let mut first = None;
    for round in rounds {
        let folder = demo.folder.join("rounds").join(&round.name);
        let window = window_of(&folder)?;
        if calendar::resolvable(demo.market, window.exit)?.is_none() {
            first = first.or(Some(window.entry));
        }
    }
    let days = first.map(|first| calendar::known_sessions(demo.market, first));
    for day in days.unwrap_or_default() {
        let mut values = folders(demo, now);
        values.insert("day", day.to_string());
        step(TRACKING, &values)?;
    }
    Ok(())
}

fn folders(demo: &DemoFolder, now: Timestamp) -> BTreeMap<&'static str, String> {
    BTreeMap::from([
        ("rounds", demo.path("rounds")),
        ("histories", demo.path("histories")),
        ("now", now.to_string()),
    ])
}

fn window_of(folder: &Path) -> Result<Window, Error> {
    let folder = RoundFolder::open(folder)?;
    let window = folder.parse(layout::MANIFEST, manifest::parse)?.window;
    window.ok_or_else(|| Error::new("the round has no window"))
}

/// Runs a command exactly as if it were typed.
fn step(words: &str, values: &BTreeMap<&str, String>) -> Result<(), Error> {
    let typed = words.split_whitespace().map(|word| {
        let name = word
            .strip_prefix('{')
            .and_then(|word| word.strip_suffix('}'));
        let value = name.and_then(|name| values.get(name));
        value.cloned().unwrap_or_else(|| word.to_owned())
    });
    let typed: Vec<String> = std::iter::once("capitalbench".to_owned())
        .chain(typed)
        .collect();
    let parsed = Arguments::try_parse_from(&typed)
        .map_err(|error| Error::new(format!("{}: {error}", typed.join(" "))))?;
    if crate::commands::run(parsed.command)? == Exit::Success {
        return Ok(());
    }
    let text = format!("the step `{}` did not hold", typed.join(" "));
    Err(Error::new(text))
}

fn summary(published: &Publication) {
    let row = |track: Track| {
        let rounds = published.rounds.iter().filter(|r| r.track == Some(track));
        let (mut resolved, mut interim, mut pending) = (0, 0, 0);
        for round in rounds.clone() {
            match &round.state {
                RoundState::Resolved(_) => resolved += 1,
                RoundState::Open(open) if open.interim.is_empty() => pending += 1,
                RoundState::Open(_) => interim += 1,
                RoundState::Draft | RoundState::Ended(_) => {}
            }
        }
        vec![
            track.as_str().to_owned(),
            format!("{} rounds", rounds.count()),
            format!("{resolved} resolved"),
            format!("{interim} interim"),
            format!("{pending} pending"),
        ]
    };
    let has = |track: &Track| published.rounds.iter().any(|r| r.track == Some(*track));
    let tracks = [Track::Weekly, Track::Monthly].into_iter().filter(has);
    let rows = tracks.map(row).collect();
    line("");
    line(table("| > | > | > | >", rows).trim_start_matches('\n'));
    let resolved = published.rounds.iter().find_map(|round| round.resolved());
    let controls = resolved.map_or(0, |resolved| resolved.controls.len());
    let models = demo_folder::MODEL_COUNT;
    line(format!(
        "models  {models} mock + {controls} controls   cost $0.00"
    ));
}

fn verified(folder: &Path, now: Timestamp) -> Result<Exit, Error> {
    let begun = Instant::now();
    let report = verify::verify(folder, now, &|| ())?;
    let took = begun.elapsed().as_millis();
    let (rounds, files) = (report.rounds.len(), report.files());
    let [errors, warnings] = [Severity::Error, Severity::Warning].map(|own| report.count(own));
    line("");
    let text =
        format!("verified {rounds} rounds, {files} files, {errors} errors, {warnings} warnings");
    let style = if errors == 0 { GOOD } else { ERROR };
    let took = paint(DIM, format!("in {took} ms"));
    line(format!("{} {took}", paint(style, text)));
    line(format!("rounds  {}", folder.display()));
    Ok(Exit::of(errors == 0))
}
