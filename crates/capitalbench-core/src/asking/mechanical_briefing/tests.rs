use jiff::civil::date;

use super::*;
use crate::asking::briefing::{MAX_WORDS, check};
use crate::asking::prompt::CONTEXT_TITLES;
use crate::market::calendar::Market;
use crate::market::price_window::Session;
use crate::market::treasury::CurveDay;
use crate::market::universes;
use crate::round::methodology::Enforcement;
use crate::test_support::{option_id, universe_of};

const AS_OF: Date = date(2026, 9, 11);

/// Closes of the last sessions, by their place from the last one back.
fn history(id: &str, count: usize, close: impl Fn(usize) -> f64) -> PriceWindow {
    let sessions = last_sessions(Market::default(), AS_OF, count);
    let row = |(place, day): (usize, &Date)| {
        let back = sessions.len() - 1 - place;
        Session {
            date: *day,
            close: Price::new(2.0 * close(back)),
            adjusted: Price::new(close(back)),
            dividend: None,
            split: None,
            volume: None,
        }
    };
    PriceWindow {
        option_id: option_id(id),
        symbol: id.to_owned(),
        sessions: sessions.iter().enumerate().map(row).collect(),
    }
}

fn curve(days: usize) -> Curve {
    let days = last_sessions(Market::default(), AS_OF, days);
    let one = |(place, day): (usize, &Date)| {
        let step = 0.01 * crate::values::sums::real(place);
        CurveDay::new(*day, [Some(4.0), Some(3.5 + step), Some(4.5 - step), None])
    };
    Curve::of([days.iter().enumerate().map(one).collect()]).unwrap()
}

#[test]
fn levels_changes_breadth_and_yields_are_stated() {
    let universe = universe_of(&["AAA", "CASH", "SP500", "BBB"]);
    let histories = [
        history("SP500", 260, |_| 50.0),
        // Fell from 110 to 99 on the last session; its high was 5 sessions before.
        history("AAA", 260, |back| match back {
            0 => 99.0,
            5 => 120.0,
            _ => 110.0,
        }),
        history("BBB", 3, |back| if back == 0 { 10.5 } else { 10.0 }),
    ];
    let curve = curve(30);
    let facts = MechanicalFacts {
        universe: &universe,
        histories: &histories,
        as_of: AS_OF,
        treasury: TreasuryFacts::Read(&curve),
        publish: PublishedPrices::Full,
    };
    let text = facts.text();
    for expected in [
        "from daily closes up to 2026-09-11, ",
        "| 1 session | 3 | 1 | 1 | 1 | 0.00% |\n",
        "| 5 sessions | 2 | 0 | 1 | 1 | -8.75% |\n",
        "| 60 sessions | 2 | 0 | 1 | 1 | -5.00% |\n",
        "- 0 of 2 options closed above the mean of their last 60 closes.\n",
        "- 0 of 2 options closed above the mean of their last 200 closes.\n",
        "- 2 of 3 options closed at their year's high, 2 within 5% of it, and 0 more than 20% below",
        "| AAA | 198.00 | -10.00% | -17.50% | -10.00% | -10.00% | ",
        " | 2026-09-03 |\n",
        "| SP500 | 100.00 | 0.00% | 0.00% | 0.00% | 0.00% | 0.00% | 2026-09-11 |\n",
        "| BBB | 21.00 | +5.00% | n/a | n/a | n/a | n/a | 2026-09-11 |\n",
        "The par yield curve of 2026-09-11, in percent a year",
        "| maturity | yield | 1 published day | 5 published days | 20 published days |\n",
        "| 3 months | 4.00 | 0 | 0 | 0 |\n",
        "| 2 years | 3.79 | +1 | +5 | +20 |\n",
        "| 10 years | 4.21 | -1 | -5 | -20 |\n",
        "| 30 years | n/a | n/a | n/a | n/a |\n",
    ] {
        assert!(text.contains(expected), "no {expected:?} in\n{text}");
    }
    assert!(!text.contains("CASH"));
    assert_eq!(check(&text, Enforcement::Refuse), []);
    let [again, other] = [facts.text(), {
        let treasury = TreasuryFacts::NotReached;
        MechanicalFacts { treasury, ..facts }.text()
    }];
    assert_eq!(text, again);
    assert!(other.contains("The Treasury's curve could not be fetched"));
    assert_eq!(check(&other, Enforcement::Refuse), []);
    let treasury = TreasuryFacts::NotAsked;
    let invented = MechanicalFacts { treasury, ..facts }.text();
    assert!(!invented.contains("Treasury"));
}

#[test]
fn a_round_that_keeps_its_closes_has_a_text_without_levels() {
    let universe = universe_of(&["AAA", "SP500"]);
    let histories = ["AAA", "SP500"].map(|id| history(id, 260, |_| 187.654_321));
    let text = |publish| {
        let facts = MechanicalFacts {
            universe: &universe,
            histories: &histories,
            as_of: AS_OF,
            treasury: TreasuryFacts::NotAsked,
            publish,
        };
        facts.text()
    };
    let (full, returns) = (text(PublishedPrices::Full), text(PublishedPrices::Returns));
    assert!(full.contains("| AAA | 375.31 | 0.00% |"), "{full}");
    assert!(returns.contains("| option | 1 session |") && returns.contains("| AAA | 0.00% |"));
    assert_eq!(
        full.replace(" | close |", " |")
            .replace(" | 375.31 |", " |")
            .len(),
        returns.len() + 6
    );
}

#[test]
fn volatility_is_the_deviation_of_sixty_returns_scaled_to_a_year() {
    // Returns of +1% and −1% in turn: the sample deviation is 0.01 × √(60/59).
    let mut close = 100.0;
    let mut path = vec![close];
    for place in 0..60 {
        close *= if place % 2 == 0 { 1.01 } else { 0.99 };
        path.push(close);
    }
    let expected = 0.01 * (60.0_f64 / 59.0).sqrt() * 252.0_f64.sqrt();
    assert!((volatility(&path, 252.0).unwrap() - expected).abs() < 1e-12);
}

#[test]
fn the_shipped_universe_stays_short_and_passes_the_rules() {
    let yaml = universes::shipped(universes::DEFAULT_VERSION).unwrap();
    let ids = yaml
        .lines()
        .filter_map(|line| line.trim().strip_prefix("- id: "));
    let ids: Vec<&str> = ids.map(|id| id.trim_matches('"')).collect();
    assert_eq!(ids.len(), 70);
    let universe = universe_of(&ids);
    let options = universe.options().iter().filter(|option| !option.is_cash());
    let histories: Vec<PriceWindow> = options
        .map(|option| {
            history(option.id.as_str(), 262, |back| {
                100.0 + crate::values::sums::real(back % 7)
            })
        })
        .collect();
    let curve = curve(60);
    let facts = MechanicalFacts {
        universe: &universe,
        histories: &histories,
        as_of: AS_OF,
        treasury: TreasuryFacts::Read(&curve),
        publish: PublishedPrices::Full,
    };
    let text = facts.text();
    assert_eq!(check(&text, Enforcement::Refuse), []);
    assert!(text.len() < 9_000, "{} bytes", text.len());
    assert!(text.split_whitespace().count() < MAX_WORDS / 4);
    assert!(!CONTEXT_TITLES.iter().any(|title| text.contains(title)));
    let places = universe.options().iter().filter(|option| !option.is_cash());
    let places = places.map(|option| text.find(&format!("\n| {} |", option.id)));
    let places: Option<Vec<usize>> = places.collect();
    assert!(places.unwrap().is_sorted(), "not in universe order");
}

#[test]
fn rows_that_nobody_knew_at_the_cutoff_are_named() {
    let universe = universe_of(&["SP500", "AAA", "CASH"]);
    let histories = [history("SP500", 3, |_| 1.0), history("AAA", 2, |_| 1.0)];
    let curve = curve(2);
    let facts = MechanicalFacts {
        universe: &universe,
        histories: &histories,
        as_of: AS_OF,
        treasury: TreasuryFacts::Read(&curve),
        publish: PublishedPrices::Full,
    };
    let at = |text: &str| {
        let later = facts.later_facts(text.parse().unwrap());
        later.into_iter().map(|fact| fact.text).collect::<Vec<_>>()
    };
    // The close of that Friday was at 20:00 UTC, the quotes of the curve half an hour earlier.
    assert_eq!(at("2026-09-11T20:00:00Z"), [""; 0]);
    let later = at("2026-09-11T19:45:00Z");
    assert_eq!(later.len(), 2, "{later:?}");
    assert!(later[0].starts_with("SP500 has a row of 2026-09-11"));
    let later = at("2026-09-11T19:00:00Z");
    assert!(later[2].starts_with("the curve of 2026-09-11 follows from quotes after"));
}
