//! What records and comparisons may claim.

use capitalbench_core::evidence::inference::overlap::NoInterval;
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
    Always "effective_windows" Real "Effective windows they are worth" => record.model.effective_windows;
    Maybe "alpha_fraction" Real "Mean gap per round to the reference" => record.model.alpha.map(|alpha| alpha.value);
    Maybe "alpha_low_fraction" Real "Lower end of the 95 % interval for one look; not to be read where the basis is not_informative" => record.model.alpha.map(|alpha| alpha.low);
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
    Maybe "random_z" Real "The same as a normal deviate by null-v1, for comparison only: too wide for a concentrated entrant" => record.model.luck.as_ref().map(|luck| luck.z);
    Maybe "random_p_value" Real "Its chance" => record.model.luck.as_ref().map(|luck| luck.p_value);
    Maybe "random_matched_percentile_fraction" Real "Among random ones as volatile" => record.model.luck_matched.as_ref().map(|luck| luck.mean_percentile);
    Maybe "random_matched_p_value" Real "Its chance" => record.model.luck_matched.as_ref().map(|luck| luck.p_value);
    Maybe "detectable_fraction" Real "Smallest gap per round to the reference that this record detects in four of five cases" => record.model.detectable;
    Maybe "years_to_know" Real "Of inference-v1; none since inference-v2, because the observed gap is itself chance" => None::<f64>;
    Maybe "noise_decision" Real "Variance of repeated decisions, from repeated calls" => record.noise.as_ref().map(|noise| noise.decision);
    Maybe "noise_market" Real "Variance of rounds, from repeated calls" => record.noise.as_ref().map(|noise| noise.market);
    Maybe "noise_decision_share_fraction" Real "Share of the variance that is the model's own" => record.noise.as_ref().map(|noise| noise.decision_share);
    Maybe "brier" Real "Mean squared error of the stated chance to beat the reference" => record.brier.as_ref().map(|brier| brier.value);
    Maybe "brier_low" Real "Lower end of its 95 % interval; none where it is not informative" => informative_brier(record).map(|brier| brier.low);
    Maybe "brier_high" Real "Upper end" => informative_brier(record).map(|brier| brier.high);
    Maybe "random_spread_fraction" Real "Half the width of the range around one half in which chance alone puts that mean in 95 of 100 cases" => record.model.chance_spread;
    Maybe "luck_rounds" Integer "Rounds that the test of null-v2 rests on; none where fewer than two froze 60 daily returns" => record.model.luck_test.map(|luck| luck.rounds);
    Maybe "luck_z" Real "Excess over the mean random portfolio in deviations, by null-v2" => record.model.luck_test.map(|luck| luck.z);
    Maybe "luck_p_value" Real "Chance of a z at least this high without skill" => record.model.luck_test.map(|luck| luck.p_value);
    Maybe "years_to_detect_2_percent" Real "Years of such rounds until a gap of 2 % a year is detected in four of five cases" => record.model.years_to_detect.map(|years| years[0]);
    Maybe "years_to_detect_5_percent" Real "The same for 5 % a year" => record.model.years_to_detect.map(|years| years[1]);
    Maybe "years_to_detect_10_percent" Real "The same for 10 % a year" => record.model.years_to_detect.map(|years| years[2]);
    Maybe "synthetic_days" Integer "Days of the synthetic portfolio with equal capital in every live round; its figures never rank" => record.synthetic.map(|own| own.days);
    Maybe "synthetic_beta" Real "Its part in a move of the reference" => record.synthetic.map(|own| own.beta.value);
    Maybe "synthetic_beta_low" Real "Lower end of the 95 % interval" => record.synthetic.map(|own| own.beta.low);
    Maybe "synthetic_beta_high" Real "Upper end" => record.synthetic.map(|own| own.beta.high);
    Maybe "synthetic_capm_alpha_fraction" Real "Mean daily gain that the part in the reference does not explain" => record.synthetic.map(|own| own.capm_alpha.value);
    Maybe "synthetic_capm_alpha_low_fraction" Real "Lower end of the 95 % interval" => record.synthetic.map(|own| own.capm_alpha.low);
    Maybe "synthetic_capm_alpha_high_fraction" Real "Upper end" => record.synthetic.map(|own| own.capm_alpha.high);
    Maybe "synthetic_tracking_error_fraction" Real "Deviation of a year's gain beyond the reference" => record.synthetic.map(|own| own.tracking_error);
    Maybe "synthetic_information_ratio" Real "A year's gain beyond the reference over that deviation" => record.synthetic.map(|own| own.information_ratio.value);
    Maybe "synthetic_information_ratio_low" Real "Lower end of the 95 % interval" => record.synthetic.map(|own| own.information_ratio.low);
    Maybe "synthetic_information_ratio_high" Real "Upper end" => record.synthetic.map(|own| own.information_ratio.high);
    Maybe "synthetic_drawdown_fraction" Real "Largest loss from a high before it" => record.synthetic.map(|own| own.drawdown);
    Maybe "synthetic_reference_drawdown_fraction" Real "The same of the reference" => record.synthetic.map(|own| own.reference_drawdown);
    Maybe "confidence_other_question" Integer "Resolved rounds that did not ask for the chance to beat the reference" => Some(record.left_out.other_question);
    Maybe "confidence_level" Integer "Resolved rounds in which the decision returned what the reference did" => Some(record.left_out.level);
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
pub(super) const INTERVAL_REASON: &str =
    "Why there is no interval: too_few_windows, small_denominator or no_oracle";

/// Why a score's interval is missing.
pub(super) fn interval_reason(model: &ModelStatistics) -> Option<&'static str> {
    model.score.err().map(NoInterval::as_str)
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
    Maybe "difference_fraction" Real "Mean difference per round" => pair.difference.map(|found| found.value);
    Maybe "difference_low_fraction" Real "Lower end of the 95 % interval" => pair.difference.map(|found| found.low);
    Maybe "difference_high_fraction" Real "Upper end" => pair.difference.map(|found| found.high);
    Maybe "difference_t" Real "Mean over standard error" => pair.difference.and_then(|found| found.t);
    Maybe "difference_p_value" Real "Two-sided chance" => pair.difference.map(|found| found.p_value);
    Always "difference_basis" Text "daily, rounds, not_informative or too_few_windows" => basis(pair.difference);
    Maybe "difference_days" Integer "Days of the daily series, where there is one" => days(pair.difference);
    Maybe "p_adjusted" Real "After Holm's correction over all pairs of the set" => pair.p_adjusted;
    Maybe "detectable_fraction" Real "Smallest difference per round that would be detected as one of all pairs in four of five cases" => pair.detectable;
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
    Always "effective_windows" Real "Effective windows they are worth" => bin.effective;
    Always "confidence_fraction" Real "Mean stated confidence" => bin.confidence;
    Always "hit_rate_fraction" Real "Share that beat the reference" => bin.hit_rate;
}

fn reliability(track: Track, record: &RecordStatistics) -> Vec<Row<'_>> {
    let bins = record.reliability.iter().filter(|bin| bin.count > 0);
    bins.map(|own| bin(track, &record.model.model_id, own))
        .collect()
}
