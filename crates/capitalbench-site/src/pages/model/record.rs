//! The page of a model shows its record on one track as facts, so that a score stands beside its
//! interval, its luck and its cost.

use capitalbench_core::evidence::explanation::words::planned;
use capitalbench_core::evidence::statistics::{Estimate, RecordStatistics, horizon_sessions};
use capitalbench_core::publication::boards::cumulative::CumulativeRow;
use capitalbench_core::round::manifest::Track;

use super::super::view::{View, horizon};
use crate::figures::{
    chance, cost, decimal, interval, no_interval, percent_interval, score, share, signed_percent,
    signed_points, worth,
};
use crate::html::Html;
use crate::page::Page;

pub(super) fn record(
    view: &View<'_>,
    page: &mut Page,
    track: Track,
    (row, own): (&CumulativeRow, Option<&RecordStatistics>),
) {
    let the = view.reference.the();
    let [same, mean, above] = [
        format!("{}, same rounds", view.reference),
        format!("Mean gap to {the}"),
        format!("Above {the}"),
    ];
    let windows = own.map(|own| own.model.effective_windows);
    let rounds = worth(&row.rounds.len().to_string(), windows, " windows");
    let reference = signed_percent(row.average_reference);
    let mut facts = vec![
        ("Rounds", rounds.into()),
        ("Score", scored_text(row, own).into()),
        ("Mean return", signed_percent(row.average_return).into()),
        (same.as_str(), reference.into()),
        (
            mean.as_str(),
            format!(
                "{} points a {}",
                signed_points(row.average_alpha),
                horizon(track)
            )
            .into(),
        ),
        (above.as_str(), share(row.hit_rate_reference).into()),
    ];
    if let Some(alpha) = own.and_then(|own| own.model.alpha) {
        facts.push(("95 % interval of the gap", stated_gap(alpha).into()));
    }
    if let Some(own) = own {
        facts.extend(luck(own).map(|words| ("Random portfolios", words.into())));
        facts.extend(synthetic(own, track, &the));
    }
    if let Some(noise) = own.and_then(|own| own.noise) {
        let words = format!("{} of the variance", share(noise.decision_share));
        facts.push(("Own noise", words.into()));
    }
    if let Some(years) = own.and_then(|own| own.model.years_to_detect) {
        facts.push(("Years to detect a yearly gap", planned(years).into()));
    }
    facts.push(("Cost per decision", cost_text(row).into()));
    page.body.facts(&facts);
}

/// The mean cost, and of how many rounds it is known where not of all.
fn cost_text(row: &CumulativeRow) -> String {
    let (known, all) = (row.rounds_with_cost, row.rounds.len());
    let shown = cost(row.average_cost_usd);
    if row.average_cost_usd.is_some() && known < all {
        return format!("{shown}, unknown for {} of {all} rounds", all - known);
    }
    shown
}

fn scored_text(row: &CumulativeRow, own: Option<&RecordStatistics>) -> String {
    let shown = score(row.score);
    match own.map(|own| own.model.score) {
        Some(Ok((low, high))) => format!("{shown} ({})", interval(low, high, 1)),
        Some(Err(reason)) => format!("{shown} (no interval: {})", no_interval(reason)),
        None => shown,
    }
}

fn stated_gap(alpha: Estimate) -> String {
    if alpha.informative() {
        percent_interval(alpha.low, alpha.high)
    } else {
        "too few windows for an interval".to_owned()
    }
}

/// Where it stands among random portfolios, and whether luck explains that.
fn luck(own: &RecordStatistics) -> Option<String> {
    let (luck, spread) = own.model.luck.zip(own.model.chance_spread)?;
    let tested = match own.model.luck_test {
        Some(test) => format!(
            "null-v2 over {} rounds: p {}",
            test.rounds,
            chance(test.p_value)
        ),
        None => {
            "luck is not tested: the test needs two rounds that froze 60 daily returns".to_owned()
        }
    };
    Some(format!(
        "{} of them below on average, by chance 50 ± {:.0}; {tested}",
        share(luck.mean_percentile),
        100.0 * spread
    ))
}

/// Figures of the synthetic portfolio, which never rank.
fn synthetic(own: &RecordStatistics, track: Track, the: &str) -> Option<(&'static str, Html)> {
    let own = own.synthetic?;
    let sessions = horizon_sessions(track);
    let words = format!(
        "beta {} ({}); gain beyond beta {} a {} ({}); tracking error {} a year; information ratio {} ({}); largest loss from a high {}, of {the} {}",
        decimal(own.beta.value, 2),
        interval(own.beta.low, own.beta.high, 2),
        signed_points(sessions * own.capm_alpha.value),
        horizon(track),
        percent_interval(
            sessions * own.capm_alpha.low,
            sessions * own.capm_alpha.high
        ),
        share(own.tracking_error),
        decimal(own.information_ratio.value, 2),
        interval(own.information_ratio.low, own.information_ratio.high, 2),
        share(own.drawdown),
        share(own.reference_drawdown),
    );
    Some(("Synthetic portfolio of all live rounds", words.into()))
}
