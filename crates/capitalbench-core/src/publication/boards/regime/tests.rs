use super::*;

#[test]
fn borders_belong_where_the_rule_puts_them() {
    let of = |track, percent: f64| Regime::of(track, Return::from_fraction(percent / 100.0));
    for (percent, weekly, monthly) in [
        (-3.0, Regime::SharpDown, Regime::SharpDown),
        (-2.0, Regime::SharpDown, Regime::Down),
        (-1.0, Regime::Down, Regime::Flat),
        (-0.5, Regime::Flat, Regime::Flat),
        (0.5, Regime::Flat, Regime::Flat),
        (1.0, Regime::Up, Regime::Flat),
        (2.0, Regime::SharpUp, Regime::Up),
        (3.0, Regime::SharpUp, Regime::SharpUp),
    ] {
        assert_eq!(of(Track::Weekly, percent), weekly, "{percent} weekly");
        assert_eq!(of(Track::Monthly, percent), monthly, "{percent} monthly");
    }
}
