//! One model: its record, its rounds, its opponents, its calibration, its habits, its cost, and how
//! it was asked.

use capitalbench_core::evidence::statistics::{Basis, Estimate, RecordStatistics};
use capitalbench_core::publication::boards::behaviour::Behaviour;
use capitalbench_core::publication::boards::cumulative::CumulativeRow;
use capitalbench_core::round::manifest::Track;
use capitalbench_core::values::ids::ModelId;

use super::asked;
use super::boards::estimate;
use super::share;
use super::view::{
    TRACKS, View, horizon, model_path, pair_path, plain_name, round_path, track_name,
};
use crate::charts::{Stated, Strip, StripMark, reliability};
use crate::figures::{
    self, NONE, chance, cost, count, day, decimal, interval, no_interval, percent_interval, score,
    share, signed_percent, signed_points, worth,
};
use crate::html::Html;
use crate::page::Page;
use crate::table::{self, Table, gap, head, maybe, part, percent, text, whole};
use crate::title::title;

mod habits;
mod profile;

/// Rounds listed on the page.
const MOST_ROUNDS: usize = 40;
/// Rounds drawn in a strip.
const MOST_DRAWN: usize = 80;

pub(crate) fn page(view: &View<'_>, id: &ModelId) -> Page {
    let name = view.name(id);
    let description = format!("Record, habits, calibration and cost of {name}.");
    let mut page = Page::new(&model_path(id), name, &description).below("models/", "Models");
    page.heading = view.model_label(id);
    page.image = Some(format!("share/models/{}.png", plain_name(id.as_str())));
    let mut facts = vec![
        ("Id", Html::code(id.as_str())),
        ("Activity", view.activity(id).into()),
    ];
    facts.extend(continued(view, &page, id));
    profile::begin(view, &mut page, id);
    page.body.facts(&facts);
    for track in TRACKS {
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
            calibration(view, &mut page, behaviour, own);
        } else {
            page.body.say("No round of this track is resolved yet.");
        }
        if let Some(behaviour) = behaviour {
            habits::section(view, &mut page, behaviour);
        }
    }
    asked::section(view, &mut page, id);
    let address = |path: &str| format!("{}/{path}", view.base_url);
    let badge = format!(
        "[![CapitalBench]({})]({})",
        address(&format!("badge/{}.svg", plain_name(id.as_str()))),
        address(&model_path(id)),
    );
    let data = ["cumulative.csv", "outcomes.csv", "habits.csv"];
    share::panel(
        view,
        &mut page,
        name,
        &[("Badge in Markdown", badge)],
        &data,
    );
    page
}

/// Which record this one continues, and which ones continue it; each record stays its own.
fn continued(view: &View<'_>, page: &Page, id: &ModelId) -> Vec<(&'static str, Html)> {
    let link = |other: &ModelId| {
        if view.models.contains(other) {
            view.model_link(&page.here, other)
        } else {
            Html::code(other.as_str())
        }
    };
    let mut facts = Vec::new();
    if let Some(other) = view.continues.get(id) {
        facts.push(("Continues the record of", link(other)));
    }
    let mut later = view.continues.iter();
    let later = later.by_ref().filter(|(_, earlier)| **earlier == id);
    let later: Vec<Html> = later.map(|(own, _)| link(own)).collect();
    if !later.is_empty() {
        facts.push(("Record continued by", Html::join(&later, ", ")));
    }
    facts
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
        (
            "Mean gap to the S&P 500",
            format!(
                "{} points a {}",
                signed_points(row.average_alpha),
                horizon(track)
            )
            .into(),
        ),
        ("Above the S&P 500", share(row.hit_rate_reference).into()),
    ];
    if let Some(alpha) = own.and_then(|own| own.model.alpha) {
        facts.push((
            "Day-by-day estimate, 95 % interval",
            stated_gap(alpha, track).into(),
        ));
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
        facts.push((
            "Years to know",
            format!("{} years", figures::years(years)).into(),
        ));
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
    let basis = match alpha.basis {
        Basis::NotInformative => ", too few windows to tell anything".to_owned(),
        Basis::Days(days) => {
            format!(", {days} sessions; days without a snapshot of prices are missing")
        }
        Basis::Rounds => String::new(),
    };
    format!(
        "{} points a {} ({}){basis}",
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
        let Some(standing) = round.resolved().and_then(|resolved| resolved.of(id)) else {
            continue;
        };
        let Some(window) = round.manifest.window else {
            continue;
        };
        let outcome = &standing.scored.outcome;
        drawn.push(StripMark {
            day: window.exit,
            value: outcome.alpha.get(),
            name: title(round),
            href: page.here.to(&round_path(round.id())),
        });
        if drawn.len() == MOST_DRAWN {
            break;
        }
        if table.rows.len() == MOST_ROUNDS {
            continue;
        }
        let value = outcome.decision_return.get();
        table.row(vec![
            view.round_cell(&page.here, round.id()),
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
        look: Some(view.look(id)),
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
            "Opponent | #Mean difference / {0}, points | #Shared rounds | #Windows | #Ahead | #Behind | #Day-by-day estimate / {0}, points | #95 % interval",
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
            head(view.marked(
                other,
                &page.here.link(&pair_path(id, other), view.name(other)),
            )),
            maybe(
                view.difference(pair)
                    .map(|mean| if swapped { -mean } else { mean }),
                signed_points,
            ),
            whole(pair.rounds.len()),
            table::decimal(pair.effective_windows, 1),
            whole(ahead),
            whole(behind),
            estimate(difference),
            table::interval(difference),
        ]);
    }
    if !table.rows.is_empty() {
        page.body.heading("Head to head").table(&table);
    }
}

fn calibrated(page: &mut Page, behaviour: Option<&Behaviour>, own: &RecordStatistics) {
    if let Some(calibration) = behaviour.and_then(|b| b.calibration) {
        // A mean of squared misses lies between 0 and 1; an interval beyond them cannot be.
        let possible = |b: &Estimate| b.informative() && b.low >= 0.0 && b.high <= 1.0;
        let brier = own.brier.filter(possible).map_or(String::new(), |b| {
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

fn calibration(
    view: &View<'_>,
    page: &mut Page,
    behaviour: Option<&Behaviour>,
    own: Option<&RecordStatistics>,
) {
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
    let chart = reliability(
        "Stated confidence against the share that came true",
        view.look(&own.model.model_id),
        &drawn,
    );
    page.body.figure(
        "Stated confidence of beating the S&P 500 against how often it happened",
        &chart,
        &table,
    );
}
