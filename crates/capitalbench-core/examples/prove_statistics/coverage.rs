//! How often intervals cover the truth of overlapping rounds.

use capitalbench_core::evidence::inference::daily::{DailyRecord, by_day};
use capitalbench_core::evidence::inference::hac::MeanEstimate;
use capitalbench_core::evidence::inference::overlap::{Overlap, live_sessions, score_estimate};
use capitalbench_core::market::calendar::Market;
use capitalbench_core::round::manifest::Window;
use jiff::civil::{Date, date};

use super::Row;
use super::world::{Days, Noise, OPTIONS, Portfolio, gain, market, portfolio, reference};

/// How a model goes from one round to the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Habit {
    /// Keeps three of four portfolios.
    Keeps,
    /// Holds something else in every round.
    Changes,
}

/// A track with so many rounds.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cell {
    name: &'static str,
    pub(crate) rounds: usize,
    /// Sessions of a window.
    pub(crate) sessions: usize,
    /// Sessions from one round to the next.
    every: usize,
}

const CELLS: [Cell; 6] = [
    weekly(20),
    weekly(40),
    weekly(60),
    monthly(5),
    monthly(20),
    monthly(60),
];

/// A round every second session.
pub(crate) const fn weekly(rounds: usize) -> Cell {
    Cell {
        name: "weekly",
        rounds,
        sessions: 5,
        every: 2,
    }
}

/// A round a week.
const fn monthly(rounds: usize) -> Cell {
    Cell {
        name: "monthly",
        rounds,
        sessions: 21,
        every: 5,
    }
}

impl Cell {
    fn days(self) -> usize {
        (self.rounds - 1) * self.every + self.sessions
    }

    pub(crate) fn spans(self) -> Vec<(usize, usize)> {
        let begin = |round| round * self.every;
        (0..self.rounds)
            .map(|round| (begin(round), begin(round) + self.sessions))
            .collect()
    }
}

/// Sessions from the first on, one more than these days.
pub(crate) fn calendar(days: usize) -> Vec<Date> {
    let first = date(2026, 1, 5);
    std::iter::successors(Some(first), |day| Market::default().next_session(*day))
        .take(days + 1)
        .collect()
}

/// Figures of a history with the estimates of each method.
struct History {
    returns: Vec<f64>,
    oracles: Vec<f64>,
    misses: Vec<f64>,
    daily: Option<MeanEstimate>,
    fallback: Option<MeanEstimate>,
    brier: Option<MeanEstimate>,
}

/// What a cell's rounds share.
struct Frame {
    cell: Cell,
    dates: Vec<Date>,
    overlap: Overlap,
    live: Vec<(Date, u32)>,
}

impl Frame {
    fn new(cell: Cell) -> Self {
        let dates = calendar(cell.days());
        let windows: Vec<Window> = cell
            .spans()
            .iter()
            .map(|(begin, end)| Window {
                entry: dates[*begin],
                exit: dates[*end],
                market: Market::default(),
            })
            .collect();
        Self {
            cell,
            dates,
            overlap: Overlap::of_spans(&cell.spans()),
            live: live_sessions(&windows),
        }
    }

    fn history(&self, kind: Days, habit: Habit, noise: &mut Noise) -> History {
        let days = market(self.cell.days(), kind, noise);
        let mut held: Portfolio = portfolio(noise);
        let (mut returns, mut oracles, mut gaps) = (Vec::new(), Vec::new(), Vec::new());
        let (mut misses, mut known) = (Vec::new(), Vec::new());
        for (begin, end) in self.cell.spans() {
            if habit == Habit::Changes || noise.unit() < 0.25 {
                held = portfolio(noise);
            }
            let (mut own, mut all) = (1.0, 1.0);
            let mut options = [1.0; OPTIONS];
            for (place, day) in days.iter().enumerate().take(end).skip(begin) {
                let (gained, index) = (gain(&held, day), reference(day));
                own *= 1.0 + gained;
                all *= 1.0 + index;
                for (value, moved) in options.iter_mut().zip(day) {
                    *value *= 1.0 + moved;
                }
                known.push((self.dates[place + 1], gained - index));
            }
            returns.push(own - 1.0);
            gaps.push(own - all);
            oracles.push(options.iter().fold(0.0, |best: f64, own| best.max(*own)) - 1.0);
            misses.push((0.6 - if own > all { 1.0 } else { 0.0_f64 }).powi(2));
        }
        let record = DailyRecord::new(by_day(known), &self.live, self.cell.rounds);
        let fallback = |values: &[f64]| self.overlap.mean(values).map(|found| found.estimate);
        History {
            daily: record.estimate(mean(&gaps)),
            fallback: fallback(&gaps),
            brier: fallback(&misses),
            returns,
            oracles,
            misses,
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "tens of thousands at most")]
pub(crate) fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// A method's estimates with the truth that they are to cover.
struct Judged {
    what: &'static str,
    estimates: Vec<Option<MeanEstimate>>,
    truth: f64,
}

fn judged(frame: &Frame, all: &[History]) -> [Judged; 4] {
    let sum = |of: fn(&History) -> &Vec<f64>| -> f64 { all.iter().flat_map(of).sum() };
    let score = 100.0 * sum(|own| &own.returns) / sum(|own| &own.oracles);
    let misses: Vec<f64> = all.iter().flat_map(|own| own.misses.clone()).collect();
    let scores = all
        .iter()
        .map(|own| score_estimate(&frame.overlap, &own.returns, &own.oracles).ok());
    let judged = |what, truth, estimates| Judged {
        what,
        estimates,
        truth,
    };
    [
        judged(
            "gap, by days",
            0.0,
            all.iter().map(|own| own.daily).collect(),
        ),
        judged(
            "gap, by rounds",
            0.0,
            all.iter().map(|own| own.fallback).collect(),
        ),
        judged("score", score, scores.collect()),
        judged(
            "Brier score",
            mean(&misses),
            all.iter().map(|own| own.brier).collect(),
        ),
    ]
}

/// The 99 % interval of a share by Wilson's method.
#[expect(clippy::cast_precision_loss, reason = "thousands")]
pub(crate) fn likely(hits: usize, of: usize) -> (f64, f64) {
    let (share, trials, z) = (hits as f64 / of as f64, of as f64, 2.575_829_3_f64);
    let spread = z * z / trials;
    let centre = (share + spread / 2.0) / (1.0 + spread);
    let inside = share * (1.0 - share) / trials + spread / (4.0 * trials);
    let width = z * inside.sqrt() / (1.0 + spread);
    (centre - width, centre + width)
}

/// A share as a percentage of how many.
#[expect(clippy::cast_precision_loss, reason = "thousands")]
pub(crate) fn told(hits: usize, of: usize) -> String {
    format!("{:.1} % of {of}", 100.0 * hits as f64 / of as f64)
}

fn row(frame: &Frame, name: &str, judged: Judged) -> Option<Row> {
    let Judged { what, truth, .. } = judged;
    let known: Vec<MeanEstimate> = judged.estimates.into_iter().flatten().collect();
    if known.len() < 100 {
        return None;
    }
    let covered = |own: &&MeanEstimate| {
        let (low, high) = own.interval(0.95);
        low <= truth && truth <= high
    };
    let hits = known.iter().filter(covered).count();
    let (low, high) = likely(hits, known.len());
    let worth = frame.overlap.effective();
    let informative = worth >= 4.0;
    // An interval that covers too often claims too little: told, and no error.
    let careful = match (low > 0.97, informative) {
        (false, _) => "",
        (true, true) => ", too careful: overlap is taken for likeness",
        (true, false) => ", too careful",
    };
    let (count, track) = (frame.cell.rounds, frame.cell.name);
    Some(Row {
        what: format!(
            "95 % interval of the {what}: {count} {track} rounds worth {worth:.1} windows, {name}"
        ),
        figure: format!("{}{careful}", told(hits, known.len())),
        limit: if informative {
            "99 % interval reaches 93 %".to_owned()
        } else {
            "told: fewer than 4 windows".to_owned()
        },
        holds: informative.then_some(high >= 0.93),
    })
}

/// Coverage in every cell and world.
pub(crate) fn rows(histories: usize) -> Vec<Row> {
    let mut rows = Vec::new();
    let worlds = [
        (Days::Normal, Habit::Keeps, "normal days"),
        (Days::Garch, Habit::Keeps, "GARCH-t days"),
        (
            Days::Garch,
            Habit::Changes,
            "GARCH-t days, new portfolios every round",
        ),
    ];
    for cell in CELLS {
        let frame = Frame::new(cell);
        for (kind, habit, name) in worlds {
            let mut noise = Noise::new(&format!("{cell:?} {name}"));
            let all: Vec<History> = (0..histories)
                .map(|_| frame.history(kind, habit, &mut noise))
                .collect();
            let judged = judged(&frame, &all);
            rows.extend(judged.into_iter().filter_map(|own| row(&frame, name, own)));
        }
    }
    rows
}
