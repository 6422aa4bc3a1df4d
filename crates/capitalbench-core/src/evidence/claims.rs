//! Claims that survive daily looks, method `eproc-v1`.
//!
//! A claim is registered before its first day: two sides, a scale `s0`, a bound on what a day can
//! lose, and a level. Every later day multiplies the stakes of eight bets on the difference of both
//! sides. Without a difference nobody can expect to win, whenever he looks, so the chance that the
//! stakes ever grow to `1 / alpha` is at most `alpha`.

use jiff::civil::Date;

use crate::values::sums::real;
use crate::values::words::words;

pub mod daily;
pub mod designs;
pub mod outlook;
pub mod pair;
pub mod planning;
pub mod record;
pub mod terms;

/// The version of everything computed here; a changed method gets a new one.
pub const METHOD: &str = "eproc-v1";
/// Bets side by side, each half as bold again as the one before: `2^(-g/2)`.
const BETS: usize = 8;
/// Gains of a day count up to this many deviations.
const CLIP: f64 = 5.0;
/// The boldest bet.
const BOLDEST: f64 = 0.5;
/// Share of the stakes that the worst day of the bound may take.
const RISKED: f64 = 0.9;
/// Rounding that a bound forgives.
const ROUNDING: f64 = 1e-12;
/// Stakes grow no further: no claim needs so many, and a product of more has no number.
const LARGEST: f64 = 1e200;

/// Which differences a claim is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Side {
    /// The first side is above the second.
    Above,
    /// The two differ.
    Either,
}

words!(Side {
    Above => "above",
    Either => "either",
});

/// What a claim fixes before its first day.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Rules {
    pub side: Side,
    /// Chance of establishing what is not so.
    pub alpha: f64,
    /// Expected daily deviation of the difference; a wrong one costs power only.
    pub scale: f64,
    /// Largest daily spread between any two options that the claim allows for.
    pub spread: f64,
}

/// What a day brought.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Increment {
    pub day: Date,
    /// Gain of the first side less that of the second, mean over live rounds.
    pub difference: f64,
    /// Half the absolute difference of the weights at the close before, mean over the same rounds.
    pub distance: f64,
}

impl Increment {
    /// The largest loss that the claim allows for, known at the close before.
    pub fn bound(&self, rules: &Rules) -> f64 {
        rules.spread * self.distance
    }
}

/// Where a claim stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// Not yet decided.
    Open,
    /// Established on a day, for good.
    Established(Date),
    /// A day moved beyond the bound: the claim can never be established.
    BoundBroken(Date),
}

/// The stakes of one direction, each of which began at one.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Stakes([f64; BETS]);

impl Default for Stakes {
    fn default() -> Self {
        Self([1.0; BETS])
    }
}

impl Stakes {
    /// Bets that `gain` is positive; it is above `-bound`.
    fn bet(&mut self, gain: f64, bound: f64, scale: f64) {
        let gain = gain.min(CLIP * scale) / scale;
        let mut bold = BOLDEST.min(RISKED * scale / bound);
        for own in &mut self.0 {
            *own = (*own * (1.0 + bold * gain)).min(LARGEST);
            bold *= std::f64::consts::FRAC_1_SQRT_2;
        }
    }

    fn value(&self) -> f64 {
        self.0.iter().sum::<f64>() / real(BETS)
    }
}

/// A claim while its days pass.
#[derive(Debug, Clone, PartialEq)]
pub struct Process {
    rules: Rules,
    above: Stakes,
    below: Stakes,
    highest: f64,
    state: State,
}

impl Process {
    /// A claim before its first day.
    pub fn new(rules: Rules) -> Self {
        Self {
            rules,
            above: Stakes::default(),
            below: Stakes::default(),
            highest: 1.0,
            state: State::Open,
        }
    }

    /// A claim after these days, in order.
    pub fn over(rules: Rules, days: &[Increment]) -> Self {
        let mut process = Self::new(rules);
        for day in days {
            process.step(day);
        }
        process
    }

    /// Adds a day.
    pub fn step(&mut self, day: &Increment) {
        if matches!(self.state, State::BoundBroken(_)) {
            return;
        }
        let bound = day.bound(&self.rules);
        if day.difference.abs() > bound + ROUNDING {
            if self.state == State::Open {
                self.state = State::BoundBroken(day.day);
            }
            return;
        }
        let scale = self.rules.scale;
        self.above.bet(day.difference, bound, scale);
        self.below.bet(-day.difference, bound, scale);
        self.highest = self.highest.max(self.evidence());
        if self.state == State::Open && self.evidence() >= 1.0 / self.rules.alpha {
            self.state = State::Established(day.day);
        }
    }

    /// What the stakes of one unit have grown to.
    pub fn evidence(&self) -> f64 {
        match self.rules.side {
            Side::Above => self.above.value(),
            Side::Either => f64::midpoint(self.above.value(), self.below.value()),
        }
    }

    /// The highest evidence so far: a claim of a family is judged by it.
    pub fn highest(&self) -> f64 {
        self.highest
    }

    /// A p value that holds whenever it is read.
    pub fn p_value(&self) -> f64 {
        (1.0 / self.highest).min(1.0)
    }

    pub fn state(&self) -> State {
        self.state
    }
}

/// Which claims of a family are established, given the highest evidence of each. `size` is the
/// number fixed before the first day; claims of it that were never registered count against all.
pub fn family(highest: &[f64], size: usize, alpha: f64) -> Vec<bool> {
    let mut order: Vec<usize> = (0..highest.len()).collect();
    order.sort_by(|a, b| highest[*b].total_cmp(&highest[*a]).then(a.cmp(b)));
    let mut established = vec![false; highest.len()];
    for (step, place) in order.into_iter().enumerate() {
        if highest[place] < real(size.max(highest.len()) - step) / alpha {
            break;
        }
        established[place] = true;
    }
    established
}

/// The range in which the mean daily difference lies with chance `1 - alpha` on all days at once;
/// an end that no day has excluded is the largest bound.
pub fn confidence_sequence(rules: &Rules, days: &[Increment]) -> (f64, f64) {
    let widest = days.iter().map(|day| day.bound(rules)).fold(0.0, f64::max);
    let needed = 2.0 / rules.alpha;
    let excluded = |mean: f64, sign: f64| {
        let mut stakes = Stakes::default();
        days.iter().any(|day| {
            // A mean on the side of the bet makes the worst day worse.
            let bound = day.bound(rules) + mean.max(0.0);
            stakes.bet(sign * day.difference - mean, bound, rules.scale);
            stakes.value() >= needed
        })
    };
    let end = |sign: f64| {
        let (mut out, mut kept) = (-widest, widest);
        if !excluded(out, sign) {
            return out;
        }
        for _ in 0..60 {
            let middle = f64::midpoint(out, kept);
            if excluded(middle, sign) {
                out = middle;
            } else {
                kept = middle;
            }
        }
        out
    };
    (end(1.0), -end(-1.0))
}

/// Means that a path of the sequence tries on each side.
const TRIED: usize = 64;

/// The confidence sequence after each day, on a grid of means: for a chart.
pub fn sequence_path(rules: &Rules, days: &[Increment]) -> Vec<(f64, f64)> {
    let widest = days.iter().map(|day| day.bound(rules)).fold(0.0, f64::max);
    let needed = 2.0 / rules.alpha;
    let mut path = vec![(-widest, widest); days.len()];
    for (place, sign) in [(0, 1.0), (1, -1.0)] {
        for step in 0..=TRIED {
            let mean = widest * (2.0 * real(step) / real(TRIED) - 1.0);
            let mut stakes = Stakes::default();
            let excludes = |day: &Increment| {
                let bound = day.bound(rules) + mean.max(0.0);
                stakes.bet(sign * day.difference - mean, bound, rules.scale);
                stakes.value() >= needed
            };
            let Some(first) = days.iter().position(excludes) else {
                break;
            };
            for after in &mut path[first..] {
                if place == 0 {
                    after.0 = after.0.max(mean);
                } else {
                    after.1 = after.1.min(-mean);
                }
            }
        }
    }
    path
}

/// Evidence by a mixture of normal bets: a second, descriptive figure, valid only where differences
/// are symmetric given the past.
pub fn symmetric_evidence(rules: &Rules, days: &[Increment]) -> f64 {
    let sum: f64 = days.iter().map(|day| day.difference).sum();
    let squares: f64 = days.iter().map(|day| day.difference.powi(2)).sum();
    let prior = 63.5 * rules.scale * rules.scale;
    (prior / (prior + squares)).sqrt() * (sum * sum / (2.0 * (prior + squares))).exp()
}

#[cfg(test)]
mod tests;
