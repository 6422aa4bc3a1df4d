//! A model's record in sentences: each says a number and no more than the number allows.

use crate::evidence::claim::NO_LUCK_TEST;
use crate::evidence::inference::excess::LuckTest;
use crate::evidence::inference::overlap::{INFORMATIVE_WINDOWS, NoInterval};
use crate::evidence::inference::ties::holm;
use crate::evidence::statistics::{
    Basis, Estimate, LEVEL, ModelStatistics, RecordStatistics, SetStatistics, method,
};
use crate::publication::Publication;
use crate::publication::boards::comparison_set::ComparisonSet;
use crate::result::score::Score;
use crate::round::manifest::Track;
use crate::values::ids::ModelId;

mod confidence;
mod others;
mod outlook;
pub mod words;

use crate::values::units::signed_percent;
use others::Gap;
use words::{above_or_below, chance, counted, or_from, ordinal, thousands, windows};

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
    let place = records.iter().position(|r| r.model.model_id == *model_id)?;
    let record = &records[place];
    let rows = &public.boards.get(&track)?.cumulative;
    let score = rows.iter().find(|row| row.model_id == *model_id)?.score;
    let informative = |alpha: &Estimate| alpha.informative().then_some(alpha.p_value);
    let alphas: Vec<Option<f64>> = records
        .iter()
        .map(|r| r.model.alpha.as_ref().and_then(informative))
        .collect();
    let luck = records.iter().map(|r| r.model.luck_test);
    let luck: Vec<Option<f64>> = luck
        .map(|own| own.as_ref().map(LuckTest::p_apart))
        .collect();
    let told = Told {
        public,
        the: public.reference().the(),
        record,
        models: records.len(),
        p_alpha: adjusted(&alphas, place),
        p_luck: adjusted(&luck, place),
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
            ("against the reference", told.index()),
            ("against other models", told.others()),
            ("stated confidence", told.confidence()),
            ("its own noise", told.noise()),
            ("the synthetic portfolio", told.synthetic()),
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

/// A p value after Holm's correction over those of all models; none where its own is missing.
fn adjusted(all: &[Option<f64>], place: usize) -> Option<f64> {
    (*all.get(place)?)?;
    let before = all[..place].iter().flatten().count();
    let tests: Vec<f64> = all.iter().flatten().copied().collect();
    holm(&tests).get(before).copied()
}

struct Told<'a> {
    public: &'a Publication,
    /// What every difference is measured from, as a sentence calls it.
    the: String,
    record: &'a RecordStatistics,
    /// Models with a record in the track: one question asked of each is one family of tests.
    models: usize,
    /// Corrected p value of its gap to the reference.
    p_alpha: Option<f64>,
    /// Corrected p value of its luck.
    p_luck: Option<f64>,
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
        let the = &self.the;
        let mut apart = Vec::new();
        let mut alike = Vec::new();
        if let Some(luck) = self.model().luck_test {
            match side(self.p_luck, luck.z) {
                Some(word) => apart.push(format!("{word} luck")),
                None => alike.push("luck".to_owned()),
            }
        }
        let gap = self.model().alpha.map_or(0.0, |alpha| alpha.value);
        match side(self.p_alpha, gap) {
            Some(word) => apart.push(format!("{word} {the}")),
            None => alike.push(the.clone()),
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
        let spread = 100.0 * self.model().chance_spread.unwrap_or(0.5);
        let mut told = vec![format!(
            "Its decisions stand at the {} percentile, on average over {}, of the portfolios it \
             could have submitted ({draws} random ones a round); chance alone gives the 50th, give \
             or take {spread:.0}.",
            ordinal(luck.mean_percentile),
            counted(luck.rounds, "round"),
        )];
        if let Some(matched) = &self.model().luck_matched {
            told.push(format!(
                "Among random portfolios as volatile as its own: the {} percentile over {}.",
                ordinal(matched.mean_percentile),
                counted(matched.rounds, "round"),
            ));
        }
        told.push(self.tested_luck());
        told
    }

    fn tested_luck(&self) -> String {
        let Some(test) = &self.model().luck_test else {
            return NO_LUCK_TEST.to_owned();
        };
        let verdict = match side(self.p_luck, test.z) {
            Some(word) => format!("Separable: {word} luck"),
            None => "Not separable from luck".to_owned(),
        };
        format!(
            "{verdict}: z {:+.2} over {} by {} (p {} after Holm over {}).",
            test.z,
            counted(test.rounds, "round"),
            method().null_label,
            chance(self.p_luck.unwrap_or(1.0)),
            counted(self.models, "model"),
        )
    }

    fn index(&self) -> Vec<String> {
        let mut told = Vec::new();
        match &self.model().alpha {
            None => told.push(format!(
                "{} worth {} say nothing about its mean gain beyond {}.",
                counted(self.model().rounds, "round"),
                self.windows(),
                self.the,
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
        let the = &self.the;
        let value = format!(
            "Mean gap per round to {the}: {}",
            signed_percent(alpha.value)
        );
        let verdict = match side(self.p_alpha, alpha.value) {
            Some(word) => format!("Separable: {word} {the}"),
            None => format!("Not separable from {the}"),
        };
        let corrected = format!(
            "{verdict} (p {} after Holm over {}, for one look)",
            chance(self.p_alpha.unwrap_or(1.0)),
            counted(self.models, "model"),
        );
        let interval = format!(
            "95 % interval {} to {}",
            signed_percent(alpha.low),
            signed_percent(alpha.high)
        );
        match alpha.basis {
            Basis::Days(days) => format!(
                "{value}, {interval} (t {}, {days} days with closes of {} live ones). {corrected}.",
                alpha
                    .t
                    .map_or("undefined".to_owned(), |t| format!("{t:.2}")),
                self.model().live_sessions,
            ),
            Basis::Rounds => format!(
                "{value}, {interval} (from {}). {corrected}.",
                self.windows()
            ),
            Basis::NotInformative => format!(
                "{value}. {} are too few for an interval. {verdict}.",
                self.windows()
            ),
        }
    }

    fn points(&self) -> Option<String> {
        let Score::Points(points) = self.score else {
            return None;
        };
        let interval = match self.model().score {
            Ok((low, high)) => format!("95 % interval {low:.1} to {high:.1}"),
            Err(NoInterval::TooFewWindows) => {
                format!("no interval below {INFORMATIVE_WINDOWS:.0} effective windows")
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

    fn noise(&self) -> Vec<String> {
        let Some(repeated) = self.record.repeated else {
            return vec![
                "No repeated calls of it are scored, so how much is its own mood is unknown."
                    .to_owned(),
            ];
        };
        let mut told = vec![format!(
            "Asked again in {}, its answers gained {} beyond {} on average, the official \
             ones {}; the official one lies above {:.0} % of the others.",
            counted(repeated.rounds, "round"),
            signed_percent(repeated.expected_alpha),
            self.the,
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
}

/// The side of a gap that chance does not explain.
fn side(p_adjusted: Option<f64>, gap: f64) -> Option<&'static str> {
    let told = p_adjusted.is_some_and(|p| p < 1.0 - LEVEL);
    told.then(|| above_or_below(gap))
}

#[cfg(test)]
mod tests;
