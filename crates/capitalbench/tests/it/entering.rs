//! `enter`: from a sealed portfolio to the board of entrants, and everything that is refused.

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::thread;

use capitalbench_archive::disk::layout::ENTRIES;
use capitalbench_archive::log::{LogFolder, LogKey};
use capitalbench_proof::event::{Event, Fact, Files, Instant};
use capitalbench_proof::merkle::{Hash, sha256};
use serde_json::Value;

use crate::entrant_house::{CLOSED, EARLY, END, House, NEXT_DAY, ROUND, ROUNDS};
use crate::fake_clock::{FakeClock, Manner};
use crate::harness::{Ran, codes_of};
use crate::page_script::node;

fn states(collected: &Value) -> Vec<&str> {
    let files = collected["files"].as_array().expect("files");
    files
        .iter()
        .filter_map(|file| file["state"].as_str())
        .collect()
}

/// An entrant's own web server with the files of a folder.
fn serve(folder: PathBuf) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = listener.local_addr().expect("its address");
    thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let mut asked = Vec::new();
            let mut part = [0; 1024];
            while !asked.ends_with(b"\r\n\r\n") {
                match stream.read(&mut part) {
                    Ok(length) if length > 0 => asked.extend_from_slice(&part[..length]),
                    _ => break,
                }
            }
            let asked = String::from_utf8_lossy(&asked).into_owned();
            let path = asked.split(' ').nth(1).unwrap_or_default();
            let found = fs::read(folder.join(path.trim_start_matches('/')));
            let (status, body) =
                found.map_or(("404 Not Found", Vec::new()), |body| ("200 OK", body));
            let head = format!(
                "HTTP/1.1 {status}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
                body.len()
            );
            let _ = stream.write_all(&[head.as_bytes(), &body].concat());
        }
    });
    format!("http://{address}")
}

/// Three entrants, each by another way: a folder, a folder of a pull request, a registered address.
fn entered() -> House {
    let house = House::open();
    fs::create_dir(house.0.path("web")).expect("a folder");
    let address = serve(house.0.path("web"));
    house.admit("ada", "");
    house.admit("bob", "");
    house.admit("eve", &format!("--address {address}"));
    let files = ["ada", "bob"].map(|name| house.seal(name, name));
    house.seal("eve", "web");
    house.deliver(&files[0], "house/entries");
    house.deliver(&files[1], "house/entries/pull-17/bob");
    house.write("house/entries/pull-17/README.md", "hello\n");
    house
}

#[test]
fn an_entry_goes_from_seal_to_board_by_each_way_of_delivery() {
    let house = entered();
    house
        .pass("2026-12-07T12:20:00Z")
        .code(0)
        .says("6 of 6 files of entrants are in the log now");
    nothing_is_told(&house);
    for folder in ["ada", "bob", "web"] {
        house
            .open_all(folder, EARLY)
            .code(2)
            .complains("came too early");
        house.open_all(folder, CLOSED).code(0);
    }
    let opening =
        |folder: &str, name: &str| house.0.path(&format!("{folder}/{ROUND}.{name}.opening"));
    house.deliver(&opening("ada", "ada"), "house/entries");
    // What nobody opens counts as cash.
    fs::remove_file(opening("bob", "bob")).expect("an opening");
    house
        .pass("2026-12-07T21:20:00Z")
        .code(0)
        .says("2 of 7 files");
    let told = house.entries("2026-12-07T22:00:00Z");
    let told: Vec<&Value> = told.iter().map(|entry| &entry["state"]).collect();
    assert_eq!(told, ["opened", "sealed", "opened"]);
    house.pass(NEXT_DAY).code(0);
    house
        .open_all("bob", NEXT_DAY)
        .code(2)
        .complains("came too late");
    house.pass(END);
    let told = house.entries("2026-12-15T02:00:00Z");
    assert_eq!(told[0]["holdings"], "SP500 60, CASH 40");
    assert_eq!(told[1]["state"], "unopened");
    assert_eq!(told[1]["return_fraction"], 0.0);
    assert!(told[0]["capitalbench_score"].is_number(), "{}", told[0]);
    let report = house
        .say(&format!("verify {ROUNDS} --json --now {END}"))
        .json();
    let notes = codes_of(
        report["log"]["findings"].as_array().expect("findings"),
        &["note"],
    );
    assert_eq!(notes, ["entry-time-unproved"]);
    shown_apart_from_the_models(&house);
    // Nobody without the key sees anything else.
    fs::remove_dir_all(house.rounds().join(".capitalbench")).expect("the operator's own folder");
    assert_eq!(house.entries("2026-12-15T02:00:00Z"), told);
}

/// Neither the log nor an export tells anything of a portfolio.
fn nothing_is_told(house: &House) {
    let secret = "\"allocation_pct\":60";
    for file in walk(&house.rounds().join("log")) {
        let text = String::from_utf8_lossy(&fs::read(&file).expect("a file")).into_owned();
        assert!(
            !text.contains(secret),
            "{} tells the portfolio",
            file.display()
        );
    }
    let sealed = house.entries("2026-12-07T20:00:00Z");
    assert_eq!(sealed.len(), 3);
    for entry in &sealed {
        assert_eq!(entry["state"], "sealed");
        assert!(
            entry["holdings"].is_null() && entry["return_fraction"].is_null(),
            "{entry}"
        );
    }
}

/// The board of entrants on the terminal and on the site, never among the models.
fn shown_apart_from_the_models(house: &House) {
    let board = format!("leaderboard --rounds-dir {ROUNDS} --as-of 2026-12-15T02:00:00Z");
    house
        .say(&board)
        .code(0)
        .says("Entrants from outside, weekly")
        .says("The-bob");
    let signed = fs::read_to_string(house.rounds().join("log/checkpoint")).expect("a checkpoint");
    let size = signed.lines().nth(1).expect("a size");
    let past = format!("leaderboard --rounds-dir {ROUNDS} --at {size}");
    house
        .say(&past)
        .code(0)
        .says("Entrants from outside, weekly");
    let json = house.say(&format!("{board} --json")).json();
    let rows = json["entrants"][0]["rows"].as_array().expect("rows");
    assert_eq!(rows.len(), 3);
    let models = json["comparison_sets"].to_string();
    assert!(
        !models.contains("ada") && !models.contains("The-"),
        "{models}"
    );
    assert!(house.codes(END).is_empty(), "{:?}", house.codes(END));
    house
        .say(&format!(
            "build-site --rounds-dir {ROUNDS} --as-of 2026-12-15T02:00:00Z --output site"
        ))
        .code(0);
    let page = |path: &str| fs::read_to_string(house.0.path(path)).expect("a page");
    assert!(page("site/entrants/index.html").contains("not opened: cash"));
    let round = page(&format!("site/rounds/{ROUND}/index.html"));
    assert!(round.contains("Entrants from outside"), "{round}");
}

fn walk(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("a folder");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    paths
        .flat_map(|path| {
            if path.is_dir() {
                walk(&path)
            } else {
                vec![path]
            }
        })
        .collect()
}

/// Delivers one text alone and says what became of it.
fn fate(house: &House, text: &str, at: &str) -> String {
    let _ = fs::remove_dir_all(house.0.path("house/entries"));
    house.write("house/entries/one.sealed", text);
    let told = house.collect(at);
    let files = told["files"].as_array().expect("files");
    let own = files.iter().find(|file| {
        file["from"]
            .as_str()
            .is_some_and(|from| from.ends_with("one.sealed"))
    });
    own.expect("a file")["state"]
        .as_str()
        .expect("a state")
        .to_owned()
}

#[test]
fn what_may_not_enter_is_refused_by_name() {
    let house = House::open();
    house.admit("ada", "");
    house.admit("bob", "");
    house.collect(EARLY);
    let text = |path: PathBuf| fs::read_to_string(path).expect("a file");
    let first = text(house.seal("ada", "first"));
    let second = text(house.seal("ada", "second"));
    assert_eq!(fate(&house, &first, "2026-12-07T14:25:00Z"), "late");
    let altered = first.replace("commitment ", "commitment f");
    assert_eq!(fate(&house, &altered, EARLY), "unreadable");
    let digit = |own: &str| {
        let place = own.find("commitment ").expect("a commitment") + "commitment ".len();
        let mut bytes = own.as_bytes().to_vec();
        bytes[place] = if bytes[place] == b'0' { b'1' } else { b'0' };
        String::from_utf8(bytes).expect("text")
    };
    assert_eq!(fate(&house, &digit(&first), EARLY), "altered");
    assert_eq!(fate(&house, "hello\n", EARLY), "unreadable");
    assert_eq!(fate(&house, &first, EARLY), "logged");
    assert_eq!(fate(&house, &first, EARLY), "known");
    let doubled = format!("{first}\nstamp http://x AAAA\n");
    assert_eq!(fate(&house, &doubled, EARLY), "doubled");
    assert_eq!(fate(&house, &second, EARLY), "re-sealed");
    foreign_entries(&house, &first);
    house.open_all("first", CLOSED).code(0);
    let opening = text(house.0.path(&format!("first/{ROUND}.ada.opening")));
    assert_eq!(fate(&house, &opening, EARLY), "early");
    assert_eq!(
        fate(&house, &opening.replace(":60", ":65"), CLOSED),
        "not-sealed"
    );
    assert_eq!(fate(&house, &opening, NEXT_DAY), "late");
    assert_eq!(fate(&house, &opening, CLOSED), "logged");
    assert!(house.codes(CLOSED).is_empty(), "{:?}", house.codes(CLOSED));
}

/// Entries of strangers, copies, and entries for another league or round.
fn foreign_entries(house: &House, first: &str) {
    let text = |path: PathBuf| fs::read_to_string(path).expect("a file");
    // Somebody who saw a sealed entry cannot take it for an own one.
    house.say("enter keys --name eve --key eve.key").code(0);
    house.write("eve.yaml", "SP500: 100\n");
    let sealed = format!("enter seal {ROUNDS}/{ROUND} even.yaml --now {EARLY}");
    house
        .say(&format!("{sealed} --key eve.key --output eve"))
        .code(0);
    let eve = text(house.0.path(&format!("eve/{ROUND}.eve.sealed")));
    assert_eq!(fate(house, &eve, EARLY), "unregistered");
    let bob = copied(
        first,
        &text(house.seal("bob", "bob")),
        &house.0.path("bob.key"),
    );
    assert_eq!(fate(house, &bob, EARLY), "copied");
    for (from, to, state) in [
        (
            "league capitalbench/HOUSE",
            "league capitalbench/OTHER",
            "wrong-league",
        ),
        (ROUND, "HOUSE-2026-12-14-1W", "wrong-round"),
        ("inputs ", "inputs ", "logged"),
    ] {
        let signed = resigned(
            &text(house.0.path(&format!("bob/{ROUND}.bob.sealed"))),
            from,
            to,
            &house.0.path("bob.key"),
        );
        assert_eq!(fate(house, &signed, EARLY), state, "{to}");
    }
}

/// The entry of one key with the commitment of another, signed as it must be.
fn copied(from: &str, own: &str, key: &Path) -> String {
    let line = |text: &str| {
        let line = text.lines().find(|line| line.starts_with("commitment "));
        line.expect("a commitment").to_owned()
    };
    resigned(own, &line(own), &line(from), key)
}

/// A note with another text, signed again by the same key.
fn resigned(note: &str, from: &str, to: &str, key: &Path) -> String {
    let (text, _) = note.split_once("\n\n").expect("a note");
    let text = format!("{}\n", text.replace(from, to));
    let key = capitalbench_archive::log::key::load_signer(key)
        .expect("a key")
        .expect("a key");
    capitalbench_proof::note::Note::sign(&text, &key)
        .expect("a note")
        .to_string()
}

#[test]
fn one_person_has_one_registration_and_only_the_operator_admits() {
    let house = House::open();
    house.admit("ada", "");
    house.register("ads", "--output elsewhere");
    let registration =
        fs::read_to_string(house.0.path("elsewhere/ads.registration")).expect("a file");
    assert_eq!(fate(&house, &registration, EARLY), "unreadable");
    house.write("house/entrants/ads.registration", &registration);
    house.say("enter keys --name more --key more.key").code(0);
    for (name, contact, key) in [
        ("two", "ADA@example.org", "more.key"),
        ("three", "x@example.org", "ada.key"),
        ("ads", "y@example.org", "more.key"),
    ] {
        house
            .say(&format!(
                "enter register {ROUNDS} --entrant {name} --name x --kind person --contact {contact} \
                 --method hand --key {key} --output more-{name}"
            ))
            .code(0);
        let file = house.0.path(&format!("more-{name}/{name}.registration"));
        fs::copy(
            file,
            house
                .0
                .path(&format!("house/entrants/z-{name}.registration")),
        )
        .expect("a copy");
    }
    fs::remove_dir_all(house.0.path("house/entries")).expect("a folder");
    let told = house.collect(EARLY);
    assert_eq!(
        states(&told),
        [
            "known",
            "logged",
            "name-taken",
            "best-of-many",
            "best-of-many"
        ]
    );
}

#[test]
fn a_portfolio_that_breaks_a_rule_is_not_sealed_and_a_key_seals_once() {
    let house = House::open();
    house.admit("ada", "");
    for (yaml, says) in [
        ("SP500: 60\n", "add up to 60%"),
        ("SP500: 60\nNOTHING: 40\n", "not an option of this round"),
        ("SP500: 58\nCASH: 42\n", "no multiple of"),
        ("SP500: 200\n", "is above 100"),
        ("[]\n", "write options with whole percentages"),
    ] {
        house.write("odd.yaml", yaml);
        house
            .say(&format!(
                "enter seal {ROUNDS}/{ROUND} odd.yaml --key ada.key --now {EARLY}"
            ))
            .code(2)
            .complains(says);
    }
    assert!(!house.0.path(&format!("{ROUND}.ada.secret")).exists());
    house
        .say(&format!(
            "enter seal {ROUNDS}/{ROUND} even.yaml --key ada.key --now 2026-12-07T14:25:00Z"
        ))
        .code(2)
        .complains("came too late");
    house.seal("ada", "own");
    house
        .say(&format!(
            "enter seal {ROUNDS}/{ROUND} even.yaml --key ada.key --output own --now {EARLY}"
        ))
        .code(2)
        .complains("has sealed an entry");
    house
        .say("enter keys --name ada --key ada.key")
        .code(2)
        .complains("never replaced");
    house
        .say(&format!(
            "enter seal {ROUNDS}/{ROUND} even.yaml --key none.key --now {EARLY}"
        ))
        .code(2)
        .complains("there is no such key");
}

#[test]
fn an_outside_clock_stamps_a_sealed_entry_that_the_league_takes() {
    let house = House::open();
    let clock = FakeClock::start(Manner::At(EARLY.parse().expect("an instant")));
    house.admit("ada", "");
    let url = clock.url();
    let told = house
        .say(&format!(
            "enter seal {ROUNDS}/{ROUND} even.yaml --key ada.key --tsa {url} --json --now {EARLY}"
        ))
        .code(0)
        .json();
    assert!(told["stamped_before"].is_string(), "{told}");
    let sealed = house.0.path(&format!("{ROUND}.ada.sealed"));
    let text = fs::read_to_string(&sealed).expect("a file");
    assert!(text.contains(&format!("\n\nstamp {url} ")), "{text}");
    house.deliver(&sealed, "house/entries");
    assert_eq!(states(&house.collect(EARLY)), ["logged", "logged"]);
    receipt(&house, "ada");
    let at = format!("--now {EARLY}");
    check(&house, &at)
        .code(0)
        .says("a stamp proves nothing: untrusted root");
    // Once the operator's log has the root of the authority, the stamp counts.
    let roots = house.rounds().join("log/roots");
    fs::create_dir_all(&roots).expect("a folder");
    fs::copy(clock.root_file(), roots.join("root.pem")).expect("a root");
    check(&house, &at)
        .code(0)
        .says("sealed before 2026-12-07T12:10:0");
}

/// A receipt that the entrant fetched at once.
fn receipt(house: &House, name: &str) -> PathBuf {
    let kept = house.0.path(&format!("{name}.receipt"));
    fs::copy(house.entry(name, "sealed.receipt"), &kept).expect("a receipt");
    kept
}

fn check(house: &House, more: &str) -> Ran {
    house.say(&format!("enter check ada.receipt --from {ROUNDS} {more}"))
}

#[test]
fn an_entrant_with_a_receipt_finds_an_operator_who_drops_moves_or_delays_an_entry() {
    let house = entered();
    house.collect(EARLY);
    let vkey = fs::read_to_string(house.rounds().join("log/vkey")).expect("a key");
    let vkey = format!("--vkey {}", vkey.trim());
    receipt(&house, "ada");
    check(&house, &vkey).code(0).says("holds");
    house.pass("2026-12-07T13:00:00Z");
    check(&house, &vkey).code(0).says("entry.sealed");
    let kept = House(house.0.again());
    // The file alone is gone, or is another.
    fs::remove_file(kept.entry("ada", "sealed")).expect("a file");
    check(&kept, &vkey).code(1).says("broken");
    assert_eq!(kept.codes(CLOSED), ["entry-missing"]);
    fs::write(kept.entry("ada", "sealed"), "hello\n").expect("a file");
    check(&kept, &vkey)
        .code(1)
        .says("is not the file that was delivered");
    assert_eq!(kept.codes(CLOSED), ["entry-edited"]);
    // A log that was begun anew without the entry, under the same key.
    let anew = House(house.0.again());
    let log = anew.rounds().join("log");
    for name in ["tile", "checkpoints", "entries", "entrants", "checkpoint"] {
        let path = log.join(name);
        let removed = if path.is_dir() {
            fs::remove_dir_all(path)
        } else {
            fs::remove_file(path)
        };
        removed.expect("a part of the log");
    }
    fs::remove_dir_all(anew.rounds().join(".capitalbench/log")).expect("the index");
    let delayed = anew.collect("2026-12-07T14:30:00Z");
    assert_eq!(
        states(&delayed),
        ["logged", "logged", "logged", "late", "late"]
    );
    check(&anew, &vkey)
        .code(1)
        .says("does not continue the state that the receipt signs");
    // Another log with another key.
    let other = House(house.0.again());
    fs::remove_dir_all(other.rounds().join("log")).expect("the log");
    fs::remove_dir_all(other.rounds().join(".capitalbench")).expect("the key");
    other
        .say(&format!(
            "keys init --rounds-dir {ROUNDS} --name other.example"
        ))
        .code(0);
    check(&other, &vkey).code(1).says("has another key now");
}

/// Signs a leaf about entrants with the operator's own key, as a dishonest operator could.
fn sign(house: &House, at: &str, fact: Fact) {
    let log = LogFolder::of_rounds(&house.rounds());
    let key = LogKey::load(&house.rounds().join(".capitalbench/keys/log.key"));
    let event = Event {
        round: ENTRIES.to_owned(),
        at: Instant::parse(at).expect("an instant"),
        fact,
    };
    log.append(&key.expect("a file").expect("a key"), &[event])
        .expect("a leaf");
}

#[test]
fn verify_names_what_an_operator_signed_against_the_rules() {
    let house = House::open();
    house.admit("ada", "");
    house.admit("bob", "");
    house.collect(EARLY);
    let sealed = |name: &str| {
        let bytes = fs::read(house.seal(name, name)).expect("a file");
        let path = house.entry(name, "sealed");
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(&path, &bytes).expect("a file");
        let text = String::from_utf8(bytes.clone()).expect("text");
        let line = text
            .lines()
            .find_map(|line| line.strip_prefix("commitment "));
        let file = format!("log/entries/{ROUND}/{name}.{name}.sealed");
        Fact::EntrySealed {
            entrant: name.to_owned(),
            key: name.to_owned(),
            for_round: ROUND.to_owned(),
            commitment: Hash::parse_hex(line.expect("a commitment")).expect("a digest"),
            files: Files::from([(file, sha256(&bytes))]),
        }
    };
    let ada = sealed("ada");
    assert_eq!(house.codes(CLOSED), ["entry-unsigned"]);
    // Without a receipt, and after the deadline.
    sign(&house, "2026-12-07T14:30:00Z", ada);
    assert_eq!(
        house.codes(CLOSED),
        ["entry-out-of-time", "receipt-invalid"]
    );
    let bob = sealed("bob");
    // The log's order says that its instant is not true.
    sign(&house, EARLY, bob);
    assert_eq!(
        house.codes(CLOSED),
        ["entry-out-of-time", "receipt-invalid"]
    );
    let board = house.entries("2026-12-08T15:00:00Z");
    assert!(
        board.iter().all(|entry| entry["entrant"] != "ada"),
        "a late entry counts nowhere"
    );
    sign_a_second_registration(&house);
    let codes = house.codes(CLOSED);
    assert!(codes.contains(&"entry-invalid".to_owned()), "{codes:?}");
    let told = house
        .say(&format!("verify {ROUNDS} --json --now {CLOSED}"))
        .json();
    let told = told["log"]["findings"].to_string();
    assert!(told.contains("is one of many"), "{told}");
}

/// A registration of somebody who has one, which `enter collect` would refuse.
fn sign_a_second_registration(house: &House) {
    let words = format!(
        "enter register {ROUNDS} --entrant ads --name Ads --kind person --contact ada@example.org \
         --method hand --key bob.key --output second"
    );
    house.say(&words).code(0);
    let bytes = fs::read(house.0.path("second/ads.registration")).expect("a file");
    let file = "log/entrants/ads.registration".to_owned();
    fs::write(house.rounds().join(&file), &bytes).expect("a file");
    let fact = Fact::Entrant {
        entrant: "ads".to_owned(),
        files: Files::from([(file, sha256(&bytes))]),
    };
    sign(house, "2026-12-07T14:31:00Z", fact);
}

#[test]
fn an_opened_portfolio_that_breaks_a_rule_counts_as_cash() {
    let house = House::open();
    house.admit("ada", "");
    // A program of the entrant's own seals what this one refuses to seal.
    let sealed = house.seal("ada", "own");
    let secret = house.0.path(&format!("own/{ROUND}.ada.secret"));
    let text = fs::read_to_string(&secret)
        .expect("a secret")
        .replace(":40,", ":39,");
    let digest = sha256(text.as_bytes()).to_hex();
    let note = fs::read_to_string(&sealed).expect("an entry");
    let own = note
        .lines()
        .find(|line| line.starts_with("commitment "))
        .expect("a line");
    let note = resigned(
        &note,
        own,
        &format!("commitment {digest}"),
        &house.0.path("ada.key"),
    );
    assert_eq!(fate(&house, &note, EARLY), "logged");
    assert_eq!(fate(&house, &text, CLOSED), "logged");
    house.pass(END);
    let told = house.entries("2026-12-15T02:00:00Z");
    assert_eq!(told[0]["state"], "invalid");
    assert!(
        told[0]["reason"]
            .as_str()
            .expect("a reason")
            .contains("no multiple"),
        "{}",
        told[0]
    );
    assert_eq!(told[0]["return_fraction"], 0.0);
    assert!(house.codes(END).is_empty(), "{:?}", house.codes(END));
}

/// Runs the script of the page outside of a browser: a key, a registration, an entry, and what it says
/// of some portfolios.
const PAGE: &str = r#"
import fs from "node:fs";
import vm from "node:vm";
const [script, page, folder] = process.argv.slice(2);
vm.runInThisContext(fs.readFileSync(script, "utf8"));
const { plain, signer, keyOf, keyIn, problems, sealed, registration } = globalThis.entering;
const told = /data-round="([^"]*)"/.exec(fs.readFileSync(page, "utf8"))[1];
const plainText = told.replaceAll("&quot;", '"').replaceAll("&#34;", '"').replaceAll("&#39;", "'").replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");
const round = JSON.parse(plainText), seed = new Uint8Array(32).fill(9), salt = new Uint8Array(32).fill(5);
const key = await keyIn((await keyOf("pia", seed, plain)).file), slow = await keyOf("pia", seed, plain);
const held = [["SP500", 60], ["CASH", 40]];
const given = { entrant: "pia", name: "Pia", contact: "pia@example.org", method: "By hand." };
const made = await sealed(round, key, held, salt), again = await sealed(round, slow, held, salt);
if (made.sealed !== again.sealed || key.kind === slow.kind) throw new Error("the two signers differ");
const write = (name, text) => fs.writeFileSync(`${folder}/${name}`, text, { mode: 0o600 });
write("pia.key", key.file);
write("pia.registration", await registration(round, key, given));
write(`${round.round}.pia.sealed`, made.sealed);
write(`${round.round}.pia.secret`, made.secret);
const tried = JSON.parse(fs.readFileSync(`${folder}/tried.json`, "utf8"));
console.log(JSON.stringify(tried.map((portfolio) => problems(round, portfolio))));
"#;

/// What the script says of each portfolio that it was given.
fn played_by_the_page(house: &House) -> Vec<Vec<String>> {
    let output = std::process::Command::new("node")
        .arg(house.0.path("page.mjs"))
        .arg(house.0.path("site/enter/enter.js"))
        .arg(
            house
                .0
                .path(&format!("site/rounds/{ROUND}/enter/index.html")),
        )
        .arg(house.0.path("person"))
        .output()
        .expect("node runs");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    serde_json::from_slice(&output.stdout).expect("JSON")
}

#[test]
fn an_entry_that_a_browser_seals_is_taken_and_the_page_knows_the_rules() {
    if !node() {
        return;
    }
    let house = House::open();
    house.collect(EARLY);
    house
        .say(&format!(
            "build-site --rounds-dir {ROUNDS} --as-of {EARLY} --output site"
        ))
        .code(0);
    house.write("page.mjs", PAGE);
    let tried = [
        vec![("SP500", 60), ("CASH", 40)],
        vec![("SP500", 60)],
        vec![("SP500", 58), ("CASH", 42)],
        vec![("SP500", 60), ("NOTHING", 40)],
        vec![("SP500", 50), ("SP500", 50)],
        vec![],
    ];
    house.write(
        "person/tried.json",
        &serde_json::to_string(&tried).expect("JSON"),
    );
    let told = played_by_the_page(&house);
    for (portfolio, problems) in tried.iter().zip(&told) {
        let lines = portfolio
            .iter()
            .map(|(id, percent)| format!("{id}: {percent}\n"));
        house.write("tried.yaml", &lines.collect::<String>());
        let ran = house.say(&format!(
            "enter seal {ROUNDS}/{ROUND} tried.yaml --key person/pia.key --output {} --now {EARLY}",
            format_args!("tried-{}", problems.len() + portfolio.len() * 10)
        ));
        let is_sealed = ran.stdout().contains("sealed for");
        assert_eq!(
            is_sealed,
            problems.is_empty(),
            "{portfolio:?} {problems:?} {ran}"
        );
    }
    let file = |name: &str| house.0.path(&format!("person/{name}"));
    house.deliver(&file("pia.registration"), "house/entrants");
    house.deliver(&file(&format!("{ROUND}.pia.sealed")), "house/entries");
    assert_eq!(states(&house.collect(EARLY)), ["logged", "logged"]);
    house.open_all("person", CLOSED).code(0);
    house.deliver(&file(&format!("{ROUND}.pia.opening")), "house/entries");
    assert_eq!(states(&house.collect(CLOSED)), ["known", "logged", "known"]);
    assert_eq!(
        house.entries("2026-12-07T22:00:00Z")[0]["holdings"],
        "SP500 60, CASH 40"
    );
}

#[test]
fn an_address_that_leads_into_a_private_network_is_not_asked() {
    let house = House::open();
    fs::create_dir(house.0.path("web")).expect("a folder");
    let address = serve(house.0.path("web"));
    house.admit("eve", &format!("--address {address}"));
    house.seal("eve", "web");
    let words = format!("enter collect --league house --json --now {EARLY}");
    let words: Vec<&str> = words.split(' ').collect();
    let shut = [("CAPITALBENCH_ALLOW_PRIVATE_ADDRESSES", "0")];
    let told = house.0.run_with(&shut, &words).code(1).json();
    assert_eq!(states(&told), ["logged"]);
    let why = told["failed"][0]["reason"].as_str().expect("a reason");
    assert!(why.contains("private"), "{why}");
    assert_eq!(states(&house.collect(EARLY)), ["known", "logged"]);
}
