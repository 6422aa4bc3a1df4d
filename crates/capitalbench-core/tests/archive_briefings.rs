//! The briefing rules against every briefing that stands in the archive.
#![expect(clippy::disallowed_methods, reason = "tests read the archive in place")]

mod archive;

use std::fs;

use capitalbench_core::asking::briefing::{Level, check};
use capitalbench_core::round::methodology::Enforcement;

/// Days whose briefings break a rule that came later.
const BEFORE_THE_RULE: [&str; 6] = [
    "CB-2026-06-15",
    "CB-2026-06-16",
    "CB-2026-06-17",
    "CB-2026-06-18",
    "CB-2026-06-22",
    "CB-2026-06-23",
];

#[test]
fn archived_briefings_pass_but_for_the_known_ones() {
    let Some(root) = archive::root() else { return };
    let mut briefings = 0;
    for path in archive::files_below(&root.join("rounds")) {
        let round = path.parent().and_then(|p| p.file_name()).unwrap();
        let round = round.to_string_lossy();
        if !path.ends_with("briefing.md") || !round.starts_with("CB-") {
            continue;
        }
        briefings += 1;
        let text = fs::read_to_string(&path).unwrap();
        let errors: Vec<String> = check(&text, Enforcement::Reproduce)
            .into_iter()
            .filter(|problem| problem.level == Level::Error)
            .map(|problem| problem.phrase.to_lowercase())
            .collect();
        let known = BEFORE_THE_RULE.iter().any(|day| round.starts_with(day));
        if known {
            let phrase = "selected mechanical return context";
            assert!(!errors.is_empty(), "{round}");
            assert!(
                errors.iter().all(|error| error == phrase),
                "{round}: {errors:?}"
            );
        } else {
            assert!(errors.is_empty(), "{round}: {errors:?}");
        }
    }
    assert!(briefings > 40, "only {briefings} briefings found");
}
