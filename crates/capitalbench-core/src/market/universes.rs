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
}

/// The shipped universes, oldest first.
pub const SHIPPED: [ShippedUniverse; 3] = [
    ShippedUniverse {
        version: "v1.5",
        yaml: include_str!("../../universes/v1_5.yaml"),
        options: 40,
    },
    ShippedUniverse {
        version: "v2.0",
        yaml: include_str!("../../universes/v2_0.yaml"),
        options: 65,
    },
    ShippedUniverse {
        version: DEFAULT_VERSION,
        yaml: include_str!("../../universes/v2_1.yaml"),
        options: 70,
    },
];

/// The version used when none is named: the newest.
pub const DEFAULT_VERSION: &str = "v2.1";

/// The text of a shipped universe.
pub fn shipped(version: &str) -> Option<&'static str> {
    SHIPPED
        .iter()
        .find(|universe| universe.version == version)
        .map(|universe| universe.yaml)
}

/// The shipped versions, oldest first.
pub fn versions() -> [&'static str; 3] {
    SHIPPED.map(|universe| universe.version)
}

#[cfg(test)]
mod tests;
