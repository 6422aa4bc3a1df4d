use super::*;

#[test]
fn calmer_days_know_sooner_and_wild_ones_never() {
    let found = [0.003, 0.006].map(|deviation| years(deviation, 0.2).expect("within years"));
    assert!(0.2 < found[0] && found[0] < found[1], "{found:?}");
    assert_eq!(years(0.2, 0.4), None);
}
