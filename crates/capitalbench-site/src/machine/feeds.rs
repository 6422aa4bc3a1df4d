//! Atom and JSON Feed of the same events.

use std::fmt::Write as _;

use serde_json::json;

use super::event::{Event, Told, events};
use super::{escaped, if_invented};
use crate::{Files, Input};

/// Entries of a feed, newest first.
const ENTRIES: usize = 100;

pub(super) fn render(input: &Input<'_>, told: &[Told], files: &mut Files) {
    let mut events = events(input, told);
    events.truncate(ENTRIES);
    files.insert("feed.atom".to_owned(), atom(input, &events).into());
    let json = format!("{:#}\n", json_feed(input, &events));
    files.insert("feed.json".to_owned(), json.into());
}

fn title(input: &Input<'_>) -> String {
    let invented = if_invented(input.publication, " (invented market)");
    format!("{}{invented}", input.identity.name)
}

fn atom(input: &Input<'_>, events: &[Event]) -> String {
    let base = escaped(input.base_url);
    let updated = events
        .first()
        .map_or(input.publication.as_of, |event| event.at);
    let mut out = format!(
        "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<feed xmlns=\"http://www.w3.org/2005/Atom\">\n\
         <title>{}</title>\n<id>{base}/</id>\n<updated>{updated}</updated>\n\
         <author><name>{}</name></author>\n\
         <link rel=\"self\" type=\"application/atom+xml\" href=\"{base}/feed.atom\"/>\n\
         <link rel=\"alternate\" type=\"text/html\" href=\"{base}/\"/>\n",
        escaped(&title(input)),
        escaped(&input.identity.name)
    );
    for event in events {
        // Writing to a text cannot fail.
        let _ = write!(
            out,
            "<entry>\n<id>{base}/#{}</id>\n<title>{}</title>\n<updated>{}</updated>\n\
             <category term=\"{}\"/>\n<link rel=\"alternate\" type=\"text/html\" href=\"{base}/{}\"/>\n\
             <summary>{}</summary>\n</entry>\n",
            escaped(&event.id),
            escaped(&event.title),
            event.at,
            event.kind,
            escaped(&event.path),
            escaped(&event.text)
        );
    }
    out + "</feed>\n"
}

fn json_feed(input: &Input<'_>, events: &[Event]) -> serde_json::Value {
    let base = input.base_url;
    let items = events.iter().map(|event| {
        json!({
            "id": format!("{base}/#{}", event.id),
            "url": format!("{base}/{}", event.path),
            "title": event.title,
            "content_text": event.text,
            "date_published": event.at.to_string(),
            "tags": [event.kind],
        })
    });
    json!({
        "version": "https://jsonfeed.org/version/1.1",
        "title": title(input),
        "home_page_url": format!("{base}/"),
        "feed_url": format!("{base}/feed.json"),
        "language": "en",
        "items": items.collect::<Vec<_>>(),
    })
}
