//! `anchor`: outside clocks stamp the newest signed state of the log, and witnesses cosign it.

use capitalbench_operations::proof::anchor::{Anchored, Asked, NO_ROOT, Said, anchor};
use capitalbench_operations::proof::clocks::{Clocks, RootFile};
use capitalbench_operations::proof::witnesses::{AskedWitness, Cosigned, Cosigning};
use capitalbench_operations::syncing::store::whole::require_in_store;
use serde_json::{Value, json};

use super::keys::log_of;
use crate::cli::Anchor;
use crate::config::operator;
use crate::console::{ERROR, GOOD, WARNING, line, next_step, paint, show};
use crate::error::{Error, Exit};

pub(crate) fn run(arguments: &Anchor) -> Result<Exit, Error> {
    let log = log_of(&arguments.rounds.folder)?;
    let operator = operator(arguments.now.instant)?;
    // Whatever no flag names is taken from the configuration.
    let mut clocks = Clocks::configured(&operator.configuration)?;
    if !arguments.authorities.is_empty() || !arguments.calendars.is_empty() {
        clocks.authorities.clone_from(&arguments.authorities);
        clocks.calendars.clone_from(&arguments.calendars);
        clocks.roots.clear();
    }
    if !arguments.witnesses.is_empty() {
        clocks.witnesses.of.clone_from(&arguments.witnesses);
        clocks.witnesses.quorum = None;
    }
    if arguments.quorum.is_some() {
        clocks.witnesses.quorum = arguments.quorum;
    }
    if clocks.is_empty() {
        let text = "no outside clock and no witness is named";
        let hint = "give --tsa URL, --ots URL or --witness KEY=URL, or set CAPITALBENCH_TSA_URLS";
        return Err(Error::new(text).hint(hint));
    }
    for file in &arguments.roots {
        clocks.roots.push(RootFile::read(file)?);
    }
    require_in_store(&arguments.rounds.folder)?;
    let anchored = anchor(&operator, &log, &clocks)?;
    show(|| as_json(&anchored), || print(&anchored));
    Ok(Exit::of(anchored.holds()))
}

/// What became of a signed state, for machines.
fn as_json(anchored: &Anchored) -> Value {
    let one = |asked: &Asked| {
        let (stamp, reason) = match &asked.said {
            Said::Stamped { stamp, .. } => (Some(stamp), None),
            Said::Promised { .. } => (None, None),
            Said::Refused(reason) => (None, Some(reason)),
        };
        json!({
            "kind": asked.kind.as_str(),
            "url": asked.url,
            "state": word(&asked.said, anchored.rooted),
            "before": stamp.map(|stamp| stamp.before.to_string()),
            "authority": stamp.map(|stamp| &stamp.authority),
            "reason": reason,
        })
    };
    let witness = |asked: &AskedWitness| {
        let (state, at, reason) = match &asked.said {
            Cosigning::Signed { at, is_new: true } => ("cosigned", Some(at), None),
            Cosigning::Signed { at, .. } => ("kept", Some(at), None),
            Cosigning::Refused(reason) => ("refused", None, Some(reason)),
        };
        json!({
            "name": asked.name,
            "url": asked.url,
            "state": state,
            "at": at.map(ToString::to_string),
            "reason": reason,
        })
    };
    let cosigned = &anchored.cosigned;
    json!({
        "size": anchored.size,
        "anchored": anchored.holds(),
        "rooted": anchored.rooted,
        "clocks": anchored.asked.iter().map(one).collect::<Vec<_>>(),
        "witnesses": cosigned.asked.iter().map(witness).collect::<Vec<_>>(),
        "quorum": (!cosigned.asked.is_empty()).then(|| json!({
            "needed": cosigned.quorum,
            "signed": cosigned.signed(),
            "holds": cosigned.holds(),
        })),
    })
}

/// What a clock did, in a word.
fn word(said: &Said, rooted: bool) -> &'static str {
    match said {
        Said::Stamped { .. } if !rooted => "unvouched",
        Said::Stamped { is_new: true, .. } => "stamped",
        Said::Promised { is_new: true } => "promised",
        Said::Stamped { .. } | Said::Promised { .. } => "kept",
        Said::Refused(_) => "refused",
    }
}

/// The same for people.
fn print(anchored: &Anchored) {
    line(format!("state of {} events", anchored.size));
    for asked in &anchored.asked {
        let (style, text) = match &asked.said {
            Said::Stamped { .. } if !anchored.rooted => (WARNING, NO_ROOT.to_owned()),
            Said::Stamped { stamp, .. } => {
                let (before, authority) = (stamp.before, &stamp.authority);
                (GOOD, format!("existed before {before}, says {authority}"))
            }
            Said::Promised { .. } => {
                let text = "will be in the chain; `ots upgrade` completes the proof";
                (GOOD, text.to_owned())
            }
            Said::Refused(reason) => (ERROR, reason.clone()),
        };
        let word = paint(style, word(&asked.said, anchored.rooted));
        line(format!("  {word}  {}: {text}", asked.url));
    }
    print_witnesses(&anchored.cosigned);
    if !anchored.asked.is_empty() && !anchored.is_stamped() {
        let next = if anchored.rooted {
            "no clock stamped it; try again, or name other clocks with --tsa URL"
        } else {
            "get the root certificate of an authority and run this again with --tsa-root FILE"
        };
        next_step(next);
    }
    if !anchored.cosigned.holds() {
        next_step("ask the witnesses again later; stamps and cosignatures that hold are kept");
    }
}

fn print_witnesses(cosigned: &Cosigned) {
    for asked in &cosigned.asked {
        let (style, word, text) = match &asked.said {
            Cosigning::Signed { at, is_new: true } => (GOOD, "cosigned", format!("at {at}")),
            Cosigning::Signed { at, .. } => (GOOD, "kept", format!("cosigned at {at}")),
            Cosigning::Refused(reason) => (ERROR, "refused", reason.clone()),
        };
        line(format!("  {}  {}: {text}", paint(style, word), asked.name));
    }
    if !cosigned.asked.is_empty() {
        let (signed, of, needed) = (cosigned.signed(), cosigned.asked.len(), cosigned.quorum);
        let word = if cosigned.holds() {
            paint(GOOD, "the quorum holds")
        } else {
            paint(ERROR, "the quorum does not hold")
        };
        line(format!(
            "{word}: {signed} of {of} witnesses cosigned, {needed} must"
        ));
    }
}
