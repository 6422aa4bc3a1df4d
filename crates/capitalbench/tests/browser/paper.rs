//! What is beside the screen: pages on paper, meanings of terms by mouse, finger and key, a round
//! computed on its own page.

use serde_json::Value;

use crate::{Browser, Site, browser, record};

/// The first resolved round of the public record.
fn resolved(browser: &Browser, site: &Site) -> String {
    browser.open(&site.page("/rounds/"));
    let found = browser.run(
        "return document.querySelector('table[data-sort] tr[data-state=resolved] a').pathname",
    );
    found.as_str().expect("a resolved round").to_owned()
}

/// Colours of text that cannot be read on white, with the text.
const PALE: &str = "
const bright = (text) => {
  const [r, g, b] = text.match(/[\\d.]+/g).map(Number).map((v) => v / 255)
    .map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
const pale = new Set(), walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
while (walker.nextNode()) {
  const element = walker.currentNode.parentElement;
  if (!walker.currentNode.data.trim() || !element.checkVisibility()) continue;
  const style = getComputedStyle(element), inside = element instanceof SVGElement;
  const contrast = 1.05 / (bright(inside ? style.fill : style.color) + 0.05);
  if (contrast < 4.5) pale.add(`${contrast.toFixed(2)} ${walker.currentNode.data.trim().slice(0, 40)}`);
}
return [...pale].slice(0, 5)";

#[test]
fn pages_print_ink_on_white_from_the_dark_theme() {
    let Some(browser) = browser() else { return };
    let (rounds, as_of) = record();
    let site = Site::of(&rounds, as_of);
    let round = resolved(&browser, &site);
    for remembered in ["", "dark"] {
        browser.run(&format!(
            "localStorage.setItem('theme', '{remembered}'); return true"
        ));
        for path in ["/", "/live/", &round, "/models/", "/compare/", "/verify/"] {
            browser.print("dark");
            browser.open(&site.page(path));
            let paper = browser.run("return getComputedStyle(document.body).backgroundColor");
            assert_eq!(paper, "rgb(255, 255, 255)", "{path}");
            let pale = browser.run(PALE);
            assert_eq!(
                pale,
                Value::Array(Vec::new()),
                "{path} after {remembered:?}"
            );
            let hidden = browser.run(
                "return [...document.querySelectorAll('.top nav, .top button, .filter')].every(e => !e.checkVisibility())",
            );
            assert_eq!(hidden, true, "{path} prints what can only be clicked");
        }
    }
}

/// The middle of the first button that explains a term, and whether its meaning is shown.
fn term(browser: &Browser) -> (f64, f64) {
    let at = browser.run(
        "const button = document.querySelector('[popovertarget]'); button.scrollIntoView({behavior: 'instant', block: 'center'});\
         const box = button.getBoundingClientRect(); return [box.x + box.width / 2, box.y + box.height / 2]",
    );
    let part = |place: usize| at[place].as_f64().expect("a place");
    (part(0), part(1))
}

fn is_shown(browser: &Browser) -> bool {
    let shown = browser.run(
        "const id = document.querySelector('[popovertarget]').getAttribute('popovertarget');\
         return document.getElementById(id).matches(':popover-open')",
    );
    shown == true
}

#[test]
fn terms_are_explained_by_mouse_finger_and_key() {
    let Some(browser) = browser() else { return };
    let (rounds, as_of) = record();
    let site = Site::of(&rounds, as_of);
    browser.view((1440, 900), "light");
    browser.open(&site.page("/"));
    assert!(!is_shown(&browser));
    browser.click(term(&browser));
    assert!(is_shown(&browser), "by mouse");
    browser.press("Escape", 27);
    assert!(!is_shown(&browser), "Escape closes it");
    browser.run("document.querySelector('[popovertarget]').focus()");
    browser.press("Enter", 13);
    assert!(is_shown(&browser), "by key");
    let words = browser.run(
        "const button = document.querySelector('[popovertarget]');\
         return [button.getAttribute('aria-label'), document.getElementById(button.getAttribute('popovertarget')).textContent]",
    );
    let words = words.to_string();
    assert!(words.contains("What is") && words.len() > 60, "{words}");
    browser.view((390, 844), "light");
    browser.open(&site.page("/"));
    browser.tap(term(&browser));
    assert!(is_shown(&browser), "by finger");
}

#[test]
fn a_round_is_computed_again_on_its_own_page() {
    let Some(browser) = browser() else { return };
    let (rounds, as_of) = record();
    let site = Site::of(&rounds, as_of);
    let round = resolved(&browser, &site);
    browser.open(&site.page(&round));
    let before = browser.requests().into_iter();
    let before: Vec<String> = before.filter(|url| url.contains("/verify/")).collect();
    assert_eq!(
        before,
        Vec::<String>::new(),
        "nobody asked for the verifier"
    );
    browser.run("document.querySelector('.proof button[value=check]').click()");
    let said = browser.wait_for(
        "const look = () => { const row = document.querySelector('.proof');\
         if (row.dataset.verdict) done([row.dataset.verdict, row.querySelector('output').textContent]); else setTimeout(look, 50); }; look();",
    );
    let words = said[1].as_str().expect("words").to_owned();
    assert_eq!(said[0], "matches", "{words}");
    let (matches, rest) = words.split_once(" of ").expect("two counts");
    let all = rest.split(' ').next().expect("a count");
    assert_eq!(matches, all, "{words}");
    assert!(all.parse::<u32>().is_ok_and(|all| all > 50), "{words}");
    assert!(
        words.contains("figures recomputed in your browser"),
        "{words}"
    );
    assert!(browser.complaints().is_empty());
}
