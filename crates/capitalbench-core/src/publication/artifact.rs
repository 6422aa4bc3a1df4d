//! Who may see a file of a round, and from when on.

use crate::publication::RoundState;

/// From when on a file is public.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Audience {
    /// As soon as the round is.
    Public,
    /// Once a run is the record: what models were asked and answered.
    AfterRecord,
    /// Once the round is resolved: ending prices and everything that follows from them.
    AfterResult,
    /// Never: locks, headers of providers that name an account, and a vendor's price histories.
    Private,
}

/// The audience of a file by its path inside the round; what is not named here is private, so that a
/// file somebody leaves in a round is never shown by accident.
pub fn audience(path: &str) -> Audience {
    let parts: Vec<&str> = path.split('/').collect();
    if parts.iter().any(|part| part.starts_with('.')) {
        return Audience::Private;
    }
    match parts.as_slice() {
        ["round_summary.md"] => Audience::AfterResult,
        [name] if TOP_LEVEL.contains(name) => Audience::Public,
        // The rows are the vendor's; only what is computed from them is ours to show.
        ["market_data", "source_histories.csv"] => Audience::Private,
        // The closes as fetched, where a round publishes returns only.
        ["prices", inside @ ..] if inside.contains(&"vendor") => Audience::Private,
        ["research" | "market_data", ..]
        | ["automation", "resolution_job.yaml"]
        | ["exceptions", _]
        | ["prices", "entry_prices.csv" | "weekly_prices.csv"] => Audience::Public,
        ["prices", ..] => Audience::AfterResult,
        ["runs", _, inside @ ..] => in_run(inside),
        _ => Audience::Private,
    }
}

/// Files directly in a round that everybody may read.
const TOP_LEVEL: [&str; 13] = [
    "README.md",
    "briefing.md",
    "given_instants.jsonl",
    "hashes.json",
    "manifest.yaml",
    "model_input.md",
    "official_selection.yaml",
    "options.yaml",
    "prompt.md",
    "submission_schema.json",
    "tombstone.json",
    "universe_validation_report.json",
    "universe_validation_report.md",
];

/// Files directly in a run that everybody may read once it is the record.
const IN_RUN: [&str; 5] = [
    "acceptance.json",
    "run_log.jsonl",
    "run_manifest.yaml",
    "slots.json",
    "validation_summary.json",
];

fn in_run(inside: &[&str]) -> Audience {
    match inside {
        ["results", "weekly_performance.csv"] => Audience::AfterRecord,
        ["results", ..] | ["corrections.jsonl"] => Audience::AfterResult,
        ["attempts", name] if name.ends_with(".head.json") => Audience::Private,
        [name] if IN_RUN.contains(name) => Audience::AfterRecord,
        ["submissions", "raw" | "parsed", _]
        | ["attempts" | "repairs" | "raw_responses" | "controls", _] => Audience::AfterRecord,
        _ => Audience::Private,
    }
}

/// Whether a file may be shown while the round is in this state.
pub fn is_visible(path: &str, state: &RoundState) -> bool {
    match audience(path) {
        Audience::Public => true,
        Audience::AfterRecord => matches!(state, RoundState::Open(_) | RoundState::Resolved(_)),
        Audience::AfterResult => matches!(state, RoundState::Resolved(_)),
        Audience::Private => false,
    }
}

#[cfg(test)]
mod tests;
