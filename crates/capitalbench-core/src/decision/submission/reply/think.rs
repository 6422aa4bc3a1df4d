//! Takes the reasoning off a reply that models write into its text.
//!
//! `DeepSeek` R1, Qwen and `MiniMax` write `<think>…</think>` before the answer where the server does
//! not separate it. What stands there is no answer: it may hold drafts of the object.

/// Opening and closing marks, as the model cards and vLLM's reasoning parsers document them;
/// `[THINK]` is Mistral's.
const MARKS: [(&str, &str); 3] = [
    ("<think>", "</think>"),
    ("<thinking>", "</thinking>"),
    ("[THINK]", "[/THINK]"),
];

/// A reply without its reasoning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Thought<'a> {
    /// There was none at the start.
    None,
    /// The text after it.
    Before(&'a str),
    /// It never ends, or another one follows.
    Open,
}

/// Looks for reasoning at the start of a trimmed text.
pub(super) fn thought(text: &str) -> Thought<'_> {
    for (open, close) in MARKS {
        // R1's template puts the opening mark into the prompt, so the reply begins after it. A text
        // that begins with an object or a fence has no thoughts before it.
        let begun = !text.starts_with(['{', '`']) && text.contains(close) && !text.contains(open);
        let inside = match text.strip_prefix(open) {
            Some(inside) => inside,
            None if begun => text,
            None => continue,
        };
        let Some((_, after)) = inside.split_once(close) else {
            return Thought::Open;
        };
        let after = after.trim();
        if MARKS.iter().any(|(open, _)| after.starts_with(open)) {
            return Thought::Open;
        }
        return Thought::Before(after);
    }
    Thought::None
}

#[cfg(test)]
mod tests;
