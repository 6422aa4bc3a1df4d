//! What a store publishes: enough to verify and to show, and nothing that tells of what is withheld.

use std::collections::BTreeMap;
use std::fs;
use std::io::Read as _;
use std::path::Path;

use crate::harness::{MONTHLY, PENDING, Test, WEEKLY, changes, tree_of};
use crate::store::{rounds, same};
use crate::store_place::{Place, Stores, on_both};
use crate::store_server::{Fault, Moto, Proxy, PublicServer};
use capitalbench_core::values::ids::Digest;
use capitalbench_proof::merkle::sha256;
use capitalbench_proof::{from_base64, to_base64};
use flate2::read::GzDecoder;
use serde_json::Value;

on_both!(
    what_a_store_publishes_is_verified_and_shown_from_its_address_alone,
    what_somebody_changed_at_a_public_address_is_refused,
    a_store_is_never_published_to_itself,
    the_public_bytes_are_the_same_whatever_an_open_round_picked,
    a_guess_about_an_open_round_cannot_be_confirmed_from_anything_public,
    publishing_leaves_alone_what_it_did_not_write_and_waits_before_it_removes,
    publishing_again_brings_back_what_is_missing,
);

/// The pending round is frozen and asked, and its picks are not public yet.
const OPEN: &str = "2026-03-09T16:00:00Z";

/// The rounds of a test, signed, in a store.
fn signed(stores: &Stores) -> (Test, Place, Place) {
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
    let place = stores.place(&test);
    place.push(&test, "rounds").code(0);
    let public = stores.named(&test, "public");
    (test, place, public)
}

fn publish(test: &Test, place: &Place, public: &Place, at: &str) -> String {
    let publish = [
        "store",
        "publish",
        "--store",
        &place.url,
        "--public",
        &public.url,
        "--as-of",
        at,
    ];
    place.run(test, &publish).code(0).stdout()
}

fn what_a_store_publishes_is_verified_and_shown_from_its_address_alone(stores: &Stores) {
    let (test, place, public) = signed(stores);
    publish(&test, &place, &public, OPEN);
    let server = PublicServer::start(&public.keys);
    let url = server.url();
    let mut reader = Stores::Folders.place(&test);
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
    let shown = ["--source", &url, "--output", "site-2"];
    reader.run(&test, &[&build[..], &shown].concat()).code(0);
    same(&test, "site-1", "site-2");
    // A second reader costs one list.
    let before = server.asked();
    reader.run(&test, &["verify", &url]).code(0);
    assert_eq!(server.asked() - before, 2, "the list before and after");
    assert!(publish(&test, &place, &public, OPEN).contains("0 written, 0 removed"));
}

fn what_somebody_changed_at_a_public_address_is_refused(stores: &Stores) {
    let (test, place, public) = signed(stores);
    publish(&test, &place, &public, OPEN);
    for (key, text) in public.keys.texts() {
        if key.starts_with("parts/") {
            let text = text.replace("SP500", "BILLS");
            public.keys.put(&key, text.as_bytes());
        }
    }
    let server = PublicServer::start(&public.keys);
    let mut reader = Stores::Folders.place(&test);
    reader
        .variables
        .push(("CAPITALBENCH_ALLOW_PRIVATE_ADDRESSES", "1".to_owned()));
    reader
        .run(&test, &["verify", &server.url()])
        .code(2)
        .complains("it does not hold what its name says");
    reader.run(&test, &["verify", "http://127.0.0.1:9"]).code(2);
}

fn a_store_is_never_published_to_itself(stores: &Stores) {
    let (test, place, _) = signed(stores);
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
fn public_bytes(test: &Test, place: &Place, public: &Place) -> BTreeMap<String, String> {
    publish(test, place, public, OPEN);
    let at = ["--as-of", OPEN, "--store", &place.url];
    let site = [&["build-site", "--images", "none"], &at[..]].concat();
    place.run(test, &site).code(0);
    let export = [&["export", "--output", "data"], &at[..]].concat();
    place.run(test, &export).code(0);
    let mut all = public.keys.texts();
    for folder in ["site", "data"] {
        let tree = tree_of(&test.path(folder)).into_iter();
        all.extend(tree.map(|(path, text)| (format!("{folder}/{path}"), text)));
    }
    all
}

// Without a signed log: a log commits to the picks by salted digests, so its root and its signature differ,
// and nobody without the salts can tell by what. The next test looks for what could be guessed there.
fn the_public_bytes_are_the_same_whatever_an_open_round_picked(stores: &Stores) {
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
        let place = stores.place(&test);
        place.push(&test, "rounds").code(0);
        let public = stores.named(&test, "public");
        let bytes = public_bytes(&test, &place, &public);
        (bytes, place.keys.texts())
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

fn a_guess_about_an_open_round_cannot_be_confirmed_from_anything_public(stores: &Stores) {
    let (test, place, public) = signed(stores);
    public_bytes(&test, &place, &public);
    let mut all = Vec::new();
    let mut packs = 0;
    let shown = ["site", "data"].map(|folder| files_in(&test.path(folder)));
    for (path, bytes) in shown.into_iter().flatten().chain(public.keys.all()) {
        let before = all.len();
        unpacked(&bytes, &mut all);
        packs += usize::from(path.starts_with("parts/") && all.len() > before + 1);
        all.push(path.into_bytes());
    }
    assert!(packs > 2, "{packs} objects were unpacked");
    let all = latin(&all.join(&b'\n'));
    let has = |part: &[u8]| all.contains(&latin(part));
    let names = place.keys.all().into_keys();
    let names =
        names.filter_map(|key| Some(key.strip_prefix("objects/")?.split_once('/')?.1.to_owned()));
    let names: Vec<String> = names.collect();
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
fn parts(public: &Place) -> Vec<String> {
    let keys = public.keys.all().into_keys();
    keys.filter(|key| key.len() == "parts/.json".len() + 64)
        .collect()
}

fn publishing_leaves_alone_what_it_did_not_write_and_waits_before_it_removes(stores: &Stores) {
    let (test, place, public) = signed(stores);
    public.keys.put("parts/catalogue.html", b"mine");
    publish(&test, &place, &public, "2026-03-01T00:00:00Z");
    let before = parts(&public);
    public.keys.age();
    // Caches may hold the list of before, so nothing of it goes yet.
    assert!(publish(&test, &place, &public, OPEN).contains(", 0 removed"));
    let both = parts(&public);
    assert!(before.iter().all(|own| both.contains(own)), "{both:?}");
    assert!(publish(&test, &place, &public, OPEN).contains("0 written, 0 removed"));
    public.keys.age();
    let told = publish(&test, &place, &public, OPEN);
    assert!(!told.contains(", 0 removed"), "{told}");
    assert!(parts(&public).len() < both.len());
    assert!(public.keys.get("parts/catalogue.html").is_some());
}

fn publishing_again_brings_back_what_is_missing(stores: &Stores) {
    let (test, place, public) = signed(stores);
    publish(&test, &place, &public, OPEN);
    let whole = parts(&public);
    public.keys.remove(&whole[0]);
    assert!(publish(&test, &place, &public, OPEN).contains("1 written, 0 removed"));
    assert_eq!(parts(&public), whole);
}

#[test]
fn a_list_whose_answer_was_lost_is_no_rival() {
    let Some(moto) = Moto::start() else { return };
    let (test, ..) = signed(&Stores::Folders);
    let proxy = Proxy::start(moto.address(), |_, method, path| {
        if method == "PUT" && path.ends_with("/parts.json") {
            Fault::Doubled
        } else {
            Fault::None
        }
    });
    let place = Place::at(&test, &proxy.url(), moto.bucket());
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
