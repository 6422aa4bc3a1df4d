use super::*;

#[test]
fn written_exceptions_read_back_and_other_content_is_refused() {
    let written = SourceException {
        departure: "prices come from yahoo; the manifest froze tiingo".to_owned(),
        reason: "the vendor is down".to_owned(),
        accepted_at: Stamp::parse("2026-12-15T01:30:00Z").unwrap(),
    };
    let text = render(&written);
    assert_eq!(parse(text.as_bytes()).unwrap(), written);
    let more = text.replacen('{', "{\"more\": 1,", 1);
    let fault = parse(more.as_bytes()).unwrap_err().to_string();
    assert!(fault.contains("more: unknown member"), "{fault}");
    assert!(parse(b"[]").is_err());
}
