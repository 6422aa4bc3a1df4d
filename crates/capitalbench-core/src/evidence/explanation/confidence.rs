//! What stated confidence meant.

use super::Told;
use super::words::counted;
use crate::evidence::statistics::ConfidenceSide;

impl Told<'_> {
    pub(super) fn confidence(&self) -> Vec<String> {
        let the = &self.the;
        let Some(judged) = self.record.judged_confidence() else {
            return vec![format!(
                "No resolved round asked how likely it is to beat {the}.{}",
                self.left_out()
            )];
        };
        let fair = match judged.side {
            ConfidenceSide::More => "more confident than its record",
            ConfidenceSide::Less => "less confident than its record",
            ConfidenceSide::Level => "not separable from well judged",
        };
        let mut told = vec![format!(
            "Asked how likely it is to beat {the}, it said {:.0} % and did in {:.0} % of \
             {} (95 % interval {:.0} to {:.0} %): {fair}.{}",
            100.0 * judged.stated,
            100.0 * judged.came_true,
            counted(judged.decisions, "round"),
            100.0 * judged.interval.0,
            100.0 * judged.interval.1,
            self.left_out(),
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

    /// Decisions whose confidence does not count, with a space before.
    fn left_out(&self) -> String {
        let left_out = self.record.left_out;
        let level = format!("level with {}", self.the);
        let parts = [
            (left_out.other_question, "that asked something else"),
            (left_out.level, level.as_str()),
        ];
        let known = parts.into_iter().filter(|(count, _)| *count > 0);
        let told =
            known.map(|(count, why)| format!(" Left out: {} {why}.", counted(count, "round")));
        told.collect::<Vec<_>>().concat()
    }
}
