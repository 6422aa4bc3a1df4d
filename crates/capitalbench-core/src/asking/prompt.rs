//! The text a model is sent: what it says, how it is put together and what it must not say.
//!
//! [`prompt_text`] writes the prompt of a new round, [`assemble`] joins it with the round's other
//! frozen parts into the one model input that is stored and hashed.

use crate::round::manifest::Track;
use crate::values::ids::Digest;

mod assembly;
mod text;

pub use assembly::{CONTEXT_TITLES, ModelInputParts, assemble, call_suffix};
pub use text::prompt_text;

/// Length and digest of one normalised passage that told models when to hold the reference.
///
/// Four archived prompts contain it; the text itself is not ours to repeat.
const STEERING_LENGTH: usize = 242;
const STEERING_DIGEST: &str = "0d9c78e18894fa3d73870b21df36d405cb7374f74f08edfdc8ea676c2b5a7c0e";

/// Whether a text holds the passage that steers models towards the reference.
pub fn steers_to_reference(text: &str) -> bool {
    let words: Vec<&str> = text.split_whitespace().collect();
    let normal = words.join(" ").to_lowercase();
    let starts: Vec<usize> = normal.char_indices().map(|(index, _)| index).collect();
    let is_start = |i: usize| i == 0 || normal.as_bytes()[starts[i] - 1] == b' ';
    (0..starts.len()).filter(|&i| is_start(i)).any(|i| {
        let end = match starts.get(i + STEERING_LENGTH) {
            Some(&end) => end,
            None if starts.len() - i == STEERING_LENGTH => normal.len(),
            None => return false,
        };
        let passage = &normal[starts[i]..end];
        let ends_a_sentence = passage.ends_with('.');
        ends_a_sentence && Digest::of(passage.as_bytes()).to_hex() == STEERING_DIGEST
    })
}

/// Whether a prompt speaks of the market table, which must then be part of what models are sent.
pub fn promises_table(text: &str) -> bool {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").to_lowercase().contains("market table")
}

/// A phrase of the other track's horizon that a prompt mentions.
pub fn foreign_horizon(text: &str, track: Track) -> Option<&'static str> {
    let lower = text.to_lowercase();
    let phrases = match track {
        Track::Weekly => ["one month", "one-month"],
        Track::Monthly => ["one week", "one-week"],
    };
    phrases.into_iter().find(|phrase| lower.contains(phrase))
}

#[cfg(test)]
mod tests;
