//! `anchor`: outside clocks stamp the newest signed state of the log.

use capitalbench_archive::store::checkout::Checkout;
use capitalbench_operations::proof::anchor::{Anchored, Asked, NO_ROOT, Said, anchor};
use capitalbench_operations::proof::clocks::{Clocks, RootFile};
use capitalbench_proof::note::Checked;
use jiff::Timestamp;
use serde_json::{Value, json};

use super::keys::log_of;
use crate::cli::Anchor;
use crate::config::operator;
use crate::console::{ERROR, GOOD, WARNING, line, next_step, paint, show};
use crate::error::{Error, Exit};

pub(crate) fn run(arguments: &Anchor) -> Result<Exit, Error> {
    let log = log_of(&arguments.rounds.folder)?;
    let operator = operator(arguments.now.instant)?;
    let mut clocks = Clocks {
        authorities: arguments.authorities.clone(),
        calendars: arguments.calendars.clone(),
        roots: Vec::new(),
    };
    if clocks.is_empty() {
        clocks = Clocks::configured(&operator.configuration)?;
    }
    if clocks.is_empty() {
        let text = "no outside clock is named";
        let hint = "give --tsa URL or --ots URL, or set CAPITALBENCH_TSA_URLS";
        return Err(Error::new(text).hint(hint));
    }
    for file in &arguments.roots {
        clocks.roots.push(RootFile::read(file)?);
    }
    if Checkout::has_own_checkpoint(&arguments.rounds.folder)? {
        let text = "the log of this checkout is not in its store, where another state may win";
        return Err(Error::new(text).hint("run `store push` first; nobody was asked"));
    }
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
    let witness = |seen: &Checked| json!({"name": seen.name, "at": seen.at.and_then(second)});
    json!({
        "size": anchored.size,
        "anchored": anchored.holds(),
        "rooted": anchored.rooted,
        "clocks": anchored.asked.iter().map(one).collect::<Vec<_>>(),
        "witnesses": anchored.witnesses.iter().map(witness).collect::<Vec<_>>(),
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

fn second(seconds: u64) -> Option<String> {
    let at = Timestamp::from_second(i64::try_from(seconds).ok()?).ok()?;
    Some(at.to_string())
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
    for seen in &anchored.witnesses {
        let at = seen.at.and_then(second);
        let at = at.map_or_else(String::new, |at| format!(" at {at}"));
        line(format!("  {}  {}{at}", paint(GOOD, "witnessed"), seen.name));
    }
    if !anchored.holds() {
        let next = if anchored.rooted {
            "no clock stamped it; try again, or name other clocks with --tsa URL"
        } else {
            "get the root certificate of an authority and run this again with --tsa-root FILE"
        };
        next_step(next);
    }
}
