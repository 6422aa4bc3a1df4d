//! Ways to look for an edge, side by side: what each of them would take.

use super::Side;
use super::planning::{Design, MOST_YEARS, Series, USUAL_BOUND, years_until};
use crate::evidence::statistics::EDGES;

/// Weeks of a month.
const WEEKS: f64 = 52.0 / 12.0;
/// Correlation of two tracks where no record tells.
pub const USUAL_CORRELATION: f64 = 0.5;

/// What a league has now.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Present {
    /// Daily deviation of the difference, as rounds are opened now.
    pub deviation: f64,
    /// Largest loss of a day; none where no record tells.
    pub bound: Option<f64>,
    pub rounds_a_week: f64,
    /// The share of a day's variance that rounds have in common.
    pub between_rounds: f64,
    /// Rounds that are live at once.
    pub live: f64,
    /// Correlation of the two tracks.
    pub between_tracks: f64,
    /// Dollars of a round; none where nobody knows.
    pub cost: Option<f64>,
    /// Dollars that may be spent.
    pub budget: Option<f64>,
    /// Evidence that establishes a claim of the family.
    pub needed: f64,
}

/// One way, with what it would take for each of [`EDGES`].
#[derive(Debug, Clone, PartialEq)]
pub struct Way {
    pub name: &'static str,
    pub rounds_a_week: f64,
    pub deviation: f64,
    pub takes: [Takes; 3],
}

/// What an edge would take in one way.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Takes {
    /// So many months, at so many dollars where the cost of a round is known.
    Months { months: f64, dollars: Option<f64> },
    /// The same, but more than the budget allows.
    BeyondBudget { months: f64, dollars: f64 },
    /// More than twenty years: this design cannot know.
    Unknowable,
}

impl Present {
    /// The deviation with so many times as many rounds live at once.
    fn deviation_with(&self, times: f64) -> f64 {
        let spread = |live: f64| self.between_rounds + (1.0 - self.between_rounds) / live.max(1.0);
        self.deviation * (spread(self.live * times) / spread(self.live)).sqrt()
    }

    fn way(&self, name: &'static str, times: f64, side: Side, series: Series) -> Way {
        let deviation = self.deviation_with(times);
        let design = Design {
            deviation,
            bound: self.bound.unwrap_or(USUAL_BOUND * self.deviation),
            scale: deviation,
            side,
            series,
        };
        let rounds_a_week = self.rounds_a_week * times;
        let takes = years_until(&design, EDGES, self.needed);
        Way {
            name,
            rounds_a_week,
            deviation,
            takes: takes.map(|years| self.takes(years, rounds_a_week)),
        }
    }

    fn takes(&self, years: Option<f64>, rounds_a_week: f64) -> Takes {
        let Some(years) = years else {
            return Takes::Unknowable;
        };
        let months = 12.0 * years;
        let dollars = self.cost.map(|cost| cost * months * WEEKS * rounds_a_week);
        match dollars.zip(self.budget) {
            Some((dollars, budget)) if dollars > budget => Takes::BeyondBudget { months, dollars },
            _ => Takes::Months { months, dollars },
        }
    }
}

/// The ways that a league has.
pub fn ways(present: &Present) -> Vec<Way> {
    let two = Series::Two(present.between_tracks);
    let week = (5.0 / present.rounds_a_week).max(1.0);
    vec![
        present.way("rounds of now, either side", 1.0, Side::Either, Series::One),
        present.way("rounds of now, one side", 1.0, Side::Above, Series::One),
        present.way(
            "twice as many rounds, one side",
            2.0,
            Side::Above,
            Series::One,
        ),
        present.way(
            "a round on every session, one side",
            week,
            Side::Above,
            Series::One,
        ),
        present.way("a claim on each track, one side", 1.0, Side::Above, two),
    ]
}

/// What the ways come to, in one sentence for each edge that no way can know.
pub fn unknowable(ways: &[Way]) -> Vec<String> {
    let edges = EDGES.into_iter().enumerate();
    let hopeless = edges.filter(|(place, _)| {
        ways.iter()
            .all(|way| way.takes[*place] == Takes::Unknowable)
    });
    hopeless
        .map(|(_, edge)| {
            format!(
                "None of these ways can know a difference of {:.0} % a year within {MOST_YEARS} years.",
                100.0 * edge
            )
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_rounds_and_one_side_help_and_a_tiny_edge_stays_unknown() {
        let present = Present {
            deviation: 0.004,
            bound: None,
            rounds_a_week: 1.0,
            between_rounds: 0.3,
            live: 1.0,
            between_tracks: USUAL_CORRELATION,
            cost: Some(2.0),
            budget: Some(1_000.0),
            needed: 20.0,
        };
        let ways = ways(&present);
        let months = |way: &Way| match way.takes[2] {
            Takes::Months { months, .. } | Takes::BeyondBudget { months, .. } => months,
            Takes::Unknowable => f64::INFINITY,
        };
        let all: Vec<f64> = ways.iter().map(months).collect();
        assert!(
            all[1] <= all[0] && all[2] < all[1] && all[3] < all[2],
            "{all:?}"
        );
        assert_eq!(unknowable(&ways).len(), 1);
        assert!(
            matches!(ways[3].takes[2], Takes::BeyondBudget { .. }),
            "{:?}",
            ways[3]
        );
        let free = super::ways(&Present {
            cost: None,
            ..present
        });
        assert!(matches!(
            free[3].takes[2],
            Takes::Months { dollars: None, .. }
        ));
    }
}
