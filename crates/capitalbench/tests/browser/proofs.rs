//! The verdict of the verify page on a signed and stamped round: its word, who stamped, who vouches.

use std::fs;

use crate::fake_clock::{FakeClock, Manner};
use crate::signed_round::{NAME, NOW, SignedRound};
use crate::uses::verdict;
use crate::{Browser, Site, browser};

fn level(browser: &Browser) -> (String, String) {
    let (_, result) = verdict(browser);
    let word = browser.run("return document.querySelector('.verdict strong').textContent");
    let sentence = browser.run("return document.querySelector('.verdict p').textContent");
    let text = |value: serde_json::Value| value.as_str().unwrap_or_default().to_owned();
    assert!(result.contains("Not proved"), "{result}");
    (text(word), text(sentence))
}

#[test]
fn a_reader_sees_the_authority_and_proves_a_round_with_a_root_of_his_own() {
    let Some(browser) = browser() else { return };
    let clock = FakeClock::start(Manner::True);
    let round = SignedRound::anchored(&clock);
    let site = Site::of(&round.rounds(), NOW);
    browser.open(&site.page(&format!("/verify/?round={NAME}")));
    let (word, sentence) = level(&browser);
    assert_eq!(word, "STAMPED", "{sentence}");
    assert!(
        sentence.contains("“Stamper”") && sentence.contains("not vouched for"),
        "{sentence}"
    );
    // The page looks again as soon as it is given a root.
    browser.run("delete document.getElementById('verify-status').dataset.verdict");
    browser.choose("verify-kept", &clock.root_file());
    let (word, sentence) = level(&browser);
    assert_eq!(word, "PROVED", "{sentence}");
    assert!(
        sentence.contains("You vouch for this authority"),
        "{sentence}"
    );

    // The same from the disk, with the log dropped beside the round; then with one byte changed.
    let (folder, log) = (round.rounds().join(NAME), round.rounds().join("log"));
    let dropped = [&folder, &log].map(|path| path.display().to_string());
    let dropped = [dropped[0].as_str(), dropped[1].as_str()];
    browser.open(&site.page("/verify/"));
    browser.drop_on("verify-drop", &dropped);
    assert_eq!(level(&browser).0, "STAMPED");
    let sheet = folder.join("prices/exit_prices.csv");
    let mut bytes = fs::read(&sheet).expect("a sheet");
    let last = bytes.iter().rposition(u8::is_ascii_digit).expect("a digit");
    bytes[last] ^= 1;
    fs::write(&sheet, bytes).expect("another sheet");
    browser.open(&site.page("/verify/"));
    browser.drop_on("verify-drop", &dropped);
    let (word, sentence) = level(&browser);
    assert_eq!(word, "NOT PROVED", "{sentence}");
    assert!(browser.complaints().is_empty());
}
