use super::*;

fn claim(pairs: (usize, usize), above: &[&str], below: &[&str], luck: &[&str]) -> String {
    let ids = |names: &[&str]| -> Vec<ModelId> {
        names.iter().map(|id| ModelId::parse(id).unwrap()).collect()
    };
    let claim = Claim {
        separable_pairs: pairs.0,
        pairs: pairs.1,
        above_reference: ids(above),
        below_reference: ids(below),
        beyond_luck: ids(luck),
        luck_tested: true,
        informative_scores: true,
    };
    claim.sentence("S&P 500", ToString::to_string)
}

#[test]
fn the_wording_of_a_claim_follows_the_evidence() {
    assert_eq!(
        claim((0, 3), &[], &[], &[]),
        "No model is separable from the others, from the S&P 500 or from random portfolios."
    );
    assert_eq!(
        claim((2, 3), &["a"], &["b", "c"], &["a"]),
        "2 of 3 pairs of models are separable. Above the S&P 500: a. Below the S&P 500: b, c. \
             Better than random portfolios: a."
    );
    assert_eq!(
        claim((0, 0), &[], &["b"], &[]),
        "No model is separable from random portfolios. Below the S&P 500: b."
    );
}

#[test]
fn an_untested_luck_is_no_verdict_on_luck() {
    let claim = Claim {
        separable_pairs: 0,
        pairs: 3,
        above_reference: Vec::new(),
        below_reference: Vec::new(),
        beyond_luck: Vec::new(),
        luck_tested: false,
        informative_scores: false,
    };
    assert_eq!(
        claim.sentence("S&P 500", ToString::to_string),
        "No model is separable from the others or from the S&P 500. Luck is not tested: the test \
         needs two rounds that froze 60 daily returns before the decision. Below 4 effective \
         windows scores have no interval."
    );
}

#[test]
fn the_retired_are_named_with_their_records() {
    let gone = [Retired {
        model_id: ModelId::parse("a").unwrap(),
        rounds: 12,
        gap: -0.004,
    }];
    let told = retired_sentence(&gone, "S&P 500", ToString::to_string).unwrap();
    assert!(told.starts_with(
        "Asked no more and not in the table: a (-0.40 % a round against the S&P 500, 12 rounds)."
    ));
    assert_eq!(retired_sentence(&[], "S&P 500", ToString::to_string), None);
}
