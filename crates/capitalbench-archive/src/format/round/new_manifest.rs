//! A new [`Manifest`] as YAML; it is written once, and a hashed file is never rewritten.

use capitalbench_core::decision::portfolio::Constraints;
use capitalbench_core::round::manifest::{Manifest, Stream, SubmissionFormat};
use capitalbench_core::values::time::Stamp;

use crate::format::text::scalar::yaml_text;

/// The text of a new manifest; it is written once and read back before it is used.
pub fn render(manifest: &Manifest, description: &str, notes: &str) -> String {
    let mut lines: Vec<String> = Vec::new();
    let quoted =
        |value: Option<String>| value.map_or_else(|| "null".to_owned(), |v| format!("'{v}'"));
    lines.push(format!(
        "round_id: {}",
        yaml_text(manifest.round_id.as_str())
    ));
    lines.push(format!("title: {}", yaml_text(&manifest.title)));
    lines.push(format!("description: {}", yaml_text(description)));
    lines.push(format!(
        "decision_date: {}",
        quoted(manifest.decision_date.map(|day| day.to_string()))
    ));
    let deadline = manifest.decision_deadline.as_ref().map(Stamp::to_string);
    lines.push(format!("decision_deadline: {}", quoted(deadline)));
    lines.push(format!("horizon: {}", yaml_text(&manifest.horizon)));
    if let Some(label) = manifest.methodology.label() {
        lines.push(format!("methodology_version: {}", yaml_text(label)));
    }
    if let Some(version) = &manifest.universe_version {
        lines.push(format!("universe_version: {}", yaml_text(version)));
    }
    lines.push(format!("submission_format: {}", manifest.format.as_str()));
    if manifest.format == SubmissionFormat::Portfolio {
        lines.push("portfolio_constraints:".to_owned());
        for (key, value) in limits(&manifest.constraints) {
            lines.push(format!("  {key}: {value}"));
        }
    }
    lines.extend(roster_lines(manifest));
    if manifest.stream != Stream::Primary {
        lines.push(format!("publication_stream: {}", manifest.stream.as_str()));
    }
    if !manifest.proof.is_none() {
        lines.push(format!("proof: {}", manifest.proof.as_str()));
    }
    lines.extend(origin_lines(manifest));
    if let Some(rule) = &manifest.window_rule {
        lines.push(format!("window_rule: {}", yaml_text(&rule.to_string())));
    }
    lines.push(format!("entry_rule: {}", yaml_text(&manifest.entry_rule)));
    lines.push(format!("exit_rule: {}", yaml_text(&manifest.exit_rule)));
    lines.push(format!(
        "entry_date: {}",
        quoted(manifest.window.map(|window| window.entry.to_string()))
    ));
    lines.push(format!(
        "exit_date: {}",
        quoted(manifest.window.map(|window| window.exit.to_string()))
    ));
    lines.push(format!(
        "created_at: {}",
        quoted(manifest.created_at.as_ref().map(Stamp::to_string))
    ));
    lines.push(format!("notes: {}", yaml_text(notes)));
    lines.push(String::new());
    lines.join("\n")
}

fn roster_lines(manifest: &Manifest) -> Vec<String> {
    let Some(roster) = &manifest.roster else {
        return Vec::new();
    };
    let mut lines = vec![
        format!("model_roster_version: {}", yaml_text(&roster.version)),
        format!("model_roster_frozen_at_utc: '{}'", roster.frozen_at),
        "expected_model_ids:".to_owned(),
    ];
    let ids = roster.model_ids.iter();
    lines.extend(ids.map(|id| format!("- {}", yaml_text(id.as_str()))));
    lines
}

fn origin_lines(manifest: &Manifest) -> Vec<String> {
    let origins = &manifest.origins;
    let named = [
        ("price_source", &origins.price_source),
        ("second_price_source", &origins.second_price_source),
    ];
    let mut lines: Vec<String> = named
        .iter()
        .filter_map(|(key, value)| Some(format!("{key}: {}", yaml_text(value.as_deref()?))))
        .collect();
    if !origins.provider_hosts.is_empty() {
        lines.push("provider_hosts:".to_owned());
    }
    let hosts = origins.provider_hosts.iter();
    lines.extend(hosts.map(|host| format!("- {}", yaml_text(host))));
    lines
}

fn limits(limits: &Constraints) -> [(&'static str, String); 7] {
    [
        ("min_holdings", limits.min_holdings.to_string()),
        ("max_holdings", limits.max_holdings.to_string()),
        ("allocation_increment_pct", limits.increment_pct.to_string()),
        ("min_allocation_pct", limits.min_allocation_pct.to_string()),
        ("max_total_allocation_pct", "100".to_owned()),
        ("allow_cash", limits.allow_cash.to_string()),
        ("allow_benchmark_asset", limits.allow_reference.to_string()),
    ]
}
