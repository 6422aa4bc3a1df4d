use capitalbench_proof::event::Instant;

use super::*;

const RESULT: &str = "runs/a/results/leaderboard.csv";

fn event(fact: Fact) -> Event {
    Event {
        round: "r".to_owned(),
        at: Instant::parse("2026-03-11T00:00:00Z").unwrap(),
        fact,
    }
}

fn inventory(number: u64, path: &str) -> Event {
    let body = (path.to_owned(), Sealed::new(&[0; 32], path.as_bytes()));
    event(Fact::Inventory {
        number,
        bodies: BTreeMap::from([body]),
        gone: Vec::new(),
    })
}

fn score() -> Event {
    event(Fact::Score {
        run: "a".to_owned(),
        results: Files::new(),
    })
}

/// Whether the result was there, and counted, when so many of the leaves were signed.
fn at(size: u64, leaves: &[Event]) -> (bool, bool) {
    let mut then = Then::new(size);
    for (index, leaf) in (0..).zip(leaves) {
        then.visit(index, leaf);
    }
    let round = &then.rounds["r"];
    let there = round.inventory.bodies.contains_key(RESULT);
    (there, round.counts(RESULT))
}

#[test]
fn a_result_counts_from_its_score_event_on() {
    let leaves = [inventory(1, "manifest.yaml"), score(), inventory(2, RESULT)];
    assert_eq!(at(1, &leaves), (false, false));
    assert_eq!(at(2, &leaves), (true, true));
    assert_eq!(at(3, &leaves), (true, true));
}

#[test]
fn results_older_than_the_log_count_from_their_inventory_on() {
    let frozen = Fact::Methodology {
        label: "l".to_owned(),
        program: "p".to_owned(),
    };
    let leaves = [event(frozen), inventory(1, RESULT)];
    assert_eq!(at(1, &leaves), (true, false));
    assert_eq!(at(2, &leaves), (true, true));
}

#[test]
fn the_files_of_a_later_step_do_not_count() {
    let leaves = [score(), inventory(1, "manifest.yaml"), inventory(2, RESULT)];
    assert_eq!(at(2, &leaves), (false, true));
    assert_eq!(at(3, &leaves), (true, true));
}
