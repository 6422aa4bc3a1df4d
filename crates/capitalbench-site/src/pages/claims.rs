//! Registered claims: a list, a page for each, and a few lines on the pages of their models.

use capitalbench_core::evidence::claims::record::{ClaimRecord, Figures};
use capitalbench_core::round::manifest::Track;
use capitalbench_core::values::ids::ModelId;
use capitalbench_export::claims::{
    Days, amount, as_json, family, left_out, outlook, question, sequence, standing,
};

use super::view::{View, track_name};
use crate::Files;
use crate::charts::{Line, LineChart, Look, Steps, Stroke};
use crate::figures::{NONE, chance, day, signed_percent};
use crate::html::Html;
use crate::page::Page;
use crate::table::{Table, decimal, head, text};

/// Days listed on a page; the file beside it has all.
const MOST_DAYS: usize = 120;
/// Evidence is drawn by its power of ten, from a millionth to a billion.
const DRAWN: (f64, f64) = (1e-6, 1e9);

fn path(claim: &ClaimRecord) -> String {
    format!("claims/{}/", claim.terms.claim)
}

/// The file of a claim with all its days.
fn file(claim: &ClaimRecord) -> String {
    format!("{}claim.json", path(claim))
}

/// The pages about claims; none where no claim was ever registered.
pub(crate) fn pages(view: &View<'_>) -> Vec<Page> {
    let claims = &view.publication.claims;
    if claims.is_empty() {
        return Vec::new();
    }
    let mut pages = vec![index(view)];
    pages.extend(claims.iter().map(|claim| page(view, claim)));
    pages
}

/// What each claim needs to be computed again.
pub(crate) fn files(view: &View<'_>, files: &mut Files) {
    for claim in &view.publication.claims {
        let told = as_json(view.publication, claim, Days::All);
        files.insert(file(claim), format!("{told:#}\n").into());
    }
}

fn index(view: &View<'_>) -> Page {
    let mut page = Page::new(
        "claims/",
        "Registered claims",
        "Claims that were signed before their first day, with the evidence so far.",
    )
    .below("method/", "Method");
    page.body.say("Whoever looks every week for a year finds a winner without any skill in about every third year. A claim is different: it was signed into the log before its first day, it cannot be changed, chosen afterwards or withdrawn, and it holds however often it is looked at. Evidence begins at 1; without a difference nobody can expect it to grow.");
    for track in view.tracks() {
        let own: Vec<&ClaimRecord> = of_track(view, track).collect();
        if !own.is_empty() {
            page.body.section(track.as_str(), track_name(Some(track)));
            let table = table(view, &page, &own);
            page.body.table(&table);
        }
    }
    page
}

fn of_track<'a>(view: &'a View<'_>, track: Track) -> impl Iterator<Item = &'a ClaimRecord> {
    let claims = view.publication.claims.iter();
    claims.filter(move |claim| claim.terms.track == track)
}

fn table(view: &View<'_>, page: &Page, claims: &[&ClaimRecord]) -> Table {
    let mut table = Table::new(
        "Registered claims",
        "Claim | From | #Evidence | #Needed | #p | State",
    );
    for claim in claims {
        let Figures {
            evidence,
            needed,
            p_value,
            ..
        } = claim.figures;
        table.row(vec![
            head(
                page.here
                    .link(&path(claim), &question(view.publication, claim)),
            ),
            text(&day(claim.terms.first_day)),
            decimal(evidence, 2),
            decimal(needed, 0),
            decimal(p_value, 3),
            text(&state(claim)),
        ]);
    }
    table
}

fn state(claim: &ClaimRecord) -> String {
    let word = claim.standing.as_str().replace('_', " ");
    match claim.standing.day() {
        Some(on) => format!("{word} on {}", day(on)),
        None => word,
    }
}

fn page(view: &View<'_>, claim: &ClaimRecord) -> Page {
    let asks = question(view.publication, claim);
    let mut page = Page::new(&path(claim), &asks, &standing(claim))
        .below("method/", "Method")
        .below("claims/", "Registered claims");
    page.body.paragraph("lead", standing(claim));
    facts(view, &mut page, claim);
    for told in outlook(claim).into_iter().chain([family(claim)]) {
        page.body.say(&told);
    }
    for told in left_out(claim) {
        page.body.say(&told);
    }
    charts(view, &mut page, claim);
    days(&mut page, claim);
    page.body.section("again", "Computed again");
    page.body.say("The figures follow from the prices and decisions on this site and from the terms in the log. The script of this page computes the evidence again from the daily differences, and compares the terms with the file that the log names.");
    let place = Html::text(&page.here.to(&file(claim)));
    let entry = Html::text(
        &page
            .here
            .to(&format!("log/claims/{}.json", claim.terms.claim)),
    );
    let script = Html::text(&page.here.to("verify/claims.js"));
    page.body.add(&Html::made(format!(
        "<p id=\"claim-again\" data-claim=\"{place}\" data-entry=\"{entry}\" role=\"status\">Not computed again yet: this needs a browser that runs scripts.</p><script type=\"module\" src=\"{script}\"></script>"
    )));
    let link = page.here.link(&file(claim), "claim.json with all days");
    page.body.links(&[link]);
    page.body
        .command(&format!("capitalbench claim show {}", claim.terms.claim));
    page
}

fn facts(view: &View<'_>, page: &mut Page, claim: &ClaimRecord) {
    let (terms, figures) = (&claim.terms, &claim.figures);
    let second = match terms.second.model() {
        Some(id) => view.model_link(&page.here, id),
        None => "the reference".into(),
    };
    let last = terms.last_day.map_or("no last day".to_owned(), day);
    page.body.facts(&[
        ("Model", view.model_link(&page.here, &terms.first)),
        ("Compared with", second),
        ("Track", track_name(Some(terms.track)).into()),
        (
            "Registered, by the operator's clock",
            terms.registered_at.to_string().into(),
        ),
        (
            "Counts from",
            format!("{} ({last})", day(terms.first_day)).into(),
        ),
        ("Rounds that count", claim.rounds.len().to_string().into()),
        ("Settled days", figures.settled.to_string().into()),
        ("Evidence", amount(figures.evidence).into()),
        ("With days of open rounds", amount(figures.running).into()),
        ("p, whenever it is read", chance(figures.p_value).into()),
        (
            "Mean difference, on all days at once",
            sequence(claim).unwrap_or(NONE.to_owned()).into(),
        ),
    ]);
}

/// The evidence on a scale of powers of ten, and the confidence sequence.
fn charts(view: &View<'_>, page: &mut Page, claim: &ClaimRecord) {
    let days = &claim.figures.days;
    if days.len() < 2 {
        return;
    }
    let power = |evidence: f64| evidence.clamp(DRAWN.0, DRAWN.1).log10();
    let look = view.look(&claim.terms.first);
    let evidence = days
        .iter()
        .map(|own| (own.increment.day, power(own.evidence)));
    let needed = power(claim.figures.needed);
    let level = days.iter().map(|own| (own.increment.day, needed));
    let chart = LineChart {
        title: "Evidence by day, on a scale of powers of ten".to_owned(),
        steps: Steps::Days,
        ends: Some((-1.0, needed)),
        lines: vec![
            Line::plain("evidence", (Stroke::Solid, look), evidence),
            Line::plain("needed", (Stroke::Reference, look), level),
        ],
        written: |power| amount(10_f64.powf(power)),
    };
    page.body.drawing(
        "Evidence by day: 1 at the beginning, established where it reaches the line",
        &chart.draw(),
    );
    sequence_chart(page, claim, look);
}

fn sequence_chart(page: &mut Page, claim: &ClaimRecord, look: Look) {
    let settled = &claim.figures.days[..claim.figures.settled];
    if settled.len() < 2 {
        return;
    }
    let of = |end: fn(&(f64, f64)) -> f64| {
        let ends = settled
            .iter()
            .map(|own| (own.increment.day, (own.low, own.high)));
        ends.map(move |(day, own)| (day, end(&own)))
    };
    let chart = LineChart {
        title: "Range of the mean daily difference, by day".to_owned(),
        steps: Steps::Days,
        ends: None,
        lines: vec![
            Line::plain("highest", (Stroke::Solid, look), of(|own| own.1)),
            Line::plain("lowest", (Stroke::Dashed, look), of(|own| own.0)),
        ],
        written: signed_percent,
    };
    page.body.drawing(
        "The mean difference a day lies in this range on all days at once, for this claim alone",
        &chart.draw(),
    );
}

fn days(page: &mut Page, claim: &ClaimRecord) {
    let all = claim.figures.days.len();
    if all == 0 {
        return;
    }
    let mut table = Table::new(
        "Days, newest first",
        "Day | #Difference, points | #Bound, points | #Evidence | Decides",
    );
    for own in claim.figures.days.iter().rev().take(MOST_DAYS) {
        table.row(vec![
            text(&day(own.increment.day)),
            crate::table::gap(own.increment.difference),
            decimal(100.0 * own.increment.bound(&claim.terms.rules), 2),
            decimal(own.evidence, 3),
            text(if own.settled { "yes" } else { "not yet" }),
        ]);
    }
    page.body.table(&table).cut("Days", all.min(MOST_DAYS), all);
}

/// The claims about a model, on its own page.
pub(super) fn of_model(view: &View<'_>, page: &mut Page, id: &ModelId) {
    let about =
        |claim: &&ClaimRecord| claim.terms.first == *id || claim.terms.second.model() == Some(id);
    let own: Vec<&ClaimRecord> = view.publication.claims.iter().filter(about).collect();
    list(view, page, &own);
}

/// The claims that compare two models, on the page of the pair.
pub(super) fn of_pair(view: &View<'_>, page: &mut Page, [first, second]: [&ModelId; 2]) {
    let about = |claim: &&ClaimRecord| {
        let sides = (&claim.terms.first, claim.terms.second.model());
        sides == (first, Some(second)) || sides == (second, Some(first))
    };
    let own: Vec<&ClaimRecord> = view.publication.claims.iter().filter(about).collect();
    list(view, page, &own);
}

/// All claims, below the boards.
pub(super) fn of_boards(view: &View<'_>, page: &mut Page) {
    let own: Vec<&ClaimRecord> = view.publication.claims.iter().collect();
    list(view, page, &own);
}

fn list(view: &View<'_>, page: &mut Page, claims: &[&ClaimRecord]) {
    if claims.is_empty() {
        return;
    }
    page.body.section("claims", "Registered claims");
    let mut rows = Table::new("Registered claims", "Claim | Evidence so far | Family").fixed();
    for claim in claims {
        let so_far = outlook(claim).map_or_else(
            || standing(claim),
            |outlook| format!("{} {outlook}", standing(claim)),
        );
        rows.row(vec![
            head(
                page.here
                    .link(&path(claim), &question(view.publication, claim)),
            ),
            crate::table::words(so_far),
            crate::table::words(family(claim)),
        ]);
    }
    page.body.table(&rows);
    page.body
        .links(&[page.here.link("claims/", "All registered claims")]);
}
