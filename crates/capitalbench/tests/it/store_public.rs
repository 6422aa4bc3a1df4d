//! What a store publishes: enough to verify and to show, and nothing that tells of what is withheld.

use std::collections::BTreeMap;
use std::fs;
use std::io::Read as _;
use std::path::Path;

use crate::harness::{MONTHLY, PENDING, Test, WEEKLY, changes, tree_of};
use crate::store::{Place, age, rounds, same};
use crate::store_server::{Fault, FolderServer, Moto, Proxy};
use capitalbench_core::values::ids::Digest;
use capitalbench_proof::merkle::sha256;
use capitalbench_proof::{from_base64, to_base64};
use flate2::read::GzDecoder;
use serde_json::Value;

/// The pending round is frozen and asked, and its picks are not public yet.
const OPEN: &str = "2026-03-09T16:00:00Z";

/// The rounds of a test, signed, in a store.
fn signed() -> (Test, Place) {
    let test = rounds();
    let init = [
        "keys",
        "init",
        "--rounds-dir",
        "rounds",
        "--name",
        "log.example/a",
    ];
    test.run(&init).code(0);
    // The weekly round has a result that is not public yet.
    for round in [MONTHLY, PENDING] {
        let path = format!("rounds/{round}");
        test.run(&["hash-round", "--round", &path, "--now", OPEN])
            .code(0);
    }
    let place = Place::folder(&test);
    place.push(&test, "rounds").code(0);
    (test, place)
}

fn publish(test: &Test, place: &Place, at: &str) -> String {
    let public = format!("file://{}", test.path("public").display());
    let publish = [
        "store", "publish", "--store", &place.url, "--public", &public, "--as-of", at,
    ];
    place.run(test, &publish).code(0).stdout()
}

#[test]
fn what_a_store_publishes_is_verified_and_shown_from_its_address_alone() {
    let (test, place) = signed();
    publish(&test, &place, OPEN);
    let server = FolderServer::start(&test.path("public"));
    let url = server.url();
    let mut reader = Place::folder(&test);
    let own = test.path("reader").display().to_string();
    reader.variables = vec![
        ("XDG_CACHE_HOME", own),
        ("CAPITALBENCH_ALLOW_PRIVATE_ADDRESSES", "1".to_owned()),
    ];
    let verified = reader
        .run(&test, &["verify", &url, "--json", "--now", OPEN])
        .code(0)
        .json();
    let found: BTreeMap<&str, &str> = verified["rounds"]
        .as_array()
        .expect("rounds")
        .iter()
        .map(|round| {
            (
                round["round_id"].as_str().expect("a name"),
                round["verdict"].as_str().expect("a verdict"),
            )
        })
        .collect();
    assert_eq!(
        found,
        BTreeMap::from([(MONTHLY, "holds"), (PENDING, "holds"), (WEEKLY, "holds")])
    );
    assert_eq!(verified["log"]["origin"], "log.example/a");
    assert_eq!(verified["log"]["findings"], serde_json::json!([]));
    let build = ["build-site", "--images", "none"];
    let stored = ["--store", &place.url, "--as-of", OPEN, "--output", "site-1"];
    place.run(&test, &[&build[..], &stored].concat()).code(0);
    let public = ["--source", &url, "--output", "site-2"];
    reader.run(&test, &[&build[..], &public].concat()).code(0);
    same(&test, "site-1", "site-2");
    // A second reader costs one list.
    let before = server.asked();
    reader.run(&test, &["verify", &url]).code(0);
    assert_eq!(server.asked() - before, 2, "the list before and after");
    assert!(publish(&test, &place, OPEN).contains("0 written, 0 removed"));
}

#[test]
fn what_somebody_changed_at_a_public_address_is_refused() {
    let (test, place) = signed();
    publish(&test, &place, OPEN);
    for (path, text) in tree_of(&test.path("public")) {
        if path.starts_with("parts/") && text != "folder" {
            fs::write(
                test.path(&format!("public/{path}")),
                text.replace("SP500", "BILLS"),
            )
            .expect("a file");
        }
    }
    let server = FolderServer::start(&test.path("public"));
    let mut reader = Place::folder(&test);
    reader
        .variables
        .push(("CAPITALBENCH_ALLOW_PRIVATE_ADDRESSES", "1".to_owned()));
    reader
        .run(&test, &["verify", &server.url()])
        .code(2)
        .complains("it does not hold what its name says");
    reader.run(&test, &["verify", "http://127.0.0.1:9"]).code(2);
}

#[test]
fn a_store_is_never_published_to_itself() {
    let (test, place) = signed();
    let publish = [
        "store",
        "publish",
        "--rounds-dir",
        "rounds",
        "--public",
        &place.url,
    ];
    place
        .run(&test, &publish)
        .code(2)
        .complains("holds a store of rounds, which is private");
    let late = [
        "store",
        "publish",
        "--rounds-dir",
        "rounds",
        "--public",
        &place.url,
        "--as-of",
        "2999-01-01",
    ];
    place
        .run(&test, &late)
        .code(2)
        .complains("is in the future");
}

/// Everything that the public can have of a store: what it publishes, its site, its tables.
fn public_bytes(test: &Test, place: &Place) -> BTreeMap<String, String> {
    publish(test, place, OPEN);
    let at = ["--as-of", OPEN, "--store", &place.url];
    let site = [&["build-site", "--images", "none"], &at[..]].concat();
    place.run(test, &site).code(0);
    let export = [&["export", "--output", "data"], &at[..]].concat();
    place.run(test, &export).code(0);
    let mut all = BTreeMap::new();
    for folder in ["public", "site", "data"] {
        let tree = tree_of(&test.path(folder)).into_iter();
        all.extend(tree.map(|(path, text)| (format!("{folder}/{path}"), text)));
    }
    all
}

// Without a signed log: a log commits to the picks by salted digests, so its root and its signature differ,
// and nobody without the salts can tell by what. The next test looks for what could be guessed there.
#[test]
fn the_public_bytes_are_the_same_whatever_an_open_round_picked() {
    let [one, other] = [false, true].map(|changes_its_mind| {
        let test = rounds();
        if changes_its_mind {
            let run = test.path(&format!("rounds/{PENDING}/runs/official-1"));
            for (path, text) in tree_of(&run) {
                if text != "folder" {
                    // Another pick, and files of other sizes.
                    let text = text.replace("SP500", "~").replace("LONG_BONDS", "SP500");
                    let text = text.replace('~', "LONG_BONDS");
                    fs::write(run.join(path), text).expect("a file");
                }
            }
        }
        let place = Place::folder(&test);
        place.push(&test, "rounds").code(0);
        let objects = tree_of(&test.path("store/objects"));
        (public_bytes(&test, &place), objects)
    });
    assert_ne!(one.1, other.1, "the picks are the same");
    assert_eq!(changes(&one.0, &other.0), [""; 0]);
}

/// Everything in some bytes that a reader can unpack: texts in JSON, base64, gzip.
fn unpacked(bytes: &[u8], found: &mut Vec<Vec<u8>>) {
    found.push(bytes.to_vec());
    if bytes.starts_with(&[0x1f, 0x8b]) {
        let mut plain = Vec::new();
        let mut packed = GzDecoder::new(bytes);
        packed.read_to_end(&mut plain).expect("a whole archive");
        unpacked(&plain, found);
    }
    if let Ok(value) = serde_json::from_slice::<Value>(bytes) {
        texts(&value, found);
    }
}

fn texts(value: &Value, found: &mut Vec<Vec<u8>>) {
    match value {
        Value::String(text) => {
            found.push(text.clone().into_bytes());
            let decoded = from_base64(text).filter(|_| text.len() > 100);
            if let Some(bytes) = decoded {
                unpacked(&bytes, found);
            }
        }
        Value::Array(all) => all.iter().for_each(|own| texts(own, found)),
        Value::Object(all) => all.values().for_each(|own| texts(own, found)),
        _ => {}
    }
}

/// The bytes of every file in a folder.
fn files_in(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let paths = tree_of(folder).into_keys();
    let read = |path: String| Some((path.clone(), fs::read(folder.join(&path)).ok()?));
    paths.filter_map(read).collect()
}

/// Bytes as a text in which a search is fast.
fn latin(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| char::from(*byte)).collect()
}

#[test]
fn a_guess_about_an_open_round_cannot_be_confirmed_from_anything_public() {
    let (test, place) = signed();
    public_bytes(&test, &place);
    let mut all = Vec::new();
    let mut packs = 0;
    for folder in ["public", "site", "data"] {
        for (path, bytes) in files_in(&test.path(folder)) {
            let before = all.len();
            unpacked(&bytes, &mut all);
            packs += usize::from(path.starts_with("parts/") && all.len() > before + 1);
            all.push(path.into_bytes());
        }
    }
    assert!(packs > 2, "{packs} objects were unpacked");
    let all = latin(&all.join(&b'\n'));
    let has = |part: &[u8]| all.contains(&latin(part));
    let names: Vec<String> = files_in(&test.path("store/objects")).into_keys().collect();
    let names = names
        .iter()
        .filter_map(|path| Some(path.split_once('/')?.1));
    let names: Vec<&str> = names.collect();
    assert!(!names.is_empty());
    for name in names {
        assert!(!has(name.as_bytes()), "{name}");
    }
    let own = files_in(&test.path(&format!("rounds/{PENDING}")));
    let withheld: Vec<_> = own.iter().filter(|(_, bytes)| !has(bytes)).collect();
    assert!(withheld.len() > 3, "{withheld:?}");
    for (path, bytes) in withheld {
        let digest = sha256(bytes);
        let hex = Digest::of(bytes).to_hex();
        let base64 = to_base64(digest.as_bytes());
        for told in [
            hex.as_bytes(),
            hex.to_uppercase().as_bytes(),
            digest.as_bytes().as_slice(),
            base64.trim_end_matches('=').as_bytes(),
        ] {
            assert!(!has(told), "{path}");
        }
    }
}

/// The objects that lie at the public address of a test.
fn parts(test: &Test) -> Vec<String> {
    let tree = tree_of(&test.path("public/parts")).into_keys();
    tree.filter(|path| path.len() == "0.json".len() + 63)
        .collect()
}

#[test]
fn publishing_leaves_alone_what_it_did_not_write_and_waits_before_it_removes() {
    let (test, place) = signed();
    fs::create_dir_all(test.path("public/parts")).expect("a folder");
    fs::write(test.path("public/parts/catalogue.html"), "mine").expect("a file");
    publish(&test, &place, "2026-03-01T00:00:00Z");
    let before = parts(&test);
    age(&test.path("public"));
    // Caches may hold the list of before, so nothing of it goes yet.
    assert!(publish(&test, &place, OPEN).contains(", 0 removed"));
    let both = parts(&test);
    assert!(before.iter().all(|own| both.contains(own)), "{both:?}");
    assert!(publish(&test, &place, OPEN).contains("0 written, 0 removed"));
    age(&test.path("public"));
    let told = publish(&test, &place, OPEN);
    assert!(!told.contains(", 0 removed"), "{told}");
    assert!(parts(&test).len() < both.len());
    assert!(test.path("public/parts/catalogue.html").exists());
}

#[test]
fn publishing_again_brings_back_what_is_missing() {
    let (test, place) = signed();
    publish(&test, &place, OPEN);
    let whole = parts(&test);
    fs::remove_file(test.path(&format!("public/parts/{}", whole[0]))).expect("removed");
    assert!(publish(&test, &place, OPEN).contains("1 written, 0 removed"));
    assert_eq!(parts(&test), whole);
}

#[test]
fn a_list_whose_answer_was_lost_is_no_rival() {
    let Some(moto) = Moto::start() else { return };
    let (test, _) = signed();
    let proxy = Proxy::start(moto.address(), |_, method, path| {
        if method == "PUT" && path.ends_with("/parts.json") {
            Fault::Doubled
        } else {
            Fault::None
        }
    });
    let mut place = Place::bucket(&test, &proxy.url());
    "s3://bench/public".clone_into(&mut place.url);
    for at in ["2026-03-01T00:00:00Z", OPEN] {
        let publish = [
            "store",
            "publish",
            "--rounds-dir",
            "rounds",
            "--public",
            &place.url,
            "--as-of",
            at,
        ];
        place.run(&test, &publish).code(0).says("published");
    }
    assert_eq!(proxy.faults(), 2);
}
