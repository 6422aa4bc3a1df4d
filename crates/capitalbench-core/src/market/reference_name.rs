//! What people call the option that others are measured against.

use std::fmt;

use super::universe::Universe;

/// The name of a reference; its own text is for headings: `S&P 500`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReferenceName(String);

impl ReferenceName {
    /// Of a universe.
    pub fn of(universe: &Universe) -> Self {
        Self::from(universe.reference().name.as_str())
    }

    /// The one name that several rounds give; `reference` where they give none or several.
    pub fn shared<'a>(names: impl IntoIterator<Item = &'a str>) -> Self {
        let mut names = names.into_iter();
        match names.next() {
            Some(first) if names.all(|name| name == first) => Self::from(first),
            _ => Self::default(),
        }
    }

    /// Inside a sentence: `the S&P 500`, but `Bitcoin`.
    pub fn the(&self) -> String {
        if self.is_proper_noun() {
            self.0.clone()
        } else {
            format!("the {}", self.0)
        }
    }

    /// A text that speaks of "the reference", with its name instead.
    pub fn put_into(&self, text: &str) -> String {
        text.replace("the reference", &self.the())
    }

    /// Indexes and abbreviations take an article, names such as `Bitcoin` take none.
    fn is_proper_noun(&self) -> bool {
        let mut letters = self.0.chars();
        letters.next().is_some_and(char::is_uppercase)
            && letters.clone().any(char::is_lowercase)
            && letters.all(char::is_alphabetic)
    }
}

impl Default for ReferenceName {
    fn default() -> Self {
        Self::from("reference")
    }
}

impl From<&str> for ReferenceName {
    fn from(name: &str) -> Self {
        Self(name.to_owned())
    }
}

impl fmt::Display for ReferenceName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests;
