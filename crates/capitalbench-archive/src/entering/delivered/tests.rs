use capitalbench_core::decision::entering::opening::Salt;
use capitalbench_core::values::ids::{Digest, OptionId, RoundId};
use capitalbench_proof::note::KeyKind;

use super::*;

fn signer(name: &str, seed: u8) -> SignerKey {
    SignerKey::from_seed(name, &[seed; 32], KeyKind::Note).unwrap()
}

fn opening(key: &SignerKey) -> Opening {
    Opening {
        league: "house".to_owned(),
        round: RoundId::parse("R-1W").unwrap(),
        inputs: Digest::of(b"inputs"),
        key: EntrantKey::parse(&key.verifier().to_string()).unwrap(),
        portfolio: vec![(OptionId::parse("SP500").unwrap(), 100)],
        salt: Salt::new([3; 32]),
    }
}

#[test]
fn an_entry_is_read_with_the_stamps_behind_it() {
    let key = signer("ada", 1);
    let entry = SealedEntry::of(&opening(&key));
    let note = signed_entry(&entry, &key).unwrap();
    let stamp = EntryStamp {
        authority: "https://tsa.example/tsr".to_owned(),
        reply: vec![1, 2, 3],
    };
    let file = with_stamp(&with_stamp(&note, &stamp), &stamp);
    assert_eq!(Delivered::read(&file), Ok(Delivered::Entry(entry)));
    let (signed, stamps) = parts(&file).unwrap();
    assert_eq!(signed, note);
    assert_eq!(stamps, [stamp.clone(), stamp]);
    let broken = [note.as_slice(), b"\nstamp https://tsa.example/tsr ???\n"].concat();
    assert_eq!(Delivered::read(&broken).unwrap_err().as_str(), "unreadable");
}

#[test]
fn only_the_key_that_is_named_signs() {
    let (ada, other) = (signer("ada", 1), signer("ada", 2));
    let entry = SealedEntry::of(&opening(&ada));
    let forged = signed_entry(&entry, &other).unwrap();
    assert_eq!(Delivered::read(&forged).unwrap_err().as_str(), "altered");
    let registration = Registration {
        league: "house".to_owned(),
        entrant: capitalbench_core::decision::entering::names::EntrantName::parse("ada").unwrap(),
        name: "Ada".to_owned(),
        kind: capitalbench_core::decision::entering::names::EntrantKind::Fund,
        contact: "ada@example.org".to_owned(),
        method: "hand".to_owned(),
        address: None,
        agent: None,
        keys: vec![
            EntrantKey::parse(&ada.verifier().to_string()).unwrap(),
            EntrantKey::parse(&signer("second", 2).verifier().to_string()).unwrap(),
        ],
    };
    let both = signed_registration(&registration, &[signer("ada", 1), signer("second", 2)]);
    let read = Delivered::read(&both.unwrap());
    assert_eq!(read, Ok(Delivered::Registration(registration.clone())));
    let one = signed_registration(&registration, &[ada]).unwrap();
    assert_eq!(Delivered::read(&one).unwrap_err().as_str(), "altered");
}

#[test]
fn a_delivered_file_may_fill_the_limit_and_not_a_byte_more() {
    let key = signer("ada", 1);
    let note = signed_entry(&SealedEntry::of(&opening(&key)), &key).unwrap();
    let stamp = |length: usize| EntryStamp {
        authority: "https://tsa.example/tsr".to_owned(),
        reply: vec![0; length],
    };
    let mut length = (LARGEST - note.len()) / 4 * 3;
    while with_stamp(&note, &stamp(length)).len() > LARGEST {
        length -= 3;
    }
    assert!(Delivered::read(&with_stamp(&note, &stamp(length))).is_ok());
    let over = with_stamp(&note, &stamp(length + 3));
    let error = Delivered::read(&over).unwrap_err().to_string();
    assert_eq!(error, "cannot be read: it has more than 65536 bytes");
}
