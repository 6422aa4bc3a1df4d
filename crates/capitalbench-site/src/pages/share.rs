//! What others need to show or to cite a page: a block that is folded away.

use super::view::View;
use crate::html::{Html, encode};
use crate::page::Page;

/// Something to copy: what it is, and the text.
pub(super) type Copy<'a> = (&'a str, String);

/// Who publishes, and what measured.
fn cited(view: &View<'_>) -> String {
    match view.identity.name.as_str() {
        "CapitalBench" => "CapitalBench".to_owned(),
        name => format!("{name} (measured with CapitalBench)"),
    }
}

/// Adds the block; `own` is what only this kind of page offers, `data` its files of figures.
pub(super) fn panel(
    view: &View<'_>,
    page: &mut Page,
    title: &str,
    own: &[Copy<'_>],
    data: &[&str],
) {
    let address = format!("{}/{}", view.base_url, encode(page.here.path()));
    let cite = format!("{}, “{title}”, {address}", cited(view));
    let mut html = Html::made(
        "<details class=\"fold share\"><summary>Share, embed, cite</summary>".to_owned(),
    );
    let copies = own.iter().map(|(name, text)| (*name, text.as_str()));
    for (name, text) in copies.chain([("Citation", cite.as_str())]) {
        let (name, text) = (Html::text(name), Html::text(text));
        html.push(&format!(
            "<p>{name}</p><pre class=\"command\" tabindex=\"0\"><code>{text}</code></pre>"
        ));
    }
    let mut links: Vec<Html> = page
        .image
        .iter()
        .map(|path| page.here.link(path, "Image"))
        .collect();
    let known = data.iter().filter(|name| view.data.contains_key(**name));
    links.extend(known.map(|name| page.here.link(&format!("data/{name}"), name)));
    html.add(&Html::wrap("p", "more", &Html::join(&links, " · ")));
    html.push("</details>");
    page.body.add(&html);
}
