//! One model: its record, its rounds, its opponents, its calibration, its habits, its cost, and how
//! it was asked.

use capitalbench_core::evidence::explanation::words::planned;
use capitalbench_core::evidence::statistics::{Estimate, RecordStatistics, horizon_sessions};
use capitalbench_core::publication::PublicRound;
use capitalbench_core::publication::boards::behaviour::Behaviour;
use capitalbench_core::publication::boards::cumulative::CumulativeRow;
use capitalbench_core::round::manifest::Track;
use capitalbench_core::values::ids::ModelId;

use super::asked;
use super::claims;
use super::moved;
use super::share;
use super::view::{View, horizon, model_path, pair_path, plain_name, round_path, track_name};
use crate::charts::{Stated, Strip, StripMark, reliability};
use crate::figures::{
    NONE, chance, cost, count, day, decimal, interval, no_interval, percent_interval, score, share,
    signed_percent, signed_points, worth,
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
    page.image = view.image(&format!("models/{}", plain_name(id.as_str())));
    let mut facts = vec![
        ("Id", Html::code(id.as_str())),
        ("Activity", view.activity(id).into()),
    ];
    facts.extend(continued(view, id));
    profile::begin(view, &mut page, id);
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
            record(view, &mut page, track, (row, own));
            strip(view, &mut page, id, row);
            opponents(view, &mut page, id, track);
            calibration(view, &mut page, behaviour, own);
        } else {
            page.body.say("No round of this track is resolved yet.");
        }
        if let Some(behaviour) = behaviour {
            habits::section(view, &mut page, behaviour);
        }
        moved::of_model(view, &mut page, track, id);
    }
    claims::of_model(view, &mut page, id);
    asked::section(view, &mut page, id);
    let address = |path: &str| format!("{}/{path}", view.base_url);
    let badge = format!(
        "[![{}]({})]({})",
        view.identity.name.replace('[', "(").replace(']', ")"),
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

fn record(
    view: &View<'_>,
    page: &mut Page,
    track: Track,
    (row, own): (&CumulativeRow, Option<&RecordStatistics>),
) {
    let the = view.reference.the();
    let [same, mean, above] = [
        format!("{}, same rounds", view.reference),
        format!("Mean gap to {the}"),
        format!("Above {the}"),
    ];
    let windows = own.map(|own| own.model.effective_windows);
    let rounds = worth(&row.rounds.len().to_string(), windows, " windows");
    let reference = signed_percent(row.average_reference);
    let mut facts = vec![
        ("Rounds", rounds.into()),
        ("Score", scored_text(row, own).into()),
        ("Mean return", signed_percent(row.average_return).into()),
        (same.as_str(), reference.into()),
        (
            mean.as_str(),
            format!(
                "{} points a {}",
                signed_points(row.average_alpha),
                horizon(track)
            )
            .into(),
        ),
        (above.as_str(), share(row.hit_rate_reference).into()),
    ];
    if let Some(alpha) = own.and_then(|own| own.model.alpha) {
        facts.push(("95 % interval of the gap", stated_gap(alpha).into()));
    }
    if let Some(own) = own {
        facts.extend(luck(own).map(|words| ("Random portfolios", words.into())));
        facts.extend(synthetic(own, track, &the));
    }
    if let Some(noise) = own.and_then(|own| own.noise) {
        let words = format!("{} of the variance", share(noise.decision_share));
        facts.push(("Own noise", words.into()));
    }
    if let Some(years) = own.and_then(|own| own.model.years_to_detect) {
        facts.push(("Years to detect a yearly gap", planned(years).into()));
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

fn stated_gap(alpha: Estimate) -> String {
    if alpha.informative() {
        percent_interval(alpha.low, alpha.high)
    } else {
        "too few windows for an interval".to_owned()
    }
}

/// Where it stands among random portfolios, and whether luck explains that.
fn luck(own: &RecordStatistics) -> Option<String> {
    let (luck, spread) = own.model.luck.zip(own.model.chance_spread)?;
    let tested = match own.model.luck_test {
        Some(test) => format!(
            "null-v2 over {} rounds: p {}",
            test.rounds,
            chance(test.p_value)
        ),
        None => {
            "luck is not tested: the test needs two rounds that froze 60 daily returns".to_owned()
        }
    };
    Some(format!(
        "{} of them below on average, by chance 50 ± {:.0}; {tested}",
        share(luck.mean_percentile),
        100.0 * spread
    ))
}

/// Figures of the synthetic portfolio, which never rank.
fn synthetic(own: &RecordStatistics, track: Track, the: &str) -> Option<(&'static str, Html)> {
    let own = own.synthetic?;
    let sessions = horizon_sessions(track);
    let words = format!(
        "beta {} ({}); gain beyond beta {} a {} ({}); tracking error {} a year; information ratio {} ({}); largest loss from a high {}, of {the} {}",
        decimal(own.beta.value, 2),
        interval(own.beta.low, own.beta.high, 2),
        signed_points(sessions * own.capm_alpha.value),
        horizon(track),
        percent_interval(
            sessions * own.capm_alpha.low,
            sessions * own.capm_alpha.high
        ),
        share(own.tracking_error),
        decimal(own.information_ratio.value, 2),
        interval(own.information_ratio.low, own.information_ratio.high, 2),
        share(own.drawdown),
        share(own.reference_drawdown),
    );
    Some(("Synthetic portfolio of all live rounds", words.into()))
}

fn strip(view: &View<'_>, page: &mut Page, id: &ModelId, row: &CumulativeRow) {
    let mut table = Table::new(
        "Round by round, newest first",
        &format!(
            "Round | Ended | #Return | #vs {} | #Score | #Random | #Confidence",
            view.reference
        ),
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
    let the = view.reference.the();
    let chart = Strip {
        title: format!("Gap to {the} of each round by its last day"),
        look: Some(view.look(id)),
        rounds: drawn,
    };
    let caption = format!("Gap to {the}, one mark per round: ▲ above, ▼ not above");
    drawn_strip(page, &caption, &chart, &table, row.rounds.len());
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
            "Opponent | #Mean difference / {0}, points | #95 % interval | #Shared rounds | #Windows | #Ahead | #Behind",
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
            table::interval(difference),
            whole(pair.rounds.len()),
            table::decimal(pair.effective_windows, 1),
            whole(ahead),
            whole(behind),
        ]);
    }
    if !table.rows.is_empty() {
        page.body.heading("Head to head").table(&table);
    }
}

fn calibrated(the: &str, page: &mut Page, behaviour: Option<&Behaviour>, own: &RecordStatistics) {
    if let Some(calibration) = behaviour.and_then(|b| b.calibration) {
        // A mean of squared misses lies between 0 and 1; an interval beyond them cannot be.
        let possible = |b: &Estimate| b.informative() && b.low >= 0.0 && b.high <= 1.0;
        let brier = own.brier.filter(possible).map_or(String::new(), |b| {
            format!(" ({})", interval(b.low, b.high, 2))
        });
        page.body.say(&format!(
            "Over {} that asked for the chance to beat {the}: mean stated confidence {}, share above {the} {}, Brier score {}{brier}; 0 is perfect, 0.25 a coin.",
            count(calibration.rounds, "round", "rounds"),
            share(calibration.confidence),
            share(calibration.hit_rate),
            decimal(calibration.brier, 2),
        ));
    }
}

/// Groups of confidence that make a diagram; fewer are read better as numbers.
const FEWEST_GROUPS: usize = 3;

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
    let the = view.reference.the();
    calibrated(&the, page, behaviour, own);
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
    if drawn.len() < FEWEST_GROUPS {
        page.body.table(&table);
        return;
    }
    let chart = reliability(
        "Stated confidence against the share that came true",
        view.look(&own.model.model_id),
        &drawn,
    );
    page.body.figure(
        &format!("Stated confidence of beating {the} against how often it happened"),
        &chart,
        &table,
    );
}
