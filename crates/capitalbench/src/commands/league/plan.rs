//! `league plan`: what happens next, when and at what cost.

use capitalbench_core::asking::cost::Cost;
use capitalbench_core::round::manifest::{Proof, Track};
use capitalbench_operations::league::folder::LeagueFolder;
use capitalbench_operations::league::plan::{
    LeaguePlan, PlannedMonth, PlannedRound, Progress, plan,
};
use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

use crate::cli::LeaguePlan as Arguments;
use crate::config::{enter_league, league_operator};
use crate::console::{BOLD, DIM, WARNING, line, paint, plural, show, warn};
use crate::error::{Error, Exit};

pub(crate) fn run(arguments: &Arguments) -> Result<Exit, Error> {
    let league = enter_league(&arguments.league.folder)?;
    let operator = league_operator(&league, arguments.now.instant)?;
    let now = operator.now();
    let weeks = SignedDuration::from_hours(i64::from(arguments.weeks) * 7 * 24);
    let until = now.checked_add(weeks).unwrap_or(Timestamp::MAX);
    let ahead = plan(&operator, &league, until)?;
    show(
        || as_json(&league, &ahead, until),
        || print(&league, &ahead, (now, until)),
    );
    Ok(Exit::Success)
}

/// A line of the calendar.
struct Entry {
    at: Timestamp,
    text: String,
}

fn print(league: &LeagueFolder, ahead: &LeaguePlan, (now, until): (Timestamp, Timestamp)) {
    if league.is_rehearsed() {
        let text = "rehearsal: nothing is called and nothing is paid; with allow_real_api_calls: true it \
                    costs what stands here";
        line(paint(WARNING, text));
    }
    let mut entries: Vec<Entry> = ahead
        .rounds
        .iter()
        .flat_map(|round| entries(league, round))
        .filter(|entry| entry.at > now && entry.at <= until)
        .collect();
    entries.sort_by_key(|entry| entry.at);
    let mut last = None;
    for entry in entries {
        let day = TimeZone::UTC.to_datetime(entry.at).date();
        let shown = if last == Some(day) {
            String::new()
        } else {
            date(day)
        };
        last = Some(day);
        row(&shown, &clock(entry.at), &entry.text);
    }
    if let Some(at) = ahead.tracked {
        row("daily", &clock(at), "provisional tracking of open rounds");
    }
    for month in &ahead.months {
        line(month_text(month));
    }
    if !ahead.unpriced.is_empty() {
        let (count, names) = (ahead.unpriced.len(), ahead.unpriced.join(", "));
        warn(format!(
            "no price is known of {}: {names}; write it into a price card and name it with `pricing` in \
             league.yaml",
            plural(count, "model")
        ));
    }
}

fn row(day: &str, clock: &str, text: &str) {
    line(format!(
        "{}  {}  {text}",
        paint(BOLD, format!("{day:<10}")),
        paint(DIM, format!("{clock:<6}"))
    ));
}

fn date(day: Date) -> String {
    day.strftime("%a %-d %b").to_string()
}

fn clock(at: Timestamp) -> String {
    at.strftime("%H:%MZ").to_string()
}

/// What is to come of a round.
fn entries(league: &LeagueFolder, planned: &PlannedRound) -> Vec<Entry> {
    let round = &planned.round;
    let window = round.window.window;
    let span = match round.track {
        Track::Weekly => "week",
        Track::Monthly => "month",
    };
    let name = format!("{span} {} – {}", date(window.entry), date(window.exit));
    let mut found = Vec::new();
    let mut add = |at: Option<Timestamp>, text: String| {
        found.extend(at.map(|at| Entry { at, text }));
    };
    if planned.progress != Progress::Asked {
        let stamps = match league.league.proof {
            Proof::Anchored => ", stamped by outside clocks",
            Proof::Signed => ", signed",
            Proof::None => "",
        };
        let models = plural(planned.models, "model");
        let lanes = match planned.lane_calls {
            0 => String::new(),
            calls => format!(
                " and {} of each in twin lanes",
                plural(calls as usize, "answer")
            ),
        };
        let cost = at_most(planned.at_most);
        add(
            Some(round.opens),
            format!("open and freeze the {name}{stamps}; ask {models}{lanes}, {cost}"),
        );
        let close = clock(round.window.entry_close);
        add(
            Some(round.deadline),
            format!("deadline of the {name}; entry close {close}"),
        );
    }
    add(
        planned.result,
        format!("prices, score, boards and site of the {name}"),
    );
    found
}

fn at_most(cost: Option<Cost>) -> String {
    cost.map_or_else(
        || "at an unknown cost".to_owned(),
        |cost| format!("at most {}", dollars(cost)),
    )
}

/// Money, never less than it is.
fn dollars(cost: Cost) -> String {
    format!("${:.2}", (cost.usd() * 100.0).ceil() / 100.0)
}

fn month_text(month: &PlannedMonth) -> String {
    let name = month.month.strftime("%b %Y").to_string();
    let spent = dollars(month.spent);
    let most = at_most(month.at_most);
    let budget = month.budget.map_or_else(
        || "no budget is set".to_owned(),
        |budget| format!("of {}", dollars(budget)),
    );
    let text = format!(
        "{}  {most} {budget}, {spent} spent",
        paint(BOLD, format!("{name:<10}"))
    );
    if month.beyond == 0 {
        return text;
    }
    let rounds = plural(month.beyond, "round");
    format!(
        "{text}; {}",
        paint(WARNING, format!("the budget may not suffice for {rounds}"))
    )
}

fn as_json(league: &LeagueFolder, ahead: &LeaguePlan, until: Timestamp) -> Value {
    let usd = |cost: Option<Cost>| cost.map(Cost::usd);
    let round = |own: &PlannedRound| {
        json!({
            "round_id": own.round.round_id.as_str(),
            "track": own.round.track.as_str(),
            "progress": match own.progress {
                Progress::ToCome => "to_come",
                Progress::Begun => "begun",
                Progress::Asked => "asked",
            },
            "opens_at_utc": own.round.opens.to_string(),
            "deadline_utc": own.round.deadline.to_string(),
            "entry_close_utc": own.round.window.entry_close.to_string(),
            "exit_close_utc": own.round.window.exit_close.to_string(),
            "result_due_utc": own.result.map(|at| at.to_string()),
            "models": own.models,
            "asked_once_at_most_usd": usd(own.once),
            "lane_calls_per_model": own.lane_calls,
            "lanes_once_at_most_usd": usd(own.lanes_once),
            "at_most_usd": usd(own.at_most),
        })
    };
    let month = |own: &PlannedMonth| {
        json!({
            "month": own.month.strftime("%Y-%m").to_string(),
            "spent_usd": own.spent.usd(),
            "at_most_usd": usd(own.at_most),
            "budget_usd": usd(own.budget),
            "rounds_beyond_budget": own.beyond,
        })
    };
    json!({
        "league": league.league.name,
        "rehearsal": league.is_rehearsed(),
        "until_utc": until.to_string(),
        "rounds": ahead.rounds.iter().map(round).collect::<Vec<_>>(),
        "months": ahead.months.iter().map(month).collect::<Vec<_>>(),
        "tracked_next_utc": ahead.tracked.map(|at| at.to_string()),
        "unpriced_models": ahead.unpriced,
        "input_characters": ahead.input_characters,
    })
}
