//! What catalogues of data, citations and hubs read about an export, made from the same descriptions
//! of tables as its files.

use capitalbench_core::league::licence::Licence;
use capitalbench_core::publication::Publication;
use jiff::tz::TimeZone;

use crate::json_text::json_text;
use crate::shelf::{Shelf, Writing};
use crate::text::SYNTHETIC;

mod card;
mod citation;
mod croissant;
mod datapackage;

pub use citation::CITATION;

/// Who publishes the data, as far as the operator says.
#[derive(Debug, Clone, Copy)]
pub struct Publisher<'a> {
    pub name: &'a str,
    /// Where readers find the site.
    pub address: Option<&'a str>,
    pub licence: Option<&'a Licence>,
}

/// What the data is, for people who search.
pub const ABOUT: &str = "Portfolios that AI models chose from the same frozen inputs, the returns that \
scored them, and every figure that follows, round by round. Everything can be computed again from the \
tables.";
const KEYWORDS: [&str; 6] = [
    "benchmark",
    "large language models",
    "capital allocation",
    "portfolio",
    "forecasting",
    "finance",
];
/// Licences that catalogues with a list of their own know, and the word for each on the hub.
const LISTED: [(&str, &str); 9] = [
    ("Apache-2.0", "apache-2.0"),
    ("CC-BY-4.0", "cc-by-4.0"),
    ("CC-BY-NC-4.0", "cc-by-nc-4.0"),
    ("CC-BY-SA-4.0", "cc-by-sa-4.0"),
    ("CC0-1.0", "cc0-1.0"),
    ("MIT", "mit"),
    ("ODC-By-1.0", "odc-by"),
    ("ODbL-1.0", "odbl"),
    ("PDDL-1.0", "pddl"),
];

impl Publisher<'_> {
    fn title(&self) -> String {
        format!("{}: how AI models allocate capital", self.name)
    }

    /// The name as a word of small letters, digits and hyphens.
    fn word(&self) -> String {
        let lower = self.name.to_lowercase();
        let plain = lower.split(|c: char| !c.is_ascii_alphanumeric());
        let words: Vec<&str> = plain.filter(|word| !word.is_empty()).collect();
        match words.as_slice() {
            [] => "league".to_owned(),
            words => words.join("-"),
        }
    }
}

/// The day of the instant of a publication, in UTC.
fn day(publication: &Publication) -> String {
    let at = publication.as_of.to_zoned(TimeZone::UTC);
    at.date().to_string()
}

/// The same day as a version of three numbers, which catalogues compare.
fn version(publication: &Publication) -> String {
    let day = publication.as_of.to_zoned(TimeZone::UTC).date();
    format!("{}.{}.{}", day.year(), day.month(), day.day())
}

/// A warning for an invented market, behind the text.
fn about(publication: &Publication) -> String {
    if !publication.synthetic {
        return ABOUT.to_owned();
    }
    format!("{ABOUT} The market is invented: {SYNTHETIC}.")
}

/// Describes the files that are whole.
pub(crate) fn write<S: Shelf>(
    publication: &Publication,
    publisher: &Publisher<'_>,
    files: &mut Writing<'_, S>,
) -> Result<(), S::Error> {
    let package = datapackage::package(publication, publisher, &files.done);
    let croissant = croissant::dataset(publication, publisher, &files.done);
    files.whole("datapackage.json", &json_text(&package))?;
    files.whole("croissant.json", &json_text(&croissant))?;
    let citation = citation::citation(publication, publisher);
    files.whole(CITATION, citation.as_bytes())
}

/// What a folder needs beside an export to be pushed to a hub as it is.
pub(crate) fn hub<S: Shelf>(
    publication: &Publication,
    publisher: &Publisher<'_>,
    files: &mut Writing<'_, S>,
) -> Result<(), S::Error> {
    files.whole("README.md", card::card(publication, publisher).as_bytes())?;
    files.whole(".gitattributes", card::attributes().as_bytes())
}
