//! Words follow the numbers.

use super::markup::read;
use super::sources::{PUBLISHED, archive, fixtures};

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

#[test]
fn no_page_shouts() {
    let mut sources = vec![fixtures()];
    sources.extend(archive(PUBLISHED));
    for source in sources {
        for (path, page) in source.pages() {
            let words = read(&page).unwrap().own_words.to_lowercase();
            let mut words = words.split(|c: char| !c.is_alphabetic());
            let loud = words.find(|word| LOUD.contains(word));
            assert_eq!(loud, None, "{path}");
        }
    }
}

#[test]
fn the_highest_return_below_the_index_is_called_so() {
    let Some(source) = archive(PUBLISHED) else {
        return;
    };
    let pages = source.pages();
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
}

#[test]
fn the_current_sets_say_what_is_not_separable() {
    let Some(source) = archive(PUBLISHED) else {
        return;
    };
    let home = &source.pages()["index.html"];
    let words = read(home).unwrap().own_words;
    assert!(words.matches("separable").count() >= 2, "{words}");
}
