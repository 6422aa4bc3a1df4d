use super::*;
use proptest::prelude::*;

fn shown(text: &str, enforcement: Enforcement) -> Vec<String> {
    check(text, enforcement)
        .into_iter()
        .map(|p| format!("{:?} {} {}", p.level, p.line, p.phrase))
        .collect()
}

#[test]
fn plain_facts_pass() {
    let text = "# Facts\n\nThe central bank left its rate unchanged.\nOil stocks fell by 2%.\n\
                The committee met [behind closed doors]. Outsourced: nothing. Resource: none.\n";
    for enforcement in [Enforcement::Reproduce, Enforcement::Refuse] {
        assert_eq!(shown(text, enforcement), Vec::<String>::new());
    }
}

#[test]
fn every_listed_phrase_is_found_in_any_case_and_across_lines() {
    for rule in &PHRASE_RULES {
        for phrase in rule.phrases {
            for spelling in [phrase.to_uppercase(), phrase.replace(' ', "\n  ")] {
                let text = format!("One fact.\nThen {spelling} here.");
                let problems = check(&text, Enforcement::Refuse);
                let lower = problems[0].phrase.to_lowercase();
                assert_eq!((problems.len(), lower.as_str()), (1, *phrase), "{text}");
                assert_eq!((problems[0].line, problems[0].why), (2, rule.why));
                assert_eq!(problems[0].level, Level::Error);
            }
        }
    }
}

#[test]
fn levels_depend_on_who_made_the_rules() {
    let check = |text: &str, reproduce: &[&str], refuse: &[&str]| {
        assert_eq!(shown(text, Enforcement::Reproduce), reproduce, "{text}");
        assert_eq!(shown(text, Enforcement::Refuse), refuse, "{text}");
    };
    check(
        "a\nBest\nPick!",
        &["Error 2 Best Pick"],
        &["Error 2 Best Pick"],
    );
    check(
        "see HTTPS://example.org/x now",
        &["Warning 1 HTTPS://example.org/x"],
        &["Error 1 HTTPS://example.org/x"],
    );
    check(
        "at www.example.org",
        &["Warning 1 www.example.org"],
        &["Error 1 www.example.org"],
    );
    check(
        "x [the note](https://example.org/a) y",
        &["Warning 1 [the note](https://example.org/a)"],
        &["Error 1 [the note](https://example.org/a)"],
    );
    check(
        "[a](b.md)",
        &["Warning 1 [a](b.md)"],
        &["Error 1 [a](b.md)"],
    );
    check(
        "x\n [1]: notes.md",
        &["Warning 2 [1]: notes.md"],
        &["Error 2 [1]: notes.md"],
    );
    check(
        "Sources: the bank",
        &["Warning 1 Sources:"],
        &["Error 1 Sources:"],
    );
    check("a citation", &["Warning 1 citation"], &["Error 1 citation"]);
    check(
        "## Full-Universe Trailing Returns",
        &[],
        &["Error 1 Full-Universe Trailing Returns"],
    );
    check("| return_7d |", &[], &["Error 1 return_7d"]);
}

#[test]
fn whole_words_and_substrings_differ() {
    let errors = |text| shown(text, Enforcement::Reproduce);
    assert_eq!(errors("an unattractive price"), ["Error 1 unattractive"]);
    assert_eq!(errors("it underperformed"), ["Error 1 underperform"]);
    assert!(errors("unselected mechanical return contexts").is_empty());
    assert!(errors("shallow drawdown ranking").is_empty());
    assert_eq!(
        errors("shallow drawdown rank."),
        ["Error 1 shallow drawdown rank"]
    );
    assert!(errors("the resource: copper; no source at all").is_empty());
    assert!(errors("[bracketed] (aside) [] () [x]").is_empty());
    assert!(errors("in the middle [x]: y").is_empty());
}

#[test]
fn hidden_characters_do_not_hide_a_phrase() {
    let errors = |text| shown(text, Enforcement::Reproduce).len();
    assert_eq!(errors("best\u{a0}pick"), 1);
    assert_eq!(errors("be\u{200b}st pi\u{ad}ck"), 1);
    assert_eq!(errors("affected\u{2011}market mapping"), 1);
    assert_eq!(errors("\u{130}stanbul met; best pick"), 1);
}

#[test]
fn every_occurrence_is_reported_in_order() {
    let text = "This hurts.\nwhy it matters: will benefit\nthis hurts";
    let expected = [
        "Error 1 This hurts",
        "Error 2 why it matters",
        "Error 2 will benefit",
        "Error 3 this hurts",
    ];
    assert_eq!(shown(text, Enforcement::Refuse), expected);
}

#[test]
fn blank_and_long_briefings_are_reported() {
    for text in ["", " \n\t", "\u{feff}\n"] {
        let problems = check(text, Enforcement::Reproduce);
        assert_eq!((problems.len(), problems[0].level), (1, Level::Error));
        assert_eq!(problems[0].why, BLANK);
    }
    let full = "word\n".repeat(MAX_WORDS);
    assert!(check(&full, Enforcement::Refuse).is_empty());
    let problems = shown(&format!("{full}last"), Enforcement::Refuse);
    assert_eq!(problems, ["Warning 8001 last"]);
}

proptest! {
    #[test]
    fn any_text_is_answered_with_real_lines(text in "(?s).{0,200}") {
        for problem in check(&text, Enforcement::Refuse) {
            prop_assert!(problem.line >= 1 && problem.line <= text.matches('\n').count() + 1);
        }
    }

    #[test]
    fn link_like_text_is_answered_without_a_panic(text in "[\\[\\]() :\nw.İß\u{200b}]{0,60}") {
        let _ = check(&text, Enforcement::Refuse);
    }

    #[test]
    fn a_phrase_is_found_wherever_it_stands(before in "[a-z\n ]{0,40}", after in "[a-z\n ]{0,40}") {
        let text = format!("{before} best pick {after}");
        let line = before.matches('\n').count() + 1;
        let found = check(&text, Enforcement::Reproduce);
        prop_assert!(found.iter().any(|p| p.line == line && p.phrase == "best pick"));
    }
}

/// Would take hours if the work grew with the square of the text.
#[test]
fn megabytes_of_findings_are_read_once() {
    let many = 400_000;
    let check = |piece: &str, findings: usize| {
        let text = piece.repeat(many);
        let found = check(&text, Enforcement::Reproduce);
        let found = found.iter().filter(|problem| problem.why != TOO_LONG);
        assert_eq!(found.count(), findings, "{piece}");
    };
    check("citation\n", many);
    check("www.", 1);
    check("[", 0);
    check("[a](", 0);
    check("[a]: ", 1);
    check("unattractive ", many);
}
