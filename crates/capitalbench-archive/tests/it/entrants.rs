//! A thousand entrants without skill over the rounds of the public record.

use capitalbench_core::evidence::inference::admissible::Admissible;
use capitalbench_core::evidence::inference::null::{DRAWS, Null, Volatility, stouffer};
use capitalbench_core::evidence::inference::overlap::Overlap;
use capitalbench_core::evidence::inference::random::Random;
use capitalbench_core::publication::PublicRound;
use capitalbench_core::round::manifest::{SubmissionFormat, Track};
use capitalbench_core::values::ids::Digest;

use crate::boards::published;

const ENTRANTS: usize = 1_000;

/// Percentiles of all entrants in a round; none where the round has no null.
fn percentiles(round: &PublicRound) -> Option<Vec<f64>> {
    let resolved = round.resolved()?;
    let limits = round.manifest.limits();
    let format = round.manifest.format;
    let allowed = Admissible::new(&round.universe, format, &limits).ok()?;
    let freeze = round.frozen.as_ref()?.digest;
    let returns = &resolved.returns;
    let null = Null::draw(
        &round.universe,
        &allowed,
        freeze,
        returns,
        &Volatility::new(),
    )
    .ok()?;
    let mut random = Random::of(freeze, "entrants");
    let mut held = Vec::new();
    let options = round.universe.options();
    let percentiles = (0..ENTRANTS).map(|_| {
        allowed.draw(&mut random, &mut held);
        let gain = |(place, share): &(u32, f64)| {
            let found = returns.get(&options[*place as usize].id);
            share * found.expect("a priced option").value.get()
        };
        null.percentile(held.iter().map(gain).sum())
    });
    Some(percentiles.collect())
}

/// Chance of a distance from uniform at least this large, by Kolmogorov's series.
#[expect(clippy::cast_precision_loss, reason = "tens of thousands")]
fn kolmogorov_smirnov(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let count = values.len() as f64;
    let mut distance = 0.0_f64;
    for (place, value) in values.iter().enumerate() {
        let (before, after) = (place as f64 / count, (place + 1) as f64 / count);
        distance = distance.max(value - before).max(after - value);
    }
    let scaled = distance * (count.sqrt() + 0.12 + 0.11 / count.sqrt());
    let term = |k: i32| {
        let k = f64::from(k);
        (-2.0 * (k * scaled).powi(2)).exp() * if k % 2.0 == 0.0 { -1.0 } else { 1.0 }
    };
    2.0 * (1..100).map(term).sum::<f64>()
}

#[test]
fn luck_is_uniform_and_seldom_taken_for_skill() {
    let Some(published) = published() else { return };
    for track in [Track::Weekly, Track::Monthly] {
        let mut windows = Vec::new();
        let mut rounds = Vec::new();
        let mut portfolios = Vec::new();
        for round in published.rounds.iter().filter(|r| r.track == Some(track)) {
            if let Some(found) = percentiles(round) {
                // A single pick has as many percentiles as options: steps, not a line.
                if round.manifest.format == SubmissionFormat::Portfolio {
                    portfolios.extend_from_slice(&found);
                }
                windows.extend(round.manifest.window);
                rounds.push(found);
            }
        }
        assert!(rounds.len() >= 18 && windows.len() == rounds.len());
        let uniform = kolmogorov_smirnov(portfolios);
        let overlap = Overlap::new(&windows);
        let skilled = (0..ENTRANTS).filter(|entrant| {
            let own: Vec<f64> = rounds.iter().map(|round| round[*entrant]).collect();
            stouffer(&own, DRAWS, &overlap).expect("rounds").p_value < 0.05
        });
        let skilled = skilled.count();
        println!(
            "{}: {} rounds, Kolmogorov-Smirnov p {uniform:.3}, {skilled} of {ENTRANTS} flagged",
            track.as_str(),
            rounds.len()
        );
        assert!(uniform > 0.01, "{uniform}");
        assert!(skilled <= ENTRANTS / 20, "{skilled}");
    }
}

#[test]
fn the_test_of_uniformity_sees_what_is_not_uniform() {
    let mut random = Random::of(Digest::of(b"ks"), "test");
    let even: Vec<f64> = (0..1_000).map(|_| random.unit()).collect();
    assert!(kolmogorov_smirnov(even.clone()) > 0.01);
    let bent = even.iter().map(|value| value.powf(1.2)).collect();
    assert!(kolmogorov_smirnov(bent) < 0.01);
}

#[test]
fn separate_rounds_flag_as_many_as_stated() {
    // Without overlap the combination is exact: one in twenty, give or take.
    let mut random = Random::of(Digest::of(b"separate"), "test");
    let spans: Vec<(usize, usize)> = (0..13).map(|i| (5 * i, 5 * i + 5)).collect();
    let overlap = Overlap::of_spans(&spans);
    let flagged = (0..4_000).filter(|_| {
        let own: Vec<f64> = spans.iter().map(|_| random.unit()).collect();
        stouffer(&own, DRAWS, &overlap).expect("rounds").p_value < 0.05
    });
    let flagged = flagged.count();
    assert!((150..250).contains(&flagged), "{flagged}");
}
