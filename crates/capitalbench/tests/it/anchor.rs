//! `anchor`: outside clocks stamp the log; a reply that does not hold is told and not kept.

use std::fs;
use std::process::Command;

use jiff::{SignedDuration, Timestamp};

use crate::fake_clock::{FakeClock, Manner};
use crate::harness::{Ran, Test, WEEKLY, changes};

/// A folder whose log holds one freeze.
fn signed() -> Test {
    let test = Test::weekly();
    let init = "keys init --rounds-dir . --name log.example";
    test.run(&init.split(' ').collect::<Vec<_>>()).code(0);
    test.run(&["hash-round", "--round", WEEKLY]).code(0);
    test
}

fn size(test: &Test) -> u64 {
    let shown = test.run(&["keys", "show", "--rounds-dir", ".", "--json"]);
    shown.json()["size"].as_u64().expect("a size")
}

/// Asks one clock, whose root is trusted.
fn ask(test: &Test, clock: &FakeClock, more: &[&str]) -> Ran {
    let (url, root) = (clock.url(), clock.root_file());
    let own = [
        "anchor",
        "--rounds-dir",
        ".",
        "--tsa",
        &url,
        "--tsa-root",
        &root,
    ];
    test.run(&[&own[..], more].concat())
}

#[test]
fn a_true_stamp_is_kept_once_and_openssl_agrees() {
    let test = signed();
    let clock = FakeClock::start(Manner::Busy(1));
    let said = ask(&test, &clock, &["--json"]).code(0).json();
    assert_eq!(clock.heard(), 2, "one question was repeated");
    assert_eq!(said["rooted"], true);
    assert_eq!(said["clocks"][0]["state"], "stamped");
    assert_eq!(said["clocks"][0]["authority"], "Stamper");
    let before = said["clocks"][0]["before"].as_str().expect("an instant");
    let before: Timestamp = before.parse().expect("an instant");
    let late = Timestamp::now().duration_since(before).abs();
    assert!(late < SignedDuration::from_secs(60), "{late}");
    let size = size(&test);
    assert_eq!(said["size"], size);
    let reply = format!("log/anchors/{size}/{}.tsr", clock.name());
    let verified = Command::new("openssl")
        .args(["ts", "-verify", "-data", &format!("log/checkpoints/{size}")])
        .args(["-in", &reply, "-CAfile", "log/roots/root.pem"])
        .arg("-untrusted")
        .arg(clock.with_authority(|authority| authority.path("chain.pem")))
        .current_dir(test.folder())
        .output()
        .expect("openssl is on the machine");
    assert!(verified.status.success(), "{verified:?}");

    let tree = test.tree();
    let again = ask(&test, &clock, &["--json"]).code(0).json();
    assert_eq!(again["clocks"][0]["state"], "kept");
    assert_eq!(changes(&tree, &test.tree()), [""; 0]);
    assert_eq!(clock.heard(), 2, "nobody was asked again");
    let later = Timestamp::now() + SignedDuration::from_hours(25);
    clock.behave(Manner::At(later));
    let later = later.to_string();
    ask(&test, &clock, &["--now", &later])
        .code(0)
        .says("stamped");
    let second = format!("log/anchors/{size}/{}.2.tsr is new", clock.name());
    assert!(changes(&tree, &test.tree()).contains(&second));
}

#[test]
fn every_clock_fault_has_its_own_message_and_leaves_no_file() {
    let test = signed();
    let clock = FakeClock::start(Manner::True);
    let future = Timestamp::now() + SignedDuration::from_hours(2);
    let refused = |manner: Manner, words: &str| {
        clock.behave(manner);
        let ran = ask(&test, &clock, &[]).code(1).says("refused");
        assert!(ran.stdout().contains(&format!("/tsr: {words}")), "{ran}");
        assert!(!test.path("log/anchors").exists(), "{words}");
        assert!(
            !test.path("log/roots").exists(),
            "a root of a failed command"
        );
    };
    refused(Manner::OtherHash, "wrong hash: ");
    refused(Manner::OtherNonce, "wrong nonce: ");
    refused(Manner::At(future), "future time: ");
    refused(Manner::NoClock, "the time stamp reply is malformed");
    clock.with_authority(capitalbench_testing::authority::Authority::let_expire);
    refused(Manner::True, "expired certificate: ");
    refused(Manner::Busy(9), "the server answered with status 503: busy");

    let known = FakeClock::start(Manner::True);
    ask(&test, &known, &[]).code(0);
    assert!(test.path("log/roots/root.pem").exists());
    let stranger = FakeClock::start(Manner::True);
    let url = stranger.url();
    test.run(&["anchor", "--rounds-dir", ".", "--tsa", &url])
        .code(1)
        .says("untrusted root: ");
    let nobody = "http://127.0.0.1:1/";
    let ran = test.run(&["anchor", "--rounds-dir", ".", "--tsa", nobody]);
    ran.code(1).says("no connection: ");
    // One that holds is enough, and those that do not are told.
    stranger.behave(Manner::True);
    let root = stranger.root_file();
    fs::remove_file(test.path("log/roots/root.pem")).expect("a removed file");
    let both = [
        "anchor",
        "--rounds-dir",
        ".",
        "--tsa",
        &url,
        "--tsa",
        nobody,
    ];
    test.run(&[&both[..], &["--tsa-root", &root]].concat())
        .code(0)
        .says("no connection: ")
        .says("existed before");
}

#[test]
fn a_stamp_without_a_root_proves_nothing_and_without_a_clock_none_is_asked_for() {
    let test = signed();
    let clock = FakeClock::start(Manner::True);
    let anchor = ["anchor", "--rounds-dir", "."];
    test.run_without_trace(&anchor)
        .code(2)
        .complains("no outside clock and no witness is named")
        .complains(
            "hint: give --tsa URL, --ots URL or --witness KEY=URL, or set CAPITALBENCH_TSA_URLS",
        );
    let named = [("CAPITALBENCH_TSA_URLS", clock.url())];
    let named = [(named[0].0, named[0].1.as_str())];
    for _ in 0..2 {
        test.run_with(&named, &anchor)
            .code(1)
            .says("unvouched")
            .says("log/roots holds no root certificate");
    }
    assert_eq!(clock.heard(), 1);
    let twice = format!("{0} {0}", clock.url());
    test.run_with(&[("CAPITALBENCH_TSA_URLS", &twice)], &anchor)
        .code(2)
        .complains("are the same machine");
    test.run(&[&anchor[..], &["--tsa", "ftp://x"]].concat())
        .code(2)
        .complains("is not the address of a time stamp authority");
    Test::weekly()
        .run(&[&anchor[..], &["--tsa", &clock.url()]].concat())
        .code(2)
        .complains("has no signed log");
}

#[test]
fn a_calendar_promises_and_its_file_is_kept() {
    let test = signed();
    let calendar = FakeClock::start(Manner::Calendar);
    let url = calendar.url();
    let ask = ["anchor", "--rounds-dir", ".", "--ots", &url, "--json"];
    for state in ["promised", "kept"] {
        let said = test.run(&ask).code(0).json();
        assert_eq!(said["clocks"][0]["kind"], "opentimestamps");
        assert_eq!(said["clocks"][0]["state"], state);
    }
    assert_eq!(calendar.heard(), 1);
    let file = format!("log/anchors/{}/{}.ots", size(&test), calendar.name());
    let proof = fs::read(test.path(&file)).expect("a proof");
    assert!(proof.starts_with(b"\x00OpenTimestamps\x00\x00Proof\x00"));
}
