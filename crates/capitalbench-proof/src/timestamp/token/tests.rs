use super::*;

#[test]
fn instants_are_read_strictly() {
    for (text, read) in [
        ("20261207130211Z", Some("2026-12-07T13:02:11Z")),
        ("20261207130211.25Z", Some("2026-12-07T13:02:11.25Z")),
        ("20261207130211", None),
        ("20261307130211Z", None),
        ("2026120713021Z", None),
        ("+0261207130211Z", None),
        ("20261207130211.Z", None),
    ] {
        let parsed = instant(text.as_bytes()).map(|at| at.to_string());
        assert_eq!(parsed.as_deref(), read, "{text}");
    }
}
