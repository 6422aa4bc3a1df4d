//! An iCalendar of the closes that decide rounds.

use capitalbench_core::publication::PublicRound;
use jiff::Timestamp;
use jiff::tz::TimeZone;

use crate::html::encode;
use crate::{Files, Input};

/// Octets of a line; longer ones are folded.
const LINE: usize = 75;

pub(super) fn render(input: &Input<'_>, files: &mut Files) {
    let mut lines = vec![
        "BEGIN:VCALENDAR".to_owned(),
        "VERSION:2.0".to_owned(),
        "PRODID:-//CapitalBench//Scoring dates//EN".to_owned(),
        "NAME:CapitalBench scoring dates".to_owned(),
        "X-WR-CALNAME:CapitalBench scoring dates".to_owned(),
        "REFRESH-INTERVAL;VALUE=DURATION:P1D".to_owned(),
    ];
    for round in &input.publication.rounds {
        lines.extend(event(input, round).into_iter().flatten());
    }
    lines.push("END:VCALENDAR".to_owned());
    let text: String = lines.iter().map(|line| folded(line)).collect();
    files.insert("calendar.ics".to_owned(), text.into());
}

fn event(input: &Input<'_>, round: &PublicRound) -> Option<Vec<String>> {
    let close = round.manifest.window?.exit_close()?;
    let id = round.id();
    let stamp = round.manifest.created_at.as_ref();
    let stamp = stamp.map_or(close, capitalbench_core::values::time::Stamp::at);
    let base = input.base_url;
    Some(vec![
        "BEGIN:VEVENT".to_owned(),
        format!("UID:{}-exit@capitalbench", value(id.as_str())),
        format!("DTSTAMP:{}", instant(stamp)),
        format!("DTSTART:{}", instant(close)),
        "DURATION:PT0S".to_owned(),
        format!("SUMMARY:{} ends", value(id.as_str())),
        format!(
            "DESCRIPTION:{}",
            value(&format!(
                "{}: the ending close. The result follows when prices are final.",
                round.manifest.title
            ))
        ),
        format!("URL:{base}/rounds/{}/", encode(id.as_str())),
        "TRANSP:TRANSPARENT".to_owned(),
        "END:VEVENT".to_owned(),
    ])
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
