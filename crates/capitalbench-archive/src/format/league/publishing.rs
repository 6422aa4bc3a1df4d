//! What a league publishes: where, and which prices.

use capitalbench_core::league::settings::PublicationSettings;
use capitalbench_core::market::published_prices::PublishedPrices;
use serde::Deserialize;

use super::naming::licence;
use super::words::{NONE, line, one_of};
use crate::disk::error::Fault;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Publication {
    site: Option<String>,
    database: Option<bool>,
    interim: Option<bool>,
    licence: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Publish {
    prices: Option<String>,
}

const PUBLISHED: [(&str, PublishedPrices); 2] = [
    ("full", PublishedPrices::Full),
    ("returns", PublishedPrices::Returns),
];

pub(super) fn publication(
    given: Option<Publication>,
    usual: PublicationSettings,
) -> Result<PublicationSettings, Fault> {
    let Some(given) = given else { return Ok(usual) };
    Ok(PublicationSettings {
        site: match given.site.as_deref() {
            None => usual.site,
            Some(NONE) => None,
            Some(folder) => Some(line("publication.site", folder)?),
        },
        database: given.database.unwrap_or(usual.database),
        interim: given.interim.unwrap_or(usual.interim),
        licence: given.licence.as_deref().map(licence).transpose()?,
    })
}

pub(super) fn published(
    given: Option<Publish>,
    usual: PublishedPrices,
) -> Result<PublishedPrices, Fault> {
    let word = given.and_then(|given| given.prices);
    word.map_or(Ok(usual), |word| {
        one_of("publish.prices", &word, &PUBLISHED)
    })
}
