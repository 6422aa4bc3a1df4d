//! How often registered claims are established without a difference, and how soon with one.

use capitalbench_core::evidence::claims::{Increment, Process, Rules, Side, State};
use jiff::civil::date;

use super::Row;
use super::coverage::{likely, told};
use super::world::{Days, Noise, Shocks};

/// Sessions in a year.
const YEAR: usize = 252;
/// Daily deviation of a difference.
const DEVIATION: f64 = 0.005;
/// Largest loss in deviations.
const BOUND: f64 = 16.0;
/// Largest spread of a day that claims allow for.
const SPREAD: f64 = 0.20;

/// Days of a difference.
#[derive(Debug, Clone, Copy)]
enum World {
    Plain(Days),
    /// One day in a hundred moves by this much, and the others balance it.
    Jumps(f64),
}

impl World {
    fn shocks(self) -> Shocks {
        Shocks::new(match self {
            Self::Plain(days) => days,
            Self::Jumps(_) => Days::Normal,
        })
    }

    /// A day of mean zero; what no claim allows for is cut on both sides alike.
    fn day(self, shocks: &mut Shocks, noise: &mut Noise) -> f64 {
        let plain = DEVIATION * shocks.next(noise);
        let found = match self {
            Self::Plain(_) => plain,
            Self::Jumps(size) if noise.unit() < 0.01 => size,
            Self::Jumps(size) => plain - size / 99.0,
        };
        let most = DEVIATION * BOUND - 0.001;
        found.clamp(-most, most)
    }
}

fn rules(side: Side, scale: f64) -> Rules {
    Rules {
        side,
        alpha: 0.05,
        scale,
        spread: SPREAD,
    }
}

/// Days until a claim is established, looked at every day; none where it is not within so many.
fn established(
    rules: Rules,
    (world, edge): (World, f64),
    days: usize,
    noise: &mut Noise,
) -> Option<usize> {
    let mut shocks = world.shocks();
    let mut process = Process::new(rules);
    (1..=days).find(|_| {
        process.step(&Increment {
            day: date(2026, 1, 5),
            difference: world.day(&mut shocks, noise) + edge,
            distance: DEVIATION * BOUND / SPREAD,
        });
        matches!(process.state(), State::Established(_))
    })
}

/// False crossings within five years of daily looks.
pub(crate) fn false_crossings(histories: usize) -> Vec<Row> {
    let histories = 10 * histories;
    let garch = World::Plain(Days::Garch);
    let cases = [
        ("normal days", World::Plain(Days::Normal), DEVIATION),
        ("GARCH-t days", garch, DEVIATION),
        (
            "-7.9 % on one day in a hundred",
            World::Jumps(-0.079),
            DEVIATION,
        ),
        (
            "+7.9 % on one day in a hundred",
            World::Jumps(0.079),
            DEVIATION,
        ),
        ("s0 four times too large", garch, 4.0 * DEVIATION),
        ("s0 four times too small", garch, DEVIATION / 4.0),
    ];
    let mut rows = Vec::new();
    for (name, world, scale) in cases {
        for (side, sides) in [(Side::Either, "two-sided"), (Side::Above, "one-sided")] {
            let mut noise = Noise::new(&format!("claims {name} {sides}"));
            let rules = rules(side, scale);
            let crosses =
                |_: &usize| established(rules, (world, 0.0), 5 * YEAR, &mut noise).is_some();
            let wrong = (0..histories).filter(crosses).count();
            rows.push(Row {
                what: format!("claim established where nothing differs, {sides}, five years of daily looks: {name}"),
                figure: told(wrong, histories),
                limit: "99 % interval within 5 %".to_owned(),
                holds: Some(likely(wrong, histories).1 <= 0.05),
            });
        }
    }
    rows
}

/// Median years until an edge is established.
pub(crate) fn decisions(histories: usize) -> Vec<Row> {
    let histories = (histories / 4).max(51);
    // Yearly edge, daily deviation in percent, and what an independent simulation found.
    let cases = [
        (0.20, 0.25, 1.3),
        (0.20, 0.5, 2.8),
        (0.20, 0.8, 5.1),
        (0.10, 0.25, 2.8),
        (0.10, 0.5, 6.6),
        (0.10, 0.8, 14.0),
    ];
    let row = |(edge, deviation, expected): (f64, f64, f64)| {
        let mut noise = Noise::new(&format!("decisions {edge} {deviation}"));
        // Only the ratio of edge and deviation matters.
        let daily = edge / 252.0 * (100.0 * DEVIATION / deviation);
        let world = (World::Plain(Days::Garch), daily);
        let most = 30 * YEAR;
        let mut found: Vec<usize> = (0..histories)
            .map(|_| {
                let rules = rules(Side::Either, DEVIATION);
                established(rules, world, most, &mut noise).unwrap_or(most)
            })
            .collect();
        found.sort_unstable();
        #[expect(clippy::cast_precision_loss, reason = "days of decades")]
        let median = found[found.len() / 2] as f64 / 252.0;
        Row {
            what: format!(
                "median years until a claim establishes {:.0} % a year at a daily deviation of {deviation} %",
                100.0 * edge
            ),
            figure: format!("{median:.1}"),
            limit: format!("{expected} within a quarter"),
            holds: Some((median / expected - 1.0).abs() <= 0.25),
        }
    };
    cases.into_iter().map(row).collect()
}
