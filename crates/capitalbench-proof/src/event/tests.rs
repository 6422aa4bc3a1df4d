//! Every kind of leaf there and back, and what a leaf must not be.

use super::*;

fn files(names: &[&str]) -> Files {
    let one = |name: &&str| ((*name).to_owned(), sha256(name.as_bytes()));
    names.iter().map(one).collect()
}

fn place() -> Place {
    Place {
        run: "run_1".to_owned(),
        model: "model-a".to_owned(),
        replicate: 1,
    }
}

fn sealed(body: &str) -> Sealed {
    Sealed::new(&[9; 32], body.as_bytes())
}

/// One of every kind.
fn facts() -> Vec<Fact> {
    [early_facts(), late_facts()].concat()
}

fn run() -> String {
    "run_1".to_owned()
}

fn early_facts() -> Vec<Fact> {
    vec![
        Fact::Freeze {
            inputs: files(&["manifest.yaml", "prompt.md"]),
            deadline: Instant::parse("2026-09-14T13:00:00Z"),
            roster: vec!["model-a".to_owned()],
        },
        Fact::Freeze {
            inputs: files(&[]),
            deadline: None,
            roster: Vec::new(),
        },
        Fact::Methodology {
            label: "v1".to_owned(),
            program: "capitalbench 0.1.0".to_owned(),
        },
        Fact::Slots {
            run: run(),
            kind: "official".to_owned(),
            calls: "real".to_owned(),
            models: vec!["model-a".to_owned(), "model-b".to_owned()],
            replicates: 2,
            max_retries: 3,
            plan: sha256(b"plan"),
        },
        Fact::AttemptBegin {
            place: place(),
            attempt: 1,
            input: sha256(b"input"),
            record: sealed("begun"),
        },
        Fact::AttemptEnd {
            place: place(),
            attempt: 1,
            status: "failed".to_owned(),
            reason: Some("timeout".to_owned()),
            answer: None,
            record: sealed("ended"),
        },
        Fact::AttemptEnd {
            place: place(),
            attempt: 2,
            status: "valid".to_owned(),
            reason: None,
            answer: Some(sealed("answer")),
            record: sealed("ended"),
        },
    ]
}

fn late_facts() -> Vec<Fact> {
    vec![
        Fact::Repaired {
            run: run(),
            number: 1,
            model: "model-a".to_owned(),
            from: "a-1".to_owned(),
            to: "a-2".to_owned(),
            reason: "the provider renamed it".to_owned(),
            record: sealed("repair"),
        },
        Fact::Accepted {
            run: run(),
            submissions: 2,
            supersedes: None,
            record: sealed("acceptance"),
        },
        Fact::Pick {
            run: run(),
            file: "submissions/raw/model-a.json".to_owned(),
            submission: sealed("pick"),
        },
        Fact::EntryPrices {
            session: "2026-09-14".to_owned(),
            files: files(&["prices/entry_prices.csv"]),
        },
        Fact::ExitPrices {
            session: "2026-09-21".to_owned(),
            files: files(&["prices/exit_prices.csv"]),
        },
        Fact::Score {
            run: run(),
            results: files(&["results/outcomes.json"]),
        },
        Fact::Correction {
            run: Some(run()),
            number: 1,
            reason: "a split was missed".to_owned(),
            replaced: files(&["results/outcomes.json"]),
            results: files(&["results/returns.csv"]),
        },
        Fact::Correction {
            run: None,
            number: 1,
            reason: "a split was missed".to_owned(),
            replaced: files(&["results/outcomes.json"]),
            results: files(&["results/returns.csv"]),
        },
        Fact::Inventory {
            number: 1,
            bodies: BTreeMap::from([("manifest.yaml".to_owned(), sealed("manifest"))]),
            gone: vec!["prices/entry_prices.csv".to_owned()],
        },
        Fact::Claim {
            statement: "report".to_owned(),
            files: files(&["results/report.md"]),
        },
        Fact::Registered(registration()),
    ]
}

fn registration() -> Registration {
    Registration {
        claim: "a-beats-b".to_owned(),
        first: "model-a".to_owned(),
        second: "reference".to_owned(),
        track: "weekly".to_owned(),
        side: "above".to_owned(),
        alpha: "0.05".to_owned(),
        scale: "0.008".to_owned(),
        spread: "0.2".to_owned(),
        first_day: "2026-09-14".to_owned(),
        last_day: None,
        season: "2026".to_owned(),
        family: 3,
        method: "eproc-v1".to_owned(),
        files: files(&["log/claims/a-beats-b.json"]),
    }
}

fn event(fact: Fact) -> Event {
    Event {
        round: "round_1".to_owned(),
        at: Instant::parse("2026-09-14T12:00:00.25Z").unwrap(),
        fact,
    }
}

fn edited(fact: &Fact, from: &str, to: &str) -> Result<Event, EventError> {
    let leaf = event(fact.clone()).to_leaf().unwrap();
    let text = String::from_utf8(leaf).unwrap();
    assert!(text.contains(from), "{text}");
    Event::parse(text.replace(from, to).as_bytes())
}

#[test]
fn every_kind_is_read_as_it_was_written() {
    for fact in facts() {
        let event = event(fact);
        let leaf = event.to_leaf().unwrap();
        let value = canonical::parse(&leaf).unwrap();
        assert_eq!(value["event"], event.fact.name());
        assert_eq!(Event::parse(&leaf), Ok(event));
    }
}

#[test]
fn a_leaf_is_plain_json_text() {
    let leaf = event(facts()[4].clone()).to_leaf().unwrap();
    let input = sha256(b"input").to_hex();
    let record = sealed("begun").0.to_hex();
    let expected = format!(
        "{{\"at\":\"2026-09-14T12:00:00.25Z\",\"attempt\":1,\"event\":\"attempt.begin\",\
         \"input_sha256\":\"{input}\",\"model\":\"model-a\",\"replicate\":1,\"round\":\"round_1\",\
         \"run\":\"run_1\",\"sealed_record\":\"{record}\",\"version\":1}}"
    );
    assert_eq!(String::from_utf8(leaf).unwrap(), expected);
}

#[test]
fn a_leaf_with_a_wrong_member_is_refused() {
    let begin = &facts()[4];
    for (from, to) in [
        ("\"version\":1", "\"version\":2"),
        ("\"version\":1", "\"version\":1,\"zone\":1"),
        (",\"version\":1", ""),
        ("\"version\":1", "\"version\":1,\"zone\":null"),
        ("\"run\":\"run_1\",", ""),
        ("\"run\":\"run_1\"", "\"run\":\"\""),
        ("\"attempt\":1", "\"attempt\":-1"),
        ("\"attempt\":1", "\"attempt\":4294967296"),
        ("\"attempt\":1", "\"attempt\":\"1\""),
        ("attempt.begin", "attempt.other"),
        ("12:00:00.25Z", "12:00:00.250Z"),
    ] {
        let refused = edited(begin, from, to);
        assert!(
            matches!(refused, Err(EventError::Form(_))),
            "{to}: {refused:?}"
        );
    }
    let end = &facts()[5];
    let null = edited(
        end,
        "\"run\":\"run_1\"",
        "\"run\":\"run_1\",\"sealed_answer\":null",
    );
    assert!(matches!(null, Err(EventError::Form(_))), "{null:?}");
    let upper = sealed("begun").0.to_hex();
    assert!(edited(begin, &upper, &upper.to_uppercase()).is_err());
    let spaced = edited(begin, "\"attempt\":1", "\"attempt\": 1");
    assert!(matches!(spaced, Err(EventError::Canonical(_))));
    assert!(Event::parse(b"[]").is_err());
}

#[test]
fn equal_events_have_the_same_identity() {
    let one = event(facts()[6].clone());
    let mut later = one.clone();
    later.at = Instant::parse("2026-09-15T00:00:00Z").unwrap();
    if let Fact::AttemptEnd { answer, record, .. } = &mut later.fact {
        *answer = Some(Sealed::new(&[1; 32], b"answer"));
        *record = Sealed::new(&[1; 32], b"ended");
    }
    assert_eq!(one.identity(), later.identity());
    assert_ne!(one.to_leaf(), later.to_leaf());
    let mut identities: Vec<Hash> = facts()
        .into_iter()
        .map(|fact| event(fact).identity().unwrap())
        .collect();
    identities.sort_unstable();
    identities.dedup();
    assert_eq!(identities.len(), facts().len());
}

#[test]
fn a_seal_opens_with_its_salt_and_body_only() {
    let seal = sealed("body");
    assert!(seal.opens(&[9; 32], b"body"));
    assert!(!seal.opens(&[8; 32], b"body"));
    assert!(!seal.opens(&[9; 32], b"other"));
}

#[test]
fn a_leaf_that_is_too_long_is_refused() {
    let fact = Fact::Claim {
        statement: "x".repeat(70_000),
        files: files(&[]),
    };
    assert!(matches!(event(fact).to_leaf(), Err(EventError::Long(_))));
}
