use super::*;

#[test]
fn a_smaller_edge_takes_longer_and_a_tiny_one_cannot_be_known() {
    let design = Design::of(0.0025, 16.0 * 0.0025);
    let [large, middle, small] = years_until(&design, [0.40, 0.20, 0.02], 20.0);
    let (large, middle) = (large.unwrap(), middle.unwrap());
    // The median at 20 % a year and a deviation of 0.25 % is 1.3 years; four of five take longer.
    assert!(
        large < middle && (1.3..2.6).contains(&middle),
        "{large} {middle}"
    );
    assert_eq!(small, None);
    assert_eq!(years_until(&Design::of(0.0, 0.1), [0.2], 20.0), [None]);
}

#[test]
fn one_side_is_sooner_and_a_larger_family_is_later() {
    let both = Design::of(0.0025, 16.0 * 0.0025);
    let one_sided = Design {
        side: Side::Above,
        ..both
    };
    let of = |design: &Design, needed| years_until(design, [0.40], needed)[0].unwrap();
    assert!(of(&one_sided, 20.0) < of(&both, 20.0));
    assert!(of(&both, 20.0) < of(&both, 200.0));
    // Two tracks help as far as they tell different things.
    let paired = |correlation| Design {
        series: Series::Two(correlation),
        ..both
    };
    assert!(of(&paired(0.0), 20.0) < of(&paired(0.95), 20.0));
}

#[test]
fn days_followed_one_by_one_take_as_long_as_the_boundary_says() {
    use crate::evidence::claims::{Increment, Process, Rules, State};
    let (deviation, spread) = (0.0025, 0.2);
    let design = Design::of(deviation, 16.0 * deviation);
    let rules = Rules {
        side: Side::Either,
        alpha: 0.05,
        scale: deviation,
        spread,
    };
    let mut random = Random::of(Digest::of(b"one by one"), "planning");
    let mut found: Vec<usize> = (0..400)
        .map(|_| {
            let mut process = Process::new(rules);
            let mut day = |process: &mut Process| {
                process.step(&Increment {
                    day: jiff::civil::date(2026, 1, 5),
                    difference: 0.40 / 252.0 + deviation * random.normal(),
                    distance: 16.0 * deviation / spread,
                });
                matches!(process.state(), State::Established(_))
            };
            let mut days = 1;
            while !day(&mut process) {
                days += 1;
            }
            days
        })
        .collect();
    found.sort_unstable();
    let seen = real(found[319]) / 252.0;
    let planned = years_until(&design, [0.40], 20.0)[0].unwrap();
    assert!((planned / seen - 1.0).abs() < 0.12, "{planned} {seen}");
}
