use super::*;

#[test]
fn written_provenance_reads_back_and_other_content_is_refused() {
    let written = Provenance {
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
            body: Digest::of(b"x"),
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
            "format_version",
        ),
        ("\"final\"", "\"rough\"", "purpose"),
        ("\"rows\": 6", "\"rows\": -6", "rows: must be a count"),
        ("2026-03-09", "never", "to: must be a day"),
        ("\"rows\": 6", "\"rows\": 6, \"x\": 1", "x: unknown member"),
        (
            "\"from\"",
            "\"since\": 1, \"from\"",
            "since: unknown member",
        ),
        ("\"odd\"", "1", "warnings: must hold texts"),
    ] {
        let text = text.replace(old, new);
        let fault = parse(text.as_bytes()).unwrap_err().to_string();
        assert!(fault.contains(part), "{fault}");
    }
}
