use std::fs;

use super::*;

#[test]
#[expect(
    clippy::disallowed_methods,
    reason = "the test makes the folder that is too full"
)]
fn a_folder_of_entries_is_bounded() {
    let folder = tempfile::tempdir().unwrap();
    for number in 0..=MOST_FILES {
        fs::write(folder.path().join(format!("{number}.sealed")), "").unwrap();
    }
    let delivery = Delivery {
        entries: Some(folder.path().to_owned()),
        ..Delivery::default()
    };
    let error = delivery.entries().unwrap_err();
    assert!(
        error.message.ends_with("has more than 10000 files"),
        "{error}"
    );
    fs::remove_file(folder.path().join("0.sealed")).unwrap();
    fs::write(folder.path().join("README.md"), "").unwrap();
    assert_eq!(delivery.entries().unwrap().0.len(), MOST_FILES);
}

#[test]
#[expect(
    clippy::disallowed_methods,
    reason = "the test makes files that are not plain ones"
)]
fn a_link_and_a_large_file_keep_no_other_from_being_read() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| folder.path().join(name);
    fs::write(file("good.sealed"), "hello").unwrap();
    fs::write(file("large.sealed"), vec![b'x'; LARGEST + 1]).unwrap();
    std::os::unix::fs::symlink(file("good.sealed"), file("link.sealed")).unwrap();
    let delivery = Delivery {
        entries: Some(folder.path().to_owned()),
        ..Delivery::default()
    };
    let (found, failed) = delivery.entries().unwrap();
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(failed.len(), 2, "{failed:?}");
}
