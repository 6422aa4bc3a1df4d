//! Names of models for people, from their ids alone.
//!
//! Only what is safe is changed: the id must begin with one of four companies, and the words after
//! it are spelt as those companies spell them. Everything else keeps its id, and so do two models
//! whose names would be alike.

use std::collections::{BTreeMap, BTreeSet};

use crate::values::ids::ModelId;

/// Companies whose ids are `company-family-version`.
const COMPANIES: [&str; 4] = ["anthropic", "google", "openai", "xai"];

/// The names of some models; one without a safe name is not in the answer.
pub fn names_of<'a>(models: impl IntoIterator<Item = &'a ModelId>) -> BTreeMap<ModelId, String> {
    let models: BTreeSet<&ModelId> = models.into_iter().collect();
    let mut names: BTreeMap<ModelId, String> = BTreeMap::new();
    for id in models {
        if let Some(name) = name_of(id.as_str()) {
            names.insert(id.clone(), name);
        }
    }
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    for name in names.values() {
        *seen.entry(name.clone()).or_default() += 1;
    }
    names.retain(|_, name| seen.get(name) == Some(&1));
    names
}

/// `openai-gpt-5-5` is `GPT-5.5`, `anthropic-claude-opus-4-7` is `Claude Opus 4.7`.
fn name_of(id: &str) -> Option<String> {
    let (company, rest) = id.split_once('-')?;
    if !COMPANIES.contains(&company) {
        return None;
    }
    let words: Vec<&str> = rest.split('-').collect();
    if words.iter().any(|word| word.is_empty()) {
        return None;
    }
    let mut name = String::new();
    let mut place = 0;
    while let Some(word) = words.get(place) {
        let run = words[place..].iter().take_while(|w| is_number(w)).count();
        let next = match run {
            0 => spelt(word)?,
            1 => (*word).to_owned(),
            2 if words[place..place + 2].iter().all(|w| w.len() <= 2) => {
                format!("{word}.{}", words[place + 1])
            }
            // A date or something like it: better left alone.
            _ => return None,
        };
        if !name.is_empty() {
            name.push(if name == "GPT" { '-' } else { ' ' });
        }
        name.push_str(&next);
        place += run.max(1);
    }
    Some(name)
}

fn is_number(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit())
}

/// A word with a capital; letters and digits mixed, as in `4o`, have no safe spelling.
fn spelt(word: &str) -> Option<String> {
    if !word.bytes().all(|byte| byte.is_ascii_lowercase()) {
        return None;
    }
    if word == "gpt" {
        return Some("GPT".to_owned());
    }
    let mut letters = word.chars();
    let first = letters.next()?.to_ascii_uppercase();
    Some(std::iter::once(first).chain(letters).collect())
}

#[cfg(test)]
mod tests;
