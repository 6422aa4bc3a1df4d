use super::*;
use crate::asking::run::{RunKind, RunRules};
use crate::decision::submission::{PayloadForm, RoundRules, Submission, validate};
use crate::round::manifest::Manifest;
use crate::test_support::{manifest, payload_base, set, universe_of, unset};

mod check;
mod construction;
mod slate;

/// Thirteen lane options, two that are on no lane, the reference and cash.
pub(super) const OPTIONS: [&str; 17] = [
    "A01", "A02", "A03", "A04", "A05", "A06", "A07", "A08", "A09", "A10", "A11", "A12", "A13",
    "A14", "A15", "SP500", "CASH",
];

/// A01 to A13, then the reference: fourteen candidates.
///
/// A01 is also there for its quality and A02 for its volume.
pub(super) fn slate() -> Slate {
    let row = |id: &str, active: f64, prior: f64, volume: f64| ContextRow {
        option_id: id.to_owned(),
        active: Some(active),
        prior: Some(prior),
        volume: Some(volume),
    };
    let rows = [
        row("A01", -0.9, 0.0, 0.0),
        row("A02", -0.8, 0.0, -5.0),
        row("A03", -0.7, 0.0, 0.0),
        row("A04", -0.6, 0.0, 0.0),
        row("A05", -0.5, 0.0, 0.0),
        row("A06", 0.0, 0.3, 0.0),
        row("A07", 0.0, 0.2, 0.0),
        row("A08", 0.0, 0.1, 0.0),
        row("A09", 0.9, 0.0, 0.0),
        row("A10", 0.8, 0.0, 0.0),
        row("A11", 0.1, 0.0, 0.0),
        row("A12", 0.1, 0.0, 0.0),
        row("A13", 0.1, 0.0, 4.0),
        row("A14", 0.1, 0.0, 0.0),
    ];
    let quality = [("A11", 0.9), ("A12", 0.8), ("A01", 0.7), ("A14", 0.6)];
    let quality = quality.map(|(id, score)| (id.to_owned(), score)).into();
    Slate::new(&rows, &quality, 1.0).unwrap()
}

pub(super) fn assessment(id: &str, rank: usize, lanes: &[&str]) -> Value {
    json!({
        "option_id": id,
        "origin_lanes": lanes,
        "rank": rank,
        "mechanism": "no_edge",
        "recent_return_interpretation": "no_edge",
        "p_beat_spy_pct": 50,
        "p_top3_pct": 20,
        "excess_return_p10_pct": -2.0,
        "excess_return_p50_pct": 0,
        "excess_return_p90_pct": 2.0,
        "evidence": ["a fact"],
    })
}

/// A valid judgment that ranks the candidates in slate order and finds no edge.
pub(super) fn judgment() -> Value {
    let slate = slate();
    let assessments = slate.candidates().iter().zip(1..).map(|(candidate, rank)| {
        let lanes: Vec<&str> = candidate.lanes.iter().map(|lane| lane.as_str()).collect();
        assessment(&candidate.option_id, rank, &lanes)
    });
    let mut payload = payload_base();
    for (name, value) in [
        ("candidate_assessments", assessments.collect::<Value>()),
        ("top3_option_ids", json!(["A01", "A02", "A03"])),
        ("dispersion_state", json!("normal")),
        ("dominant_pattern", json!("mixed")),
        ("prefer_spy", json!(false)),
        ("market_rationale", json!(" calm ")),
        ("portfolio_rationale", json!("by rule")),
        ("key_risks", json!(["one", "two"])),
    ] {
        set(&mut payload, name, value);
    }
    payload
}

/// Adds options that are not on the slate, ranked last.
pub(super) fn with_wildcards(ids: &[&str]) -> Value {
    let mut payload = judgment();
    let list = payload["candidate_assessments"].as_array_mut().unwrap();
    for id in ids {
        let rank = list.len() + 1;
        list.push(assessment(id, rank, &["wildcard"]));
    }
    payload
}

pub(super) fn judgment_round() -> Manifest {
    let mut manifest = manifest("portfolio-v3.0");
    manifest.constraints.max_holdings = 3;
    manifest
}

pub(super) fn judged(payload: &Value) -> Result<Submission, String> {
    judged_with(payload, Some(&slate()), PayloadForm::Raw)
}

pub(super) fn judged_with(
    payload: &Value,
    slate: Option<&Slate>,
    stage: PayloadForm,
) -> Result<Submission, String> {
    let (manifest, universe) = (judgment_round(), universe_of(&OPTIONS));
    let rules = RoundRules {
        manifest: &manifest,
        universe: &universe,
        slate,
        run: RunRules {
            kind: RunKind::Official,
            replicates: 1,
        },
    };
    validate(payload, stage, &rules).map_err(|problems| {
        let texts: Vec<String> = problems.iter().map(ToString::to_string).collect();
        texts.join(" | ")
    })
}
