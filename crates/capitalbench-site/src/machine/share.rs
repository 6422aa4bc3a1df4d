//! Images for previews: one per round and per model.

use std::fmt::Write as _;

use capitalbench_core::publication::{PublicRound, Publication, RoundState};
use capitalbench_export::text::{percent, reference_of, score};

use super::embed::summary;
use super::{escaped, if_invented};
use crate::pages::view::plain_name;
use crate::{Files, Input};

/// Rows of an image.
const ROWS: usize = 8;

pub(super) fn of_round(input: &Input<'_>, round: &PublicRound, files: &mut Files) {
    let publication = input.publication;
    let rows = rows_of(publication, round);
    let image = image(publication, round.id().as_str(), &rows);
    files.insert(format!("share/rounds/{}.svg", round.id()), image.into());
}

pub(super) fn render(input: &Input<'_>, files: &mut Files) {
    let publication = input.publication;
    for (id, newest) in publication.contestants() {
        let rows: Vec<[String; 2]> = summary(publication, newest)
            .into_iter()
            .map(|row| [row, String::new()])
            .collect();
        let image = image(publication, publication.name(id), &rows);
        let name = plain_name(id.as_str());
        files.insert(format!("share/models/{name}.svg"), image.into());
    }
}

/// The result of a resolved round; for an open one only who decided, in order of name.
fn rows_of(publication: &Publication, round: &PublicRound) -> Vec<[String; 2]> {
    let mut rows = vec![];
    if let Some(window) = round.manifest.window {
        let (state, entry, exit) = (round.state.as_str(), window.entry, window.exit);
        rows.push([format!("{state} · {entry} to {exit}"), String::new()]);
    }
    match &round.state {
        RoundState::Draft | RoundState::Ended(_) => {}
        RoundState::Open(open) => {
            let names = open.submissions.iter();
            rows.extend(names.map(|s| [publication.name(&s.model_id).to_owned(), String::new()]));
        }
        RoundState::Resolved(resolved) => {
            let reference = resolved.returns.reference().get();
            rows.push([reference_of(round).to_owned(), percent(reference)]);
            rows.extend(resolved.models.iter().map(|model| {
                let returned = percent(model.scored.outcome.decision_return.get());
                let value = format!("{returned}   score {}", score(model.score));
                [publication.name(model.model_id()).to_owned(), value]
            }));
        }
    }
    rows
}

fn image(publication: &Publication, title: &str, rows: &[[String; 2]]) -> String {
    let invented = if_invented(publication, " · invented market");
    let mut lines = String::new();
    for (place, [left, right]) in rows.iter().take(ROWS).enumerate() {
        let y = 230 + place * 44;
        // Writing to a text cannot fail.
        let _ = write!(
            lines,
            "<text x=\"70\" y=\"{y}\">{}</text><text x=\"1130\" y=\"{y}\" text-anchor=\"end\">{}</text>",
            escaped(left),
            escaped(right)
        );
    }
    if rows.len() > ROWS {
        let (y, more) = (230 + ROWS * 44, rows.len() - ROWS);
        let _ = write!(lines, "<text x=\"70\" y=\"{y}\">and {more} more</text>");
    }
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"1200\" height=\"630\" viewBox=\"0 0 1200 630\">\
         <rect width=\"1200\" height=\"630\" fill=\"#fbfbf9\"/><rect width=\"1200\" height=\"10\" fill=\"#0b5fa5\"/>\
         <g font-family=\"system-ui,Helvetica,Arial,sans-serif\" fill=\"#1b1c1e\">\
         <text x=\"70\" y=\"90\" font-size=\"26\" fill=\"#63666b\">CapitalBench{invented}</text>\
         <text x=\"70\" y=\"150\" font-size=\"48\" font-weight=\"600\">{}</text>\
         <g font-size=\"28\">{lines}</g></g></svg>\n",
        escaped(title)
    )
}
