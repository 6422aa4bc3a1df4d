//! Images for previews: of the first page, and of every set, model and round. As PNG, which sites that
//! show previews want, and as SVG.

use std::fmt::Write as _;

use bytes::Bytes;
use capitalbench_core::publication::boards::comparison_set::ComparisonSet;
use capitalbench_core::publication::{PublicRound, RoundState};
use capitalbench_core::round::manifest::Track;
use capitalbench_core::values::ids::{Digest, ModelId};
use capitalbench_export::text::{percent, points, reference_of, score};
use rayon::prelude::*;

use super::embed::{places, summary};
use super::{escaped, if_invented};
use crate::charts::Look;
use crate::figures::count;
use crate::pages::view::{View, plain_name};
use crate::raster::{Colour, Picture, Type, Weight, width};
use crate::title::title;
use crate::{Files, Identity, Logo};

/// Rows of an image.
const ROWS: usize = 8;
const INK: Colour = [0x1b, 0x1c, 0x1e];
const FAINT: Colour = [0x5c, 0x5f, 0x64];
const PAPER: Colour = [0xfb, 0xfb, 0xf9];
/// The most that a logo takes up, across and down.
const LOGO: (f64, f64) = (260.0, 64.0);
/// Left and right edge of what is written.
const EDGES: (f64, f64) = (70.0, 1130.0);
/// The first row, and the distance between rows.
const FIRST_ROW: f64 = 258.0;
const STEP: f64 = 43.0;

/// What an image shows.
#[derive(Debug)]
struct Card {
    title: String,
    /// One line below the title.
    note: String,
    rows: Vec<Row>,
}

#[derive(Debug)]
struct Row {
    look: Option<Look>,
    left: String,
    right: String,
}

pub(super) fn of_round(view: &View<'_>, round: &PublicRound, files: &mut Files) {
    if !view.images.are_shown() {
        return;
    }
    let card = Card {
        title: title(round),
        note: format!("{} · {}", round.id(), round.state.as_str()),
        rows: rows_of(view, round),
    };
    files.extend(drawn(view, &format!("rounds/{}", round.id()), &card));
}

/// The images of everything but rounds.
pub(super) fn render(view: &View<'_>, files: &mut Files) {
    files.insert("touch.png".to_owned(), icon(view, 180).into());
    files.insert("favicon.ico".to_owned(), favicon(view).into());
    if !view.images.are_shown() {
        return;
    }
    let mut cards = vec![("home".to_owned(), home(view))];
    for set in &view.publication.comparison_sets {
        let name = plain_name(&set.definition.set_id);
        cards.push((format!("sets/{name}"), of_set(view, set)));
    }
    for (id, newest) in view.publication.contestants() {
        let name = plain_name(id.as_str());
        cards.push((format!("models/{name}"), of_model(view, id, newest)));
    }
    let drawn: Vec<_> = cards
        .par_iter()
        .map(|(name, card)| drawn(view, name, card))
        .collect();
    files.extend(drawn.into_iter().flatten());
}

/// A card in both forms, with their paths.
fn drawn(view: &View<'_>, name: &str, card: &Card) -> [(String, Bytes); 2] {
    let brand = brand(view);
    let path = format!("share/{name}.png");
    let content = format!("{} {brand} {card:?}", view.identity.mark().to_hex());
    let content = Digest::of(content.as_bytes());
    let image = view
        .images
        .image(&path, content, || png(view.identity, &brand, card));
    let drawing = view.identity.coloured(&svg(&brand, card));
    [(format!("share/{name}.svg"), drawing.into()), (path, image)]
}

/// The weekly board, or the monthly one where there is no weekly.
fn home(view: &View<'_>) -> Card {
    let mut sets = [Track::Weekly, Track::Monthly]
        .into_iter()
        .filter_map(|track| view.first_board(track).map(|board| board.set));
    let title = "How well do AI models allocate capital?".to_owned();
    match sets.find(|set| !set.rows.is_empty()) {
        Some(set) => Card {
            title,
            ..of_set(view, set)
        },
        None => Card {
            title,
            note: String::new(),
            rows: Vec::new(),
        },
    }
}

fn of_set(view: &View<'_>, set: &ComparisonSet) -> Card {
    let publication = view.publication;
    let rounds = count(set.included.len(), "shared round", "shared rounds");
    let row = |(place, row): (
        usize,
        &capitalbench_core::publication::boards::comparison_set::SetRow,
    )| {
        let gap = points(row.average_alpha);
        let places = places(publication, set, place);
        Row {
            look: Some(view.look(&row.model_id)),
            left: publication.name(&row.model_id).to_owned(),
            right: format!("score {} · gap {gap} · rank {places}", score(row.score)),
        }
    };
    Card {
        title: set.definition.label.clone(),
        note: format!(
            "{}, {rounds}; gap to {} in points",
            set.definition.track.as_str(),
            view.reference.the()
        ),
        rows: set.rows.iter().enumerate().map(row).collect(),
    }
}

fn of_model(view: &View<'_>, id: &ModelId, newest: &ModelId) -> Card {
    let row = |left: String| Row {
        look: Some(view.look(id)),
        left,
        right: String::new(),
    };
    Card {
        title: view.name(id).to_owned(),
        note: "How an AI model allocates capital".to_owned(),
        rows: summary(view.publication, newest)
            .into_iter()
            .map(row)
            .collect(),
    }
}

/// The result of a resolved round; for an open one only who decided, in order of name.
fn rows_of(view: &View<'_>, round: &PublicRound) -> Vec<Row> {
    let row = |id: &ModelId, right: String| Row {
        look: Some(view.look(id)),
        left: view.name(id).to_owned(),
        right,
    };
    match &round.state {
        RoundState::Draft | RoundState::Ended(_) => Vec::new(),
        RoundState::Open(open) => {
            let decided = open.submissions.iter();
            decided
                .map(|own| row(&own.model_id, String::new()))
                .collect()
        }
        RoundState::Resolved(resolved) => {
            let reference = resolved.returns.reference().get();
            let mut rows = vec![Row {
                look: None,
                left: reference_of(round).to_owned(),
                right: percent(reference),
            }];
            rows.extend(resolved.models.iter().map(|model| {
                let returned = percent(model.scored.outcome.decision_return.get());
                row(
                    model.model_id(),
                    format!("{returned}   score {}", score(model.score)),
                )
            }));
            rows
        }
    }
}

/// The rows that have room, and how many more there are.
fn shown(card: &Card) -> (&[Row], Option<String>) {
    let shown = &card.rows[..card.rows.len().min(ROWS)];
    let more = card.rows.len() - shown.len();
    (shown, (more > 0).then(|| format!("and {more} more")))
}

fn brand(view: &View<'_>) -> String {
    let invented = if_invented(view.publication, " · invented market");
    format!("{}{invented}", view.identity.name)
}

fn png(identity: &Identity, brand: &str, card: &Card) -> Vec<u8> {
    let mut picture = Picture::new(1200, 630, PAPER);
    let accent = identity.light();
    picture.rectangle((0.0, 0.0), (1200.0, 10.0), accent);
    let set = |size: f64, weight: Weight, colour: Colour| Type {
        size,
        weight,
        colour,
    };
    let (left, right) = EDGES;
    if let Some(logo) = identity.logo.as_ref().and_then(Logo::bitmap) {
        picture.place((right, 40.0), LOGO, logo);
    }
    let faint = set(25.0, Weight::Regular, FAINT);
    picture.text((left, 84.0), faint, brand);
    let mut heading = set(46.0, Weight::Bold, INK);
    heading.size *= ((right - left) / width(heading, &card.title)).min(1.0);
    picture.text((left, 148.0), heading, &card.title);
    picture.text((left, 194.0), faint, &card.note);
    let (rows, more) = shown(card);
    let text = set(27.0, Weight::Regular, INK);
    let mut y = FIRST_ROW;
    for row in rows {
        if let Some(look) = row.look {
            picture.fill(&[look.polygon((left + 10.0, y - 9.0), 9.0)], look.ink());
        }
        picture.text((left + 34.0, y), text, &row.left);
        picture.text_to((right, y), text, &row.right);
        y += STEP;
    }
    if let Some(more) = more {
        picture.text((left + 34.0, y), faint, &more);
    }
    picture.png()
}

fn svg(brand: &str, card: &Card) -> String {
    let (rows, more) = shown(card);
    let (left, right) = EDGES;
    let mut lines = String::new();
    let mut y = FIRST_ROW;
    for row in rows {
        // Writing to a text cannot fail.
        let _ = write!(
            lines,
            "<text x=\"{left}\" y=\"{y}\">{}</text><text x=\"{right}\" y=\"{y}\" text-anchor=\"end\">{}</text>",
            escaped(&row.left),
            escaped(&row.right)
        );
        y += STEP;
    }
    if let Some(more) = more {
        let _ = write!(lines, "<text x=\"{left}\" y=\"{y}\">{more}</text>");
    }
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"1200\" height=\"630\" viewBox=\"0 0 1200 630\">\
         <rect width=\"1200\" height=\"630\" fill=\"#fbfbf9\"/><rect width=\"1200\" height=\"10\" fill=\"#0b5fa5\"/>\
         <g font-family=\"system-ui,Helvetica,Arial,sans-serif\" fill=\"#1b1c1e\">\
         <text x=\"70\" y=\"84\" font-size=\"25\" fill=\"#5c5f64\">{}</text>\
         <text x=\"70\" y=\"148\" font-size=\"46\" font-weight=\"600\">{}</text>\
         <text x=\"70\" y=\"194\" font-size=\"25\" fill=\"#5c5f64\">{}</text>\
         <g font-size=\"27\">{lines}</g></g></svg>\n",
        escaped(brand),
        escaped(&card.title),
        escaped(&card.note)
    )
}

/// The icon of the site as a square picture.
fn icon(view: &View<'_>, size: u32) -> Vec<u8> {
    let unit = f64::from(size) / 16.0;
    let pixels = usize::try_from(size).unwrap_or_default();
    let mut picture = Picture::new(pixels, pixels, view.identity.light());
    let white = [0xff; 3];
    for ((x, y), (across, down)) in [
        ((3.0, 7.3), (10.0, 1.4)),
        ((4.3, 5.5), (1.4, 5.0)),
        ((10.3, 5.5), (1.4, 5.0)),
    ] {
        picture.rectangle((x * unit, y * unit), (across * unit, down * unit), white);
    }
    let dot = Look::OTHER.polygon((8.0 * unit, 8.0 * unit), 2.0 * unit);
    picture.fill(&[dot], white);
    picture.png()
}

/// One picture of 32 pixels in the old form that browsers ask for by name.
fn favicon(view: &View<'_>) -> Vec<u8> {
    let picture = icon(view, 32);
    let length = u32::try_from(picture.len()).unwrap_or_default();
    let mut file = vec![0, 0, 1, 0, 1, 0, 32, 32, 0, 0, 1, 0, 24, 0];
    file.extend(length.to_le_bytes());
    file.extend(22_u32.to_le_bytes());
    file.extend(picture);
    file
}
