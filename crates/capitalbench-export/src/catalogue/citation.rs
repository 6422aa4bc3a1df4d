//! How to cite an export: the Citation File Format 1.2.0.

use std::fmt::Write as _;

use capitalbench_core::league::licence::Licence;
use capitalbench_core::publication::Publication;
use serde_json::Value;

use super::{KEYWORDS, LISTED, Publisher, about, day};

/// Its name, which services look for.
pub const CITATION: &str = "CITATION.cff";

pub(super) fn citation(publication: &Publication, publisher: &Publisher<'_>) -> String {
    let day = day(publication);
    let mut text = String::from("cff-version: 1.2.0\ntype: dataset\n");
    // A text in JSON is one in YAML too. Writing to a String cannot fail.
    let mut field = |name: &str, value: &str| _ = writeln!(text, "{name}: {}", Value::from(value));
    field(
        "message",
        "If you use these data, please cite them as below, with the day.",
    );
    field("title", &publisher.title());
    field("abstract", &about(publication));
    field("version", &day);
    field("date-released", &day);
    if let Some(address) = publisher.address {
        field("url", address);
    }
    match publisher.licence {
        Some(Licence::Spdx(id)) if LISTED.iter().any(|(known, _)| known == id) => {
            field("license", id);
        }
        Some(other) => field("license-url", &other.address()),
        None => {}
    }
    let name = Value::from(publisher.name);
    let _ = writeln!(text, "authors:\n- name: {name}\nkeywords:");
    for word in KEYWORDS {
        let _ = writeln!(text, "- {word}");
    }
    text
}
