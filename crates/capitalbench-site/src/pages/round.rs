//! The page of one round: its rules, who held what, the result, what luck would have given, and the audit.

use capitalbench_core::market::reference_name::ReferenceName;
use capitalbench_core::publication::{PublicRound, ResolvedRound, RoundState, Standing};
use capitalbench_core::values::units::Return;
use capitalbench_export::tables::rounds::run_id;

use super::view::{View, round_path, track_name};
use super::words;
use crate::Files;
use crate::charts::{Histogram, Mark};
use crate::figures::{NONE, count, share, signed_percent, thousands, unsigned_points, window};
use crate::html::{Html, encode};
use crate::machine::corrections_of;
use crate::page::{Here, Page};
use crate::table::{Cell, Table, gap, head, maybe, number, part, percent, scored, text, whole};
use crate::title::title as title_of;

mod answers;
mod enter;
mod evidence;
mod matrix;
mod timing;

pub(crate) fn pages(view: &View<'_>, round: &PublicRound, own: &Files) -> Vec<Page> {
    let mut pages = vec![page(view, round, own)];
    pages.push(evidence::prompt(round, own));
    pages.extend(enter::page(view, round, own));
    pages.push(evidence::prices(view, round));
    pages.push(evidence::files(round, own));
    pages.extend(answers::pages(view, round, own));
    pages
}

fn sub_page(round: &PublicRound, folder: &str, title: &str, description: &str) -> Page {
    let path = format!("{}{folder}/", round_path(round.id()));
    let of = title_of(round);
    let mut page = Page::new(
        &path,
        &format!("{title} · {of} · {}", round.id()),
        description,
    )
    .below("rounds/", "Rounds")
    .below(&round_path(round.id()), &of);
    page.heading = Html::text(title);
    page
}

fn page(view: &View<'_>, round: &PublicRound, own: &Files) -> Page {
    let path = round_path(round.id());
    let description = format!(
        "{} round, {}: portfolios, result and evidence.",
        track_name(round.track),
        words::state(round)
    );
    let of = title_of(round);
    let mut page = Page::new(&path, &format!("{of} · {}", round.id()), &description)
        .below("rounds/", "Rounds");
    let code = Html::wrap("small", "", &Html::text(round.id().as_str()));
    page.heading = Html::made(format!("{} {code}", Html::text(&of)));
    page.image = view.image(&format!("rounds/{}", round.id()));
    header(view, round, &mut page);
    timing::strip(view, &mut page, round, own);
    if super::entrants::times(view, round).is_some() {
        let place = format!("{}enter/", round_path(round.id()));
        page.body
            .links(&[page.here.link(&place, "Enter this round yourself")]);
    }
    match &round.state {
        RoundState::Draft => {
            page.body
                .say("No run has been accepted yet, so only the rules and the inputs are public.");
        }
        RoundState::Ended(tombstone) => {
            page.body
                .say("The round ended without a record; what was asked and answered stays in its folder.");
            page.body.paragraph("", Html::said(&tombstone.sentence()));
        }
        RoundState::Open(open) => {
            matrix::holdings(view, &mut page, round);
            missing(view, &mut page, round);
            page.body.section("interim", "So far");
            let rows = super::live::inside(round, &open.interim);
            if rows.is_empty() {
                page.body.say(words::no_snapshot(open));
            } else {
                page.body.say(
                    "Provisional figures are not results; the table has models in order of name.",
                );
                super::live::interim(view, &mut page, &rows, "Provisional");
            }
        }
        RoundState::Resolved(resolved) => {
            matrix::holdings(view, &mut page, round);
            missing(view, &mut page, round);
            result(view, &mut page, round, resolved);
            corrected(&mut page, resolved, own);
        }
    }
    super::entrants::of_round(view, &mut page, round);
    explained(&mut page, round);
    audit(&mut page, round, own);
    beside(view, &mut page, round);
    let name = format!("{of}, {}", round.id());
    super::share::panel(view, &mut page, &name, &[], &[]);
    page
}

/// Models without a valid answer, each with its reason; the round went on without them.
fn missing(view: &View<'_>, page: &mut Page, round: &PublicRound) {
    if round.missing().is_empty() {
        return;
    }
    page.body.section("missing", "No valid answer");
    page.body.say(
        "These models were asked too. The round goes on without them by its frozen failure policy.",
    );
    let mut table = Table::new("Models without a valid answer", "Model | Why | #Attempts").fixed();
    for own in round.missing() {
        let calls = round.calls_of(&own.model_id);
        let attempts = calls.and_then(|calls| calls.attempts);
        table.row(vec![
            head(view.name(&own.model_id)),
            text(&format!("no valid answer: {}", own.why.meaning())),
            whole(attempts.map_or(0, |attempts| attempts.made as usize)),
        ]);
    }
    page.body.table(&table);
}

/// What the operator explained after the record was made; nothing of it counts.
fn explained(page: &mut Page, round: &PublicRound) {
    if round.exceptions.is_empty() {
        return;
    }
    page.body
        .section("exceptions", "Explanations by the operator");
    page.body
        .say("Picks and result stay as they are and count; these are signed explanations.");
    for own in &round.exceptions {
        let words = Html::said(&format!("{}: {}", own.noted_at, own.reason));
        page.body.paragraph("", words);
    }
}

/// Links to the rounds of the same track before and after.
fn beside(view: &View<'_>, page: &mut Page, round: &PublicRound) {
    let [earlier, later] = view.beside(round);
    let link = |arrow: &str, round: &PublicRound| {
        let words = format!("{arrow}: {}", title_of(round));
        page.here.link(&round_path(round.id()), &words)
    };
    let links = earlier.map(|round| link("Previous", round)).into_iter();
    let links: Vec<Html> = links
        .chain(later.map(|round| link("Next", round)))
        .collect();
    if !links.is_empty() {
        page.body.links(&links);
    }
}

fn header(view: &View<'_>, round: &PublicRound, page: &mut Page) {
    let manifest = &round.manifest;
    let deadline = manifest.decision_deadline.as_ref();
    let label = manifest.methodology.label();
    let state = Html::wrap("strong", "", &words::state(round).into());
    page.body.facts(&[
        ("State", state),
        ("Window", window(manifest.window).into()),
        ("Next event", words::next_event(view, round).into()),
        ("Track", track_name(round.track).into()),
        ("Decided by", deadline.map_or(NONE, |d| d.text()).into()),
        (
            "Methodology",
            label.unwrap_or("single pick, first generation").into(),
        ),
        ("Options", round.universe.options().len().into()),
        ("Models", round.submissions().len().into()),
    ]);
}

fn result(view: &View<'_>, page: &mut Page, round: &PublicRound, resolved: &ResolvedRound) {
    page.body.section("result", "Result");
    page.body.say(&words::result(view, resolved));
    let table = results_table(view, &page.here, round, resolved);
    page.body.table(&table);
    let interim = super::live::inside(round, &resolved.interim);
    if !interim.is_empty() {
        super::live::interim(view, page, &interim, "While open: provisional");
    }
    page.body.section("contribution", "What each holding added");
    page.body
        .say("Weight times return, in percentage points; a column adds up to the model's return.");
    matrix::contributions(view, page, round, resolved);
    chance(view, page, resolved);
}

/// What the result was before each correction, and why it changed; the result above is the last one.
fn corrected(page: &mut Page, resolved: &ResolvedRound, own: &Files) {
    let found = corrections_of(resolved, own);
    if found.is_empty() {
        return;
    }
    page.body.section("corrections", "Corrections");
    for correction in found {
        page.body
            .say(&format!("{}: {}", correction.at, correction.reason));
        if correction.changes.is_empty() {
            continue;
        }
        let caption = format!("Values that changed at {}", correction.at);
        let mut table = Table::new(&caption, "model | figure | #old | #new").fixed();
        for change in &correction.changes {
            table.row(vec![
                head(change.model.as_str()),
                text(&change.figure),
                number(&change.old, None),
                number(&change.new, None),
            ]);
        }
        page.body.table(&table);
    }
}

/// The table of a resolved round.
pub(crate) fn results_table(
    view: &View<'_>,
    here: &Here,
    round: &PublicRound,
    resolved: &ResolvedRound,
) -> Table {
    let name = ReferenceName::of(&round.universe).to_string();
    let mut table = Table::new(
        &format!("Result: {}", title_of(round)),
        &format!("#Place | Model | #Return | #Gap to {name}, points | #Score | #Regret, points | #Above random | #Above random, same risk | #Confidence | #Holdings"),
    )
    .class("board");
    let places = places(&resolved.models);
    for (standing, place) in resolved.models.iter().zip(places) {
        let mut cells = vec![
            text(&place),
            head(view.model_link(here, standing.model_id())),
        ];
        "n".clone_into(&mut cells[0].class);
        cells.extend(figures(standing));
        table.row(cells);
    }
    let returns = &resolved.returns;
    let reference = returns.reference();
    let mut apart =
        |class: &'static str, name: &str, value: Option<Return>, alpha: Option<Return>| {
            let mut cells = vec![text(""), head(name)];
            cells.push(maybe(value.map(Return::get), signed_percent));
            cells.push(alpha.map_or_else(|| text(""), |alpha| gap(alpha.get())));
            cells.extend((0..6).map(|_| text("")));
            table.row(cells).class = class;
        };
    let (oracle, cash) = (returns.oracle(), returns.cash());
    apart("apart first", &name, Some(reference), None);
    apart(
        "apart",
        "Best option",
        oracle,
        oracle.map(|o| o - reference),
    );
    apart("apart", "Cash", Some(cash), Some(cash - reference));
    for control in &resolved.controls {
        let mut cells = vec![text(""), head(view.name(control.model_id()))];
        cells.extend(figures(control));
        table.row(cells).class = "apart control";
    }
    table
}

/// The place of each model in leaderboard order; portfolios that are equal in return, gap and regret
/// share one, because only the order of names stands between them.
pub(crate) fn places(models: &[Standing]) -> Vec<String> {
    let same = |a: &Standing, b: &Standing| {
        let [a, b] = [a, b].map(|own| &own.scored.outcome);
        a.decision_return == b.decision_return && a.alpha == b.alpha && a.regret == b.regret
    };
    let groups = models.chunk_by(same);
    let mut places = Vec::with_capacity(models.len());
    for group in groups {
        let shared = if group.len() > 1 { "=" } else { "" };
        let place = format!("{}{shared}", places.len() + 1);
        places.extend(group.iter().map(|_| place.clone()));
    }
    places
}

fn figures(standing: &Standing) -> Vec<Cell> {
    let outcome = &standing.scored.outcome;
    let value = outcome.decision_return.get();
    vec![
        percent(value),
        gap(outcome.alpha.get()),
        scored(standing.score),
        maybe(outcome.regret.map(Return::get), unsigned_points),
        maybe(standing.percentiles.map(|p| p.all), share),
        maybe(standing.percentiles.and_then(|p| p.matched), share),
        part(standing.scored.submission.confidence),
        number(&outcome.spread.holdings.to_string(), None),
    ]
}

fn chance(view: &View<'_>, page: &mut Page, resolved: &ResolvedRound) {
    page.body.section("luck", "What luck would have given");
    let Some(chance) = &resolved.chance else {
        page.body.say(
            "Some options lack a price, so the returns of random portfolios cannot be computed.",
        );
        return;
    };
    let draws: u32 = chance.bins.iter().sum();
    let draws = usize::try_from(draws).unwrap_or(usize::MAX);
    page.body.say(&format!(
        "Of {} random portfolios that the rules allow, the median one returned {}; the range was {} to {}.",
        thousands(draws),
        signed_percent(chance.median),
        signed_percent(chance.low),
        signed_percent(chance.high)
    ));
    let mark = |standing: &Standing| Mark {
        label: view.name(standing.model_id()).to_owned(),
        value: standing.scored.outcome.decision_return.get(),
        look: view.look(standing.model_id()),
    };
    let chart = Histogram {
        title: "Returns of random portfolios, with the models' returns".to_owned(),
        low: chance.low,
        high: chance.high,
        bins: &chance.bins,
        marks: resolved.models.iter().map(mark).collect(),
    };
    let mut table = Table::new(
        "Models among random portfolios",
        "Model | #Return | #Random below",
    )
    .fixed();
    for standing in &resolved.models {
        let value = standing.scored.outcome.decision_return.get();
        table.row(vec![
            head(view.model_link(&page.here, standing.model_id())),
            percent(value),
            maybe(standing.percentiles.map(|p| p.all), share),
        ]);
    }
    page.body.figure(
        "Random admissible portfolios by return, and where the models stand",
        &chart.draw(),
        &table,
    );
}

fn audit(page: &mut Page, round: &PublicRound, own: &Files) {
    page.body.section("audit", "Audit");
    let base = round_path(round.id());
    let link = |folder: &str, label: &str| page.here.link(&format!("{base}{folder}/"), label);
    let mut facts: Vec<(&str, Html)> = Vec::new();
    if let Some(frozen) = &round.frozen {
        let digest = Html::code(&frozen.digest.to_hex());
        facts.push(("Digest of hashes.json", digest));
        facts.push(("Frozen files", frozen.files.len().into()));
    } else {
        facts.push(("Frozen", "not yet".into()));
    }
    if let Some(run) = run_id(round) {
        facts.push(("Run of record", run.as_str().into()));
    }
    let files = count(
        own.len(),
        "file with its digest",
        "files with their digests",
    );
    let verify = page.here.to("verify/");
    let verify = format!("{verify}?round={}", encode(round.id().as_str()));
    let links = [
        link("prompt", "What models were shown"),
        link("answers", "What they answered"),
        link("prices", "Prices"),
        link("files", &files),
        Html::link(&verify, "Verify in the browser"),
    ];
    page.body.facts(&facts);
    page.body.links(&links);
    page.body
        .command(&format!("capitalbench verify rounds/{}", round.id()));
}
