//! What the stored JSON formats share: the number of a format, and a day in its one form.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The member `format_version` of a file. Reading refuses every other number, because a later
/// format may mean something else by the same members.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FormatVersion<const NUMBER: u64>;

impl<const NUMBER: u64> Serialize for FormatVersion<NUMBER> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u64(NUMBER)
    }
}

impl<'de, const NUMBER: u64> Deserialize<'de> for FormatVersion<NUMBER> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match u64::deserialize(deserializer)? {
            found if found == NUMBER => Ok(Self),
            _ => Err(D::Error::custom(format!(
                "the format must be version {NUMBER}"
            ))),
        }
    }
}

/// A day as `2026-05-08`; the date type itself would read other forms too.
pub(crate) mod day {
    use capitalbench_core::values::time::parse_day;
    use jiff::civil::Date;
    use serde::de::Error as _;
    use serde::{Deserialize as _, Deserializer, Serializer};

    #[expect(
        clippy::trivially_copy_pass_by_ref,
        reason = "serde passes a reference"
    )]
    pub(crate) fn serialize<S: Serializer>(day: &Date, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(day)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(text: D) -> Result<Date, D::Error> {
        let text = String::deserialize(text)?;
        let wrong = || D::Error::custom(format!("{text:?} is not a day like 2026-05-08"));
        parse_day(&text).ok_or_else(wrong)
    }
}
