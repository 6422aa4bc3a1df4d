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
