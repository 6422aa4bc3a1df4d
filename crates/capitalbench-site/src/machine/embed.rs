//! Tables and badges for other people's pages.

use std::fmt::Write as _;

use capitalbench_core::publication::Publication;
use capitalbench_core::publication::boards::comparison_set::{ComparisonSet, SetStatus};
use capitalbench_core::round::manifest::Track;
use capitalbench_core::values::ids::ModelId;
use capitalbench_export::text::{points, reference_name, score};

use super::{escaped, if_invented};
use crate::figures::rank_range;
use crate::pages::view::{plain_name, set_path};
use crate::{Files, Input};

/// Colours of both themes; the reader's system chooses.
const STYLE: &str = "body{margin:0;font:14px/1.4 system-ui,sans-serif;color:#1b1c1e;background:#fbfbf9}\
table{border-collapse:collapse;width:100%}caption{text-align:left;font-weight:600;padding:4px 8px}\
th,td{padding:4px 8px;text-align:right;border-bottom:1px solid #dcdcd6;font-variant-numeric:tabular-nums}\
th:nth-child(2),td:nth-child(2){text-align:left}p{margin:6px 8px;color:#63666b;font-size:12px}a{color:#0b5fa5}\
@media(prefers-color-scheme:dark){body{color:#e8e6e1;background:#15171a}th,td{border-color:#2c2f34}\
p{color:#9a9ea5}a{color:#7db7ea}}\n";
const DARK: &str = "body{color:#e8e6e1;background:#15171a}th,td{border-color:#2c2f34}p{color:#9a9ea5}a{color:#7db7ea}\n";
const LIGHT: &str = "body{color:#1b1c1e;background:#fbfbf9}th,td{border-color:#dcdcd6}p{color:#63666b}a{color:#0b5fa5}\n";

pub(super) fn render(input: &Input<'_>, files: &mut Files) {
    let publication = input.publication;
    let light = STYLE.split("@media").next().unwrap_or(STYLE);
    for (name, style) in [
        ("embed/embed.css", STYLE.to_owned()),
        ("embed/dark.css", format!("{STYLE}{DARK}")),
        ("embed/light.css", format!("{light}{LIGHT}")),
    ] {
        files.insert(name.to_owned(), input.identity.coloured(&style).into());
    }
    for set in &publication.comparison_sets {
        let name = plain_name(&set.definition.set_id);
        for (ending, style) in [
            ("", "embed.css"),
            ("-dark", "dark.css"),
            ("-light", "light.css"),
        ] {
            let page = table(input, set, style);
            files.insert(format!("embed/{name}{ending}.html"), page.into());
        }
    }
    // Pages elsewhere may show the badge of an earlier id, so that one tells of the same record.
    for (id, newest) in publication.contestants() {
        let path = format!("badge/{}.svg", plain_name(id.as_str()));
        let badge = input.identity.coloured(&badge(input, newest));
        files.insert(path, badge.into());
    }
}

/// The range of ranks that the evidence allows for a row.
pub(super) fn places(publication: &Publication, set: &ComparisonSet, row: usize) -> String {
    let found = publication.statistics.sets.get(&set.definition.set_id);
    rank_range(found.and_then(|found| found.places(row)))
}

fn table(input: &Input<'_>, set: &ComparisonSet, style: &str) -> String {
    let publication = input.publication;
    let reference = escaped(reference_name(publication, set));
    let id = &set.definition.set_id;
    let mut rows = String::new();
    for (place, row) in set.rows.iter().enumerate() {
        // Writing to a text cannot fail.
        let _ = writeln!(
            rows,
            "<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>",
            places(publication, set, place),
            escaped(publication.name(&row.model_id)),
            score(row.score),
            points(row.average_alpha)
        );
    }
    if let Some(market) = &set.market {
        let _ = writeln!(
            rows,
            "<tr><td></td><td>{reference}</td><td>{}</td><td></td></tr>",
            score(market.reference.score)
        );
    }
    let invented = if_invented(publication, " Invented market.");
    format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width\"><meta name=\"robots\" content=\"noindex\">\
         <title>{name} {track}</title><link rel=\"stylesheet\" href=\"{style}\"></head><body>\n\
         <table><caption>{name}, {track}, {rounds} shared rounds</caption>\n\
         <thead><tr><th>Rank</th><th>Model</th><th>Score</th><th>Gap to {reference}, points</th></tr></thead>\n\
         <tbody>\n{rows}</tbody></table>\n\
         <p>As of {as_of}. Ranks are ranges: the rounds cannot tell apart the models within one.{invented} Not advice. \
         <a href=\"{base}/{link}\" target=\"_top\">Whole table</a></p>\n</body></html>\n",
        name = escaped(&input.identity.name),
        track = set.definition.track.as_str(),
        rounds = set.included.len(),
        as_of = publication.as_of,
        base = escaped(input.base_url),
        link = set_path(id),
    )
}

/// The current set of a track with a model in it, and the model's row.
pub(super) fn standing<'a>(
    publication: &'a Publication,
    track: Track,
    id: &ModelId,
) -> Option<(&'a ComparisonSet, usize)> {
    let mut sets = publication.comparison_sets.iter();
    let set = sets.find(|set| set.definition.track == track && set.status == SetStatus::Current)?;
    let row = set.rows.iter().position(|row| row.model_id == *id)?;
    Some((set, row))
}

/// A model's rank and score in each current set, for badges and images.
pub(super) fn summary(publication: &Publication, id: &ModelId) -> Vec<String> {
    let of = |track: Track| {
        let (set, row) = standing(publication, track, id)?;
        Some(format!(
            "{} {} · rank {} of {} · n {}",
            track.as_str(),
            score(set.rows[row].score),
            places(publication, set, row),
            set.rows.len(),
            set.included.len()
        ))
    };
    let said: Vec<String> = [Track::Weekly, Track::Monthly]
        .into_iter()
        .filter_map(of)
        .collect();
    if said.is_empty() {
        return vec!["in no current comparison set".to_owned()];
    }
    said
}

fn badge(input: &Input<'_>, id: &ModelId) -> String {
    let publication = input.publication;
    let label = format!(
        "{}{}",
        input.identity.name,
        if_invented(publication, " (invented)")
    );
    let text = summary(publication, id).join("   ");
    let name = escaped(publication.name(id));
    let width = |text: &str| 7 * text.chars().count() + 16;
    let (left, right) = (width(&label), width(&text));
    let whole = left + right;
    let (label, text) = (escaped(&label), escaped(&text));
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{whole}\" height=\"22\" role=\"img\" \
         aria-label=\"{label}: {name}: {text}\"><title>{name}: {text}</title>\
         <rect width=\"{left}\" height=\"22\" fill=\"#1b1c1e\"/>\
         <rect x=\"{left}\" width=\"{right}\" height=\"22\" fill=\"#0b5fa5\"/>\
         <g fill=\"#fff\" font-family=\"Verdana,DejaVu Sans,sans-serif\" font-size=\"11\">\
         <text x=\"8\" y=\"15\">{label}</text><text x=\"{}\" y=\"15\">{text}</text></g></svg>\n",
        left + 8
    )
}
