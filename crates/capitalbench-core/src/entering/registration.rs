//! [`Registration`]: who an entrant is, under which keys, and how it says that it decides.

use std::collections::BTreeSet;
use std::fmt;

use super::lines::{FormError, Lines, plain};
use super::names::{EntrantKey, EntrantKind, EntrantName};

/// The first line of the text.
pub const REGISTRATION: &str = "capitalbench registration v1";
/// Most keys of one registration.
pub const MOST_KEYS: usize = 5;

/// What an entrant signs once, with every one of its keys.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Registration {
    /// The origin of the league's log.
    pub league: String,
    pub entrant: EntrantName,
    /// For people.
    pub name: String,
    pub kind: EntrantKind,
    /// Where the operator reaches the entrant; public, as all of this.
    pub contact: String,
    /// How the entrant says that it decides.
    pub method: String,
    /// Below this address the league fetches entries and openings; none where they are brought.
    pub address: Option<String>,
    /// In the order of the text; all of them are shown together.
    pub keys: Vec<EntrantKey>,
}

impl Registration {
    /// Reads the text of the signed note; only the one form that [`Self::to_text`] gives is accepted.
    pub fn parse(text: &str) -> Result<Self, FormError> {
        let mut lines = Lines::of(text, REGISTRATION)?;
        let read = Self {
            league: lines.take("league")?.to_owned(),
            entrant: EntrantName::parse(lines.take("entrant")?)
                .map_err(|error| FormError::value("entrant", error))?,
            name: lines.take("name")?.to_owned(),
            kind: kind(lines.take("kind")?)?,
            contact: lines.take("contact")?.to_owned(),
            method: lines.take("method")?.to_owned(),
            address: lines.optional("address")?.map(str::to_owned),
            keys: lines
                .all("key")?
                .into_iter()
                .map(|key| EntrantKey::parse(key).map_err(|error| FormError::value("key", error)))
                .collect::<Result<_, _>>()?,
        };
        lines.end()?;
        read.check()?;
        Ok(read)
    }

    /// Whether it can be written, and read again.
    pub fn check(&self) -> Result<(), FormError> {
        let values = [
            ("league", &self.league),
            ("name", &self.name),
            ("contact", &self.contact),
            ("method", &self.method),
        ];
        for (word, value) in values {
            plain(value).map_err(|problem| FormError::Value { word, problem })?;
        }
        if let Some(address) = &self.address {
            let is_address = address.starts_with("https://") || address.starts_with("http://");
            if !is_address || address.contains(['?', '#', ' ']) {
                let text = "must be an address such as https://ada.example/entries";
                return Err(FormError::value("address", text));
            }
        }
        let names: BTreeSet<&str> = self.keys.iter().map(EntrantKey::name).collect();
        if names.len() != self.keys.len() {
            return Err(FormError::value("key", "two keys have the same name"));
        }
        if !(1..=MOST_KEYS).contains(&self.keys.len()) {
            let text = format!("a registration has 1 to {MOST_KEYS} keys");
            return Err(FormError::value("key", text));
        }
        Ok(())
    }

    /// The text that is signed.
    pub fn to_text(&self) -> String {
        self.to_string()
    }
}

impl fmt::Display for Registration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{REGISTRATION}")?;
        writeln!(f, "league {}", self.league)?;
        writeln!(f, "entrant {}", self.entrant)?;
        writeln!(f, "name {}", self.name)?;
        writeln!(f, "kind {}", self.kind.as_str())?;
        writeln!(f, "contact {}", self.contact)?;
        writeln!(f, "method {}", self.method)?;
        if let Some(address) = &self.address {
            writeln!(f, "address {address}")?;
        }
        self.keys
            .iter()
            .try_for_each(|key| writeln!(f, "key {key}"))
    }
}

fn kind(word: &str) -> Result<EntrantKind, FormError> {
    EntrantKind::parse(word)
        .ok_or_else(|| FormError::value("kind", "must be model, agent, person or fund"))
}

#[cfg(test)]
mod tests;
