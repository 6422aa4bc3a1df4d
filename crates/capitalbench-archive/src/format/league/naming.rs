//! What a league is called, where it is found and how it looks.

use std::path::Path;

use capitalbench_core::league::accent::Accent;
use capitalbench_core::league::licence::Licence;
use capitalbench_core::values::ids::RoundId;

use super::words::line;
use crate::disk::error::Fault;

pub(super) fn league_name(given: Option<&str>, folder: &str) -> Result<String, Fault> {
    let given = given.map(|text| line("name", text)).transpose()?;
    let name = given.unwrap_or_else(|| folder.to_owned());
    if name.chars().count() > 80 {
        return Err(Fault::field("name", "must have at most 80 characters"));
    }
    Ok(name)
}

/// The first word of round ids.
pub(super) fn prefix(text: &str) -> Result<String, Fault> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let is_short = !text.is_empty() && text.len() <= 40;
    if !is_short || !text.chars().all(is_plain) || RoundId::parse(text).is_err() {
        let problem = "must be a word of at most 40 letters, digits and _, such as HOUSE";
        return Err(Fault::field("prefix", problem));
    }
    Ok(text.to_owned())
}

/// Where readers find the site.
pub(super) fn address(text: &str) -> Result<String, Fault> {
    let text = line("address", text)?;
    let rest = text.strip_prefix("https://");
    let rest = rest.or_else(|| text.strip_prefix("http://"));
    if !rest.is_some_and(|rest| !rest.is_empty() && !rest.contains([' ', '@'])) {
        let problem = "must be the address of the site, such as https://league.example";
        return Err(Fault::field("address", problem));
    }
    Ok(text.trim_end_matches('/').to_owned())
}

pub(super) fn accent(text: &str) -> Result<Accent, Fault> {
    Accent::parse(text).ok_or_else(no_colour)
}

pub(super) fn no_colour() -> Fault {
    let problem = "must be a colour of six hexadecimal digits in quotes, such as '#0b5fa5'";
    Fault::field("accent", problem)
}

/// A picture that every browser shows.
pub(super) fn logo(text: &str) -> Result<String, Fault> {
    let text = line("logo", text)?;
    let ending = Path::new(&text).extension();
    if ending.is_some_and(|ending| ending == "png" || ending == "svg") {
        return Ok(text);
    }
    let problem = "must be a file whose name ends in .png or .svg";
    Err(Fault::field("logo", problem))
}

/// What readers may do with the data.
pub(super) fn licence(text: &str) -> Result<Licence, Fault> {
    let problem = "must be an SPDX identifier such as CC-BY-4.0, or the address of the terms";
    Licence::parse(text).ok_or_else(|| Fault::field("publication.licence", problem))
}
