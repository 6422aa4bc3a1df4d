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
    assert_eq!(delivery.entries().unwrap().len(), MOST_FILES);
}
