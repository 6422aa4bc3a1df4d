use super::*;
use crate::test_support::*;
use proptest::prelude::*;

/// AAA +4 %, BBB -1 %, CCC +7 %, the reference +2 %, cash unpriced.
fn scored(submissions: Vec<Submission>) -> Vec<Scored> {
    let rows = [
        ("AAA", 0.04),
        ("BBB", -0.01),
        ("CCC", 0.07),
        ("SP500", 0.02),
    ];
    let (entry, exit) = sheets_for(&rows);
    let (_, scored) = score_all(submissions, &universe(), &entry, &exit).unwrap();
    scored
}

fn order(mut scored: Vec<Scored>, ties: TieRule) -> Vec<String> {
    sort(&mut scored, ties);
    let id = |s: &Scored| s.submission.model_id.as_str().to_owned();
    scored.iter().map(id).collect()
}

fn confident(mut submission: Submission, confidence: f64) -> Submission {
    submission.confidence = confidence;
    submission
}

#[test]
fn the_largest_alpha_comes_first() {
    let submissions = || {
        vec![
            pick("cash", "CASH"),
            confident(pick("loss", "BBB"), 0.99),
            pick("best", "CCC"),
            portfolio("mixed", &[("AAA", 50), ("SP500", 50)]),
            pick("reference", "SP500"),
        ]
    };
    for ties in [TieRule::ExactDoubles, TieRule::TwelveDecimals] {
        let expected = ["best", "mixed", "reference", "cash", "loss"];
        assert_eq!(order(scored(submissions()), ties), expected, "{ties:?}");
    }
}

#[test]
fn equal_alphas_are_ordered_by_confidence_then_by_model_id() {
    let check = |rows: &[(&str, f64)], expected: &[&str]| {
        for ties in [TieRule::ExactDoubles, TieRule::TwelveDecimals] {
            let picks = rows.iter().map(|(id, c)| confident(pick(id, "AAA"), *c));
            assert_eq!(order(scored(picks.collect()), ties), expected, "{ties:?}");
        }
    };
    check(
        &[
            ("anthropic-claude-opus-4-7", 0.58),
            ("google-gemini-3-1-pro", 0.60),
            ("openai-gpt-5-5", 0.34),
            ("xai-grok-4-3", 0.55),
        ],
        &[
            "google-gemini-3-1-pro",
            "anthropic-claude-opus-4-7",
            "xai-grok-4-3",
            "openai-gpt-5-5",
        ],
    );
    check(&[("c", 0.5), ("a", 0.5), ("b", 0.5)], &["a", "b", "c"]);
    check(&[("b", 0.0), ("a", -0.0)], &["a", "b"]);
}

#[test]
fn between_alpha_and_confidence_the_smaller_regret_wins_and_a_missing_one_counts_as_zero() {
    let check = |regrets: [Option<f64>; 2], expected: [&str; 2]| {
        let mut rows = scored(vec![
            confident(pick("a", "AAA"), 0.1),
            confident(pick("b", "AAA"), 0.9),
        ]);
        for (row, regret) in rows.iter_mut().zip(regrets) {
            row.outcome.regret = regret.map(Return::from_fraction);
        }
        for ties in [TieRule::ExactDoubles, TieRule::TwelveDecimals] {
            assert_eq!(order(rows.clone(), ties), expected, "{regrets:?}");
        }
    };
    check([Some(0.01), Some(0.02)], ["a", "b"]);
    check([Some(0.02), Some(0.01)], ["b", "a"]);
    check([None, Some(0.01)], ["a", "b"]);
    check([None, Some(0.0)], ["b", "a"]);
    check([None, Some(-0.0)], ["b", "a"]);
}

#[test]
fn equal_portfolios_in_another_order_tie_only_after_rounding() {
    let low = portfolio("low", &[("BBB", 45), ("AAA", 35), ("SP500", 20)]);
    let high = portfolio("high", &[("AAA", 35), ("SP500", 20), ("BBB", 45)]);
    let rows = scored(vec![confident(low, 0.9), confident(high, 0.1)]);
    let alpha = |index: usize| rows[index].outcome.alpha;
    assert!(alpha(0) < alpha(1), "they must differ in the last bit");
    let exact = order(rows.clone(), TieRule::ExactDoubles);
    assert_eq!(exact, ["high", "low"]);
    let rounded = order(rows, TieRule::TwelveDecimals);
    assert_eq!(rounded, ["low", "high"], "confidence decides");
}

#[test]
fn rounded_figures_on_both_sides_of_zero_tie() {
    let check = |alphas: [f64; 2], expected: [&str; 2]| {
        let mut rows = scored(vec![
            confident(pick("a", "AAA"), 0.9),
            confident(pick("b", "AAA"), 0.1),
        ]);
        for (row, alpha) in rows.iter_mut().zip(alphas) {
            row.outcome.alpha = Return::from_fraction(alpha);
        }
        let found = order(rows, TieRule::TwelveDecimals);
        assert_eq!(found, expected, "{alphas:?}");
    };
    check([-1e-17, 1e-17], ["a", "b"]);
    check([1e-17, -1e-17], ["a", "b"]);
    check([-0.4e-12, 0.4e-12], ["a", "b"]);
    check([-0.6e-12, 0.6e-12], ["b", "a"]);
}

#[test]
fn a_held_option_without_a_price_stops_the_whole_round() {
    let (entry, exit) = sheets_for(&[("AAA", 0.04), ("SP500", 0.02)]);
    let submissions = vec![pick("a", "AAA"), pick("b", "BBB")];
    let error = score_all(submissions, &universe(), &entry, &exit).unwrap_err();
    let expected = "no entry price for BBB, which is held by a submission";
    assert_eq!(error.to_string(), expected);
}

#[test]
fn submissions_are_scored_in_the_order_given() {
    let rows = scored(vec![pick("z", "BBB"), pick("a", "CCC"), pick("m", "AAA")]);
    let ids: Vec<&str> = rows
        .iter()
        .map(|s| s.submission.model_id.as_str())
        .collect();
    assert_eq!(ids, ["z", "a", "m"]);
}

/// Six models, each with one of a few decisions and confidences, so that ties are frequent.
fn field() -> impl Strategy<Value = Vec<Submission>> {
    let choice = proptest::collection::vec((0..6_usize, 0..3_u8), 6);
    choice.prop_map(|choices| {
        let decide = |(model, (kind, confidence)): (usize, (usize, u8))| {
            let id = format!("model-{model}");
            let holdings: &[(&str, u32)] = match kind {
                0 => &[("AAA", 100)],
                1 => &[("BBB", 45), ("AAA", 35), ("SP500", 20)],
                2 => &[("AAA", 35), ("SP500", 20), ("BBB", 45)],
                3 => &[("CASH", 100)],
                4 => &[("AAA", 60), ("BBB", 40)],
                _ => &[("SP500", 100)],
            };
            confident(portfolio(&id, holdings), f64::from(confidence) / 2.0)
        };
        choices.into_iter().enumerate().map(decide).collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn permuting_the_models_changes_no_row_and_no_rank(
        (straight, shuffled) in field().prop_flat_map(|f| (Just(f.clone()), Just(f).prop_shuffle())),
    ) {
        for ties in [TieRule::ExactDoubles, TieRule::TwelveDecimals] {
            let (mut a, mut b) = (scored(straight.clone()), scored(shuffled.clone()));
            sort(&mut a, ties);
            sort(&mut b, ties);
            prop_assert_eq!(&a, &b);
        }
    }

    #[test]
    fn sorting_orders_by_alpha(field in field()) {
        let mut rows = scored(field);
        sort(&mut rows, TieRule::ExactDoubles);
        let falls = |pair: &[Scored]| pair[0].outcome.alpha >= pair[1].outcome.alpha;
        prop_assert!(rows.windows(2).all(falls));
    }
}
