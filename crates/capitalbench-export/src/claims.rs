//! Registered claims in words and as JSON; pages, files and the terminal say the same.

use capitalbench_core::evidence::claims::METHOD;
use capitalbench_core::evidence::claims::record::{ClaimDay, ClaimRecord, Standing};
use capitalbench_core::evidence::statistics::EDGES;
use capitalbench_core::publication::Publication;
use serde_json::{Value, json};

use crate::text::percent;

/// The question of a claim.
pub fn question(publication: &Publication, claim: &ClaimRecord) -> String {
    claim.terms.question(|id| publication.name(id).to_owned())
}

/// Where a claim stands, in one sentence.
pub fn standing(claim: &ClaimRecord) -> String {
    match claim.standing {
        Standing::Waiting => format!(
            "Nothing is decided: no day of a round that entered from {} on is known yet.",
            claim.terms.first_day
        ),
        Standing::Open => format!(
            "Not decided: the evidence is {} and {} would establish it.",
            amount(claim.figures.evidence),
            amount(claim.figures.needed)
        ),
        Standing::Established(day) => format!(
            "Established on {day}, for good: the evidence has reached {}.",
            amount(claim.figures.highest)
        ),
        Standing::BoundBroken(day) => format!(
            "Not established, its bound was broken: on {day} both sides moved further apart than the \
             claim allows for."
        ),
        Standing::Over(day) => format!(
            "Not established by its last day {day}: the evidence never reached {}.",
            amount(claim.figures.needed)
        ),
    }
}

/// How many claims share the chance of an error.
pub fn family(claim: &ClaimRecord) -> String {
    let (size, registered) = (claim.terms.family, claim.registered);
    format!(
        "{registered} of at most {size} claims of {} rounds in season {} are registered; all of them \
         together have the chance {} of a false one.",
        claim.terms.track.as_str(),
        claim.terms.season,
        claim.terms.rules.alpha
    )
}

/// What it would take, where the claim is not decided.
pub fn outlook(claim: &ClaimRecord) -> Option<String> {
    if !claim.standing.is_undecided() {
        return None;
    }
    let years = EDGES.into_iter().zip(claim.figures.years_to_establish);
    let one = |(edge, years): (f64, Option<f64>)| {
        let time = years.map_or("more than 20 years".to_owned(), |years| {
            format!("{years:.1} years")
        });
        format!("{:.0} % a year takes {time}", 100.0 * edge)
    };
    let each: Vec<String> = years.map(one).collect();
    Some(format!(
        "Counted from its first day, a difference of {} until four of five such claims are \
         established.",
        each.join(", of ")
    ))
}

/// The confidence sequence for one round of the track.
pub fn sequence(claim: &ClaimRecord) -> Option<String> {
    let (low, high) = claim.sequence_per_round();
    (claim.figures.settled > 0).then(|| format!("{} to {} per round", percent(low), percent(high)))
}

/// Rounds that do not count, each with its reason.
pub fn left_out(claim: &ClaimRecord) -> Vec<String> {
    let one = claim.left_out.iter();
    one.map(|(round, why)| format!("{round} does not count: {}.", why.text()))
        .collect()
}

/// Evidence as readers see it: what one unit has grown to.
pub fn amount(evidence: f64) -> String {
    if evidence >= 1e6 {
        format!("{evidence:.1e}")
    } else if evidence >= 100.0 {
        format!("{evidence:.0}")
    } else {
        format!("{evidence:.2}")
    }
}

/// A claim for machines; with its days it holds all that a reader needs to compute it again.
pub fn as_json(publication: &Publication, claim: &ClaimRecord, days: Days) -> Value {
    let (terms, figures) = (&claim.terms, &claim.figures);
    let years = EDGES.into_iter().zip(figures.years_to_establish);
    let years = years.map(|(edge, years)| (format!("{:.0}", 100.0 * edge), json!(years)));
    let left_out = claim.left_out.iter();
    let left_out =
        left_out.map(|(round, why)| json!({"round_id": round.as_str(), "reason": why.text()}));
    let mut told = json!({
        "claim": terms.claim.as_str(),
        "method": METHOD,
        "question": question(publication, claim),
        "first": terms.first.as_str(),
        "second": terms.second.as_str(),
        "track": terms.track.as_str(),
        "side": terms.rules.side.as_str(),
        "alpha": terms.rules.alpha,
        "scale": terms.rules.scale,
        "spread": terms.rules.spread,
        "first_day": terms.first_day.to_string(),
        "last_day": terms.last_day.map(|day| day.to_string()),
        "season": terms.season.to_string(),
        "family": terms.family,
        "family_registered": claim.registered,
        "registered_at": terms.registered_at.to_string(),
        "leaf": claim.leaf,
        "state": claim.standing.as_str(),
        "state_day": claim.standing.day().map(|day| day.to_string()),
        "evidence": figures.evidence,
        "highest_evidence": figures.highest,
        "needed_evidence": figures.needed,
        "p_value": figures.p_value,
        "running_evidence": figures.running,
        "symmetric_evidence": figures.symmetric,
        "sequence_per_day": figures.sequence,
        "sequence_per_round": claim.sequence_per_round(),
        "daily_deviation": figures.deviation,
        "years_to_establish": Value::Object(years.collect()),
        "settled_days": figures.settled,
        "rounds": claim.rounds.iter().map(capitalbench_core::values::ids::RoundId::as_str).collect::<Vec<_>>(),
        "left_out": left_out.collect::<Vec<_>>(),
    });
    if days == Days::All {
        told["days"] = figures.days.iter().map(day_json).collect();
    }
    told
}

/// How much of a claim its JSON holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Days {
    All,
    None,
}

fn day_json(day: &ClaimDay) -> Value {
    json!({
        "day": day.increment.day.to_string(),
        "difference": day.increment.difference,
        "distance": day.increment.distance,
        "evidence": day.evidence,
        "settled": day.settled,
    })
}
