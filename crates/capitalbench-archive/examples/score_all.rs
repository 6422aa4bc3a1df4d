//! Scores every official run of a folder again and again and prints the CPU time per 100 runs.
//!
//! Used by `scripts/bench`. One pass reads, validates and scores the parsed submissions of every
//! run against both price sheets and renders the result files. Starting the program, reading the
//! manifests and choosing the runs happens once, before the clock starts.
#![expect(
    clippy::print_stdout,
    reason = "a measuring program prints what it measured and reads the kernel's clock of itself"
)]

use std::path::Path;

use capitalbench_archive::results::scoring::score_run;
use capitalbench_archive::round::round_folder::{RoundInputs, Universes, list_rounds};
use capitalbench_archive::run::run_folder::RunFolder;
use capitalbench_core::asking::run::{RunRules, official_run};

const PASSES: usize = 20;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::args().nth(1).ok_or("give a folder of rounds")?;
    let jobs = official_runs(Path::new(&folder))?;
    let mut milliseconds = Vec::with_capacity(PASSES);
    for _ in 0..PASSES {
        let before = cpu_nanoseconds()?;
        let mut bytes = 0;
        for (inputs, run, rules) in &jobs {
            let scored = score_run(inputs, run, *rules)?;
            bytes += scored
                .tables
                .iter()
                .map(|(_, table)| table.render().len())
                .sum::<usize>();
        }
        assert!(bytes > 0, "nothing was scored");
        milliseconds.push((cpu_nanoseconds()? - before) / 1e6);
    }
    milliseconds.sort_by(f64::total_cmp);
    #[expect(clippy::cast_precision_loss, reason = "a count of runs")]
    let runs = jobs.len() as f64;
    println!(
        "{:.1} {}",
        milliseconds[PASSES / 2] / runs * 100.0,
        jobs.len()
    );
    Ok(())
}

type Job = (RoundInputs, RunFolder, RunRules);

/// Official runs of rounds that have both price sheets.
fn official_runs(folder: &Path) -> Result<Vec<Job>, Box<dyn std::error::Error>> {
    let universes = Universes::default();
    let mut jobs = Vec::new();
    for round in list_rounds(folder)? {
        if !round.file("prices/exit_prices.csv").is_file() {
            continue;
        }
        let runs = round.runs()?;
        if let Ok(run) = official_run(&runs, round.record_rules()?) {
            let folder = round.run(&run.run_id)?;
            jobs.push((RoundInputs::load(round, &universes)?, folder, run.rules));
        }
    }
    Ok(jobs)
}

/// Time this thread spent on a core, user and system.
fn cpu_nanoseconds() -> Result<f64, Box<dyn std::error::Error>> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat")?;
    let first = text.split_whitespace().next().ok_or("an empty schedstat")?;
    Ok(first.parse()?)
}
