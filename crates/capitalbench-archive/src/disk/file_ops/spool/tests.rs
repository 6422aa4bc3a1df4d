use super::*;

#[test]
fn spooled_bytes_are_read_back() {
    let spool = Spool::new().unwrap();
    let first = spool.put(b"one").unwrap();
    let second = spool.put(b"second").unwrap();
    assert_eq!(first.bytes().unwrap(), b"one");
    assert_eq!(second.read(2, 3).unwrap(), b"con");
    assert_eq!(second.read(4, 9).unwrap(), b"nd");
    let mut text = String::new();
    second.reader().read_to_string(&mut text).unwrap();
    assert_eq!(text, "second");
    let whole = spool.whole();
    assert_eq!(whole.length(), 9);
    assert_eq!(whole.bytes().unwrap(), b"onesecond");
    assert!(
        Slice {
            length: 12,
            ..whole
        }
        .bytes()
        .is_err()
    );
}
