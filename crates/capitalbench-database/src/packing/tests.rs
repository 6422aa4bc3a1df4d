use super::*;

#[test]
fn an_archive_of_exactly_the_limit_is_the_largest() {
    let files = [("a".to_owned(), vec![b'x'; 5000])].into();
    let packed = Packed::of(&files).unwrap();
    let length = packed.archive.len() as u64;
    let unpacked = |most| unpack_at_most(&packed.bytes(), packed.sha256, most);
    assert_eq!(unpacked(length).unwrap(), files);
    let told = format!("it unpacks to more than {} bytes", length - 1);
    let large = unpacked(length - 1).unwrap_err().to_string();
    assert!(large.ends_with(&told), "{large}");
}
