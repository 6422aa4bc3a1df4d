//! Nothing of a round's result is on any page while it is open.

use capitalbench_core::publication::{PublicRound, RoundState};

use super::markup::read;
use super::sources::{PUBLISHED, Source, archive};

/// Words that only a result has.
const WORDS: [&str; 8] = [
    "regret",
    "best option",
    "place",
    "#1",
    "winner",
    "won ",
    "percentile",
    "final return",
];

fn is_open(round: &PublicRound) -> bool {
    !matches!(round.state, RoundState::Resolved(_))
}

/// Checks the pages of open rounds; gives how many rounds were open.
pub(crate) fn check(source: &Source) -> usize {
    let pages = source.pages();
    let open: Vec<&PublicRound> = source
        .publication
        .rounds
        .iter()
        .filter(|r| is_open(r))
        .collect();
    for round in &open {
        let own = format!("rounds/{}/", round.id());
        for (path, page) in pages.iter().filter(|(path, _)| path.starts_with(&own)) {
            let words = read(page).expect("a page of ours").own_words.to_lowercase();
            for word in WORDS {
                assert!(!words.contains(word), "{path} says {word}");
            }
            assert!(!words.contains("score"), "{path} speaks of a score");
            assert!(!words.contains("exit_prices"), "{path} names ending prices");
        }
    }
    let live = read(&pages["live/index.html"])
        .expect("a page of ours")
        .own_words
        .to_lowercase();
    for word in ["score", "rank", "leader", "regret"] {
        assert!(!live.contains(word), "live says {word}");
    }
    open.len()
}

/// Rounds that are resolved today were open once: on that day no page knew an ending price.
#[test]
fn a_site_of_an_earlier_day_shows_no_later_result() {
    let Some(later) = archive(PUBLISHED) else {
        return;
    };
    let Some(earlier) = archive("2026-07-20T21:00:00Z") else {
        return;
    };
    assert!(check(&earlier) > 0);
    let pages = earlier.pages();
    let mut looked = 0;
    for round in earlier
        .publication
        .rounds
        .iter()
        .filter(|round| is_open(round))
    {
        let Some(resolved) = later
            .publication
            .round(round.id())
            .and_then(|r| r.resolved())
        else {
            continue;
        };
        let own = format!("rounds/{}/", round.id());
        for option in resolved.returns.options() {
            let (Some((entry, _)), Some((exit, _))) = (option.entry, option.exit) else {
                continue;
            };
            let text = format!("{}", exit.get());
            if text.len() < 8 || (entry.get() - exit.get()).abs() < f64::EPSILON {
                continue;
            }
            for (path, page) in pages.iter().filter(|(path, _)| path.starts_with(&own)) {
                assert!(
                    !page.contains(&text),
                    "{path} knows the ending price {text}"
                );
                looked += 1;
            }
        }
    }
    assert!(looked > 100, "{looked}");
}
