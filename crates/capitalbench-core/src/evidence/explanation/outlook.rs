//! What a record would need to tell more, and what part the market had in it.

use super::Told;
use super::words::planned;
use crate::evidence::statistics::horizon_sessions;
use crate::values::units::signed_percent;

impl Told<'_> {
    /// What part the market had, and how uneven the way was.
    pub(super) fn synthetic(&self) -> Vec<String> {
        let Some(own) = &self.record.synthetic else {
            return vec!["Too few daily closes.".to_owned()];
        };
        let sessions = horizon_sessions(self.track);
        vec![format!(
            "Equal capital in every live round over {} days, which nobody could hold and nobody is \
             ranked by: beta {:.2} ({:.2} to {:.2}); gain beyond beta {} a {} ({} to {}); tracking \
             error {:.1} % a year; information ratio {:.2} ({:.2} to {:.2}); largest loss from a \
             high {:.1} %, of {} {:.1} %.",
            own.days,
            own.beta.value,
            own.beta.low,
            own.beta.high,
            signed_percent(sessions * own.capm_alpha.value),
            self.period(),
            signed_percent(sessions * own.capm_alpha.low),
            signed_percent(sessions * own.capm_alpha.high),
            100.0 * own.tracking_error,
            own.information_ratio.value,
            own.information_ratio.low,
            own.information_ratio.high,
            100.0 * own.drawdown,
            self.the,
            100.0 * own.reference_drawdown,
        )]
    }

    pub(super) fn time(&self) -> Vec<String> {
        let Some(smallest) = self.model().detectable else {
            return vec!["Too early to say.".to_owned()];
        };
        let mut told = vec![format!(
            "A record like this one detects a gap of {} a round or more in four of five cases.",
            signed_percent(smallest).trim_start_matches('+')
        )];
        if let Some(found) = self.model().years_to_detect {
            told.push(format!(
                "Years of such rounds until a true gap of this size a year is detected as often: {}.",
                planned(found)
            ));
        }
        told
    }
}
