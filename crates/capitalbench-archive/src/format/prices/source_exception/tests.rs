use super::*;
use crate::format::text::json;

#[test]
fn written_exceptions_read_back_and_other_content_is_refused() {
    let written = SourceException {
        format_version: FormatVersion,
        departure: "prices come from yahoo; the manifest froze tiingo".to_owned(),
        reason: "the vendor is down".to_owned(),
        accepted_at: WrittenInstant::parse("2026-12-15T01:30:00Z").unwrap(),
    };
    let text = json::render(&written);
    assert_eq!(
        json::read::<SourceException>(text.as_bytes()).unwrap(),
        written
    );
    let more = text.replacen('{', "{\"more\": 1,", 1);
    let fault = json::read::<SourceException>(more.as_bytes())
        .unwrap_err()
        .to_string();
    assert!(fault.contains("unknown field `more`"), "{fault}");
    assert!(json::read::<SourceException>(b"[]").is_err());
}
