//! One model: its record, its rounds, its opponents, its calibration, its habits, its cost, and how
//! it was asked.

use capitalbench_core::evidence::statistics::{Basis, Estimate, RecordStatistics};
use capitalbench_core::publication::PublicRound;
use capitalbench_core::publication::boards::behaviour::Behaviour;
use capitalbench_core::publication::boards::cumulative::CumulativeRow;
use capitalbench_core::round::manifest::Track;
use capitalbench_core::values::ids::ModelId;

use super::asked;
use super::view::{View, horizon, model_path, pair_path, round_link, track_name};
use crate::charts::{Stated, Strip, reliability};
use crate::figures::{
    NONE, chance, cost, count, day, decimal, interval, no_interval, percent_interval, score, share,
    signed_percent, signed_points, worth,
};
use crate::html::Html;
use crate::page::Page;
use crate::table::{self, Table, gap, head, maybe, part, percent, text, whole};

mod habits;

/// Rounds listed on the page.
const MOST_ROUNDS: usize = 40;
/// Rounds drawn in a strip.
const MOST_DRAWN: usize = 150;

pub(crate) fn page(view: &View<'_>, id: &ModelId) -> Page {
    let name = view.name(id);
    let description = format!("Record, habits, calibration and cost of {name}.");
    let mut page = Page::new(&model_path(id), name, &description).below("models/", "Models");
    let mut facts = vec![
        ("Id", Html::code(id.as_str())),
        ("Activity", view.activity(id).into()),
    ];
    facts.extend(continued(view, id));
    page.body.facts(&facts);
    for track in view.tracks() {
        let Some(boards) = view.boards(track) else {
            continue;
        };
        let row = boards.cumulative.iter().find(|row| row.model_id == *id);
        let behaviour = boards.behaviour.iter().find(|b| b.model_id == *id);
        if row.is_none() && behaviour.is_none() {
            continue;
        }
        page.body.section(track.as_str(), track_name(Some(track)));
        if let Some(row) = row {
            let own = view.record(track, id);
            record(&mut page, track, row, own);
            strip(view, &mut page, id, row);
            opponents(view, &mut page, id, track);
            calibration(&mut page, behaviour, own);
        } else {
            page.body.say("No round of this track is resolved yet.");
        }
        if let Some(behaviour) = behaviour {
            habits::section(view, &mut page, behaviour);
        }
    }
    asked::section(view, &mut page, id);
    page
}

/// The page of an id whose record goes on under another one; links from outside lead here.
pub(crate) fn earlier_page(view: &View<'_>, id: &ModelId, newest: &ModelId) -> Page {
    let name = view.name(id);
    let description = format!("{name} goes on as {}.", view.name(newest));
    let mut page = Page::new(&model_path(id), name, &description).below("models/", "Models");
    let facts = [
        ("Id", Html::code(id.as_str())),
        ("Took part", took_part(view, id).into()),
        ("Record goes on as", view.model_link(&page.here, newest)),
    ];
    page.body.facts(&facts);
    page
}

/// The earlier names of a model, with the days of their decisions.
fn continued(view: &View<'_>, id: &ModelId) -> Vec<(&'static str, Html)> {
    let earlier = view.continued.iter().filter(|(_, newest)| **newest == id);
    let told = |(own, _): (&&ModelId, &&ModelId)| {
        let mut html = Html::code(own.as_str());
        html.push_text(&format!(", {}, {}", view.name(own), took_part(view, own)));
        html
    };
    let earlier: Vec<Html> = earlier.map(told).collect();
    if earlier.is_empty() {
        return Vec::new();
    }
    vec![("Earlier, in the same record", Html::join(&earlier, "; "))]
}

/// The days of the first and the last decision under an id.
fn took_part(view: &View<'_>, id: &ModelId) -> String {
    let decided = |round: &&&PublicRound| round.submissions().iter().any(|own| own.model_id == *id);
    let days = view.by_decision.iter().filter(decided);
    let mut days = days.filter_map(|round| round.manifest.decision_date);
    match (days.next(), days.next_back()) {
        (Some(first), Some(last)) => format!("{} to {}", day(first), day(last)),
        (Some(only), None) => day(only),
        (None, _) => NONE.to_owned(),
    }
}

fn record(page: &mut Page, track: Track, row: &CumulativeRow, own: Option<&RecordStatistics>) {
    let windows = own.map(|own| own.model.effective_windows);
    let rounds = worth(&row.rounds.len().to_string(), windows, " windows");
    let reference = signed_percent(row.average_reference);
    let mut facts = vec![
        ("Rounds", rounds.into()),
        ("Score", scored_text(row, own).into()),
        ("Mean return", signed_percent(row.average_return).into()),
        ("S&P 500, same rounds", reference.into()),
        ("Above the S&P 500", share(row.hit_rate_reference).into()),
    ];
    if let Some(alpha) = own.and_then(|own| own.model.alpha) {
        facts.push(("Gap, 95 % interval", stated_gap(alpha, track).into()));
    }
    if let Some(luck) = own.and_then(|own| own.model.luck) {
        let (below, p) = (share(luck.mean_percentile), chance(luck.p_value));
        let words = format!("{below} of them below on average, p {p}");
        facts.push(("Random portfolios", words.into()));
    }
    if let Some(noise) = own.and_then(|own| own.noise) {
        let words = format!("{} of the variance", share(noise.decision_share));
        facts.push(("Own noise", words.into()));
    }
    if let Some(years) = own.and_then(|own| own.model.years_to_know) {
        facts.push(("Years to know", decimal(years, 1).into()));
    }
    facts.push(("Cost per decision", cost_text(row).into()));
    page.body.facts(&facts);
}

/// The mean cost, and of how many rounds it is known where not of all.
fn cost_text(row: &CumulativeRow) -> String {
    let (known, all) = (row.rounds_with_cost, row.rounds.len());
    let shown = cost(row.average_cost_usd);
    if row.average_cost_usd.is_some() && known < all {
        return format!("{shown}, unknown for {} of {all} rounds", all - known);
    }
    shown
}

fn scored_text(row: &CumulativeRow, own: Option<&RecordStatistics>) -> String {
    let shown = score(row.score);
    match own.map(|own| own.model.score) {
        Some(Ok((low, high))) => format!("{shown} ({})", interval(low, high, 1)),
        Some(Err(reason)) => format!("{shown} (no interval: {})", no_interval(reason)),
        None => shown,
    }
}

fn stated_gap(alpha: Estimate, track: Track) -> String {
    let weak = match alpha.basis {
        Basis::NotInformative => ", too few windows to tell anything",
        Basis::Days(_) | Basis::Rounds => "",
    };
    format!(
        "{} a {} ({}){weak}",
        signed_points(alpha.value),
        horizon(track),
        percent_interval(alpha.low, alpha.high)
    )
}

fn strip(view: &View<'_>, page: &mut Page, id: &ModelId, row: &CumulativeRow) {
    let mut table = Table::new(
        "Round by round, newest first",
        "Round | Ended | #Return | #vs S&P 500 | #Score | #Random | #Confidence",
    );
    let mut drawn = Vec::new();
    for round in row.rounds.iter().rev().filter_map(|id| view.round(id)) {
        let Some(standing) = round.standing(id) else {
            continue;
        };
        let Some(window) = round.manifest.window else {
            continue;
        };
        let outcome = &standing.scored.outcome;
        drawn.push((window.exit, outcome.alpha.get()));
        if drawn.len() == MOST_DRAWN {
            break;
        }
        if table.rows.len() == MOST_ROUNDS {
            continue;
        }
        let value = outcome.decision_return.get();
        table.row(vec![
            head(round_link(&page.here, round.id())),
            text(&day(window.exit)),
            percent(value),
            gap(outcome.alpha.get()),
            table::scored(standing.score),
            maybe(standing.percentiles.map(|p| p.all), share),
            part(standing.scored.submission.confidence),
        ]);
    }
    let chart = Strip {
        title: "Gap to the S&P 500 of each round by its last day",
        rounds: drawn,
    };
    let caption = "Gap to the S&P 500, one mark per round: ▲ above, ▼ not above";
    drawn_strip(page, caption, &chart, &table, row.rounds.len());
}

/// A strip with its table, which may leave out older rounds; nothing without a round.
pub(super) fn drawn_strip(
    page: &mut Page,
    caption: &str,
    strip: &Strip,
    table: &Table,
    all: usize,
) {
    if !strip.rounds.is_empty() {
        page.body.figure(caption, &strip.draw(), table);
        page.body.cut("Rounds in the table", table.rows.len(), all);
    }
}

fn opponents(view: &View<'_>, page: &mut Page, id: &ModelId, track: Track) {
    let mut table = Table::new(
        "Against each opponent, on shared rounds",
        &format!(
            "Opponent | #Shared rounds | #Windows | #Ahead | #Behind | #Difference / {} | #95 % interval",
            horizon(track)
        ),
    );
    let pairs = view.pairs(track).iter();
    for pair in pairs.filter(|pair| pair.first == *id || pair.second == *id) {
        let swapped = pair.second == *id;
        let (other, ahead, behind) = if swapped {
            (&pair.first, pair.second_ahead, pair.first_ahead)
        } else {
            (&pair.second, pair.first_ahead, pair.second_ahead)
        };
        let turned = |found: Estimate| Estimate {
            value: -found.value,
            low: -found.high,
            high: -found.low,
            ..found
        };
        let difference = pair
            .difference
            .map(|found| if swapped { turned(found) } else { found });
        table.row(vec![
            head(page.here.link(&pair_path(id, other), view.name(other))),
            whole(pair.rounds.len()),
            table::decimal(pair.effective_windows, 1),
            whole(ahead),
            whole(behind),
            maybe(difference.map(|d| d.value), signed_points),
            table::interval(difference),
        ]);
    }
    if !table.rows.is_empty() {
        page.body.heading("Head to head").table(&table);
    }
}

fn calibrated(page: &mut Page, behaviour: Option<&Behaviour>, own: &RecordStatistics) {
    if let Some(calibration) = behaviour.and_then(|b| b.calibration) {
        let brier = own.brier.map_or(String::new(), |b| {
            format!(" ({})", interval(b.low, b.high, 2))
        });
        page.body.say(&format!(
            "Over {}: mean stated confidence {}, share above the S&P 500 {}, Brier score {}{brier}; 0 is perfect, 0.25 a coin.",
            count(calibration.rounds, "round", "rounds"),
            share(calibration.confidence),
            share(calibration.hit_rate),
            decimal(calibration.brier, 2),
        ));
    }
}

fn calibration(page: &mut Page, behaviour: Option<&Behaviour>, own: Option<&RecordStatistics>) {
    let Some(own) = own.filter(|own| !own.reliability.is_empty()) else {
        return;
    };
    page.body.heading("Calibration");
    calibrated(page, behaviour, own);
    let mut table = Table::new(
        "Confidence against outcome",
        "Stated | #Decisions | #Windows | #Mean stated | #Came true | #95 % interval",
    )
    .fixed();
    let mut drawn = Vec::new();
    for bin in &own.reliability {
        let range = bin
            .estimate
            .filter(|e| e.informative)
            .map(|e| e.estimate.interval(0.95));
        table.row(vec![
            head(format!("{} to {}", share(bin.from), share(bin.to))),
            whole(bin.count),
            table::decimal(bin.effective, 1),
            part(bin.confidence),
            part(bin.hit_rate),
            text(&range.map_or(NONE.to_owned(), |(low, high)| {
                format!("{} … {}", share(low.max(0.0)), share(high.min(1.0)))
            })),
        ]);
        drawn.push(Stated {
            confidence: bin.confidence,
            observed: bin.hit_rate,
            count: bin.count,
            range,
        });
    }
    let chart = reliability("Stated confidence against the share that came true", &drawn);
    page.body.figure(
        "Stated confidence of beating the S&P 500 against how often it happened",
        &chart,
        &table,
    );
}
