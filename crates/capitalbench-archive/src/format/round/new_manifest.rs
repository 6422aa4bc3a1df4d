//! A new [`Manifest`] as YAML; it is written once, and a hashed file is never rewritten.

use capitalbench_core::asking::lanes::Lanes;
use capitalbench_core::decision::portfolio::Constraints;
use capitalbench_core::market::calendar::Market;
use capitalbench_core::round::failure_policy::FailurePolicy;
use capitalbench_core::round::manifest::{Manifest, Stream, SubmissionFormat};
use capitalbench_core::values::time::WrittenInstant;
use jiff::civil::Date;

use crate::format::round::{controls, publish};
use crate::format::text::scalar::yaml_text;

/// The text of a new manifest; it is written once and read back before it is used.
pub fn render(manifest: &Manifest, description: &str, notes: &str) -> String {
    let mut lines: Vec<String> = Vec::new();
    let mut put = |key: &str, value: String| lines.push(format!("{key}: {value}"));
    let quoted =
        |value: Option<String>| value.map_or_else(|| "null".to_owned(), |v| format!("'{v}'"));
    let day = |day: Option<Date>| quoted(day.map(|day| day.to_string()));
    let stamp = |stamp: Option<&WrittenInstant>| quoted(stamp.map(WrittenInstant::to_string));
    put("round_id", yaml_text(manifest.round_id.as_str()));
    put("title", yaml_text(&manifest.title));
    put("description", yaml_text(description));
    put("decision_date", day(manifest.decision_date));
    put(
        "decision_deadline",
        stamp(manifest.decision_deadline.as_ref()),
    );
    put("horizon", yaml_text(&manifest.horizon));
    if let Some(label) = manifest.methodology.label() {
        put("methodology_version", yaml_text(label));
    }
    if let Some(version) = &manifest.universe_version {
        put("universe_version", yaml_text(version));
    }
    lines.extend(market_lines(manifest.market));
    let mut put = |key: &str, value: String| lines.push(format!("{key}: {value}"));
    put("submission_format", manifest.format.as_str().to_owned());
    if manifest.format == SubmissionFormat::Portfolio {
        lines.push("portfolio_constraints:".to_owned());
        for (key, value) in limits(&manifest.constraints) {
            lines.push(format!("  {key}: {value}"));
        }
    }
    lines.extend(roster_lines(manifest));
    let mut put = |key: &str, value: String| lines.push(format!("{key}: {value}"));
    if manifest.stream != Stream::Primary {
        put("publication_stream", manifest.stream.as_str().to_owned());
    }
    if !manifest.proof.is_none() {
        put("proof", manifest.proof.as_str().to_owned());
    }
    lines.extend(origin_lines(manifest));
    lines.extend(manifest.failure_policy.into_iter().flat_map(policy_lines));
    lines.extend(controls::lines(&manifest.controls));
    lines.extend(manifest.lanes.iter().flat_map(lane_lines));
    lines.extend(publish::lines(manifest.publish));
    let mut put = |key: &str, value: String| lines.push(format!("{key}: {value}"));
    if let Some(rule) = &manifest.window_rule {
        put("window_rule", yaml_text(&rule.to_string()));
    }
    put("entry_rule", yaml_text(&manifest.entry_rule));
    put("exit_rule", yaml_text(&manifest.exit_rule));
    put(
        "entry_date",
        day(manifest.window.map(|window| window.entry)),
    );
    put("exit_date", day(manifest.window.map(|window| window.exit)));
    put("created_at", stamp(manifest.created_at.as_ref()));
    put("notes", yaml_text(notes));
    lines.push(String::new());
    lines.join("\n")
}

fn policy_lines(policy: FailurePolicy) -> [String; 3] {
    [
        "failure_policy:".to_owned(),
        format!("  accept_from_pct: {}", policy.accept_from_pct),
        format!("  at_least: {}", policy.at_least),
    ]
}

fn lane_lines(lanes: &Lanes) -> [String; 4] {
    let twins: Vec<&str> = lanes.twins.iter().map(|lane| lane.as_str()).collect();
    [
        "lanes:".to_owned(),
        format!("  twins: [{}]", twins.join(", ")),
        format!("  base: {}", lanes.base),
        format!("  twin: {}", lanes.twin),
    ]
}

/// Rounds of New York name no market, as before there were others.
fn market_lines(market: Market) -> Vec<String> {
    if market == Market::default() {
        return Vec::new();
    }
    if !market.is_own() {
        return vec![format!("market: {}", yaml_text(market.id()))];
    }
    let own = market.file().yaml_lines(yaml_text);
    let own = own.iter().map(|line| format!("  {line}"));
    std::iter::once("own_market:".to_owned())
        .chain(own)
        .collect()
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
    let largest = origins.largest_daily_move_bps.iter();
    lines.extend(largest.map(|bps| format!("largest_daily_move_bps: {bps}")));
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
