use super::*;

#[test]
fn both_spellings_of_an_instant_are_read() {
    let operator = WrittenInstant::parse("2026-05-11T01:00:00Z").unwrap();
    let program = WrittenInstant::parse("2026-05-11T01:00:00.000000+00:00").unwrap();
    assert_eq!(operator.at(), program.at());
    assert!(WrittenInstant::parse("2026-05-11").is_none());
    assert!(WrittenInstant::parse("").is_none());
}

#[test]
fn only_iso_days_are_days() {
    assert!(parse_day("2026-02-28").is_some());
    for bad in [
        "2026-2-28",
        "2026-02-30",
        "20260228",
        "2026-02-28T00:00",
        "",
        "2026/02/28",
    ] {
        assert!(parse_day(bad).is_none(), "{bad}");
    }
}
