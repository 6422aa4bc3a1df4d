use super::*;
use crate::checkpoint::Checkpoint;
use crate::merkle::leaf_hash;
use crate::note::SignerKey;

fn witness(name: &str, seed: u8) -> SignerKey {
    SignerKey::from_seed(name, &[seed; 32], KeyKind::Cosignature).unwrap()
}

fn signed() -> String {
    let log = SignerKey::from_seed("log.example", &[1; 32], KeyKind::Note).unwrap();
    let checkpoint = Checkpoint {
        origin: "log.example".to_owned(),
        size: 7,
        root: leaf_hash(b"root"),
        extensions: vec!["previous 5".to_owned()],
    };
    checkpoint.sign(&log).unwrap().to_string()
}

fn lines_by(witness: &SignerKey, note: &str, seconds: u64) -> String {
    let own = Note::parse(note.as_bytes()).unwrap();
    let whole = own.with_signature(witness, seconds).unwrap().to_string();
    whole.strip_prefix(note).unwrap().to_owned()
}

const NOW: i64 = 1_795_000_000;

fn now() -> Timestamp {
    Timestamp::from_second(NOW).unwrap()
}

#[test]
fn a_rule_is_read_as_it_is_written_and_bad_ones_are_refused() {
    let (one, two) = (witness("one.example/w", 2), witness("two.example/w", 3));
    let rule = WitnessRule::new(vec![one.verifier(), two.verifier()], Some(2)).unwrap();
    assert_eq!(WitnessRule::parse(&rule.to_string()).unwrap(), rule);
    let commented = format!("# who may sign\n\n{rule}");
    assert_eq!(WitnessRule::parse(&commented).unwrap(), rule);
    assert!(WitnessRule::parse("").unwrap().is_empty());

    let refused = |text: String| WitnessRule::parse(&text).unwrap_err().to_string();
    let log = SignerKey::from_seed("log.example", &[1; 32], KeyKind::Note).unwrap();
    assert!(refused(log.verifier().to_string()).contains("a witness has a key of type 4"));
    assert!(refused(format!("{rule}{}", one.verifier())).starts_with("line 4: a witness"));
    assert!(refused(format!("quorum 1\n{rule}")).starts_with("line 2: a witness or the quorum"));
    assert!(refused(format!("quorum 2\n{}", one.verifier())).contains("must be 1 to 1"));
    let key = |seed| witness("w.example", seed).verifier().to_string();
    let many: Vec<String> = (1..=33).map(key).collect();
    assert!(refused(many.join("\n")).contains("33 witnesses are named, and at most 32 can be"));
    assert!(refused("quorum two".to_owned()).contains("a quorum is a whole number"));
    assert!(refused("nobody".to_owned()).starts_with("line 1: the text is not a key"));
}

#[test]
fn a_later_rule_keeps_the_keys_of_an_earlier_one() {
    let (one, two) = (witness("one.example", 2), witness("two.example", 3));
    let earlier = WitnessRule::new(vec![one.verifier()], Some(1)).unwrap();
    let later = WitnessRule::new(vec![two.verifier(), one.verifier()], Some(2)).unwrap();
    let both = later.after(&earlier).unwrap();
    assert_eq!(both.keys(), [one.verifier(), two.verifier()]);
    assert_eq!(both.quorum(), Some(2));
}

#[test]
fn a_question_has_the_form_of_the_specification() {
    let note = signed();
    let hash = leaf_hash(b"one");
    let text = question(5, &[hash], &note).unwrap();
    assert_eq!(text, format!("old 5\n{}\n\n{note}", hash.to_base64()));
    assert_eq!(question(0, &[], &note).unwrap(), format!("old 0\n\n{note}"));
    assert_eq!(question(1, &vec![hash; 64], &note), None);
    assert_eq!(known_size("20852163\n"), Some(20_852_163));
    assert_eq!(known_size("0\n"), Some(0));
    assert_eq!(known_size("012\n"), None);
    assert_eq!(known_size("twelve\n"), None);
}

#[test]
fn only_the_cosignature_of_the_witness_on_this_checkpoint_counts() {
    let note = signed();
    let (own, other) = (witness("one.example", 2), witness("two.example", 3));
    let at = u64::try_from(NOW - 5).unwrap();
    let lines = lines_by(&other, &note, at) + &lines_by(&own, &note, at);
    let found = cosignature(&note, &lines, &own.verifier(), now()).unwrap();
    assert_eq!(found.at.as_second(), NOW - 5);
    assert_eq!(found.line, lines_by(&own, &note, at));

    let refused = |lines: &str| cosignature(&note, lines, &own.verifier(), now()).unwrap_err();
    let missing = WitnessError::Missing("one.example".to_owned());
    assert_eq!(refused(&lines_by(&other, &note, at)), missing);
    let elsewhere = note.replace("\n7\n", "\n8\n");
    let moved = lines_by(&own, &elsewhere, at);
    let broken = WitnessError::Signature("one.example".to_owned());
    assert_eq!(refused(&moved), broken);
    // Another key of the same name has another hash, so its line is of nobody.
    let stranger = lines_by(&witness("one.example", 9), &note, at);
    assert_eq!(refused(&stranger), missing);
    let late = lines_by(&own, &note, at + 3600);
    assert!(matches!(refused(&late), WitnessError::Future { .. }));
    let endless = lines_by(&own, &note, u64::MAX);
    assert_eq!(refused(&endless), broken);
    assert!(matches!(refused("sorry\n"), WitnessError::Answer(_)));
    assert!(matches!(refused(""), WitnessError::Missing(_)));
}
