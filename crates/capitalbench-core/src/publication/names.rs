//! Names of models for people: the name that the operator gave, else one made from the id.
//!
//! Of an id only what is safe is changed: it must begin with one of four companies, and the words
//! after it are spelt as those companies spell them. Everything else keeps its id, and so do models
//! whose names would be alike.

use std::collections::{BTreeMap, BTreeSet};

use super::PublicRound;
use super::boards::set_round::SetRound;
use super::renames::Renames;
use crate::values::ids::ModelId;
use crate::values::time::WrittenInstant;

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

/// Longest name, in characters, that is taken from an operator.
const LONGEST: usize = 80;

/// Puts the names that operators gave in place of those made from ids.
///
/// The newest round of a model counts. A name that could be taken for the name or id of a model with
/// another record is shown for none of them.
pub(super) fn give(
    names: &mut BTreeMap<ModelId, String>,
    rounds: &[SetRound<'_>],
    renames: &Renames,
) {
    let mut ordered: Vec<&SetRound<'_>> = rounds.iter().collect();
    ordered.sort_by_key(|round| round.decided());
    let mut shown: BTreeMap<&ModelId, Option<&str>> = BTreeMap::new();
    for round in ordered {
        for id in &round.stored {
            let calls = round.calls.iter().find(|own| own.model_id == **id);
            let given = calls.and_then(|calls| calls.display_name.as_deref());
            shown.insert(id, given.and_then(usable));
        }
    }
    for (id, given) in &shown {
        if let Some(name) = given {
            names.insert((*id).clone(), (*name).to_owned());
        }
    }
    let alike = |text: &str| text.to_lowercase();
    let mut seen: BTreeMap<String, BTreeSet<&ModelId>> = BTreeMap::new();
    for (id, name) in &*names {
        let own = seen.entry(alike(name)).or_default();
        own.insert(renames.newest(id));
    }
    for id in shown.keys().copied() {
        let own = seen.entry(alike(id.as_str())).or_default();
        own.insert(renames.newest(id));
    }
    let mut confused: BTreeSet<ModelId> = BTreeSet::new();
    for ids in seen.values().filter(|ids| ids.len() > 1) {
        confused.extend(ids.iter().map(|id| (*id).clone()));
    }
    names.retain(|id, _| !confused.contains(renames.newest(id)));
}

/// A name that fits on one line; none for anything else.
fn usable(name: &str) -> Option<&str> {
    let name = name.trim();
    let fits = !name.is_empty() && name.chars().count() <= LONGEST;
    (fits && !name.chars().any(char::is_control)).then_some(name)
}

/// Rounds from the oldest decision to the newest.
pub fn by_decision(rounds: &[PublicRound]) -> Vec<&PublicRound> {
    let mut ordered: Vec<&PublicRound> = rounds.iter().collect();
    ordered.sort_by_key(|round| {
        let manifest = &round.manifest;
        let deadline = manifest.decision_deadline.as_ref();
        (manifest.decision_date, deadline.map(WrittenInstant::at))
    });
    ordered
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
