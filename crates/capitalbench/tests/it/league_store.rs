//! `league run --store`: a league whose rounds lie in a store goes on wherever it is called.

use std::fs;

use jiff::Timestamp;
use serde_json::Value;

use crate::faulty_layer::still_clock;
use crate::harness::{Ran, tree_of};
use crate::league_run::House;
use crate::store_place::{Place, Stores, on_both};

on_both!(
    a_league_in_a_store_goes_on_from_another_machine,
    a_round_that_a_worker_of_the_store_has_is_left_out_of_a_pass,
    a_pass_in_a_store_builds_no_site_of_what_it_could_not_push,
    a_pass_that_fails_gives_the_log_back,
);

fn a_league_in_a_store_goes_on_from_another_machine(stores: &Stores) {
    let house = House::rehearsed("");
    let place = stores.beside(house.folder.path(), "store");
    let first = pass(&house, &place, "2026-12-07T13:05:00Z").code(0).json();
    assert_eq!(first["problems"], Value::Array(Vec::new()), "{first}");
    let rounds = house.folder.path().join("rehearsal/rounds");
    let before = tree_of(&rounds);
    // Another machine has the settings and nothing else.
    fs::remove_dir_all(house.folder.path().join("rehearsal")).expect("a removed folder");
    let next = pass(&house, &place, "2026-12-07T13:06:00Z").code(0).json();
    assert_eq!(next["problems"], Value::Array(Vec::new()), "{next}");
    let after = tree_of(&rounds);
    let own = |path: &&String| !path.starts_with('.') && !path.starts_with("log");
    for path in before.keys().filter(own) {
        assert!(after.contains_key(path), "{path} did not come back");
    }
}

/// A pass of a league whose rounds lie in a store.
fn pass(house: &House, place: &Place, at: &str) -> Ran {
    let at: Timestamp = at.parse().expect("an instant");
    let words = format!("league run --json --store {}", place.url);
    let mut command = house.command(&words);
    // The key is not in the store: another machine has it too.
    command.env("CAPITALBENCH_LOG_KEY", house.path("log.key"));
    command.envs(place.and(&[]));
    let ended = command.envs(still_clock(at)).output();
    Ran::new(&words, ended.expect("the program ends"))
}

fn head(place: &Place, key: &str) -> Value {
    let bytes = place.keys.get(&format!("heads/{key}"));
    serde_json::from_slice(&bytes.expect("a head")).expect("JSON")
}

fn a_round_that_a_worker_of_the_store_has_is_left_out_of_a_pass(stores: &Stores) {
    let house = House::rehearsed("");
    let place = stores.beside(house.folder.path(), "store");
    for at in ["2026-12-07T12:55:00Z", "2026-12-07T14:30:00Z"] {
        pass(&house, &place, at).code(0);
    }
    let key = "rounds/HOUSE-2026-12-07-1W";
    let mut claimed = head(&place, key);
    claimed["fence"] = Value::from(7);
    claimed["lease"] = serde_json::json!({
        "owner": "worker-7 on another machine",
        "expires_at_utc": "2026-12-16T12:30:00Z",
    });
    place
        .keys
        .put(&format!("heads/{key}"), claimed.to_string().as_bytes());
    let busy = pass(&house, &place, "2026-12-16T12:05:00Z").json();
    assert!(
        !busy["steps"].to_string().contains("\"resolved\""),
        "{busy}"
    );
    // What else the pass came to is in the store, and nothing of that round.
    assert_eq!(head(&place, key), claimed, "{busy}");
    let other = place.keys.get("heads/rounds/HOUSE-2026-12-14-1W");
    assert!(other.is_some(), "{busy}");
    assert_eq!(head(&place, "log")["lease"], Value::Null);
    claimed["lease"] = Value::Null;
    place
        .keys
        .put(&format!("heads/{key}"), claimed.to_string().as_bytes());
    let free = pass(&house, &place, "2026-12-16T12:06:00Z").json();
    assert!(free["steps"].to_string().contains("\"resolved\""), "{free}");
    let done = head(&place, key);
    assert_eq!(done["lease"], Value::Null, "{done}");
    assert!(done["content"]["next_attempt_at_utc"].is_null(), "{done}");
}

fn a_pass_in_a_store_builds_no_site_of_what_it_could_not_push(stores: &Stores) {
    let house = House::rehearsed("briefing: {command: sh brief.sh}\n");
    let place = stores.beside(house.folder.path(), "store");
    // What the briefing leaves behind cannot lie in a store.
    let link = "ln -sfn /nowhere rehearsal/rounds/HOUSE-2026-12-07-1W/elsewhere";
    house.write("brief.sh", &format!("{link}\necho '# Briefing'\n"));
    let ran = pass(&house, &place, "2026-12-07T12:55:00Z");
    assert!(
        house
            .path("rehearsal/rounds/HOUSE-2026-12-07-1W/elsewhere")
            .is_symlink(),
        "{ran}"
    );
    ran.code(2).complains("a store holds plain files only");
    assert!(!house.path("rehearsal/site").exists());
    assert_eq!(head(&place, "log")["lease"], Value::Null);
}

fn a_pass_that_fails_gives_the_log_back(stores: &Stores) {
    let house = House::rehearsed("");
    let place = stores.beside(house.folder.path(), "store");
    pass(&house, &place, "2026-12-07T12:55:00Z").code(0);
    let link = house.path("rehearsal/rounds/link");
    std::os::unix::fs::symlink("/nowhere", &link).expect("a link");
    pass(&house, &place, "2026-12-07T12:56:00Z")
        .code(2)
        .complains("a store holds plain files only");
    assert_eq!(head(&place, "log")["lease"], Value::Null);
}
