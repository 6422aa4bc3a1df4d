//! What a page says does not contradict what stands beside it.

use std::collections::BTreeMap;

use capitalbench_core::publication::RoundState;
use capitalbench_core::publication::boards::between::mean_difference;
use capitalbench_core::round::manifest::Track;
use jiff::civil::Date;

use super::sources::{Source, pages};
use capitalbench_site::Files;

/// The rows of the table with this caption: the text of each cell.
fn rows(page: &str, caption: &str) -> Vec<Vec<String>> {
    let begin = format!("<caption>{caption}");
    let table = page.split_once(&begin).expect("the table").1;
    let table = table.split_once("</table>").expect("its end").0;
    let body = table.split_once("<tbody>").expect("its rows").1;
    let row = |row: &str| row.split("</t").map(text).collect();
    body.split("<tr").skip(1).map(row).collect()
}

/// The words of some markup.
fn text(markup: &str) -> String {
    let parts = markup
        .split('<')
        .map(|part| part.split_once('>').map_or("", |two| two.1));
    parts.collect::<String>().trim().to_owned()
}

/// The sign of a figure for people; none of zero and of what is no figure.
fn sign(shown: &str) -> Option<bool> {
    let digits = |c: char| c.is_ascii_digit() && c != '0';
    let number = shown.split_whitespace().next().unwrap_or(shown);
    number
        .contains(digits)
        .then(|| !number.starts_with('\u{2212}'))
}

pub(crate) fn check(source: &Source, site: &Files) {
    let pages = pages(site);
    gaps(source, &pages);
    pairs(source, &pages);
    places(source, &pages);
    coming(source, &pages);
    asked(&pages);
}

/// Whatever is called the gap has the sign of the mean over rounds.
fn gaps(source: &Source, pages: &BTreeMap<String, String>) {
    let publication = &source.publication;
    let mut looked = 0;
    for (track, word) in [(Track::Weekly, "Weekly"), (Track::Monthly, "Monthly")] {
        let cumulative = &publication.boards[&track].cumulative;
        for path in ["models/index.html", "boards/cumulative/index.html"] {
            let shown = rows(&pages[path], &format!("{word} records"));
            for row in cumulative {
                let name = publication.name(&row.model_id);
                let cells = shown
                    .iter()
                    .find(|cells| cells[0] == name)
                    .expect("its row");
                let above = sign(&cells[2]);
                assert!(
                    above.is_none_or(|above| above == (row.average_alpha > 0.0)),
                    "{path}, {name}: {} beside a mean of {}",
                    cells[2],
                    row.average_alpha
                );
                looked += usize::from(above.is_some());
            }
        }
    }
    assert!(looked > 20, "{looked}");
}

/// The difference of two models has the sign of the mean over the rounds that they share.
fn pairs(source: &Source, pages: &BTreeMap<String, String>) {
    let publication = &source.publication;
    for (track, word) in [(Track::Weekly, "Weekly"), (Track::Monthly, "Monthly")] {
        let shown = rows(&pages["compare/index.html"], &format!("{word} pairs"));
        for (pair, cells) in publication.statistics.head_to_head[&track]
            .iter()
            .zip(&shown)
        {
            let rounds = pair.rounds.iter().filter_map(|id| publication.round(id));
            let mean = mean_difference(rounds, &pair.first, &pair.second).expect("shared rounds");
            let above = sign(&cells[3]);
            assert!(
                above.is_none_or(|above| above == (mean > 0.0)),
                "{} and {}: {} beside a mean of {mean}",
                pair.first,
                pair.second,
                cells[3]
            );
        }
    }
}

/// Equal portfolios share a place.
fn places(source: &Source, pages: &BTreeMap<String, String>) {
    let mut shared = 0;
    for round in &source.publication.rounds {
        let Some(resolved) = round.resolved() else {
            continue;
        };
        let page = &pages[&format!("rounds/{}/index.html", round.id())];
        let shown = rows(page, "Result: ");
        for (first, own) in resolved.models.iter().zip(&shown) {
            let like = |other: &&capitalbench_core::publication::Standing| {
                let [a, b] = [first, other].map(|own| &own.scored.outcome);
                (a.decision_return, a.alpha, a.regret) == (b.decision_return, b.alpha, b.regret)
            };
            let tied = resolved.models.iter().filter(like).count() > 1;
            assert_eq!(own[0].ends_with('='), tied, "{}: {own:?}", round.id());
            shared += usize::from(tied);
        }
    }
    assert!(shared > 0, "no round has equal portfolios");
}

/// Nothing that is announced lies before the instant of the page.
fn coming(source: &Source, pages: &BTreeMap<String, String>) {
    let now = source.publication.as_of;
    let mut looked = 0;
    for (path, page) in pages {
        let words = text(page);
        for (at, _) in words.match_indices("esult after the close of ") {
            let rest = &words[at + "esult after the close of ".len()..];
            let day: Vec<&str> = rest.split([' ', '.', '·', '\n']).take(3).collect();
            let year: String = day[2].chars().take(4).collect();
            let day = Date::strptime("%d %B %Y", format!("{} {} {year}", day[0], day[1]));
            let day = day.unwrap_or_else(|error| panic!("{path}: {error}"));
            let today = now.to_zoned(jiff::tz::TimeZone::UTC).date();
            assert!(day >= today, "{path} announces {day}");
            looked += 1;
        }
    }
    assert!(looked > 3, "{looked}");
    // The row of steps marks what is behind us, and no close that is to come.
    let mut waiting = 0;
    for round in &source.publication.rounds {
        let Some(window) = round.manifest.window else {
            continue;
        };
        let page = &pages[&format!("rounds/{}/index.html", round.id())];
        for (name, close) in [
            ("Starting close", window.entry_close()),
            ("Ending close", window.exit_close()),
        ] {
            let Some(close) = close.filter(|_| round.tombstone().is_none()) else {
                continue;
            };
            let marked = !page.contains(&format!("<li class=\"todo\"><strong>{name}"));
            let is_draft = matches!(round.state, RoundState::Draft);
            assert_eq!(marked, close <= now && !is_draft, "{} {name}", round.id());
            waiting += usize::from(!marked);
        }
    }
    assert!(waiting > 0);
}

/// A round that was asked after its starting close says so.
fn asked(pages: &BTreeMap<String, String>) {
    let late = &pages["rounds/CB-2026-08-04-1W/index.html"];
    assert!(
        late.contains("the last answer came 7 hours after it, before the next open"),
        "{late}"
    );
    let early = &pages["rounds/CB-2026-08-11-1M/index.html"];
    assert!(
        early.contains("All answers were in 10 hours before the starting close"),
        "{early}"
    );
    for page in ["method/index.html", "method/limitations/index.html"] {
        for claim in ["before its window begins", "Windows lie after the decision"] {
            assert!(!pages[page].contains(claim), "{page}: {claim}");
        }
    }
}
