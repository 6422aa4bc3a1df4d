//! Every option of the universes: who holds it now, and how often.

use std::collections::{BTreeMap, BTreeSet};

use capitalbench_core::market::universe::MarketOption;
use capitalbench_core::publication::boards::option_record::OptionRecord;
use capitalbench_core::values::ids::OptionId;

use super::filter::{Filter, plain};
use super::view::{TRACKS, View};
use crate::figures::{count, share, signed_percent, spoken};
use crate::html::Html;
use crate::page::Page;
use crate::table::{Table, head, maybe, number, text, whole};

/// The index of options.
pub(crate) fn page(view: &View<'_>) -> Page {
    let mut page = Page::new(
        "assets/",
        "Assets",
        "Every option models may hold, who held it and what came of it.",
    );
    page.body.say(&format!(
        "{}. Shares count public decisions of the rounds that offered the option; open rounds count for holding, not for returns.",
        count(view.options.len(), "option", "options")
    ));
    let held = held_now(view);
    let classes: BTreeSet<&str> = view
        .options
        .values()
        .map(|o| o.asset_class.as_str())
        .collect();
    let form = Filter::of("assets")
        .choice("class", "class", &plain(classes))
        .words();
    let mut table = Table::new(
        "Options",
        &[
            "Option",
            "Symbol",
            "Group",
            "Risk",
            "#Held now",
            "#Weekly holders",
            "#Weekly return",
            "#Weekly hit rate",
            "#Monthly holders",
            "#Monthly return",
            "#Monthly hit rate",
        ],
    )
    .named("assets")
    .class("dense")
    .hint(
        7,
        "Share of holding decisions in which the option returned more than the S&P 500",
    )
    .hint(
        10,
        "Share of holding decisions in which the option returned more than the S&P 500",
    );
    for (id, option) in &view.options {
        let held = held.get(id).copied().unwrap_or_default();
        row(view, &page, &mut table, (id, option, held));
    }
    page.body.add(&form.html()).table(&table);
    page
}

/// Open decisions that hold each option.
fn held_now<'a>(view: &View<'a>) -> BTreeMap<&'a OptionId, usize> {
    let mut held: BTreeMap<&OptionId, usize> = BTreeMap::new();
    for (round, _) in view.open_rounds() {
        for submission in round.submissions() {
            for id in submission.decision.option_ids() {
                *held.entry(id).or_default() += 1;
            }
        }
    }
    held
}

fn row(
    view: &View<'_>,
    page: &Page,
    table: &mut Table,
    (id, option, held): (&OptionId, &MarketOption, usize),
) {
    let mut cells = vec![
        head(view.option_link(&page.here, id)),
        text(option.display_symbol()),
        text(&spoken(&option.group)),
        text(&spoken(option.risk_bucket.as_str())),
        whole(held),
    ];
    for track in TRACKS {
        let record = view
            .boards(track)
            .and_then(|boards| record(&boards.options, id));
        cells.push(match record {
            Some(record) => number(
                &format!("{} of {}", record.decisions, record.of_decisions),
                Some(f64::from(
                    u32::try_from(record.decisions).unwrap_or(u32::MAX),
                )),
            ),
            None => text(""),
        });
        cells.push(maybe(record.and_then(|r| r.average_return), signed_percent));
        cells.push(maybe(record.and_then(|r| r.hit_rate), share));
    }
    table.row(cells).marks = vec![("class", Html::text(&option.asset_class))];
}

/// The record of an option.
pub(crate) fn record<'a>(records: &'a [OptionRecord], id: &OptionId) -> Option<&'a OptionRecord> {
    let place = records.binary_search_by(|record| record.option_id.cmp(id));
    place.ok().map(|place| &records[place])
}
