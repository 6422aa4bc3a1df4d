use super::*;

#[test]
fn of_racing_writers_one_wins_each_time() {
    let folder = tempfile::TempDir::new().unwrap();
    let store = FolderStore::at(folder.path());
    store
        .put("heads/x", b"0", Condition::Absent)
        .unwrap()
        .unwrap();
    assert_eq!(store.put("heads/x", b"9", Condition::Absent).unwrap(), None);
    let won = std::sync::atomic::AtomicU64::new(0);
    std::thread::scope(|threads| {
        for _ in 0..4 {
            threads.spawn(|| {
                for _ in 0..50 {
                    let (bytes, tag) = store.get("heads/x").unwrap().unwrap();
                    let number: u64 = String::from_utf8(bytes).unwrap().parse().unwrap();
                    let next = (number + 1).to_string();
                    let condition = Condition::Unchanged(&tag);
                    if store
                        .put("heads/x", next.as_bytes(), condition)
                        .unwrap()
                        .is_some()
                    {
                        won.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
                    }
                }
            });
        }
    });
    let (last, tag) = store.get("heads/x").unwrap().unwrap();
    assert_eq!(
        String::from_utf8(last).unwrap(),
        won.into_inner().to_string()
    );
    let listed = store.list("heads/").unwrap();
    assert_eq!((listed[0].key.as_str(), &listed[0].tag), ("heads/x", &tag));
}
