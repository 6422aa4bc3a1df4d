//! How models were asked: the same facts on a model's page, by period, and on the page of an answer.

use capitalbench_core::asking::call_settings::SchemaMode;
use capitalbench_core::publication::PublicRound;
use capitalbench_core::publication::calls::{
    AttemptCounts, CallTotals, KnownCost, Period, periods, totals,
};
use capitalbench_core::values::ids::ModelId;

use super::view::View;
use crate::figures::{count, decimal, dollars, thousands};
use crate::html::Html;
use crate::page::{Here, Page};
use crate::table::{Column, Table, head, markup, text};

/// Periods listed on a page.
const MOST: usize = 12;

/// One thing to tell about a period; none where there is nothing to tell.
type Told = fn(&Period<'_>) -> Option<Html>;

/// What is told, in order. Texts of operators, servers and routers are quoted.
const TOLD: [(&str, Told); 12] = [
    ("Asked for", |own| {
        Some(Html::said(&own.asked.api_model_name))
    }),
    ("Served as", |own| own.served_model.map(Html::said)),
    ("Form", |own| Some(form(own.asked.schema_mode).into())),
    ("Thinking", |own| {
        let asked = own.asked.reasoning.as_deref();
        Some(asked.map_or_else(|| NOT_SENT.into(), Html::said))
    }),
    ("Temperature", |own| {
        let sent = own.asked.temperature;
        Some(
            sent.map_or(NOT_SENT.to_owned(), |sent| sent.to_string())
                .into(),
        )
    }),
    ("Output limit", |own| {
        let tokens = usize::try_from(own.asked.max_output_tokens).unwrap_or(usize::MAX);
        Some(format!("{} tokens", thousands(tokens)).into())
    }),
    ("Time limit", |own| {
        Some(format!("{} s", decimal(own.asked.time_limit_seconds, 0)).into())
    }),
    ("Tier asked", |own| {
        own.asked.service_tier.as_deref().map(Html::said)
    }),
    ("Tier served", |own| list(own.tiers.iter().copied())),
    ("Allowed hosts", |own| {
        list(own.asked.routing.iter().map(String::as_str))
    }),
    ("Host", |own| list(own.hosts.iter().copied())),
    ("Added fields", |own| {
        list(own.asked.extra_fields.iter().map(String::as_str))
    }),
];

/// What stands where a request left a setting to the provider.
const NOT_SENT: &str = "not sent";

fn form(mode: SchemaMode) -> &'static str {
    match mode {
        SchemaMode::Full => "schema",
        SchemaMode::Json => "JSON",
        SchemaMode::None => "prompt alone",
    }
}

fn list<'a>(texts: impl Iterator<Item = &'a str>) -> Option<Html> {
    let texts: Vec<Html> = texts.map(Html::said).collect();
    (!texts.is_empty()).then(|| Html::join(&texts, ", "))
}

/// The section of a model's page; nothing where no ledger tells.
pub(super) fn section(view: &View<'_>, page: &mut Page, id: &ModelId) {
    let rounds = || view.by_decision.iter().copied();
    let (told, periods) = (totals(rounds(), id), periods(rounds(), id));
    let facts = calls(told);
    if facts.is_empty() && periods.is_empty() {
        return;
    }
    page.body.section("asked", "How it was asked");
    if !facts.is_empty() {
        page.body.facts(&facts);
    }
    if periods.is_empty() {
        return;
    }
    let table = by_period(view, &page.here, &periods);
    page.body.table(&table);
    let (shown, all) = (table.rows.len(), periods.len());
    page.body.cut("Periods", shown, all);
}

fn by_period(view: &View<'_>, here: &Here, periods: &[Period<'_>]) -> Table {
    let told: Vec<(&str, Told)> = TOLD
        .into_iter()
        .filter(|(_, told)| periods.iter().any(|own| told(own).is_some()))
        .collect();
    let mut table = Table::new("Settings of the calls, newest first", "Rounds")
        .class("dense")
        .fixed();
    table.columns.extend(told.iter().map(|(label, _)| Column {
        label: (*label).into(),
        ..Column::default()
    }));
    for period in periods.iter().rev().take(MOST) {
        let mut cells = vec![head(rounds_of(view, here, period))];
        let cell = |told: Told| told(period).map_or_else(|| text(""), markup);
        cells.extend(told.iter().map(|(_, told)| cell(*told)));
        table.row(cells);
    }
    table
}

fn rounds_of(view: &View<'_>, here: &Here, period: &Period<'_>) -> Html {
    let mut html = view.round_link(here, period.first);
    if period.rounds > 1 {
        html.push(" – ");
        html.add(&view.round_link(here, period.last));
        html.push_text(&format!(" ({})", period.rounds));
    }
    html
}

/// The section on the page of one answer; nothing where no ledger tells.
pub(super) fn of_answer(page: &mut Page, round: &PublicRound, id: &ModelId) {
    let mut facts: Vec<(&str, Html)> = Vec::new();
    for period in &periods([round], id) {
        let told = TOLD.into_iter();
        facts.extend(told.filter_map(|(label, told)| Some((label, told(period)?))));
    }
    facts.extend(calls(totals([round], id)));
    if !facts.is_empty() {
        page.body.section("asked", "How it was asked");
        page.body.facts(&facts);
    }
}

/// Attempts and costs, where they are known.
fn calls(totals: CallTotals) -> Vec<(&'static str, Html)> {
    let mut facts = Vec::new();
    if totals.answers > 0 {
        let AttemptCounts {
            made,
            unseen,
            rejected,
        } = totals.attempts;
        let answers = count(totals.answers, "answer", "answers");
        facts.push(("Attempts", format!("{made} for {answers}").into()));
        if unseen > 0 {
            facts.push(("Outcome that nobody saw", unseen.to_string().into()));
        }
        if rejected > 0 {
            facts.push(("Turned away by the server", rejected.to_string().into()));
        }
    }
    for (label, cost) in [
        ("Billed by the provider", totals.billed),
        ("By the price card", totals.card),
    ] {
        facts.extend(known(cost).map(|text| (label, text.into())));
    }
    facts
}

fn known(cost: KnownCost) -> Option<String> {
    let usd = dollars(cost.usd?);
    Some(if cost.known < cost.answers {
        format!("{usd} for {} of {} answers", cost.known, cost.answers)
    } else {
        usd
    })
}
