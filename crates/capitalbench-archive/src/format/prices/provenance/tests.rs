use capitalbench_core::values::time::parse_day;

use super::*;

#[test]
fn written_provenance_reads_back_and_other_content_is_refused() {
    let written = Provenance {
        format_version: FormatVersion,
        round_id: "R".into(),
        source: "tiingo".into(),
        stored_label: "tiingo_eod".into(),
        close_basis: CloseBasis::Raw,
        purpose: Purpose::Final,
        coverage: Coverage::HeldOptions,
        from: parse_day("2026-03-02").unwrap(),
        to: parse_day("2026-03-09").unwrap(),
        program: "capitalbench 0".into(),
        answers: vec![AnswerRecord {
            option_id: OptionId::parse("A").unwrap(),
            symbol: "AA".into(),
            address: "AA.csv".into(),
            fetched_at: "2026-03-10T01:00:00Z".parse().unwrap(),
            body: Some(Digest::of(b"x")),
            rows: 6,
            requests: 1,
        }],
        files: BTreeMap::from([("prices/window.csv".to_owned(), Digest::of(b"w"))]),
        warnings: vec!["odd".into()],
        replaced: Some("prices/replaced/0001".into()),
    };
    let text = render(&written);
    assert_eq!(parse(text.as_bytes()).unwrap(), written);
    for (old, new, part) in [
        (
            "\"format_version\": 1",
            "\"format_version\": 2",
            "must be version 1",
        ),
        ("\"final\"", "\"rough\"", "unknown variant `rough`"),
        ("\"rows\": 6", "\"rows\": -6", "invalid value: integer `-6`"),
        ("2026-03-09", "never", "\"never\" is not a day"),
        (
            "\"rows\": 6",
            "\"rows\": 6, \"x\": 1",
            "unknown field `x`; remove it",
        ),
        (
            "\"from\"",
            "\"since\": 1, \"from\"",
            "unknown field `since`",
        ),
        ("\"odd\"", "1", "expected a string"),
    ] {
        let text = text.replace(old, new);
        let fault = parse(text.as_bytes()).unwrap_err().to_string();
        assert!(fault.contains(part), "{fault}");
    }
}
