//! Text as a YAML scalar, for the few small files that are written once and never rewritten.

/// A scalar that reads back as exactly this text.
///
/// Plain where nothing can be misread, single-quoted otherwise; line ends become spaces.
pub fn yaml_text(text: &str) -> String {
    let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let starts_plain = flat.starts_with(|c: char| c.is_ascii_alphabetic());
    let all_plain = flat
        .chars()
        .all(|c| c.is_ascii_alphanumeric() || " _-./+()%,;".contains(c));
    let word = flat.to_lowercase();
    let reserved = ["true", "false", "yes", "no", "on", "off", "null", "y", "n"];
    if starts_plain && all_plain && !reserved.contains(&word.as_str()) {
        flat
    } else {
        format!("'{}'", flat.replace('\'', "''"))
    }
}

#[cfg(test)]
mod tests;
