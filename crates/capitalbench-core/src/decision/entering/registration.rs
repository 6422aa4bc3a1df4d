//! [`Registration`]: who an entrant is, under which keys, and how it says that it decides.

use std::collections::BTreeSet;
use std::fmt;

use super::agent::LONGEST;
use super::lines::{FormError, Lines, plain};
use super::names::{EntrantKey, EntrantKind, EntrantName};
use crate::values::ids::ModelId;

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
    /// Where the league asks it; agents only.
    pub agent: Option<AgentTerms>,
    /// In the order of the text; all of them are shown together.
    pub keys: Vec<EntrantKey>,
}

/// What an agent declares.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct AgentTerms {
    /// Where it is asked.
    pub address: String,
    /// How long it takes at most.
    pub seconds: u32,
    /// The model that decides with its tools, by the id that the league gives it without them.
    pub model: Option<ModelId>,
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
            agent: agent(&mut lines)?,
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
        if let Some(agent) = &self.agent {
            self.check_agent(agent)?;
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

    fn check_agent(&self, agent: &AgentTerms) -> Result<(), FormError> {
        if self.kind != EntrantKind::Agent {
            let text = "only an entrant of the kind agent is asked at an address";
            return Err(FormError::value("agent", text));
        }
        let is_address =
            agent.address.starts_with("https://") || agent.address.starts_with("http://");
        if !is_address || agent.address.contains(['?', '#', ' ', '@']) {
            let text = "must be an address such as https://ada.example/decide";
            return Err(FormError::value("agent", text));
        }
        let longest = LONGEST.as_secs();
        if !(1..=longest).contains(&i64::from(agent.seconds)) {
            let text = format!("must be from 1 to {longest} seconds");
            return Err(FormError::value("time", text));
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
        if let Some(agent) = &self.agent {
            writeln!(f, "agent {}\ntime {}", agent.address, agent.seconds)?;
            if let Some(model) = &agent.model {
                writeln!(f, "model {model}")?;
            }
        }
        self.keys
            .iter()
            .try_for_each(|key| writeln!(f, "key {key}"))
    }
}

fn agent(lines: &mut Lines<'_>) -> Result<Option<AgentTerms>, FormError> {
    let Some(address) = lines.optional("agent")? else {
        return Ok(None);
    };
    let seconds = lines.take("time")?.parse();
    let model = lines.optional("model")?.map(ModelId::parse).transpose();
    Ok(Some(AgentTerms {
        address: address.to_owned(),
        seconds: seconds.map_err(|_| FormError::value("time", "must be a number of seconds"))?,
        model: model.map_err(|error| FormError::value("model", error))?,
    }))
}

fn kind(word: &str) -> Result<EntrantKind, FormError> {
    EntrantKind::parse(word)
        .ok_or_else(|| FormError::value("kind", "must be model, agent, person or fund"))
}

#[cfg(test)]
mod tests;
