
use super::*;
use crate::row_digest::row_digest;

#[test]
fn only_the_packed_bytes_are_unpacked() {
    let files: Files = [
        ("a.txt".to_owned(), b"a".to_vec()),
        ("b/c.bin".to_owned(), vec![0, 255, 3]),
    ]
    .into();
    let id = RoundId::parse("R-1").unwrap();
    let packed = RoundFiles::pack(id, &files, false).unwrap();
    let again = RoundFiles::pack(packed.round_id.clone(), &files, false).unwrap();
    assert_eq!(packed.object(), again.object());
    let row = FilesRow {
        round_id: packed.round_id.clone(),
        sha256: packed.packed.sha256,
        file_count: 2,
        byte_count: 4,
        holds_results: false,
        object: None,
        content_sha256: row_digest(&packed.row()).to_hex(),
    };
    row.check().unwrap();
    let later = FilesRow {
        holds_results: true,
        ..row.clone()
    };
    let told = later.check().unwrap_err().to_string();
    assert!(
        told.contains("round_files") && told.contains("part round/R-1"),
        "{told}"
    );
    assert_eq!(row.unpack(&packed.packed()).unwrap(), files);
    assert_eq!(row.unpack_content(&packed.content()).unwrap(), files);
    let other = FilesRow {
        sha256: Digest::of(b"other"),
        ..row.clone()
    };
    for wrong in [
        other.unpack(&packed.packed()),
        row.unpack(b"not compressed"),
        row.unpack_content("!"),
    ] {
        assert!(wrong.is_err());
    }
    let climbing: Files = [("../x".to_owned(), Vec::new())].into();
    assert!(RoundFiles::pack(packed.round_id, &climbing, false).is_err());
}
