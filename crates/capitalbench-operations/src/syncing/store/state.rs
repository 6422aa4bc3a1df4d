//! What a store holds, whether it is whole, and how a checkout differs from it.

use std::collections::BTreeSet;
use std::path::Path;

use capitalbench_archive::store::checkout::Checkout;
use capitalbench_archive::store::head::{Generation, LeaseTerm};
use capitalbench_archive::store::unit::{HEADS, Unit, units_of};

use super::local::Cache;
use super::prune::generations;
use super::{Store, now};
use crate::error::Error;

/// What became of a unit in a folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InFolder {
    Same,
    Changed,
    /// All its files are gone.
    Lost,
}

/// How one unit stands.
#[derive(Debug)]
pub struct Standing {
    pub unit: String,
    /// What became of it in the folder since the last pull or push.
    pub here: InFolder,
    /// Changed in the store since then.
    pub is_changed_there: bool,
    pub holder: Option<LeaseTerm>,
}

/// Whether everything that heads name is there.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Checked {
    pub units: usize,
    pub files: usize,
    pub objects: usize,
    pub problems: Vec<String>,
}

impl Store {
    /// Refuses an address at which no store is, because it may be mistyped.
    pub fn require_heads(&self) -> Result<(), Error> {
        if self.list(HEADS)?.is_empty() {
            return Err(self.nothing_there());
        }
        Ok(())
    }

    /// Why a reader finds nothing.
    pub(super) fn nothing_there(&self) -> Error {
        let text = format!("there is no store at {}", self.address);
        Error::new(text)
            .hint("look for a mistake in the address; the first `store push` makes a new store")
    }

    /// Compares a checkout with the store, unit by unit; those that are equal and free are left out.
    pub fn standings(&self, checkout: &Checkout) -> Result<(usize, Vec<Standing>), Error> {
        let listed = self.list(HEADS)?;
        if listed.is_empty() {
            return Err(self.nothing_there());
        }
        let mut units: BTreeSet<Unit> = units_of(checkout.rounds())?.into_iter().collect();
        units.extend(listed.iter().filter_map(|own| Unit::of_key(&own.key)));
        let count = units.len();
        let units: Vec<Unit> = units.into_iter().collect();
        let all = self.each(&units, |unit| {
            let known = checkout.known(unit)?;
            let head = self.head(&unit.key())?.map(|(head, _)| head);
            let own = known.clone().unwrap_or_default();
            let nonce = |content: Option<&_>| content.map(|own: &Generation| own.nonce.clone());
            let there = nonce(head.as_ref().and_then(|head| head.content.as_ref()));
            let change = checkout.change(unit, &own)?;
            Ok(Standing {
                unit: unit.name().to_owned(),
                here: match change.is_changed || checkout.is_unfinished(unit) {
                    true if change.marks.is_empty() && !own.content.files.is_empty() => {
                        InFolder::Lost
                    }
                    true => InFolder::Changed,
                    false => InFolder::Same,
                },
                is_changed_there: there != nonce(own.head.content.as_ref()),
                holder: head.and_then(|head| head.holder(now()).cloned()),
            })
        })?;
        let differs = |own: &Standing| {
            own.here != InFolder::Same || own.is_changed_there || own.holder.is_some()
        };
        Ok((count, all.into_iter().filter(differs).collect()))
    }

    /// Fetches every object that a head names, and compares it with its name and with the files in it.
    pub fn check(&self) -> Result<Checked, Error> {
        self.require_heads()?;
        let mut checked = Checked::default();
        let mut seen = BTreeSet::new();
        for listed in self.list(HEADS)? {
            checked.units += 1;
            let Some(unit) = Unit::of_key(&listed.key) else {
                let text = format!("{} is the head of nothing", listed.key);
                checked.problems.push(text);
                continue;
            };
            let head = match self.head(&listed.key) {
                Ok(Some((head, _))) => head,
                Ok(None) => continue,
                Err(error) => {
                    checked.problems.push(error.to_string());
                    continue;
                }
            };
            for generation in generations(&head) {
                if let Err(error) =
                    self.check_generation(&unit, generation, &mut checked, &mut seen)
                {
                    checked.problems.push(format!("{}: {error}", unit.name()));
                }
            }
        }
        Ok(checked)
    }

    fn check_generation(
        &self,
        unit: &Unit,
        generation: &Generation,
        checked: &mut Checked,
        seen: &mut BTreeSet<String>,
    ) -> Result<(), Error> {
        let none = Cache::none();
        let content = self.content(&none, Some(generation))?;
        checked.files += content.files.len();
        let is_foreign = |path: &&String| unit.file(Path::new(""), path).is_none();
        let foreign = content.files.keys().filter(is_foreign);
        checked
            .problems
            .extend(foreign.map(|path| unit.refusal(path)));
        let objects = content.objects().into_iter().map(str::to_owned);
        let fresh: Vec<String> = objects.filter(|own| seen.insert(own.clone())).collect();
        checked.objects += fresh.len();
        let found = self.each(&fresh, |name| {
            let error = self.object(&none, name).err();
            Ok(error.map(|error| format!("{}: {error}", unit.name())))
        })?;
        checked.problems.extend(found.into_iter().flatten());
        Ok(())
    }
}
