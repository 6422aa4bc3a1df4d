//! Markets and models without skill.

use capitalbench_core::evidence::inference::random::Random;
use capitalbench_core::values::ids::Digest;

/// Options of a market.
pub(crate) const OPTIONS: usize = 40;
/// Options of one sector.
pub(crate) const SECTOR: usize = 8;

/// How days follow each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Days {
    Normal,
    /// Volatility that remembers, with shocks of a t with five degrees.
    Garch,
}

impl Days {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Normal => "normal",
            Self::Garch => "GARCH-t",
        }
    }
}

/// Standard normals, two at a time.
pub(crate) struct Noise {
    random: Random,
    spare: Option<f64>,
}

impl Noise {
    pub(crate) fn new(name: &str) -> Self {
        Self {
            random: Random::of(Digest::of(name.as_bytes()), "prove statistics"),
            spare: None,
        }
    }

    pub(crate) fn normal(&mut self) -> f64 {
        if let Some(spare) = self.spare.take() {
            return spare;
        }
        let radius = (-2.0 * (1.0 - self.random.unit()).ln()).sqrt();
        let (sin, cos) = (std::f64::consts::TAU * self.random.unit()).sin_cos();
        self.spare = Some(radius * sin);
        radius * cos
    }

    pub(crate) fn unit(&mut self) -> f64 {
        self.random.unit()
    }

    pub(crate) fn below(&mut self, end: usize) -> usize {
        self.random.index(end)
    }

    /// A t with five degrees, scaled to variance one.
    fn student(&mut self) -> f64 {
        let squares: f64 = (0..5).map(|_| self.normal().powi(2)).sum();
        self.normal() * (5.0 / squares).sqrt() * 0.6_f64.sqrt()
    }
}

/// One series of daily shocks of deviation one.
pub(crate) struct Shocks {
    days: Days,
    variance: f64,
}

impl Shocks {
    pub(crate) fn new(days: Days) -> Self {
        Self {
            days,
            variance: 1.0,
        }
    }

    pub(crate) fn next(&mut self, noise: &mut Noise) -> f64 {
        if self.days == Days::Normal {
            return noise.normal();
        }
        let shock = self.variance.sqrt() * noise.student();
        self.variance = 0.05 + 0.08 * shock * shock + 0.87 * self.variance;
        shock
    }
}

/// Daily returns by day and option: a market, five sectors and each option's own noise. No option
/// has a higher mean than another.
pub(crate) fn market(days: usize, kind: Days, noise: &mut Noise) -> Vec<[f64; OPTIONS]> {
    let mut common = Shocks::new(kind);
    let mut sectors: Vec<Shocks> = (0..OPTIONS / SECTOR).map(|_| Shocks::new(kind)).collect();
    let mut own: Vec<Shocks> = (0..OPTIONS).map(|_| Shocks::new(kind)).collect();
    (0..days)
        .map(|_| {
            let all = 0.008 * common.next(noise);
            let sectors: Vec<f64> = sectors.iter_mut().map(|s| 0.006 * s.next(noise)).collect();
            let mut day = [0.0; OPTIONS];
            for (place, (value, shocks)) in day.iter_mut().zip(&mut own).enumerate() {
                *value = 0.0004 + all + sectors[place / SECTOR] + 0.010 * shocks.next(noise);
            }
            day
        })
        .collect()
}

/// The mean of all options on a day: the reference of these worlds.
pub(crate) fn reference(day: &[f64; OPTIONS]) -> f64 {
    day.iter().sum::<f64>() / 40.0
}

/// Four options of equal weight.
pub(crate) type Portfolio = [usize; 4];

pub(crate) fn portfolio(noise: &mut Noise) -> Portfolio {
    let mut held = [OPTIONS; 4];
    for place in 0..4 {
        held[place] = loop {
            let drawn = noise.below(OPTIONS);
            if !held.contains(&drawn) {
                break drawn;
            }
        };
    }
    held
}

/// What four options of equal weight returned on a day.
pub(crate) fn gain(held: &Portfolio, day: &[f64; OPTIONS]) -> f64 {
    held.iter().map(|place| day[*place]).sum::<f64>() / 4.0
}
