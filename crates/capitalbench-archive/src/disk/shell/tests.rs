use super::*;

#[test]
fn only_what_a_shell_would_read_otherwise_is_quoted() {
    let word = |text: &str| shell_word(Path::new(text));
    assert_eq!(word("rounds/CB-2026-05-28-1W"), "rounds/CB-2026-05-28-1W");
    assert_eq!(word("my rounds/A"), "'my rounds/A'");
    assert_eq!(word("it's; $HOME"), r"'it'\''s; $HOME'");
    assert_eq!(word(""), "''");
}
