//! Markdown in which text from outside cannot become markup.

/// The longest text of a cell; models may write as much as they like.
const LONGEST: usize = 400;

/// Text from outside as plain words on one line: without markup and links, and shortened.
///
/// Every character that Markdown or HTML could read is written as a reference, so a reply cannot
/// bring a table, an image, a script or a heading into a report.
pub fn plain(text: &str) -> String {
    let printable = text.chars().map(|c| if c.is_control() { ' ' } else { c });
    let printable: String = printable.filter(|c| !is_hidden(*c)).collect();
    let words: Vec<&str> = printable.split_whitespace().collect();
    let flat = words.join(" ");
    let cut = flat.char_indices().nth(LONGEST);
    let (shown, more) = match cut {
        None => (flat.as_str(), ""),
        Some((end, _)) => (&flat[..end], "…"),
    };
    let mut escaped = String::with_capacity(shown.len());
    for (place, c) in shown.char_indices() {
        escape(c, &shown[..place], &mut escaped);
    }
    escaped + more
}

/// Escapes one character; `before` is the text up to it.
fn escape(c: char, before: &str, escaped: &mut String) {
    let starts_list = before.bytes().all(|byte| byte.is_ascii_digit());
    match c {
        '&' => escaped.push_str("&amp;"),
        '<' => escaped.push_str("&lt;"),
        '>' => escaped.push_str("&gt;"),
        '"' => escaped.push_str("&quot;"),
        // Addresses that a reader's program would turn into links.
        ':' => escaped.push_str("&#58;"),
        '@' => escaped.push_str("&#64;"),
        '.' if starts_list || before.ends_with(['w', 'W']) => escaped.push_str("&#46;"),
        c if "\\`*_{}[]()!|~$".contains(c) || (before.is_empty() && "-+=#".contains(c)) => {
            escaped.push('\\');
            escaped.push(c);
        }
        c => escaped.push(c),
    }
}

/// Invisible characters that change how others are shown.
fn is_hidden(c: char) -> bool {
    matches!(u32::from(c), 0x200B..=0x200F | 0x202A..=0x202E | 0x2060..=0x2069 | 0xFEFF)
}

/// A table; cells are Markdown already, and the header has ` | ` between its titles.
pub fn table(header: &str, rows: impl IntoIterator<Item = Vec<String>>) -> String {
    let rule = vec!["---"; header.split(" | ").count()].join(" | ");
    let rows = rows
        .into_iter()
        .map(|row| format!("| {} |", row.join(" | ")));
    let rows: Vec<String> = rows.collect();
    if rows.is_empty() {
        return "None.".to_owned();
    }
    format!("| {header} |\n| {rule} |\n{}", rows.join("\n"))
}

/// A list; items are Markdown already.
pub fn list(items: impl IntoIterator<Item = String>) -> String {
    let lines: Vec<String> = items.into_iter().map(|item| format!("- {item}")).collect();
    if lines.is_empty() {
        return "None.".to_owned();
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests;
