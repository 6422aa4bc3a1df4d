//! How often equal models are told apart, and how often a rank range shuts one out.

use capitalbench_core::evidence::inference::daily::{DailyRecord, by_day};
use capitalbench_core::evidence::inference::overlap::live_sessions;
use capitalbench_core::evidence::inference::ties::{holm, rank_ranges};
use capitalbench_core::market::calendar::Market;
use capitalbench_core::round::manifest::Window;
use jiff::civil::Date;

use super::Row;
use super::coverage::{calendar, likely, mean, told, weekly};
use super::world::{Days, Noise, OPTIONS, Portfolio, gain, market, portfolio};

const MODELS: usize = 6;
const ROUNDS: usize = 40;

/// One history of equal models: who holds what in each round, and what the days brought.
struct History {
    spans: Vec<(usize, usize)>,
    dates: Vec<Date>,
    days: Vec<[f64; OPTIONS]>,
    held: Vec<Vec<Portfolio>>,
    live: Vec<(Date, u32)>,
}

impl History {
    fn new(kind: Days, noise: &mut Noise) -> Self {
        let spans = weekly(ROUNDS).spans();
        let last = spans[spans.len() - 1].1;
        let dates = calendar(last);
        let window = |(begin, end): &(usize, usize)| Window {
            entry: dates[*begin],
            exit: dates[*end],
            market: Market::default(),
        };
        let windows: Vec<Window> = spans.iter().map(window).collect();
        // Models agree on most of a round: each changes one holding of a common portfolio.
        let held = spans.iter().map(|_| {
            let common = portfolio(noise);
            let own = |_| {
                let mut own = common;
                own[noise.below(4)] = noise.below(OPTIONS);
                own
            };
            (0..MODELS).map(own).collect()
        });
        Self {
            held: held.collect(),
            days: market(last, kind, noise),
            live: live_sessions(&windows),
            spans,
            dates,
        }
    }

    /// Chance of the difference of two models, and whether the first is above.
    fn pair(&self, first: usize, second: usize) -> (f64, bool) {
        let mut known: Vec<(Date, f64)> = Vec::new();
        let mut gaps = Vec::new();
        for ((begin, end), held) in self.spans.iter().zip(&self.held) {
            let days = &self.days[*begin..*end];
            let gap = |day| gain(&held[first], day) - gain(&held[second], day);
            let own: Vec<f64> = days.iter().map(gap).collect();
            gaps.push(own.iter().sum());
            known.extend(self.dates[begin + 1..].iter().copied().zip(own));
        }
        let record = DailyRecord::new(by_day(known), &self.live, ROUNDS);
        let found = record.estimate(mean(&gaps)).expect("enough days");
        (found.p_value(), found.mean > 0.0)
    }

    /// Whether some pair is told apart, and whether some rank range shuts out a place.
    fn errs(&self) -> (bool, bool) {
        let pairs = (0..MODELS).flat_map(|a| (a + 1..MODELS).map(move |b| (a, b)));
        let pairs: Vec<(usize, usize)> = pairs.collect();
        let tests: Vec<(f64, bool)> = pairs.iter().map(|(a, b)| self.pair(*a, *b)).collect();
        let adjusted = holm(&tests.iter().map(|test| test.0).collect::<Vec<_>>());
        let mut apart = Vec::new();
        for (((a, b), test), p) in pairs.iter().zip(&tests).zip(adjusted) {
            if p < 0.05 {
                apart.push(if test.1 { (*a, *b) } else { (*b, *a) });
            }
        }
        let ranks = rank_ranges(MODELS, |a, b| apart.contains(&(a, b)));
        let shut = ranks.iter().any(|own| own.from > 1 || own.to < MODELS);
        (!apart.is_empty(), shut)
    }
}

/// Errors of six equal models in both kinds of days.
pub(crate) fn rows(histories: usize) -> Vec<Row> {
    let mut rows = Vec::new();
    for kind in [Days::Normal, Days::Garch] {
        let mut noise = Noise::new(&format!("family {}", kind.name()));
        let all: Vec<(bool, bool)> = (0..histories)
            .map(|_| History::new(kind, &mut noise).errs())
            .collect();
        let count = |of: fn(&(bool, bool)) -> bool| all.iter().filter(|own| of(own)).count();
        for (what, wrong) in [
            ("some pair told apart", count(|own| own.0)),
            ("some rank range shuts out a place", count(|own| own.1)),
        ] {
            rows.push(Row {
                what: format!(
                    "{what}: six equal models, {ROUNDS} weekly rounds, {} days",
                    kind.name()
                ),
                figure: told(wrong, histories),
                limit: "99 % interval reaches 5 %".to_owned(),
                holds: Some(likely(wrong, histories).0 <= 0.05),
            });
        }
    }
    rows
}
