use super::*;

#[test]
fn pauses_double_and_longer_wishes_are_granted() {
    let seconds = |failures| Backoff::SECOND.pause(failures, None).as_secs();
    assert_eq!([1, 2, 3, 4].map(seconds), [1, 2, 4, 8]);
    assert_eq!(seconds(u32::MAX), 1 << 20);
    let asked = |wait| Backoff::SECOND.pause(2, Some(Duration::from_secs(wait)));
    assert_eq!([0, 9].map(asked), [2, 9].map(Duration::from_secs));
}
