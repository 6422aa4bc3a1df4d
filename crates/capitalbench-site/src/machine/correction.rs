//! Corrections of results as `corrections.jsonl` records them: the reason, and old and new values.

use capitalbench_core::publication::ResolvedRound;
use capitalbench_export::text::percent;
use jiff::Timestamp;
use serde_json::Value;

use crate::Files;
use crate::figures::count;

/// A sentence names at most this many values and counts the rest.
const NAMED: usize = 6;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Correction {
    /// The line of the file.
    pub line: usize,
    pub at: Timestamp,
    /// The operator's reason.
    pub reason: String,
    /// The values that changed, in the order of the file.
    pub changes: Vec<Change>,
}

/// One value that a correction changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    pub model: String,
    pub figure: String,
    /// The value before, for people; a dash if there was none.
    pub old: String,
    /// The value after, for people; a dash if there is none.
    pub new: String,
}

/// The file of a round that tells of its corrections, which the publication does not.
pub fn corrections_file(resolved: &ResolvedRound) -> String {
    format!("runs/{}/corrections.jsonl", resolved.run_id)
}

/// The corrections of a resolved round, from its files.
pub(crate) fn corrections_of(resolved: &ResolvedRound, own: &Files) -> Vec<Correction> {
    own.get(&corrections_file(resolved))
        .map_or_else(Vec::new, |bytes| corrections(bytes))
}

/// Every readable line of `corrections.jsonl`.
pub fn corrections(bytes: &[u8]) -> Vec<Correction> {
    let text = String::from_utf8_lossy(bytes);
    let entries = (1..).zip(text.lines()).filter_map(|(line, text)| {
        let entry: Value = serde_json::from_str(text).ok()?;
        let at = entry.get("corrected_at_utc")?.as_str()?.parse().ok()?;
        let reason = entry.get("reason").and_then(Value::as_str);
        let changes = entry.get("values").and_then(Value::as_array);
        Some(Correction {
            line,
            at,
            reason: reason.unwrap_or("The results were replaced.").to_owned(),
            changes: changes.into_iter().flatten().filter_map(change).collect(),
        })
    });
    entries.collect()
}

fn change(entry: &Value) -> Option<Change> {
    let figure = entry.get("figure")?.as_str()?;
    let side = |name: &str| shown(figure, entry.get(name).and_then(Value::as_str));
    let model = entry.get("model_id")?.as_str()?;
    let replicate = entry.get("replicate").and_then(Value::as_str);
    let model = match replicate.filter(|own| *own != "1") {
        Some(replicate) => format!("{model}, replicate {replicate}"),
        None => model.to_owned(),
    };
    Some(Change {
        model,
        figure: figure.replace('_', " "),
        old: side("old"),
        new: side("new"),
    })
}

/// Larger numbers cannot be fractions and are shown as they are stored.
const LARGEST: f64 = 1e6;

/// Ranks are counts; every other figure is a fraction.
fn shown(figure: &str, text: Option<&str>) -> String {
    let Some(text) = text.filter(|text| !text.is_empty()) else {
        return "–".to_owned();
    };
    let value = text.parse().ok();
    match value.filter(|value: &f64| value.abs() < LARGEST) {
        Some(value) if !figure.starts_with("rank") => percent(value),
        _ => text.to_owned(),
    }
}

impl Correction {
    /// One sentence with the reason and the returns that changed.
    pub fn sentence(&self) -> String {
        let returns = |change: &&Change| change.figure == "portfolio return";
        let mut named: Vec<&Change> = self.changes.iter().filter(returns).collect();
        if named.is_empty() {
            named = self.changes.iter().collect();
        }
        if named.is_empty() {
            return self.reason.clone();
        }
        let more = self.changes.len() - named.len().min(NAMED);
        let words = |change: &&Change| {
            let Change {
                model,
                figure,
                old,
                new,
            } = change;
            format!("{model}, {figure}: {old} → {new}")
        };
        let mut parts: Vec<String> = named.iter().take(NAMED).map(words).collect();
        if more > 0 {
            parts.push(count(more, "more value", "more values"));
        }
        format!("{} ({})", self.reason, parts.join("; "))
    }
}

#[cfg(test)]
mod tests;
