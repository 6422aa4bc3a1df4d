//! `bench-archive`: many rounds of an invented market, to measure with.

use capitalbench_archive::bench_archive::{BenchArchiveError, BenchPlan, make};
use capitalbench_export::text::SYNTHETIC;
use serde_json::json;

use super::Exit;
use crate::cli::{BenchArchive, TrackName};
use crate::console::{document, line, plural, progress};
use crate::error::CommandError;

pub(crate) fn run(arguments: &BenchArchive) -> Result<Exit, CommandError> {
    let plan = BenchPlan {
        rounds: arguments.rounds as usize,
        models: arguments.models as usize,
        seed: arguments.seed,
        track: arguments.track.map(TrackName::track),
    };
    let bar = progress(plan.rounds, "making rounds");
    let made = make(&arguments.output, plan, &|| bar.inc(1));
    bar.finish_and_clear();
    let made = made.map_err(|error| match error {
        BenchArchiveError::File(error) => error.into(),
        BenchArchiveError::Scoring(error) => error.into(),
        other => CommandError::new(other.to_string()),
    })?;
    let folder = arguments.output.display();
    if arguments.printed.json {
        document(&json!({
            "folder": folder.to_string(),
            "rounds": plan.rounds,
            "made": made,
            "models": plan.models,
            "seed": plan.seed,
        }));
    } else {
        let (rounds, models) = (plural(made, "round"), plural(plan.models, "model"));
        line(format!(
            "made {rounds} of {models} in {folder}: {SYNTHETIC}"
        ));
    }
    Ok(Exit::Success)
}
