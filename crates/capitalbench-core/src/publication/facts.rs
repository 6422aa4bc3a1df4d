//! What a round's folder tells, whole; [`super::publish`] alone decides how much of it is public.

use std::sync::Arc;

use jiff::Timestamp;
use jiff::civil::Date;

use crate::asking::lanes::Lane;
use crate::asking::missing_answer::MissingAnswer;
use crate::decision::submission::Submission;
use crate::evidence::inference::admissible::Admissible;
use crate::evidence::inference::daily::{ActiveDays, sessions_of};
use crate::evidence::inference::excess::Excess;
use crate::evidence::inference::null::{Null, Volatility};
use crate::market::daily_returns::DailyReturns;
use crate::market::prices::PriceSheet;
use crate::market::universe::Universe;
use crate::publication::Frozen;
use crate::publication::calls::ModelCalls;
use crate::result::consistency::ModelConsistency;
use crate::result::interim::InterimPoint;
use crate::result::returns::RoundReturns;
use crate::result::score::{Outcome, portfolio_return};
use crate::round::ending::{ExceptionNote, Tombstone};
use crate::round::manifest::Manifest;
use crate::round::methodology::Family;
use crate::values::ids::{Digest, ModelId, OptionId, RunId};
use crate::values::units::{BasisPoints, Return};

/// One round, with everything its folder holds.
#[derive(Debug, Clone, PartialEq)]
pub struct RoundFacts {
    /// The frozen rules.
    pub manifest: Manifest,
    /// The frozen options.
    pub universe: Arc<Universe>,
    /// Digests, once frozen.
    pub frozen: Option<Frozen>,
    /// Has runs, all of them rehearsals: not a round of the public record.
    pub rehearsal: bool,
    /// The run that counts.
    pub record: Option<OfficialRun>,
    /// Starting prices.
    pub entry: Option<PriceSheet>,
    /// Its result, once it was scored.
    pub result: Option<Result>,
    /// Provisional figures by day, then model.
    pub interim: Vec<InterimRow>,
    /// Scored runs of repeated calls.
    pub repeated: Vec<RepeatedRun>,
    /// Why the round ended without a record, where it did.
    pub tombstone: Option<Tombstone>,
    /// The operator's signed explanations, in their order.
    pub exceptions: Vec<ExceptionNote>,
    /// What models answered in twin lanes, beside the record; under the ids of the round.
    pub lanes: Vec<LaneAnswer>,
}

/// An answer in a twin lane. It is no submission, so nothing that counts can take it for one.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct LaneAnswer {
    pub model_id: ModelId,
    pub lane: Lane,
    /// Counted from one.
    pub replicate: u32,
    /// When its lane had been asked to the end.
    pub since: Option<Timestamp>,
    /// Options under the ids of the round, with their weights.
    pub holdings: Vec<(OptionId, BasisPoints)>,
}

/// The run that counts.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct OfficialRun {
    /// Its name.
    pub run_id: RunId,
    /// When it became the record, else when it ended, else when it began.
    pub since: Option<Timestamp>,
    /// What the models decided.
    pub submissions: Vec<Submission>,
    /// What the control entrants decided.
    pub controls: Vec<Submission>,
    /// How the models were asked, where the run has a ledger.
    pub calls: Vec<ModelCalls>,
    /// Models without a valid answer.
    pub missing: Vec<MissingAnswer>,
}

/// Figures of the record; `models` and `controls` run beside the record's own lists.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Result {
    /// Returns of the options.
    pub returns: RoundReturns,
    /// One outcome per submission.
    pub models: Vec<Outcome>,
    /// One outcome per control.
    pub controls: Vec<Outcome>,
    /// What luck would have given.
    pub luck: Luck,
    /// Daily gains beyond the reference, one series per submission; none where closes are missing.
    #[serde(with = "day_numbers")]
    pub days: Vec<Option<ActiveDays>>,
    /// Daily returns of the reference itself; empty where closes are missing.
    pub reference_days: Vec<(Date, f64)>,
}

impl RoundFacts {
    /// Draws what luck would have given; none without a result, and none for a round that was never
    /// frozen, because the seed follows from the freeze.
    pub fn draw(&self) -> Option<Chance> {
        self.draw_with(None, None)
    }

    /// The same with what only the folder of a round holds: its frozen daily returns and the options
    /// of its slate.
    pub fn draw_with(
        &self,
        daily_returns: Option<&DailyReturns>,
        slate: Option<Vec<&str>>,
    ) -> Option<Chance> {
        let (record, result) = (self.record.as_ref()?, self.result.as_ref()?);
        let Luck::Undrawn(volatility) = &result.luck else {
            return None;
        };
        let drawing = Drawing {
            manifest: &self.manifest,
            universe: &self.universe,
            freeze: self.frozen.as_ref()?.digest,
            returns: &result.returns,
            volatility,
            daily_returns,
            slate,
            models: &record.submissions,
            controls: &record.controls,
        };
        drawing.draw()
    }
}

/// What luck would have given in a round, or what it takes to find out: drawing ten thousand
/// portfolios costs more than everything else in a round, and few commands show it.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub enum Luck {
    /// The draws; none where the round cannot say.
    Drawn(Option<Chance>),
    /// Trailing volatility of the options, from which the draws follow.
    Undrawn(Volatility),
}

/// Random admissible portfolios of a round, summed up, and where the decisions stand among them.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Chance {
    /// Return of the lowest draw.
    pub low: f64,
    /// Return of the middle draw.
    pub median: f64,
    /// Return of the highest draw.
    pub high: f64,
    /// Draws in equal bins from the lowest to the highest.
    pub bins: Vec<u32>,
    /// One per submission.
    pub models: Vec<Percentiles>,
    /// One per control.
    pub controls: Vec<Percentiles>,
    /// One per submission; none where the round froze no daily returns.
    pub excesses: Vec<Option<Excess>>,
}

/// Where a decision stands among random ones.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Percentiles {
    /// Share of all draws below it.
    pub all: f64,
    /// Share of the draws nearest in volatility below it; none where volatility is unknown.
    pub matched: Option<f64>,
}

/// Bins of a round's histogram.
const BINS: usize = 40;

/// What the luck of a round follows from.
#[derive(Debug, Clone)]
pub struct Drawing<'a> {
    pub manifest: &'a Manifest,
    pub universe: &'a Universe,
    /// Digest of the frozen inputs: the seed.
    pub freeze: Digest,
    pub returns: &'a RoundReturns,
    pub volatility: &'a Volatility,
    /// The daily returns that were frozen with the round.
    pub daily_returns: Option<&'a DailyReturns>,
    /// Options of the slate of a judgment round.
    pub slate: Option<Vec<&'a str>>,
    pub models: &'a [Submission],
    pub controls: &'a [Submission],
}

impl Drawing<'_> {
    /// Draws the null of a round and places its decisions; none where the round has none.
    pub fn draw(self) -> Option<Chance> {
        let (universe, returns, volatility) = (self.universe, self.returns, self.volatility);
        let allowed = self.allowed()?;
        let null = Null::draw(universe, &allowed, self.freeze, returns, volatility).ok()?;
        let own = |submission: &Submission| {
            let holdings = submission.decision.holdings();
            let value = |id: &OptionId| returns.get(id).map(|option| option.value);
            let value = portfolio_return(&holdings, value).map_or(0.0, Return::get);
            (holdings, value)
        };
        let place = |submission: &Submission| {
            let (holdings, value) = own(submission);
            Percentiles {
                all: null.percentile(value),
                matched: null.matched_percentile(&holdings, volatility, universe, value),
            }
        };
        let sessions = self.manifest.window.map_or(0, |w| sessions_of(w).count());
        let excess = |submission: &Submission| {
            let (holdings, value) = own(submission);
            let decision = (holdings.as_slice(), value);
            Excess::of(&null, decision, universe, self.daily_returns?, sessions)
        };
        Some(Chance {
            low: null.quantile(0.0),
            median: null.median(),
            high: null.quantile(1.0),
            bins: null.histogram(BINS),
            models: self.models.iter().map(place).collect(),
            controls: self.controls.iter().map(place).collect(),
            excesses: self.models.iter().map(excess).collect(),
        })
    }

    /// The portfolios that the rules of its label allow.
    fn allowed(&self) -> Option<Admissible> {
        if self.manifest.methodology.family() == Family::Judgment {
            return Admissible::of_slate(self.universe, self.slate.as_ref()?).ok();
        }
        let limits = self.manifest.limits();
        Admissible::new(self.universe, self.manifest.format, &limits).ok()
    }
}

/// A provisional figure of one model on one day.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct InterimRow {
    /// The day of the snapshot.
    pub day: Date,
    pub model_id: ModelId,
    /// Where it stood.
    pub point: InterimPoint,
}

/// A scored run of repeated calls.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct RepeatedRun {
    /// Its name.
    pub run_id: RunId,
    /// Calls per model.
    pub replicates: u32,
    pub reference: Return,
    /// One row per model.
    pub models: Vec<ModelConsistency>,
}

/// One calendar for all series of a round: they share their days, and a cache of many rounds holds so
/// many that reading each day of each series would take long.
pub(super) mod day_numbers {
    use std::collections::BTreeSet;

    use jiff::civil::Date;
    use serde::de::Error as _;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use super::ActiveDays;

    #[derive(Serialize, Deserialize)]
    struct Form {
        /// Every day of any series, in order.
        calendar: Vec<(i16, i8, i8)>,
        series: Vec<Option<Series>>,
    }

    #[derive(Serialize, Deserialize)]
    enum Series {
        /// A gain for every day of the calendar.
        Whole(Vec<f64>),
        /// Gains of some days, by their place in the calendar.
        Part(Vec<(usize, f64)>),
    }

    pub(in crate::publication) fn serialize<S: Serializer>(
        all: &[Option<ActiveDays>],
        to: S,
    ) -> Result<S::Ok, S::Error> {
        let days = all.iter().flatten().flatten().map(|(day, _)| *day);
        let calendar: BTreeSet<Date> = days.collect();
        let calendar: Vec<Date> = calendar.into_iter().collect();
        let series = |days: &ActiveDays| {
            if days.iter().map(|(day, _)| day).eq(&calendar) {
                return Series::Whole(days.iter().map(|(_, gain)| *gain).collect());
            }
            let place = |(day, gain): &(Date, f64)| (calendar.partition_point(|d| d < day), *gain);
            Series::Part(days.iter().map(place).collect())
        };
        let numbers = |day: &Date| (day.year(), day.month(), day.day());
        Form {
            calendar: calendar.iter().map(numbers).collect(),
            series: all.iter().map(|days| days.as_ref().map(series)).collect(),
        }
        .serialize(to)
    }

    pub(in crate::publication) fn deserialize<'de, D: Deserializer<'de>>(
        from: D,
    ) -> Result<Vec<Option<ActiveDays>>, D::Error> {
        let form = Form::deserialize(from)?;
        let days = form.calendar.into_iter();
        let days = days.map(|(year, month, day)| Date::new(year, month, day));
        let calendar: Vec<Date> = days.collect::<Result<_, _>>().map_err(D::Error::custom)?;
        let series = |series: Series| -> Option<ActiveDays> {
            match series {
                Series::Whole(gains) if gains.len() == calendar.len() => {
                    Some(calendar.iter().copied().zip(gains).collect())
                }
                Series::Whole(_) => None,
                Series::Part(gains) => {
                    let day = |(place, gain)| Some((*calendar.get(place)?, gain));
                    gains.into_iter().map(day).collect()
                }
            }
        };
        let all = form.series.into_iter().map(|own| match own {
            Some(own) => series(own).map(Some).ok_or(()),
            None => Ok(None),
        });
        all.collect::<Result<_, ()>>()
            .map_err(|()| D::Error::custom("a day is not in the calendar"))
    }
}

#[cfg(test)]
mod tests;
