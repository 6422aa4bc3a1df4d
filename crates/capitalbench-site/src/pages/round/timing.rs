//! When a round was asked, beside the closes of its window, as its own files tell it.

use capitalbench_core::publication::{PublicRound, RoundState};
use capitalbench_core::round::manifest::{Proof, Window};
use capitalbench_export::tables::rounds::run_id;
use jiff::{SignedDuration, Timestamp};
use serde_json::Value;

use super::super::view::{View, round_path};
use crate::Files;
use crate::figures::{count, instant};
use crate::html::{Html, encode};
use crate::page::Page;

/// The first and the last instant of the calls of the run of record.
pub(super) fn asked(round: &PublicRound, own: &Files) -> Option<(Timestamp, Timestamp)> {
    let path = format!("runs/{}/run_log.jsonl", run_id(round)?);
    let text = String::from_utf8_lossy(own.get(&path)?).into_owned();
    let mut found: Option<(Timestamp, Timestamp)> = None;
    for line in text.lines() {
        let entry: Value = serde_json::from_str(line).ok()?;
        let of = |name: &str| -> Option<Timestamp> { entry.get(name)?.as_str()?.parse().ok() };
        let (Some(begun), Some(ended)) = (of("started_at_utc"), of("completed_at_utc")) else {
            continue;
        };
        let (first, last) = found.unwrap_or((begun, ended));
        found = Some((first.min(begun), last.max(ended)));
    }
    found
}

/// An instant that the run of record names in its manifest.
fn named(round: &PublicRound, own: &Files, name: &str) -> Option<Timestamp> {
    let path = format!("runs/{}/run_manifest.yaml", run_id(round)?);
    let text = String::from_utf8_lossy(own.get(&path)?).into_owned();
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    let value = line.strip_prefix(':')?.trim();
    value.trim_matches(['\'', '"']).parse().ok()
}

/// A length of time in one unit.
fn long(time: SignedDuration) -> String {
    let minutes = usize::try_from(time.as_mins()).unwrap_or_default();
    match minutes {
        0..120 => count(minutes, "minute", "minutes"),
        120..2880 => count(minutes / 60, "hour", "hours"),
        _ => count(minutes / 1440, "day", "days"),
    }
}

/// When the answers came, before or after the starting close.
pub(super) fn sentence(round: &PublicRound, asked: (Timestamp, Timestamp)) -> Option<String> {
    let window = round.manifest.window?;
    let close = window.entry_close()?;
    let (first, last) = asked;
    if last <= close {
        let early = long(close.duration_since(last));
        return Some(format!(
            "All answers were in {early} before the starting close."
        ));
    }
    let late = long(last.duration_since(close));
    let next = window.market.next_session(window.entry);
    let opening = next.and_then(|day| window.market.open_at(day));
    let traded = match opening {
        Some(open) if last <= open => "before the next open".to_owned(),
        Some(open) => format!("{} after the next open", long(last.duration_since(open))),
        None => {
            return Some(format!(
                "The last answer came {late} after the starting close."
            ));
        }
    };
    let begun = if first <= close {
        "Calls began before the starting close"
    } else {
        "Models were asked after the starting close"
    };
    Some(format!(
        "{begun}; the last answer came {late} after it, {traded}."
    ))
}

/// One step of a round: its name, whether it is behind us, and what is known of it.
type Step = (&'static str, bool, String);

/// Whether a close of a round has passed. A round without a record waits for no close; the others name
/// the next one, so their pages change with it.
fn passed(view: &View<'_>, round: &PublicRound, close: Option<Timestamp>) -> bool {
    match &round.state {
        RoundState::Draft | RoundState::Ended(_) => false,
        RoundState::Open(_) => close.is_some_and(|close| close <= view.publication.as_of),
        RoundState::Resolved(_) => true,
    }
}

fn steps(
    view: &View<'_>,
    round: &PublicRound,
    own: &Files,
    asked: Option<(Timestamp, Timestamp)>,
) -> [Step; 5] {
    let window = round.manifest.window;
    let is_resolved = round.resolved().is_some();
    let or_not_yet = |told: Option<String>| told.unwrap_or_else(|| "not yet".to_owned());
    let sealed = round.frozen.as_ref().map(|frozen| {
        let digest = frozen.digest.to_hex();
        let at = match round.manifest.proof {
            Proof::None => "instant not kept",
            Proof::Signed | Proof::Anchored => "its instant is in the log",
        };
        format!("digest {}…, {at}", &digest[..12])
    });
    let answered = asked.map(|(first, last)| {
        let minutes = long(last.duration_since(first));
        format!("{}, within {minutes}", instant(first))
    });
    let answered = answered.or(run_id(round).map(|_| "instant not kept".to_owned()));
    let close = |name, at: Option<Timestamp>| {
        let told = at.map_or("not set".to_owned(), instant);
        (name, passed(view, round, at), told)
    };
    let scored = is_resolved.then(|| {
        let at = named(round, own, "resolved_at_utc");
        at.map_or("instant not kept".to_owned(), instant)
    });
    [
        ("Frozen", sealed.is_some(), or_not_yet(sealed)),
        ("Asked", answered.is_some(), or_not_yet(answered)),
        close("Starting close", window.and_then(Window::entry_close)),
        close("Ending close", window.and_then(Window::exit_close)),
        ("Result", is_resolved, or_not_yet(scored)),
    ]
}

/// The steps of a round in a row, each with its instant, and what shows that they are true.
pub(super) fn strip(view: &View<'_>, page: &mut Page, round: &PublicRound, own: &Files) {
    let asked = asked(round, own);
    let step = |(name, is_done, told): &Step| {
        let class = if *is_done { "" } else { " class=\"todo\"" };
        let (name, told) = (Html::text(name), Html::text(told));
        format!("<li{class}><strong>{name}</strong> {told}</li>")
    };
    let steps: String = steps(view, round, own, asked).iter().map(step).collect();
    page.body
        .add(&Html::made(format!("<ol class=\"steps\">{steps}</ol>")));
    if let Some(told) = asked.and_then(|asked| sentence(round, asked)) {
        page.body.say(&told);
    }
    proved(page, round);
}

/// What an outsider can rely on, and where to check it.
fn proved(page: &mut Page, round: &PublicRound) {
    let words = match round.manifest.proof {
        Proof::None => {
            "This round promises no signature: its digests show that files belong together, not when they were written. "
        }
        Proof::Signed => {
            "The frozen manifest promises that every step is in the operator's signed log. "
        }
        Proof::Anchored => {
            "The frozen manifest promises that every step is in the operator's signed log and that outside clocks stamp the freeze and the picks. "
        }
    };
    let verify = format!(
        "{}?round={}",
        page.here.to("verify/"),
        encode(round.id().as_str())
    );
    let files = format!("{}files/", round_path(round.id()));
    let mut line = Html::text(words);
    line.add(&Html::link(
        &verify,
        "What was signed, stamped and recomputed",
    ));
    line.push(" · ");
    line.add(&page.here.link(&files, "all files"));
    page.body.paragraph("note", line);
    let id = Html::text(round.id().as_str());
    let check = match &round.state {
        RoundState::Resolved(_) => "Recompute every figure here",
        RoundState::Draft | RoundState::Ended(_) | RoundState::Open(_) => "Check every file here",
    };
    page.body.add(&Html::made(format!(
        "<div class=\"proof\" data-round=\"{id}\" hidden>\
         <button type=\"button\" value=\"check\">{check}</button> \
         <button type=\"button\" value=\"bundle\">Download the round as one file</button> \
         <output aria-live=\"polite\"></output></div>"
    )));
}

#[cfg(test)]
mod tests;
