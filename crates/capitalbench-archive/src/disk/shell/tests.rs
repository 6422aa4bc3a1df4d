use super::*;

#[test]
fn only_words_a_shell_would_change_are_quoted() {
    let word = |text: &str| shell_word(Path::new(text));
    assert_eq!(word("rounds/CB-2026-05-28-1W"), "rounds/CB-2026-05-28-1W");
    assert_eq!(word("my rounds/A"), "'my rounds/A'");
    assert_eq!(word("it's; $HOME"), r"'it'\''s; $HOME'");
    assert_eq!(word(""), "''");
}
