//! The page on which a person enters a round: rules, briefing, and a form that signs in the browser.

use capitalbench_core::market::universe::MarketOption;
use capitalbench_core::publication::PublicRound;
use capitalbench_core::round::manifest::SubmissionFormat;
use serde_json::{Value, json};

use super::super::entrants::times;
use super::super::view::View;
use super::{evidence, sub_page};
use crate::Files;
use crate::html::Html;
use crate::page::Page;

/// What the form looks like; the script fills it.
const FORM: &str = include_str!("../../../enter/form.html");

/// The page; none where nobody can enter any more, or the league admits nobody.
pub(super) fn page(view: &View<'_>, round: &PublicRound, own: &Files) -> Option<Page> {
    let times = times(view, round)?;
    let league = view.publication.league.as_deref()?;
    let inputs = round.frozen.as_ref()?.digest.to_hex();
    let mut page = sub_page(
        round,
        "enter",
        "Enter this round",
        "Choose a portfolio under the round's rules, seal it in your browser, and deliver one file.",
    );
    let limits = round.manifest.limits();
    let single = round.manifest.format == SubmissionFormat::SinglePick;
    page.body.say("Your browser makes a key, seals the portfolio and signs it; nothing is sent anywhere. The sealed file tells nothing of the portfolio. You bring it to the league before the deadline, and open it after the entry close.");
    page.body.facts(&[
        ("League", league.into()),
        ("Deliver before", times.deadline.to_string().into()),
        ("Open from", times.opens.to_string().into()),
        ("Open before", times.closes.to_string().into()),
        ("Rules", rules(round).into()),
    ]);
    let allowed = round.universe.options().iter();
    let allowed = allowed.filter(|option| limits.allow(round.manifest.format, option));
    let known = json!({
        "league": league,
        "round": round.id().as_str(),
        "inputs": inputs,
        "deadline": stamp(times.deadline),
        "opens": stamp(times.opens),
        "closes": stamp(times.closes),
        "single": single,
        "rules": {
            "fewest": limits.min_holdings,
            "most": limits.max_holdings,
            "step": limits.increment_pct,
            "least": limits.min_allocation_pct,
            "cap": limits.max_exposure_pct,
        },
        "options": allowed.map(|option| option_of(round, option)).collect::<Vec<_>>(),
    });
    let form = FORM
        .replace("{round}", Html::text(&known.to_string()).as_str())
        .replace(
            "{script}",
            Html::text(&page.here.to("enter/enter.js")).as_str(),
        );
    page.body.add(&Html::made(form));
    page.body.section("again", "With the program");
    page.body.command(&format!(
        "capitalbench enter seal rounds/{} portfolio.yaml",
        round.id()
    ));
    if let Some(bytes) = own.get("briefing.md") {
        page.body.section("briefing", "The frozen briefing");
        evidence::shown(&mut page, round, "briefing.md", bytes);
    }
    Some(page)
}

/// An instant as the script compares it: texts of one length.
fn stamp(at: jiff::Timestamp) -> String {
    format!("{at:.3}")
}

/// What the script needs of an option: id, name, and the exposure that a cap counts.
fn option_of(round: &PublicRound, option: &MarketOption) -> Value {
    let capped = round.universe.capped_exposure(option);
    json!([option.id.as_str(), option.name, capped])
}

fn rules(round: &PublicRound) -> String {
    let limits = round.manifest.limits();
    if round.manifest.format == SubmissionFormat::SinglePick {
        return "one option with 100 %".to_owned();
    }
    let cap = limits.max_exposure_pct;
    let cap = cap.map(|cap| format!(", at most {cap} % in one exposure"));
    format!(
        "{} to {} holdings, each at least {} % and a multiple of {} %, together 100 %{}",
        limits.min_holdings,
        limits.max_holdings,
        limits.min_allocation_pct,
        limits.increment_pct,
        cap.unwrap_or_default()
    )
}
