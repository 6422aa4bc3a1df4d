//! [`PlanTime`]: how long a price source needs, because its plan allows so many questions at a time.

use std::fmt;
use std::path::Path;

use capitalbench_archive::prices::request_state::RequestState;
use jiff::{SignedDuration, Timestamp};

use super::fetcher::{Allowance, PricedOption};
use super::sources::Vendor;
use crate::error::Error;
use crate::operator::Operator;

/// A shorter wait is not worth a word.
const SHORT: SignedDuration = SignedDuration::from_mins(2);

/// A fetch that its plan spreads over time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlanTime {
    pub source: &'static str,
    /// Symbols that are still to be asked for.
    pub symbols: usize,
    /// How many of them can be asked for at once.
    pub at_once: usize,
    pub from: Timestamp,
    /// When the last one can be asked for.
    pub until: Timestamp,
}

impl PlanTime {
    /// None where all can be asked for within a moment.
    pub(super) fn of<'a>(
        source: &'static str,
        allowance: &Allowance,
        symbols: impl IntoIterator<Item = &'a str>,
        now: Timestamp,
    ) -> Result<Option<Self>, Error> {
        let usage = allowance.state.usage()?;
        let instants = usage.instants(allowance.plan, symbols, now);
        let until = instants.last().copied().unwrap_or(now);
        let time = Self {
            source,
            symbols: instants.len(),
            at_once: instants.iter().filter(|at| **at <= now).count(),
            from: now,
            until,
        };
        Ok((time.takes() > SHORT).then_some(time))
    }

    /// For the options of a universe, before anybody is asked.
    pub fn expected(
        operator: &Operator,
        vendor: &Vendor,
        rounds: &Path,
        options: &[PricedOption],
    ) -> Result<Option<Self>, Error> {
        let configuration = &operator.configuration;
        let Some(plan) = vendor.plan(configuration)? else {
            return Ok(None);
        };
        let state = RequestState::new(&configuration.state_folder(rounds), vendor.name());
        let symbols = options.iter().map(|(_, symbol)| symbol.as_str());
        let now = operator.clock.now();
        Self::of(vendor.name(), &Allowance { plan, state }, symbols, now)
    }

    pub fn takes(&self) -> SignedDuration {
        self.until.duration_since(self.from)
    }
}

impl fmt::Display for PlanTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            source,
            symbols,
            at_once,
            ..
        } = self;
        // Rounded up: a plan that is said to be done too early would be asked in vain.
        let minutes = (self.takes().as_secs() + 59) / 60;
        let time = match (minutes / 60, minutes % 60) {
            (0, minutes) => format!("{minutes} minutes"),
            (hours, 0) => format!("{hours} h"),
            (hours, minutes) => format!("{hours} h {minutes} min"),
        };
        write!(
            f,
            "the plan of {source} allows {at_once} of {symbols} symbols at once; all of them take {time}"
        )
    }
}
