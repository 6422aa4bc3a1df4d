use super::*;

#[test]
fn labels_do_not_cover_each_other() {
    let placed = spread(&[10.0, 11.0, 98.0, 99.0, 10.5], 12.0, 100.0);
    let mut sorted = placed.clone();
    sorted.sort_by(f64::total_cmp);
    assert!(sorted.windows(2).all(|two| two[1] - two[0] >= 12.0 - 1e-9));
    assert!(sorted.iter().all(|y| *y <= 100.0));
    assert!(placed[0] < placed[4] && placed[4] < placed[1]);
}
