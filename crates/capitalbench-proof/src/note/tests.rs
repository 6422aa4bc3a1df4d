//! The published example of the Go implementation, and every way in which a note can be wrong.

use super::*;

const SIGNER: &str =
    "PRIVATE+KEY+PeterNeumann+c74f20a3+AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz";
const VERIFIER: &str = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW";
const TEXT: &str = "If you think cryptography is the answer to your problem,\n\
                    then you don't know what your problem is.\n";
const SIGNATURE: &str = "— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n";

fn published() -> String {
    format!("{TEXT}\n{SIGNATURE}")
}

#[test]
fn the_published_note_is_made_and_read() {
    let signer = SignerKey::parse(SIGNER).unwrap();
    let verifier = VerifierKey::parse(VERIFIER).unwrap();
    assert_eq!(signer.verifier(), verifier);
    assert_eq!(verifier.to_string(), VERIFIER);
    assert_eq!(*signer.to_private_text(), SIGNER);
    let note = Note::sign(TEXT, &signer).unwrap();
    assert_eq!(note.to_string(), published());
    assert_eq!(Note::parse(published().as_bytes()).unwrap(), note);
    let by = note.verify(&[verifier]).unwrap();
    assert_eq!(by.len(), 1);
    assert_eq!((by[0].name.as_str(), by[0].at), ("PeterNeumann", None));
}

#[test]
fn a_witness_adds_its_instant() {
    let log = SignerKey::parse(SIGNER).unwrap();
    let witness = SignerKey::from_seed("witness.example", &[7; 32], KeyKind::Cosignature).unwrap();
    let again = SignerKey::parse(&witness.to_private_text()).unwrap();
    let note = Note::sign(TEXT, &log).unwrap();
    let note = note.with_signature(&again, 1_800_000_000).unwrap();
    let keys = [log.verifier(), witness.verifier()];
    let read = Note::parse(note.to_string().as_bytes()).unwrap();
    let by = read.verify(&keys).unwrap();
    assert_eq!(by[1].at, Some(1_800_000_000));
    assert_eq!(read.verify(&keys[1..]).unwrap().len(), 1);
    let text = note.to_string();
    let line = text.lines().last().unwrap();
    let bytes = from_base64(line.rsplit(' ').next().unwrap()).unwrap();
    let mut later = bytes.clone();
    later[11] ^= 1;
    let moved = text.replace(&to_base64(&bytes), &to_base64(&later));
    let moved = Note::parse(moved.as_bytes()).unwrap();
    let refused = NoteError::Signature("witness.example".to_owned());
    assert_eq!(moved.verify(&keys), Err(refused));
    assert_eq!(moved.verify(&keys[..1]).unwrap().len(), 1);
}

#[test]
fn every_changed_byte_is_refused() {
    let keys = [VerifierKey::parse(VERIFIER).unwrap()];
    let note = published().into_bytes();
    for place in 0..note.len() {
        for bit in 0..8 {
            let mut changed = note.clone();
            changed[place] ^= 1 << bit;
            let read = Note::parse(&changed).and_then(|note| note.verify(&keys));
            assert!(read.is_err(), "byte {place}, bit {bit}");
        }
    }
}

#[test]
fn broken_notes_and_keys_are_refused() {
    let long = format!("{TEXT}\n{}", SIGNATURE.repeat(101));
    for text in [
        "",
        TEXT,
        &published()[..published().len() - 1],
        &format!("{TEXT}\n"),
        &format!("{TEXT}{SIGNATURE}"),
        &published().replace("x08g", "x08 g"),
        &long,
    ] {
        let refused = Note::parse(text.as_bytes());
        assert!(matches!(refused, Err(NoteError::Form(_))), "{text}");
    }
    let keys = [
        ("PeterNeumann+c74f20a3", NoteError::Key),
        ("PeterNeumann+c74f20a3+AA==", NoteError::KeyKind),
        ("+c74f20a3+AA==", NoteError::Name(String::new())),
        (&VERIFIER.replace("c74f", "c74e"), NoteError::KeyHash),
        (&VERIFIER.replace("Peter", "Piter"), NoteError::KeyHash),
    ];
    for (text, problem) in keys {
        assert_eq!(VerifierKey::parse(text), Err(problem), "{text}");
    }
    let name = SignerKey::from_seed("two words", &[1; 32], KeyKind::Note);
    assert!(matches!(name, Err(NoteError::Name(_))));
    let other = SignerKey::from_seed("other", &[1; 32], KeyKind::Note).unwrap();
    let note = Note::parse(published().as_bytes()).unwrap();
    let refused = NoteError::Unsigned("other".to_owned());
    assert_eq!(note.verify(&[other.verifier()]), Err(refused));
}

#[test]
fn a_private_key_is_not_printed() {
    let signer = SignerKey::parse(SIGNER).unwrap();
    assert_eq!(format!("{signer:?}"), "SignerKey(PeterNeumann, withheld)");
}

#[test]
fn salts_are_those_of_hmac() {
    // RFC 4231, case 1, whose key of 20 bytes is padded with zeros.
    let mut key = [0; 32];
    key[..20].fill(0x0b);
    let expected = "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7";
    assert_eq!(to_hex(&hmac_sha256(&key, &[b"Hi ", b"There"])), expected);
    let signer = SignerKey::parse(SIGNER).unwrap();
    assert_eq!(signer.salt(b"a"), signer.salt(b"a"));
    assert_ne!(signer.salt(b"a"), signer.salt(b"b"));
}
