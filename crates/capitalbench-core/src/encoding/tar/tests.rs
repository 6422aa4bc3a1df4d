use super::*;
use proptest::prelude::*;

fn files(names: &[&str]) -> BTreeMap<String, Vec<u8>> {
    let each = names
        .iter()
        .map(|name| ((*name).to_owned(), name.as_bytes().to_vec()));
    each.collect()
}

#[test]
fn an_archive_takes_only_plain_relative_names() {
    for name in [
        "/a", "../a", "a/../b", "a//b", "", ".", "a\0b", "a\\b", "a/",
    ] {
        assert!(
            matches!(write(&files(&[name])), Err(TarError::Name(_))),
            "{name:?}"
        );
    }
    let deep = format!("{}/{}", "d".repeat(150), "f".repeat(100));
    let archive = write(&files(&[&deep])).unwrap();
    assert!(read(&archive).unwrap().contains_key(&deep));
    assert!(write(&files(&[&"x".repeat(101)])).is_err());
}

#[test]
fn links_folders_and_repeated_names_are_refused() {
    let archive = write(&files(&["a"])).unwrap();
    for kind in *b"123456xgL" {
        let mut forged = archive.clone();
        forged[156] = kind;
        assert!(matches!(read(&forged), Err(TarError::NotAFile { .. })));
    }
    let entry = &archive[..2 * RECORD];
    let twice = [entry, entry, &[0; 2 * RECORD]].concat();
    assert_eq!(read(&twice), Err(TarError::Order("a".to_owned())));
}

proptest! {
    #[test]
    fn a_written_archive_reads_back(
        files in prop::collection::btree_map(
            "[a-z]{1,8}(/[a-z.]{1,8}x){0,2}",
            prop::collection::vec(any::<u8>(), 0..1500),
            0..6,
        ),
    ) {
        let archive = write(&files).unwrap();
        prop_assert_eq!(read(&archive).unwrap(), files);
    }

    #[test]
    fn any_change_is_an_error_or_another_set_of_files(
        place in 0_usize..4096,
        flip in 1_u8..=255,
    ) {
        let files = files(&["a/b", "c"]);
        let mut archive = write(&files).unwrap();
        let place = place % archive.len();
        archive[place] ^= flip;
        if let Ok(found) = read(&archive) {
            prop_assert_ne!(found, files);
        }
    }

    #[test]
    fn reading_any_bytes_does_not_panic(bytes in prop::collection::vec(any::<u8>(), 0..2048)) {
        let _ = read(&bytes);
    }
}
