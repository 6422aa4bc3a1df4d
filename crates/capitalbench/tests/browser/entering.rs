//! A person enters a round on its page: a key, a registration, a sealed entry, and its opening.

use std::fs;

use crate::entrant_house::{CLOSED, EARLY, House, ROUND};
use crate::{Browser, Site, browser};

/// Keeps what the page saves, and tells it the time of the round.
const BEGIN: &str = "window.made = []; const create = URL.createObjectURL;\
    URL.createObjectURL = (blob) => { window.made.push(blob); return create.call(URL, blob); };\
    window.at = (text) => { Date.prototype.toISOString = () => text; };\
    window.set = (id, value) => { document.getElementById('enter-' + id).value = value; };\
    window.press = (id) => document.getElementById('enter-' + id).click();\
    window.at('2026-12-07T12:15:00.000Z');";

/// The names and texts of everything that the page has saved, once there are so many.
fn saved(browser: &Browser, count: usize) -> Vec<(String, String)> {
    let said = browser.wait_for(&format!(
        "const look = async () => {{ const items = [...document.querySelectorAll('#enter-files a')];\
         if (items.length < {count}) return setTimeout(look, 50);\
         const texts = await Promise.all(window.made.map((blob) => blob.text()));\
         done(items.map((item, place) => [item.download, texts[place]])); }}; look();"
    ));
    serde_json::from_value(said).expect("names and texts")
}

#[test]
fn a_person_enters_a_round_in_the_browser() {
    let Some(browser) = browser() else { return };
    let house = House::open();
    house.collect(EARLY);
    let site = Site::of(&house.rounds(), EARLY);
    browser.open(&site.page(&format!("/rounds/{ROUND}/")));
    let links = browser.run("return document.querySelector('main').textContent");
    assert!(
        links.to_string().contains("Enter this round yourself"),
        "{links}"
    );
    browser.open(&site.page(&format!("/rounds/{ROUND}/enter/")));
    let briefing = browser.run("return document.querySelector('#briefing') !== null");
    assert_eq!(briefing, true, "the page shows the frozen briefing");
    browser.run(BEGIN);
    browser.run("set('name', 'pia'); press('make')");
    let key = saved(&browser, 1);
    assert_eq!(key[0].0, "pia.key");
    let kind = browser.run("return document.getElementById('enter-who').dataset.kind");
    assert_eq!(kind, "browser", "this Chromium has Ed25519");
    browser.run("set('entrant', 'pia'); set('person', 'Pia'); set('contact', 'pia@example.org'); set('method', 'By hand.'); press('register')");
    saved(&browser, 2);
    // A portfolio that breaks a rule is not sealed, and the page says which.
    browser.run("press('add'); const [one, two] = document.querySelectorAll('#enter-rows p');\
        window.hold = (line, id, percent) => { line.querySelector('select').value = id; line.querySelector('input').value = percent; };\
        hold(one, 'SP500', 60); hold(two, 'CASH', 30); document.getElementById('enter-form').requestSubmit()");
    let told = browser.wait_for("const look = () => { const told = document.getElementById('enter-told'); if (told.dataset.failed) done(told.textContent); else setTimeout(look, 50); }; look();");
    assert!(told.to_string().contains("add up to 90%"), "{told}");
    browser.run("hold(document.querySelectorAll('#enter-rows p')[1], 'CASH', 40); document.getElementById('enter-form').requestSubmit()");
    let files = saved(&browser, 4);
    for (folder, place) in [("house/entrants", 1), ("person", 2), ("house/entries", 3)] {
        let (name, text) = &files[place];
        house.write(&format!("{folder}/{name}"), text);
    }
    let told = house.collect(EARLY).to_string();
    assert_eq!(told.matches("\"logged\"").count(), 2, "{told}");
    browser.run("at('2026-12-07T21:15:00.000Z')");
    let secret = house.0.path(&format!("person/{ROUND}.pia.secret"));
    browser.choose("enter-secret", &secret.display().to_string());
    let (name, text) = saved(&browser, 5).remove(4);
    assert_eq!(name, format!("{ROUND}.pia.opening"));
    assert_eq!(text, fs::read_to_string(secret).expect("a secret"));
    house.write(&format!("house/entries/{name}"), &text);
    let told = house.collect(CLOSED).to_string();
    assert_eq!(told.matches("\"logged\"").count(), 1, "{told}");
    assert!(
        browser.complaints().is_empty(),
        "{:?}",
        browser.complaints()
    );
}
