//! Outlines of many rounds in a few files, read as a whole.

use std::collections::BTreeMap;

use capitalbench_core::publication::outline::RoundOutline;
use capitalbench_core::values::ids::Digest;
use rayon::prelude::*;

use super::index::Entry;
use super::stored::KeptOutline;
use super::{FactCache, STAMP, sealed, unsealed};
use crate::disk::file_ops::{self, scratch::replace_unflushed};
use crate::public::public_record::{PublicationError, Shared};
use crate::round::round_folder::RoundFolder;

/// How many shelves there are: a changed round writes one of them anew.
const SHELVES: u8 = 64;

/// Kept outlines by the name of their round.
type Shelf = BTreeMap<String, KeptOutline>;

/// A round with its place among all.
type Placed = (usize, Result<RoundOutline, PublicationError>);

impl FactCache {
    /// The outlines of all rounds in their order, kept ones where files are as they were.
    pub fn outlines(
        &self,
        folders: &[RoundFolder],
        shared: &Shared,
        tick: &(dyn Fn() + Sync),
    ) -> Result<Vec<RoundOutline>, PublicationError> {
        let mut by_shelf = vec![Vec::new(); usize::from(SHELVES)];
        for placed in folders.iter().enumerate() {
            let number = Digest::of(placed.1.name().as_bytes()).bytes()[0] % SHELVES;
            by_shelf[usize::from(number)].push(placed);
        }
        let mut found: Vec<Placed> = by_shelf
            .into_par_iter()
            .enumerate()
            .flat_map_iter(|(number, rounds)| self.shelf(number, &rounds, shared, tick))
            .collect();
        found.sort_unstable_by_key(|(place, _)| *place);
        found.into_iter().map(|(_, outline)| outline).collect()
    }

    fn shelf(
        &self,
        number: usize,
        rounds: &[(usize, &RoundFolder)],
        shared: &Shared,
        tick: &(dyn Fn() + Sync),
    ) -> Vec<Placed> {
        let name = format!("outlines-{number:02}");
        let path = self.folder.join(&name);
        let bytes = file_ops::read(&path).unwrap_or_default();
        let mut known: Shelf = unsealed(&self.key, &name, STAMP, &bytes).unwrap_or_default();
        drop(bytes);
        let (held, mut same) = (known.len(), 0);
        let mut current = Shelf::new();
        let mut found: Vec<Placed> = Vec::with_capacity(rounds.len());
        let mut places: BTreeMap<String, usize> = BTreeMap::new();
        for (place, folder) in rounds {
            let round = folder.name();
            match self.outline(folder, known.remove(&round), shared) {
                Ok(Outline::Same(kept)) => {
                    same += 1;
                    current.insert(round.clone(), kept);
                    places.insert(round, *place);
                }
                Ok(Outline::New(kept)) => {
                    current.insert(round.clone(), kept);
                    places.insert(round, *place);
                }
                Ok(Outline::Unsettled(outline)) => found.push((*place, Ok(outline))),
                Err(error) => found.push((*place, Err(error))),
            }
            tick();
        }
        if (same, same) != (held, current.len())
            && let Some(bytes) = sealed(&self.key, &name, STAMP, &current)
        {
            // A shelf that cannot be written is computed again.
            let _ = replace_unflushed(&path, &bytes);
        }
        let kept = current.into_values().zip(places.into_values());
        found.extend(kept.map(|(kept, place)| (place, Ok(kept.outline))));
        found
    }

    fn outline(
        &self,
        folder: &RoundFolder,
        old: Option<KeptOutline>,
        shared: &Shared,
    ) -> Result<Outline, PublicationError> {
        let entry = self.look(folder);
        if let (Some(entry), Some(old)) = (&entry, old)
            && old.is_of(entry.content, shared)
        {
            self.saw(folder.name(), entry.clone());
            return Ok(Outline::Same(old));
        }
        let kept = |entry: Entry| Some((self.kept(entry.content, folder, shared)?, Some(entry)));
        let (facts, entry) = match entry.and_then(kept) {
            Some(kept) => kept,
            None => self.compute(folder, shared)?,
        };
        let outline = RoundOutline::from(facts);
        Ok(match entry {
            Some(entry) => {
                let kept = KeptOutline::of(outline, entry.content, shared);
                self.saw(folder.name(), entry);
                Outline::New(kept)
            }
            None => Outline::Unsettled(outline),
        })
    }
}

enum Outline {
    /// As the shelf had it.
    Same(KeptOutline),
    /// To be put on the shelf.
    New(KeptOutline),
    /// Of files that may change again unseen.
    Unsettled(RoundOutline),
}
