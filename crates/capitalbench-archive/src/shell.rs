//! Paths as words of a command that an operator can copy.

use std::path::Path;

/// The path as one word of a shell: quoted only where it has to be.
pub fn shell_word(path: &Path) -> String {
    let text = path.display().to_string();
    let plain = |c: char| c.is_alphanumeric() || "/._-+:@%,=".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        text
    } else {
        format!("'{}'", text.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_a_shell_would_read_otherwise_is_quoted() {
        let word = |text: &str| shell_word(Path::new(text));
        assert_eq!(word("rounds/CB-2026-05-28-1W"), "rounds/CB-2026-05-28-1W");
        assert_eq!(word("my rounds/A"), "'my rounds/A'");
        assert_eq!(word("it's; $HOME"), r"'it'\''s; $HOME'");
        assert_eq!(word(""), "''");
    }
}
