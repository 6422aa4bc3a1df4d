//! What readers do: sort, filter, compare, switch the theme, verify; and what must not happen to them.

use std::fs;
use std::path::Path;

use serde_json::Value;
use tempfile::TempDir;

use crate::{Browser, Site, browser, record};

fn texts(value: &Value) -> Vec<String> {
    let all = value.as_array().cloned().unwrap_or_default().into_iter();
    all.map(|text| text.as_str().unwrap_or_default().to_owned())
        .collect()
}

fn first_column(browser: &Browser, column: u32) -> Vec<String> {
    texts(&browser.run(&format!(
        "return [...document.querySelector('table[data-sort]').tBodies[0].rows]\
         .filter(r => !r.classList.contains('apart')).map(r => r.cells[{column}].textContent.trim())"
    )))
}

#[test]
fn tables_sort_filter_and_keep_their_state_in_the_address() {
    let Some(browser) = browser() else { return };
    let (rounds, as_of) = record();
    let site = Site::of(&rounds, as_of);
    browser.open(&site.page("/rounds/"));
    let click = "document.querySelector('table[data-sort] th button').click();";
    browser.run(click);
    let once = first_column(&browser, 0);
    browser.run(click);
    let twice = first_column(&browser, 0);
    assert_eq!(
        once.iter().rev().collect::<Vec<_>>(),
        twice.iter().collect::<Vec<_>>()
    );
    let sorted =
        browser.run("return document.querySelector('[aria-sort]').getAttribute('aria-sort')");
    assert!(sorted == "ascending" || sorted == "descending", "{sorted}");
    let address = browser.run("return location.search");
    assert!(
        address.as_str().is_some_and(|text| text.contains("sort0=")),
        "{address}"
    );

    let all = first_column(&browser, 0).len();
    browser.run(
        "const field = document.querySelector('form[data-filter] [name=track]');\
         field.value = 'monthly'; field.dispatchEvent(new Event('input', {bubbles: true}));",
    );
    let shown = "return [...document.querySelector('table[data-sort]').tBodies[0].rows]\
                 .filter(r => !r.hidden).length";
    let fewer = browser.run(shown).as_u64().unwrap_or_default();
    assert!(fewer > 0 && fewer < all as u64, "{fewer} of {all}");
    let kept = browser.run("return location.href");
    browser.open(kept.as_str().unwrap_or_default());
    assert_eq!(
        browser.run(shown).as_u64(),
        Some(fewer),
        "the state was lost"
    );
    assert_eq!(first_column(&browser, 0), twice);
}

#[test]
fn models_are_compared_on_shared_rounds_and_the_theme_is_remembered() {
    let Some(browser) = browser() else { return };
    let (rounds, as_of) = record();
    let site = Site::of(&rounds, as_of);
    browser.open(&site.page("/compare/"));
    browser.run("document.querySelectorAll('#compare input')[0].click();");
    browser.run("document.querySelectorAll('#compare input')[1].click();");
    let said = browser.run("return document.querySelector('#compare output').textContent");
    assert_eq!(said, "2 models on shared rounds");
    let address = browser.run("return location.search");
    assert!(
        address
            .as_str()
            .is_some_and(|text| text.contains("models=")),
        "{address}"
    );

    let paper = "return getComputedStyle(document.body).backgroundColor";
    browser.view((1440, 900), "light");
    browser.open(&site.page("/"));
    let before = browser.run(paper);
    browser.run("document.getElementById('theme').click()");
    let after = browser.run(paper);
    assert_ne!(before, after);
    browser.open(&site.page("/models/"));
    assert_eq!(browser.run(paper), after, "the theme was forgotten");
}

#[test]
fn a_reader_computes_a_round_again_in_the_browser() {
    let Some(browser) = browser() else { return };
    let (rounds, as_of) = record();
    let site = Site::of(&rounds, as_of);
    browser.open(&site.page("/rounds/"));
    let of = |state: &str| {
        let script = format!(
            "const row = document.querySelector('table[data-sort] tr[data-state={state}] a');\
             return row ? row.pathname.split('/').filter(Boolean).pop() : null"
        );
        browser.run(&script).as_str().map(str::to_owned)
    };
    let resolved = of("resolved").expect("a resolved round");
    browser.open(&site.page(&format!("/verify/?round={resolved}")));
    let said = browser.wait_for(
        "const look = () => { const status = document.getElementById('verify-status');\
         if (status.dataset.verdict) done(status.textContent); else setTimeout(look, 50); }; look();",
    );
    let said = said.as_str().unwrap_or_default().to_owned();
    let matches = said.split(' ').find_map(|word| word.parse::<u32>().ok());
    assert!(said.contains(" 0 differ"), "{resolved}: {said}");
    assert!(
        matches.is_some_and(|count| count > 50),
        "{resolved}: {said}"
    );
    assert!(browser.complaints().is_empty());
}

/// What the verify page says once it is done.
pub(crate) fn verdict(browser: &Browser) -> (String, String) {
    let said = browser.wait_for(
        "const look = () => { const status = document.getElementById('verify-status');\
         if (status.dataset.verdict) done([status.textContent, document.getElementById('verify-result').textContent]);\
         else setTimeout(look, 50); }; look();",
    );
    let [status, lines] = texts(&said).try_into().expect("two texts");
    (status, lines)
}

#[test]
fn a_reader_drops_or_chooses_the_folder_of_a_round() {
    let Some(browser) = browser() else { return };
    let folder = TempDir::new().expect("a temporary folder");
    let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/rounds");
    let rounds = folder.path().join("rounds");
    copy(&here, &rounds);
    let site = Site::of(&rounds, "2026-06-30T00:00:00Z");
    let name = "weekly-portfolio-resolved";
    let whole = rounds.join(name).display().to_string();
    let edited = folder.path().join("edited");
    copy(&rounds.join(name), &edited);
    let sheet = edited.join("prices/exit_prices.csv");
    let prices = fs::read_to_string(&sheet).expect("a sheet");
    assert!(prices.contains("82.9"));
    fs::write(&sheet, prices.replace("82.9", "83.9")).expect("another sheet");
    let edited = edited.display().to_string();

    let address = site.page("/verify/");
    browser.open(&address);
    browser.requests();
    browser.drop_on("verify-drop", &[&whole]);
    let (said, _) = verdict(&browser);
    assert!(said.contains(name) && said.contains(" 0 differ"), "{said}");
    browser.open(&address);
    browser.drop_on("verify-drop", &[&edited]);
    let (said, lines) = verdict(&browser);
    assert!(!said.contains(" 0 differ"), "{said}");
    assert!(lines.contains("return of GOLD"), "{lines}");

    browser.open(&address);
    browser.choose("verify-folder", &whole);
    let (said, _) = verdict(&browser);
    assert!(said.contains(name) && said.contains(" 0 differ"), "{said}");
    // Two rounds at once, or none, are told apart from one.
    browser.open(&address);
    browser.drop_on("verify-drop", &[&rounds.display().to_string()]);
    let (said, _) = verdict(&browser);
    assert!(said.contains("several rounds"), "{said}");
    browser.open(&address);
    browser.drop_on("verify-drop", &[&format!("{whole}/prices")]);
    let (said, _) = verdict(&browser);
    assert!(said.contains("no manifest.yaml"), "{said}");
    // The page looks at folders without asking the host for any file of a round.
    let asked = browser.requests();
    assert!(asked.iter().all(|url| !url.contains("/files")), "{asked:?}");
    assert!(browser.complaints().is_empty());
}

#[test]
fn pages_read_without_script() {
    let Some(browser) = browser() else { return };
    let (rounds, as_of) = record();
    let site = Site::of(&rounds, as_of);
    browser.without_script();
    let round = "/rounds/CB-2026-07-28-1W/";
    let model = "/models/anthropic-claude-opus-4-8/";
    let paths = [
        "/",
        "/live/",
        "/rounds/",
        "/models/",
        "/compare/",
        "/assets/",
        "/boards/",
    ];
    for path in paths.into_iter().chain([round, model]) {
        browser.open(&site.page(path));
        let rows = browser.rows_without_script();
        assert!(rows > 3, "{path}: {rows} rows");
    }
}

/// A fixture whose model tries everything a text can try.
fn hostile() -> TempDir {
    let folder = TempDir::new().expect("a temporary folder");
    let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/rounds");
    copy(&here, &folder.path().join("rounds"));
    let texts = "<script>document.title='owned'</script><img src=x onerror=\\\"document.title='owned'\\\"> \
                 [click](javascript:document.title='owned') \u{202e}txet desrever\u{202c}";
    let submissions = "rounds/weekly-portfolio-pending/runs/official-1/submissions/parsed";
    let mut changed = 0;
    for entry in fs::read_dir(folder.path().join(submissions))
        .expect("submissions")
        .flatten()
    {
        let before = fs::read_to_string(entry.path()).expect("a submission");
        let start = before
            .find("\"rationale_summary\": \"")
            .expect("a rationale")
            + 22;
        let after = format!("{}{texts} {}", &before[..start], &before[start..]);
        fs::write(entry.path(), after).expect("a written file");
        changed += 1;
    }
    assert!(changed > 0);
    folder
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder");
    for entry in fs::read_dir(from).expect("a folder").flatten() {
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).expect("a copy");
        }
    }
}

#[test]
fn hostile_text_is_inert() {
    let Some(browser) = browser() else { return };
    let folder = hostile();
    let site = Site::of(&folder.path().join("rounds"), "2026-06-30T00:00:00Z");
    for path in ["", "answers/"] {
        browser.open(&site.page(&format!("/rounds/weekly-portfolio-pending/{path}")));
        assert_ne!(browser.run("return document.title"), "owned", "{path}");
        let links = browser.run("return document.querySelectorAll('a[href^=javascript]').length");
        assert_eq!(links, 0, "{path}");
        let images = browser
            .run("return document.querySelectorAll('img[onerror], script:not([src]):not([type=\"application/ld+json\"])').length");
        assert_eq!(images, 0, "{path}");
        assert!(browser.complaints().is_empty(), "{path}");
    }
    browser.open(&site.page("/rounds/weekly-portfolio-pending/answers/"));
    let text = browser.run("return document.body.textContent.includes('<script>')");
    assert_eq!(text, true, "the text itself is shown");
}
