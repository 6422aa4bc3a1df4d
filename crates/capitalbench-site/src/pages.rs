//! What people read.

use capitalbench_core::publication::PublicRound;
use rayon::prelude::*;

use crate::figures::instant;
use crate::page::{Page, Site};
use crate::{Files, Input};

mod asset;
mod assets;
mod board;
mod boards;
mod compare;
mod filter;
mod home;
mod live;
mod method;
mod model;
mod models;
mod round;
mod rounds;
mod set;
mod view;
mod words;

use view::View;

const STYLE: &str = include_str!("../style/site.css");
const SCRIPT: &str = include_str!("../style/site.js");
const ICON: &str = include_str!("../style/icon.svg");

/// Adds the pages.
pub(crate) fn render(input: &Input<'_>, files: &mut Files) {
    let view = View::new(input);
    let site = Site {
        synthetic: input.publication.synthetic,
        as_of: instant(input.publication.as_of),
    };
    let framed = |page: &Page| {
        let path = format!("{}index.html", page.here.path());
        (path, site.frame(page))
    };
    for page in single_pages(&view) {
        files.extend([framed(&page)]);
    }
    let of_round = |round: &PublicRound| -> Vec<(String, Vec<u8>)> {
        round::pages(&view, round).iter().map(framed).collect()
    };
    let rounds: Vec<Vec<(String, Vec<u8>)>> =
        view.publication.rounds.par_iter().map(of_round).collect();
    files.extend(rounds.into_iter().flatten());
    files.insert("style.css".to_owned(), style().into_bytes());
    files.insert("site.js".to_owned(), SCRIPT.as_bytes().to_vec());
    files.insert("icon.svg".to_owned(), ICON.as_bytes().to_vec());
}

/// Every page that is not of one round.
fn single_pages(view: &View<'_>) -> Vec<Page> {
    let mut pages = vec![
        home::page(view),
        boards::index(view),
        boards::latest(view),
        boards::cumulative(view),
        boards::consistency(view),
        boards::sets(view),
        live::page(view),
        models::page(view),
        compare::index(view),
        assets::page(view),
    ];
    pages.extend(rounds::pages(view));
    pages.extend(
        view.publication
            .comparison_sets
            .iter()
            .map(|set| set::page(view, set)),
    );
    pages.extend(view.models.iter().map(|id| model::page(view, id)));
    pages.extend(compare::pairs(view));
    pages.extend(view.options.keys().map(|id| asset::page(view, id)));
    pages.extend(method::pages(view));
    pages
}

/// The style sheet, with one class per whole percent for bars: inline styles are not allowed.
fn style() -> String {
    use std::fmt::Write as _;
    let mut style = STYLE.to_owned();
    for percent in 1..=100 {
        let _ = write!(style, ".w{percent}{{--w:{percent}}}");
    }
    style.push('\n');
    style
}
