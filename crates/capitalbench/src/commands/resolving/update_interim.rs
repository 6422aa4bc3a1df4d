//! `update-interim-performance` and `update-weekly-performance`: provisional tracking of open rounds.

use std::path::Path;

use capitalbench_core::round::manifest::Track;
use capitalbench_operations::publishing::interim::{
    Fetching, InterimReport, InterimRequest, Tracked, track_run, update_interim,
};
use jiff::civil::Date;
use serde_json::json;

use crate::cli::{TrackChoice, UpdateInterimPerformance, UpdateWeeklyPerformance};
use crate::commands::notices::vendor;
use crate::commands::parse_run_id;
use crate::config::operator;
use crate::console::{DIM, ERROR, document, is_json, line, paint, remark, show};
use crate::error::{Error, Exit};

const NOTE: &str = "price return, distributions not included; provisional";

pub(crate) fn run(arguments: &UpdateInterimPerformance) -> Result<Exit, Error> {
    let manner = &arguments.manner;
    let request = InterimRequest {
        at_limit: arguments.patience.at_limit(),
        rounds: arguments.rounds.folder.clone(),
        day: arguments.snapshot_date,
        track: match arguments.track {
            TrackChoice::All => None,
            TrackChoice::Weekly => Some(Track::Weekly),
            TrackChoice::Monthly => Some(Track::Monthly),
        },
        snapshots: arguments.snapshots_dir.clone(),
        fetching: match (manner.skip_fetch, manner.overwrite_snapshot) {
            (true, _) => Fetching::Never,
            (false, true) => Fetching::Always,
            (false, false) => Fetching::IfMissing,
        },
        vendor: vendor(&arguments.source)?,
        universe_round: arguments.universe_round.clone(),
        soft_fail: arguments.soft_fail,
        dry_run: arguments.dry_run,
    };
    let report = update_interim(&operator(arguments.now.instant)?, &request)?;
    print(arguments, &report);
    Ok(Exit::of(report.failed.is_empty()))
}

fn print(arguments: &UpdateInterimPerformance, report: &InterimReport) {
    let InterimReport {
        snapshot,
        rounds,
        failed,
    } = report;
    if is_json() {
        let rounds = rounds.iter().map(|(name, tracked)| match tracked {
            Tracked::Until(day) => {
                json!({"round_id": name, "state": "tracked", "until": day.to_string()})
            }
            Tracked::Skipped(reason) => {
                json!({"round_id": name, "state": "skipped", "reason": reason})
            }
        });
        document(&json!({
            "snapshot_date": arguments.snapshot_date.to_string(),
            "snapshot": snapshot,
            "note": NOTE,
            "rounds": rounds.collect::<Vec<_>>(),
            "failures": failed,
        }));
        return;
    }
    line(format!(
        "snapshot of {}: {snapshot}",
        arguments.snapshot_date
    ));
    for (name, tracked) in rounds {
        match tracked {
            Tracked::Until(day) => line(format!("{name}: tracked to {day} ({NOTE})")),
            Tracked::Skipped(reason) => line(format!("{name}: {}", paint(DIM, reason))),
        }
    }
    for (name, error) in failed {
        remark(format!("{} {name}: {error}", paint(ERROR, "error:")));
    }
}

pub(crate) fn run_one(arguments: &UpdateWeeklyPerformance) -> Result<Exit, Error> {
    let (paths, days) = (&arguments.snapshot_price_file, &arguments.snapshot_date);
    if paths.len() != days.len() {
        let text = "every --snapshot-price-file needs its --snapshot-date";
        return Err(Error::new(text));
    }
    let run_id = parse_run_id("--run-id", &arguments.run_id)?;
    let sheets = paths.iter().map(Path::new).zip(days.iter().copied());
    let sheets: Vec<(&Path, Date)> = sheets.collect();
    let (round, day) = track_run(&operator(None)?, &arguments.round.path, &run_id, &sheets)?;
    show(
        || json!({"round_id": round, "until": day.to_string(), "note": NOTE}),
        || line(format!("{round}: tracked to {day} ({NOTE})")),
    );
    Ok(Exit::Success)
}
