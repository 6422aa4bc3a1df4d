//! The universe files that ship with the program, as text.
//!
//! Reading YAML is the archive's work; a user's own universe file takes the same way as these.

/// One shipped universe file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ShippedUniverse {
    /// The version a manifest names.
    pub version: &'static str,
    /// The file's text.
    pub yaml: &'static str,
    /// How many options it lists, cash included.
    pub options: usize,
    /// Whether a live source has priced every option of it.
    pub standing: UniverseStanding,
}

/// Whether a live source has priced every option of a universe.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UniverseStanding {
    Validated,
    /// `validate-universe` has not seen it yet.
    NotYetValidated,
}

/// The shipped universes: those of New York, oldest first, then those of other markets.
pub const SHIPPED: [ShippedUniverse; 5] = [
    ShippedUniverse {
        version: "v1.5",
        yaml: include_str!("../../universes/v1_5.yaml"),
        options: 40,
        standing: UniverseStanding::Validated,
    },
    ShippedUniverse {
        version: "v2.0",
        yaml: include_str!("../../universes/v2_0.yaml"),
        options: 65,
        standing: UniverseStanding::Validated,
    },
    ShippedUniverse {
        version: DEFAULT_VERSION,
        yaml: include_str!("../../universes/v2_1.yaml"),
        options: 70,
        standing: UniverseStanding::Validated,
    },
    ShippedUniverse {
        version: "europe-v1",
        yaml: include_str!("../../universes/europe_v1.yaml"),
        options: 30,
        standing: UniverseStanding::NotYetValidated,
    },
    ShippedUniverse {
        version: "crypto-v1",
        yaml: include_str!("../../universes/crypto_v1.yaml"),
        options: 19,
        standing: UniverseStanding::NotYetValidated,
    },
];

/// The version used when none is named: the newest of New York.
pub const DEFAULT_VERSION: &str = "v2.1";

/// The text of a shipped universe.
pub fn shipped(version: &str) -> Option<&'static str> {
    SHIPPED
        .iter()
        .find(|universe| universe.version == version)
        .map(|universe| universe.yaml)
}

/// The shipped versions.
pub fn versions() -> [&'static str; SHIPPED.len()] {
    SHIPPED.map(|universe| universe.version)
}

#[cfg(test)]
mod tests;
