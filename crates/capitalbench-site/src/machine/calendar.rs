//! An iCalendar of the closes that decide rounds.

use capitalbench_core::publication::PublicRound;
use capitalbench_core::values::time::WrittenInstant;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};

use crate::html::encode;
use crate::title::title;
use crate::{Files, Input};

/// Octets of a line; longer ones are folded.
const LINE: usize = 75;
/// How long an event stays after its close.
const KEPT: SignedDuration = SignedDuration::from_hours(7 * 24);

pub(super) fn render(input: &Input<'_>, files: &mut Files) {
    let name = value(&input.identity.name);
    let begin = format!(
        "BEGIN:VCALENDAR\nVERSION:2.0\nPRODID:-//CapitalBench//Scoring dates//EN\n\
                 NAME:{name} scoring dates\nX-WR-CALNAME:{name} scoring dates\n\
                 REFRESH-INTERVAL;VALUE=DURATION:P1D\n"
    );
    let rounds = input.publication.rounds.iter();
    let events: String = rounds.filter_map(|round| event(input, round)).collect();
    let calendar = format!("{begin}{events}END:VCALENDAR\n");
    let text: String = calendar.lines().map(folded).collect();
    files.insert("calendar.ics".to_owned(), text.into());
}

/// The event of a round; its values hold no line breaks, so that each stays on its line.
fn event(input: &Input<'_>, round: &PublicRound) -> Option<String> {
    // A round that ended without a record is never scored.
    if round.tombstone().is_some() {
        return None;
    }
    let close = round.manifest.window?.exit_close()?;
    // A calendar tells what comes; what was is on the page of rounds.
    let recent = input.publication.as_of.checked_sub(KEPT).ok()?;
    if close < recent {
        return None;
    }
    let id = round.id().as_str();
    let stamp = round.manifest.created_at.as_ref();
    let stamp = stamp.map_or(close, WrittenInstant::at);
    Some(format!(
        "BEGIN:VEVENT\nUID:{id}-exit@capitalbench\nDTSTAMP:{}\nDTSTART:{}\nDURATION:PT0S\n\
         SUMMARY:{} ends\n\
         DESCRIPTION:{id}: the ending close. The result follows when prices are final.\n\
         URL:{}/rounds/{}/\nTRANSP:TRANSPARENT\nEND:VEVENT\n",
        instant(stamp),
        instant(close),
        value(&title(round)),
        input.base_url,
        encode(id),
        id = value(id),
    ))
}

fn instant(at: Timestamp) -> String {
    at.to_zoned(TimeZone::UTC)
        .strftime("%Y%m%dT%H%M%SZ")
        .to_string()
}

/// Text with the escapes of RFC 5545.
fn value(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\\' | ';' | ',' => {
                out.push('\\');
                out.push(c);
            }
            '\n' => out.push_str("\\n"),
            c if c.is_control() => {}
            c => out.push(c),
        }
    }
    out
}

/// A line with its end, folded without splitting a character.
fn folded(line: &str) -> String {
    let mut out = String::with_capacity(line.len() + 8);
    let mut width = 0;
    for c in line.chars() {
        if width + c.len_utf8() > LINE {
            out.push_str("\r\n ");
            width = 1;
        }
        out.push(c);
        width += c.len_utf8();
    }
    out.push_str("\r\n");
    out
}

#[cfg(test)]
mod tests;
