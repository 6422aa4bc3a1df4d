use super::option_returns::priced;
use super::*;
use proptest::prelude::*;

fn option_returns() -> impl Strategy<Value = Vec<f64>> {
    proptest::collection::vec(-0.9..3.0_f64, 4)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn no_score_is_above_100_or_not_finite(value in any::<f64>(), oracle in any::<f64>()) {
        let (value, oracle) = (Return::from_fraction(value), Return::from_fraction(oracle));
        for result in [score(value, Some(oracle)), score_of_sums(&[(value, oracle)])] {
            if let Ok(Score::Points(points)) = result {
                prop_assert!(points.is_finite() && points <= 100.0, "{points}");
            }
        }
    }

    #[test]
    fn real_returns_score_at_most_100(value in -1.0..0.2_f64, oracle in -0.2..0.2_f64) {
        let result = score(Return::from_fraction(value), Some(Return::from_fraction(oracle)));
        match result {
            Ok(Score::Points(points)) => prop_assert!(points.is_finite() && points <= 100.0),
            Ok(Score::Undefined(_)) => prop_assert!(oracle <= ZERO_ORACLE),
            Err(_) => prop_assert!(value > oracle),
        }
    }

    #[test]
    fn rounding_above_the_oracle_does_not_score_above_100(
        oracle in -0.2..0.2_f64,
        excess in -2e-9..2e-9_f64,
    ) {
        let value = Return::from_fraction(oracle + excess);
        if let Ok(Score::Points(points)) = score(value, Some(Return::from_fraction(oracle))) {
            prop_assert!(points <= 100.0, "{points}");
        }
    }

    #[test]
    fn a_portfolio_returns_between_its_worst_and_its_best_option(
        values in option_returns(),
        steps in proptest::collection::vec(1..=6_u32, 3),
    ) {
        let first: u32 = steps.iter().sum();
        let mut percent: Vec<u32> = steps.iter().map(|step| step * 5).collect();
        percent.push(100 - 5 * first);
        let ids = ["AAA", "BBB", "CCC", "SP500"];
        let rows: Vec<(&str, f64)> = ids.into_iter().zip(values.iter().copied()).collect();
        let holdings: Vec<(&str, u32)> = ids.into_iter().zip(percent).collect();
        let returns = returns_of(&rows, values[3]);
        let outcome = score_submission(&portfolio("m", &holdings), &universe(), &returns).unwrap();
        let (low, high) = values.iter().fold((f64::MAX, f64::MIN), |(low, high), value| {
            (low.min(*value), high.max(*value))
        });
        let found = outcome.decision_return.get();
        prop_assert!(low - 1e-12 <= found && found <= high + 1e-12, "{low} {found} {high}");
        prop_assert!(outcome.regret.unwrap().get() >= -1e-12);
        prop_assert!(score(outcome.decision_return, returns.oracle()).is_ok());
        prop_assert!((0.25 - 1e-12..=1.0).contains(&outcome.spread.hhi));
    }

    #[test]
    fn holdings_are_added_in_the_order_given(
        values in option_returns(),
        order in Just([0, 1, 2, 3]).prop_shuffle(),
    ) {
        let ids = ["AAA", "BBB", "CCC", "SP500"];
        let weights = [35, 30, 20, 15];
        let rows: Vec<(&str, f64)> = ids.into_iter().zip(values.iter().copied()).collect();
        let holdings: Vec<(&str, u32)> = order.iter().map(|&i| (ids[i], weights[i])).collect();
        let submission = portfolio("m", &holdings);
        let outcome = score_submission(&submission, &universe(), &returns_of(&rows, values[3]));
        let outcome = outcome.unwrap();
        let mut expected = 0.0;
        for &index in &order {
            expected += f64::from(weights[index] * 100) / 10_000.0 * values[index];
        }
        prop_assert_eq!(outcome.decision_return.get().to_bits(), f64::to_bits(expected));
        prop_assert_eq!(outcome.primary.as_str(), "AAA");
        let kept: Vec<OptionId> = submission.decision.option_ids().into_iter().cloned().collect();
        prop_assert_eq!(kept, holdings.iter().map(|(id, _)| option_id(id)).collect::<Vec<_>>());
    }

    #[test]
    fn the_first_of_equal_largest_holdings_is_primary(order in Just([0, 1, 2]).prop_shuffle()) {
        let ids = ["AAA", "BBB", "CCC"];
        let weights = [40, 40, 20];
        let holdings: Vec<(&str, u32)> = order.iter().map(|&i| (ids[i], weights[i])).collect();
        let returns = priced(&[], &[], &ids).unwrap();
        let outcome = score_submission(&portfolio("m", &holdings), &universe(), &returns).unwrap();
        let first = holdings.iter().find(|(_, percent)| *percent == 40).unwrap();
        prop_assert_eq!(outcome.primary.as_str(), first.0);
    }

    #[test]
    fn cancelling_terms_leave_the_exact_sum(
        large in proptest::collection::vec(-(1_i32 << 30)..1 << 30, 0..20),
        small in proptest::collection::vec(-1000..1000_i32, 0..20),
    ) {
        // At 2^40 times their size the large terms swallow the small ones in a plain sum.
        let large: Vec<f64> = large.iter().map(|v| f64::from(*v) * 2_f64.powi(40)).collect();
        let terms = large.iter().copied()
            .chain(small.iter().map(|v| f64::from(*v)))
            .chain(large.iter().rev().map(|v| -v));
        let expected = f64::from(small.iter().sum::<i32>());
        prop_assert_eq!(compensated_sum(terms).to_bits(), expected.to_bits());
    }
}
