//! Many rounds of an invented market, made quickly from a seed: what growth is measured on.
//!
//! They are whole rounds of the stream `synthetic` under our labels: frozen inputs, an accepted
//! run, prices and results, so everything that works on rounds works on them, `verify` included.
//! Decisions follow each other as in reality: one weekly and one monthly round a session. When the
//! sessions are used up, more rounds of the same days follow.

use std::path::Path;

use capitalbench_core::market::calendar::{Market, WindowRule, plan_window};
use capitalbench_core::market::synthetic::{Bar, SyntheticMarket};
use capitalbench_core::market::universe::Universe;
use capitalbench_core::round::manifest::{Track, Window};
use capitalbench_core::values::ids::{ModelId, OptionId};
use jiff::civil::{Date, date};
use jiff::{SignedDuration, Timestamp};
use rayon::prelude::*;
use serde_json::{Value, json};

use capitalbench_archive::disk::error::FileError;
use capitalbench_archive::disk::file_ops;
use capitalbench_archive::format::{round::options, text::json};
use capitalbench_archive::results::scoring::ScoringError;

mod decisions;
mod options_file;
mod round;

/// First and last day of the invented market; fixed, so that more rounds never change earlier ones.
const FIRST: Date = date(2015, 1, 2);
const LAST: Date = date(2026, 6, 30);
/// What was asked for, beside the rounds: another seed is another archive.
const PLAN: &str = "bench_archive.json";

/// Why no rounds were made.
#[derive(Debug, thiserror::Error)]
pub enum BenchArchiveError {
    /// A file could not be read or written.
    #[error(transparent)]
    File(#[from] FileError),
    /// A round could not be scored.
    #[error(transparent)]
    Scoring(#[from] ScoringError),
    /// The folder holds something else.
    #[error("{0}")]
    Occupied(String),
    /// More rounds than the invented market has room for.
    #[error("the invented market has room for {room} such rounds; ask for fewer")]
    TooMany {
        /// How many fit.
        room: usize,
    },
    /// The shipped parts do not fit together.
    #[error("cannot make a round: {0}; please report this")]
    Broken(String),
}

/// What to make.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BenchPlan {
    pub rounds: usize,
    pub models: usize,
    /// Another seed is another archive.
    pub seed: u64,
    /// Only this track; both in turn without.
    pub track: Option<Track>,
}

impl BenchPlan {
    fn text(&self) -> String {
        let track = self.track.map(Track::as_str);
        let plan = json!({"made_by": "bench-archive", "models": self.models,
            "seed": self.seed, "track": track});
        json::to_pretty(&plan)
    }

    /// Track and place in the sequence of sessions of a round.
    fn slot(&self, number: usize) -> (Track, usize) {
        match self.track {
            Some(track) => (track, number),
            None if number.is_multiple_of(2) => (Track::Weekly, number / 2),
            None => (Track::Monthly, number / 2),
        }
    }
}

/// What all rounds share.
struct Scene {
    plan: BenchPlan,
    universe: Universe,
    options_yaml: String,
    models: Vec<ModelId>,
    sessions: Vec<Date>,
    histories: Vec<(OptionId, String, Vec<Bar>)>,
}

/// When things of a round happen.
struct Schedule {
    track: Track,
    number: usize,
    deadline: Timestamp,
    window: Window,
    notes: String,
    rule: WindowRule,
}

/// Makes the rounds that are not there yet; `tick` is called for each.
///
/// A folder of the same plan is continued, so that a round can be added to it.
pub fn make(
    output: &Path,
    plan: BenchPlan,
    tick: &(dyn Fn() + Sync),
) -> Result<usize, BenchArchiveError> {
    let scene = Scene::new(plan)?;
    if let Some(last) = plan.rounds.checked_sub(1) {
        scene.schedule(last)?;
    }
    let schedules = (0..plan.rounds).map(|number| scene.schedule(number));
    let schedules = schedules.collect::<Result<Vec<Schedule>, _>>()?;
    claim(output, plan)?;
    let made: Vec<Result<bool, BenchArchiveError>> = schedules
        .par_iter()
        .map(|schedule| {
            let made = round::make(output, &scene, schedule);
            tick();
            made
        })
        .collect();
    let made = made.into_iter().collect::<Result<Vec<bool>, _>>()?;
    Ok(made.into_iter().filter(|new| *new).count())
}

/// Takes an empty folder, or one of the same plan.
fn claim(output: &Path, plan: BenchPlan) -> Result<(), BenchArchiveError> {
    let path = output.join(PLAN);
    let text = plan.text();
    match file_ops::read(&path) {
        Ok(bytes) if bytes == text.as_bytes() => return Ok(()),
        Ok(_) => {
            let text = format!(
                "{} holds rounds of other models, another seed or another track; choose another --output",
                output.display()
            );
            return Err(BenchArchiveError::Occupied(text));
        }
        Err(_) => {}
    }
    let occupied = std::fs::read_dir(output).is_ok_and(|mut entries| entries.next().is_some());
    if occupied {
        let text = format!("{} is not empty; choose another --output", output.display());
        return Err(BenchArchiveError::Occupied(text));
    }
    file_ops::create_folder(output).map_err(FileError::from)?;
    file_ops::create_new(&path, text.as_bytes()).map_err(FileError::from)?;
    Ok(())
}

impl Scene {
    fn new(plan: BenchPlan) -> Result<Self, BenchArchiveError> {
        let broken = |error: &dyn std::fmt::Display| BenchArchiveError::Broken(error.to_string());
        let options_yaml = options_file::text();
        let universe = options::parse(options_yaml.as_bytes()).map_err(|fault| broken(&fault))?;
        let market = SyntheticMarket::new(plan.seed, Market::default(), FIRST, LAST);
        let priced = universe.options().iter().filter(|o| !o.scores_as_cash());
        let histories = priced.map(|option| {
            let symbol = option.symbol.clone().unwrap_or_default();
            (option.id.clone(), symbol, market.history(option))
        });
        let width = plan.models.to_string().len().max(2);
        let models = (1..=plan.models)
            .map(|number| ModelId::parse(&format!("synthetic-model-{number:0width$}")))
            .collect::<Result<Vec<_>, _>>()
            .map_err(|error| broken(&error))?;
        Ok(Self {
            plan,
            histories: histories.collect(),
            options_yaml,
            models,
            sessions: market.sessions().to_vec(),
            universe,
        })
    }

    fn schedule(&self, number: usize) -> Result<Schedule, BenchArchiveError> {
        let (track, place) = self.plan.slot(number);
        let sessions = self.sessions.len().saturating_sub(MARGIN);
        let room = || {
            let per_session = if self.plan.track.is_some() { 1 } else { 2 };
            BenchArchiveError::TooMany {
                room: sessions * per_session * LAPS,
            }
        };
        if place >= sessions * LAPS {
            return Err(room());
        }
        let place = place % sessions;
        // The first session is left out: the one before it is unknown.
        let day = self.sessions.get(place + 1).copied().ok_or_else(room)?;
        let opens = Market::default().open_at(day).ok_or_else(room)?;
        let deadline = opens - SignedDuration::from_mins(5);
        let planned = plan_window(Market::default(), deadline, track, WindowRule::default());
        let planned = planned.map_err(|error| BenchArchiveError::Broken(error.to_string()))?;
        if planned.window.exit > LAST {
            return Err(room());
        }
        Ok(Schedule {
            track,
            number,
            deadline,
            window: planned.window,
            notes: format!("{}; {}", planned.entry_reason, planned.exit_reason),
            rule: planned.rule,
        })
    }
}

/// Sessions at the end of the market on which no round begins, so that all can be resolved.
const MARGIN: usize = 30;

/// How often the sessions are gone through: after the last, rounds begin on the first again.
const LAPS: usize = 10;

/// A log line or a reply as one line of JSON.
fn line(value: &Value) -> String {
    json::to_line(value)
}
