//! One option: who held it, when, how much, and what came of it.

use capitalbench_core::publication::boards::option_record::{OptionRecord, OptionRound};
use capitalbench_core::round::manifest::Track;
use capitalbench_core::values::ids::OptionId;
use capitalbench_core::values::units::BasisPoints;

use super::model::drawn_strip;
use super::view::{View, option_path, round_path, track_name};
use crate::charts::{Strip, StripMark};
use crate::figures::{NONE, count, share, signed_percent, signed_points, spoken};
use crate::html::Html;
use crate::page::Page;
use crate::table::{Table, gap, maybe, number, ordinal, percent, words};

/// Rounds listed on the page.
const MOST_ROUNDS: usize = 85;
/// Rounds drawn in a strip.
const MOST_DRAWN: usize = 100;

pub(crate) fn page(view: &View<'_>, id: &OptionId) -> Page {
    let option = view.options.get(id);
    let name = view.option_name(id);
    let description = format!("Who held {name}, when, and what came of it.");
    let mut page = Page::new(&option_path(id), name, &description).below("assets/", "Assets");
    if let Some(option) = option {
        page.body.facts(&[
            ("Symbol", option.display_symbol().into()),
            ("Class", spoken(&option.asset_class).into()),
            ("Group", spoken(&option.group).into()),
            ("Risk grade", spoken(option.risk_bucket.as_str()).into()),
            ("Currency", option.currency.as_str().into()),
        ]);
        page.body
            .paragraph("", Html::said(&option.exposure_description));
    }
    for track in view.tracks() {
        if let Some(record) = view.option_record(track, id) {
            section(view, &mut page, track, record);
        }
    }
    page
}

fn section(view: &View<'_>, page: &mut Page, track: Track, record: &OptionRecord) {
    page.body.section(track.as_str(), track_name(Some(track)));
    let or = |value: Option<f64>, shown: fn(f64) -> String| -> Html {
        value.map_or(NONE.to_owned(), shown).into()
    };
    let (held, all) = (record.decisions, record.of_decisions);
    let above = format!("Above {}", view.reference.the());
    let offered = count(record.rounds.len(), "round", "rounds");
    page.body.facts(&[
        ("Offered in", offered.into()),
        ("Held in", format!("{held} of {all} decisions").into()),
        ("Mean weight where held", or(record.average_weight, share)),
        ("Mean return", or(record.average_return, signed_percent)),
        (above.as_str(), or(record.above_reference, share)),
        ("Hit rate of holders", or(record.hit_rate, share)),
    ]);
    strip(view, page, record);
    let mut table = Table::new(
        "Rounds with holders, newest first",
        &format!(
            "Round | Held by | #Holders | #Return | #vs {} | #Rank",
            view.reference
        ),
    );
    let held = record.rounds.iter().rev();
    let held = held.filter(|round| !round.holders.is_empty());
    let all = held.clone().count();
    for round in held.take(MOST_ROUNDS) {
        row(view, &mut table, page, round);
    }
    if table.rows.is_empty() {
        page.body.say("No model has held it.");
    } else {
        let shown = table.rows.len();
        page.body.table(&table).cut("Rounds", shown, all);
    }
}

fn strip(view: &View<'_>, page: &mut Page, record: &OptionRecord) {
    let mut table = Table::new(
        "Realised returns, newest first",
        &format!("Round | #Return | #vs {}", view.reference),
    )
    .fixed();
    let mut drawn = Vec::new();
    for own in record.rounds.iter().rev() {
        let Some((result, window)) = own.result.zip(view.window(&own.round_id)) else {
            continue;
        };
        drawn.push(StripMark {
            day: window.exit,
            value: result.alpha,
            name: view.round_name(&own.round_id),
            href: page.here.to(&round_path(&own.round_id)),
        });
        if drawn.len() == MOST_DRAWN {
            break;
        }
        if table.rows.len() < MOST_ROUNDS {
            table.row(vec![
                view.round_cell(&page.here, &own.round_id),
                percent(result.value),
                gap(result.alpha),
            ]);
        }
    }
    let the = view.reference.the();
    let chart = Strip {
        title: format!("Return minus {the} of each resolved round"),
        look: None,
        rounds: drawn,
    };
    let caption = format!("Return minus {the}, one mark per resolved round: ▲ above, ▼ not above");
    let all = record.rounds.iter().filter(|own| own.result.is_some());
    drawn_strip(page, &caption, &chart, &table, all.count());
}

fn row(view: &View<'_>, table: &mut Table, page: &Page, round: &OptionRound) {
    let holder =
        |(id, weight): &(_, BasisPoints)| format!("{} {}", view.name(id), share(weight.weight()));
    let holders: Vec<String> = round.holders.iter().map(holder).collect();
    table.row(vec![
        view.round_cell(&page.here, &round.round_id),
        words(holders.join(", ")),
        number(&round.holders.len().to_string(), None),
        maybe(round.result.map(|r| r.value), signed_percent),
        maybe(round.result.map(|r| r.alpha), signed_points),
        ordinal(round.result.and_then(|r| r.rank)),
    ]);
}
