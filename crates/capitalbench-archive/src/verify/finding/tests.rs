use super::*;

#[test]
fn codes_are_kebab_case_unique_and_sorted_by_severity() {
    let texts: Vec<&str> = Code::ALL.iter().map(|code| code.as_str()).collect();
    for text in &texts {
        let kebab = text
            .split('-')
            .all(|word| !word.is_empty() && word.bytes().all(|b| b.is_ascii_lowercase()));
        assert!(kebab, "{text}");
    }
    let mut unique = texts.clone();
    unique.sort_unstable();
    unique.dedup();
    assert_eq!(unique.len(), texts.len());
    assert!(Code::ALL.is_sorted_by_key(|code| code.severity()));
}
