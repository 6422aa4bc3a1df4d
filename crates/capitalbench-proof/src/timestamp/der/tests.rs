use super::*;

#[test]
fn lengths_are_definite_shortest_and_within_the_bytes() {
    for (bytes, good) in [
        (&[0x04, 0x01, 0x07][..], true),
        (&[0x04, 0x02, 0x07], false),
        (&[0x04, 0x81, 0x01, 0x07], false),
        (&[0x04, 0x80, 0x07, 0x00, 0x00], false),
        (&[0x04, 0x82, 0x00, 0x80], false),
        (&[0x04, 0x85, 1, 1, 1, 1, 1], false),
        (&[0x1f, 0x81, 0x01, 0x07], false),
        (&[0x04], false),
        (&[], false),
    ] {
        assert_eq!(
            Der::new(bytes, "a test").element().is_ok(),
            good,
            "{bytes:?}"
        );
    }
    let long = wrap(OCTET_STRING, &[&[7; 300]]);
    let element = Der::new(&long, "a test").element().unwrap();
    assert_eq!((element.body.len(), element.whole.len()), (300, 304));
}

#[test]
fn numbers_are_shortest_and_never_negative() {
    assert_eq!(integer(0), [2, 1, 0]);
    assert_eq!(integer(127), [2, 1, 127]);
    assert_eq!(integer(128), [2, 2, 0, 128]);
    assert_eq!(integer(u64::MAX).len(), 11);
}
