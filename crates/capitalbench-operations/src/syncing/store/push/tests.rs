use capitalbench_archive::disk::file_ops;

use super::*;
use crate::operator::Silence;
use crate::operator::configuration::Configuration;

fn generation(number: u64, nonce: &str, follows: &[&str]) -> Generation {
    Generation {
        number,
        nonce: nonce.to_owned(),
        follows: follows.iter().map(|own| (*own).to_owned()).collect(),
        ..Generation::default()
    }
}

fn head(content: Generation) -> Head {
    Head::default().with(content, "write".to_owned())
}

#[test]
fn what_the_log_tells_stands_on_whatever_was_pushed_past_it() {
    let told = generation(2, "told", &["first"]);
    let first = head(generation(1, "first", &[]));
    assert_eq!(on_top(&first, &told), Some(told.clone()));
    assert_eq!(on_top(&head(told.clone()), &told), None);
    let later = head(generation(3, "later", &["told", "first"]));
    assert_eq!(on_top(&later, &told), None);
    // The same number, and yet another state.
    let past = head(generation(2, "past", &["first"]));
    let wanted = generation(3, "told", &["past", "first"]);
    assert_eq!(on_top(&past, &told), Some(wanted));
    let long_after = head(generation(10, "ten", &["nine"]));
    assert_eq!(on_top(&long_after, &told), None);
}

#[test]
fn a_push_that_counted_is_known_after_others_moved_on() {
    let own = generation(2, "own", &["first"]);
    let moved = head(Generation {
        follows: own.followed(),
        ..generation(3, "moved", &[])
    });
    let (seen, tag) = published(&moved, "tag", &own).expect("it counted");
    assert_eq!((seen.content, &*tag), (Some(own.clone()), ""));
    let other = head(generation(3, "moved", &["another", "first"]));
    assert_eq!(published(&other, "tag", &own), None);
}

#[test]
fn objects_that_may_be_pruned_by_now_are_never_named() {
    let place = tempfile::tempdir().expect("a folder");
    let rounds = place.path().join("rounds");
    let note = rounds.join("R-1/notes.txt");
    file_ops::create_folder(&rounds.join("R-1")).expect("a folder");
    file_ops::replace(&note, b"x").expect("a file");
    let operator = Operator::new(Configuration::empty(), None, Box::new(Silence));
    let address = format!("file://{}", place.path().join("store").display());
    let store = Store::open(&operator.configuration, &address).expect("a store");
    let here = store.checkout(&rounds).expect("a checkout");
    let pusher = Pusher {
        operator: &operator,
        here: &here,
        claim: None,
    };
    let unit = Unit::round("R-1").expect("a round");
    let ready = || {
        let ready = store.ready(&pusher, &unit).expect("objects");
        ready.expect("a change")
    };
    let mut late = ready();
    late.until = Instant::now();
    let published = store
        .publish(&pusher, &late, Logged::Nothing)
        .expect("a look");
    assert_eq!(published, Published::TooLate);
    assert!(store.head(&unit.key()).expect("a look").is_none());
    let published = store
        .publish(&pusher, &ready(), Logged::Nothing)
        .expect("a head");
    assert!(matches!(published, Published::Done(_)));
}
