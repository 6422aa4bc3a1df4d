use super::*;

#[test]
fn an_absurd_number_of_weights_does_not_overflow() {
    let sum = |count| std::iter::repeat_n(BasisPoints::WHOLE, count).sum::<BasisPoints>();
    assert_eq!(sum(0), BasisPoints::default());
    assert_eq!(sum(3).get(), 30_000);
    assert_eq!(sum(450_000).get(), u32::MAX);
}

#[test]
fn prices_are_finite_and_positive() {
    for bad in [0.0, -0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert_eq!(Price::new(bad), None);
    }
    assert!(Price::new(0.01).is_some());
}

#[test]
fn percentages_show_their_sign() {
    assert_eq!(signed_percent(0.012_499), "+1.25 %");
    assert_eq!(signed_percent(-0.003_1), "-0.31 %");
    assert_eq!(signed_percent(0.0), "+0.00 %");
}

#[test]
fn a_return_is_exit_over_entry_minus_one() {
    let price = |value| Price::new(value).unwrap();
    let real = Return::between(price(599.830_017_089_843_8), price(627.530_029_296_875));
    assert_eq!(real.get().to_bits(), 0.046_179_769_964_533_66_f64.to_bits());
}
