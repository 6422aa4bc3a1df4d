//! A [`Fetcher`] counts its requests and waits as its plan demands, because a source closes to
//! whoever asks too often.

use std::time::Duration;

use capitalbench_adapters::price_source::{Limit, PriceError, PriceFault};
use capitalbench_core::market::request_budget::Plan;
use jiff::{SignedDuration, Timestamp};

use super::{Allowance, Cause, Fetcher};
use crate::error::Error;
use crate::operator::Notice;
use crate::operator::backoff::Backoff;

/// How often a question whose transport failed is asked again.
const RETRIES: u32 = 3;
/// The longest wait for a failing server or for the pace; a longer one is left to the next fetch.
const LONGEST_WAIT: Duration = Duration::from_mins(1);
/// No allowance is renewed less often than by the month.
const MONTH: Duration = Duration::from_hours(31 * 24);

impl Fetcher<'_> {
    /// Counts one request; some instant when the plan allows none before it.
    pub(super) fn reserve(&self, symbol: &str, now: Timestamp) -> Result<Option<Timestamp>, Error> {
        match &self.allowance {
            None => Ok(None),
            Some(Allowance { plan, state }) => Ok(state.reserve(*plan, symbol, now)?),
        }
    }

    /// How long to wait where only the pace was too high. Such a wait is short and always waited, by
    /// a timer and not by the machine's clock, which somebody may set meanwhile.
    pub(super) fn pace(
        &self,
        refused: Option<Limit>,
        at: Timestamp,
        now: Timestamp,
    ) -> Option<Duration> {
        let plan = self.allowance.as_ref().map(|allowance| allowance.plan);
        let is_pace = matches!(refused, Some(Limit::PerSecond | Limit::PerMinute))
            || plan.is_some_and(|plan| plan.per_minute.is_some());
        let left = Duration::try_from(at.duration_since(now)).unwrap_or_default();
        (is_pace && left <= LONGEST_WAIT).then_some(left)
    }

    /// Notes that the source closed, for as long as it says or its kind of limit lasts. The back-off
    /// is the least: a source that says "now" and means "never" would be asked without end.
    pub(super) fn close(
        &self,
        limit: Limit,
        retry_after: Option<Duration>,
        refusals: u32,
    ) -> Result<Timestamp, Error> {
        let usual = match limit {
            Limit::PerSecond => Duration::from_secs(1),
            Limit::PerMinute => Duration::from_mins(1),
            Limit::Hourly => Duration::from_hours(1),
            Limit::Daily => Duration::from_hours(24),
            Limit::MonthlySymbols => MONTH,
            Limit::Unstated | Limit::Anonymous => Duration::from_mins(15),
        };
        let asked_for = retry_after.unwrap_or(usual).min(MONTH);
        let wait = Backoff::SECOND.pause(refusals, Some(asked_for)).min(MONTH);
        let now = self.operator.clock.now();
        let until = SignedDuration::try_from(wait)
            .ok()
            .and_then(|wait| now.checked_add(wait).ok())
            .unwrap_or(now);
        if let Some(allowance) = &self.allowance {
            allowance.state.close_until(until)?;
        }
        Ok(until)
    }

    /// Who closed the source; a plan without limits closes none.
    pub(super) fn cause(&self, refused: Option<Limit>) -> Cause {
        let plan = self.allowance.as_ref().map(|allowance| allowance.plan);
        match refused {
            Some(limit @ (Limit::Unstated | Limit::Anonymous)) => Cause::Refused(limit),
            None if plan == Some(Plan::default()) => Cause::RefusedEarlier,
            _ => Cause::Plan,
        }
    }

    pub(super) async fn wait_until(&self, at: Timestamp) {
        loop {
            let left = at.duration_since(self.operator.clock.now());
            let left = Duration::try_from(left).unwrap_or_default();
            if left.is_zero() {
                return;
            }
            self.operator.say(&Notice::PlanUsedUp { left });
            self.operator
                .clock
                .pause(left.min(Duration::from_secs(1)))
                .await;
        }
    }
}

/// How long to wait before the same question is asked again, if it should be.
pub(super) fn pause(error: &PriceError, failures: u32) -> Option<Duration> {
    let asked_for = match &error.fault {
        PriceFault::ServerFailed { retry_after, .. } => *retry_after,
        _ => None,
    };
    let wait = Backoff::SECOND.pause(failures, asked_for);
    (failures <= RETRIES && wait <= LONGEST_WAIT).then_some(wait)
}
