//! `league rehearse`: the coming weeks with invented prices and chosen disasters.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use capitalbench_archive::disk::file_ops;
use capitalbench_operations::league::folder::LeagueFolder;
use capitalbench_operations::league::pass::Step;
use capitalbench_operations::league::rehearsal::{
    Rehearsal, RehearsalRequest, RoundEnd, Summary, differences, rehearse,
};
use capitalbench_operations::operator::clock::now_or;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::cli::LeagueRehearse;
use crate::console::{BOLD, DIM, ERROR, GOOD, WARNING, line, paint, plural, show, table};
use crate::error::{Error, Exit};

mod kills;

use kills::Killer;

pub(crate) fn run(arguments: &LeagueRehearse) -> Result<Exit, Error> {
    let league = LeagueFolder::open(&arguments.league.folder)?;
    let place = Place::of(arguments)?;
    let from = first_instant(arguments)?;
    let request = |scratch: PathBuf| RehearsalRequest {
        league: league.clone(),
        scratch,
        from,
        days: arguments.days,
        seed: arguments.seed,
        faults: arguments.faults.clone(),
    };
    // What is played can be played again, so nothing of it needs to survive the machine.
    file_ops::stop_flushing();
    let calm = rehearse(&request(place.path("played")), &mut |_, _| Ok(()))?;
    let killed = if arguments.kills == 0 {
        None
    } else {
        let mut killer = Killer::new(arguments.kills, arguments.seed, &calm)?;
        let request = request(place.path("killed"));
        let played = rehearse(&request, &mut |league, at| killer.strike(league, at))?;
        let apart = differences(&calm.league.rounds(), &played.league.rounds())?;
        Some(Killed {
            kills: killer.kills,
            summary: played.summary,
            apart,
        })
    };
    let is_sound = calm.summary.is_sound() && killed.as_ref().is_none_or(Killed::is_sound);
    show(
        || as_json(&league, arguments, &calm, killed.as_ref()),
        || print(&league, arguments, &calm, killed.as_ref()),
    );
    Ok(Exit::of(is_sound))
}

/// The second time that a league was played.
struct Killed {
    kills: u32,
    summary: Summary,
    /// Files of picks, prices and results that differ from the first time.
    apart: Vec<String>,
}

impl Killed {
    fn is_sound(&self) -> bool {
        self.apart.is_empty() && self.summary.is_sound()
    }
}

/// Where the league is played.
enum Place {
    Kept(PathBuf),
    Removed(TempDir),
}

impl Place {
    fn of(arguments: &LeagueRehearse) -> Result<Self, Error> {
        let Some(folder) = &arguments.keep else {
            let made = tempfile::tempdir();
            let made = made.map_err(|error| Error::new(format!("no temporary folder: {error}")));
            return made.map(Self::Removed);
        };
        if folder.exists() {
            let text = format!("--keep {}: it is there already", folder.display());
            return Err(Error::new(text).hint("name a new folder; nothing was written"));
        }
        Ok(Self::Kept(folder.clone()))
    }

    fn path(&self, name: &str) -> PathBuf {
        let folder: &Path = match self {
            Self::Kept(folder) => folder,
            Self::Removed(folder) => folder.path(),
        };
        folder.join(name)
    }
}

fn first_instant(arguments: &LeagueRehearse) -> Result<Timestamp, Error> {
    let today = || TimeZone::UTC.to_datetime(now_or(None)).date();
    let day = arguments.from.unwrap_or_else(today);
    let midnight = day.to_zoned(TimeZone::UTC);
    let midnight = midnight.map_err(|error| Error::new(format!("--from {day}: {error}")))?;
    Ok(midnight.timestamp())
}

fn print(
    league: &LeagueFolder,
    arguments: &LeagueRehearse,
    calm: &Rehearsal,
    killed: Option<&Killed>,
) {
    let day = |at: Timestamp| TimeZone::UTC.to_datetime(at).date();
    line(format!(
        "{} from {} to {}, seed {}",
        paint(BOLD, format!("{} rehearsed", league.league.name)),
        day(calm.from),
        day(calm.until),
        arguments.seed
    ));
    for fault in &arguments.faults {
        line(format!("  {fault}"));
    }
    line("");
    print_calendar(calm);
    let rows = calm.summary.rounds.iter().map(|(name, end)| {
        let word = match end {
            RoundEnd::Resolved => paint(GOOD, end.word()),
            RoundEnd::Overdue(_) => paint(ERROR, end.word()),
            _ => end.word().to_owned(),
        };
        vec![
            name.clone(),
            word,
            end.reason().unwrap_or_default().to_owned(),
        ]
    });
    line(table("round | became | why", rows.collect()));
    let mut ends: BTreeMap<&str, usize> = BTreeMap::new();
    for (_, end) in &calm.summary.rounds {
        *ends.entry(end.word()).or_default() += 1;
    }
    let ends = ends.iter().map(|(word, count)| format!("{count} {word}"));
    let ends = ends.collect::<Vec<_>>().join(", ");
    line(format!(
        "{}: {ends}",
        plural(calm.summary.rounds.len(), "round")
    ));
    print_summary(&calm.summary);
    if let Some(killed) = killed {
        print_killed(killed);
    }
}

/// What happened, in its order; problems stand where they were first told.
fn print_calendar(calm: &Rehearsal) {
    let instant = |at: Timestamp| at.strftime("%a %-d %b %H:%MZ").to_string();
    let of_step = |own: &Step| {
        let about = own.round.clone().unwrap_or_default();
        (
            own.at,
            vec![
                instant(own.at),
                own.kind.as_str().to_owned(),
                about,
                own.text.clone(),
            ],
        )
    };
    let mut entries: Vec<(Timestamp, Vec<String>)> = calm.steps.iter().map(of_step).collect();
    entries.extend(calm.problems.iter().map(|(at, own)| {
        let about = own.round.clone().unwrap_or_default();
        let word = paint(WARNING, "problem");
        (*at, vec![instant(*at), word, about, own.text.clone()])
    }));
    entries.sort_by_key(|(at, _)| *at);
    let rows = entries.into_iter().map(|(_, row)| row).collect();
    line(table("when | what | round | how", rows));
}

fn print_summary(summary: &Summary) {
    let unseen = match summary.unseen {
        0 => String::new(),
        count => format!(", {count} of them with an outcome that nobody saw"),
    };
    line(format!(
        "{} of models{unseen}",
        plural(summary.calls, "call")
    ));
    let found = summary.findings.iter();
    let found: Vec<String> = found
        .map(|(code, count)| format!("{count} {code}"))
        .collect();
    let text = format!(
        "verify: {} errors, {} warnings",
        summary.errors, summary.warnings
    );
    let style = if summary.errors == 0 { GOOD } else { ERROR };
    line(paint(style, text));
    line(paint(DIM, found.join(", ")));
}

fn print_killed(killed: &Killed) {
    line("");
    let text = format!(
        "played again with {} killed",
        plural(killed.kills as usize, "pass")
    );
    line(paint(BOLD, text.replace("passs", "passes")));
    print_summary(&killed.summary);
    if killed.apart.is_empty() {
        line(paint(GOOD, "picks, prices and results are the same"));
    }
    for file in &killed.apart {
        line(format!("{} {file}", paint(ERROR, "differs")));
    }
}

fn as_json(
    league: &LeagueFolder,
    arguments: &LeagueRehearse,
    calm: &Rehearsal,
    killed: Option<&Killed>,
) -> Value {
    let step = |own: &Step| {
        json!({
            "at_utc": own.at.to_string(),
            "round_id": own.round,
            "step": own.kind.as_str(),
            "text": own.text,
            "command": own.command,
        })
    };
    let problems = calm.problems.iter().map(|(at, own)| {
        json!({
            "at_utc": at.to_string(),
            "round_id": own.round,
            "text": own.text,
            "waits_until_utc": own.waits_until.map(|at| at.to_string()),
        })
    });
    let faults = arguments.faults.iter().map(ToString::to_string);
    json!({
        "league": league.league.name,
        "from_utc": calm.from.to_string(),
        "until_utc": calm.until.to_string(),
        "seed": arguments.seed,
        "faults": faults.collect::<Vec<_>>(),
        "passes": calm.passes,
        "steps": calm.steps.iter().map(step).collect::<Vec<_>>(),
        "problems": problems.collect::<Vec<_>>(),
        "summary": summary_json(&calm.summary),
        "killed": killed.map(|own| {
            json!({
                "kills": own.kills,
                "differs": own.apart,
                "summary": summary_json(&own.summary),
            })
        }),
    })
}

fn summary_json(summary: &Summary) -> Value {
    let round = |(name, end): &(String, RoundEnd)| json!({"round_id": name, "became": end.word(), "why": end.reason()});
    json!({
        "rounds": summary.rounds.iter().map(round).collect::<Vec<_>>(),
        "calls": summary.calls,
        "unseen": summary.unseen,
        "errors": summary.errors,
        "warnings": summary.warnings,
        "findings": summary.findings,
    })
}
