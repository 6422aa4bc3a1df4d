//! The evidence of a round: the text that models were shown, the prices, and every public file.

use capitalbench_core::market::prices::PriceSheet;
use capitalbench_core::market::reference_name::ReferenceName;
use capitalbench_core::market::universe::MarketOption;
use capitalbench_core::publication::{PublicRound, RoundState};
use capitalbench_core::result::returns::RoundReturns;
use capitalbench_core::values::ids::Digest;
use capitalbench_core::values::units::Price;

use super::super::view::View;
use super::sub_page;
use crate::Files;
use crate::figures::{NONE, count, price, size};
use crate::html::Html;
use crate::page::Page;
use crate::table::{Cell, Table, head, markup, maybe, number, percent, text};

/// Text shown on a page; the whole is in the file.
const LONGEST_TEXT: usize = 160_000;
/// Files listed on a page.
const MOST_FILES: usize = 450;

/// What models were shown.
pub(super) fn prompt(round: &PublicRound, own: &Files) -> Page {
    let mut page = sub_page(
        round,
        "prompt",
        "What models were shown",
        "The exact text every model of the round received.",
    );
    let found = |name: &str| own.get(name);
    if let Some(bytes) = found("model_input.md") {
        page.body
            .say("The exact text that was sent to every model.");
        shown(&mut page, round, "model_input.md", bytes);
        return page;
    }
    page.body.say("This round did not keep the text as it was sent; below are the frozen parts that the text was made from.");
    for name in ["prompt.md", "briefing.md"] {
        if let Some(bytes) = found(name) {
            page.body.part(name);
            shown(&mut page, round, name, bytes);
        }
    }
    page
}

/// A file as text, with a link to the bytes.
pub(super) fn shown(page: &mut Page, round: &PublicRound, name: &str, bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let mut line = file_link(page, round, name);
    line.push_text(&format!(" · {} · SHA-256 ", size(bytes.len() as u64)));
    line.add(&Html::code(&Digest::of(bytes).to_hex()));
    page.body.paragraph("note", line);
    let cut = text.char_indices().nth(LONGEST_TEXT).map(|(at, _)| at);
    page.body
        .add(&Html::quoted(&text[..cut.unwrap_or(text.len())]));
    if cut.is_some() {
        page.body.say("The rest is in the file.");
    }
}

fn file_link(page: &Page, round: &PublicRound, name: &str) -> Html {
    page.here
        .link(&format!("rounds/{}/files/{name}", round.id()), name)
}

/// What stands in place of prices where the closes are private.
const RETURNS_ONLY: &str = "This round publishes returns only: each option is 1 at its entry close, and \
    the closes stay with the operator, because vendors seldom let them be passed on. The returns are the \
    operator's word; `verify --prices-from` fetches them again with your own key.";

/// The prices of a round; ending ones only once it is resolved.
pub(super) fn prices(view: &View<'_>, round: &PublicRound) -> Page {
    let mut page = sub_page(
        round,
        "prices",
        "Prices",
        "The prices a round is scored with.",
    );
    match &round.state {
        RoundState::Ended(_) => {
            page.body
                .say("The round ended without a record, so no prices are fetched.");
        }
        RoundState::Draft => {
            page.body.say("Prices follow when the window has begun.");
        }
        RoundState::Open(open) => match &open.entry {
            None => {
                page.body.say("Starting prices are not known yet.");
            }
            Some(_) if !round.manifest.publish.is_full() => {
                page.body.say(RETURNS_ONLY);
                page.body
                    .say("The starting closes are fixed. Returns follow with the result.");
            }
            Some(sheet) => {
                page.body
                    .say("These are the starting prices. Ending prices follow with the result.");
                page.body.table(&starting(view, &page, round, sheet));
            }
        },
        RoundState::Resolved(resolved) => {
            if !round.manifest.publish.is_full() {
                page.body.say(RETURNS_ONLY);
            }
            let table = returned(view, &page, round, &resolved.returns);
            page.body.table(&table);
        }
    }
    page
}

/// The returns of all options by rank, with both prices where the round publishes them.
fn returned(view: &View<'_>, page: &Page, round: &PublicRound, returns: &RoundReturns) -> Table {
    let is_full = round.manifest.publish.is_full();
    let versus = ReferenceName::of(&round.universe);
    let (title, sides) = if is_full {
        ("Prices and returns of every option", "#Start | #End | ")
    } else {
        ("Returns of every option", "")
    };
    let mut table = Table::new(
        title,
        &format!("#Rank | Option | Symbol | {sides}#Return | #vs {versus}"),
    );
    let reference = returns.reference();
    for own in returns.by_rank() {
        let option = round.universe.get(&own.option_id);
        let of = |side: Option<(Price, _)>| maybe(side.map(|(p, _)| p.get()), price);
        let mut row = vec![
            number(
                &own.rank.map_or(NONE.to_owned(), |rank| rank.to_string()),
                own.rank.map(f64::from),
            ),
            head(view.option_link(&page.here, &own.option_id)),
            text(option.map_or(NONE, MarketOption::display_symbol)),
        ];
        if is_full {
            row.extend([of(own.entry), of(own.exit)]);
        }
        row.extend([
            percent(own.value.get()),
            percent((own.value - reference).get()),
        ]);
        table.row(row);
    }
    table
}

fn starting(view: &View<'_>, page: &Page, round: &PublicRound, sheet: &PriceSheet) -> Table {
    let mut table = Table::new(
        "Starting prices",
        "Option | Symbol | #Start | Column | Day | Source",
    );
    for option in round.universe.options() {
        let Some(quote) = sheet.find(option) else {
            continue;
        };
        let used = quote.used();
        let source = quote.source.as_deref();
        table.row(vec![
            head(view.option_link(&page.here, &option.id)),
            text(option.display_symbol()),
            maybe(used.map(|(p, _)| p.get()), price),
            text(used.map_or(NONE, |(_, field)| field.as_str())),
            text(&quote.date.map_or(NONE.to_owned(), |date| date.to_string())),
            markup(source.map_or_else(Html::default, Html::said)),
        ]);
    }
    table
}

/// Every public file with its digest.
pub(super) fn files(round: &PublicRound, files: &Files) -> Page {
    let mut page = sub_page(
        round,
        "files",
        "Files",
        "Every public file of the round with its full digest.",
    );
    if files.is_empty() {
        page.body
            .say("The files of this round are not part of this site.");
        return page;
    }
    page.body.say(&format!(
        "{}. A frozen file must have the digest that hashes.json lists; the program and the verify page check it.",
        count(files.len(), "public file", "public files")
    ));
    page.body
        .command(&format!("capitalbench verify rounds/{}", round.id()));
    let mut table = Table::new("Files", "File | #Size | SHA-256 | Frozen").class("digests");
    for (path, bytes) in files.iter().take(MOST_FILES) {
        let digest = Digest::of(bytes);
        let frozen = round.frozen.as_ref();
        let verdict = match frozen.and_then(|frozen| frozen.files.get(path)) {
            None => "",
            Some(sealed) if *sealed == digest => "matches",
            Some(_) => "DIFFERS",
        };
        table.row(vec![
            markup(file_link(&page, round, path)),
            number(
                &size(bytes.len() as u64),
                Some(f64::from(u32::try_from(bytes.len()).unwrap_or(u32::MAX))),
            ),
            Cell {
                class: "mono".to_owned(),
                ..text(&digest.to_hex())
            },
            text(verdict),
        ]);
    }
    page.body.table(&table);
    let shown = files.len().min(MOST_FILES);
    page.body.cut("Files", shown, files.len());
    page
}
