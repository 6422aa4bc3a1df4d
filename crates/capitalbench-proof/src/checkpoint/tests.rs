
use super::*;
use crate::merkle::empty_root;
use crate::note::KeyKind;

#[test]
fn the_example_of_the_specification_is_read() {
    let text =
        "example.com/behind-the-sofa\n20852163\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n";
    let checkpoint = Checkpoint::parse(text).unwrap();
    assert_eq!(checkpoint.size, 20_852_163);
    assert_eq!(checkpoint.to_string(), text);
    let extended = format!("{text}more\n");
    assert_eq!(Checkpoint::parse(&extended).unwrap().to_string(), extended);
}

#[test]
fn malformed_checkpoints_are_refused() {
    let root = empty_root().to_base64();
    for text in [
        String::new(),
        format!("\n1\n{root}\n"),
        format!("a\n01\n{root}\n"),
        format!("a\n-1\n{root}\n"),
        format!("a\n+1\n{root}\n"),
        "a\n1\nAAAA\n".to_owned(),
        format!("a\n1\n{root}"),
        format!("a\n1\n{root}\n\n"),
    ] {
        let refused = Checkpoint::parse(&text);
        assert!(matches!(refused, Err(CheckpointError::Form(_))), "{text:?}");
    }
}

#[test]
fn a_checkpoint_belongs_to_one_log() {
    let log = SignerKey::from_seed("log.example", &[1; 32], KeyKind::Note).unwrap();
    let witness = SignerKey::from_seed("w.example", &[2; 32], KeyKind::Cosignature).unwrap();
    let mut checkpoint = Checkpoint {
        origin: "log.example".to_owned(),
        size: 0,
        root: empty_root(),
        extensions: Vec::new(),
    };
    let note = checkpoint.sign(&log).unwrap();
    let note = note.with_signature(&witness, 12).unwrap().to_string();
    let keys = [witness.verifier()];
    let (read, seen) = Checkpoint::open(note.as_bytes(), &log.verifier(), &keys).unwrap();
    assert_eq!(read, checkpoint);
    assert_eq!(seen[0].at, Some(12));
    let (_, unseen) = Checkpoint::open(note.as_bytes(), &log.verifier(), &[]).unwrap();
    assert_eq!(unseen, []);
    checkpoint.origin = "another.example".to_owned();
    let note = checkpoint.sign(&log).unwrap().to_string();
    let refused = Checkpoint::open(note.as_bytes(), &log.verifier(), &keys);
    assert!(matches!(refused, Err(CheckpointError::Origin { .. })));
}
