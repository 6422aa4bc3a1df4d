//! A model's record in sentences: each says a number and no more than the number allows.

use crate::evidence::inference::null::Stouffer;
use crate::evidence::inference::overlap::{INFORMATIVE_WINDOWS, NoInterval};
use crate::evidence::inference::reliability::wilson;
use crate::evidence::inference::ties::years_to_know;
use crate::evidence::statistics::{
    Basis, Estimate, LEVEL, ModelStatistics, RecordStatistics, SetStatistics, horizon_sessions,
    method,
};
use crate::publication::Publication;
use crate::publication::boards::comparison_set::ComparisonSet;
use crate::result::score::Score;
use crate::round::manifest::Track;
use crate::values::ids::ModelId;

mod others;
pub mod words;

use crate::values::sums::real;
use crate::values::units::signed_percent;
use others::Gap;
use words::{above_or_below, chance, counted, or_from, ordinal, thousands, windows, years};

/// What every difference is measured from.
const REFERENCE: &str = "S&P 500";

/// A record in words.
#[derive(Debug, Clone, PartialEq)]
pub struct Explanation {
    /// Weekly or monthly.
    pub track: Track,
    pub rounds: usize,
    /// Separate windows they are worth.
    pub effective_windows: f64,
    /// The whole in one sentence.
    pub verdict: String,
    /// Heading and sentences, in reading order.
    pub sections: Vec<(&'static str, Vec<String>)>,
}

/// Explains the record of a model in a track; none without a resolved round.
pub fn explain(public: &Publication, model_id: &ModelId, track: Track) -> Option<Explanation> {
    let records = public.statistics.records.get(&track)?;
    let record = records.iter().find(|r| r.model.model_id == *model_id)?;
    let rows = &public.boards.get(&track)?.cumulative;
    let score = rows.iter().find(|row| row.model_id == *model_id)?.score;
    let told = Told {
        public,
        record,
        score,
        track,
        set: widest_set(public, model_id, track),
    };
    Some(Explanation {
        track,
        rounds: record.model.rounds,
        effective_windows: record.model.effective_windows,
        verdict: told.verdict(),
        sections: vec![
            ("against luck", told.luck()),
            ("against the index", told.index()),
            ("against other models", told.others()),
            ("stated confidence", told.confidence()),
            ("its own noise", told.noise()),
            ("how long to know", told.time()),
        ],
    })
}

/// The set with this model that shares the most rounds; the first of equals.
fn widest_set<'a>(
    public: &'a Publication,
    model_id: &ModelId,
    track: Track,
) -> Option<(&'a ComparisonSet, &'a SetStatistics)> {
    let with_figures = |set: &'a ComparisonSet| {
        let definition = &set.definition;
        let own = definition.track == track && definition.model_ids.contains(model_id);
        let found = public.statistics.sets.get(&definition.set_id);
        Some((set, found.filter(|_| own && set.rows.len() > 1)?))
    };
    // The last of equals is found, so the search begins at the end.
    let sets = public.comparison_sets.iter().rev();
    sets.filter_map(with_figures)
        .max_by_key(|(set, _)| set.included.len())
}

struct Told<'a> {
    public: &'a Publication,
    record: &'a RecordStatistics,
    score: Score,
    track: Track,
    set: Option<(&'a ComparisonSet, &'a SetStatistics)>,
}

impl Told<'_> {
    fn model(&self) -> &ModelStatistics {
        &self.record.model
    }

    fn period(&self) -> &'static str {
        match self.track {
            Track::Weekly => "week",
            Track::Monthly => "month",
        }
    }

    fn windows(&self) -> String {
        windows(self.model().effective_windows)
    }

    fn verdict(&self) -> String {
        let mut apart = Vec::new();
        let mut alike = Vec::new();
        match self.model().luck.as_ref().and_then(beyond_luck) {
            Some(word) => apart.push(format!("{word} luck")),
            None => alike.push("luck".to_owned()),
        }
        match self.model().alpha.as_ref().and_then(side) {
            Some(word) => apart.push(format!("{word} the {REFERENCE}")),
            None => alike.push(format!("the {REFERENCE}")),
        }
        let gaps = self.gaps();
        let told: Vec<&Gap> = gaps.iter().filter(|gap| gap.separable).collect();
        if told.is_empty() {
            alike.push("any other model".to_owned());
        }
        for gap in told {
            let word = above_or_below(gap.estimate.value);
            apart.push(format!("{word} {}", gap.other));
        }
        let mut parts = Vec::new();
        if !apart.is_empty() {
            parts.push(format!("Separable: {}.", apart.join(", ")));
        }
        if let Some(from) = or_from(alike) {
            parts.push(format!("Not separable from {from}."));
        }
        parts.join(" ")
    }

    fn luck(&self) -> Vec<String> {
        let Some(luck) = &self.model().luck else {
            return vec![
                "No round has a full set of prices under frozen rules, so chance cannot be drawn."
                    .to_owned(),
            ];
        };
        let draws = thousands(method().null_draws);
        let verdict = match beyond_luck(luck) {
            Some(word) => format!("Separable: {word} luck"),
            None => "Not separable from luck".to_owned(),
        };
        let mut told = vec![format!(
            "Its decisions stand at the {} percentile, on average over {}, of the portfolios it \
             could have submitted; chance gives the 50th ({draws} random ones a round). {verdict}: \
             z {:+.2}, chance of a z this high {}.",
            ordinal(luck.mean_percentile),
            counted(luck.rounds, "round"),
            luck.z,
            chance(luck.p_value),
        )];
        if let Some(matched) = &self.model().luck_matched {
            told.push(format!(
                "Among random portfolios as volatile as its own: the {} percentile over {}, z \
                 {:+.2}.",
                ordinal(matched.mean_percentile),
                counted(matched.rounds, "round"),
                matched.z,
            ));
        }
        told
    }

    fn index(&self) -> Vec<String> {
        let mut told = Vec::new();
        match &self.model().alpha {
            None => told.push(format!(
                "{} worth {} say nothing about its mean gain beyond the {REFERENCE}.",
                counted(self.model().rounds, "round"),
                self.windows(),
            )),
            Some(alpha) => told.push(self.gain(alpha)),
        }
        if let Some((low, high)) = self.record.alpha_resampled {
            told.push(format!(
                "Resampled days say {} to {}.",
                signed_percent(low),
                signed_percent(high)
            ));
        }
        told.extend(self.points());
        told
    }

    fn gain(&self, alpha: &Estimate) -> String {
        let value = format!(
            "Mean gain beyond the {REFERENCE}: {} a {}",
            signed_percent(alpha.value),
            self.period()
        );
        let verdict = match side(alpha) {
            Some(word) => format!("Separable: {word} the {REFERENCE}."),
            None => format!("Not separable from the {REFERENCE}."),
        };
        let interval = format!(
            "95 % interval {} to {}",
            signed_percent(alpha.low),
            signed_percent(alpha.high)
        );
        match alpha.basis {
            Basis::Days(days) => format!(
                "{value}, {interval} (t {}, {days} days with closes of {} live ones). {verdict}",
                alpha
                    .t
                    .map_or("undefined".to_owned(), |t| format!("{t:.2}")),
                self.model().live_sessions,
            ),
            Basis::Rounds => format!("{value}, {interval} (from {}). {verdict}", self.windows()),
            Basis::NotInformative => format!(
                "{value}. {} are too few for an interval that is informative. {verdict}",
                self.windows()
            ),
        }
    }

    fn points(&self) -> Option<String> {
        let Score::Points(points) = self.score else {
            return None;
        };
        let interval = match self.model().score {
            Ok((low, high)) if self.model().score_is_informative() => {
                format!("95 % interval {low:.1} to {high:.1}")
            }
            Ok(_) | Err(NoInterval::TooFewWindows) => {
                format!("no informative interval below {INFORMATIVE_WINDOWS:.0} separate windows")
            }
            Err(NoInterval::SmallDenominator) => {
                "no interval, since the best options add up to nearly nothing".to_owned()
            }
            Err(NoInterval::NoOracle) => {
                "no interval, since a round lacks the price of an option".to_owned()
            }
        };
        let middle = self.model().chance_score.map_or(String::new(), |middle| {
            format!("; the middle random portfolio scores {middle:.1}")
        });
        Some(format!(
            "CapitalBench Score {points:.1}, {interval}{middle}."
        ))
    }

    fn confidence(&self) -> Vec<String> {
        let bins = &self.record.reliability;
        let count: usize = bins.iter().map(|bin| bin.count).sum();
        if count == 0 {
            return vec!["No round with a stated confidence is resolved.".to_owned()];
        }
        let mean = |of: fn(&crate::evidence::inference::reliability::Bin) -> f64| {
            bins.iter()
                .map(|bin| of(bin) * real(bin.count))
                .sum::<f64>()
                / real(count)
        };
        let (stated, hits) = (mean(|bin| bin.confidence), mean(|bin| bin.hit_rate));
        let (low, high) = wilson(hits, self.model().effective_windows);
        let fair = if stated > high {
            "more confident than its record"
        } else if stated < low {
            "less confident than its record"
        } else {
            "not separable from well judged"
        };
        let mut told = vec![format!(
            "It gave itself {:.0} % to beat the {REFERENCE} and did in {:.0} % of {} (95 % interval \
             {:.0} to {:.0} %): {fair}.",
            100.0 * stated,
            100.0 * hits,
            counted(count, "round"),
            100.0 * low,
            100.0 * high,
        )];
        if let Some(brier) = &self.record.brier {
            let interval = if brier.informative() {
                format!(
                    "95 % interval {:.2} to {:.2}",
                    brier.low.max(0.0),
                    brier.high.min(1.0)
                )
            } else {
                "no informative interval".to_owned()
            };
            told.push(format!(
                "Brier score {:.3}, {interval}; always saying 50 % scores 0.250.",
                brier.value
            ));
        }
        told
    }

    fn noise(&self) -> Vec<String> {
        let Some(repeated) = self.record.repeated else {
            return vec![
                "No repeated calls of it are scored, so how much is its own mood is unknown."
                    .to_owned(),
            ];
        };
        let mut told = vec![format!(
            "Asked again in {}, its answers gained {} beyond the {REFERENCE} on average, the \
             official ones {}; the official one lies above {:.0} % of the others.",
            counted(repeated.rounds, "round"),
            signed_percent(repeated.expected_alpha),
            signed_percent(repeated.official_alpha),
            100.0 * repeated.official_place,
        )];
        told.push(match self.record.noise {
            Some(noise) => format!(
                "{:.0} % of the variance of a single call is its own, the rest the market's.",
                100.0 * noise.decision_share
            ),
            None => {
                "Two such rounds are needed to tell its own noise from the market's.".to_owned()
            }
        });
        told
    }

    fn time(&self) -> Vec<String> {
        let Some((smallest, daily)) = self.model().detectable.zip(self.model().daily_deviation)
        else {
            return vec!["Too early to say.".to_owned()];
        };
        let period = self.period();
        let mut told = vec![format!(
            "A record like this one detects a gap of {} a {period} or more (80 % power).",
            signed_percent(smallest).trim_start_matches('+')
        )];
        let sessions = horizon_sessions(self.track);
        // A quarter percent a week, and as much a month as four of them.
        let modest = match self.track {
            Track::Weekly => 0.0025,
            Track::Monthly => 0.01,
        };
        let modest_years = years_to_know(daily, sessions, modest).map_or(String::new(), |found| {
            format!(
                "; a gap of {:.2} % a {period} takes {}",
                100.0 * modest,
                years(found)
            )
        });
        if let Some(found) = self.model().years_to_know {
            told.push(format!(
                "If its true gap is what it shows, {} of rounds in all would establish it{modest_years}.",
                years(found)
            ));
        }
        told
    }
}

fn side(alpha: &Estimate) -> Option<&'static str> {
    let word = above_or_below(alpha.value);
    alpha.differs_from_zero().then_some(word)
}

/// Above or below what luck gives, by one in forty on either side; one round is no record.
fn beyond_luck(luck: &Stouffer) -> Option<&'static str> {
    let word = if luck.p_value < 0.5 { "above" } else { "below" };
    (luck.p_apart() < 1.0 - LEVEL).then_some(word)
}

#[cfg(test)]
mod tests;
