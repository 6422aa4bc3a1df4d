//! Every option of the universes: who holds it now, and how often.

use std::collections::{BTreeMap, BTreeSet};

use capitalbench_core::round::manifest::Track;
use capitalbench_core::values::ids::OptionId;

use super::filter::{Filter, plain};
use super::view::{TRACKS, View};
use crate::figures::{count, share, signed_percent, spoken};
use crate::page::Page;
use crate::table::{Cell, Table, head, maybe, number, text, whole};

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
    let options = view.options.values();
    let classes: BTreeSet<&str> = options.map(|o| o.asset_class.as_str()).collect();
    let form = Filter::of("assets")
        .choice("class", "class", &plain(classes))
        .words();
    let mut table = Table::new(
        "Options",
        "Option | Symbol | Group | Risk | #Held now | #Weekly holders | #Weekly return | #Hit rate / week | #Monthly holders | #Monthly return | #Hit rate / month",
    )
    .named("assets")
    .class("dense");
    for (id, option) in &view.options {
        let mut cells = vec![
            head(view.option_link(&page.here, id)),
            text(option.display_symbol()),
            text(&spoken(&option.group)),
            text(&spoken(option.risk_bucket.as_str())),
            whole(held.get(id).copied().unwrap_or_default()),
        ];
        cells.extend(
            TRACKS
                .into_iter()
                .flat_map(|track| holders(view, track, id)),
        );
        table.row(cells).marks = vec![("class", option.asset_class.as_str().into())];
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

/// Holders, mean return and hit rate of an option in a track.
fn holders(view: &View<'_>, track: Track, id: &OptionId) -> [Cell; 3] {
    let record = view.option_record(track, id);
    let held = record.map(|record| {
        let count = u32::try_from(record.decisions).unwrap_or(u32::MAX);
        let shown = format!("{} of {}", record.decisions, record.of_decisions);
        number(&shown, Some(f64::from(count)))
    });
    [
        held.unwrap_or_else(|| text("")),
        maybe(record.and_then(|r| r.average_return), signed_percent),
        maybe(record.and_then(|r| r.hit_rate), share),
    ]
}
