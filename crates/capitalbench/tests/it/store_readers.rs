//! Readers of a store: they need no right to write, make nothing, and say where nothing is.

use std::collections::BTreeMap;
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::sync::Arc;

use crate::harness::{MONTHLY, WEEKLY};
use crate::site_server::SiteServer;
use crate::store::rounds;
use crate::store_place::{Stores, on_both};
use crate::store_server::{Fault, Moto, Proxy};
use crate::waiting::wait_until;

on_both!(
    an_address_at_which_no_store_is_is_refused_and_nothing_is_made,
    what_a_machine_keeps_of_a_store_is_for_its_user_alone,
);

fn an_address_at_which_no_store_is_is_refused_and_nothing_is_made(stores: &Stores) {
    let test = rounds();
    let place = stores.place(&test);
    let at = ["--store", place.url.as_str()];
    let readers: [&[&str]; 8] = [
        &["store", "verify"],
        &["store", "pull", "--rounds-dir", "new"],
        &["store", "status", "--rounds-dir", "new"],
        &["store", "prune"],
        &["leaderboard"],
        &["verify"],
        &["resolve-due"],
        &["worker", "--once"],
    ];
    for words in readers {
        let words = [words, &at].concat();
        let told = format!("there is no store at {}", place.url);
        place.run(&test, &words).code(2).complains(&told);
        for made in ["store", "new", "cache"] {
            assert!(!test.path(made).exists(), "{words:?} made {made}");
        }
        assert_eq!(place.keys.texts(), BTreeMap::new());
    }
    place
        .push(&test, "typo")
        .code(2)
        .complains("there is no folder typo");
    assert!(!test.path("typo").exists() && !test.path("store").exists());
    assert_eq!(place.keys.texts(), BTreeMap::new());
}

#[test]
fn a_reader_writes_nothing_into_the_store() {
    let Some(moto) = Moto::start().map(Arc::new) else {
        return;
    };
    let proxy = Proxy::start(moto.address(), |_, _, _| Fault::None);
    let test = rounds();
    let direct = Stores::Server(moto).place(&test);
    direct.push(&test, "rounds").code(0);
    let place = direct.behind(&test, &proxy.url());
    place.pull(&test, "again").code(0);
    let at = ["--store", place.url.as_str()];
    place
        .run(&test, &[&["store", "verify"], &at[..]].concat())
        .code(0);
    let board = ["leaderboard", "--as-of", "2026-08-21"];
    place.run(&test, &[&board, &at[..]].concat()).code(0);
    let seen = proxy.seen.lock().expect("no panic");
    let wrote = seen.iter().find(|(line, _)| !line.starts_with("GET "));
    assert_eq!(wrote, None);
}

fn what_a_machine_keeps_of_a_store_is_for_its_user_alone(stores: &Stores) {
    let test = rounds();
    let place = stores.place(&test);
    place.push(&test, "rounds").code(0);
    let board = [
        "leaderboard",
        "--as-of",
        "2026-08-21",
        "--store",
        &place.url,
    ];
    place.run(&test, &board).code(0);
    let stores = test.path("cache/capitalbench/stores");
    for entry in fs::read_dir(&stores).expect("a cache") {
        let seen = entry.expect("an entry").metadata().expect("a folder");
        let mode = seen.permissions().mode() & 0o777;
        assert_eq!(Permissions::from_mode(mode), Permissions::from_mode(0o700));
    }
}

#[test]
fn a_served_store_never_shows_half_of_a_state() {
    // It is looked at every ten seconds, so once is enough.
    let Some(stores) = Stores::server() else {
        return;
    };
    let test = rounds();
    let place = stores.place(&test);
    let hidden = test.path("hidden");
    fs::rename(test.path(&format!("rounds/{MONTHLY}")), &hidden).expect("moved");
    place.push(&test, "rounds").code(0);
    let before = place.keys.all();
    let serve = ["serve", "--store", &place.url, "--listen", "127.0.0.1:0"];
    let at = ["--as-of", "2026-08-21"];
    let server = SiteServer::with(&test, &place.and(&[]), &[&serve[..], &at].concat());
    let monthly = format!("/rounds/{MONTHLY}/");
    assert_eq!(server.get(&monthly).status, 404);
    // The new state has another round and a file whose object is missing.
    fs::rename(&hidden, test.path(&format!("rounds/{MONTHLY}"))).expect("moved");
    fs::write(
        test.path(&format!("rounds/{WEEKLY}/own.txt")),
        "a lost text",
    )
    .expect("a file");
    place.push(&test, "rounds").code(0);
    let mut after = place.keys.all();
    after.retain(|key, bytes| !before.contains_key(key) && bytes == b"a lost text");
    let (lost, bytes) = after.pop_first().expect("an object");
    place.keys.remove(&lost);
    let stores = fs::read_dir(test.path("cache/capitalbench/stores")).expect("a cache");
    let stores: Vec<_> = stores.map(|own| own.expect("a store").path()).collect();
    let pulled = format!("checkout-1/rounds/{MONTHLY}/manifest.yaml");
    wait_until("the other round to be pulled", || {
        stores.iter().any(|own| own.join(&pulled).exists())
    });
    let looked = "capitalbench_looks_total";
    let before = server.metric(looked);
    wait_until("the site to be looked at twice", || {
        server.metric(looked) > before + 1
    });
    assert_eq!(server.get(&monthly).status, 404, "half of a state is shown");
    place.keys.put(&lost, &bytes);
    wait_until("the whole state to be shown", || {
        server.get(&monthly).status == 200
    });
}
