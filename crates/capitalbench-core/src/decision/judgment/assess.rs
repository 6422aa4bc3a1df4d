//! A raw judgment → assessments in rank order, or every reason why it is not one.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::slate::{Lane, Slate};
use crate::decision::submission::Problem;
use crate::decision::submission::mentions_link;
use crate::market::universe::Universe;
use crate::values::words::words;

/// How a model reads an option's recent return.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Interpretation {
    /// Moved too far.
    Overreaction,
    /// Moved for a reason.
    FundamentalDeterioration,
    /// Will go on.
    SupportedContinuation,
    /// Says nothing.
    NoEdge,
}

words!(Interpretation {
    Overreaction => "overreaction",
    FundamentalDeterioration => "fundamental_deterioration",
    SupportedContinuation => "supported_continuation",
    NoEdge => "no_edge",
});

/// What the rule needs of one assessed candidate.
#[derive(Debug, Clone, PartialEq)]
pub struct Assessment {
    pub option_id: String,
    /// Rank, 1 being best.
    pub rank: u64,
    /// Reading of the recent return.
    pub interpretation: Interpretation,
    /// Probability of beating the reference, in percent.
    pub p_beat_pct: f64,
}

const WILDCARDS: usize = 2;
const MECHANISMS: [&str; 5] = [
    "continuation",
    "reversal",
    "catalyst",
    "defensive",
    "no_edge",
];

/// Reads a judgment; the result is in rank order.
pub(super) fn read(
    raw: &Map<String, Value>,
    slate: &Slate,
    universe: &Universe,
) -> Result<Vec<Assessment>, Vec<Problem>> {
    let problems = header_problems(raw);
    if !problems.is_empty() {
        return Err(problems);
    }
    let at = |text: String| vec![Problem::at("candidate_assessments", text)];
    let Some(items) = raw.get("candidate_assessments").and_then(Value::as_array) else {
        return Err(at("must be a list".into()));
    };
    let size = slate.candidates().len();
    if !(size..=size + WILDCARDS).contains(&items.len()) {
        let most = size + WILDCARDS;
        return Err(at(format!(
            "has {} entries; {size} to {most} are allowed",
            items.len()
        )));
    }
    let mut problems = Vec::new();
    let mut assessments = Vec::with_capacity(items.len());
    for (index, item) in items.iter().enumerate() {
        match read_one(item, slate, universe) {
            Ok(assessment) => assessments.push(assessment),
            Err(text) => {
                problems.push(Problem::at(format!("candidate_assessments.{index}"), text));
            }
        }
    }
    if !problems.is_empty() {
        return Err(problems);
    }
    let ids: BTreeSet<&str> = assessments.iter().map(|a| a.option_id.as_str()).collect();
    if ids.len() != assessments.len() {
        return Err(at("an option is assessed twice".into()));
    }
    if let Some(missing) = slate.option_ids().into_iter().find(|id| !ids.contains(id)) {
        return Err(at(format!("{missing} of the slate is missing")));
    }
    assessments.sort_by_key(|a| a.rank);
    if !assessments
        .iter()
        .map(|a| a.rank)
        .eq(1..=assessments.len() as u64)
    {
        return Err(at("ranks must be 1, 2, 3 … without gaps".into()));
    }
    let top3 = raw.get("top3_option_ids").and_then(Value::as_array);
    let best = assessments
        .iter()
        .take(3)
        .map(|a| Some(a.option_id.as_str()));
    if !top3.is_some_and(|ids| ids.iter().map(Value::as_str).eq(best)) {
        let text = "must be the options of ranks 1, 2 and 3, in that order";
        return Err(vec![Problem::at("top3_option_ids", text)]);
    }
    Ok(assessments)
}

fn header_problems(raw: &Map<String, Value>) -> Vec<Problem> {
    let mut problems = Vec::new();
    let mut require = |holds: bool, field: &str, text: &str| {
        if !holds {
            problems.push(Problem::at(field, text));
        }
    };
    let text = |name: &str| raw.get(name).and_then(Value::as_str).map(str::trim);
    let filled = |name: &str| raw.get(name).is_some_and(is_text);
    for name in ["round_id", "model_id", "provider", "mode"] {
        require(filled(name), name, "is required");
    }
    for name in ["candidate_assessments", "top3_option_ids"] {
        let given = raw.get(name).is_some_and(|v| !v.is_null());
        require(given, name, "is required");
    }
    let state = text("dispersion_state");
    let known = matches!(state, Some("low" | "normal" | "high"));
    require(known, "dispersion_state", "must be low, normal or high");
    let pattern = text("dominant_pattern");
    let known = matches!(pattern, Some("continuation" | "reversal" | "mixed"));
    require(
        known,
        "dominant_pattern",
        "must be continuation, reversal or mixed",
    );
    let flag = raw.get("prefer_spy").is_some_and(Value::is_boolean);
    require(flag, "prefer_spy", "must be true or false");
    for name in ["market_rationale", "portfolio_rationale"] {
        require(filled(name), name, "must not be blank");
    }
    let risks = raw.get("key_risks").and_then(Value::as_array);
    let fine =
        risks.is_some_and(|risks| (2..=5).contains(&risks.len()) && risks.iter().all(is_text));
    require(fine, "key_risks", "must hold 2 to 5 texts");
    problems
}

fn is_text(value: &Value) -> bool {
    value.as_str().is_some_and(|text| !text.trim().is_empty())
}

fn read_one(item: &Value, slate: &Slate, universe: &Universe) -> Result<Assessment, String> {
    let object = item.as_object().ok_or("must be an object")?;
    let text = |name: &str| object.get(name).and_then(Value::as_str).map(str::trim);
    let option_id = text("option_id").unwrap_or_default();
    let known = universe
        .options()
        .iter()
        .any(|option| option.id.as_str() == option_id && option_id != "CASH");
    if !known {
        return Err(format!(
            "{option_id:?} is not an option that can be assessed"
        ));
    }
    check_lanes(object.get("origin_lanes"), option_id, slate)?;
    if !text("mechanism").is_some_and(|m| MECHANISMS.contains(&m)) {
        return Err(format!(
            "{option_id}: mechanism is not one of the allowed words"
        ));
    }
    let interpretation = text("recent_return_interpretation")
        .and_then(Interpretation::parse)
        .ok_or_else(|| format!("{option_id}: recent_return_interpretation is not allowed"))?;
    let real = |name: &str| {
        let value = object.get(name).and_then(Value::as_f64);
        value.ok_or_else(|| format!("{option_id}: {name} must be a number"))
    };
    for name in ["p_beat_spy_pct", "p_top3_pct"] {
        if !(0.0..=100.0).contains(&real(name)?) {
            return Err(format!("{option_id}: {name} must be 0 to 100"));
        }
    }
    let (p10, p50) = (
        real("excess_return_p10_pct")?,
        real("excess_return_p50_pct")?,
    );
    if !(p10 <= p50 && p50 <= real("excess_return_p90_pct")?) {
        return Err(format!(
            "{option_id}: excess return quantiles must not decrease"
        ));
    }
    let evidence = object.get("evidence").and_then(Value::as_array);
    let fine = evidence.is_some_and(|texts| {
        (1..=3).contains(&texts.len())
            && texts.iter().all(is_text)
            && !texts.iter().filter_map(Value::as_str).any(mentions_link)
    });
    if !fine {
        return Err(format!(
            "{option_id}: evidence must be 1 to 3 texts without links"
        ));
    }
    let rank = object.get("rank").and_then(Value::as_u64);
    Ok(Assessment {
        option_id: option_id.to_owned(),
        rank: rank.ok_or_else(|| format!("{option_id}: rank must be a whole number"))?,
        interpretation,
        p_beat_pct: real("p_beat_spy_pct")?,
    })
}

/// Lanes must be the slate's, in any order; an addition is a wildcard.
fn check_lanes(given: Option<&Value>, option_id: &str, slate: &Slate) -> Result<(), String> {
    let mut expected: Vec<&str> = match slate.get(option_id) {
        Some(candidate) => candidate.lanes.iter().copied().map(Lane::as_str).collect(),
        None => vec!["wildcard"],
    };
    let lanes = given.and_then(Value::as_array);
    let lanes: Option<Vec<&str>> =
        lanes.and_then(|lanes| lanes.iter().map(Value::as_str).collect());
    let mut lanes = lanes.unwrap_or_default();
    expected.sort_unstable();
    lanes.sort_unstable();
    if lanes == expected {
        Ok(())
    } else {
        Err(format!(
            "{option_id}: origin_lanes must be {}",
            expected.join(", ")
        ))
    }
}
