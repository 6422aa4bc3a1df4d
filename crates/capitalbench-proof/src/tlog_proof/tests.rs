use super::*;
use crate::merkle::{leaf_hash, node_hash, sha256};
use crate::note::{KeyKind, SignerKey};

#[test]
fn the_text_has_the_form_of_the_specification() {
    let hashes = [sha256(b"hash1"), sha256(b"hash2")];
    let proof = TlogProof {
        extra: Some(b"extra information".to_vec()),
        index: 5,
        path: hashes.to_vec(),
        checkpoint: "test checkpoint\n".to_owned(),
    };
    let [one, two] = hashes.map(Hash::to_base64);
    let text = format!(
        "c2sp.org/tlog-proof@v1\nextra ZXh0cmEgaW5mb3JtYXRpb24=\nindex 5\n{one}\n{two}\n\ntest checkpoint\n"
    );
    assert_eq!(proof.to_string(), text);
    assert_eq!(TlogProof::parse(&text), Ok(proof));
    let empty = "c2sp.org/tlog-proof@v1\nindex 0\n\ncheckpoint\n";
    assert_eq!(TlogProof::parse(empty).unwrap().to_string(), empty);
    let wrong = [
        text.replace("@v1", "@v2"),
        text.replace("index 5", "index 05"),
        text.replace("index 5\n", ""),
        text.replace("extra ", "extra !"),
        text.replace(&one, "AAAA"),
        text.replace("\n\n", "\n"),
    ];
    for text in wrong {
        let refused = TlogProof::parse(&text);
        assert!(matches!(refused, Err(TlogProofError::Form(_))), "{text}");
    }
}

#[test]
fn a_proof_holds_for_its_leaf_only() {
    let key = SignerKey::from_seed("log.example", &[1; 32], KeyKind::Note).unwrap();
    let sibling = leaf_hash(b"one");
    let checkpoint = Checkpoint {
        origin: "log.example".to_owned(),
        size: 2,
        root: node_hash(sibling, leaf_hash(b"two")),
        extensions: Vec::new(),
    };
    let proof = TlogProof {
        extra: None,
        index: 1,
        path: vec![sibling],
        checkpoint: checkpoint.sign(&key).unwrap().to_string(),
    };
    let proof = TlogProof::parse(&proof.to_string()).unwrap();
    let held = proof.verify(b"two", &key.verifier(), &[]).unwrap();
    assert_eq!(held, (checkpoint, Vec::new()));
    let refused = proof.verify(b"three", &key.verifier(), &[]);
    assert_eq!(refused, Err(TlogProofError::Proof(ProofError::Root)));
    let other = SignerKey::from_seed("log.example", &[2; 32], KeyKind::Note).unwrap();
    let refused = proof.verify(b"two", &other.verifier(), &[]);
    assert!(matches!(refused, Err(TlogProofError::Checkpoint(_))));
}
