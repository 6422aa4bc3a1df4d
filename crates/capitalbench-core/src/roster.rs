//! The models a round expects, frozen with it.

use crate::ids::{Digest, ModelId};
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
    /// The version text that these models should have under a methodology.
    pub fn expected_version(&self, methodology: &Methodology) -> String {
        let mut ids: Vec<&str> = self.model_ids.iter().map(ModelId::as_str).collect();
        ids.sort_unstable();
        let digest = Digest::of(ids.join("\n").as_bytes()).to_hex();
        format!("{}{}", methodology.roster_prefix(), &digest[..12])
    }
}
