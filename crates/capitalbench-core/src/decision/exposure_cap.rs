//! The cap on one economic exposure: which rounds have it, and what counts towards it.
//!
//! Submissions, controls and random portfolios ask here, so that all of them follow one rule.

use std::collections::BTreeMap;

use crate::decision::portfolio::{Constraints, Holding};
use crate::market::universe::{MarketOption, Universe};
use crate::round::manifest::Manifest;
use crate::values::ids::OptionId;

/// The cap of a methodology that has one, where the manifest names none.
const DEFAULT_CAP_PCT: u32 = 50;

impl Manifest {
    /// Largest share of one exposure in percent; none where the methodology has no such rule.
    pub fn exposure_cap_pct(&self) -> Option<u32> {
        let own = self.constraints.max_exposure_pct;
        let capped = self.methodology.requires_ledger();
        capped.then(|| own.unwrap_or(DEFAULT_CAP_PCT))
    }

    /// The limits that bind portfolios: those of the manifest, with the cap that really applies.
    pub fn limits(&self) -> Constraints {
        Constraints {
            max_exposure_pct: self.exposure_cap_pct(),
            ..self.constraints.clone()
        }
    }
}

impl Universe {
    /// The exposure that a holding counts towards; none for cash and the reference.
    pub fn capped_exposure<'a>(&self, option: &'a MarketOption) -> Option<&'a str> {
        let free = option.is_cash() || option.id == self.forecast_reference().id;
        (!free).then(|| option.exposure_cluster())
    }

    /// What forecasts are measured against: the flagged option, else the one with the id `SP500`,
    /// else the scoring reference.
    pub fn forecast_reference(&self) -> &MarketOption {
        let options = self.options();
        options
            .iter()
            .find(|option| option.flags.reference)
            .or_else(|| options.iter().find(|option| option.id.as_str() == "SP500"))
            .unwrap_or_else(|| self.reference())
    }

    /// Whether a holding is a bet: neither cash nor the reference.
    pub(crate) fn is_active(&self, id: &OptionId) -> bool {
        self.get(id)
            .is_some_and(|option| self.capped_exposure(option).is_some())
    }

    /// Exposures above the cap, with their basis points.
    pub(crate) fn beyond_cap(&self, holdings: &[Holding], cap_pct: u32) -> Vec<(&str, u32)> {
        let mut totals: BTreeMap<&str, u32> = BTreeMap::new();
        for holding in holdings {
            let option = self.get(&holding.option_id);
            if let Some(exposure) = option.and_then(|option| self.capped_exposure(option)) {
                *totals.entry(exposure).or_default() += holding.weight.get();
            }
        }
        totals.retain(|_, total| *total > cap_pct * 100);
        totals.into_iter().collect()
    }
}

#[cfg(test)]
mod tests;
