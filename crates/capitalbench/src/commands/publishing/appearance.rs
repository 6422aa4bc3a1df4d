//! Name, colour and logo of a site, as flags or a league file give them.

use capitalbench_archive::disk::error::FileError;
use capitalbench_archive::disk::file_ops;
use capitalbench_core::league::accent::{Accent, hex};
use capitalbench_export::catalogue::Publisher;
use capitalbench_site::{Identity, Logo};

use crate::cli::Appearance;
use crate::console::remark;
use crate::error::Error;

/// Who publishes the data of a site.
pub(super) fn publisher<'a>(identity: &'a Identity, base_url: &'a str) -> Publisher<'a> {
    Publisher {
        name: &identity.name,
        address: Some(base_url),
        licence: identity.licence.as_ref(),
    }
}

/// Whose site it is; says where the colour that was chosen could not be read.
pub(super) fn identity(given: &Appearance) -> Result<Identity, Error> {
    let mut found = Identity::default();
    if let Some(name) = &given.site_name {
        found.name.clone_from(name);
    }
    found.accent = given.accent;
    found.licence.clone_from(&given.licence);
    if let Some(path) = &given.logo {
        let logo = Logo::read(file_ops::read(path).map_err(FileError::from)?.into());
        let refused = |problem| {
            Error::new(format!("{}: {problem}", path.display()))
                .hint("name another picture with --logo or `logo` in league.yaml")
        };
        found.logo = Some(logo.map_err(refused)?);
    }
    if let Some(accent) = given.accent {
        say_adjusted(accent);
    }
    Ok(found)
}

fn say_adjusted(accent: Accent) {
    let chosen = accent.to_string();
    let themes = [("light", accent.on_light()), ("dark", accent.on_dark())];
    let themes = themes.map(|(theme, shown)| (theme, hex(shown)));
    for (theme, shown) in themes.iter().filter(|(_, shown)| *shown != chosen) {
        remark(format!(
            "the accent {chosen} is {shown} in the {theme} theme: links need a contrast of 4.5"
        ));
    }
}
