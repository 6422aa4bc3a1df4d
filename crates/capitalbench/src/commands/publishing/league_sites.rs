//! The leagues of one host: the league whose site it is, and others with pages of their own below `leagues/`.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use capitalbench_site::{Identity, Neighbour};

use super::appearance::identity;
use crate::cli::{Appearance, OtherLeague, RecordSource, Rounds, RoundsDir};
use crate::error::Error;

/// A league, and where its pages stand.
pub(super) struct LeagueSite {
    pub(super) source: RecordSource,
    pub(super) rounds: Rounds,
    /// Empty for the league whose site it is, else such as `leagues/europe/`.
    pub(super) place: String,
    pub(super) identity: Identity,
}

impl LeagueSite {
    /// Its folder in that of the whole site.
    pub(super) fn folder(&self, whole: &Path) -> PathBuf {
        match self.place.as_str() {
            "" => whole.to_owned(),
            below => whole.join(below),
        }
    }

    /// The public address of its first page, without a slash at the end.
    pub(super) fn base_url(&self, of_site: &str) -> String {
        let of_site = of_site.trim_end_matches('/');
        let whole = format!("{of_site}/{}", self.place);
        whole.trim_end_matches('/').to_owned()
    }
}

/// The league whose site it is, then the others.
pub(super) fn league_sites(
    source: &RecordSource,
    rounds: &Rounds,
    appearance: &Appearance,
) -> Result<Vec<LeagueSite>, Error> {
    let others = &appearance.with_league;
    let mut taken = BTreeSet::new();
    for other in others {
        if !taken.insert(other.address()) {
            let text = format!(
                "--with-league: two leagues would stand at {}",
                other.address()
            );
            return Err(Error::new(text).hint("give them names that differ in a letter or a digit"));
        }
    }
    let neighbour = |other: &OtherLeague, back: &str| Neighbour {
        name: other.name.clone(),
        address: format!("{back}{}", other.address()),
    };
    let mut first = identity(appearance)?;
    first.neighbours = others.iter().map(|other| neighbour(other, "")).collect();
    let home = Neighbour {
        name: first.name.clone(),
        address: BACK.to_owned(),
    };
    let mut sites = vec![LeagueSite {
        source: source.clone(),
        rounds: rounds.clone(),
        place: String::new(),
        identity: first.clone(),
    }];
    for own in others {
        let besides = others.iter().filter(|other| other.name != own.name);
        let besides = besides.map(|other| neighbour(other, BACK));
        sites.push(LeagueSite {
            source: RecordSource::Folder,
            rounds: Rounds {
                dir: RoundsDir {
                    folder: own.rounds.clone(),
                },
                ..rounds.clone()
            },
            place: own.address(),
            identity: Identity {
                name: own.name.clone(),
                // What one league allows, another one has not said.
                licence: None,
                neighbours: std::iter::once(home.clone()).chain(besides).collect(),
                ..first.clone()
            },
        });
    }
    Ok(sites)
}

/// From the first page of another league to that of the host.
const BACK: &str = "../../";
