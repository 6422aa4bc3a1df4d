//! The pages about the method: templates of prose with the figures of the method.

use std::collections::BTreeMap;

use askama::Template;
use capitalbench_core::evidence::statistics::{METHOD, method};
use capitalbench_core::round::methodology::Family;

use super::view::View;
use crate::figures::{size, thousands};
use crate::html::Html;
use crate::page::Page;
use crate::table::{Table, head, text, whole, words};

#[derive(Template)]
#[template(path = "method.html")]
struct Overview {
    root: String,
    /// Whether somebody entered from outside.
    entered: bool,
}

#[derive(Template)]
#[template(path = "statistics.html")]
struct Statistics {
    root: String,
    version: &'static str,
    portfolios: String,
    histories: String,
    null_label: &'static str,
    reference: String,
}

#[derive(Template)]
#[template(path = "limitations.html")]
struct Limitations {
    root: String,
}

#[derive(Template)]
#[template(path = "data.html")]
struct DataFiles {
    root: String,
    files: Vec<(String, String)>,
}

#[derive(Template)]
#[template(path = "not_advice.html")]
struct NotAdvice {}

/// The pages of the method.
pub(crate) fn pages(view: &View<'_>) -> Vec<Page> {
    let used = method();
    vec![
        filled(
            "method/",
            "Method",
            "How a round is made, asked, priced and scored.",
            |root| {
                let entered = !view.publication.entries.is_empty();
                Overview { root, entered }.render().ok()
            },
        ),
        filled(
            "method/statistics/",
            "Statistics",
            "How to read scores, intervals, ranks and chance.",
            |root| {
                let page = Statistics {
                    root,
                    version: METHOD,
                    portfolios: thousands(used.null_draws),
                    histories: thousands(used.bootstrap_draws),
                    null_label: used.null_label,
                    reference: view.reference.the(),
                };
                page.render().ok()
            },
        ),
        versions(view),
        filled(
            "method/limitations/",
            "Limitations",
            "What the benchmark cannot tell.",
            |root| Limitations { root }.render().ok(),
        ),
        filled(
            "method/data/",
            "Data and files",
            "Every number as a file, free and without a key.",
            |root| {
                let file = |(name, bytes): (&String, &u64)| (name.clone(), size(*bytes));
                let files = view.data.iter().map(file).collect();
                DataFiles { root, files }.render().ok()
            },
        ),
        filled(
            "method/not-advice/",
            "Not financial advice",
            "What this site is not.",
            |_| NotAdvice {}.render().ok(),
        ),
    ]
}

fn filled(
    path: &str,
    title: &str,
    description: &str,
    text: impl Fn(String) -> Option<String>,
) -> Page {
    let mut page = Page::new(path, title, description);
    if path != "method/" {
        page = page.below("method/", "Method");
    }
    let body = text(page.here.to("")).unwrap_or_default();
    page.body
        .add(&Html::wrap("div", "prose", &Html::made(body)));
    page
}

/// The versions of the rules that rounds follow.
fn versions(view: &View<'_>) -> Page {
    let mut page = Page::new(
        "method/versions/",
        "Methodology versions",
        "Every version of the rules, what it asks, and how many rounds follow it.",
    )
    .below("method/", "Method");
    page.body
        .say("A round keeps the rules it was frozen with. Versions are never changed, only added.");
    let mut counted: BTreeMap<&str, (Family, usize, String, String)> = BTreeMap::new();
    for round in &view.publication.rounds {
        let methodology = &round.manifest.methodology;
        let day = round.manifest.decision_date;
        let day = day.map(|day| day.to_string()).unwrap_or_default();
        let label = methodology.label().unwrap_or("without a label");
        let entry = counted.entry(label);
        let entry = entry.or_insert_with(|| (methodology.family(), 0, day.clone(), day.clone()));
        entry.1 += 1;
        entry.2 = day.clone().min(std::mem::take(&mut entry.2));
        entry.3 = day.max(std::mem::take(&mut entry.3));
    }
    let mut table = Table::new(
        "Versions of the rules",
        "Version | #Rounds | First decision | Last decision | What it asks",
    );
    for (label, (family, rounds, first, last)) in counted {
        table.row(vec![
            head(label),
            whole(rounds),
            text(&first),
            text(&last),
            words(asks(family)),
        ]);
    }
    page.body.table(&table);
    page
}

fn asks(family: Family) -> &'static str {
    match family {
        Family::Plain => "One option or a portfolio; the submission format decides.",
        Family::ForecastPilot => "A portfolio, with a forecast for each holding.",
        Family::Forecast => {
            "A portfolio with forecasts, a ledger of candidates taken and left, and a cap on one exposure."
        }
        Family::ForecastWithQuality => {
            "The same, with evidence on the quality of the figures shown."
        }
        Family::Judgment => {
            "Ranked judgments on a fixed slate; a rule turns them into the portfolio."
        }
    }
}
