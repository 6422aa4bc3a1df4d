use super::*;

fn round(low: f64, high: f64, bins: &[u32]) -> ChanceSummary {
    ChanceSummary {
        low,
        median: f64::midpoint(low, high),
        high,
        bins: bins.to_vec(),
    }
}

#[test]
fn gains_are_summed_and_never_compounded() {
    assert_eq!(so_far(&[0.1, 0.1, -0.2]), [1_000.0, 2_000.0, 0.0]);
    assert_eq!(so_far(&[]), Vec::<f64>::new());
}

#[test]
fn the_fan_follows_from_the_draws_of_each_round_and_its_seed_alone() {
    let (first, second) = (round(-0.04, 0.06, &[1, 2, 4, 2, 1]), round(0.0, 0.02, &[5]));
    let seed = Digest::of(b"set");
    let found = fan(seed, &[&first, &second]);
    assert_eq!(found, fan(seed, &[&first, &second]));
    assert_ne!(found, fan(Digest::of(b"another"), &[&first, &second]));
    for lines in &found {
        assert!(lines.is_sorted(), "{lines:?}");
    }
    let [low, .., high] = found[0];
    assert!(
        (-400.0..0.0).contains(&low) && (200.0..600.0).contains(&high),
        "{found:?}"
    );
    // Each round adds its own: the middle of the first is 1 %, that of both 2 %.
    let middles = [found[0][2], found[1][2]];
    assert!(
        (middles[0] - 100.0).abs() < 25.0 && (middles[1] - 200.0).abs() < 25.0,
        "{middles:?}"
    );
}

#[test]
fn draws_that_all_returned_the_same_have_no_spread() {
    let found = fan(
        Digest::of(b"set"),
        &[&round(0.01, 0.01, &[7]), &round(0.02, 0.02, &[])],
    );
    assert_eq!(found, [[100.0; 5], [300.0; 5]]);
}
