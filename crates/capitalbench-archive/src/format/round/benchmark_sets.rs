//! `benchmark_sets.yaml`: the operator's comparison sets, and how many shared rounds qualify a set.

use std::collections::BTreeSet;

use capitalbench_core::publication::boards::comparison_set::{
    Origin, RosterRule, SetDefinition, SetPolicy,
};
use capitalbench_core::round::manifest::Track;
use capitalbench_core::values::ids::{ModelId, RoundId};
use serde::Deserialize;

use crate::disk::error::Fault;
use crate::format::utf8;
use capitalbench_core::encoding::yaml::from_yaml;

const VERSION: &str = "benchmark_sets_v1";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Stored {
    version: String,
    qualification_thresholds: Option<Thresholds>,
    #[serde(default)]
    sets: Vec<StoredSet>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Thresholds {
    weekly: usize,
    monthly: usize,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredSet {
    set_id: String,
    track: String,
    label: Option<String>,
    #[serde(rename = "short_label")]
    _short_label: Option<String>,
    #[serde(rename = "description")]
    _description: Option<String>,
    started_round_id: RoundId,
    model_ids: BTreeSet<ModelId>,
    roster_policy: Option<String>,
    #[serde(rename = "model_roster_version")]
    _model_roster_version: Option<String>,
}

/// Reads the policy; unknown keys, repeated names and empty rosters are refused.
pub fn parse(bytes: &[u8]) -> Result<SetPolicy, Fault> {
    let stored: Stored = from_yaml(utf8(bytes)?)?;
    if stored.version != VERSION {
        return Err(Fault::field("version", format!("must be {VERSION}")));
    }
    let mut policy = SetPolicy::default();
    if let Some(thresholds) = stored.qualification_thresholds {
        if thresholds.weekly == 0 || thresholds.monthly == 0 {
            let text = "a set needs at least one shared round to qualify";
            return Err(Fault::field("qualification_thresholds", text));
        }
        policy.weekly_rounds = thresholds.weekly;
        policy.monthly_rounds = thresholds.monthly;
    }
    let mut names = BTreeSet::new();
    for (place, set) in stored.sets.into_iter().enumerate() {
        let definition = definition(place, set)?;
        if !names.insert(definition.set_id.clone()) {
            let text = format!("{} appears twice", definition.set_id);
            return Err(Fault::field(format!("sets.{place}.set_id"), text));
        }
        policy.sets.push(definition);
    }
    Ok(policy)
}

fn definition(place: usize, set: StoredSet) -> Result<SetDefinition, Fault> {
    let fault = |field: &str, text: &str| Fault::field(format!("sets.{place}.{field}"), text);
    let track = match set.track.as_str() {
        "weekly" => Track::Weekly,
        "monthly" => Track::Monthly,
        _ => return Err(fault("track", "must be weekly or monthly")),
    };
    let rule = match set.roster_policy.as_deref() {
        None | Some("contains") => RosterRule::Contains,
        Some("frozen") => RosterRule::Frozen,
        Some(_) => return Err(fault("roster_policy", "must be contains or frozen")),
    };
    if set.set_id.trim().is_empty() || set.model_ids.is_empty() {
        return Err(fault("model_ids", "a set needs a name and a model"));
    }
    Ok(SetDefinition {
        label: set.label.unwrap_or_else(|| set.set_id.clone()),
        set_id: set.set_id,
        track,
        started_round_id: set.started_round_id,
        model_ids: set.model_ids.into_iter().collect(),
        rule,
        origin: Origin::Policy,
    })
}

#[cfg(test)]
mod tests;
