use capitalbench_proof::event::Sealed;
use capitalbench_proof::merkle::sha256;

use super::*;

fn sealed() -> Sealed {
    Sealed::new(&[1; 32], b"record")
}

fn place() -> Place {
    Place {
        run: "r".to_owned(),
        model: "m".to_owned(),
        replicate: 1,
    }
}

fn planned() -> Fact {
    Fact::Slots {
        run: "r".to_owned(),
        kind: "official".to_owned(),
        calls: "real".to_owned(),
        models: vec!["m".to_owned()],
        replicates: 1,
        max_retries: 0,
        plan: sha256(b"plan"),
    }
}

fn begin(attempt: u32) -> Fact {
    Fact::AttemptBegin {
        place: place(),
        attempt,
        input: sha256(b"input"),
        record: sealed(),
    }
}

fn end(attempt: u32, status: &str, reason: Option<&str>) -> Fact {
    Fact::AttemptEnd {
        place: place(),
        attempt,
        status: status.to_owned(),
        reason: reason.map(str::to_owned),
        answer: None,
        record: sealed(),
    }
}

fn repair(number: u64, model: &str, from: &str, to: &str) -> Fact {
    Fact::Repaired {
        run: "r".to_owned(),
        number,
        model: model.to_owned(),
        from: from.to_owned(),
        to: to.to_owned(),
        reason: "retired".to_owned(),
        record: sealed(),
    }
}

/// What is wrong with the last of these events; the ones before it must be in order.
fn last(events: &[Fact]) -> Option<String> {
    let mut repairs = Repairs::default();
    let mut found = None;
    for (place, event) in events.iter().enumerate() {
        assert_eq!(found, None, "event {place}");
        found = repairs.take(event);
    }
    found
}

#[test]
fn a_repair_stands_between_rejections_and_the_next_attempt() {
    let start = [planned(), begin(1), end(1, "failed", Some("no_model"))];
    let with = |more: &[Fact]| last(&[&start[..], more].concat());
    let first = || repair(1, "m", "old", "new");
    assert_eq!(with(&[first(), begin(2), end(2, "valid", None)]), None);
    let again = [
        first(),
        begin(2),
        end(2, "failed", Some("key")),
        repair(2, "m", "new", "newer"),
    ];
    assert_eq!(with(&again), None);
    let accepted = Fact::Accepted {
        run: "r".to_owned(),
        submissions: 1,
        supersedes: None,
        record: sealed(),
    };
    for (more, why) in [
        (vec![repair(2, "m", "old", "new")], "the next is 1"),
        (vec![repair(1, "n", "old", "new")], "was not planned"),
        (vec![accepted, first()], "accepted before"),
        (
            vec![first(), repair(2, "m", "old", "newer")],
            "was not its name",
        ),
        (vec![begin(2), first()], "may have been answered"),
        (
            vec![begin(2), end(2, "failed", Some("timeout")), first()],
            "may have been answered",
        ),
        (
            vec![begin(2), end(2, "valid", None), first()],
            "may have been answered",
        ),
        // A word that nobody knows is no rejection.
        (
            vec![begin(2), end(2, "failed", Some("mood")), first()],
            "may have been answered",
        ),
    ] {
        let found = with(&more).expect(why);
        assert!(found.contains(why), "{found}");
    }
    let found = last(&[planned(), first()]).expect("a problem");
    assert!(found.contains("was not asked"), "{found}");
}
