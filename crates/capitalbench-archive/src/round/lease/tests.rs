use std::fs;
use std::sync::Barrier;
use std::thread;

use tempfile::TempDir;

use super::*;

fn at(second: i64) -> Timestamp {
    Timestamp::from_second(1_800_000_000 + second).unwrap()
}

fn worker(owner: &str) -> Worker {
    Worker {
        owner: owner.to_owned(),
        host: "here".to_owned(),
        pid: 7,
        length: SignedDuration::from_secs(100),
    }
}

fn round() -> (TempDir, RoundFolder) {
    let folder = TempDir::new().unwrap();
    file_ops::create_new(&folder.path().join(layout::MANIFEST), b"").unwrap();
    let round = RoundFolder::open(folder.path()).unwrap();
    (folder, round)
}

fn held(taken: Taken) -> Lease {
    match taken {
        Taken::Held(lease) => lease,
        Taken::Busy(holder) => panic!("held by {}", holder.who),
    }
}

#[test]
fn one_worker_at_a_time_until_it_gives_back_or_dies() {
    let (_folder, round) = round();
    let mut first = held(acquire(&round, &worker("a"), at(0)).unwrap());
    let Taken::Busy(who) = acquire(&round, &worker("b"), at(99)).unwrap() else {
        panic!("two hold it");
    };
    assert_eq!(who.who, "a (process 7 on here)");
    assert_eq!(who.until, at(100));
    assert!(first.renew(at(50)).unwrap());
    assert_eq!(holder(&round, at(149)).unwrap().unwrap().until, at(150));
    assert!(matches!(
        acquire(&round, &worker("b"), at(149)).unwrap(),
        Taken::Busy(_)
    ));
    // No sign of life: the next one has it, and the first one learns that it lost it.
    let second = held(acquire(&round, &worker("b"), at(150)).unwrap());
    assert!(!first.renew(at(151)).unwrap());
    assert!(second.is_held(at(151)).unwrap());
    first.release(at(152)).unwrap();
    assert!(holder(&round, at(152)).unwrap().is_some());
    second.release(at(153)).unwrap();
    assert_eq!(holder(&round, at(153)).unwrap(), None);
    assert_eq!(
        held(acquire(&round, &worker("c"), at(154)).unwrap()).number,
        3
    );
}

#[test]
fn a_lease_is_not_renewed_shortly_before_it_expires() {
    let (_folder, round) = round();
    let mut lease = held(acquire(&round, &worker("a"), at(0)).unwrap());
    assert!(lease.is_held(at(74)).unwrap());
    assert!(!lease.renew(at(75)).unwrap());
}

#[test]
fn only_one_worker_takes_over_an_expired_lease() {
    for turn in 0..50 {
        let (_folder, round) = round();
        drop(held(acquire(&round, &worker("dead"), at(0)).unwrap()));
        let start = Barrier::new(8);
        let won: usize = thread::scope(|scope| {
            let tries: Vec<_> = (0..8)
                .map(|number| {
                    let (round, start) = (&round, &start);
                    scope.spawn(move || {
                        start.wait();
                        let own = worker(&format!("w{number}"));
                        let taken = acquire(round, &own, at(200)).unwrap();
                        usize::from(matches!(taken, Taken::Held(_)))
                    })
                })
                .collect();
            tries.into_iter().map(|one| one.join().unwrap()).sum()
        });
        assert_eq!(won, 1, "turn {turn}");
    }
}

/// A worker that looked long ago and writes now finds a number that was free and is old.
#[test]
fn a_worker_with_a_stale_view_does_not_get_the_lease() {
    let (folder, round) = round();
    let automation = folder.path().join(layout::AUTOMATION);
    held(acquire(&round, &worker("a"), at(0)).unwrap())
        .release(at(1))
        .unwrap();
    for number in 2..5 {
        let lease = held(acquire(&round, &worker("b"), at(number)).unwrap());
        lease.release(at(number)).unwrap();
    }
    let current = held(acquire(&round, &worker("c"), at(5)).unwrap());
    assert_eq!(names_in(&automation).unwrap(), [name_of(current.number)]);
    let stale = Lease {
        number: 2,
        worker: worker("stale"),
        ..current.clone()
    };
    file_ops::create_new(&stale.file(), stale.text(at(5), None).as_bytes()).unwrap();
    assert!(!stale.is_held(at(5)).unwrap());
    assert!(current.is_held(at(5)).unwrap());
}

#[test]
fn the_next_holder_removes_files_a_crash_left() {
    let (folder, round) = round();
    drop(held(acquire(&round, &worker("dead"), at(0)).unwrap()));
    let left = folder
        .path()
        .join(layout::AUTOMATION)
        .join(format!("{}x.tmp", file_ops::TEMPORARY_PREFIX));
    file_ops::create_new(&left, b"half").unwrap();
    held(acquire(&round, &worker("next"), at(200)).unwrap());
    assert!(!left.exists());
}

#[test]
fn a_spoiled_lease_is_named() {
    let (folder, round) = round();
    let file = folder.path().join(layout::AUTOMATION).join(name_of(1));
    file_ops::create_folder(file.parent().unwrap()).unwrap();
    file_ops::create_new(&file, b"{}").unwrap();
    let error = acquire(&round, &worker("a"), at(0)).unwrap_err();
    assert!(
        error.to_string().contains("missing field `owner`"),
        "{error}"
    );
    assert!(fs::read(&file).is_ok());
}

#[test]
fn there_is_no_lease_after_the_last_number() {
    let (folder, round) = round();
    let text = held(acquire(&round, &worker("a"), at(0)).unwrap()).text(at(0), Some(at(1)));
    let automation = folder.path().join(layout::AUTOMATION);
    file_ops::create_new(&automation.join(name_of(u64::MAX)), text.as_bytes()).unwrap();
    let error = acquire(&round, &worker("b"), at(2)).unwrap_err();
    assert!(error.to_string().contains("remove its file"), "{error}");
}
