//! How a model decides, decision by decision.

use capitalbench_core::market::universe::RiskBucket;
use capitalbench_core::publication::boards::behaviour::{
    Behaviour, Habit, exposure_by_risk, weights,
};
use jiff::civil::Date;

use super::super::view::View;
use crate::charts::{Line, LineChart, Look, StackedBars, Steps, Stroke};
use crate::figures::{decimal, share};
use crate::html::Html;
use crate::page::Page;
use crate::table::{self, Table, maybe, part};

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

pub(super) fn section(view: &View<'_>, page: &mut Page, behaviour: &Behaviour) {
    page.body.heading("Habits");
    let risk = decimal(behaviour.average_risk_taking, 0);
    let mut facts: Vec<(&str, Html)> = vec![
        ("Decisions", behaviour.decisions.len().into()),
        ("Holdings", decimal(behaviour.average_holdings, 1).into()),
        ("Largest holding", share(behaviour.average_largest).into()),
        ("Risk-taking", format!("{risk} of 100").into()),
    ];
    if let Some(turnover) = behaviour.average_turnover {
        facts.push(("Turnover", share(turnover).into()));
    }
    if let Some(difference) = behaviour.average_difference {
        facts.push(("Difference from others", share(difference).into()));
    }
    page.body.facts(&facts);
    exposure(view, page, behaviour);
    figures(view, page, behaviour);
    let (shown, all) = (recent(behaviour).len(), behaviour.decisions.len());
    page.body.cut("Decisions", shown, all);
}

fn recent(behaviour: &Behaviour) -> &[Habit] {
    let all = &behaviour.decisions;
    &all[all.len().saturating_sub(MOST)..]
}

fn decided(view: &View<'_>, habit: &Habit) -> Option<Date> {
    view.window(&habit.round_id).map(|window| window.entry)
}

fn exposure(view: &View<'_>, page: &mut Page, behaviour: &Behaviour) {
    let mut labels = Vec::new();
    let mut bars = Vec::new();
    let mut table = Table::new("Weight by risk grade, in order of decision", "Round").fixed();
    for (_, name) in GRADES {
        table.add_numbers(name);
    }
    for habit in recent(behaviour) {
        let Some(round) = view.round(&habit.round_id) else {
            continue;
        };
        let mut submissions = round.submissions().into_iter();
        let Some(own) = submissions.find(|s| s.model_id == *round.stored(&behaviour.model_id))
        else {
            continue;
        };
        let grades = exposure_by_risk(&weights(&own.decision.holdings()), &round.universe);
        let shares = GRADES.map(|(grade, _)| grades.get(&grade).copied().unwrap_or_default());
        let mut cells = vec![view.round_cell(&page.here, &habit.round_id)];
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
    type Figure = fn(&Habit) -> Option<f64>;
    let own = view.look(&behaviour.model_id);
    // One model, so one colour; the shapes and strokes tell the figures apart.
    let kinds: [(&str, Figure, Stroke, usize); 3] = [
        ("Concentration", |habit| Some(habit.hhi), Stroke::Solid, 0),
        ("Turnover", |habit| habit.turnover, Stroke::Dashed, 1),
        (
            "Difference from others",
            |habit| habit.difference,
            Stroke::Dotted,
            2,
        ),
    ];
    let mut table = Table::new(
        "Habits, in order of decision",
        "Round | #Concentration | #Turnover | #Difference | #Risk-taking",
    )
    .fixed();
    for habit in recent(behaviour) {
        table.row(vec![
            view.round_cell(&page.here, &habit.round_id),
            table::decimal(habit.hhi, 2),
            maybe(habit.turnover, share),
            maybe(habit.difference, share),
            table::decimal(habit.risk_taking, 0),
        ]);
    }
    let line = |(label, figure, stroke, shape): (&str, Figure, Stroke, usize)| {
        let points = recent(behaviour).iter();
        let points = points.filter_map(|habit| Some((decided(view, habit)?, figure(habit)?)));
        Line::plain(label, (stroke, Look::new(own.colour, shape)), points)
    };
    let lines: Vec<Line> = kinds
        .into_iter()
        .map(line)
        .filter(|line| !line.points.is_empty())
        .collect();
    let chart = LineChart {
        title: "Concentration, turnover and difference from other models".to_owned(),
        steps: Steps::Days,
        ends: None,
        lines,
        written: share,
    };
    page.body.figure(
        "Concentration (sum of squared weights), turnover since the decision before, and difference from the other models' mean",
        &chart.draw(),
        &table,
    );
}
