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
        yaml: include_str!("../universes/v1_5.yaml"),
        options: 40,
    },
    ShippedUniverse {
        version: "v2.0",
        yaml: include_str!("../universes/v2_0.yaml"),
        options: 65,
    },
    ShippedUniverse {
        version: DEFAULT_VERSION,
        yaml: include_str!("../universes/v2_1.yaml"),
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
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::briefing;
    use crate::ids::OptionId;
    use crate::methodology::Enforcement;
    use crate::universe::{Listing, MarketOption, RiskBucket, RoleFlags, Universe};

    const KEYS: [&str; 11] = [
        "id",
        "name",
        "symbol",
        "asset_class",
        "category",
        "option_group",
        "risk_bucket",
        "exposure_description",
        "tiingo_symbol",
        "currency",
        "is_cash",
    ];

    /// The shipped files keep one plain value per line, so a split reads them.
    fn entries(yaml: &str) -> Vec<BTreeMap<&str, &str>> {
        let mut lines = yaml.lines();
        assert_eq!(lines.next(), Some("options:"));
        let mut entries: Vec<BTreeMap<&str, &str>> = Vec::new();
        for line in lines {
            let (mark, pair) = line.split_at(2);
            let (key, value) = pair.split_once(": ").unwrap();
            assert!(!value.contains(": ") && !value.contains(" #"), "{line}");
            if mark == "- " {
                entries.push(BTreeMap::new());
            }
            let fresh = entries.last_mut().unwrap().insert(key, value).is_none();
            assert!(fresh, "{line}");
        }
        entries
    }

    fn option(entry: &BTreeMap<&str, &str>) -> MarketOption {
        let extra = usize::from(entry.contains_key("is_benchmark"));
        assert_eq!(entry.len(), KEYS.len() + extra);
        assert!(KEYS.iter().all(|key| entry.contains_key(key)));
        let symbol = |key| Some(entry[key].to_owned()).filter(|symbol| symbol != "null");
        MarketOption {
            id: OptionId::parse(entry["id"]).unwrap(),
            name: entry["name"].to_owned(),
            symbol: symbol("symbol"),
            data_symbol: symbol("tiingo_symbol"),
            asset_class: entry["asset_class"].to_owned(),
            category: entry["category"].to_owned(),
            group: entry["option_group"].to_owned(),
            risk_bucket: RiskBucket::parse(entry["risk_bucket"]).unwrap(),
            exposure_description: entry["exposure_description"].to_owned(),
            currency: entry["currency"].to_owned(),
            flags: RoleFlags {
                cash: entry["is_cash"] == "true",
                reference: entry.get("is_benchmark") == Some(&"true"),
            },
            listing: Listing::Shown,
        }
    }

    fn universe(version: &str) -> Universe {
        let entries = entries(shipped(version).unwrap());
        Universe::new(entries.iter().map(option).collect()).unwrap()
    }

    fn ids(version: &str) -> Vec<String> {
        let universe = universe(version);
        universe
            .options()
            .iter()
            .map(|o| o.id.to_string())
            .collect()
    }

    #[test]
    fn each_file_is_a_universe_with_one_cash_and_one_reference() {
        assert_eq!(versions(), ["v1.5", "v2.0", "v2.1"]);
        assert_eq!(shipped("v9"), None);
        for shipped in SHIPPED {
            let universe = universe(shipped.version);
            assert_eq!(universe.options().len(), shipped.options);
            assert_eq!(universe.reference().id.as_str(), "SP500");
            let cash = universe.options().iter().filter(|o| o.is_cash()).count();
            let references = universe
                .options()
                .iter()
                .filter(|o| o.flags.reference)
                .count();
            assert_eq!((cash, references), (1, 1));
        }
    }

    #[test]
    fn later_versions_keep_the_order_and_add() {
        let (first, second, third) = (ids("v1.5"), ids("v2.0"), ids("v2.1"));
        assert_eq!(second[..40], first[..]);
        let inserted = [
            "BROAD_AI_TECH",
            "AUTONOMOUS_ROBOTICS",
            "CYBERSECURITY",
            "SOLAR",
            "METALS_MINING",
        ];
        assert_eq!(third[..40], first[..]);
        assert_eq!(third[40..45], inserted);
        assert_eq!(third[45..], second[40..]);
        for version in versions() {
            for option in universe(version).options() {
                assert_eq!(universe("v2.1").get(&option.id), Some(option), "{version}");
            }
        }
    }

    #[test]
    fn descriptions_are_neutral() {
        for option in universe(DEFAULT_VERSION).options() {
            for text in [&option.name, &option.exposure_description] {
                let problems = briefing::check(text, Enforcement::Refuse);
                assert!(problems.is_empty(), "{}: {problems:?}", option.id);
            }
            assert!(option.exposure_description.ends_with('.'), "{}", option.id);
        }
    }
}
