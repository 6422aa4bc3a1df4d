//! Pages for people: each module renders one kind of page.

use bytes::Bytes;
use capitalbench_core::publication::PublicRound;
use rayon::prelude::*;

use crate::html::encode;
use crate::page::{Here, Page, Site};
use crate::{Files, Input};

mod asked;
mod asset;
mod assets;
mod board;
mod boards;
mod claims;
mod compare;
pub(crate) mod entrants;
mod filter;
mod home;
mod live;
mod method;
mod model;
mod models;
mod moved;
mod round;
mod rounds;
mod set;
mod share;
pub(crate) mod view;
pub(crate) mod words;

use view::View;

const STYLE: &str = include_str!("../style/site.css");
const SCRIPT: &str = include_str!("../style/site.js");
const ENTER: &str = include_str!("../enter/enter.js");
const ICON: &str = include_str!("../style/icon.svg");

/// Adds every page that is not of one round.
pub(crate) fn render(view: &View<'_>, site: &Site, input: &Input<'_>, files: &mut Files) {
    let identity = input.identity;
    let pages = single_pages(view);
    files.par_extend(pages.par_iter().map(|page| framed(site, page)));
    claims::files(view, files);
    files.insert("404.html".to_owned(), missing(site, input.base_url));
    let style = identity.coloured(&style());
    files.insert("style.css".to_owned(), style.into());
    files.insert("site.js".to_owned(), Bytes::from_static(SCRIPT.as_bytes()));
    if view.publication.league.is_some() {
        files.insert(
            "enter/enter.js".to_owned(),
            Bytes::from_static(ENTER.as_bytes()),
        );
    }
    files.insert("icon.svg".to_owned(), identity.coloured(ICON).into());
    if let Some(logo) = &identity.logo {
        files.insert(logo.path().to_owned(), logo.bytes());
    }
}

pub(crate) fn of_round(view: &View<'_>, site: &Site, round: &PublicRound, own: &Files) -> Files {
    let pages = round::pages(view, round, own);
    pages.iter().map(|page| framed(site, page)).collect()
}

/// What a host shows for a missing page. It may be shown at any depth, so its links begin at the root.
fn missing(site: &Site, base_url: &str) -> Bytes {
    let host = base_url
        .split_once("://")
        .map_or(base_url, |(_, rest)| rest);
    let folder = host.split_once('/').map_or("", |(_, folder)| folder);
    let root = match folder.trim_matches('/') {
        "" => "/".to_owned(),
        folder => format!("/{}/", encode(folder)),
    };
    let mut page = Page::new("404.html", "Not found", "There is no such page.");
    page.here = Here::anywhere("404.html", &root);
    page.body.say("There is no page at this address. The pages of rounds and models keep their addresses; an open round has no results yet.");
    let links = [
        page.here.link("", "Results"),
        page.here.link("rounds/", "All rounds"),
        page.here.link("models/", "All models"),
    ];
    page.body.links(&links);
    site.frame(&page)
}

fn framed(site: &Site, page: &Page) -> (String, Bytes) {
    let path = format!("{}index.html", page.here.path());
    (path, site.frame(page))
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
        boards::across::markets(view),
        boards::across::sets(view),
        live::page(view),
        models::page(view),
        compare::index(view),
        assets::page(view),
    ];
    pages.extend(moved::page(view));
    pages.extend(rounds::pages(view));
    let sets = view.publication.comparison_sets.par_iter();
    pages.par_extend(sets.map(|set| set::page(view, set)));
    let models = view.models.par_iter();
    pages.par_extend(models.map(|id| model::page(view, id)));
    let earlier = view.continued.iter();
    pages.extend(earlier.map(|(id, newest)| model::earlier_page(view, id, newest)));
    pages.extend(compare::pairs(view));
    let options: Vec<_> = view.options.keys().collect();
    pages.par_extend(options.par_iter().map(|id| asset::page(view, id)));
    pages.extend(method::pages(view));
    pages.extend(claims::pages(view));
    pages.extend(entrants::pages(view));
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
