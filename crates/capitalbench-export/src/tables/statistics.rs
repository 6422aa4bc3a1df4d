//! What records and comparisons may claim.

use capitalbench_core::evidence::statistics::{
    Basis, Estimate, ModelStatistics, Pair, RecordStatistics,
};
use capitalbench_core::publication::Publication;
use capitalbench_core::round::manifest::Track;
use capitalbench_core::values::ids::ModelId;

use crate::table::{Cell, Filling, Row, Table, columns};

/// Records of tracks.
pub const STATISTICS: Table = Table {
    name: "statistics",
    about: "One row per model and track: its whole record with what it rests on. The method and its version are in `publication.json`.",
    columns: columns! {
        always "track" Text "weekly or monthly";
        always "model_id" Text "Who";
        always "rounds" Integer "Resolved rounds";
        always "effective_windows" Real "Separate windows they are worth";
        maybe "alpha_fraction" Real "Mean gain beyond the reference per horizon";
        maybe "alpha_low_fraction" Real "Lower end of the 95 % interval";
        maybe "alpha_high_fraction" Real "Upper end";
        maybe "alpha_t" Real "Mean over standard error";
        maybe "alpha_p_value" Real "Two-sided chance of a mean this far from zero";
        always "alpha_basis" Text "daily, rounds, not_informative or too_few_windows";
        maybe "alpha_days" Integer "Days of the daily series, where there is one";
        maybe "alpha_resampled_low_fraction" Real "A second opinion on the interval, by resampled days";
        maybe "alpha_resampled_high_fraction" Real "Its upper end";
        maybe "score_low" Real "Lower end of the 95 % interval of the score";
        maybe "score_high" Real "Upper end";
        maybe "score_interval_reason" Text INTERVAL_REASON;
        maybe "random_percentile_fraction" Real "Mean share of random portfolios below its decisions";
        maybe "random_z" Real "The same as a normal deviate, overlap counted";
        maybe "random_p_value" Real "Its chance";
        maybe "random_matched_percentile_fraction" Real "Among random ones as volatile";
        maybe "random_matched_p_value" Real "Its chance";
        maybe "detectable_fraction" Real "Smallest gap to the reference this record would detect, per horizon";
        maybe "years_to_know" Real "Years until the observed gap would be detected";
        maybe "noise_decision" Real "Variance of repeated decisions, from repeated calls";
        maybe "noise_market" Real "Variance of rounds, from repeated calls";
        maybe "noise_decision_share_fraction" Real "Share of the variance that is the model's own";
        maybe "brier" Real "Mean squared error of stated confidence";
        maybe "brier_low" Real "Lower end of its 95 % interval; none where it is not informative";
        maybe "brier_high" Real "Upper end";
    },
    filling: Filling::Whole(|publication| {
        let records = publication.statistics.records.iter();
        records
            .flat_map(|(track, models)| statistics(*track, models))
            .collect()
    }),
};

pub(crate) fn statistics(track: Track, models: &[RecordStatistics]) -> Vec<Row<'_>> {
    models.iter().map(|record| row(track, record)).collect()
}

fn row(track: Track, record: &RecordStatistics) -> Row<'_> {
    let model = &record.model;
    let resampled = record.alpha_resampled;
    let interval = model.score.as_ref().ok();
    let mut cells = vec![
        track.as_str().into(),
        model.model_id.as_str().into(),
        model.rounds.into(),
        model.effective_windows.into(),
    ];
    cells.extend(estimate(model.alpha.as_ref()));
    let noise = record.noise.as_ref();
    let brier = record.brier.as_ref();
    let told = brier.filter(|brier| brier.informative());
    let (luck, matched) = (model.luck.as_ref(), model.luck_matched.as_ref());
    cells.extend([
        Cell::from(resampled.map(|(low, _)| low)),
        resampled.map(|(_, high)| high).into(),
        interval.map(|(low, _)| *low).into(),
        interval.map(|(_, high)| *high).into(),
        interval_reason(model).into(),
        luck.map(|luck| luck.mean_percentile).into(),
        luck.map(|luck| luck.z).into(),
        luck.map(|luck| luck.p_value).into(),
        matched.map(|luck| luck.mean_percentile).into(),
        matched.map(|luck| luck.p_value).into(),
        model.detectable.into(),
        model.years_to_know.into(),
        noise.map(|noise| noise.decision).into(),
        noise.map(|noise| noise.market).into(),
        noise.map(|noise| noise.decision_share).into(),
        brier.map(|brier| brier.value).into(),
        told.map(|brier| brier.low).into(),
        told.map(|brier| brier.high).into(),
    ]);
    cells
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

/// Value, interval, t, p, basis and days.
fn estimate<'a>(found: Option<&Estimate>) -> [Cell<'a>; 7] {
    let days = found.and_then(|found| match found.basis {
        Basis::Days(days) => Some(days),
        Basis::Rounds | Basis::NotInformative => None,
    });
    [
        found.map(|found| found.value).into(),
        found.map(|found| found.low).into(),
        found.map(|found| found.high).into(),
        found.and_then(|found| found.t).into(),
        found.map(|found| found.p_value).into(),
        found
            .map_or("too_few_windows", |found| found.basis.as_str())
            .into(),
        days.into(),
    ]
}

pub const PAIRS: Table = Table {
    name: "pairs",
    about: "One row per pair of models of a set, on the rounds both completed.",
    columns: columns! {
        always "set_id" Text "The set";
        always "first_model_id" Text "The one with the better row";
        always "second_model_id" Text "The other";
        maybe "difference_fraction" Real "Mean difference per horizon";
        maybe "difference_low_fraction" Real "Lower end of the 95 % interval";
        maybe "difference_high_fraction" Real "Upper end";
        maybe "difference_t" Real "Mean over standard error";
        maybe "difference_p_value" Real "Two-sided chance";
        always "difference_basis" Text "daily, rounds, not_informative or too_few_windows";
        maybe "difference_days" Integer "Days of the daily series, where there is one";
        maybe "p_adjusted" Real "After Holm's correction over all pairs of the set";
    },
    filling: Filling::Whole(all_pairs),
};

fn all_pairs(publication: &Publication) -> Vec<Row<'_>> {
    let sets = publication.statistics.sets.iter();
    sets.flat_map(|(id, set)| pairs(id, &set.pairs)).collect()
}

pub(crate) fn pairs<'a>(set_id: &'a str, pairs: &'a [Pair]) -> Vec<Row<'a>> {
    pairs
        .iter()
        .map(|pair| {
            let names = [set_id, pair.first.as_str(), pair.second.as_str()];
            let mut cells: Row<'_> = names.map(Cell::from).to_vec();
            cells.extend(estimate(pair.difference.as_ref()));
            cells.push(pair.p_adjusted.into());
            cells
        })
        .collect()
}

/// Stated confidence against outcomes.
pub const RELIABILITY: Table = Table {
    name: "reliability",
    about: "One row per model, track and bin of stated confidence that has a resolved decision.",
    columns: columns! {
        always "track" Text "weekly or monthly";
        always "model_id" Text "Who";
        always "from_fraction" Real "Lower end of the bin";
        always "to_fraction" Real "Upper end";
        always "decisions" Integer "Decisions in it";
        always "effective_windows" Real "Separate windows they are worth";
        always "confidence_fraction" Real "Mean stated confidence";
        always "hit_rate_fraction" Real "Share that beat the reference";
    },
    filling: Filling::Whole(|publication| {
        let records = publication.statistics.records.iter();
        records
            .flat_map(|(track, models)| models.iter().flat_map(|model| reliability(*track, model)))
            .collect()
    }),
};

fn reliability(track: Track, record: &RecordStatistics) -> Vec<Row<'_>> {
    let id: &ModelId = &record.model.model_id;
    let bins = record.reliability.iter().filter(|bin| bin.count > 0);
    bins.map(|bin| {
        vec![
            track.as_str().into(),
            id.as_str().into(),
            bin.from.into(),
            bin.to.into(),
            bin.count.into(),
            bin.effective.into(),
            bin.confidence.into(),
            bin.hit_rate.into(),
        ]
    })
    .collect()
}
