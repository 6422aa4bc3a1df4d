//! The words and tables of a mechanical briefing.

use super::{
    Curve, MEANS, Maturity, MechanicalFacts, OptionFigures, SPANS, TreasuryFacts, YIELD_SPANS,
};

/// What stands for a figure that the sources do not hold.
const UNKNOWN: &str = "n/a";
/// How far below its high an option is called near it, and far from it.
const NEAR_HIGH: f64 = -0.05;
const FAR_FROM_HIGH: f64 = -0.2;

pub(super) fn briefing(facts: &MechanicalFacts<'_>) -> String {
    let figures = facts.figures();
    let mut parts = vec![
        introduction(facts),
        breadth(&figures),
        options(facts, &figures),
    ];
    parts.extend(treasury(facts.treasury));
    format!("{}\n", parts.join("\n\n"))
}

fn introduction(facts: &MechanicalFacts<'_>) -> String {
    let market = facts.universe.market();
    let session = if market.never_closes() {
        "day in UTC".to_owned()
    } else {
        format!("trading day of the {}", market.name())
    };
    format!(
        "# Mechanical briefing\n\n\
         Every figure below was computed by rule from daily closes up to {}, in the same way for \
         every priced option and in the order of the option list. No person and no model wrote or \
         chose it. Figures that the market table gives are left out. {UNKNOWN} means that the price \
         history does not hold the figure.\n\n\
         - A session is a {session}; an option without a price on \
         one keeps the close before it.\n\
         - Changes compare adjusted closes: the last one divided by the one so many sessions before, \
         minus one.\n\
         - Volatility is the sample standard deviation of the last 60 daily returns, times the square \
         root of {}.\n\
         - The year's high is the highest adjusted close of the past twelve months, and its day the \
         latest on which it was reached.",
        facts.as_of,
        market.sessions_per_year(),
    )
}

fn breadth(figures: &[OptionFigures<'_>]) -> String {
    let mut lines = vec![
        "## Breadth".to_owned(),
        String::new(),
        table_row(&[
            "span",
            "options",
            "rose",
            "fell",
            "unchanged",
            "median change",
        ]),
        rule(6),
    ];
    for (place, span) in SPANS.iter().enumerate() {
        let changes: Vec<f64> = figures
            .iter()
            .filter_map(|own| own.changes[place])
            .collect();
        let count = |test: fn(&f64) -> bool| changes.iter().filter(|value| test(value)).count();
        let (rose, fell) = (count(|value| *value > 0.0), count(|value| *value < 0.0));
        lines.push(table_row(&[
            &sessions(*span),
            &changes.len().to_string(),
            &rose.to_string(),
            &fell.to_string(),
            &(changes.len() - rose - fell).to_string(),
            &median(changes).map_or_else(unknown, percent),
        ]));
    }
    lines.push(String::new());
    for (place, count) in MEANS.iter().enumerate() {
        let known = figures.iter().filter_map(|own| own.from_means[place]);
        let above = known.clone().filter(|value| *value > 0.0).count();
        let of = known.count();
        lines.push(format!(
            "- {above} of {of} options closed above the mean of their last {count} closes."
        ));
    }
    let highs = figures.iter().filter_map(|own| own.from_high);
    let highs: Vec<f64> = highs.map(|(distance, _)| distance).collect();
    let count = |test: fn(&f64) -> bool| highs.iter().filter(|value| test(value)).count();
    lines.push(format!(
        "- {} of {} options closed at their year's high, {} within 5% of it, and {} more than 20% \
         below it.",
        count(|value| *value >= 0.0),
        highs.len(),
        count(|value| *value >= NEAR_HIGH),
        count(|value| *value < FAR_FROM_HIGH),
    ));
    let volatilities: Vec<f64> = figures.iter().filter_map(|own| own.volatility).collect();
    let middle = median(volatilities).map_or_else(unknown, plain_percent);
    lines.push(format!(
        "- The median volatility of the options is {middle}."
    ));
    lines.join("\n")
}

fn options(facts: &MechanicalFacts<'_>, figures: &[OptionFigures<'_>]) -> String {
    let has_levels = facts.publish.is_full();
    let mut header = vec!["option".to_owned()];
    header.extend(has_levels.then(|| "close".to_owned()));
    header.extend(SPANS.iter().map(|span| sessions(*span)));
    header.extend(["volatility", "day of the year's high"].map(str::to_owned));
    let mut lines = vec![
        "## Options".to_owned(),
        String::new(),
        table_row(&header),
        rule(header.len()),
    ];
    for own in figures {
        let mut cells = vec![own.id.to_string()];
        let level = own.level.map(|level| format!("{level:.2}"));
        cells.extend(has_levels.then(|| level.unwrap_or_else(unknown)));
        let changes = own.changes.iter();
        cells.extend(changes.map(|change| change.map_or_else(unknown, percent)));
        cells.push(own.volatility.map_or_else(unknown, plain_percent));
        let high = own.from_high.map(|(_, day)| day.to_string());
        cells.push(high.unwrap_or_else(unknown));
        lines.push(table_row(&cells));
    }
    lines.join("\n")
}

fn treasury(facts: TreasuryFacts<'_>) -> Option<String> {
    let body = match facts {
        TreasuryFacts::NotAsked => return None,
        TreasuryFacts::NotReached => {
            "The Treasury's curve could not be fetched when this briefing was made.".to_owned()
        }
        TreasuryFacts::Read(curve) => curve_table(curve),
    };
    Some(format!("## US Treasury par yields\n\n{body}"))
}

fn curve_table(curve: &Curve) -> String {
    let Some(latest) = curve.latest() else {
        return "The Treasury published no curve in the last months.".to_owned();
    };
    let mut header = vec!["maturity".to_owned(), "yield".to_owned()];
    header.extend(
        YIELD_SPANS
            .iter()
            .map(|span| plural(*span, "published day")),
    );
    let mut lines = vec![
        format!(
            "The par yield curve of {}, in percent a year; changes over published days are in basis \
             points.",
            latest.day
        ),
        String::new(),
        table_row(&header),
        rule(header.len()),
    ];
    for maturity in Maturity::ALL {
        let mut cells = vec![maturity.as_str().to_owned()];
        let level = latest.percent(maturity);
        cells.push(level.map_or_else(unknown, |percent| format!("{percent:.2}")));
        cells.extend(YIELD_SPANS.iter().map(|span| {
            let change = curve.change(maturity, *span);
            change.map_or_else(unknown, |points| signed(points, 0))
        }));
        lines.push(table_row(&cells));
    }
    lines.join("\n")
}

fn table_row(cells: &[impl AsRef<str>]) -> String {
    let cells: Vec<&str> = cells.iter().map(AsRef::as_ref).collect();
    format!("| {} |", cells.join(" | "))
}

fn rule(columns: usize) -> String {
    table_row(&vec!["---"; columns])
}

fn sessions(count: usize) -> String {
    plural(count, "session")
}

fn plural(count: usize, word: &str) -> String {
    let ending = if count == 1 { "" } else { "s" };
    format!("{count} {word}{ending}")
}

fn unknown() -> String {
    UNKNOWN.to_owned()
}

/// A change in percent, with its sign.
fn percent(fraction: f64) -> String {
    format!("{}%", signed(fraction * 100.0, 2))
}

/// A fraction that has no direction, in percent.
fn plain_percent(fraction: f64) -> String {
    format!("{:.2}%", fraction * 100.0)
}

/// A number with its sign; what rounds to zero has none.
fn signed(value: f64, decimals: usize) -> String {
    let text = format!("{value:+.decimals$}");
    if text.chars().any(|c| ('1'..='9').contains(&c)) {
        text
    } else {
        text[1..].to_owned()
    }
}

fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    let upper = *values.get(middle)?;
    if values.len() % 2 == 1 {
        return Some(upper);
    }
    Some(f64::midpoint(*values.get(middle - 1)?, upper))
}
