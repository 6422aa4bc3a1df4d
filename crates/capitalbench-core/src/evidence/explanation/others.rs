//! A record beside those of other models.

use super::Told;
use super::words::{above_or_below, chance, counted, ordinal_of, windows};
use crate::evidence::claim::retired_sentence;
use crate::evidence::statistics::{DEFLATED_NEEDED, Estimate};
use crate::publication::boards::comparison_set::SetRow;
use crate::values::ids::ModelId;
use crate::values::units::signed_percent;

/// Another model, seen from this one.
pub(super) struct Gap {
    pub(super) other: String,
    pub(super) estimate: Estimate,
    p_adjusted: Option<f64>,
    pub(super) separable: bool,
}

pub(super) fn seen_from(estimate: Estimate, sign: f64) -> Estimate {
    let ends = (sign * estimate.low, sign * estimate.high);
    Estimate {
        value: sign * estimate.value,
        low: ends.0.min(ends.1),
        high: ends.0.max(ends.1),
        t: estimate.t.map(|t| sign * t),
        ..estimate
    }
}

impl Told<'_> {
    pub(super) fn gaps(&self) -> Vec<Gap> {
        let Some((_, found)) = self.set else {
            return Vec::new();
        };
        let own = &self.model().model_id;
        let mut gaps = Vec::new();
        for pair in &found.pairs {
            let (other, sign) = if pair.first == *own {
                (&pair.second, 1.0)
            } else if pair.second == *own {
                (&pair.first, -1.0)
            } else {
                continue;
            };
            if let Some(estimate) = pair.difference {
                gaps.push(Gap {
                    other: self.public.name(other).to_owned(),
                    estimate: seen_from(estimate, sign),
                    p_adjusted: pair.p_adjusted,
                    separable: pair.apart(),
                });
            }
        }
        gaps
    }

    pub(super) fn others(&self) -> Vec<String> {
        let Some((set, found)) = self.set else {
            return vec!["It shares no resolved round with a fixed roster of models.".to_owned()];
        };
        let own = &self.model().model_id;
        let place = set
            .rows
            .iter()
            .position(|row: &SetRow| row.model_id == *own);
        let shared = format!(
            "{} in the {} that all {} completed (worth {})",
            match place {
                Some(0) => "Highest return among models".to_owned(),
                Some(place) => format!("{} highest return among models", ordinal_of(place + 1)),
                None => "No row".to_owned(),
            },
            counted(set.included.len(), "round"),
            set.rows.len(),
            windows(found.effective_windows),
        );
        let rank = place.and_then(|place| found.places(place));
        let mut told = vec![match rank {
            Some((from, to)) if from == to => format!("{shared}; the evidence allows rank {from}."),
            Some((from, to)) => format!("{shared}; the evidence allows ranks {from} to {to}."),
            None => format!("{shared}."),
        }];
        if found.informative {
            told.extend(self.told_gaps());
        } else {
            told.push("No two models can be told apart on that evidence.".to_owned());
        }
        if let Some(worth) = found.leader_deflated.filter(|_| place == Some(0)) {
            told.push(format!(
                "As the best of several tries its daily record would need a deflated ratio of \
                 {DEFLATED_NEEDED:.2} and has {}.",
                chance(worth)
            ));
        }
        let name = |id: &ModelId| self.public.name(id).to_owned();
        told.extend(self.shrunken(place));
        let reference = self.public.reference().to_string();
        told.extend(retired_sentence(&found.retired, &reference, name));
        told
    }

    /// What to expect of it rather than what it shows.
    fn shrunken(&self, place: Option<usize>) -> Option<String> {
        let (_, found) = self.set?;
        let (shrinkage, own) = found.shrinkage.zip(found.models.get(place?)?.shrunken)?;
        Some(format!(
            "Shrunk by what chance explains, its gap per round is {}: {:.0} % of its distance from \
             the mean of these models is kept (variance of true gaps {:.2e}).",
            signed_percent(own),
            100.0 * shrinkage.kept,
            shrinkage.tau_squared,
        ))
    }

    fn told_gaps(&self) -> Vec<String> {
        let gaps = self.gaps();
        let mut told = Vec::new();
        for gap in gaps.iter().filter(|gap| gap.separable) {
            let word = above_or_below(gap.estimate.value);
            told.push(format!(
                "Separable: {word} {} by {} a round (p {} after Holm).",
                gap.other,
                signed_percent(gap.estimate.value),
                chance(gap.p_adjusted.unwrap_or(1.0)),
            ));
        }
        let alike = gaps.iter().filter(|gap| !gap.separable);
        let alike: Vec<String> = alike
            .map(|gap| format!("{} ({})", gap.other, signed_percent(gap.estimate.value)))
            .collect();
        if !alike.is_empty() {
            told.push(format!("Not separable from {}.", alike.join(", ")));
        }
        told
    }
}
