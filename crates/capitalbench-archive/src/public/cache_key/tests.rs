use super::*;

#[test]
fn a_tag_depends_on_secret_name_and_bytes() {
    let key = CacheKey::new([7; 32]);
    let sealed = key.seal("index", b"facts".to_vec());
    assert_eq!(key.open("index", &sealed), Some(&b"facts"[..]));
    assert_eq!(key.open("figures-00", &sealed), None);
    assert_eq!(CacheKey::new([8; 32]).open("index", &sealed), None);
    for place in 0..sealed.len() {
        let mut other = sealed.clone();
        other[place] ^= 1;
        assert_eq!(key.open("index", &other), None, "{place}");
    }
    assert_eq!(key.open("index", b"short"), None);
    assert!(!format!("{key:?}").contains('7'));
}

#[test]
fn a_tag_is_an_hmac() {
    // RFC 4231 has keys of other lengths; this is Python's hmac over digest and name.
    let tag = CacheKey::new([0x0b; 32]).tag("index", b"Hi There");
    let expected = "6d05ab6ab81983378c71f19f038ec175cfddfda2d0561c920cf7875693002eea";
    assert_eq!(Digest::from_bytes(tag).to_hex(), expected);
}

#[test]
fn the_secret_is_made_once_and_for_its_owner_alone() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("state/capitalbench/cache.key");
    let first = CacheKey::load_or_create(&file, [1; 32]).unwrap();
    assert_eq!(CacheKey::load_or_create(&file, [2; 32]), Some(first));
    let mode = fs::metadata(&file).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
    assert_eq!(CacheKey::load_or_create(&file, [3; 32]), None);
}
