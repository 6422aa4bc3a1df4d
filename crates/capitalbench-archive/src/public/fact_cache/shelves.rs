//! Figures of many rounds in a few files, read as a whole.

use std::collections::BTreeMap;

use capitalbench_core::publication::figures::RoundFigures;
use capitalbench_core::values::ids::Digest;
use rayon::prelude::*;

use super::figures_form::{Kept, Shelf};
use super::index::{sealed, unsealed};
use super::{FactCache, STAMP};
use crate::disk::file_ops::{self, scratch::replace_unflushed};
use crate::public::public_record::{PublicationError, Shared};
use crate::round::round_folder::RoundFolder;

/// How many shelves there are: a changed round writes one of them anew.
const SHELVES: u8 = 64;

/// A round with its place among all.
type Placed = (usize, Result<RoundFigures, PublicationError>);

impl FactCache {
    /// The figures of all rounds in their order, kept ones where files are as they were.
    pub fn figures(
        &self,
        folders: &[RoundFolder],
        shared: &Shared,
        tick: &(dyn Fn() + Sync),
    ) -> Result<Vec<RoundFigures>, PublicationError> {
        let mut by_shelf: BTreeMap<u8, Vec<(usize, &RoundFolder)>> =
            (0..SHELVES).map(|number| (number, Vec::new())).collect();
        for (place, folder) in folders.iter().enumerate() {
            let number = Digest::of(folder.name().as_bytes()).bytes()[0] % SHELVES;
            by_shelf.entry(number).or_default().push((place, folder));
        }
        let by_shelf: Vec<(u8, Vec<(usize, &RoundFolder)>)> = by_shelf.into_iter().collect();
        let mut found: Vec<Placed> = by_shelf
            .into_par_iter()
            .flat_map_iter(|(number, rounds)| self.shelf(number, rounds, shared, tick))
            .collect();
        found.sort_unstable_by_key(|(place, _)| *place);
        found.into_iter().map(|(_, figures)| figures).collect()
    }

    fn shelf(
        &self,
        number: u8,
        rounds: Vec<(usize, &RoundFolder)>,
        shared: &Shared,
        tick: &(dyn Fn() + Sync),
    ) -> Vec<Placed> {
        let name = shelf_name(number);
        let path = self.folder.join(&name);
        let bytes = file_ops::read(&path).unwrap_or_default();
        let known: Shelf = unsealed((&self.key, &name), STAMP, &bytes).unwrap_or_default();
        drop(bytes);
        let held = known.0.len();
        let mut known: BTreeMap<String, Kept> = known.0.into_iter().collect();
        let mut taken = 0;
        let mut places = Vec::with_capacity(rounds.len());
        let mut keep = Shelf::default();
        let mut others: Vec<Placed> = Vec::new();
        for (place, folder) in rounds {
            let round = folder.name();
            let old = known.remove(&round);
            match self.figures_of(folder, old, shared) {
                Ok(Figures::Same(kept)) => {
                    taken += 1;
                    places.push(place);
                    keep.0.push((round, kept));
                }
                Ok(Figures::New(kept)) => {
                    places.push(place);
                    keep.0.push((round, kept));
                }
                Ok(Figures::Unsettled(figures)) => others.push((place, Ok(figures))),
                Err(error) => others.push((place, Err(error))),
            }
            tick();
        }
        if taken != held || taken != keep.0.len() {
            // A shelf that cannot be written is computed again.
            let _ = replace_unflushed(&path, &sealed((&self.key, &name), STAMP, &keep));
        }
        let kept = places.into_iter().zip(keep.0);
        let kept = kept.map(|(place, (_, kept))| (place, Ok(kept.figures)));
        kept.chain(others).collect()
    }

    fn figures_of(
        &self,
        folder: &RoundFolder,
        old: Option<Kept>,
        shared: &Shared,
    ) -> Result<Figures, PublicationError> {
        if let Some(entry) = self.look(folder) {
            let content = entry.content;
            if let Some(old) = old
                && old.content == content
                && old.snapshots == shared.snapshots_of(old.figures.window)
            {
                self.saw(folder.name(), entry);
                return Ok(Figures::Same(old));
            }
            if let Some(facts) = self.kept(content, folder, shared) {
                self.saw(folder.name(), entry);
                let figures = RoundFigures::of(facts);
                return Ok(Figures::New(kept(content, figures, shared)));
            }
        }
        let (facts, entry) = self.compute(folder, shared)?;
        let figures = RoundFigures::of(facts);
        Ok(match entry {
            Some(entry) => {
                let content = entry.content;
                self.saw(folder.name(), entry);
                Figures::New(kept(content, figures, shared))
            }
            None => Figures::Unsettled(figures),
        })
    }
}

fn shelf_name(number: u8) -> String {
    format!("figures-{number:02}")
}

fn kept(content: Digest, figures: RoundFigures, shared: &Shared) -> Kept {
    Kept {
        content,
        snapshots: shared.snapshots_of(figures.window),
        figures,
    }
}

enum Figures {
    /// As the shelf had them.
    Same(Kept),
    /// To be put on the shelf.
    New(Kept),
    /// Of files that may change again unseen.
    Unsettled(RoundFigures),
}
