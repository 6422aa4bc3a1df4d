use super::*;
use crate::result::leaderboard::score_all;
use crate::test_support::*;

/// Returns over which the published stability figures were made.
const RETURNS: [(&str, f64); 4] = [
    ("AAA", 0.04),
    ("BBB", -0.01),
    ("CCC", 0.04),
    ("SP500", 0.02),
];

fn summary(submissions: Vec<Submission>, attempts: usize) -> ModelConsistency {
    let (entry, exit) = sheets_for(&RETURNS);
    let (returns, scored) = score_all(submissions, &universe(), &entry, &exit).unwrap();
    let model_id = ModelId::parse("m").unwrap();
    let replicates: Vec<&Scored> = scored.iter().collect();
    summarise(
        &model_id,
        "openai",
        &replicates,
        attempts,
        (&returns, ModalTie::HigherReturn),
    )
}

fn of_picks(picks: &[&str]) -> Figures {
    let submissions = picks.iter().map(|id| pick("m", id)).collect();
    summary(submissions, picks.len()).figures.unwrap()
}

fn assert_near(found: f64, expected: f64) {
    assert!(
        (found - expected).abs() < 1e-12,
        "{found} is not {expected}"
    );
}

struct Expected {
    modal: &'static str,
    count: usize,
    consistency: f64,
    mean: f64,
    alpha: f64,
}

fn check(figures: &Figures, expected: &Expected) {
    assert_eq!(figures.modal_pick.as_str(), expected.modal);
    assert_eq!(figures.modal_count(), expected.count);
    assert_near(figures.consistency_rate(), expected.consistency);
    assert_near(figures.average_return, expected.mean);
    assert_near(figures.average_alpha, expected.alpha);
}

#[test]
fn the_missions_example_gives_2_6_percent_and_60_percent() {
    let universe = universe_of(&["QQQ", "SPY", "TLT"]);
    let (entry, exit) = sheets_for(&[("QQQ", 0.04), ("SPY", 0.02), ("TLT", -0.01)]);
    let picks = ["QQQ", "QQQ", "SPY", "QQQ", "TLT"];
    let picks = picks.iter().map(|id| pick("m", id)).collect();
    let (returns, scored) = score_all(picks, &universe, &entry, &exit).unwrap();
    let replicates: Vec<&Scored> = scored.iter().collect();
    let figures = figures(&replicates, &returns, ModalTie::HigherReturn).unwrap();
    let shown = |value: f64| format!("{:.1} %", 100.0 * value);
    assert_eq!(shown(figures.average_return), "2.6 %");
    assert_eq!(shown(figures.average_alpha), "0.6 %");
    assert_eq!(shown(figures.consistency_rate()), "60.0 %");
    assert_eq!(figures.modal_pick.as_str(), "QQQ");
    let spread: Vec<(&str, usize)> = figures
        .distribution
        .iter()
        .map(|(id, count)| (id.as_str(), *count))
        .collect();
    assert_eq!(spread, [("QQQ", 3), ("SPY", 1), ("TLT", 1)]);
}

#[test]
fn published_figures_of_single_picks() {
    let row = |modal, count, consistency, mean, alpha| Expected {
        modal,
        count,
        consistency,
        mean,
        alpha,
    };
    let clear = of_picks(&["AAA", "AAA", "SP500", "AAA", "BBB"]);
    check(&clear, &row("AAA", 3, 0.6, 0.026, 0.006));
    assert!(!clear.modal_tie);
    let higher_return = of_picks(&["BBB", "AAA", "BBB", "AAA", "SP500"]);
    check(&higher_return, &row("AAA", 2, 0.4, 0.016, -0.004));
    assert!(higher_return.modal_tie);
    let larger_id = of_picks(&["BBB", "SP500", "BBB", "SP500", "AAA"]);
    check(&larger_id, &row("SP500", 2, 0.4, 0.012, -0.008));
    let smaller_id = of_picks(&["CCC", "AAA", "CCC", "AAA", "BBB"]);
    check(&smaller_id, &row("AAA", 2, 0.4, 0.030, 0.010));
    assert!(smaller_id.modal_tie);
    assert_near(smaller_id.modal_return.get(), 0.04);
    let three = of_picks(&["AAA", "AAA", "SP500"]);
    check(
        &three,
        &row("AAA", 2, 2.0 / 3.0, 0.1 / 3.0, 0.1 / 3.0 - 0.02),
    );
}

#[test]
fn attempts_that_are_not_valid_are_counted() {
    let check = |picks: &[&str], attempts: usize, expected: (usize, usize)| {
        let submissions = picks.iter().map(|id| pick("m", id)).collect();
        let summary = summary(submissions, attempts);
        assert_eq!((summary.valid, summary.invalid), expected);
        assert_eq!(summary.figures.is_some(), !picks.is_empty());
        assert_eq!(summary.provider, "openai");
    };
    check(&["AAA", "AAA", "SP500"], 5, (3, 2));
    check(&["AAA", "AAA"], 2, (2, 0));
    check(&["AAA", "AAA"], 1, (2, 0));
    check(&[], 5, (0, 5));
}

#[test]
fn equal_replicates_are_best_by_the_largest_id_and_worst_by_the_smallest() {
    let check = |picks: &[&str], best: &str, worst: &str| {
        let figures = of_picks(picks);
        assert_eq!(figures.best.1.as_str(), best, "{picks:?}");
        assert_eq!(figures.worst.1.as_str(), worst, "{picks:?}");
    };
    check(&["AAA", "BBB", "CCC", "SP500"], "CCC", "BBB");
    check(&["CCC", "AAA"], "CCC", "AAA");
    check(&["AAA", "CCC"], "CCC", "AAA");
    check(&["SP500"], "SP500", "SP500");
    let figures = of_picks(&["BBB", "AAA"]);
    assert_near(figures.best.0.get(), 0.04);
    assert_near(figures.worst.0.get(), -0.01);
}

#[test]
fn costs_are_summed_over_the_replicates_that_have_one() {
    let check = |costs: &[Option<f64>], expected: Option<f64>| {
        let submissions = costs.iter().map(|cost| {
            let mut submission = pick("m", "AAA");
            submission.cost_usd = *cost;
            submission
        });
        let figures = summary(submissions.collect(), costs.len()).figures.unwrap();
        let bits = |value: Option<f64>| value.map(f64::to_bits);
        assert_eq!(bits(figures.total_cost), bits(expected), "{costs:?}");
    };
    check(&[None, None], None);
    check(&[Some(0.1), None, Some(0.2)], Some(0.1 + 0.2));
    check(&[Some(0.0), None], Some(0.0));
    check(&[Some(0.1); 10], Some(1.0));
}

#[test]
fn portfolio_replicates_use_the_whole_portfolio_for_returns_and_its_largest_holding_as_pick() {
    let replicates = vec![
        portfolio("m", &[("AAA", 60), ("BBB", 40)]),
        portfolio("m", &[("AAA", 40), ("BBB", 60)]),
        portfolio("m", &[("AAA", 55), ("SP500", 45)]),
        portfolio("m", &[("AAA", 100)]),
        portfolio("m", &[("SP500", 50), ("AAA", 50)]),
    ];
    let figures = summary(replicates, 5).figures.unwrap();
    let picks: Vec<&str> = figures.picks.iter().map(OptionId::as_str).collect();
    assert_eq!(picks, ["AAA", "BBB", "AAA", "AAA", "SP500"]);
    let expected = Expected {
        modal: "AAA",
        count: 3,
        consistency: 0.6,
        mean: 0.0262,
        alpha: 0.0062,
    };
    check(&figures, &expected);
    assert_near(figures.modal_return.get(), 0.04);
    assert_near(figures.best.0.get(), 0.04);
    assert_near(figures.worst.0.get(), 0.01);
    // Half-L1 distances of the ten pairs: .2 .45 .4 .5, .6 .6 .6, .45 .05, .5.
    assert_near(figures.overlap, 1.0 - 4.35 / 10.0);
}

#[test]
fn overlap_is_one_for_equal_and_zero_for_disjoint_portfolios() {
    let check = |replicates: &[Submission], expected: f64| {
        let all: Vec<&Submission> = replicates.iter().collect();
        assert_near(overlap(&all), expected);
    };
    let mixed = portfolio("m", &[("AAA", 60), ("BBB", 40)]);
    let turned = portfolio("m", &[("BBB", 40), ("AAA", 60)]);
    check(&[], 1.0);
    check(std::slice::from_ref(&mixed), 1.0);
    check(&[mixed.clone(), turned], 1.0);
    check(&[pick("m", "AAA"), pick("m", "BBB")], 0.0);
    check(&[pick("m", "AAA"), portfolio("m", &[("AAA", 100)])], 1.0);
    check(&[mixed, pick("m", "AAA")], 0.6);
    check(
        &[pick("m", "AAA"), pick("m", "AAA"), pick("m", "BBB")],
        1.0 / 3.0,
    );
}
