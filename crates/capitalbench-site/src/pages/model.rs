//! One model: its record, its rounds, its opponents, its calibration, its habits, its cost, and how
//! it was asked.

use capitalbench_core::evidence::statistics::Estimate;
use capitalbench_core::publication::PublicRound;
use capitalbench_core::publication::boards::cumulative::CumulativeRow;
use capitalbench_core::round::manifest::Track;
use capitalbench_core::values::ids::ModelId;

use super::asked;
use super::claims;
use super::moved;
use super::share;
use super::view::{View, horizon, model_path, pair_path, plain_name, round_path, track_name};
use crate::charts::{Strip, StripMark};
use crate::figures::{NONE, day, share, signed_points};
use crate::html::Html;
use crate::page::Page;
use crate::table::{self, Table, gap, head, maybe, part, percent, text, whole};
use crate::title::title;

mod calibration;
mod habits;
mod profile;
mod record;

use calibration::calibration;
use record::record;

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
