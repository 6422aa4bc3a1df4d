//! `publish` of a manifest: whether closes are public, or returns by a rule.

use capitalbench_core::market::published_prices::{INDEX_RULE, PublishedPrices};
use capitalbench_core::round::methodology::Methodology;
use serde::Deserialize;

use crate::disk::error::Fault;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct StoredPublish {
    prices: String,
    rule: String,
}

/// Rounds of earlier labels publish their closes.
pub(super) fn published(
    stored: Option<StoredPublish>,
    methodology: &Methodology,
) -> Result<PublishedPrices, Fault> {
    let Some(stored) = stored else {
        return Ok(PublishedPrices::Full);
    };
    if !methodology.may_withhold_closes() {
        let text = "needs portfolio-v1.2 or single_pick-v1.2";
        return Err(Fault::field("publish", text));
    }
    if stored.prices != PublishedPrices::Returns.as_str() {
        let text = "must be returns; leave `publish` out to publish closes";
        return Err(Fault::field("publish.prices", text));
    }
    if stored.rule != INDEX_RULE {
        let text = format!("{:?} is not a rule that this program knows", stored.rule);
        return Err(Fault::field("publish.rule", text));
    }
    Ok(PublishedPrices::Returns)
}

/// Rounds that publish closes do not mention it.
pub(super) fn lines(publish: PublishedPrices) -> Vec<String> {
    if publish.is_full() {
        return Vec::new();
    }
    vec![
        "publish:".to_owned(),
        format!("  prices: {}", publish.as_str()),
        format!("  rule: {INDEX_RULE}"),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(prices: &str, rule: &str, label: &str) -> Result<PublishedPrices, String> {
        let stored = StoredPublish {
            prices: prices.to_owned(),
            rule: rule.to_owned(),
        };
        let methodology = Methodology::from_label(Some(label));
        published(Some(stored), &methodology).map_err(|fault| fault.to_string())
    }

    #[test]
    fn what_is_published_names_its_rule_and_needs_rules_that_know_it() {
        let newest = "portfolio-v1.2";
        assert_eq!(
            read("returns", INDEX_RULE, newest),
            Ok(PublishedPrices::Returns)
        );
        assert_eq!(lines(PublishedPrices::Full), [""; 0]);
        let written = lines(PublishedPrices::Returns);
        assert_eq!(
            written,
            ["publish:", "  prices: returns", "  rule: index-6-v1"]
        );
        for (prices, rule, label, part) in [
            (
                "full",
                INDEX_RULE,
                newest,
                "publish.prices: must be returns",
            ),
            (
                "returns",
                "index-4-v1",
                newest,
                "publish.rule: \"index-4-v1\" is not a rule",
            ),
            (
                "returns",
                INDEX_RULE,
                "portfolio-v1.1",
                "publish: needs portfolio-v1.2",
            ),
        ] {
            let fault = read(prices, rule, label).unwrap_err();
            assert!(fault.contains(part), "{fault}");
        }
    }
}
