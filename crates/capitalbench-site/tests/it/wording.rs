//! Words follow the numbers.

use capitalbench_site::Files;

use super::markup::read;
use super::sources::{Source, pages};

/// Words that claim more than a table can carry.
const LOUD: [&str; 9] = [
    "won",
    "wins",
    "winner",
    "leader",
    "leaders",
    "champion",
    "outperforms",
    "outperformed",
    "loser",
];

/// Every page of a site.
pub(crate) fn check(site: &Files) {
    for (path, page) in pages(site) {
        let words = read(&page)
            .expect("a page of ours")
            .own_words
            .to_lowercase();
        let mut words = words.split(|c: char| !c.is_alphabetic());
        let loud = words.find(|word| LOUD.contains(word));
        assert_eq!(loud, None, "{path}");
    }
}

/// The highest return below the index is called so, and ties are called not separable.
pub(crate) fn check_claims(source: &Source, site: &Files) {
    let pages = pages(site);
    let mut below = 0;
    for round in &source.publication.rounds {
        let Some(resolved) = round.resolved() else {
            continue;
        };
        let Some(first) = resolved.models.first() else {
            continue;
        };
        let value = first.scored.outcome.decision_return.get();
        let page = &pages[&format!("rounds/{}/index.html", round.id())];
        assert!(
            page.contains("Highest return among models"),
            "{}",
            round.id()
        );
        if value < resolved.returns.reference().get() {
            assert!(page.contains(", below the S&amp;P 500"), "{}", round.id());
            below += 1;
        }
    }
    assert!(below > 0);
    let home = read(&pages["index.html"])
        .expect("a page of ours")
        .own_words;
    assert!(home.matches("separable").count() >= 2, "{home}");
}
