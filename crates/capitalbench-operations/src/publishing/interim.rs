//! Provisional tracking of open rounds from daily snapshots of prices.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use capitalbench_archive::disk::file_ops;
use capitalbench_archive::format::prices::price_sheet;
use capitalbench_archive::results::interim_update::{
    Bases, Sheets, basis_file, days_of, entry_sheet, files, snapshot_file, snapshots_folder, store,
    usable_sheets,
};
use capitalbench_archive::round::round_folder::{RoundFolder, RoundInputs, Universes, list_rounds};
use capitalbench_archive::run::validation::load_parsed;
use capitalbench_archive::verify::derivation;
use capitalbench_core::decision::submission::Submission;
use capitalbench_core::market::calendar::Market;
use capitalbench_core::market::price_window::PriceWindow;
use capitalbench_core::market::published_prices::PublishedPrices;
use capitalbench_core::round::manifest::{Track, Window};
use capitalbench_core::values::ids::RunId;
use jiff::Timestamp;
use jiff::civil::Date;

use crate::error::Error;
use crate::operator::files::{open_inputs, read};
use crate::operator::{Operator, wait};
use crate::prices::fetcher::{AtLimit, Days, Fetcher};
use crate::prices::invented::refuse_in_real_round;
use crate::prices::plan::priced_options;
use crate::prices::sources::Vendor;
use crate::proof::given_instant::note_given_instant;
use crate::proof::record::record;
use crate::resolving::held_round::with_awaited;
use crate::resolving::score::{RuledRun, refuse_changed_inputs};

/// What an operator wants tracked.
#[derive(Debug)]
pub struct InterimRequest {
    pub rounds: PathBuf,
    /// The day of the snapshot.
    pub day: Date,
    /// Only rounds of this track.
    pub track: Option<Track>,
    /// Where snapshots lie; by default beside the rounds.
    pub snapshots: Option<PathBuf>,
    pub fetching: Fetching,
    pub vendor: Vendor,
    /// The round whose universe is fetched; by default the open one with the most options.
    pub universe_round: Option<String>,
    /// Track with what there is when the snapshot cannot be had.
    pub soft_fail: bool,
    pub at_limit: AtLimit,
    pub dry_run: bool,
}

/// When the snapshot of the day is fetched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fetching {
    IfMissing,
    Always,
    Never,
}

/// How the snapshot stands, and every round with what became of it.
#[derive(Debug)]
pub struct InterimReport {
    pub snapshot: String,
    pub rounds: Vec<(String, Tracked)>,
    pub failed: BTreeMap<String, String>,
}

/// What became of a round.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Tracked {
    /// The files are up to date until this day.
    Until(Date),
    Skipped(&'static str),
}

/// A round that may be tracked.
struct Open {
    inputs: RoundInputs,
    window: Window,
    run: RuledRun,
}

/// Fetches the snapshot of a day and tracks every open round with all snapshots.
pub fn update_interim(
    operator: &Operator,
    request: &InterimRequest,
) -> Result<InterimReport, Error> {
    let rounds = list_rounds(&request.rounds)?;
    let usual = || snapshots_folder(&request.rounds);
    let folder = request.snapshots.clone().unwrap_or_else(usual);
    let universes = Universes::default();
    let mut failed = BTreeMap::new();
    let (mut open, mut told) = (Vec::new(), Vec::new());
    for round in &rounds {
        match open_round(request, round, &universes) {
            Ok(Ok(found)) => open.push(found),
            Ok(Err(reason)) => told.push((round.name(), Tracked::Skipped(reason))),
            Err(error) => {
                failed.insert(round.name(), error.to_string());
            }
        }
    }
    for round in open.iter().filter(|_| !request.dry_run) {
        note_given_instant(operator, &round.inputs.folder, "update-interim-performance")?;
    }
    let snapshot = match ensure_snapshot(operator, request, &folder, &open) {
        Ok(word) => word.to_owned(),
        Err(error) if request.soft_fail => format!("missing: {error}"),
        Err(error) => return Err(error),
    };
    let sheets = usable_sheets(&folder, &rounds)?;
    let bases = Bases::load(&folder)?;
    for round in &open {
        let name = round.inputs.folder.name();
        let written = (!request.dry_run).then(|| operator.now());
        match track(operator, round, (&sheets, &bases), written) {
            Ok(day) => told.push((name, Tracked::Until(day))),
            Err(error) => {
                failed.insert(name, error.to_string());
            }
        }
    }
    told.sort_by(|a, b| a.0.cmp(&b.0));
    Ok(InterimReport {
        snapshot,
        rounds: told,
        failed,
    })
}

/// A round between entry and exit with a record, or why it is not tracked.
fn open_round(
    request: &InterimRequest,
    folder: &RoundFolder,
    universes: &Universes,
) -> Result<Result<Open, &'static str>, Error> {
    let inputs = RoundInputs::load(folder.clone(), universes)?;
    let Some(window) = inputs.manifest.window else {
        return Ok(Err("it has no window"));
    };
    if request.track.is_some() && inputs.manifest.track() != request.track {
        return Ok(Err("it is of another track"));
    }
    if request.day >= window.exit {
        return Ok(Err("its window is over on that day"));
    }
    if request.day < window.entry {
        return Ok(Err("its window has not begun on that day"));
    }
    refuse_changed_inputs(&inputs)?;
    Ok(match RuledRun::official(folder)? {
        Err(_) => Err("it has no official run"),
        Ok(run) => Ok(Open {
            inputs,
            window,
            run,
        }),
    })
}

/// Makes sure that the day has its snapshot, and says how.
fn ensure_snapshot(
    operator: &Operator,
    request: &InterimRequest,
    folder: &Path,
    open: &[Open],
) -> Result<&'static str, Error> {
    let day = request.day;
    let file = snapshot_file(folder, day);
    let is_there = file.is_file();
    match request.fetching {
        Fetching::IfMissing | Fetching::Never if is_there => return Ok("reused"),
        Fetching::Never => return Ok("missing"),
        Fetching::IfMissing | Fetching::Always => {}
    }
    // A folder holds the rounds of one market.
    let market = open.first();
    let market = market.map_or_else(Market::default, |round| round.window.market);
    if let Some(reason) = market.closure_reason(day) {
        let text = format!("--snapshot-date {day} has no session ({reason})");
        return Err(Error::new(text));
    }
    if let Some(ready) = market
        .rows_final_at(day)
        .filter(|ready| *ready > operator.now())
    {
        let text = format!("the rows of {day} are not final before {ready}");
        return Err(Error::new(text).hint("fetch them after that; nothing was written"));
    }
    let named = |round: &&Open| {
        let name = request.universe_round.as_ref();
        name.is_none_or(|name| *name == round.inputs.folder.name())
    };
    let largest = open.iter().filter(named);
    let largest = largest.max_by_key(|round| round.inputs.universe.options().len());
    let Some(round) = largest else {
        return match &request.universe_round {
            None => Ok("missing"),
            Some(name) => {
                let text = format!("--universe-round {name} is not an open round of this track");
                Err(Error::new(text))
            }
        };
    };
    if request.dry_run {
        return Ok(if is_there {
            "would be overwritten"
        } else {
            "would be created"
        });
    }
    let entries: BTreeSet<Date> = open.iter().map(|own| own.window.entry).collect();
    // One answer serves all open rounds, so the words of the strictest count.
    let mut published = open.iter().map(|own| own.inputs.manifest.publish);
    let publish = published.find(|own| !own.is_full()).unwrap_or_default();
    let fetched = fetch_snapshot(operator, request, &round.inputs, (&entries, publish));
    let (text, windows) = fetched?;
    let basis = basis_file(folder, day, &windows, &entries);
    // The snapshot comes last: a day that has it has its basis too.
    let files: Vec<(PathBuf, String)> = basis.into_iter().chain([(file, text)]).collect();
    file_ops::replace_all(&files)?;
    Ok(if is_there { "overwritten" } else { "created" })
}

/// The closes of one day of a whole universe, and the answers from the first entry to that day.
fn fetch_snapshot(
    operator: &Operator,
    request: &InterimRequest,
    inputs: &RoundInputs,
    (entries, publish): (&BTreeSet<Date>, PublishedPrices),
) -> Result<(String, Vec<PriceWindow>), Error> {
    let day = request.day;
    let fetcher = Fetcher::open(operator, &request.vendor, &request.rounds, request.at_limit)?;
    refuse_in_real_round(&fetcher, &inputs.manifest)?;
    let question = format!("snapshot_{day}");
    let mut options = priced_options(&inputs.universe, day);
    // What was delisted has no close any more; the rounds keep its last one.
    options.retain(|(id, _)| {
        let option = inputs.universe.get(id);
        option.is_none_or(|option| option.priced_on(day) == day)
    });
    let from = entries.first().copied().unwrap_or(day);
    let days = Days {
        needed: vec![day],
        ..Days::any_of(from, day)
    };
    let answers = fetcher.fetch_whole(&question, &options, &days, publish);
    let mut windows = Vec::new();
    for (option_id, answer) in wait(answers)?? {
        let answered = answer.map_err(|text| {
            Error::new(format!("{option_id}: {text}")).hint("no snapshot was written")
        })?;
        windows.push(answered.window);
    }
    let label = fetcher.source.stored_label();
    let text = price_sheet::render(&inputs.universe, &windows, day, label);
    fetcher.forget(&question)?;
    Ok((text, windows))
}

fn valid(round: &Open) -> Result<Vec<Submission>, Error> {
    let RuledRun { folder, rules } = &round.run;
    derivation::require(&round.inputs, folder)?;
    let parsed = load_parsed(&round.inputs, folder, *rules)?.into_iter();
    Ok(parsed.filter_map(|file| file.verdict.ok()).collect())
}

/// Rewrites the files of a round; the last day it is tracked to.
fn track(
    operator: &Operator,
    round: &Open,
    (sheets, bases): (&Sheets, &Bases),
    written: Option<Timestamp>,
) -> Result<Date, Error> {
    let (entry, made) = entry_sheet(&round.inputs, round.window, sheets)?;
    let days = days_of(round.window, &entry, sheets);
    let (folder, run) = (&round.inputs.folder, &round.run.folder);
    let files = files(&round.inputs, run, &valid(round)?, &days, bases)?;
    if let Some(now) = written {
        with_awaited(folder, || {
            store(folder, run, &files, made.as_deref())?;
            record(operator, folder, now)
        })?;
    }
    Ok(days.last().map_or(round.window.entry, |(day, _)| *day))
}

/// Tracks one run with the sheets of the given days; returns the round and the last day.
pub fn track_run(
    operator: &Operator,
    round: &Path,
    run_id: &RunId,
    snapshots: &[(&Path, Date)],
) -> Result<(String, Date), Error> {
    let inputs = open_inputs(round)?;
    refuse_changed_inputs(&inputs)?;
    let folder = inputs.folder.clone();
    let run = RuledRun::named_or_official(&folder, Some(run_id))?;
    let window = inputs
        .manifest
        .window
        .ok_or_else(|| Error::new(format!("the manifest of {} names no window", folder.name())))?;
    let mut sheets = Sheets::new();
    for (path, day) in snapshots {
        let sheet = read(path, price_sheet::parse)?;
        if *day <= window.entry || *day >= window.exit {
            let text = format!("--snapshot-date {day} is not between entry and exit");
            return Err(Error::new(text));
        }
        if sheets.insert(*day, sheet).is_some() {
            return Err(Error::new(format!("--snapshot-date {day} is given twice")));
        }
    }
    let open = Open {
        inputs,
        window,
        run,
    };
    let day = track(
        operator,
        &open,
        (&sheets, &Bases::default()),
        Some(operator.now()),
    )?;
    Ok((folder.name(), day))
}
