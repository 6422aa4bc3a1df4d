//! What a claim fixes before its first day, and when a registration is refused.

use std::fmt;

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;

use super::{Rules, Side};
use crate::round::manifest::Track;
use crate::values::ids::ModelId;

/// Longest name of a claim.
const LONGEST: usize = 60;
/// Most claims of a family.
pub const MOST_CLAIMS: usize = 100;
/// Largest chance of establishing what is not so that a claim may state.
const LARGEST_ALPHA: f64 = 0.5;
/// Scale of a claim whose pair has no record before.
pub const USUAL_SCALE: f64 = 0.008;
/// Bound on the daily spread between two funds.
pub const USUAL_SPREAD: f64 = 0.20;
/// The same for a market that never closes.
pub const WIDE_SPREAD: f64 = 0.60;
/// The word for the reference where a model could stand.
pub const REFERENCE: &str = "reference";

/// A name of lower-case letters, digits and hyphens: a file and a page are named by it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ClaimName(String);

/// Why a text is no [`ClaimName`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "{0:?} is not a name of at most {LONGEST} lower-case letters, digits and single hyphens between them"
)]
pub struct NameError(String);

impl ClaimName {
    pub fn parse(text: &str) -> Result<Self, NameError> {
        let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
        let parts = text
            .split('-')
            .all(|part| !part.is_empty() && part.chars().all(plain));
        if parts && text.len() <= LONGEST {
            Ok(Self(text.to_owned()))
        } else {
            Err(NameError(text.to_owned()))
        }
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for ClaimName {
    type Error = NameError;
    fn try_from(text: String) -> Result<Self, NameError> {
        Self::parse(&text)
    }
}

impl From<ClaimName> for String {
    fn from(name: ClaimName) -> Self {
        name.0
    }
}

impl fmt::Display for ClaimName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// What the first side is compared with.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Second {
    Reference,
    Model(ModelId),
}

impl Second {
    /// The model; none for the reference.
    pub fn model(&self) -> Option<&ModelId> {
        match self {
            Self::Reference => None,
            Self::Model(id) => Some(id),
        }
    }

    /// The stored word.
    pub fn as_str(&self) -> &str {
        self.model().map_or(REFERENCE, ModelId::as_str)
    }
}

/// Everything that a claim fixes.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Terms {
    pub claim: ClaimName,
    pub first: ModelId,
    pub second: Second,
    pub track: Track,
    pub rules: Rules,
    /// Rounds that enter on this day or later count.
    pub first_day: Date,
    /// Later days do not count; none where the claim has no end.
    pub last_day: Option<Date>,
    /// The year of the first day: claims of one track and season are one family, and an operator who
    /// could name seasons could have as many families as there are claims.
    pub season: i16,
    /// How many claims the family will have at most.
    pub family: usize,
    /// By the operator's clock.
    pub registered_at: Timestamp,
}

/// Why a claim cannot be registered.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Refusal {
    #[error("was registered at {at}, which is not before its first day {first_day} (UTC)")]
    Late { at: Timestamp, first_day: Date },
    #[error("its last day {last} is before its first day {first}")]
    NoDay { first: Date, last: Date },
    #[error("compares {0} with itself")]
    Itself(ModelId),
    #[error("{what} is {value}; it must be above 0 and at most {most}")]
    OutOfRange {
        what: &'static str,
        value: f64,
        most: f64,
    },
    #[error("a family has from 1 to {MOST_CLAIMS} claims, not {0}")]
    FamilySize(usize),
    #[error("names the season {own}, and its first day lies in {year}")]
    Season { own: i16, year: i16 },
    #[error("has the name of a claim that is registered already, {0}")]
    Twice(ClaimName),
    #[error(
        "its family, {track} of season {season}, was fixed at {fixed} claims by {by}, not {own}"
    )]
    FamilyChanged {
        track: &'static str,
        season: i16,
        fixed: usize,
        by: ClaimName,
        own: usize,
    },
    #[error("its family, {track} of season {season}, has the level {fixed} by {by}, not {own}")]
    LevelChanged {
        track: &'static str,
        season: i16,
        fixed: f64,
        by: ClaimName,
        own: f64,
    },
    #[error("its family, {track} of season {season}, has its {size} claims already")]
    FamilyFull {
        track: &'static str,
        season: i16,
        size: usize,
    },
}

impl Refusal {
    /// What to do next.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Late { .. } => {
                "choose a later first day: a claim is registered before anything of it is known"
            }
            Self::NoDay { .. } => "give --last-day a later day, or leave it out",
            Self::Itself(_) => "name two different models, or compare one with the reference",
            Self::OutOfRange { .. } => "give another number",
            Self::FamilySize(_) => "say with --family how many claims this season will have",
            Self::Season { .. } => "the season is the year of the first day",
            Self::Twice(_) => "choose another name: a registered claim is never changed",
            Self::FamilyChanged { .. } | Self::LevelChanged { .. } => {
                "give the number and the level that the first claim of the season fixed"
            }
            Self::FamilyFull { .. } => {
                "choose a first day of the next season: more claims would make chance hits likelier"
            }
        }
    }
}

impl Terms {
    /// Whether a claim is of the same family.
    pub fn same_family(&self, other: &Self) -> bool {
        (self.track, self.season) == (other.track, other.season)
    }

    /// Refuses terms that no claim may have, alone or after those that are registered.
    pub fn check(&self, registered: &[Self]) -> Result<(), Refusal> {
        self.check_alone()?;
        if registered.iter().any(|other| other.claim == self.claim) {
            return Err(Refusal::Twice(self.claim.clone()));
        }
        let family: Vec<&Self> = registered
            .iter()
            .filter(|other| self.same_family(other))
            .collect();
        let Some(first) = family.first() else {
            return Ok(());
        };
        let (track, season) = (self.track.as_str(), self.season);
        let by = first.claim.clone();
        if first.family != self.family {
            return Err(Refusal::FamilyChanged {
                track,
                season,
                fixed: first.family,
                by,
                own: self.family,
            });
        }
        if (first.rules.alpha - self.rules.alpha).abs() > 0.0 {
            return Err(Refusal::LevelChanged {
                track,
                season,
                fixed: first.rules.alpha,
                by,
                own: self.rules.alpha,
            });
        }
        if family.len() >= self.family {
            let size = self.family;
            return Err(Refusal::FamilyFull {
                track,
                season,
                size,
            });
        }
        Ok(())
    }

    fn check_alone(&self) -> Result<(), Refusal> {
        let (at, first_day) = (self.registered_at, self.first_day);
        if at.to_zoned(TimeZone::UTC).date() >= first_day {
            return Err(Refusal::Late { at, first_day });
        }
        if let Some(last) = self.last_day.filter(|last| *last < first_day) {
            let first = first_day;
            return Err(Refusal::NoDay { first, last });
        }
        if self.season != first_day.year() {
            return Err(Refusal::Season {
                own: self.season,
                year: first_day.year(),
            });
        }
        if self.second.model() == Some(&self.first) {
            return Err(Refusal::Itself(self.first.clone()));
        }
        let ranges = [
            ("alpha", self.rules.alpha, LARGEST_ALPHA),
            ("the scale", self.rules.scale, 1.0),
            ("the spread", self.rules.spread, 10.0),
        ];
        let outside = |(_, value, most): &(&str, f64, f64)| !(*value > 0.0 && value <= most);
        if let Some((what, value, most)) = ranges.into_iter().find(outside) {
            return Err(Refusal::OutOfRange { what, value, most });
        }
        if (1..=MOST_CLAIMS).contains(&self.family) {
            Ok(())
        } else {
            Err(Refusal::FamilySize(self.family))
        }
    }

    /// The question in words; `name` gives the models their names.
    pub fn question(&self, name: impl Fn(&ModelId) -> String) -> String {
        let first = name(&self.first);
        let second = self
            .second
            .model()
            .map_or("the reference".to_owned(), &name);
        let track = self.track.as_str();
        match self.rules.side {
            Side::Above => format!("{first} returns more than {second} in {track} rounds"),
            Side::Either => format!("{first} and {second} return differently in {track} rounds"),
        }
    }
}

#[cfg(test)]
mod tests;
