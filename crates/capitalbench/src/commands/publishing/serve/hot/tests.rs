use super::*;

#[test]
fn requested_files_stay_cached_and_memory_is_bounded() {
    let hot = Hot::default();
    let name = |number: usize| Digest::of(&number.to_le_bytes());
    let bytes = Bytes::from(vec![0; 1 << 20]);
    for number in 0..200 {
        hot.keep(name(number), Coding::Plain, Held::Whole(bytes.clone()));
        assert!(hot.find(name(0), Coding::Plain).is_some(), "{number}");
        assert!(hot.find(name(number), Coding::Gzip).is_none());
    }
    let kept = (0..200).filter(|number| hot.find(name(*number), Coding::Plain).is_some());
    assert!(kept.count() <= MOST_BYTES >> 20);
}
