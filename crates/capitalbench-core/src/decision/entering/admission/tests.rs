use super::*;
use crate::decision::entering::names::EntrantKind;
use crate::decision::entering::opening::Salt;
use crate::test_support::option_id;

fn key(name: &str) -> EntrantKey {
    let letter = name.chars().last().unwrap().to_string();
    EntrantKey::parse(&format!("{name}+0123abcd+{}", letter.repeat(44))).unwrap()
}

fn registration(name: &str, keys: &[&str]) -> Registration {
    Registration {
        league: "house".to_owned(),
        entrant: EntrantName::parse(name).unwrap(),
        name: name.to_owned(),
        kind: EntrantKind::Person,
        contact: format!("{name}@example.org"),
        method: "By hand.".to_owned(),
        address: None,
        agent: None,
        keys: keys.iter().map(|name| key(name)).collect(),
    }
}

fn at(text: &str) -> Timestamp {
    format!("2026-12-{text}:00Z").parse().unwrap()
}

fn terms() -> RoundTerms {
    RoundTerms {
        round: RoundId::parse("R-1W").unwrap(),
        inputs: Digest::of(b"inputs"),
        times: Times {
            deadline: at("04T14:25"),
            opens: at("04T21:00"),
            closes: at("07T14:30"),
        },
    }
}

fn opening(of: &str, salt: u8) -> Opening {
    Opening {
        league: "house".to_owned(),
        round: terms().round,
        inputs: terms().inputs,
        key: key(of),
        portfolio: vec![(option_id("AAA"), 100)],
        salt: Salt::new([salt; 32]),
    }
}

fn place(leaf: u64) -> Place {
    Place {
        leaf,
        at: at("04T10:00"),
    }
}

fn register() -> Register {
    let mut own = Register::of("house");
    own.register(registration("ada", &["ada", "adb"]), place(0));
    own.register(registration("bob", &["bob1"]), place(1));
    own
}

#[test]
fn every_entry_that_may_not_be_taken_is_refused_by_name() {
    let mut own = register();
    let entry = SealedEntry::of(&opening("ada", 1));
    let (early, terms) = (at("04T12:00"), terms());
    let check = |own: &Register, entry: &SealedEntry, at| {
        own.check_entry(entry, Some(&terms), at)
            .map_err(|refusal| refusal.as_str())
    };
    assert_eq!(check(&own, &entry, early), Ok(()));
    assert_eq!(check(&own, &entry, at("04T14:25")), Err("late"));
    own.seal(&entry, place(2));
    assert_eq!(check(&own, &entry, early), Err("doubled"));
    let again = SealedEntry::of(&opening("ada", 2));
    assert_eq!(check(&own, &again, early), Err("re-sealed"));
    let second_key = SealedEntry::of(&opening("adb", 2));
    assert_eq!(check(&own, &second_key, early), Ok(()));
    let copied = SealedEntry {
        key: key("bob1"),
        ..entry.clone()
    };
    assert_eq!(check(&own, &copied, early), Err("copied"));
    let stranger = SealedEntry::of(&opening("eve", 1));
    assert_eq!(check(&own, &stranger, early), Err("unregistered"));
    let elsewhere = SealedEntry {
        league: "other".to_owned(),
        ..second_key.clone()
    };
    assert_eq!(check(&own, &elsewhere, early), Err("wrong-league"));
    let other_inputs = SealedEntry {
        inputs: Digest::of(b"others"),
        ..second_key.clone()
    };
    assert_eq!(check(&own, &other_inputs, early), Err("wrong-round"));
    let unknown = own.check_entry(&second_key, None, early);
    assert_eq!(unknown.unwrap_err().as_str(), "wrong-round");
}

#[test]
fn an_opening_is_taken_once_in_its_time_and_only_for_its_own_entry() {
    let mut own = register();
    let (opening_of_ada, terms) = (opening("ada", 1), terms());
    own.seal(&SealedEntry::of(&opening_of_ada), place(2));
    let check = |own: &Register, opening: &Opening, at| {
        own.check_opening(opening, Some(&terms), at)
            .map_err(|refusal| refusal.as_str())
    };
    let due = at("04T21:00");
    assert_eq!(check(&own, &opening_of_ada, at("04T20:59")), Err("early"));
    assert_eq!(check(&own, &opening_of_ada, at("07T14:30")), Err("late"));
    assert_eq!(check(&own, &opening("ada", 2), due), Err("not-sealed"));
    assert_eq!(check(&own, &opening("bob1", 1), due), Err("not-sealed"));
    assert_eq!(check(&own, &opening_of_ada, due), Ok(()));
    own.open(&opening_of_ada, place(3));
    assert_eq!(check(&own, &opening_of_ada, due), Err("doubled"));
    assert_eq!(own.slots_of(&terms.round).len(), 1);
}

#[test]
fn one_person_has_one_registration() {
    let own = register();
    let said = |new: &Registration| own.check_registration(new).map_err(|error| error.as_str());
    assert_eq!(said(&registration("eve", &["eve"])), Ok(()));
    assert_eq!(said(&registration("ada", &["eve"])), Err("name-taken"));
    assert_eq!(said(&registration("eve", &["bob1"])), Err("best-of-many"));
    let mut same = registration("eve", &["eve"]);
    same.contact = "ADA@example.org".to_owned();
    assert_eq!(said(&same), Err("best-of-many"));
    same.league = "other".to_owned();
    assert_eq!(said(&same), Err("wrong-league"));
    let other_name = Registration {
        keys: vec![EntrantKey::parse(&format!("new+0123abcd+{}", "1".repeat(44))).unwrap()],
        ..registration("eve", &["eve"])
    };
    assert_eq!(said(&other_name), Err("best-of-many"));
}
