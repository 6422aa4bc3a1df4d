use super::*;
use crate::test_support::{manifest, option_id, universe};

fn key() -> EntrantKey {
    EntrantKey::parse(&format!("ada+0123abcd+{}", "A".repeat(44))).unwrap()
}

fn opening(parts: &[(&str, u32)]) -> Opening {
    let parts = parts.iter().map(|(id, percent)| (option_id(id), *percent));
    Opening {
        league: "house".to_owned(),
        round: RoundId::parse("R-1W").unwrap(),
        inputs: Digest::of(b"inputs"),
        key: key(),
        portfolio: parts.collect(),
        salt: Salt::new([7; 32]),
    }
}

#[test]
fn an_opening_has_one_form_and_its_digest_is_the_commitment() {
    let own = opening(&[("AAA", 60), ("SP500", 40)]);
    let bytes = own.to_bytes();
    let text = String::from_utf8(bytes.clone()).unwrap();
    assert!(
        text.starts_with(r#"{"format":"capitalbench opening v1","inputs":""#),
        "{text}"
    );
    assert!(
        text.contains(r#""portfolio":[{"allocation_pct":60,"option_id":"AAA"},"#),
        "{text}"
    );
    assert_eq!(Opening::parse(&bytes).unwrap(), own);
    assert_eq!(own.commitment(), Digest::of(&bytes));
    for other in [
        format!("{text}\n"),
        text.replace(":60", ": 60"),
        text.replace("v1", "v2"),
    ] {
        assert!(Opening::parse(other.as_bytes()).is_err(), "{other}");
    }
    let other = opening(&[("SP500", 40), ("AAA", 60)]);
    assert_ne!(other.commitment(), own.commitment());
}

#[test]
fn nothing_of_an_opening_can_be_printed() {
    let text = format!("{:?}", opening(&[("AAA", 100)]));
    assert_eq!(text, "Opening(R-1W of ada, withheld)");
    assert_eq!(format!("{:?}", Salt::new([7; 32])), "Salt(withheld)");
}

#[test]
fn a_portfolio_follows_the_rules_of_the_round() {
    let (manifest, universe) = (manifest("portfolio-v1.2"), universe());
    let said = |parts: &[(&str, u32)]| -> String {
        let found = opening(parts).problems(&manifest, &universe);
        let found: Vec<String> = found.iter().map(ToString::to_string).collect();
        found.join("; ")
    };
    assert_eq!(said(&[("AAA", 60), ("SP500", 40)]), "");
    assert_eq!(said(&[("CASH", 100)]), "");
    for (parts, expected) in [
        (&[("AAA", 60), ("BBB", 30)][..], "add up to 90%"),
        (&[("AAA", 60), ("AAA", 40)], "held twice"),
        (&[("AAA", 63), ("BBB", 37)], "no multiple of 5%"),
        (&[("ZZZ", 100)], "not an option of this round"),
        (&[], "has 0 holdings"),
    ] {
        assert!(said(parts).contains(expected), "{}", said(parts));
    }
}
