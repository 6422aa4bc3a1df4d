use super::*;

#[test]
fn a_folder_has_room_and_a_missing_one_says_nothing() {
    let place = tempfile::tempdir().expect("a folder");
    assert!(free_bytes(place.path()).is_some_and(|bytes| bytes > 0));
    assert_eq!(free_bytes(&place.path().join("missing")), None);
}
