//! How a model decides, decision by decision.

use capitalbench_core::market::universe::RiskBucket;
use capitalbench_core::publication::boards::behaviour::{Behaviour, exposure_by_risk, weights};
use jiff::civil::Date;

use super::super::view::{View, round_link};
use crate::charts::{Line, LineChart, StackedBars, Stroke};
use crate::figures::{decimal, share};
use crate::html::Html;
use crate::page::Page;
use crate::table::{Table, head, maybe, number, part};

/// Decisions that are drawn and listed.
const MOST: usize = 40;
/// Risk grades from the bottom.
const GRADES: [(RiskBucket, &str); 5] = [
    (RiskBucket::Cash, "cash"),
    (RiskBucket::Low, "low"),
    (RiskBucket::Medium, "medium"),
    (RiskBucket::High, "high"),
    (RiskBucket::VeryHigh, "very high"),
];

/// The section of habits.
pub(super) fn section(view: &View<'_>, page: &mut Page, behaviour: &Behaviour) {
    page.body.heading(&Html::text("Habits"));
    let mut facts = vec![
        (
            "Decisions",
            Html::text(&behaviour.decisions.len().to_string()),
        ),
        (
            "Holdings",
            Html::text(&decimal(behaviour.average_holdings, 1)),
        ),
        (
            "Largest holding",
            Html::text(&share(behaviour.average_largest)),
        ),
        (
            "Risk-taking",
            Html::text(&format!(
                "{} of 100",
                decimal(behaviour.average_risk_taking, 0)
            )),
        ),
    ];
    if let Some(turnover) = behaviour.average_turnover {
        facts.push(("Turnover", Html::text(&share(turnover))));
    }
    if let Some(difference) = behaviour.average_difference {
        facts.push(("Difference from others", Html::text(&share(difference))));
    }
    page.body.facts(&facts);
    exposure(view, page, behaviour);
    figures(view, page, behaviour);
    let (shown, all) = (recent(behaviour).len(), behaviour.decisions.len());
    page.body.cut("Decisions", shown, all);
}

fn recent(behaviour: &Behaviour) -> &[capitalbench_core::publication::boards::behaviour::Habit] {
    let all = &behaviour.decisions;
    &all[all.len().saturating_sub(MOST)..]
}

fn decided(
    view: &View<'_>,
    habit: &capitalbench_core::publication::boards::behaviour::Habit,
) -> Option<Date> {
    view.round(&habit.round_id)?
        .manifest
        .window
        .map(|window| window.entry)
}

fn exposure(view: &View<'_>, page: &mut Page, behaviour: &Behaviour) {
    let mut labels = Vec::new();
    let mut bars = Vec::new();
    let names = GRADES.map(|(_, name)| format!("#{name}"));
    let mut columns = vec!["Round"];
    columns.extend(names.iter().map(String::as_str));
    let mut table = Table::new("Weight by risk grade, in order of decision", &columns).fixed();
    for habit in recent(behaviour) {
        let Some(round) = view.round(&habit.round_id) else {
            continue;
        };
        let submissions = round.submissions();
        let Some(own) = submissions
            .iter()
            .find(|s| s.model_id == behaviour.model_id)
        else {
            continue;
        };
        let grades = exposure_by_risk(&weights(&own.decision.holdings()), &round.universe);
        let shares = GRADES.map(|(grade, _)| grades.get(&grade).copied().unwrap_or_default());
        let mut cells = vec![head(round_link(&page.here, &habit.round_id))];
        cells.extend(shares.iter().map(|value| part(*value)));
        table.row(cells);
        labels.push(decided(view, habit).map_or(String::new(), |day| day.to_string()));
        bars.push(shares.to_vec());
    }
    let chart = StackedBars {
        title: "Weight by risk grade, one bar per decision".to_owned(),
        labels,
        parts: GRADES.map(|(_, name)| name).to_vec(),
        bars,
    };
    page.body.figure(
        "Weight by risk grade of the universe, one bar per decision",
        &chart.draw(),
        &table,
    );
}

fn figures(view: &View<'_>, page: &mut Page, behaviour: &Behaviour) {
    type Figure = fn(&capitalbench_core::publication::boards::behaviour::Habit) -> Option<f64>;
    let kinds: [(&str, Figure); 3] = [
        ("Concentration", |habit| Some(habit.hhi)),
        ("Turnover", |habit| habit.turnover),
        ("Difference from others", |habit| habit.difference),
    ];
    let mut table = Table::new(
        "Habits, in order of decision",
        &[
            "Round",
            "#Concentration",
            "#Turnover",
            "#Difference",
            "#Risk-taking",
        ],
    )
    .fixed();
    for habit in recent(behaviour) {
        table.row(vec![
            head(round_link(&page.here, &habit.round_id)),
            number(&decimal(habit.hhi, 2), Some(habit.hhi)),
            maybe(habit.turnover, share),
            maybe(habit.difference, share),
            number(&decimal(habit.risk_taking, 0), Some(habit.risk_taking)),
        ]);
    }
    let line = |(label, figure): (&str, Figure)| {
        let points = recent(behaviour).iter();
        let points = points.filter_map(|habit| Some((decided(view, habit)?, figure(habit)?)));
        Line {
            label: label.to_owned(),
            points: points.collect(),
            band: Vec::new(),
            stroke: Stroke::Solid,
        }
    };
    let lines: Vec<Line> = kinds
        .into_iter()
        .map(line)
        .filter(|line| !line.points.is_empty())
        .collect();
    let chart = LineChart {
        title: "Concentration, turnover and difference from other models".to_owned(),
        lines,
        written: share,
    };
    page.body.figure(
        "Concentration (sum of squared weights), turnover since the decision before, and difference from the other models' mean",
        &chart.draw(),
        &table,
    );
}
