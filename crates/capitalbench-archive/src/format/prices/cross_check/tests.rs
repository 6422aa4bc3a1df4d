use super::*;

#[test]
fn written_content_reads_back() {
    let check = CrossCheck {
        source: "csv".into(),
        tolerance_bps: 10.0,
        rows: vec![
            Comparison {
                option_id: OptionId::parse("A").unwrap(),
                scored: Return::from_fraction(0.01),
                other: Ok(Return::from_fraction(0.02)),
            },
            Comparison {
                option_id: OptionId::parse("B").unwrap(),
                scored: Return::from_fraction(0.01),
                other: Err("no rows".into()),
            },
        ],
    };
    let text = render(&check);
    assert_eq!(parse(text.as_bytes()).unwrap(), check);
    assert!(text.contains("\"beyond_tolerance\""), "{text}");
    let more = text.replace("\"return\"", "\"rounded\": 1, \"return\"");
    assert!(parse(more.as_bytes()).is_err());
    let more = text.replace("\"rows\"", "\"ok\": true, \"rows\"");
    assert!(parse(more.as_bytes()).is_err());
    assert!(
        parse(
            text.replace("\"return\": 0.01", "\"return\": null")
                .as_bytes()
        )
        .is_err()
    );
    let accepted = CrossCheckAcceptance {
        format_version: FormatVersion,
        cross_check: Digest::of(text.as_bytes()),
        reason: "a late dividend at the other source".into(),
        accepted_at: WrittenInstant::parse("2026-03-10T02:00:00Z").unwrap(),
    };
    let text = render_acceptance(&accepted);
    assert_eq!(parse_acceptance(text.as_bytes()).unwrap(), accepted);
    let more = text.replace("\"reason\"", "\"also\": 1, \"reason\"");
    assert!(parse_acceptance(more.as_bytes()).is_err());
    assert!(parse_acceptance(b"{\"format_version\": 1}").is_err());
}
