//! [`Opening`]: the portfolio of an entry with the salt that sealed it.
//!
//! Its one form is canonical JSON (RFC 8785), whose SHA-256 is the commitment: whoever has both files
//! can compare them with `sha256sum`.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::lines::FormError;
use super::names::EntrantKey;
use crate::decision::portfolio::{Holding, HoldingForecast};
use crate::decision::submission::{Problem, portfolio_problems};
use crate::market::universe::Universe;
use crate::round::manifest::{Manifest, SubmissionFormat};
use crate::values::ids::{Digest, OptionId, RoundId};
use crate::values::units::BasisPoints;

/// The member `format`.
pub const OPENING: &str = "capitalbench opening v1";

/// 32 random bytes without which nobody can find a portfolio by guessing; never printed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Salt([u8; 32]);

impl Salt {
    pub fn new(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }
}

impl fmt::Debug for Salt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Salt(withheld)")
    }
}

/// What an entrant keeps to itself until the entry close.
#[derive(Clone, PartialEq, Eq)]
pub struct Opening {
    /// The origin of the league's log.
    pub league: String,
    pub round: RoundId,
    /// The digest of the round's `hashes.json`.
    pub inputs: Digest,
    /// The key of the entry.
    pub key: EntrantKey,
    /// Options with whole percentages, in the order in which returns are added.
    pub portfolio: Vec<(OptionId, u32)>,
    pub salt: Salt,
}

impl fmt::Debug for Opening {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "Opening({} of {}, withheld)",
            self.round,
            self.key.name()
        )
    }
}

/// The members, in the order of their names.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Stored {
    format: String,
    inputs: String,
    key: String,
    league: String,
    portfolio: Vec<StoredHolding>,
    round: String,
    salt: String,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredHolding {
    allocation_pct: u32,
    option_id: OptionId,
}

impl Opening {
    /// Reads the file of an opening; only its one form is accepted.
    pub fn parse(bytes: &[u8]) -> Result<Self, FormError> {
        let other = |problem: String| FormError::Other(problem);
        let stored: Stored =
            serde_json::from_slice(bytes).map_err(|error| other(error.to_string()))?;
        if stored.format != OPENING {
            return Err(FormError::Format(OPENING));
        }
        let digest = |word, text: &str| {
            let wrong = || FormError::value(word, "is not 64 hexadecimal digits");
            Digest::parse(text).ok_or_else(wrong)
        };
        let mut parts = stored.portfolio.iter();
        if let Some(own) = parts.find(|own| own.allocation_pct > 100) {
            let text = format!("{} has more than 100 %", own.option_id);
            return Err(FormError::value("portfolio", text));
        }
        let holding = |own: StoredHolding| (own.option_id, own.allocation_pct);
        let read = Self {
            league: stored.league,
            round: RoundId::parse(&stored.round)
                .map_err(|error| FormError::value("round", error))?,
            inputs: digest("inputs", &stored.inputs)?,
            key: EntrantKey::parse(&stored.key).map_err(|error| FormError::value("key", error))?,
            portfolio: stored.portfolio.into_iter().map(holding).collect(),
            salt: Salt(digest("salt", &stored.salt)?.bytes()),
        };
        if read.to_bytes() == bytes {
            Ok(read)
        } else {
            Err(other(
                "members stand in the order of their names, without blanks and without a last line \
                 feed"
                    .to_owned(),
            ))
        }
    }

    /// The bytes of the file, which the commitment covers.
    pub fn to_bytes(&self) -> Vec<u8> {
        let holding = |(option_id, percent): &(OptionId, u32)| StoredHolding {
            allocation_pct: *percent,
            option_id: option_id.clone(),
        };
        let stored = Stored {
            format: OPENING.to_owned(),
            inputs: self.inputs.to_hex(),
            key: self.key.to_string(),
            league: self.league.clone(),
            portfolio: self.portfolio.iter().map(holding).collect(),
            round: self.round.to_string(),
            salt: Digest::from_bytes(self.salt.0).to_hex(),
        };
        // Texts and whole numbers can always be written.
        serde_json::to_vec(&stored).unwrap_or_default()
    }

    /// What the sealed entry tells of it.
    pub fn commitment(&self) -> Digest {
        Digest::of(&self.to_bytes())
    }

    /// The portfolio as everybody else holds one.
    pub fn holdings(&self) -> Vec<Holding> {
        let holding = |(option_id, percent): &(OptionId, u32)| Holding {
            option_id: option_id.clone(),
            weight: BasisPoints::from_percent((*percent).min(100)),
            rationale: String::new(),
            forecast: HoldingForecast::default(),
        };
        self.portfolio.iter().map(holding).collect()
    }

    /// Every rule of the round that the portfolio breaks.
    pub fn problems(&self, manifest: &Manifest, universe: &Universe) -> Vec<Problem> {
        problems(&self.holdings(), manifest, universe)
    }
}

/// Every rule of a round that a portfolio from outside breaks: those for models, as far as they are
/// about what is held.
pub fn problems(holdings: &[Holding], manifest: &Manifest, universe: &Universe) -> Vec<Problem> {
    let limits = manifest.limits();
    let hidden = holdings.iter().filter_map(|holding| {
        let option = universe.get(&holding.option_id)?;
        let allowed = limits.allow(manifest.format, option);
        let text = format!("{} may not be held in this round", holding.option_id);
        (!allowed).then(|| Problem::at("portfolio", text))
    });
    let mut found: Vec<Problem> = hidden.collect();
    match manifest.format {
        SubmissionFormat::SinglePick => match holdings {
            [only]
                if only.weight == BasisPoints::WHOLE && universe.get(&only.option_id).is_some() => {
            }
            _ => found.push(Problem::at(
                "portfolio",
                "this round asks for one option with 100 %",
            )),
        },
        SubmissionFormat::Portfolio => {
            found.extend(portfolio_problems(
                holdings,
                universe,
                &manifest.constraints,
            ));
            let cap = manifest.exposure_cap_pct();
            for (exposure, total) in cap
                .map(|cap| universe.beyond_cap(holdings, cap))
                .unwrap_or_default()
            {
                let text = format!(
                    "{exposure} has {} %, more than one exposure may have",
                    total / 100
                );
                found.push(Problem::at("portfolio", text));
            }
        }
    }
    found
}

#[cfg(test)]
mod tests;
