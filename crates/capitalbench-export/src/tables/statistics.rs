//! What records and comparisons may claim.

use capitalbench_core::evidence::inference::reliability::Bin;
use capitalbench_core::evidence::statistics::{
    Basis, Estimate, ModelStatistics, Pair, RecordStatistics,
};
use capitalbench_core::publication::Publication;
use capitalbench_core::round::manifest::Track;
use capitalbench_core::values::ids::ModelId;

use crate::table::{Filling, Row, Table, columns};

/// Records of tracks.
pub const STATISTICS: Table = Table {
    name: "statistics",
    about: "One row per model and track: its whole record with what it rests on. The method and its version are in `publication.json`.",
    columns: STATISTIC_COLUMNS,
    filling: Filling::Whole(|publication| {
        let records = publication.statistics.records.iter();
        records
            .flat_map(|(track, models)| statistics(*track, models))
            .collect()
    }),
};

columns! {
    STATISTIC_COLUMNS, fn record(track: Track, record: &RecordStatistics) -> Row<'_>;
    Always "track" Text "weekly or monthly" => track.as_str();
    Always "model_id" Text "Who" => record.model.model_id.as_str();
    Always "rounds" Integer "Resolved rounds" => record.model.rounds;
    Always "effective_windows" Real "Separate windows they are worth" => record.model.effective_windows;
    Maybe "alpha_fraction" Real "Mean gain beyond the reference per horizon" => record.model.alpha.map(|alpha| alpha.value);
    Maybe "alpha_low_fraction" Real "Lower end of the 95 % interval" => record.model.alpha.map(|alpha| alpha.low);
    Maybe "alpha_high_fraction" Real "Upper end" => record.model.alpha.map(|alpha| alpha.high);
    Maybe "alpha_t" Real "Mean over standard error" => record.model.alpha.and_then(|alpha| alpha.t);
    Maybe "alpha_p_value" Real "Two-sided chance of a mean this far from zero" => record.model.alpha.map(|alpha| alpha.p_value);
    Always "alpha_basis" Text "daily, rounds, not_informative or too_few_windows" => basis(record.model.alpha);
    Maybe "alpha_days" Integer "Days of the daily series, where there is one" => days(record.model.alpha);
    Maybe "alpha_resampled_low_fraction" Real "A second opinion on the interval, by resampled days" => record.alpha_resampled.map(|(low, _)| low);
    Maybe "alpha_resampled_high_fraction" Real "Its upper end" => record.alpha_resampled.map(|(_, high)| high);
    Maybe "score_low" Real "Lower end of the 95 % interval of the score" => record.model.score.ok().map(|(low, _)| low);
    Maybe "score_high" Real "Upper end" => record.model.score.ok().map(|(_, high)| high);
    Maybe "score_interval_reason" Text INTERVAL_REASON => interval_reason(&record.model);
    Maybe "random_percentile_fraction" Real "Mean share of random portfolios below its decisions" => record.model.luck.as_ref().map(|luck| luck.mean_percentile);
    Maybe "random_z" Real "The same as a normal deviate, overlap counted" => record.model.luck.as_ref().map(|luck| luck.z);
    Maybe "random_p_value" Real "Its chance" => record.model.luck.as_ref().map(|luck| luck.p_value);
    Maybe "random_matched_percentile_fraction" Real "Among random ones as volatile" => record.model.luck_matched.as_ref().map(|luck| luck.mean_percentile);
    Maybe "random_matched_p_value" Real "Its chance" => record.model.luck_matched.as_ref().map(|luck| luck.p_value);
    Maybe "detectable_fraction" Real "Smallest gap to the reference this record would detect, per horizon" => record.model.detectable;
    Maybe "years_to_know" Real "Years until the observed gap would be detected" => record.model.years_to_know;
    Maybe "noise_decision" Real "Variance of repeated decisions, from repeated calls" => record.noise.as_ref().map(|noise| noise.decision);
    Maybe "noise_market" Real "Variance of rounds, from repeated calls" => record.noise.as_ref().map(|noise| noise.market);
    Maybe "noise_decision_share_fraction" Real "Share of the variance that is the model's own" => record.noise.as_ref().map(|noise| noise.decision_share);
    Maybe "brier" Real "Mean squared error of stated confidence" => record.brier.as_ref().map(|brier| brier.value);
    Maybe "brier_low" Real "Lower end of its 95 % interval; none where it is not informative" => informative_brier(record).map(|brier| brier.low);
    Maybe "brier_high" Real "Upper end" => informative_brier(record).map(|brier| brier.high);
}

pub(crate) fn statistics(track: Track, models: &[RecordStatistics]) -> Vec<Row<'_>> {
    models
        .iter()
        .map(|record| self::record(track, record))
        .collect()
}

fn informative_brier(record: &RecordStatistics) -> Option<&Estimate> {
    record.brier.as_ref().filter(|brier| brier.informative())
}

/// The meaning of the column beside a score's interval.
pub(super) const INTERVAL_REASON: &str = "Why there is no interval: too_few_windows, small_denominator or no_oracle; \
not_informative where it must not be read as one";

/// Why a score's interval is missing, or must not be read as one.
pub(super) fn interval_reason(model: &ModelStatistics) -> Option<&'static str> {
    match &model.score {
        Err(reason) => Some(reason.as_str()),
        Ok(_) if model.score_is_informative() => None,
        Ok(_) => Some(Basis::NotInformative.as_str()),
    }
}

fn basis(found: Option<Estimate>) -> &'static str {
    found.map_or("too_few_windows", |found| found.basis.as_str())
}

/// The days of the daily series, where there is one.
fn days(found: Option<Estimate>) -> Option<usize> {
    match found?.basis {
        Basis::Days(days) => Some(days),
        Basis::Rounds | Basis::NotInformative => None,
    }
}

pub const PAIRS: Table = Table {
    name: "pairs",
    about: "One row per pair of models of a set, on the rounds both completed.",
    columns: PAIR_COLUMNS,
    filling: Filling::Whole(all_pairs),
};

columns! {
    PAIR_COLUMNS, fn pair<'a>(set_id: &'a str, pair: &'a Pair) -> Row<'a>;
    Always "set_id" Text "The set" => set_id;
    Always "first_model_id" Text "The one with the better row" => pair.first.as_str();
    Always "second_model_id" Text "The other" => pair.second.as_str();
    Maybe "difference_fraction" Real "Mean difference per horizon" => pair.difference.map(|found| found.value);
    Maybe "difference_low_fraction" Real "Lower end of the 95 % interval" => pair.difference.map(|found| found.low);
    Maybe "difference_high_fraction" Real "Upper end" => pair.difference.map(|found| found.high);
    Maybe "difference_t" Real "Mean over standard error" => pair.difference.and_then(|found| found.t);
    Maybe "difference_p_value" Real "Two-sided chance" => pair.difference.map(|found| found.p_value);
    Always "difference_basis" Text "daily, rounds, not_informative or too_few_windows" => basis(pair.difference);
    Maybe "difference_days" Integer "Days of the daily series, where there is one" => days(pair.difference);
    Maybe "p_adjusted" Real "After Holm's correction over all pairs of the set" => pair.p_adjusted;
}

fn all_pairs(publication: &Publication) -> Vec<Row<'_>> {
    let sets = publication.statistics.sets.iter();
    sets.flat_map(|(id, set)| pairs(id, &set.pairs)).collect()
}

pub(crate) fn pairs<'a>(set_id: &'a str, pairs: &'a [Pair]) -> Vec<Row<'a>> {
    pairs.iter().map(|own| pair(set_id, own)).collect()
}

/// Stated confidence against outcomes.
pub const RELIABILITY: Table = Table {
    name: "reliability",
    about: "One row per model, track and bin of stated confidence that has a resolved decision.",
    columns: RELIABILITY_COLUMNS,
    filling: Filling::Whole(|publication| {
        let records = publication.statistics.records.iter();
        records
            .flat_map(|(track, models)| models.iter().flat_map(|model| reliability(*track, model)))
            .collect()
    }),
};

columns! {
    RELIABILITY_COLUMNS, fn bin<'a>(track: Track, model_id: &'a ModelId, bin: &Bin) -> Row<'a>;
    Always "track" Text "weekly or monthly" => track.as_str();
    Always "model_id" Text "Who" => model_id.as_str();
    Always "from_fraction" Real "Lower end of the bin" => bin.from;
    Always "to_fraction" Real "Upper end" => bin.to;
    Always "decisions" Integer "Decisions in it" => bin.count;
    Always "effective_windows" Real "Separate windows they are worth" => bin.effective;
    Always "confidence_fraction" Real "Mean stated confidence" => bin.confidence;
    Always "hit_rate_fraction" Real "Share that beat the reference" => bin.hit_rate;
}

fn reliability(track: Track, record: &RecordStatistics) -> Vec<Row<'_>> {
    let bins = record.reliability.iter().filter(|bin| bin.count > 0);
    bins.map(|own| bin(track, &record.model.model_id, own))
        .collect()
}
