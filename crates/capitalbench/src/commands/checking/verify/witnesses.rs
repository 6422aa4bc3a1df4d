//! Who cosigned the log, and whether as many did as the rule asks for.

use capitalbench_archive::verify::{SeenCosignature, Witnessed};
use serde_json::{Value, json};

use crate::console::{DIM, GOOD, WARNING, line, paint};

/// Null where nobody names a witness.
pub(super) fn as_json(witnessed: &Witnessed) -> Value {
    if witnessed.rule.is_empty() {
        return Value::Null;
    }
    let one = |(name, last): (&str, Option<&SeenCosignature>)| {
        json!({
            "name": name,
            "size": last.map(|seen| seen.size),
            "at_utc": last.map(|seen| seen.at.to_string()),
        })
    };
    json!({
        "needed": witnessed.rule.quorum(),
        "named_by": if witnessed.vouched { "reader" } else { "operator" },
        "quorum_at": witnessed.quorum_at(),
        "of": witnessed.newest().into_iter().map(one).collect::<Vec<_>>(),
    })
}

/// A line for the rule, and one for each witness.
pub(super) fn print(witnessed: &Witnessed, size: u64) {
    if witnessed.rule.is_empty() {
        return;
    }
    let named = witnessed.rule.keys().len();
    let whose = if witnessed.vouched {
        "whom you name"
    } else {
        "whom the operator names; name your own with --witnesses FILE"
    };
    let text = match (witnessed.rule.quorum(), witnessed.quorum_at()) {
        (None, _) => format!("{named} named, and nobody says how many must cosign"),
        (Some(needed), None) => paint(
            WARNING,
            format!("{needed} of {named} must cosign, and never so many did"),
        ),
        (Some(needed), Some(at)) => paint(
            GOOD,
            format!("{needed} of {named} must cosign, and did up to entry {at} of {size}"),
        ),
    };
    line(format!("witnesses: {text} ({whose})"));
    for (name, last) in witnessed.newest() {
        let text = match last {
            None => paint(DIM, "never cosigned"),
            Some(seen) => format!("cosigned {} entries at {}", seen.size, seen.at),
        };
        line(format!("  {name}: {text}"));
    }
}
