//! What the log proves about a round and what it does not, in words that can be quoted.

use capitalbench_archive::verify::{LogReport, Moment, RoundProof, RoundReport, Severity};
use capitalbench_archive::verify::{SlotCount, Verdict, Voucher};
use jiff::Timestamp;
use serde_json::{Value, json};

use super::{finding_json, witnesses};
use crate::console::{BOLD, DIM, ERROR, GOOD, WARNING, line, paint, plural};

/// How far a round is proved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Level {
    /// Something does not hold.
    Broken,
    /// The operator signed it, and no outside clock shows when.
    Signed,
    /// Outside clocks show when; only the operator vouches for them.
    Stamped,
    /// Outside clocks that the reader vouches for show when.
    Proved,
}

impl Level {
    fn of(round: &RoundReport, proof: &RoundProof, log: &LogReport) -> Self {
        if round.verdict() == Verdict::DoesNotHold || log.count(Severity::Error) > 0 {
            Self::Broken
        } else if proof.is_vouched() {
            Self::Proved
        } else if proof.is_stamped() {
            Self::Stamped
        } else {
            Self::Signed
        }
    }

    fn as_str(self) -> &'static str {
        match self {
            Self::Broken => "NOT PROVED",
            Self::Signed => "SIGNED",
            Self::Stamped => "STAMPED",
            Self::Proved => "PROVED",
        }
    }
}

/// The proof of a round for programs.
pub(super) fn as_json(round: &RoundReport, log: &LogReport) -> Option<Value> {
    let proof = round.proof.as_ref()?;
    let moment = |moment: &Option<Moment>| {
        moment.as_ref().map(|moment| {
            json!({
                "leaf": moment.leaf,
                "at_utc": moment.at.to_string(),
                "before_utc": moment.before().map(|at| at.to_string()),
                "authorities": moment.stamps.iter().map(|seen| &seen.stamp.authority)
                    .collect::<Vec<_>>(),
            })
        })
    };
    let slots = proof.slots.as_ref().map(|slots| {
        json!({
            "slots": slots.slots,
            "valid": slots.valid,
            "invalid": slots.invalid,
            "failed": slots.failed,
            "open": slots.open,
            "retries": slots.retries,
        })
    });
    Some(json!({
        "level": Level::of(round, proof, log).as_str().to_lowercase().replace(' ', "-"),
        "freeze": moment(&proof.freeze),
        "first_call": moment(&proof.first_call),
        "last_answer": moment(&proof.last_call),
        "picks": moment(&proof.picks),
        "score": moment(&proof.score),
        "earlier_score": moment(&proof.earlier_score),
        "vouched_by": match log.voucher {
            Voucher::Reader => "reader",
            Voucher::PublicList => "public-list",
        },
        "authorities": proof.authorities().iter()
            .map(|(name, vouched)| json!({"name": name, "vouched": vouched}))
            .collect::<Vec<_>>(),
        "slots": slots,
        "runs": proof.runs,
        "events": proof.events,
        "corrections": proof.corrections,
        "files_compared": proof.opened,
        "files_withheld": proof.withheld,
        "not_proved": not_proved(proof, log),
    }))
}

/// The log for programs.
pub(super) fn log_as_json(log: &LogReport) -> Value {
    let state = log.state.as_ref();
    json!({
        "origin": state.map(|own| &own.origin),
        "size": state.map(|own| own.size),
        "root": state.map(|own| own.root.to_base64()),
        "checkpoints": log.checkpoints,
        "continues": log.continued,
        "stamps": log.stamps.len(),
        "witnesses": witnesses::as_json(&log.witnessed),
        "findings": log.findings.iter().map(finding_json).collect::<Vec<_>>(),
    })
}

/// One line about the log.
pub(super) fn print_log(log: &LogReport) {
    let Some(state) = &log.state else {
        return line(paint(ERROR, "log: nothing in it can be checked"));
    };
    let broken = log.count(Severity::Error);
    let word = if broken == 0 {
        paint(GOOD, "every leaf recomputed, signature holds")
    } else {
        paint(ERROR, "does not hold")
    };
    let continued = match log.continued {
        0 => String::new(),
        count => format!(", continues {} you kept", plural(count, "checkpoint")),
    };
    let size = usize::try_from(state.size).unwrap_or(usize::MAX);
    let leaves = plural(size, "leaf").replace("leafs", "leaves");
    line(format!(
        "log: {}, {leaves}: {word}{continued}",
        state.origin
    ));
    witnesses::print(&log.witnessed, state.size);
    for claim in &log.claims {
        let text = capitalbench_export::claims::standing(claim);
        line(format!("claim {}: {text}", claim.terms.claim));
    }
}

/// The lines of a round, after its findings.
pub(super) fn print(round: &RoundReport, log: &LogReport) {
    let Some(proof) = &round.proof else {
        return;
    };
    let level = Level::of(round, proof, log);
    let style = match level {
        Level::Broken => ERROR,
        Level::Signed | Level::Stamped => WARNING,
        Level::Proved => GOOD,
    };
    line("");
    let (id, word) = (paint(BOLD, &round.round_id), paint(style, level.as_str()));
    line(format!("{id}  {word}{}", vouchers(level, proof, log)));
    let row = |name: &str, text: String| line(format!("  {name:<19} {text}"));
    if let Some(freeze) = &proof.freeze {
        row("inputs frozen", clock(freeze));
    }
    if let Some(first) = &proof.first_call {
        let after = proof.freeze.as_ref().map(|freeze| freeze.leaf < first.leaf);
        let word = match after {
            Some(true) => "after the freeze",
            Some(false) => "BEFORE THE FREEZE",
            None => "no freeze is in the log",
        };
        row("first call", format!("{}   {word}", first.at));
    }
    if let Some(slots) = &proof.slots {
        row(&format!("{} slots", slots.slots), slot_words(slots, proof));
    }
    if let Some(picks) = &proof.picks {
        row(
            "picks committed",
            format!("{}{}", clock(picks), entry(picks, proof)),
        );
    }
    if let Some(score) = &proof.score {
        row("scores", score_words(score, round, proof));
    }
    let all = proof.opened + proof.withheld;
    row(
        "files",
        format!("{} of {all} compared with the log", proof.opened),
    );
    for text in not_proved(proof, log) {
        row("not proved", paint(DIM, text));
    }
}

fn score_words(score: &Moment, round: &RoundReport, proof: &RoundProof) -> String {
    let corrected = match proof.corrections {
        0 => String::new(),
        count => format!(", {}", plural(count, "correction")),
    };
    let word = if round.count(Severity::Error) == 0 {
        "recomputed, identical"
    } else {
        "see the errors above"
    };
    let earlier = match &proof.earlier_score {
        None => String::new(),
        Some(first) => format!(", in place of a result of {}", first.at),
    };
    format!("{}   {word}{corrected}{earlier}", score.at)
}

/// Who stamped the round, and who vouches for them.
fn vouchers(level: Level, proof: &RoundProof, log: &LogReport) -> String {
    let named = |vouched: bool| {
        let own = proof.authorities().into_iter();
        let names = own.filter(|(_, own)| *own == vouched);
        let names: Vec<String> = names.map(|(name, _)| format!("{name:?}")).collect();
        names.join(" and ")
    };
    match level {
        Level::Broken | Level::Signed => String::new(),
        Level::Proved => match log.voucher {
            Voucher::Reader => format!("  by {}, whom you vouch for", named(true)),
            Voucher::PublicList => {
                format!("  by {}, on the list of public authorities", named(true))
            }
        },
        Level::Stamped => format!(
            "  by {}, an authority you have not vouched for (--tsa-root FILE)",
            named(false)
        ),
    }
}

fn clock(moment: &Moment) -> String {
    match moment.before() {
        None => format!("{}   by the operator's clock", moment.at),
        Some(before) => format!(
            "{}   before {before} by {}",
            moment.at,
            plural(moment.stamps.len(), "outside clock")
        ),
    }
}

fn entry(picks: &Moment, proof: &RoundProof) -> String {
    let at = picks.before().unwrap_or(picks.at);
    let told = |close: Timestamp| {
        let word = if at < close { "before" } else { "AFTER" };
        format!(", {word} the entry close {close}")
    };
    proof.entry_close.map(told).unwrap_or_default()
}

fn slot_words(slots: &SlotCount, proof: &RoundProof) -> String {
    let retries: usize = slots.retries.values().sum();
    let reasons: Vec<&str> = slots.retries.keys().map(String::as_str).collect();
    let reasons = match reasons.as_slice() {
        [] => String::new(),
        some => format!(" ({})", some.join(", ")),
    };
    let open = match slots.open {
        0 => "all closed".to_owned(),
        count => format!("{count} OPEN"),
    };
    format!(
        "{open}: {} valid, {} invalid, {} failed, {}{reasons}, in {} that asked anybody",
        slots.valid,
        slots.invalid,
        slots.failed,
        plural(retries, "retry").replace("retrys", "retries"),
        plural(proof.runs, "run"),
    )
}

/// What nobody can show with this log, however honest it is.
fn not_proved(proof: &RoundProof, log: &LogReport) -> Vec<&'static str> {
    let mut told = vec![
        "that the provider served the model it named",
        "that nobody was asked outside of this log, on a copy of the folder and its key",
        "that universe and roster were chosen with no outcome in mind; they are fixed by the freeze",
    ];
    if log.continued == 0 && !(log.witnessed.vouched && log.witnessed.quorum_at().is_some()) {
        told.push(
            "that this is the only log of its name; keep its checkpoint and give it with --since",
        );
    }
    if proof.score.is_some() {
        told.push("that prices are those of the market; the operator chose the vendor");
    }
    if !proof.is_stamped() {
        told.push("the instants: they are the operator's word; only their order is proved");
    } else if !proof.is_vouched() {
        told.push("the instants: the operator chose the clocks; you vouch for none of them");
    }
    if proof.withheld > 0 {
        told.push("that withheld files are what the log sealed");
    }
    told
}
