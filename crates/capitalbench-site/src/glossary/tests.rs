use super::*;

#[test]
fn a_label_finds_its_term_without_its_unit() {
    let gap = place("Gap").expect("a term");
    for label in ["Gap / week", "Gap / month, points", "Mean gap", "gap"] {
        assert_eq!(place(label), Some(gap), "{label}");
    }
    let alone = place("Above random").expect("a term");
    assert_ne!(place("Above random, same risk"), Some(alone));
    assert_eq!(place("Nothing of the kind"), None);
}

#[test]
fn no_term_is_explained_twice_and_every_line_is_read() {
    let lines = SOURCE.lines().filter(|line| line.starts_with("- ")).count();
    assert_eq!(ENTRIES.len(), lines);
    let mut terms: Vec<&str> = ENTRIES
        .iter()
        .flat_map(|entry| entry.terms.clone())
        .collect();
    let all = terms.len();
    terms.sort_unstable();
    terms.dedup();
    assert_eq!(terms.len(), all);
}

#[test]
fn a_page_holds_the_meanings_that_it_opens_and_no_others() {
    let page = button("Score").to_string();
    let found = meanings(&page, &ReferenceName::default()).to_string();
    assert_eq!(found.matches("popover>").count(), 1);
    assert!(found.contains("<strong>Score</strong>"), "{found}");
}

#[test]
fn a_heading_that_names_the_reference_finds_its_term_whatever_the_name() {
    let gap = place("Gap").expect("a term");
    for name in ["S&P 500", "STOXX Europe 600", "Bitcoin"] {
        assert_eq!(place(&format!("vs {name}")), Some(gap));
        assert_eq!(place(&format!("Gap to {name}, points")), Some(gap));
        let above = place(&format!("Above {name}")).expect("a term");
        let page = button(&format!("Above {name}")).to_string();
        let told = meanings(&page, &ReferenceName::from(name)).to_string();
        assert!(told.contains(&Html::text(name).to_string()), "{told}");
        assert_ne!(Some(above), place("Above cash"));
    }
}
