use super::*;

#[test]
fn a_length_of_time_has_one_unit() {
    let of = |minutes| long(SignedDuration::from_mins(minutes));
    assert_eq!(of(1), "1 minute");
    assert_eq!(of(119), "119 minutes");
    assert_eq!(of(500), "8 hours");
    assert_eq!(of(3000), "2 days");
}
