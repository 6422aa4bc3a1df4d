//! The whole inference of ten models over 113 rounds, and the CPU time it takes.
//!
//! Used by `scripts/bench`: prints the seconds of one pass, then the nanoseconds per portfolio of
//! a whole null and of the draw alone. Rounds begin every session, as in the public record.
#![expect(
    clippy::disallowed_methods,
    reason = "a measuring program reads the kernel's clock of itself"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write as _;

use capitalbench_core::decision::portfolio::Constraints;
use capitalbench_core::evidence::inference::admissible::Admissible;
use capitalbench_core::evidence::inference::bootstrap::studentised_interval;
use capitalbench_core::evidence::inference::hac::mean_estimate;
use capitalbench_core::evidence::inference::null::{DRAWS, LABEL, Null, Volatility, stouffer};
use capitalbench_core::evidence::inference::overlap::Overlap;
use capitalbench_core::evidence::inference::random::Random;
use capitalbench_core::evidence::inference::ties::{holm, rank_ranges, tie_groups};
use capitalbench_core::evidence::order_bias::{Placed, order_bias};
use capitalbench_core::evidence::twins::{Cell, sensitivity};
use capitalbench_core::market::prices::{PriceSheet, Quote};
use capitalbench_core::market::universe::Universe;
use capitalbench_core::result::returns::RoundReturns;
use capitalbench_core::round::manifest::SubmissionFormat;
use capitalbench_core::values::ids::{Digest, OptionId};
use capitalbench_core::values::units::Price;

#[path = "shared/universe.rs"]
mod universe;

const MODELS: usize = 10;
/// Rounds of each track, with their sessions.
const TRACKS: [(usize, usize); 2] = [(57, 5), (56, 21)];
const PASSES: usize = 5;
/// Nulls per reading of the clock, which is coarse.
const NULLS: usize = 200;

/// Made-up gains of a round: every option moves by chance.
fn returns(universe: &Universe, random: &mut Random) -> RoundReturns {
    let mut sheet = |moves: bool| {
        let quotes = universe.options().iter().map(|option| Quote {
            key: option.id.to_string(),
            date: None,
            close: None,
            adjusted: Price::new(if moves {
                100.0 + 3.0 * random.normal()
            } else {
                100.0
            }),
            price: None,
            index: None,
            source: None,
        });
        PriceSheet::new(quotes.collect()).expect("a sheet")
    };
    let (entry, exit) = (sheet(false), sheet(true));
    RoundReturns::new(universe, &entry, &exit, &BTreeSet::new()).expect("returns")
}

/// Windows of a track, and the returns of the round of each.
type Rounds = (Vec<(usize, usize)>, Vec<RoundReturns>);

/// What a pass works on, made before the clock starts.
struct Record {
    universe: Universe,
    limits: Constraints,
    /// By track.
    tracks: Vec<Rounds>,
    /// By track and model: one gain a day.
    series: Vec<Vec<Vec<f64>>>,
    volatility: Volatility,
}

impl Record {
    fn new() -> Self {
        let universe = universe::seventy_options();
        let mut random = Random::of(Digest::of(b"speed"), "record");
        let mut tracks = Vec::new();
        let mut series = Vec::new();
        for (rounds, sessions) in TRACKS {
            let spans: Vec<(usize, usize)> = (0..rounds).map(|i| (i, i + sessions)).collect();
            let returns = spans.iter().map(|_| returns(&universe, &mut random));
            tracks.push((spans.clone(), returns.collect()));
            let days = rounds + sessions;
            let own = (0..MODELS).map(|_| (0..days).map(|_| 0.01 * random.normal()).collect());
            series.push(own.collect());
        }
        let options = universe.options().iter();
        let volatility = options
            .map(|option| (option.id.clone(), 0.1 + 0.3 * random.unit()))
            .collect();
        Self {
            limits: Constraints::default(),
            universe,
            tracks,
            series,
            volatility,
        }
    }

    /// Everything the boards need; the sum keeps the work from being left out.
    fn pass(&self) -> f64 {
        let mut sum = 0.0;
        let allowed = Admissible::new(&self.universe, SubmissionFormat::Portfolio, &self.limits)
            .expect("a portfolio");
        for ((spans, rounds), series) in self.tracks.iter().zip(&self.series) {
            let overlap = Overlap::of_spans(spans);
            let mut percentiles = vec![Vec::new(); MODELS];
            for (number, returns) in rounds.iter().enumerate() {
                let freeze = Digest::of(&number.to_le_bytes());
                let null = Null::draw(&self.universe, &allowed, freeze, returns, &self.volatility);
                let null = null.expect("a null");
                for (own, value) in percentiles.iter_mut().zip(returns.options()) {
                    own.push(null.percentile(value.value.get()));
                }
            }
            for (own, days) in percentiles.iter().zip(series) {
                let mut random = Random::of(Digest::of(b"speed"), "interval");
                sum += stouffer(own, DRAWS, &overlap).expect("percentiles").z;
                sum += mean_estimate(days).expect("days").mean;
                sum += studentised_interval(days, &mut random).expect("days").0;
            }
            let gap = |a: usize, b: usize| {
                let days = series[a].iter().zip(&series[b]);
                let days: Vec<f64> = days.map(|(a, b)| a - b).collect();
                mean_estimate(&days).expect("days").p_value()
            };
            let pairs = (0..MODELS).flat_map(|a| (a + 1..MODELS).map(move |b| (a, b)));
            let pairs: Vec<(usize, usize)> = pairs.collect();
            let adjusted = holm(&pairs.iter().map(|(a, b)| gap(*a, *b)).collect::<Vec<_>>());
            let told: Vec<&(usize, usize)> = pairs
                .iter()
                .zip(&adjusted)
                .filter_map(|(pair, p)| (*p < 0.05).then_some(pair))
                .collect();
            let apart = |a: usize, b: usize| told.contains(&&(a, b));
            sum += f64::from(u32::try_from(tie_groups(MODELS, apart)[1]).unwrap_or(0));
            sum += f64::from(u32::try_from(rank_ranges(MODELS, apart)[0].from).unwrap_or(0));
        }
        sum + self.moved()
    }

    /// The habit of place of every model, and four twins of every fourth round of each of them.
    fn moved(&self) -> f64 {
        let mut random = Random::of(Digest::of(b"speed"), "moved");
        let ids: Vec<&OptionId> = self.universe.options().iter().map(|own| &own.id).collect();
        let mut sum = 0.0;
        for (track, (spans, _)) in self.tracks.iter().enumerate() {
            for model in 0..MODELS {
                let mut place = |held: usize| (held * 13 + random.index(13) + 1, 0.2);
                let placed: Vec<Placed> = (0..spans.len())
                    .filter_map(|_| Placed::new(ids.len(), (0..5).map(&mut place).collect()))
                    .collect();
                let found = order_bias(&format!("{track} {model}"), &placed);
                sum += found.expect("rounds").p_value;
                for twin in 0..4 {
                    let mut answer = |_| -> BTreeMap<OptionId, f64> {
                        let held = |held: usize| (ids[held * 13 + random.index(3)].clone(), 0.2);
                        (0..5).map(held).collect()
                    };
                    let cells = (0..spans.len().div_ceil(4)).filter_map(|round| {
                        let lanes = [(); 2].map(|()| [0, 1].map(&mut answer));
                        Cell::new(round, &lanes[0], &lanes[1])
                    });
                    let cells: Vec<Cell> = cells.collect();
                    let found = sensitivity(&format!("{track} {model} {twin}"), &cells);
                    sum += found.expect("cells").p_value;
                }
            }
        }
        sum
    }
}

/// Seconds of the fastest of some passes.
fn fastest(mut pass: impl FnMut() -> f64) -> Result<f64, Box<dyn std::error::Error>> {
    let mut best = f64::INFINITY;
    for _ in 0..PASSES {
        let before = cpu_seconds()?;
        assert!(pass().is_finite(), "nothing was computed");
        best = best.min(cpu_seconds()? - before);
    }
    Ok(best)
}

/// Time this thread spent on a core, user and system.
fn cpu_seconds() -> Result<f64, Box<dyn std::error::Error>> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat")?;
    let first = text.split_whitespace().next().ok_or("an empty schedstat")?;
    Ok(first.parse::<f64>()? / 1e9)
}

#[expect(clippy::cast_precision_loss, reason = "two million")]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let record = Record::new();
    let whole = fastest(|| record.pass())?;
    let allowed = Admissible::new(
        &record.universe,
        SubmissionFormat::Portfolio,
        &record.limits,
    )?;
    let returns = &record.tracks[0].1[0];
    let one = fastest(|| {
        let null = |number: usize| {
            let freeze = Digest::of(&number.to_le_bytes());
            let null = Null::draw(
                &record.universe,
                &allowed,
                freeze,
                returns,
                &Volatility::new(),
            );
            null.map_or(f64::NAN, |null| null.median())
        };
        (0..NULLS).map(null).sum()
    })?;
    let alone = fastest(|| {
        let mut random = Random::of(Digest::of(b"speed"), LABEL);
        let mut held = Vec::new();
        let draw = |_| {
            allowed.draw(&mut random, &mut held);
            held[0].1
        };
        (0..NULLS * DRAWS).map(draw).sum()
    })?;
    let each = |seconds: f64| 1e9 * seconds / (NULLS * DRAWS) as f64;
    writeln!(
        std::io::stdout(),
        "{whole:.4} {:.1} {:.1}",
        each(one),
        each(alone)
    )?;
    Ok(())
}
