//! What terms mean, from the glossary of the documents: shown where a term heads a column.

use std::fmt::Write as _;
use std::sync::LazyLock;

use capitalbench_core::market::reference_name::ReferenceName;

use crate::html::Html;

const SOURCE: &str = include_str!("../../../docs/glossary.md");

/// Terms of one meaning, and the meaning.
struct Entry {
    terms: Vec<&'static str>,
    meaning: &'static str,
}

static ENTRIES: LazyLock<Vec<Entry>> = LazyLock::new(|| SOURCE.lines().filter_map(entry).collect());

fn entry(line: &'static str) -> Option<Entry> {
    let (terms, meaning) = line.strip_prefix("- **")?.split_once("**: ")?;
    Some(Entry {
        terms: terms.split("** · **").collect(),
        meaning,
    })
}

/// The term of a label: what stands before its unit, such as `Gap` of `Gap / week, points`.
fn place(label: &str) -> Option<usize> {
    let whole = |label: &str| {
        let alike = |term: &&str| term.eq_ignore_ascii_case(label);
        ENTRIES
            .iter()
            .position(|entry| entry.terms.iter().any(&alike))
    };
    whole(label)
        .or_else(|| {
            let label = label.strip_suffix(", points").unwrap_or(label);
            whole(label.split(" / ").next().unwrap_or(label).trim())
        })
        .or_else(|| named(label))
}

/// The term of a label that names the reference: `vs the reference` of `vs DAX`.
fn named(label: &str) -> Option<usize> {
    let begins = |term: &&str| {
        let before = term.strip_suffix("the reference");
        before.is_some_and(|before| label.starts_with(before))
    };
    ENTRIES
        .iter()
        .position(|entry| entry.terms.iter().any(begins))
}

fn id(place: usize) -> String {
    format!("term-{place}")
}

/// The button that opens the meaning of a label; nothing where the glossary has no such term.
pub(crate) fn button(label: &str) -> Html {
    let Some(place) = place(label) else {
        return Html::default();
    };
    let (id, label) = (id(place), Html::text(label));
    Html::made(format!(
        "<button type=\"button\" class=\"q\" popovertarget=\"{id}\" aria-label=\"What is {label}?\">?</button>"
    ))
}

/// The meanings that buttons of a page open.
pub(crate) fn meanings(body: &str, reference: &ReferenceName) -> Html {
    let mut html = Html::default();
    for (place, entry) in ENTRIES.iter().enumerate() {
        let id = id(place);
        if !body.contains(&format!("popovertarget=\"{id}\"")) {
            continue;
        }
        let meaning = reference.put_into(entry.meaning);
        let (term, meaning) = (Html::text(entry.terms[0]), Html::text(&meaning));
        let mut text = String::new();
        // Writing to a text cannot fail.
        let _ = writeln!(
            text,
            "<div id=\"{id}\" class=\"meaning\" popover><strong>{term}</strong>: {meaning}</div>"
        );
        html.push(&text);
    }
    html
}

#[cfg(test)]
mod tests;
