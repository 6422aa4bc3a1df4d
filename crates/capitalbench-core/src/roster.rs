//! The models a round expects, frozen with it.

use jiff::Timestamp;

use crate::ids::{Digest, ModelId, RoundId};
use crate::methodology::Methodology;
use crate::time::Stamp;

/// The roster a manifest freezes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Roster {
    /// Version text: a prefix and twelve digits of a digest over the ids.
    pub version: String,
    /// When the roster was frozen.
    pub frozen_at: Stamp,
    /// The models, in configuration order.
    pub model_ids: Vec<ModelId>,
}

impl Roster {
    /// Freezes these models at an instant.
    pub fn new(model_ids: Vec<ModelId>, frozen_at: Stamp, methodology: &Methodology) -> Self {
        Self {
            version: version(&model_ids, methodology),
            frozen_at,
            model_ids,
        }
    }

    /// The version text that these models should have under a methodology.
    pub fn expected_version(&self, methodology: &Methodology) -> String {
        version(&self.model_ids, methodology)
    }
}

fn version(model_ids: &[ModelId], methodology: &Methodology) -> String {
    let mut ids: Vec<&str> = model_ids.iter().map(ModelId::as_str).collect();
    ids.sort_unstable();
    let digest = Digest::of(ids.join("\n").as_bytes()).to_hex();
    format!("{}{}", methodology.roster_prefix(), &digest[..12])
}

/// One configured contestant: who it is and when it may take part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contestant {
    /// Who.
    pub model_id: ModelId,
    /// Whose model it is.
    pub provider: String,
    /// The name the provider knows it by.
    pub api_model_name: String,
    /// Switched on?
    pub enabled: bool,
    /// Not before this round, in order of id.
    pub first_eligible_round: Option<String>,
    /// Not for decisions before this instant.
    pub first_eligible_at: Option<Stamp>,
    /// Not for decisions at or after this instant.
    pub retired_at: Option<Stamp>,
}

impl Contestant {
    /// Whether the model takes part in a new round with this deadline; nobody is backfilled.
    pub fn is_active(&self, round_id: &RoundId, deadline: Timestamp) -> bool {
        let begun = self
            .first_eligible_round
            .as_deref()
            .is_none_or(|first| round_id.as_str() >= first);
        let admitted = self
            .first_eligible_at
            .as_ref()
            .is_none_or(|first| deadline >= first.at());
        let serving = self
            .retired_at
            .as_ref()
            .is_none_or(|end| deadline < end.at());
        self.enabled && begun && admitted && serving
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn contestant() -> Contestant {
        Contestant {
            model_id: ModelId::parse("m").unwrap(),
            provider: "p".into(),
            api_model_name: "m-1".into(),
            enabled: true,
            first_eligible_round: None,
            first_eligible_at: None,
            retired_at: None,
        }
    }

    #[test]
    fn models_join_and_retire() {
        let check = |change: fn(&mut Contestant), active: bool| {
            let mut model = contestant();
            change(&mut model);
            let round = RoundId::parse("CB-2026-06-01-1W").unwrap();
            let deadline = "2026-06-01T12:00:00Z".parse().unwrap();
            assert_eq!(model.is_active(&round, deadline), active);
        };
        check(|_| (), true);
        check(|m| m.enabled = false, false);
        check(
            |m| m.first_eligible_round = Some("CB-2026-06-01-1W".into()),
            true,
        );
        check(
            |m| m.first_eligible_round = Some("CB-2026-06-02-1W".into()),
            false,
        );
        check(
            |m| m.first_eligible_at = Stamp::parse("2026-06-01T12:00:00Z"),
            true,
        );
        check(
            |m| m.first_eligible_at = Stamp::parse("2026-06-01T12:00:01Z"),
            false,
        );
        check(
            |m| m.retired_at = Stamp::parse("2026-06-01T12:00:00Z"),
            false,
        );
        check(
            |m| m.retired_at = Stamp::parse("2026-06-01T12:00:01Z"),
            true,
        );
    }

    #[test]
    fn the_version_does_not_depend_on_order() {
        let id = |text| ModelId::parse(text).unwrap();
        let at = Stamp::parse("2026-06-01T12:00:00Z").unwrap();
        let ours = Methodology::from_label(Some("portfolio-v1.1"));
        let one = Roster::new(vec![id("a"), id("b")], at.clone(), &ours);
        let two = Roster::new(vec![id("b"), id("a")], at, &ours);
        assert_eq!(one.version, two.version);
        assert!(one.version.starts_with("roster-"));
        assert_eq!(one.version.len(), "roster-".len() + 12);
    }
}
