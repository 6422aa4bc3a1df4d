use super::*;

#[test]
fn names_cannot_leave_their_folder() {
    for bad in ["", "  ", ".", "..", "a/b", "a\\b", "../x", "a\nb", "a\0b"] {
        assert!(RunId::parse(bad).is_err(), "{bad:?} must be refused");
    }
    assert!(RunId::parse(&"x".repeat(201)).is_err());
    assert_eq!(RunId::parse(" run-1 ").unwrap().as_str(), "run-1");
    assert_eq!(RunId::parse("a..b").unwrap().as_str(), "a..b");
}

#[test]
fn a_model_id_becomes_a_safe_stem() {
    let id = ModelId::parse("acme/large model:1.0").unwrap();
    assert_eq!(id.file_stem(), "acme_large_model_1.0");
}

#[test]
fn digests_are_read_back() {
    let digest = Digest::of(b"x");
    assert_eq!(Digest::parse(&digest.to_hex()), Some(digest));
    for bad in [
        "",
        "00",
        &"0".repeat(63),
        &"A".repeat(64),
        &"\u{e9}".repeat(32),
    ] {
        assert_eq!(Digest::parse(bad), None, "{bad}");
    }
}

#[test]
fn digest_of_nothing_is_the_published_one() {
    assert_eq!(
        Digest::of(b"").to_hex(),
        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    );
}
