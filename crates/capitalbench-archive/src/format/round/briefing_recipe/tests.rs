use super::*;

#[test]
fn a_recipe_reads_back_and_an_unknown_word_stops() {
    for part in [
        TreasuryPart::Read,
        TreasuryPart::NotAsked,
        TreasuryPart::NotReached,
    ] {
        assert_eq!(parse(render(part).as_bytes()).unwrap(), part);
    }
    let text = render(TreasuryPart::Read);
    for (from, to) in [
        ("\"read\"", "\"guessed\""),
        ("mechanical-1", "mechanical-9"),
        ("\"rule\"", "\"rules\""),
        ("1,", "2,"),
    ] {
        let changed = text.replacen(from, to, 1);
        assert_ne!(changed, text, "{from}");
        assert!(parse(changed.as_bytes()).is_err(), "{changed}");
    }
}
