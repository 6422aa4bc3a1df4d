//! A strict reader of our own pages: every element closed, in order, nothing unexpected.

/// Elements without an end.
const VOID: [&str; 4] = ["meta", "link", "input", "br"];

/// A page taken apart.
#[derive(Debug, Default)]
pub(crate) struct Markup {
    pub(crate) elements: usize,
    pub(crate) texts: usize,
    /// Name and raw attributes of each element.
    pub(crate) tags: Vec<(String, String)>,
    /// Text outside of what models said.
    pub(crate) own_words: String,
}

/// Reads a page; the error says where it is not well formed.
pub(crate) fn read(page: &str) -> Result<Markup, String> {
    let mut found = Markup::default();
    let mut open: Vec<(String, bool)> = Vec::new();
    let mut rest = page.strip_prefix("<!doctype html>").ok_or("no doctype")?;
    while let Some(at) = rest.find('<') {
        let text = &rest[..at];
        if text.contains('>') {
            return Err(format!("a bare > in {text:?}"));
        }
        if !text.trim().is_empty() {
            found.texts += 1;
            if !open.iter().any(|(_, said)| *said) {
                found.own_words.push_str(text);
                found.own_words.push('\n');
            }
        }
        let end = rest[at..].find('>').ok_or("an element without an end")? + at;
        let inner = &rest[at + 1..end];
        rest = &rest[end + 1..];
        if let Some(name) = inner.strip_prefix('/') {
            match open.pop() {
                Some((last, _)) if last == name => {}
                other => return Err(format!("</{name}> closes {other:?}")),
            }
            continue;
        }
        let closed = inner.ends_with('/');
        let inner = inner.trim_end_matches('/');
        let (name, attributes) = inner.split_once([' ', '\n']).unwrap_or((inner, ""));
        if attributes.matches('"').count() % 2 != 0 {
            return Err(format!("an open quote in <{inner}>"));
        }
        found.elements += 1;
        found.tags.push((name.to_owned(), attributes.to_owned()));
        if !closed && !VOID.contains(&name) {
            let said = attributes.contains("class=\"said\"");
            open.push((name.to_owned(), said));
        }
    }
    if open.is_empty() {
        Ok(found)
    } else {
        Err(format!("never closed: {open:?}"))
    }
}

/// The names of all attributes.
pub(crate) fn names(attributes: &str) -> Vec<&str> {
    let outside = attributes.split('"').step_by(2);
    let names = outside.flat_map(str::split_whitespace);
    names.map(|name| name.trim_end_matches('=')).collect()
}

/// The value of an attribute.
pub(crate) fn attribute(attributes: &str, name: &str) -> Option<String> {
    let start = format!("{name}=\"");
    let mut from = 0;
    while let Some(at) = attributes[from..].find(&start) {
        let at = from + at;
        if at == 0 || attributes.as_bytes()[at - 1].is_ascii_whitespace() {
            let value = &attributes[at + start.len()..];
            return value.split('"').next().map(str::to_owned);
        }
        from = at + start.len();
    }
    None
}

#[test]
fn the_reader_finds_what_is_not_well_formed() {
    assert!(read("<!doctype html><p>a<br>b</p>").is_ok());
    for broken in [
        "<p>",
        "<!doctype html><p>",
        "<!doctype html><p></b></p>",
        "<!doctype html>a > b<p></p>",
    ] {
        assert!(read(broken).is_err(), "{broken}");
    }
    assert_eq!(
        attribute("data-href=\"x\" href=\"y\"", "href").unwrap(),
        "y"
    );
}
