use std::fs::File;
use std::time::SystemTime;

use super::*;

#[test]
fn nothing_is_removed_after_somebody_else_published() {
    let folder = tempfile::tempdir().unwrap();
    let address = format!("file://{}", folder.path().display());
    let public = Store::open(&Configuration::empty(), &address).unwrap();
    let ours = public
        .put(LIST, b"ours", Condition::Absent)
        .unwrap()
        .unwrap();
    let digest = Digest::of(b"an old part");
    let name = object_name(&digest);
    public
        .put(&name, b"an old part", Condition::Absent)
        .unwrap();
    let gone = || objects_of(&public).unwrap();
    assert_eq!(
        remove_old(&public, &ours, gone()).unwrap(),
        0,
        "it is young"
    );
    let file = File::options().write(true).open(folder.path().join(&name));
    file.unwrap().set_modified(SystemTime::UNIX_EPOCH).unwrap();
    let theirs = public.put(LIST, b"theirs", Condition::Always).unwrap();
    assert_eq!(remove_old(&public, &ours, gone()).unwrap(), 0);
    assert!(public.get(&name).unwrap().is_some());
    assert_eq!(remove_old(&public, &theirs.unwrap(), gone()).unwrap(), 1);
    assert!(public.get(&name).unwrap().is_none());
}
