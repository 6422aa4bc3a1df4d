use super::*;

#[test]
fn an_entry_is_read_as_it_is_written() {
    let own = SealedEntry {
        league: "house".to_owned(),
        round: RoundId::parse("R-1W").unwrap(),
        inputs: Digest::of(b"inputs"),
        key: EntrantKey::parse(&format!("ada+0123abcd+{}", "A".repeat(44))).unwrap(),
        commitment: Digest::of(b"opening"),
    };
    let text = own.to_text();
    assert!(
        text.starts_with("capitalbench entry v1\nleague house\nround R-1W\ninputs "),
        "{text}"
    );
    assert_eq!(SealedEntry::parse(&text).unwrap(), own);
    for other in [
        text.replace("commitment ", "commitment A"),
        format!("{text}more x\n"),
        text.replace("round R-1W", "round  R-1W"),
        text.trim_end().to_owned(),
    ] {
        assert!(SealedEntry::parse(&other).is_err(), "{other}");
    }
}
