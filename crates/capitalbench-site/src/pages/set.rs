//! One comparison set: its board, its rounds, its pairs.

use capitalbench_core::evidence::explanation::words::planned;
use capitalbench_core::evidence::statistics::{
    DEFLATED_NEEDED, Estimate, ModelStatistics, SetStatistics,
};
use capitalbench_core::publication::boards::comparison_set::ComparisonSet;

use capitalbench_core::values::units::Return;

use super::board;
use super::home;
use super::share;
use super::view::{View, horizon, pair_path, plain_name, set_path, track_name};
use super::words::claim;
use crate::charts::{Line, LineChart, Steps, Stroke, ranking};
use crate::figures::{
    NONE, chance, count, decimal, interval, percent_interval, share, signed_percent, signed_points,
};
use crate::page::Page;
use crate::table::{self, Table, head, markup, maybe, number, percent, text, words};

mod stake;

/// Rounds that a page lists; more are in the data files.
const MOST_ROUNDS: usize = 150;

pub(crate) fn page(view: &View<'_>, set: &ComparisonSet) -> Page {
    let definition = &set.definition;
    let mut page = Page::new(
        &set_path(&definition.set_id),
        &definition.label,
        "A fixed roster, scored on the rounds that all of its models completed.",
    )
    .below("boards/sets/", "Comparison sets");
    page.image = view.image(&format!("sets/{}", plain_name(&definition.set_id)));
    let mut facts = vec![
        ("Track", track_name(Some(definition.track)).into()),
        ("Status", set.status.as_str().into()),
        ("Models", definition.model_ids.len().into()),
        ("Shared rounds", set.included.len().into()),
    ];
    if let Some(found) = view.statistics(set) {
        let windows = decimal(found.effective_windows, 1);
        facts.push(("Effective windows", windows.as_str().into()));
    }
    if view.round(&definition.started_round_id).is_some() {
        let start = view.round_link(&page.here, &definition.started_round_id);
        facts.insert(2, ("Starts with", start));
    }
    page.body.facts(&facts);
    if set.rows.is_empty() {
        page.body.say("No round is shared by the whole roster yet.");
    } else {
        let table = board::table(view, &page.here, set);
        page.body.table(&table);
        claim(view, &mut page, set);
        score_chart(view, &mut page, set);
        if let Some(statistics) = view.statistics(set) {
            stake::section(view, &mut page, set);
            home::race_section(view, &mut page, set);
            daily(view, &mut page, set, statistics);
            detail(view, &mut page, set, statistics);
            pairs(view, &mut page, set, statistics);
        }
    }
    rounds(view, &mut page, set);
    let name = plain_name(&definition.set_id);
    let embed = format!(
        "<iframe src=\"{}/embed/{name}.html\" title=\"{}\" width=\"100%\" height=\"420\"></iframe>",
        view.base_url, definition.label
    );
    let data = [
        "comparison_sets.csv",
        "comparison_sets.json",
        "set_rows.csv",
    ];
    share::panel(
        view,
        &mut page,
        &definition.label,
        &[("Embed the table", embed)],
        &data,
    );
    page
}

fn score_chart(view: &View<'_>, page: &mut Page, set: &ComparisonSet) {
    let rows = board::whiskers(view, set);
    let reference = board::reference(set);
    let mut table = Table::new("Scores", "Model | #Score | #95 % interval").fixed();
    for row in &rows {
        let range = row
            .range
            .map_or(NONE.to_owned(), |(low, high)| interval(low, high, 1));
        table.row(vec![
            head(row.label.as_str()),
            table::decimal(row.value, 1),
            number(&range, None),
        ]);
    }
    let chart = ranking(
        "Scores of the set with their 95 % intervals",
        &rows,
        reference.map(|score| (view.reference.to_string(), score)),
    );
    let caption = format!(
        "CapitalBench Score; whiskers are 95 % intervals, the line is {}",
        view.reference.the()
    );
    page.body.section("scores", "Scores and intervals");
    page.body.figure(&caption, &chart, &table);
}

fn daily(view: &View<'_>, page: &mut Page, set: &ComparisonSet, statistics: &SetStatistics) {
    let the = view.reference.the();
    let mut lines = Vec::new();
    let mut table = Table::new(
        &format!("Gain beyond {the}"),
        "Model | #Days | #To date | #95 % band",
    )
    .fixed();
    for (row, model) in set.rows.iter().zip(&statistics.models) {
        let Some(path) = &model.path else { continue };
        let Some(last) = path.last() else { continue };
        let (low, high) = (last.value - last.half_width, last.value + last.half_width);
        table.row(vec![
            head(view.model_link(&page.here, &row.model_id)),
            number(&path.len().to_string(), None),
            percent(last.value),
            number(&percent_interval(low, high), None),
        ]);
        let band = path
            .iter()
            .map(|p| (p.value - p.half_width, p.value + p.half_width));
        lines.push(Line {
            label: view.name(&row.model_id).to_owned(),
            points: path.iter().map(|p| (p.day, p.value)).collect(),
            band: band.collect(),
            stroke: Stroke::Solid,
            look: view.look(&row.model_id),
        });
    }
    if lines.is_empty() {
        return;
    }
    let chart = LineChart {
        title: format!("Summed daily gain of each model's synthetic portfolio beyond {the}"),
        steps: Steps::Days,
        ends: None,
        lines,
        written: signed_percent,
    };
    page.body
        .section("daily", &format!("Day by day against {the}"));
    page.body.figure(
        &format!("Summed daily gain beyond {the} of a synthetic portfolio with equal capital in every live round, which nobody could hold; the band is the 95 % interval of the first row's path, and of another's while you point at its line; the table has the last of each"),
        &chart.draw(),
        &table,
    );
}

fn detail(view: &View<'_>, page: &mut Page, set: &ComparisonSet, statistics: &SetStatistics) {
    let mut table = Table::new(
        "What each record may claim",
        &format!(
            "Model | #Gap / {}, points | #95 % interval | #p | #Shrunken gap, points | #Tie group | #Above random | #Above random, same risk | #p luck | #Detectable gap, points | Years to detect a yearly gap",
            horizon(set.definition.track)
        ),
    );
    for model in &statistics.models {
        let own = &model.model;
        let alpha = own.alpha;
        table.row(vec![
            head(view.model_link(&page.here, &own.model_id)),
            maybe(alpha.map(|a| a.value), signed_points),
            table::interval(alpha),
            maybe(
                alpha.filter(Estimate::informative).map(|a| a.p_value),
                chance,
            ),
            maybe(model.shrunken, signed_points),
            number(&model.group.to_string(), None),
            text(&percentile(own)),
            maybe(own.luck_matched.map(|l| l.mean_percentile), share),
            maybe(own.luck_test.map(|l| l.p_value), chance),
            maybe(own.detectable, signed_points),
            words(own.years_to_detect.map_or(NONE.to_owned(), planned)),
        ]);
    }
    page.body
        .section("claims", "What each record may claim")
        .say("Every gap is the mean over the rounds. Its error follows from the days on which they were live, so that overlapping rounds do not count twice.")
        .table(&table);
    if let Some(found) = statistics.shrinkage {
        page.body.say(&format!(
            "Of a model's distance from the mean of the set, {} is likely to last; the variance of true gaps between these models is {} (τ²).",
            share(found.kept),
            scientific(found.tau_squared)
        ));
    }
    if let Some(deflated) = statistics.leader_deflated {
        page.body.say(&format!(
            "As the best of all tries the first row would need a deflated ratio of {DEFLATED_NEEDED:.2}; it has {deflated:.2}."
        ));
    }
}

/// A small number by its powers of ten.
fn scientific(value: f64) -> String {
    if value > 0.0 {
        format!("{value:.2e}")
    } else {
        "0".to_owned()
    }
}

/// A mean percentile with the spread that chance alone gives it.
fn percentile(own: &ModelStatistics) -> String {
    let both = own.luck.zip(own.chance_spread);
    both.map_or(NONE.to_owned(), |(luck, spread)| {
        format!(
            "{} (50 ± {:.0})",
            share(luck.mean_percentile),
            100.0 * spread
        )
    })
}

fn pairs(view: &View<'_>, page: &mut Page, set: &ComparisonSet, statistics: &SetStatistics) {
    let mut table = Table::new(
        "Every pair of the set",
        &format!(
            "Higher row | Lower row | Verdict | #Mean difference / {}, points | #95 % interval | #p, corrected | #Detectable gap, points",
            horizon(set.definition.track)
        ),
    );
    for pair in &statistics.pairs {
        let verdict = if pair.apart() {
            "separable"
        } else {
            "not separable"
        };
        let path = pair_path(&pair.first, &pair.second);
        table.row(vec![
            head(view.model_label(&pair.first)),
            markup(view.model_label(&pair.second)),
            markup(page.here.link(&path, verdict)),
            maybe(pair.difference.map(|d| d.value), signed_points),
            table::interval(pair.difference),
            maybe(pair.p_adjusted, chance),
            maybe(pair.detectable, signed_points),
        ]);
    }
    page.body.section("pairs", "Pairs");
    page.body.say("Differences on the same rounds and days; p values are corrected by Holm's method over all pairs of the set.");
    page.body.table(&table);
}

fn rounds(view: &View<'_>, page: &mut Page, set: &ComparisonSet) {
    page.body.section(
        "included",
        &count(set.included.len(), "round included", "rounds included"),
    );
    let mut table = Table::new(
        "Included rounds, newest first",
        &format!("Round | #{} | #Best option", view.reference),
    );
    for id in set.included.iter().rev().take(MOST_ROUNDS) {
        let resolved = view.round(id).and_then(|round| round.resolved());
        let reference = resolved.map(|resolved| resolved.returns.reference().get());
        let oracle = resolved.and_then(|resolved| resolved.returns.oracle());
        table.row(vec![
            view.round_cell(&page.here, id),
            maybe(reference, signed_percent),
            maybe(oracle.map(Return::get), signed_percent),
        ]);
    }
    let shown = table.rows.len();
    page.body
        .fold("Show the included rounds", &table)
        .cut("Rounds", shown, set.included.len());
    page.body.section(
        "left-out",
        &count(set.excluded.len(), "round left out", "rounds left out"),
    );
    let mut table = Table::new(
        "Rounds left out for everyone, newest first",
        "Round | Models that did not complete it",
    );
    for excluded in set.excluded.iter().rev().take(MOST_ROUNDS) {
        table.row(vec![
            view.round_cell(&page.here, &excluded.round_id),
            words(view.names(&excluded.missing)),
        ]);
    }
    let shown = table.rows.len();
    page.body
        .fold("Show the rounds left out, with the reason", &table)
        .cut("Rounds", shown, set.excluded.len());
}
