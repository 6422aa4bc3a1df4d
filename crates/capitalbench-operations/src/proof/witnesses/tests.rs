use capitalbench_proof::note::{KeyKind, SignerKey};

use super::*;

const KEY: &str = "w.example/one+59ee20ae+BJm5lYHCMEAHJQHZUpKI6ss4oFdHmsFmGSzK+A7XsBZk";

#[test]
fn a_witness_is_written_as_key_and_address() {
    let signer = SignerKey::from_seed("w.example/a=b", &[4; 32], KeyKind::Cosignature).unwrap();
    let text = format!("{}=https://w.example/log", signer.verifier());
    let read: Witness = text.parse().unwrap();
    assert_eq!(read.key, signer.verifier());
    assert_eq!(read.url.to_string(), "https://w.example/log");

    let refused = |text: &str| text.parse::<Witness>().unwrap_err();
    assert!(refused("https://w.example").contains("it has no =https://…"));
    assert!(refused(&format!("{KEY}=https://w.example?q")).contains("key"));
    let other = format!("{}=https://u@w.example", signer.verifier());
    assert!(refused(&other).contains("is not the address of a witness"));
}

#[test]
fn more_than_half_must_sign_where_nobody_says_how_many() {
    let witness = |seed: u8| {
        let name = format!("w{seed}.example");
        let key = SignerKey::from_seed(&name, &[seed; 32], KeyKind::Cosignature).unwrap();
        let url = "https://w.example".parse().unwrap();
        let key = key.verifier();
        Witness { key, url }
    };
    let of = |count: u8, quorum| Witnesses {
        of: (1..=count).map(witness).collect(),
        quorum,
    };
    for (count, quorum) in [(1, 1), (2, 2), (3, 2), (4, 3), (5, 3)] {
        let rule = of(count, None).rule().unwrap();
        assert_eq!(rule.quorum(), Some(quorum), "of {count}");
    }
    let text = of(2, Some(3)).rule().unwrap_err().to_string();
    assert!(text.contains("3 of 2 witnesses can never sign"), "{text}");
}
