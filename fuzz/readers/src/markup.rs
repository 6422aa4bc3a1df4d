//! What models write, on pages and in reports; the logo of a league.

use capitalbench_archive::results::report::markdown;
use capitalbench_site::Logo;
use capitalbench_site::html::Html;

/// The only tag that may stand around a character that hides.
const SHOWN: [&str; 2] = ["<span class=\"hid\">", "</span>"];

/// Text of a model is never markup: not in HTML, not in Markdown.
pub fn outside_text(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let said = Html::said(&text).to_string();
    let quoted = Html::quoted(&text).to_string();
    inert(inside(&said, "<bdi class=\"said\">", "</bdi>"));
    inert(inside(
        &quoted,
        "<pre class=\"said\" dir=\"auto\" tabindex=\"0\">",
        "</pre>",
    ));
    inert(&Html::text(&text).to_string());
    let plain = markdown::plain(&text);
    assert!(!plain.contains(['<', '>', '\n', '\r', '"']), "{plain:?}");
    assert!(plain.chars().count() <= 401 * 6, "{}", plain.len());
    let mut before = ' ';
    for c in plain.chars() {
        let escaped = before == '\\';
        assert!(!matches!(c, '|' | '`' | '[' | ']') || escaped, "{plain:?}");
        before = if escaped { ' ' } else { c };
    }
}

/// A logo is small, and nothing in it runs.
pub fn logo(bytes: &[u8]) {
    let read = Logo::read(bytes.to_vec().into());
    let text = String::from_utf8_lossy(bytes).to_ascii_lowercase();
    if read.is_ok() && !bytes.starts_with(b"\x89PNG") {
        assert!(text.contains("<svg") && !text.contains("<script"), "{text}");
    }
    assert!(read.is_err() || bytes.len() <= 100_000);
}

fn inside<'a>(markup: &'a str, start: &str, end: &str) -> &'a str {
    let inner = markup.strip_prefix(start);
    let inner = inner.and_then(|inner| inner.strip_suffix(end));
    inner.expect("our own frame")
}

fn inert(markup: &str) {
    let bare = SHOWN
        .iter()
        .fold(markup.to_owned(), |text, tag| text.replace(tag, ""));
    assert!(!bare.contains(['<', '>', '"', '\'']), "{bare:?}");
    let turns = |c: char| matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\0');
    assert!(!bare.contains(turns), "{bare:?}");
}
