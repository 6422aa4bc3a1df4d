//! One round: what it is, who held what, what came of it, what luck would have given, and the audit.

use capitalbench_core::publication::{PublicRound, ResolvedRound, RoundState, Standing};
use capitalbench_core::values::ids::RoundId;

use capitalbench_core::values::units::Return;

use super::view::{View, round_path, track_name};
use super::words;
use crate::Files;
use crate::charts::{Histogram, Mark};
use crate::figures::{
    NONE, count, day, points, score, share, signed_percent, signed_points, thousands,
};
use crate::html::{Html, encode};
use crate::machine::corrections;
use crate::page::{Here, Page};
use crate::table::{Cell, Table, gap, head, markup, maybe, number, part, percent, text};

mod answers;
mod evidence;
mod matrix;

/// The page of a round and its sub-pages.
pub(crate) fn pages(view: &View<'_>, round: &PublicRound, own: &Files) -> Vec<Page> {
    let mut pages = vec![page(view, round, own)];
    pages.push(evidence::prompt(round, own));
    pages.push(evidence::prices(view, round));
    pages.push(evidence::files(round, own));
    pages.extend(answers::pages(view, round, own));
    pages
}

/// A sub-page of a round.
fn sub_page(round: &PublicRound, folder: &str, title: &str, description: &str) -> Page {
    let path = format!("{}{folder}/", round_path(round.id()));
    let mut page = Page::new(&path, &format!("{title} · {}", round.id()), description)
        .below("rounds/", "Rounds")
        .below(&round_path(round.id()), round.id().as_str());
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
    let mut page = Page::new(&path, round.id().as_str(), &description).below("rounds/", "Rounds");
    header(round, &mut page);
    match &round.state {
        RoundState::Draft => {
            page.body
                .say("No run is the record yet: only the rules and inputs are public.");
        }
        RoundState::Open(open) => {
            matrix::holdings(view, &mut page, round);
            page.body.section("interim", "So far");
            if open.interim.is_empty() {
                page.body
                    .say("There is no snapshot of prices inside the window yet.");
            } else {
                page.body
                    .say("Provisional figures are not results; models stand in order of name.");
                super::live::interim(view, &mut page, &open.interim, "Provisional");
            }
        }
        RoundState::Resolved(resolved) => {
            matrix::holdings(view, &mut page, round);
            result(view, &mut page, round, resolved);
            corrected(&mut page, resolved, own);
        }
    }
    audit(&mut page, round, own);
    page
}

fn header(round: &PublicRound, page: &mut Page) {
    let manifest = &round.manifest;
    let window = manifest.window.map_or(NONE.to_owned(), |window| {
        format!("{} → {}", day(window.entry), day(window.exit))
    });
    let deadline = manifest.decision_deadline.as_ref();
    let facts = [
        (
            "State",
            Html::wrap("strong", "", &Html::text(words::state(round))),
        ),
        ("Window", Html::text(&window)),
        ("Next event", Html::text(&words::next_event(round))),
        ("Track", Html::text(track_name(round.track))),
        (
            "Decided by",
            Html::text(deadline.map_or(NONE, |deadline| deadline.text())),
        ),
        (
            "Methodology",
            Html::text(
                manifest
                    .methodology
                    .label()
                    .unwrap_or("single pick, first generation"),
            ),
        ),
        (
            "Options",
            Html::text(&round.universe.options().len().to_string()),
        ),
        ("Models", Html::text(&round.submissions().len().to_string())),
    ];
    page.body.facts(&facts);
}

fn result(view: &View<'_>, page: &mut Page, round: &PublicRound, resolved: &ResolvedRound) {
    page.body.section("result", "Result");
    let name = |place: usize| view.name(resolved.models[place].model_id()).to_owned();
    page.body.say(&words::result(resolved, &name));
    let table = results_table(view, &page.here, round.id(), resolved);
    page.body.table(&table);
    if !resolved.interim.is_empty() {
        super::live::interim(view, page, &resolved.interim, "While open: provisional");
    }
    page.body.section("contribution", "What each holding added");
    page.body
        .say("Weight times return, in percentage points; a column adds up to the model's return.");
    matrix::contributions(view, page, round, resolved);
    chance(view, page, resolved);
}

/// What the result was before, and why it is another one now; the result above is the last one.
fn corrected(page: &mut Page, resolved: &ResolvedRound, own: &Files) {
    let path = format!("runs/{}/corrections.jsonl", resolved.run_id);
    let bytes = own.get(&path).map(AsRef::as_ref).unwrap_or_default();
    let found = corrections(bytes);
    if found.is_empty() {
        return;
    }
    page.body.section("corrections", "Corrections");
    for correction in found {
        let said = format!("{}: {}", correction.at, correction.reason);
        page.body.say(&said);
        if correction.changes.is_empty() {
            continue;
        }
        let caption = format!("Values that changed at {}", correction.at);
        let mut table = Table::new(&caption, &["model", "figure", "#old", "#new"]).fixed();
        for change in &correction.changes {
            table.row(vec![
                head(Html::text(&change.model)),
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
    id: &RoundId,
    resolved: &ResolvedRound,
) -> Table {
    let mut table = Table::new(
        &format!("Result of {id}"),
        &[
            "#Place",
            "Model",
            "#Return",
            "#vs S&P 500",
            "#Score",
            "#Regret",
            "#Random",
            "#as volatile",
            "#Confidence",
            "#Holdings",
        ],
    )
    .class("board")
    .hint(5, "Return of the best option minus the model's")
    .hint(6, "Share of random admissible portfolios below the model's")
    .hint(7, "The same among random portfolios of like volatility");
    for (place, standing) in resolved.models.iter().enumerate() {
        let mut cells = vec![
            text(&(place + 1).to_string()),
            head(view.model_link(here, standing.model_id())),
        ];
        "n".clone_into(&mut cells[0].class);
        cells.extend(figures(standing));
        table.row(cells);
    }
    let returns = &resolved.returns;
    let mut apart = |class: &'static str, name: &str, value: Option<f64>, alpha: Option<f64>| {
        let mut cells = vec![text(""), head(Html::text(name))];
        cells.push(maybe(value, signed_percent));
        cells.push(alpha.map_or_else(|| text(""), |alpha| maybe(Some(alpha), signed_points)));
        cells.extend((0..6).map(|_| text("")));
        table.row(cells).class = class;
    };
    apart(
        "apart first",
        "S&P 500",
        Some(returns.reference().get()),
        None,
    );
    let oracle = returns.oracle();
    let gap = oracle.map(|oracle| (oracle - returns.reference()).get());
    apart("apart", "Best option", oracle.map(Return::get), gap);
    let cash = returns.cash();
    apart(
        "apart",
        "Cash",
        Some(cash.get()),
        Some((cash - returns.reference()).get()),
    );
    for control in &resolved.controls {
        let mut cells = vec![text(""), head(Html::text(view.name(control.model_id())))];
        cells.extend(figures(control));
        table.row(cells).class = "apart control";
    }
    table
}

fn figures(standing: &Standing) -> Vec<Cell> {
    let outcome = &standing.scored.outcome;
    let value = outcome.decision_return.get();
    vec![
        percent(value),
        gap(outcome.alpha.get()),
        number(&score(standing.score), points(standing.score)),
        maybe(outcome.regret.map(Return::get), |v| {
            signed_points(v).replace('+', "")
        }),
        maybe(standing.percentiles.map(|p| p.all), share),
        maybe(standing.percentiles.and_then(|p| p.matched), share),
        part(standing.scored.submission.confidence),
        number(&outcome.spread.holdings.to_string(), None),
    ]
}

fn chance(view: &View<'_>, page: &mut Page, resolved: &ResolvedRound) {
    page.body.section("luck", "What luck would have given");
    let Some(chance) = &resolved.chance else {
        page.body.say("Not every option has both prices, so nobody can say what a random portfolio would have returned.");
        return;
    };
    let draws: u32 = chance.bins.iter().sum();
    page.body.say(&format!(
        "{} random portfolios that the rules allow: the middle one returned {}, the range was {} to {}.",
        thousands(draws),
        signed_percent(chance.median),
        signed_percent(chance.low),
        signed_percent(chance.high)
    ));
    let mark = |standing: &Standing| Mark {
        label: view.name(standing.model_id()).to_owned(),
        value: standing.scored.outcome.decision_return.get(),
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
        &["Model", "#Return", "#Random below"],
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
        facts.push((
            "Digest of hashes.json",
            Html::wrap("code", "", &Html::text(&frozen.digest.to_hex())),
        ));
        facts.push(("Frozen files", Html::text(&frozen.files.len().to_string())));
    } else {
        facts.push(("Frozen", Html::text("not yet")));
    }
    match &round.state {
        RoundState::Draft => {}
        RoundState::Open(open) => facts.push(("Run of record", Html::text(open.run_id.as_str()))),
        RoundState::Resolved(resolved) => {
            facts.push(("Run of record", Html::text(resolved.run_id.as_str())));
        }
    }
    let links = [
        link("prompt", "What models were shown"),
        link("answers", "What they answered"),
        link("prices", "Prices"),
        link(
            "files",
            &count(
                own.len(),
                "file with its digest",
                "files with their digests",
            ),
        ),
        Html::link(
            &format!(
                "{}?round={}",
                page.here.to("verify/"),
                encode(round.id().as_str())
            ),
            "Verify in the browser",
        ),
    ];
    page.body.facts(&facts);
    page.body.paragraph("more", &Html::join(&links, " · "));
    page.body
        .command(&format!("capitalbench verify rounds/{}", round.id()));
}

/// A cell with a link to a sub-page.
fn linked(here: &Here, path: &str, label: &str) -> Cell {
    markup(here.link(path, label))
}
