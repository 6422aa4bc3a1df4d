//! Witnesses: who cosigned the log, a forked log that gets no cosignature, and a quorum that is said.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};
use signed_note::{Note as TheirNote, StandardVerifier, Verifier, VerifierList};

use crate::fake_clock::{FakeClock, Manner as ClockManner};
use crate::fake_witness::{FakeWitness, Manner, from_base64};
use crate::harness::{Ran, Test, changes, codes_of, copy_tree};
use crate::page_script::{look, node};
use crate::signed_round::{NAME, NOW, SignedRound};

const AT: &str = "2026-09-14T12:31:00Z";
const MODELS: &str = "models:\n- {model_id: amber, provider: mock, api_model_name: amber}\n\
                      - {model_id: dune, provider: mock, api_model_name: dune}\n";

/// A round with its record, and witnesses that know its log.
struct Watched {
    round: SignedRound,
    witnesses: Vec<FakeWitness>,
}

impl Watched {
    fn by(count: u8) -> Self {
        let round = SignedRound::accepted();
        let vkey = round.test().read_log("vkey");
        let witness = |seed: u8| FakeWitness::start(&format!("w{seed}.example"), seed, &vkey, AT);
        let witnesses = (1..=count).map(witness).collect();
        Self { round, witnesses }
    }

    fn test(&self) -> &Test {
        self.round.test()
    }

    /// `anchor` with all witnesses and nobody else.
    fn ask(&self, more: &[&str]) -> Ran {
        self.ask_in("signed", more)
    }

    fn ask_in(&self, rounds: &str, more: &[&str]) -> Ran {
        let named: Vec<String> = self.witnesses.iter().map(FakeWitness::named).collect();
        let flags = named.iter().flat_map(|own| ["--witness", own.as_str()]);
        let own = ["anchor", "--rounds-dir", rounds, "--now", AT];
        let typed: Vec<&str> = own
            .into_iter()
            .chain(flags)
            .chain(more.iter().copied())
            .collect();
        self.test().run(&typed)
    }

    fn size(&self) -> u64 {
        let note = self.test().read_log("checkpoint");
        note.lines()
            .nth(1)
            .and_then(|size| size.parse().ok())
            .expect("a size")
    }

    fn verify(&self, more: &[&str]) -> Value {
        let own = ["verify", "signed", "--json", "--now", NOW];
        self.test().run(&[&own[..], more].concat()).json()
    }

    fn codes(&self) -> Vec<String> {
        let report = self.verify(&[]);
        let findings = report["log"]["findings"].as_array().expect("findings");
        codes_of(findings, &["error", "warning", "note"])
    }
}

impl Test {
    fn read_log(&self, name: &str) -> String {
        fs::read_to_string(self.path(&format!("signed/log/{name}"))).expect("a file of the log")
    }
}

#[test]
fn a_quorum_cosigns_and_everybody_can_see_who() {
    let watched = Watched::by(3);
    let size = watched.size();
    watched.witnesses[2].behave(Manner::Away);
    let said = watched.ask(&["--quorum", "2", "--json"]).code(0).json();
    assert_eq!(
        said["quorum"],
        json!({"needed": 2, "signed": 2, "holds": true})
    );
    assert_eq!(said["witnesses"][0]["state"], "cosigned");
    assert_eq!(said["witnesses"][0]["at"], AT);
    let why = said["witnesses"][2]["reason"].as_str().expect("a reason");
    assert!(why.contains("status 503"), "{why}");

    // The served checkpoint carries both lines, the kept one stays as clocks stamp it.
    let kept = watched.test().read_log(&format!("checkpoints/{size}"));
    let served = watched.test().read_log("checkpoint");
    assert!(served.starts_with(&kept), "{served}");
    assert_eq!(served.matches("— w").count(), 2, "{served}");
    let rule = watched.test().read_log("witnesses");
    assert!(rule.contains("quorum 2\n"), "{rule}");

    // Nobody is asked twice; whoever was away is asked again.
    let tree = watched.test().tree();
    watched.ask(&["--quorum", "2"]).code(0).says("kept");
    assert_eq!(changes(&tree, &watched.test().tree()), [""; 0]);
    assert_eq!(watched.witnesses[0].heard(), ["old 0"]);
    watched.witnesses[2].behave(Manner::True);
    watched
        .ask(&["--quorum", "2"])
        .code(0)
        .says("the quorum holds: 3 of 3 witnesses cosigned, 2 must");

    // The log grows, and the proof begins where each of them stood.
    watched.round.resolve();
    watched.ask(&["--quorum", "2"]).code(0);
    let last = watched.witnesses[0].heard().pop();
    assert_eq!(last, Some(format!("old {size}")));
    let report = watched.verify(&[]);
    let told = &report["log"]["witnesses"];
    assert_eq!(told["quorum_at"], watched.size(), "{report}");
    assert_eq!(told["named_by"], "operator");
    assert_eq!(told["of"][0]["name"], "w1.example");
    assert_eq!(told["of"][0]["at_utc"], AT);
    assert_eq!(watched.codes(), [""; 0]);
    let shown = watched.test().run(&["verify", "signed", "--now", NOW]);
    shown
        .code(0)
        .says("witnesses: 2 of 3 must cosign, and did up to entry");
    others_agree(&watched);
    the_page_agrees(&watched);
}

/// A cosignature for `signed_note`, by the text of the specification and OpenSSL.
struct Cosigner {
    name: String,
    id: u32,
    key: Vec<u8>,
    folder: PathBuf,
}

impl Cosigner {
    fn new(vkey: &str, folder: &Path) -> Self {
        let parts: Vec<&str> = vkey.splitn(3, '+').collect();
        let bytes = from_base64(parts[2]).expect("a key");
        assert_eq!((bytes[0], bytes.len()), (4, 33), "a key of type 4");
        fs::create_dir_all(folder).expect("a folder");
        Self {
            name: parts[0].to_owned(),
            id: signed_note::key_id(parts[0], &bytes),
            key: bytes[1..].to_vec(),
            folder: folder.to_owned(),
        }
    }
}

impl Verifier for Cosigner {
    fn name(&self) -> &str {
        &self.name
    }

    fn key_id(&self) -> u32 {
        self.id
    }

    fn verify(&self, text: &[u8], signature: &[u8]) -> bool {
        let Some((seconds, signature)) = signature.split_first_chunk::<8>() else {
            return false;
        };
        let head = format!("cosignature/v1\ntime {}\n", u64::from_be_bytes(*seconds));
        let head_of_der = b"\x30\x2a\x30\x05\x06\x03\x2b\x65\x70\x03\x21\x00";
        let files = [
            ("key.der", [&head_of_der[..], &self.key].concat()),
            ("signed", [head.as_bytes(), text].concat()),
            ("signature", signature.to_vec()),
        ];
        for (name, bytes) in files {
            fs::write(self.folder.join(name), bytes).expect("a written file");
        }
        let words = "pkeyutl -verify -pubin -keyform DER -inkey key.der -rawin -in signed -sigfile signature";
        let verified = Command::new("openssl")
            .args(words.split(' '))
            .current_dir(&self.folder)
            .output();
        verified
            .expect("openssl is on the machine")
            .status
            .success()
    }
}

/// The served checkpoint with log and witnesses under other people's notes.
fn others_agree(watched: &Watched) {
    let served = watched.test().read_log("checkpoint");
    let keys = || {
        let folder = watched.test().path("apart");
        let cosigner = |own: &FakeWitness| -> Box<dyn Verifier> {
            Box::new(Cosigner::new(&own.key(), &folder))
        };
        let log = StandardVerifier::new(watched.test().read_log("vkey").trim_end());
        let log: Box<dyn Verifier> = Box::new(log.expect("a key that others read"));
        let all = watched.witnesses.iter().map(cosigner);
        VerifierList::new(all.chain([log]).collect())
    };
    let note = TheirNote::from_bytes(served.as_bytes()).expect("a note that others read");
    let (signed, unknown) = note
        .verify(&keys())
        .expect("signatures that hold for others");
    assert_eq!((signed.len(), unknown.len()), (4, 0));
    // The same lines under another size hold for nobody.
    let size = watched.size();
    let moved = served.replacen(&format!("\n{size}\n"), &format!("\n{}\n", size + 1), 1);
    let note = TheirNote::from_bytes(moved.as_bytes()).expect("a note that others read");
    assert!(note.verify(&keys()).is_err());
}

/// The page checks the cosignatures in the browser, and a changed one shows there too.
fn the_page_agrees(watched: &Watched) {
    let test = watched.test();
    test.run(&["build-site", "--rounds-dir", "signed", "--as-of", NOW])
        .code(0);
    if !node() {
        return;
    }
    let reader = json!({"now": NOW, "roots": []});
    let page = |test: &Test| look(test, &reader, &[NAME]).remove(0);
    let found = page(test);
    assert_eq!(found["counts"]["differs"], 0, "{found}");
    assert_eq!(found["witnesses"]["quorumAt"], watched.size(), "{found}");
    assert_eq!(found["witnesses"]["newest"][0]["name"], "w1.example");

    let folder = test
        .path("signed")
        .join(NAME)
        .canonicalize()
        .expect("a round");
    let dropped = |test: &Test| {
        let folder = folder.display().to_string();
        look(test, &reader, &[&folder]).remove(0)
    };
    let (place, file) = a_cosignature(watched);
    let before = fs::read_to_string(&file).expect("a cosignature");
    fs::write(&file, spoiled(&before)).expect("a changed file");
    let found = dropped(test);
    let lines = found["lines"].to_string();
    assert!(
        lines.contains("cosignature-invalid") && lines.contains(&place),
        "{lines}"
    );
    fs::write(&file, before).expect("a mended file");
    assert_eq!(dropped(test)["counts"]["differs"], 0);
}

/// A kept cosignature of the first witness under the newest state: its place and its file.
fn a_cosignature(watched: &Watched) -> (String, PathBuf) {
    let folder = format!("log/anchors/{}", watched.size());
    let names = fs::read_dir(watched.test().path("signed").join(&folder)).expect("a folder");
    let mut names = names.map(|entry| entry.expect("a file").file_name().into_string());
    let own = names.find_map(|name| name.ok().filter(|name| name.starts_with("w1.example")));
    let place = format!("{folder}/{}", own.expect("a cosignature"));
    let file = watched.test().path("signed").join(&place);
    (place, file)
}

/// A line whose signature has one other bit.
fn spoiled(line: &str) -> String {
    let at = line.len() - 20;
    let other = if &line[at..=at] == "A" { "B" } else { "A" };
    format!("{}{other}{}", &line[..at], &line[at + 1..])
}

#[test]
fn a_forked_log_gets_no_cosignature() {
    let watched = Watched::by(2);
    let test = watched.test();
    watched.ask(&[]).code(0);
    copy_tree(&test.path("signed"), &test.path("fork"));
    let key = test.path("fork/.capitalbench/keys/log.key");
    fs::set_permissions(key, fs::Permissions::from_mode(0o600)).expect("its owner's key");
    let explain = |rounds: &str, reason: &str| {
        let round = format!("{rounds}/{NAME}");
        let typed = [
            "void-round",
            "--round",
            &round,
            "--exception",
            "--reason",
            reason,
            "--now",
            AT,
        ];
        test.run(&typed).code(0);
    };
    let refused = |rounds: &str, why: &str| {
        let before = test.tree();
        let ran = watched.ask_in(rounds, &[]).code(1).says(why);
        ran.says("the quorum does not hold: 0 of 2 witnesses cosigned");
        assert_eq!(changes(&before, &test.tree()), [""; 0], "{why}");
    };
    explain("signed", "what the witnesses see");
    explain("signed", "and more of it");
    watched.ask(&[]).code(0);

    // The key signs two histories: shorter than, as long as, and longer than what was cosigned.
    explain("fork", "what somebody else is to see");
    let shorter = "entries were removed, or this is another copy of the log";
    refused("fork", shorter);
    explain("fork", "and something else");
    refused("fork", "it cosigned another log of");
    explain("fork", "and more");
    refused("fork", "this log does not continue the");

    // Both look whole by themselves; a reader of one finds the other by what the witnesses signed.
    for rounds in ["signed", "fork"] {
        test.run(&["verify", rounds, "--now", NOW]).code(0);
    }
    watched.ask(&[]).code(0).says("kept");
}

#[test]
fn what_a_witness_does_wrong_is_said_and_not_kept() {
    let watched = Watched::by(1);
    let witness = &watched.witnesses[0];
    let vkey = watched.test().read_log("vkey");
    let refused = |why: &str| {
        let ran = watched.ask(&[]).code(1).says("refused").says(why);
        ran.says("the quorum does not hold: 0 of 1 witnesses cosigned, 1 must");
        let size = watched.size();
        let kept = watched.test().path(&format!("signed/log/anchors/{size}"));
        assert!(!kept.exists(), "{why}");
    };
    witness.behave(Manner::Away);
    refused("status 503");
    witness.behave(Manner::Page);
    refused("the answer is not a list of signatures");
    witness.behave(Manner::Flood);
    refused("the answer is larger than 65536 bytes");
    witness.behave(Manner::True);
    witness.knows(&[]);
    refused("does not know the log log.example; send log/vkey to its operator");
    let other = Watched::by(1);
    let stranger = other.test().read_log("vkey");
    witness.knows(&[("log.example", stranger.trim_end())]);
    refused("knows this log by another key");
    // From here on it keeps the state although its answer is of no use.
    witness.knows(&[("log.example", vkey.trim_end())]);
    witness.behave(Manner::OtherKey);
    refused("has no signature of w1.example");
    witness.behave(Manner::OtherText);
    refused("the cosignature of w1.example does not hold");
    witness.behave(Manner::Later);
    refused("signed at 2026-09-14T14:31:00Z, which is later than now");
    witness.behave(Manner::True);
    watched.ask(&[]).code(0);
}

#[test]
fn a_witness_that_is_away_stops_no_stamp() {
    let watched = Watched::by(1);
    watched.witnesses[0].behave(Manner::Away);
    let clock = FakeClock::start(ClockManner::At(AT.parse().expect("an instant")));
    let (url, root) = (clock.url(), clock.root_file());
    let said = watched.ask(&["--tsa", &url, "--tsa-root", &root, "--json"]);
    let said = said.code(1).json();
    assert_eq!(said["clocks"][0]["state"], "stamped");
    assert_eq!(said["quorum"]["holds"], false);
    assert_eq!(watched.codes(), ["authority-not-vouched", "quorum-missing"]);
}

#[test]
fn a_false_and_a_foreign_cosignature_have_their_own_findings() {
    let watched = Watched::by(2);
    watched.ask(&["--quorum", "2"]).code(0);
    assert_eq!(watched.codes(), [""; 0]);
    let (_, file) = a_cosignature(&watched);
    let before = fs::read_to_string(&file).expect("a cosignature");
    let write = |text: &str| fs::write(&file, text).expect("a written file");

    write(&spoiled(&before));
    // The served checkpoint still has the true line, so the quorum holds.
    assert_eq!(watched.codes(), ["cosignature-invalid"]);
    write("nothing\n");
    assert_eq!(watched.codes(), ["cosignature-invalid"]);
    write(&before);
    let served = watched.test().read_log("checkpoint");
    let path = watched.test().path("signed/log/checkpoint");
    fs::write(&path, spoiled(&served)).expect("a written file");
    assert_eq!(watched.codes(), ["cosignature-invalid"]);
    let plain = watched
        .test()
        .read_log(&format!("checkpoints/{}", watched.size()));
    fs::write(&path, plain).expect("a written file");
    assert_eq!(watched.codes(), [""; 0], "the kept files say it too");
    fs::remove_file(&file).expect("a removed file");
    assert_eq!(watched.codes(), ["quorum-missing"]);
    write(&before);

    // The operator forgets a witness, or writes nonsense.
    let rule = watched.test().path("signed/log/witnesses");
    let named = fs::read_to_string(&rule).expect("a rule");
    let only = format!("{}\n", watched.witnesses[1].key());
    fs::write(&rule, only).expect("a written file");
    assert_eq!(watched.codes(), ["witness-unknown"]);
    fs::write(&rule, named.replace("quorum 2", "quorum 3")).expect("a written file");
    assert_eq!(watched.codes(), ["cosignature-invalid", "witness-unknown"]);
}

#[test]
fn a_reader_names_other_witnesses_than_the_operator() {
    let watched = Watched::by(2);
    watched.ask(&["--quorum", "1"]).code(0);
    let test = watched.test();
    let own = |text: String| fs::write(test.path("mine"), text).expect("a written file");
    own(format!("quorum 1\n{}\n", watched.witnesses[1].key()));
    let report = watched.verify(&["--witnesses", "mine"]);
    assert_eq!(report["log"]["witnesses"]["named_by"], "reader", "{report}");
    assert_eq!(report["log"]["witnesses"]["quorum_at"], watched.size());
    let unproved = report["rounds"][0]["proof"]["not_proved"].to_string();
    assert!(!unproved.contains("the only log of its name"), "{unproved}");

    let stranger = FakeWitness::start("far.example", 9, &test.read_log("vkey"), AT);
    own(format!("quorum 1\n{}\n", stranger.key()));
    let report = watched.verify(&["--witnesses", "mine"]);
    let found = report["log"]["findings"].as_array().expect("findings");
    assert_eq!(codes_of(found, &["warning"]), ["quorum-missing"]);
    assert_eq!(report["log"]["witnesses"]["of"][0]["size"], Value::Null);

    own("quorum 2\n".to_owned());
    let refused = test.run(&["verify", "signed", "--witnesses", "mine", "--now", NOW]);
    refused.code(2).complains("2 of 0 witnesses can never sign");
}

/// A league that signs and names a witness has every step cosigned, whatever the clocks say.
#[test]
fn a_league_asks_the_witnesses_of_its_file() {
    let test = Test::operator("");
    let rounds = "rehearsal/rounds";
    fs::create_dir_all(test.path(rounds)).expect("a folder");
    let init = [
        "keys",
        "init",
        "--rounds-dir",
        rounds,
        "--name",
        "house.example",
    ];
    test.run(&init).code(0);
    let read = |name: &str| {
        let file = test.path(&format!("{rounds}/log/{name}"));
        fs::read_to_string(file).expect("a file of the log")
    };
    let now = "2026-12-07T12:55:00Z";
    let witness = FakeWitness::start("w.example", 6, &read("vkey"), now);
    let file = |quorum: &str| {
        let (key, address) = (witness.key(), witness.url());
        let own = format!("witnesses: {{{quorum}of: [{{key: '{key}', address: '{address}'}}]}}");
        fs::write(test.path("league.yaml"), format!("name: House\n{own}\n")).expect("a file");
    };
    fs::write(test.path("models.yaml"), MODELS).expect("a file");
    file("quorum: 2, ");
    let pass = |now: &str| test.run(&["league", "run", "--now", now]);
    pass(now)
        .code(2)
        .complains("2 of 1 witnesses can never sign");
    file("");
    let said = test.run(&["league", "check"]);
    said.says("1 of 1 must cosign; they are asked with the first stamp");
    pass(now).code(0).says("1 of 1 witnesses cosigned, 1 must");
    let cosigned = || read("checkpoint").matches("— w.example ").count();
    let size = || read("checkpoint").lines().nth(1).map(str::to_owned);
    let frozen = size();
    // A witness that is away keeps nobody from deciding.
    witness.behave(Manner::Away);
    pass("2026-12-07T14:30:00Z").code(0);
    assert_eq!(cosigned(), 0);
    assert_ne!(size(), frozen);
    witness.behave(Manner::True);
    test.run(&[
        "anchor",
        "--rounds-dir",
        rounds,
        "--now",
        "2026-12-07T14:31:00Z",
    ])
    .code(0)
    .says("the quorum holds: 1 of 1");
    assert_eq!(cosigned(), 1);
    let report = test.run(&["verify", rounds, "--json", "--now", "2026-12-07T15:00:00Z"]);
    let report = report.code(0).json();
    assert_eq!(
        report["log"]["witnesses"]["quorum_at"]
            .as_u64()
            .map(|at| at.to_string()),
        size()
    );
}
