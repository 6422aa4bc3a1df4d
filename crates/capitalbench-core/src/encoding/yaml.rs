//! Strict reading of YAML into typed values; the only module that names the YAML library.
//!
//! YAML is read, never written again: no emitter reproduces the bytes that were hashed. Repeated
//! keys, unknown tags, a second document and `yes` for `true` are errors, and an input that would
//! unfold into something huge is stopped early.

use serde::de::DeserializeOwned;
use serde_saphyr::granit_parser::{Event, Parser};
use serde_saphyr::options::DuplicateKeyPolicy;
use serde_saphyr::{MessageFormatter as _, Options, UserMessageFormatter};

pub mod fields;
pub mod unique_keys;

/// Why a text is not YAML that is accepted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}{message}", place(*line, *column))]
pub struct YamlError {
    /// What is wrong, on one line.
    pub message: String,
    /// Line counted from 1, where known.
    pub line: Option<u64>,
    /// Column in characters, counted from 1, where known.
    pub column: Option<u64>,
}

const TOO_MUCH: &str = "the document is too large, too deep or repeats too much by aliases";

/// Reads one YAML document.
///
/// A file with nothing but white space and comments reads as an empty mapping.
pub fn from_yaml<T: DeserializeOwned>(text: &str) -> Result<T, YamlError> {
    refuse_text_after_the_end(text)?;
    let text = if is_blank(text) { "{}" } else { text };
    serde_saphyr::from_str_with_options(text, strict()).map_err(|error| readable(&error))
}

/// Reads one YAML document that uses neither tags nor anchors, aliases or merge keys.
///
/// What stands in a model's reply must mean what it says where it stands.
pub fn from_plain_yaml<T: DeserializeOwned>(text: &str) -> Result<T, YamlError> {
    for next in Parser::new_from_str(text) {
        let (event, span) = next.map_err(|error| YamlError {
            message: error.to_string(),
            line: None,
            column: None,
        })?;
        let mark = match event {
            Event::Alias(_) => Some("an alias"),
            Event::Scalar(_, _, _, Some(_))
            | Event::SequenceStart(_, _, Some(_))
            | Event::MappingStart(_, _, Some(_)) => Some("a tag"),
            Event::Scalar(_, _, anchor, _)
            | Event::SequenceStart(_, anchor, _)
            | Event::MappingStart(_, anchor, _)
                if anchor > 0 =>
            {
                Some("an anchor")
            }
            Event::Scalar(text, ..) if text == "<<" => Some("a merge key"),
            _ => None,
        };
        if let Some(mark) = mark {
            return Err(YamlError {
                message: format!("holds {mark}, which is not accepted here"),
                line: u64::try_from(span.start.line()).ok(),
                column: None,
            });
        }
    }
    from_yaml(text)
}

/// The limits are far above the largest real file and far below what hurts.
fn strict() -> Options {
    serde_saphyr::options! {
        budget: serde_saphyr::budget! {
            max_depth: 32,
            flow_nesting_limit: 64,
            max_events: 500_000,
            max_nodes: 200_000,
            max_anchors: 100,
            max_aliases: 100,
            max_recorded_anchor_events: 100_000,
            max_recorded_anchor_bytes: 1 << 20,
            max_total_scalar_bytes: 16 << 20,
            max_merge_keys: 100,
            max_inclusion_depth: 0,
        },
        alias_limits: serde_saphyr::alias_limits! {
            max_total_replayed_events: 10_000,
            max_replay_stack_depth: 8,
            max_alias_expansions_per_anchor: 100,
        },
        duplicate_keys: DuplicateKeyPolicy::Error,
        strict_booleans: true,
        reject_unsupported_tags: true,
        with_snippet: false,
    }
}

fn is_blank(text: &str) -> bool {
    text.trim_start_matches('\u{feff}').lines().all(|line| {
        let line = line.trim();
        line.is_empty() || line.starts_with('#')
    })
}

/// The library ignores broken text after the end marker `...`, so that is looked for here.
fn refuse_text_after_the_end(text: &str) -> Result<(), YamlError> {
    let ends = |line: &str| {
        line.strip_prefix("...")
            .is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '\t']))
    };
    let mut numbered = (1..).zip(text.lines());
    if !numbered.any(|(_, line)| ends(line)) {
        return Ok(());
    }
    match numbered.find(|(_, line)| !is_blank(line) && !ends(line)) {
        None => Ok(()),
        Some((line, _)) => Err(YamlError {
            message: "text after the end of the document".to_owned(),
            line: Some(line),
            column: Some(1),
        }),
    }
}

fn readable(error: &serde_saphyr::Error) -> YamlError {
    let location = error.location();
    YamlError {
        message: message(error.without_snippet()),
        line: location.map(|location| location.line()),
        column: location.map(|location| location.column()),
    }
}

/// The library's words for users, except where they speak of its own options and counters.
fn message(error: &serde_saphyr::Error) -> String {
    use serde_saphyr::Error;
    match error {
        Error::AliasError { error, .. } => message(error),
        Error::DuplicateMappingKey { key: Some(key), .. } => {
            format!("the mapping repeats the key {key:?}")
        }
        Error::MultipleDocuments { .. } => "a second document; the file must hold one".to_owned(),
        Error::Budget { .. }
        | Error::AliasReplayLimitExceeded { .. }
        | Error::AliasExpansionLimitExceeded { .. }
        | Error::AliasReplayStackDepthExceeded { .. } => TOO_MUCH.to_owned(),
        other => match UserMessageFormatter.format_message(other).lines().next() {
            Some("recursion limit exceeded") => TOO_MUCH.to_owned(),
            line => line.unwrap_or("not readable as YAML").to_owned(),
        },
    }
}

fn place(line: Option<u64>, column: Option<u64>) -> String {
    match (line, column) {
        (Some(line), Some(column)) => format!("line {line}, column {column}: "),
        (Some(line), None) => format!("line {line}: "),
        (None, _) => String::new(),
    }
}

#[cfg(test)]
mod tests;
