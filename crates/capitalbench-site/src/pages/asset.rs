//! One option: who held it, when, how much, and what came of it.

use capitalbench_core::publication::boards::option_record::{OptionRecord, OptionRound};
use capitalbench_core::round::manifest::Track;
use capitalbench_core::values::ids::OptionId;

use super::assets::record;
use super::view::{TRACKS, View, option_path, round_link, track_name};
use crate::charts::Strip;
use crate::figures::{NONE, count, day, share, signed_percent, signed_points, spoken};
use crate::html::Html;
use crate::page::Page;
use crate::table::{Table, gap, head, maybe, number, percent, text, words};

/// Rounds listed on the page.
const MOST_ROUNDS: usize = 85;
/// Rounds drawn in a strip.
const MOST_DRAWN: usize = 150;

/// The page of an option.
pub(crate) fn page(view: &View<'_>, id: &OptionId) -> Page {
    let option = view.options.get(id);
    let name = view.option_name(id);
    let mut page = Page::new(
        &option_path(id),
        name,
        &format!("Who held {name}, when, and what came of it."),
    )
    .below("assets/", "Assets");
    if let Some(option) = option {
        page.body.facts(&[
            ("Symbol", Html::text(option.display_symbol())),
            ("Class", Html::text(&spoken(&option.asset_class))),
            ("Group", Html::text(&spoken(&option.group))),
            (
                "Risk grade",
                Html::text(&spoken(option.risk_bucket.as_str())),
            ),
            ("Currency", Html::text(&option.currency)),
        ]);
        page.body
            .paragraph("", &Html::said(&option.exposure_description));
    }
    for track in TRACKS {
        if let Some(record) = view
            .boards(track)
            .and_then(|boards| record(&boards.options, id))
        {
            section(view, &mut page, track, record);
        }
    }
    page
}

fn section(view: &View<'_>, page: &mut Page, track: Track, record: &OptionRecord) {
    page.body.section(track.as_str(), track_name(Some(track)));
    let or = |value: Option<f64>, shown: fn(f64) -> String| {
        Html::text(&value.map_or(NONE.to_owned(), shown))
    };
    page.body.facts(&[
        (
            "Offered in",
            Html::text(&count(record.rounds.len(), "round", "rounds")),
        ),
        (
            "Held in",
            Html::text(&format!(
                "{} of {} decisions",
                record.decisions, record.of_decisions
            )),
        ),
        ("Mean weight where held", or(record.average_weight, share)),
        ("Mean return", or(record.average_return, signed_percent)),
        ("Above the S&P 500", or(record.above_reference, share)),
        ("Hit rate of holders", or(record.hit_rate, share)),
    ]);
    strip(view, page, record);
    let mut table = Table::new(
        "Rounds with holders, newest first",
        &[
            "Round",
            "Window",
            "Held by",
            "#Holders",
            "#Return",
            "#vs S&P 500",
            "#Rank",
        ],
    );
    let held = record
        .rounds
        .iter()
        .rev()
        .filter(|round| !round.holders.is_empty());
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
        &["Round", "#Return", "#vs S&P 500"],
    )
    .fixed();
    let mut drawn = Vec::new();
    for own in record.rounds.iter().rev() {
        let Some(result) = own.result else { continue };
        let Some(window) = view
            .round(&own.round_id)
            .and_then(|round| round.manifest.window)
        else {
            continue;
        };
        drawn.push((window.exit, result.alpha));
        if drawn.len() == MOST_DRAWN {
            break;
        }
        if table.rows.len() < MOST_ROUNDS {
            table.row(vec![
                head(round_link(&page.here, &own.round_id)),
                percent(result.value),
                gap(result.alpha),
            ]);
        }
    }
    if drawn.is_empty() {
        return;
    }
    let chart = Strip {
        title: "Return minus the S&P 500 of each resolved round".to_owned(),
        rounds: drawn,
    };
    page.body.figure(
        "Return minus the S&P 500, one mark per resolved round: ▲ above, ▼ not above",
        &chart.draw(),
        &table,
    );
    let all = record.rounds.iter().filter(|own| own.result.is_some());
    let shown = table.rows.len();
    page.body.cut("Rounds in the table", shown, all.count());
}

fn row(view: &View<'_>, table: &mut Table, page: &Page, round: &OptionRound) {
    let window = view
        .round(&round.round_id)
        .and_then(|round| round.manifest.window);
    let holder = |(id, weight): &(_, capitalbench_core::values::units::BasisPoints)| {
        format!("{} {}", view.name(id), share(weight.weight()))
    };
    let holders: Vec<String> = round.holders.iter().map(holder).collect();
    table.row(vec![
        head(round_link(&page.here, &round.round_id)),
        text(&window.map_or(NONE.to_owned(), |w| {
            format!("{} → {}", day(w.entry), day(w.exit))
        })),
        words(Html::text(&holders.join(", "))),
        number(&round.holders.len().to_string(), None),
        maybe(round.result.map(|r| r.value), signed_percent),
        maybe(round.result.map(|r| r.alpha), signed_points),
        number(
            &round
                .result
                .and_then(|r| r.rank)
                .map_or(NONE.to_owned(), |rank| rank.to_string()),
            None,
        ),
    ]);
}
